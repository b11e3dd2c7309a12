//! The rules of a Node.

use std::collections::{BTreeSet, HashSet};

use crate::api::json::{List, Value, from_bytes};
use crate::api::json_syntax;
use crate::tree::{at, entries, field, has, list, text, texts};
use crate::validate::common::resource_amount;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::pod::scheduling;
use crate::validate::{addresses, go, meta, names};

const TAINTS: &str = "scheduler.alpha.kubernetes.io/taints";
const AVOID_PODS: &str = "scheduler.alpha.kubernetes.io/preferAvoidPods";

/// Validates a new Node.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    annotations(object, errors);
    spec_taints(object, errors);
    // Only an update checks the addresses.
    amounts(object, errors);
    let spec = field(object, "spec");
    let path = Path::root("spec");
    let path = path.child("podCIDRs");
    for (index, range) in texts(spec, "podCIDRs").enumerate() {
        errors.invalid_each(&path.index(index), range, addresses::cidr(range, true));
    }
    let families: Vec<bool> = texts(spec, "podCIDRs")
        .filter_map(addresses::parse_cidr)
        .map(|(address, _)| address.is_ipv4())
        .collect();
    // At most one range per family, which allows the two ranges of a dual-stack node.
    if families.len() > 2 || families.len() == 2 && families[0] == families[1] {
        let detail = "may specify no more than one CIDR for each IP family";
        errors.invalid(&path, field(spec, "podCIDRs"), detail);
    }
    let mut seen = BTreeSet::new();
    for (index, range) in texts(spec, "podCIDRs").enumerate() {
        if !seen.insert(range) {
            errors.duplicate(&path.index(index), &go::quoted(range));
        }
    }
}

/// Validates the JSON texts in two annotations that nothing uses anymore.
fn annotations(object: &Value, errors: &mut Errors) {
    let annotations = at(object, &["metadata", "annotations"]);
    let path = Path::root("metadata");
    let path = path.child("annotations");
    let wrong = |name: &str| {
        let text = text(annotations, name).as_bytes();
        let checked = json_syntax::check(text).map(|_| from_bytes(text, &[]));
        (!text.is_empty()).then_some(checked)
    };
    // Upstream shows the key instead of the value.
    match wrong(TAINTS) {
        Some(Err(wrong)) => errors.invalid_shown(&path, &go::quoted(TAINTS), &wrong),
        Some(Ok(Ok(all))) => {
            let all = all.as_array().map_or(&[][..], List::as_slice);
            taints(&path.child(TAINTS), all, errors);
        }
        _ => {}
    }
    if let Some(Err(wrong)) = wrong(AVOID_PODS) {
        let path = path.child("AvoidPods");
        errors.invalid_shown(&path, &go::quoted(AVOID_PODS), &wrong);
    }
}

fn spec_taints(object: &Value, errors: &mut Errors) {
    let path = Path::root("metadata");
    // Taints are in the spec, but upstream's paths begin with `metadata`.
    let all = list(field(object, "spec"), "taints");
    taints(&path.child("taints"), all, errors);
}

fn taints(path: &Path<'_>, all: &[Value], errors: &mut Errors) {
    let mut seen = BTreeSet::new();
    for (index, taint) in all.iter().enumerate() {
        let path = path.index(index);
        let (key, value) = (text(taint, "key"), text(taint, "value"));
        errors.invalid_each(&path.child("key"), key, names::qualified_name(key));
        let wrong = names::label_value(value);
        if !wrong.is_empty() {
            errors.invalid_shown(&path.child("value"), &go::quoted(value), &wrong.join(";"));
        }
        scheduling::taint_effect(&path, taint, errors);
        if !seen.insert((key, text(taint, "effect"))) {
            let shown = go::shown_as("Taint", taint);
            let detail = format!("{shown}: taints must be unique by key and effect pair");
            errors.duplicate(&path, &detail);
        }
    }
}

fn amounts(object: &Value, errors: &mut Errors) {
    let (path, status) = (Path::root("status"), field(object, "status"));
    for name in ["capacity", "allocatable"] {
        let path = path.child(name);
        for (resource, amount) in entries(status, name) {
            resource_amount(&path.child(resource), resource, amount, errors);
        }
    }
}

fn node_addresses(object: &Value, errors: &mut Errors) {
    let path = Path::root("status");
    let path = path.child("addresses");
    let addresses = list(field(object, "status"), "addresses");
    let mut seen = HashSet::new();
    for (index, address) in addresses.iter().enumerate() {
        if !seen.insert(address) {
            errors.duplicate(&path.index(index), &go::shown_as("NodeAddress", address));
        }
    }
}

/// Validates an update of a Node or of its status.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    annotations(object, errors);
    amounts(object, errors);
    node_addresses(object, errors);
    let path = Path::root("spec");
    let (spec, before) = (field(object, "spec"), field(old, "spec"));
    for (name, called) in [("podCIDRs", "podCIDR"), ("providerID", "providerID")] {
        // Immutable once set: Pods have addresses in the range, and the cloud provider finds the machine by its id.
        if has(before, name) && field(spec, name) != field(before, name) {
            let detail = format!("node updates may not change {called} except from \"\" to valid");
            errors.forbidden(&path.child(name), &detail);
        }
    }
    spec_taints(object, errors);
    let name = "externalID";
    if text(spec, name) != text(before, name) {
        errors.forbidden(&path.child(name), "may not be updated");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn an_update_changes_taints_and_what_is_absent() {
        let node = |spec: Value| json!({"metadata": {"name": "n", "uid": "u", "resourceVersion": "1"}, "spec": spec});
        let told = |new: Value, old: Value| {
            let mut errors = Errors::default();
            update(&node(new), &node(old), &mut errors);
            let causes = errors.into_causes();
            causes.first().map(ToString::to_string).unwrap_or_default()
        };
        assert_eq!(
            told(json!({"unschedulable": true, "providerID": "a"}), json!({})),
            ""
        );
        assert_eq!(
            told(json!({"externalID": "x"}), json!({})),
            "spec.externalID: Forbidden: may not be updated"
        );
    }

    #[test]
    fn ranges_of_a_node_differ() {
        let ranges = json!(["10.0.0.0/24", "10.0.0.0/24"]);
        let node = json!({"metadata": {"name": "n"}, "spec": {"podCIDRs": ranges}});
        let mut errors = Errors::default();
        create(&node, &mut errors);
        let causes = errors.into_causes();
        let told: Vec<String> = causes.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "spec.podCIDRs: Invalid value: [\"10.0.0.0/24\",\"10.0.0.0/24\"]: may specify no more than one CIDR for each \
                 IP family",
                "spec.podCIDRs[1]: Duplicate value: \"10.0.0.0/24\"",
            ]
        );
    }

    #[test]
    fn annotations_with_taints_are_json() {
        let told = |key: &str, value: &str| {
            let mut node = json!({"metadata": {"name": "n", "annotations": {}}});
            node["metadata"]["annotations"][key] = json!(value);
            let mut errors = Errors::default();
            create(&node, &mut errors);
            let causes = errors.into_causes();
            let told = causes.iter().map(ToString::to_string);
            told.collect::<Vec<_>>()
        };
        let end = "unexpected end of JSON input";
        assert_eq!(
            told(TAINTS, "{"),
            [format!(
                "metadata.annotations: Invalid value: \"{TAINTS}\": {end}"
            )]
        );
        assert_eq!(
            told(AVOID_PODS, "{"),
            [format!(
                "metadata.annotations.AvoidPods: Invalid value: \"{AVOID_PODS}\": {end}"
            )]
        );
        assert_eq!(told(TAINTS, ""), [""; 0]);
        assert_eq!(
            told(TAINTS, r#"[{"key": "a", "effect": "NoSchedule"}]"#),
            [""; 0]
        );
        let wrong = told(TAINTS, r#"[{"key": "a b", "effect": "NoSchedule"}]"#);
        let at = format!("metadata.annotations.{TAINTS}[0].key: Invalid value: \"a b\"");
        assert_eq!(wrong.len(), 1);
        assert!(wrong[0].starts_with(&at), "{wrong:?}");
    }
}
