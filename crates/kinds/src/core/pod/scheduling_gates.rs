//! Changes of a gated Pod, which the scheduler has not seen yet: its placement may only become narrower.

use crate::api::json::Value;
use crate::tree::{at, child, ensure, entries, field, has, list, set_or_remove};
use crate::validate::errors::Errors;
use crate::validate::go;
use crate::validate::path::Path;

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const AFFINITY: [&str; 2] = ["affinity", "nodeAffinity"];

/// Validates the changes of the node selector and node affinity in the spec of a gated Pod.
pub(super) fn changes(path: &Path<'_>, spec: &Value, before: &Value, errors: &mut Errors) {
    let selector = field(spec, "nodeSelector");
    let kept = |(key, value): (&str, &Value)| selector.get(key) == Some(value);
    if !entries(before, "nodeSelector").all(kept) {
        errors.invalid(
            &path.child("nodeSelector"),
            selector,
            "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
        );
    }
    let path = path.child("affinity");
    let path = path.child("nodeAffinity");
    let path = path.child(REQUIRED);
    let path = path.child("nodeSelectorTerms");
    let terms = |spec| list(field(at(spec, &AFFINITY), REQUIRED), "nodeSelectorTerms");
    let (new, old): (&[Value], &[Value]) = (terms(spec), terms(before));
    // Terms are alternatives, so a new one would allow additional nodes.
    if !old.is_empty() && new.len() != old.len() {
        return errors.invalid_shown(
            &path,
            &go::shown_list("NodeSelectorTerm", new),
            "no additions/deletions to non-empty NodeSelectorTerms list are allowed",
        );
    }
    for (index, (new, old)) in new.iter().zip(old).enumerate() {
        if !only_adds(new, old) {
            errors.invalid_shown(
                &path.index(index),
                &go::shown_as("NodeSelectorTerm", new),
                "only additions are allowed (no mutations or deletions)",
            );
        }
    }
}

/// Returns true if a term begins with all requirements of the old one, in the same order.
fn only_adds(new: &Value, old: &Value) -> bool {
    let lists = ["matchExpressions", "matchFields"];
    let count = |term| -> usize { lists.iter().map(|name| list(term, name).len()).sum() };
    // A term without requirements selects no node, so any requirement would widen it.
    if count(old) == 0 && count(new) > 0 {
        return false;
    }
    lists
        .iter()
        .all(|name| list(new, name).starts_with(list(old, name)))
}

/// Resets the node affinity, whose changes have their own validation.
pub(super) fn keep_node_affinity(spec: &mut Value, before: &Value) {
    let old = at(before, &AFFINITY);
    // An unchanged spec must stay equal byte by byte, so that it does not count as an update.
    if at(spec, &AFFINITY) == old {
        return;
    }
    let others = ["podAffinity", "podAntiAffinity"];
    let affinity = field(spec, "affinity");
    if !has(before, "affinity") && !others.iter().any(|name| has(affinity, name)) {
        return set_or_remove(spec, "affinity", None);
    }
    match old {
        Value::Null => {
            if let Some(affinity) = child(spec, "affinity") {
                set_or_remove(affinity, "nodeAffinity", None);
            }
        }
        old => set_or_remove(ensure(spec, "affinity"), "nodeAffinity", Some(old.clone())),
    }
}
