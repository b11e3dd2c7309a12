//! Environment variables and the sources of their values.

use super::super::common::{no_backsteps, optional_name, required_name, required_text};
use super::super::errors::Errors;
use super::super::path::Path;
use super::super::{go, meta, names};
use super::operating_system::each_container;
use crate::api::json::{Value, json};
use crate::pod::resources::quantity;
use crate::tree::{at, field, has, list, text};

const ENV_FIELDS: &[&str] = &[
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];
const VOLUME_FIELDS: &[&str] = &[
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
];
/// Fields of the downward API that neither environment variables nor volumes support.
const OTHER_FIELDS: &[&str] = &["spec.restartPolicy", "spec.schedulerName", "status.phase"];
const RESOURCES: &[&str] = &[
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];
const MORE_THAN_ONE: &str = "may not have more than one field specified at a time";

/// Validates the variables of a container.
pub(crate) fn variables(path: &Path<'_>, container: &Value, errors: &mut Errors) {
    for (index, variable) in list(container, "env").iter().enumerate() {
        let path = path.index(index);
        required_name(&path, variable, "name", names::environment_name, errors);
        if has(variable, "valueFrom") {
            value_from(&path.child("valueFrom"), variable, errors);
        }
    }
}

fn value_from(path: &Path<'_>, variable: &Value, errors: &mut Errors) {
    let source = field(variable, "valueFrom");
    let mut count = 0;
    if has(source, "fieldRef") {
        count += 1;
        let path = path.child("fieldRef");
        field_reference(&path, field(source, "fieldRef"), ENV_FIELDS, errors);
    }
    if has(source, "resourceFieldRef") {
        count += 1;
        let path = path.child("resourceFieldRef");
        resource_reference(&path, field(source, "resourceFieldRef"), false, errors);
    }
    for name in ["configMapKeyRef", "secretKeyRef"] {
        if has(source, name) {
            count += 1;
            let (path, reference) = (path.child(name), field(source, name));
            // Unlike in `envFrom`, an empty name is invalid rather than missing.
            let called = text(reference, "name");
            let wrong = names::dns1123_subdomain(called);
            errors.invalid_each(&path.child("name"), called, wrong);
            required_name(&path, reference, "key", names::config_key, errors);
        }
    }
    if has(source, "fileKeyRef") {
        count += 1;
        let (path, reference) = (path.child("fileKeyRef"), field(source, "fileKeyRef"));
        required_name(&path, reference, "key", names::environment_name, errors);
        required_name(&path, reference, "volumeName", names::dns1123_label, errors);
        if required_text(&path, reference, "path", errors) {
            no_backsteps(&path.child("path"), text(reference, "path"), errors);
        }
    }
    let wrong = match count {
        0 => {
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or \
             `fileKeyRef`"
        }
        // The order matters: if a variable has both a value and several sources, upstream reports the value.
        _ if !text(variable, "value").is_empty() => {
            "may not be specified when `value` is not empty"
        }
        1 => return,
        _ => MORE_THAN_ONE,
    };
    errors.invalid(path, &json!(""), wrong);
}

/// Validates the volumes that hold the files from which containers read environment variables.
pub(crate) fn file_volumes(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    each_container(path, spec, &mut |path, container| {
        let path = path.child("env");
        for (index, variable) in list(container, "env").iter().enumerate() {
            let reference = at(variable, &["valueFrom", "fileKeyRef"]);
            if reference.is_null() {
                continue;
            }
            let wanted = text(reference, "volumeName");
            let path = path.index(index);
            let path = path.child("valueFrom");
            let path = path.child("fileKeyRef");
            let path = path.child("volumeName");
            let mut volumes = list(spec, "volumes").iter();
            match volumes.find(|volume| text(volume, "name") == wanted) {
                None => errors.not_found(&path, wanted, ""),
                // Another container of the Pod writes the file, so the volume must be an `emptyDir`.
                Some(volume) if !has(volume, "emptyDir") => {
                    let detail = "referenced volume must be of type emptyDir";
                    errors.invalid_shown(&path, &go::quoted(wanted), detail);
                }
                Some(_) => {}
            }
        }
    });
}

/// Validates the entries of `envFrom`.
pub(crate) fn sources(path: &Path<'_>, container: &Value, errors: &mut Errors) {
    for (index, source) in list(container, "envFrom").iter().enumerate() {
        let at = path.index(index);
        optional_name(&at, source, "prefix", names::environment_name, errors);
        let mut count = 0;
        for name in ["configMapRef", "secretRef"] {
            if has(source, name) {
                count += 1;
                let reference = field(source, name);
                required_name(&at.child(name), reference, "name", name_or_prefix, errors);
            }
        }
        let wrong = match count {
            0 => "must specify one of: `configMapRef` or `secretRef`",
            1 => continue,
            _ => MORE_THAN_ONE,
        };
        // Upstream reports this at the list rather than at the item.
        errors.invalid(path, &json!(""), wrong);
    }
}

/// Returns the errors of a name. Like that of a prefix, its last character may be a dash: upstream checks no more.
fn name_or_prefix(name: &str) -> Vec<String> {
    names::dns1123_subdomain(&meta::mask_dash(name))
}

/// Validates a `fieldRef` in a downward API volume.
pub(crate) fn volume_field_reference(path: &Path<'_>, reference: &Value, errors: &mut Errors) {
    field_reference(path, reference, VOLUME_FIELDS, errors);
}

fn field_reference(path: &Path<'_>, reference: &Value, supported: &[&str], errors: &mut Errors) {
    if !required_text(path, reference, "apiVersion", errors)
        || !required_text(path, reference, "fieldPath", errors)
    {
        return;
    }
    let (version, name) = (text(reference, "apiVersion"), text(reference, "fieldPath"));
    let path_of_name = path.child("fieldPath");
    // One label or annotation may be selected, as in `metadata.labels['app']`.
    let parts = name.strip_suffix("']").and_then(|n| n.split_once("['"));
    let (base, subscript) = match parts.filter(|(base, _)| !base.is_empty()) {
        Some((base, key)) => (base, Some(key)),
        None => (name, None),
    };
    let is_map = matches!(base, "metadata.annotations" | "metadata.labels");
    let known = [ENV_FIELDS, VOLUME_FIELDS, OTHER_FIELDS]
        .iter()
        .any(|list| list.contains(&base));
    // Upstream converts the path before it looks it up among the supported ones, and a failed conversion has its own
    // error.
    let problem = match subscript {
        _ if version != "v1" => format!("unsupported pod version: {version}"),
        Some(_) if !is_map => format!("field label does not support subscript: {name}"),
        None if !known => format!("field label not supported: {name}"),
        _ => String::new(),
    };
    if !problem.is_empty() {
        let detail = format!("error converting fieldPath: {problem}");
        return errors.invalid_shown(&path_of_name, &go::quoted(name), &detail);
    }
    match subscript {
        // Upstream reports a wrong key at the reference rather than at its path.
        Some(key) => {
            // The prefixes of annotations may have upper-case letters, those of labels may not.
            let key = match base {
                "metadata.annotations" => key.to_lowercase(),
                _ => key.to_owned(),
            };
            errors.invalid_each(path, &key, names::qualified_name(&key));
        }
        None if supported.contains(&base) => {}
        None => errors.not_supported_shown(&path_of_name, &go::quoted(base), supported),
    }
}

/// Validates a `resourceFieldRef`; in a volume, it must name the container.
pub(crate) fn resource_reference(
    path: &Path<'_>,
    reference: &Value,
    in_volume: bool,
    errors: &mut Errors,
) {
    let resource = text(reference, "resource");
    let huge = ["limits.hugepages-", "requests.hugepages-"]
        .iter()
        .any(|prefix| resource.starts_with(prefix));
    // A volume belongs to the Pod, so there is no default container.
    if in_volume && text(reference, "containerName").is_empty() {
        errors.required(&path.child("containerName"), "");
    } else if resource.is_empty() {
        errors.required(&path.child("resource"), "");
    } else if !RESOURCES.contains(&resource) && !huge {
        errors.not_supported(
            &path.child("resource"),
            field(reference, "resource"),
            RESOURCES,
        );
    }
    divisor(path, reference, errors);
}

fn divisor(path: &Path<'_>, reference: &Value, errors: &mut Errors) {
    const BYTES: &[&str] = &[
        "1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei",
    ];
    let amount = quantity(field(reference, "divisor"));
    // Zero stands for the default divisor of 1.
    if amount.signum() == 0 {
        return;
    }
    let resource = text(reference, "resource");
    let name = ["limits.", "requests."]
        .iter()
        .find_map(|prefix| resource.strip_prefix(prefix));
    let (supported, kind): (&[&str], _) = match name {
        Some("cpu") => (&["1m", "1"], "cpu"),
        Some("memory") => (BYTES, "memory"),
        Some("ephemeral-storage") => (BYTES, "local ephemeral storage"),
        Some(name) if name.starts_with("hugepages-") => (BYTES, "hugepages"),
        _ => return,
    };
    if !supported.contains(&amount.to_string().as_str()) {
        let values = match kind {
            "cpu" => "1m and 1".to_owned(),
            _ => BYTES.join(", "),
        };
        let detail =
            format!("only divisor's values {values} are supported with the {kind} resource");
        // Upstream shows the resource instead of the divisor.
        errors.invalid_shown(&path.child("divisor"), &go::quoted(resource), &detail);
    }
}
