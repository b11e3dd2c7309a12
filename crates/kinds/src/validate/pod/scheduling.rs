//! Constraints on the placement of a Pod: gates, tolerations, spreading.

use std::collections::{BTreeSet, HashMap};

use super::super::common::{label_selector, listed, one_of};
use super::super::errors::Errors;
use super::super::path::Path;
use super::super::{go, names};
use super::affinity::label_keys;
use crate::api::json::{Value, json};
use crate::tree::{field, has, int, list, opt_int, text};

const EFFECTS: &[&str] = &["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// Validates the readiness gates and scheduling gates of the spec at `path`.
pub(crate) fn gates(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let readiness = path.child("readinessGates");
    for (index, gate) in list(spec, "readinessGates").iter().enumerate() {
        let kind = text(gate, "conditionType");
        let path = readiness.index(index);
        errors.invalid_each(
            &path.child("conditionType"),
            kind,
            names::qualified_name(kind),
        );
    }
    let scheduling = path.child("schedulingGates");
    let mut seen = BTreeSet::new();
    for (index, gate) in list(spec, "schedulingGates").iter().enumerate() {
        let (path, name) = (scheduling.index(index), text(gate, "name"));
        errors.invalid_each(&path, name, names::qualified_name(name));
        if !seen.insert(name) {
            errors.duplicate(&path, &go::quoted(name));
        }
    }
}

/// Validates the tolerations of a Pod or a RuntimeClass, which is `holder`.
pub(crate) fn tolerations(path: &Path<'_>, holder: &Value, errors: &mut Errors) {
    for (index, toleration) in list(holder, "tolerations").iter().enumerate() {
        self::toleration(&path.index(index), toleration, errors);
    }
}

fn toleration(path: &Path<'_>, toleration: &Value, errors: &mut Errors) {
    let (key, operator) = (text(toleration, "key"), text(toleration, "operator"));
    let operator_path = path.child("operator");
    if !key.is_empty() {
        errors.invalid_each(&path.child("key"), key, names::qualified_name(key));
    }
    // An empty key matches all taints; comparing all their values with one value makes no sense.
    if key.is_empty() && operator != "Exists" {
        errors.invalid_shown(
            &operator_path,
            &go::quoted(operator),
            "operator must be Exists when `key` is empty, which means \"match all values and all keys\"",
        );
    }
    let effect = text(toleration, "effect");
    // Only `NoExecute` evicts running Pods, so only that effect can be delayed.
    if has(toleration, "tolerationSeconds") && effect != "NoExecute" {
        errors.invalid_shown(
            &path.child("effect"),
            &go::quoted(effect),
            "effect must be 'NoExecute' when `tolerationSeconds` is set",
        );
    }
    let value = text(toleration, "value");
    match operator {
        "Equal" | "" => {
            let wrong = names::label_value(value);
            if !wrong.is_empty() {
                // Upstream reports the value under the operator, with all reasons in one message.
                errors.invalid_shown(&operator_path, &go::quoted(value), &wrong.join(";"));
            }
        }
        "Exists" if !value.is_empty() => errors.invalid_shown(
            &operator_path,
            &go::quoted(value),
            "value must be empty when `operator` is 'Exists'",
        ),
        "Exists" => {}
        // The feature gate of the numeric operators is off by default, yet the message lists them.
        "Lt" | "Gt" => {
            let supported = &["Equal", "Exists", "Lt", "Gt"];
            errors.not_supported_shown(&operator_path, &go::quoted(operator), supported);
        }
        _ => {
            let supported = &["Equal", "Exists"];
            errors.not_supported_shown(&operator_path, &go::quoted(operator), supported);
        }
    }
    one_of(path, toleration, "effect", EFFECTS, errors);
}

/// Validates the effect of a taint, which is required.
pub(crate) fn taint_effect(path: &Path<'_>, taint: &Value, errors: &mut Errors) {
    super::super::common::required_one_of(path, taint, "effect", EFFECTS, errors);
}

/// Validates topology spread constraints.
pub(crate) fn spread(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    const WHEN: &[&str] = &["DoNotSchedule", "ScheduleAnyway"];
    let all = list(spec, "topologySpreadConstraints");
    let pair = |constraint| {
        (
            text(constraint, "topologyKey"),
            text(constraint, "whenUnsatisfiable"),
        )
    };
    // Upstream compares each constraint with all later ones and reports the earlier of each pair. Comparing with the
    // last index of each key pair gives the same result in one pass.
    let last: HashMap<_, usize> = all.iter().map(pair).zip(0..).collect();
    for (index, constraint) in all.iter().enumerate() {
        let path = path.index(index);
        let skew = int(constraint, "maxSkew");
        if skew <= 0 {
            errors.invalid(
                &path.child("maxSkew"),
                &json!(skew),
                "must be greater than zero",
            );
        }
        let (key, when) = pair(constraint);
        // Unlike that of an affinity term, the key need not be a label's name.
        if key.is_empty() {
            errors.required(&path.child("topologyKey"), "can not be empty");
        }
        listed(&path, constraint, "whenUnsatisfiable", WHEN, errors);
        if last.get(&(key, when)).is_some_and(|last| *last > index) {
            let pair = format!("\"{{{key}, {when}}}\"");
            errors.duplicate(&path.child("{topologyKey, whenUnsatisfiable}"), &pair);
        }
        min_domains(&path.child("minDomains"), constraint, errors);
        for name in ["nodeAffinityPolicy", "nodeTaintsPolicy"] {
            one_of(&path, constraint, name, &["Honor", "Ignore"], errors);
        }
        label_keys(&path, constraint, errors);
        let selector = field(constraint, "labelSelector");
        label_selector(&path.child("labelSelector"), selector, errors);
    }
}

fn min_domains(path: &Path<'_>, constraint: &Value, errors: &mut Errors) {
    let Some(domains) = opt_int(constraint, "minDomains") else {
        return;
    };
    if domains <= 0 {
        errors.invalid(path, &json!(domains), "must be greater than zero");
    }
    let when = text(constraint, "whenUnsatisfiable");
    // The minimum counts missing domains as empty ones, which matters only if the constraint can keep a Pod from
    // being scheduled.
    if when != "DoNotSchedule" {
        let detail =
            format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {when}");
        errors.invalid(path, &json!(domains), &detail);
    }
}
