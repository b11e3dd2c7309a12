//! The specs of PersistentVolumeClaims, with the rules that they share with PersistentVolumes.

use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::pod::resources::quantity;
use crate::tree::{as_text, field, has, len, list, text};
use crate::validate::common::{label_selector, one_of, optional_name, required_text, shown_amount};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, names};

const MODES: &[&str] = &[
    "ReadOnlyMany",
    "ReadWriteMany",
    "ReadWriteOnce",
    "ReadWriteOncePod",
];

pub(crate) fn access_modes(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let modes = list(spec, "accessModes");
    for mode in modes.iter().filter(|mode| !MODES.contains(&as_text(mode))) {
        errors.not_supported(path, mode, MODES);
    }
    // `ReadWriteOncePod` promises that only one Pod uses the volume, which any other mode would contradict.
    if modes.len() > 1 && modes.iter().any(|mode| mode == "ReadWriteOncePod") {
        errors.forbidden(path, "may not use ReadWriteOncePod with other access modes");
    }
}

pub(crate) fn positive_amount(path: &Path<'_>, amount: &Quantity, errors: &mut Errors) {
    if amount.signum() <= 0 {
        errors.invalid_shown(path, &shown_amount(amount), "must be greater than zero");
    }
}

/// Validates the spec of a claim or a claim template.
pub(crate) fn claim_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    if len(spec, "accessModes") == 0 {
        errors.required(
            &path.child("accessModes"),
            "at least 1 access mode is required",
        );
    }
    label_selector(&path.child("selector"), field(spec, "selector"), errors);
    access_modes(&path.child("accessModes"), spec, errors);
    let storage = field(field(field(spec, "resources"), "requests"), "storage");
    let resources = path.child("resources");
    match storage {
        Value::Null => errors.required(&resources.key("storage"), ""),
        amount => positive_amount(&resources.key("storage"), &quantity(amount), errors),
    }
    optional_name(
        path,
        spec,
        "storageClassName",
        names::dns1123_subdomain,
        errors,
    );
    one_of(path, spec, "volumeMode", &["Block", "Filesystem"], errors);
    for name in ["dataSource", "dataSourceRef"] {
        if has(spec, name) {
            data_source(&path.child(name), field(spec, name), errors);
        }
    }
    optional_name(
        path,
        spec,
        "volumeAttributesClassName",
        names::dns1123_subdomain,
        errors,
    );
    let (source, reference) = (field(spec, "dataSource"), field(spec, "dataSourceRef"));
    // Compare only the fields that both have: `dataSourceRef` may also have a namespace.
    let differ = |name| text(source, name) != text(reference, name);
    let both = !source.is_null() && !reference.is_null();
    if both && ["kind", "name", "apiGroup"].iter().any(|name| differ(name)) {
        // Upstream shows an empty struct as the value.
        errors.invalid_shown(path, "{}", "must match dataSourceRef");
    }
}

fn data_source(path: &Path<'_>, source: &Value, errors: &mut Errors) {
    required_text(path, source, "name", errors);
    required_text(path, source, "kind", errors);
    let kind = text(source, "kind");
    if text(source, "apiGroup").is_empty() && !matches!(kind, "" | "PersistentVolumeClaim") {
        errors.invalid_shown(
            path,
            &go::quoted(kind),
            "must be 'PersistentVolumeClaim' when referencing the default apiGroup",
        );
    }
}
