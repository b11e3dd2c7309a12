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
    let single = "ReadWriteOncePod";
    let mut known = modes
        .iter()
        .map(as_text)
        .filter(|mode| MODES.contains(mode));
    if modes.iter().any(|mode| mode == single) && known.any(|mode| mode != single) {
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
    let (group, kind) = (text(source, "apiGroup"), text(source, "kind"));
    if !group.is_empty() {
        let wrong = names::dns1123_subdomain(group);
        errors.invalid_each(&path.child("apiGroup"), group, wrong);
    // A missing kind has this error too.
    } else if kind != "PersistentVolumeClaim" {
        errors.invalid_shown(
            path,
            &go::quoted(kind),
            "must be 'PersistentVolumeClaim' when referencing the default apiGroup",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    /// Returns the errors of the spec of a claim with these fields.
    fn told(fields: &[(&str, Value)]) -> Vec<String> {
        let resources = json!({"requests": {"storage": "1Gi"}});
        let mut spec = json!({"accessModes": ["ReadWriteOnce"], "resources": resources});
        for (name, value) in fields {
            spec[*name] = value.clone();
        }
        let mut errors = Errors::default();
        claim_spec(&Path::root("spec"), &spec, &mut errors);
        let causes = errors.into_causes();
        causes.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_mode_for_one_pod_excludes_other_known_modes() {
        let told = |modes: Value| told(&[("accessModes", modes)]);
        let forbidden =
            "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes";
        assert_eq!(
            told(json!(["ReadWriteOncePod", "ReadWriteOnce"])),
            [forbidden]
        );
        assert_eq!(
            told(json!(["ReadWriteOncePod", "ReadWriteOncePod"])),
            [""; 0]
        );
        let unknown = told(json!(["ReadWriteOncePod", "X"]));
        assert_eq!(unknown.len(), 1);
        assert!(unknown[0].starts_with("spec.accessModes: Unsupported value: \"X\""));
    }

    #[test]
    fn a_data_source_has_a_group_or_is_a_claim() {
        for name in ["dataSource", "dataSourceRef"] {
            let told = |source: Value| told(&[(name, source)]);
            let snapshot = json!({"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "x"});
            assert_eq!(told(snapshot), [""; 0]);
            let wrong = told(json!({"apiGroup": "A_", "kind": "VolumeSnapshot", "name": "x"}));
            let wanted =
                format!("spec.{name}.apiGroup: Invalid value: \"A_\": a lowercase RFC 1123");
            assert_eq!(wrong.len(), 1);
            assert!(wrong[0].starts_with(&wanted), "{wrong:?}");
            assert_eq!(
                told(json!({"name": "x"})),
                [
                    format!("spec.{name}.kind: Required value"),
                    format!(
                        "spec.{name}: Invalid value: \"\": must be 'PersistentVolumeClaim' when referencing the default \
                         apiGroup"
                    ),
                ]
            );
        }
    }
}
