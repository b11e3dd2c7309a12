//! Node affinity and inter-Pod affinity.

use std::collections::BTreeSet;

use super::super::common::label_selector;
use super::super::errors::Errors;
use super::super::path::Path;
use super::super::{go, names};
use crate::api::json::{Value, json};
use crate::tree::{entries, field, has, int, len, list, text, texts};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// Validates the affinity.
pub(crate) fn affinity(path: &Path<'_>, affinity: &Value, errors: &mut Errors) {
    node_affinity(
        &path.child("nodeAffinity"),
        field(affinity, "nodeAffinity"),
        errors,
    );
    for name in ["podAffinity", "podAntiAffinity"] {
        pod_affinity(&path.child(name), field(affinity, name), errors);
    }
}

fn node_affinity(path: &Path<'_>, affinity: &Value, errors: &mut Errors) {
    if has(affinity, REQUIRED) {
        node_selector(&path.child(REQUIRED), field(affinity, REQUIRED), errors);
    }
    let path = path.child(PREFERRED);
    for (index, term) in list(affinity, PREFERRED).iter().enumerate() {
        let path = path.index(index);
        weight(&path, term, errors);
        let preference = field(term, "preference");
        node_term(&path.child("preference"), preference, false, errors);
    }
}

/// Validates the node selector of a Pod or a volume.
pub(crate) fn node_selector(path: &Path<'_>, selector: &Value, errors: &mut Errors) {
    let path = path.child("nodeSelectorTerms");
    let terms = list(selector, "nodeSelectorTerms");
    if terms.is_empty() {
        errors.required(&path, "must have at least one node selector term");
    }
    for (index, term) in terms.iter().enumerate() {
        node_term(&path.index(index), term, true, errors);
    }
}

fn weight(path: &Path<'_>, term: &Value, errors: &mut Errors) {
    let weight = int(term, "weight");
    if !(1..=100).contains(&weight) {
        errors.invalid(
            &path.child("weight"),
            &json!(weight),
            "must be in the range 1-100",
        );
    }
}

/// Validates a node selector term. If `values` is false, the values are not checked: upstream skips them for
/// preferences.
fn node_term(path: &Path<'_>, term: &Value, values: bool, errors: &mut Errors) {
    // A term without requirements is valid and selects no node.
    let expressions = path.child("matchExpressions");
    for (index, requirement) in list(term, "matchExpressions").iter().enumerate() {
        node_requirement(&expressions.index(index), requirement, values, errors);
    }
    let fields = path.child("matchFields");
    for (index, requirement) in list(term, "matchFields").iter().enumerate() {
        field_requirement(&fields.index(index), requirement, errors);
    }
}

fn node_requirement(path: &Path<'_>, requirement: &Value, checked: bool, errors: &mut Errors) {
    let values = path.child("values");
    let count = len(requirement, "values");
    match text(requirement, "operator") {
        "In" | "NotIn" if count == 0 => errors.required(
            &values,
            "must be specified when `operator` is 'In' or 'NotIn'",
        ),
        "Exists" | "DoesNotExist" if count > 0 => errors.forbidden(
            &values,
            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
        // The API server only counts the values; the scheduler requires a number.
        "Gt" | "Lt" if count != 1 => errors.required(
            &values,
            "must be specified single value when `operator` is 'Lt' or 'Gt'",
        ),
        "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
        operator => bad_operator(path, operator, errors),
    }
    let key = text(requirement, "key");
    errors.invalid_each(&path.child("key"), key, names::qualified_name(key));
    for (index, value) in texts(requirement, "values").enumerate() {
        if checked {
            errors.invalid_each(&values.index(index), value, names::label_value(value));
        }
    }
}

fn bad_operator(path: &Path<'_>, operator: &str, errors: &mut Errors) {
    errors.invalid_shown(
        &path.child("operator"),
        &go::quoted(operator),
        "not a valid selector operator",
    );
}

/// Validates a field requirement. The only supported field of nodes is `metadata.name`.
fn field_requirement(path: &Path<'_>, requirement: &Value, errors: &mut Errors) {
    let values = path.child("values");
    match text(requirement, "operator") {
        "In" | "NotIn" if len(requirement, "values") != 1 => errors.required(
            &values,
            "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
        ),
        "In" | "NotIn" => {}
        operator => bad_operator(path, operator, errors),
    }
    let key = text(requirement, "key");
    if key != "metadata.name" {
        let detail = "not a valid field selector key";
        return errors.invalid_shown(&path.child("key"), &go::quoted(key), detail);
    }
    for (index, value) in texts(requirement, "values").enumerate() {
        errors.invalid_each(&values.index(index), value, names::dns1123_subdomain(value));
    }
}

fn pod_affinity(path: &Path<'_>, affinity: &Value, errors: &mut Errors) {
    let required = path.child(REQUIRED);
    for (index, term) in list(affinity, REQUIRED).iter().enumerate() {
        pod_term(&required.index(index), term, errors);
    }
    let preferred = path.child(PREFERRED);
    for (index, term) in list(affinity, PREFERRED).iter().enumerate() {
        let path = preferred.index(index);
        weight(&path, term, errors);
        pod_term(
            &path.child("podAffinityTerm"),
            field(term, "podAffinityTerm"),
            errors,
        );
    }
}

fn pod_term(path: &Path<'_>, term: &Value, errors: &mut Errors) {
    for name in ["labelSelector", "namespaceSelector"] {
        label_selector(&path.child(name), field(term, name), errors);
    }
    for name in texts(term, "namespaces") {
        // Upstream's path is in the singular and has no index.
        errors.invalid_each(&path.child("namespace"), name, names::dns1123_label(name));
    }
    label_keys(path, term, errors);
    let path = path.child("topologyKey");
    let key = text(term, "topologyKey");
    // The rule for names reports an empty key a second time, as the API server does.
    if key.is_empty() {
        errors.required(&path, "can not be empty");
    }
    errors.invalid_each(&path, key, names::qualified_name(key));
}

/// Validates the keys of the Pod's own labels in an affinity term or a spread constraint, which is `term`.
pub(crate) fn label_keys(path: &Path<'_>, term: &Value, errors: &mut Errors) {
    for name in ["matchLabelKeys", "mismatchLabelKeys"] {
        let path = path.child(name);
        // The keys are merged into the selector, so there must be one.
        if len(term, name) > 0 && !has(term, "labelSelector") {
            errors.forbidden(&path, "must not be specified when labelSelector is not set");
            continue;
        }
        for (index, key) in texts(term, name).enumerate() {
            errors.invalid_each(&path.index(index), key, names::qualified_name(key));
        }
    }
    let selector = field(term, "labelSelector");
    let keys: Vec<&str> = texts(term, "matchLabelKeys").collect();
    let mut named: BTreeSet<&str> = entries(selector, "matchLabels")
        .map(|(key, _)| key)
        .collect();
    for expression in list(selector, "matchExpressions") {
        let key = text(expression, "key");
        // A new Pod's keys are already merged into the expressions, so only a second mention is one of the user. In a
        // template, upstream finds the key only if the selector itself names it twice.
        let repeated = !named.insert(key);
        let index = keys.iter().rposition(|other| *other == key);
        if let Some(index) = index.filter(|_| repeated) {
            // Upstream's path omits the name of the list.
            let detail = "exists in both matchLabelKeys and labelSelector";
            errors.invalid_shown(&path.index(index), &go::quoted(key), detail);
        }
    }
    let path = path.child("matchLabelKeys");
    for (index, key) in keys.into_iter().enumerate() {
        if texts(term, "mismatchLabelKeys").any(|other| other == key) {
            let detail = "exists in both matchLabelKeys and mismatchLabelKeys";
            errors.invalid_shown(&path.index(index), &go::quoted(key), detail);
        }
    }
}
