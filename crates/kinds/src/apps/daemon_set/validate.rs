//! The rules of a DaemonSet.

use crate::api::json::Value;
use crate::tree::{field, text};
use crate::validate::common::{
    at_most_all, int_or_percent, is_empty_selector, label_selector, plain_number, shown_selector,
};
use crate::validate::errors::Errors;
use crate::validate::meta::nonnegative_field;
use crate::validate::path::Path;
use crate::validate::workload::{
    check_labels, collisions, counters, immutable_selector, lasting_template,
};
use crate::validate::{go, meta, names};

/// Validates a new DaemonSet.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    daemon_set_spec(&Path::root("spec"), field(object, "spec"), errors);
}

/// Validates an update of a DaemonSet.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    daemon_set_spec(&Path::root("spec"), field(object, "spec"), errors);
    immutable_selector(object, old, errors);
}

fn daemon_set_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let selector = field(spec, "selector");
    let selector_path = path.child("selector");
    label_selector(&selector_path, selector, errors);
    // An absent selector selects nothing, so it is reported as one that does not match the labels.
    check_labels(path, spec, errors);
    if !selector.is_null() && is_empty_selector(selector) {
        let shown = shown_selector(selector);
        errors.invalid_shown(
            &selector_path,
            &shown,
            "empty selector is invalid for daemonset",
        );
    }
    let template = path.child("template");
    lasting_template(&template, field(spec, "template"), "DaemonSet", errors);
    daemon_set_strategy(
        &path.child("updateStrategy"),
        field(spec, "updateStrategy"),
        errors,
    );
    nonnegative_field(path, spec, "minReadySeconds", errors);
    nonnegative_field(path, spec, "revisionHistoryLimit", errors);
}

fn daemon_set_strategy(path: &Path<'_>, strategy: &Value, errors: &mut Errors) {
    match text(strategy, "type") {
        "OnDelete" => {}
        "RollingUpdate" => {
            let rolling = field(strategy, "rollingUpdate");
            let path = path.child("rollingUpdate");
            for name in ["maxUnavailable", "maxSurge"] {
                int_or_percent(&path.child(name), field(rolling, name), errors);
                // The percentage is relative to the number of nodes, so more than 100 % has no meaning.
                at_most_all(&path.child(name), field(rolling, name), errors);
            }
            let surge = field(rolling, "maxSurge");
            match (
                plain_number(field(rolling, "maxUnavailable")) != 0,
                plain_number(surge) != 0,
            ) {
                // On each node, the new Pod starts either before or after the old one stops.
                (true, true) => errors.invalid(
                    &path.child("maxSurge"),
                    surge,
                    "may not be set when maxUnavailable is non-zero",
                ),
                (false, false) => errors.required(
                    &path.child("maxUnavailable"),
                    "cannot be 0 when maxSurge is 0",
                ),
                _ => {}
            }
        }
        _ => errors.not_supported_shown(
            path,
            &go::shown_as("DaemonSetUpdateStrategy", strategy),
            &["RollingUpdate", "OnDelete"],
        ),
    }
}

/// Validates an update of a DaemonSet's status.
pub(crate) fn status(object: &Value, old: &Value, errors: &mut Errors) {
    const NAMES: &[&str] = &[
        "currentNumberScheduled",
        "numberMisscheduled",
        "desiredNumberScheduled",
        "numberReady",
        "observedGeneration",
        "updatedNumberScheduled",
        "numberAvailable",
        "numberUnavailable",
        "collisionCount",
    ];
    meta::update(object, old, errors);
    counters(object, NAMES, &[], errors);
    collisions(object, old, errors);
}
