//! Node affinity and inter-Pod affinity.

use super::super::common::label_selector;
use super::super::errors::Errors;
use super::super::path::Path;
use super::super::{go, names};
use crate::api::json::{Value, json};
use crate::tree::{field, has, int, len, list, text, texts};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// Validates the affinity; `merged` means that the selectors already include the label keys.
pub(crate) fn affinity(path: &Path<'_>, affinity: &Value, merged: bool, errors: &mut Errors) {
    node_affinity(
        &path.child("nodeAffinity"),
        field(affinity, "nodeAffinity"),
        errors,
    );
    for name in ["podAffinity", "podAntiAffinity"] {
        pod_affinity(&path.child(name), field(affinity, name), merged, errors);
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

fn pod_affinity(path: &Path<'_>, affinity: &Value, merged: bool, errors: &mut Errors) {
    let required = path.child(REQUIRED);
    for (index, term) in list(affinity, REQUIRED).iter().enumerate() {
        pod_term(&required.index(index), term, merged, errors);
    }
    let preferred = path.child(PREFERRED);
    for (index, term) in list(affinity, PREFERRED).iter().enumerate() {
        let path = preferred.index(index);
        weight(&path, term, errors);
        pod_term(
            &path.child("podAffinityTerm"),
            field(term, "podAffinityTerm"),
            merged,
            errors,
        );
    }
}

fn pod_term(path: &Path<'_>, term: &Value, merged: bool, errors: &mut Errors) {
    for name in ["labelSelector", "namespaceSelector"] {
        label_selector(&path.child(name), field(term, name), errors);
    }
    for name in texts(term, "namespaces") {
        // Upstream's path is in the singular and has no index.
        errors.invalid_each(&path.child("namespace"), name, names::dns1123_label(name));
    }
    for name in ["matchLabelKeys", "mismatchLabelKeys"] {
        label_keys(&path.child(name), term, name, errors);
    }
    shared_keys(path, term, merged, errors);
    let path = path.child("topologyKey");
    let key = text(term, "topologyKey");
    // The rule for names reports an empty key a second time, as the API server does.
    if key.is_empty() {
        errors.required(&path, "can not be empty");
    }
    errors.invalid_each(&path, key, names::qualified_name(key));
}

/// Rejects label keys that a term names twice.
fn shared_keys(path: &Path<'_>, term: &Value, merged: bool, errors: &mut Errors) {
    let keys = path.child("matchLabelKeys");
    for (index, key) in texts(term, "matchLabelKeys").enumerate() {
        if texts(term, "mismatchLabelKeys").any(|other| other == key) {
            errors.invalid_shown(
                &keys.index(index),
                &go::quoted(key),
                "exists in both matchLabelKeys and mismatchLabelKeys",
            );
        }
    }
    for name in ["matchLabelKeys", "mismatchLabelKeys"] {
        for (index, key) in texts(term, name).enumerate() {
            if selects_by(term, key, merged) {
                // Upstream's path omits the name of the list.
                let detail = format!("exists in both {name} and labelSelector");
                errors.invalid_shown(&path.index(index), &go::quoted(key), &detail);
            }
        }
    }
}

/// Returns true if the selector of a term names a label, apart from the expression that was merged into it.
pub(crate) fn selects_by(term: &Value, key: &str, merged: bool) -> bool {
    let selector = field(term, "labelSelector");
    let expressions = list(selector, "matchExpressions").iter();
    let named = expressions.filter(|e| text(e, "key") == key).count();
    let named = named + usize::from(has(field(selector, "matchLabels"), key));
    named > usize::from(merged)
}

/// Validates the keys of the Pod's own labels, which require a selector to merge into.
pub(crate) fn label_keys(path: &Path<'_>, term: &Value, name: &str, errors: &mut Errors) {
    if len(term, name) == 0 {
        return;
    }
    if !has(term, "labelSelector") {
        errors.forbidden(path, "must not be specified when labelSelector is not set");
    }
    for (index, key) in texts(term, name).enumerate() {
        errors.invalid_each(&path.index(index), key, names::qualified_name(key));
    }
}
