//! The rules of an APIService.

use crate::api::json::{Value, json};
use crate::tree::{field, flag, has, int, list, text};
use crate::validate::common::{required_name, required_text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

/// Validates a new APIService.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    let name = text(field(object, "metadata"), "name");
    let required = format!("{}.{}", text(spec, "version"), text(spec, "group"));
    meta::create(object, false, names::path_segment, errors);
    if name != required {
        let metadata = Path::root("metadata");
        let detail = format!(
            "must be `spec.version+\".\"+spec.group`: {}",
            go::quoted(&required)
        );
        errors.invalid_shown(&metadata.child("name"), &go::quoted(name), &detail);
    }
    required_name(&path, spec, "version", names::dns1035_label, errors);
    // The maximum itself is valid, although the message excludes it.
    for (name, max) in [("groupPriorityMinimum", 20_000), ("versionPriority", 1000)] {
        let value = int(spec, name);
        if !(1..=max).contains(&value) {
            let detail = format!("must be positive and less than {max}");
            errors.invalid(&path.child(name), &json!(value), &detail);
        }
    }
    let insecure = path.child("insecureSkipTLSVerify");
    // An APIService without a service is local: the API server itself serves the group.
    if !has(spec, "service") {
        if !text(spec, "caBundle").is_empty() {
            let detail = "local APIServices may not have a caBundle";
            errors.invalid(&path.child("caBundle"), field(spec, "caBundle"), detail);
        }
        if flag(spec, "insecureSkipTLSVerify") {
            let detail = "local APIServices may not have insecureSkipTLSVerify";
            errors.invalid(&insecure, &json!(true), detail);
        }
        return;
    }
    let (service_path, service) = (path.child("service"), field(spec, "service"));
    required_text(&service_path, service, "namespace", errors);
    required_text(&service_path, service, "name", errors);
    crate::validate::common::port_number(&service_path.child("port"), int(service, "port"), errors);
    if flag(spec, "insecureSkipTLSVerify") && !text(spec, "caBundle").is_empty() {
        errors.invalid(
            &insecure,
            &json!(true),
            "may not be true if caBundle is present",
        );
    }
}

/// Validates an update of an APIService's status.
pub(crate) fn status(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let conditions = list(field(object, "status"), "conditions");
    for (index, condition) in conditions.iter().enumerate() {
        let path = Path::root("status.conditions");
        let status = text(condition, "status");
        if !matches!(status, "True" | "False" | "Unknown") {
            let path = path.index(index);
            let supported = ["True", "False", "Unknown"];
            errors.not_supported(&path.child("status"), &json!(status), &supported);
        }
    }
}

/// Validates an update of an APIService.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    create(object, errors);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_have_one_of_three_statuses() {
        let object = json!({"metadata": {"name": "v1.a"}, "status": {"conditions": [{"type": "x", "status": "X"}]}});
        let mut errors = Errors::default();
        status(&object, &object, &mut errors);
        let causes = errors.into_causes();
        assert_eq!(
            causes[0].to_string(),
            "status.conditions[0].status: Unsupported value: \"X\": supported values: \"True\", \"False\", \"Unknown\""
        );
    }
}
