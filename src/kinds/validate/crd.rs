//! Custom resource definitions: names, versions, columns, subresources, conversion.

use std::collections::BTreeSet;

use super::common::{one_of, required_text};
use super::errors::Errors;
use super::path::Path;
use super::{crd_schema, go, meta, names};
use crate::api::json::{Value, json};
use crate::kinds::tree::{as_text, field, flag, has, len, list, text, texts};

const APPROVAL: &str = "api-approved.kubernetes.io";
const COLUMN_TYPES: &[&str] = &["boolean", "date", "integer", "number", "string"];

/// A new CustomResourceDefinition.
pub(super) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let spec = field(object, "spec");
    let name = text(field(object, "metadata"), "name");
    let required = format!(
        "{}.{}",
        text(field(spec, "names"), "plural"),
        text(spec, "group")
    );
    if name != required {
        let metadata = Path::root("metadata");
        let detail = "must be spec.names.plural+\".\"+spec.group";
        errors.invalid_shown(&metadata.child("name"), &go::quoted(name), detail);
    }
    definition(&Path::root("spec"), spec, errors);
    stored_versions(object, errors);
    approval(object, errors);
}

/// An update of a CustomResourceDefinition: what names its objects stays.
pub(super) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let path = Path::root("spec");
    let (spec, before) = (field(object, "spec"), field(old, "spec"));
    definition(&path, spec, errors);
    for name in ["group", "scope"] {
        meta::immutable(
            &path.child(name),
            field(spec, name),
            field(before, name),
            errors,
        );
    }
    let names_path = path.child("names");
    for name in ["kind", "plural"] {
        let value = |spec| field(field(spec, "names"), name);
        meta::immutable(&names_path.child(name), value(spec), value(before), errors);
    }
    stored_versions(object, errors);
}

fn definition(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    group(&path.child("group"), text(spec, "group"), errors);
    match text(spec, "scope") {
        "" => errors.required(&path.child("scope"), ""),
        _ => one_of(path, spec, "scope", &["Cluster", "Namespaced"], errors),
    }
    if flag(spec, "preserveUnknownFields") {
        let detail = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in \
                      spec.versions[*].schema instead";
        errors.invalid(&path.child("preserveUnknownFields"), &json!(true), detail);
    }
    let versions = path.child("versions");
    let (all, mut seen) = (list(spec, "versions"), BTreeSet::new());
    for (index, version) in all.iter().enumerate() {
        let name = text(version, "name");
        let at = versions.index(index);
        if !seen.insert(name) {
            let detail = "must contain unique version names";
            errors.invalid_shown(&versions, &go::shown_list("CRDVersion", all), detail);
        }
        errors.invalid_each(&at.child("name"), name, names::dns1035_label(name));
        let schema = at.child("schema");
        if !has(field(version, "schema"), "openAPIV3Schema") {
            errors.required(&schema.child("openAPIV3Schema"), "");
        }
    }
    let single = all.len() == 1;
    for (index, version) in all.iter().enumerate() {
        let at = versions.index(index);
        let at = if single { path } else { &at };
        self::version(at, version, single, errors);
    }
    if all.iter().filter(|v| flag(v, "storage")).count() != 1 {
        let detail = "must have exactly one version marked as storage version";
        errors.invalid_shown(&versions, &go::shown_list("CRDVersion", all), detail);
    }
    if single {
        let name = text(&all[0], "name");
        errors.invalid_each(&path.child("version"), name, names::dns1035_label(name));
    }
    crd_names(&path.child("names"), field(spec, "names"), errors);
    conversion(&path.child("conversion"), field(spec, "conversion"), errors);
}

fn group(path: &Path<'_>, group: &str, errors: &mut Errors) {
    if group.is_empty() {
        return errors.required(path, "");
    }
    let wrong = names::dns1123_subdomain(group);
    if wrong.is_empty() && !group.contains('.') {
        let detail = "should be a domain with at least one dot";
        errors.invalid_shown(path, &go::quoted(group), detail);
    }
    errors.invalid_each(path, group, wrong);
}

/// What a version says; the server moves it to the top where there is only one.
fn version(path: &Path<'_>, version: &Value, single: bool, errors: &mut Errors) {
    let schema = field(field(version, "schema"), "openAPIV3Schema");
    if !schema.is_null() {
        let path = path.child(if single { "validation" } else { "schema" });
        crd_schema::root(&path.child("openAPIV3Schema"), schema, errors);
    }
    let columns = path.child("additionalPrinterColumns");
    for (index, column) in list(version, "additionalPrinterColumns").iter().enumerate() {
        let path = columns.index(index);
        required_text(&path, column, "name", errors);
        match text(column, "type") {
            "" => {
                let detail = format!("must be one of {}", COLUMN_TYPES.join(","));
                errors.required(&path.child("type"), &detail);
            }
            kind if COLUMN_TYPES.contains(&kind) => {}
            kind => {
                let detail = format!("must be one of {}", COLUMN_TYPES.join(","));
                errors.invalid_shown(&path.child("type"), &go::quoted(kind), &detail);
            }
        }
        simple_path(
            &path.child("JSONPath"),
            text(column, "jsonPath"),
            "",
            errors,
        );
    }
    let scale = field(field(version, "subresources"), "scale");
    if scale.is_null() {
        return;
    }
    let path = path.child("subresources");
    let path = path.child("scale");
    for (name, below) in [
        ("specReplicasPath", ".spec"),
        ("statusReplicasPath", ".status"),
    ] {
        simple_path(&path.child(name), text(scale, name), below, errors);
    }
    if has(scale, "labelSelectorPath") {
        let selector = text(scale, "labelSelectorPath");
        simple_path(&path.child("labelSelectorPath"), selector, "", errors);
    }
}

fn simple_path(path: &Path<'_>, value: &str, below: &str, errors: &mut Errors) {
    if value.is_empty() {
        return errors.required(path, "");
    }
    let wrong = match () {
        () if !value.starts_with('.') => "must be a simple json path starting with .".to_owned(),
        () if !value.starts_with(below) => format!("should be a json path under {below}"),
        () => return,
    };
    errors.invalid_shown(path, &go::quoted(value), &wrong);
}

fn crd_names(path: &Path<'_>, crd: &Value, errors: &mut Errors) {
    let label = |name: &str, value: &str, errors: &mut Errors| match value {
        "" => errors.required(&path.child(name), ""),
        value => {
            let wrong = names::dns1035_label(&value.to_lowercase());
            let wrong = match name {
                "kind" | "listKind" => wrong,
                _ => names::dns1035_label(value),
            };
            errors.invalid_each(&path.child(name), value, wrong);
        }
    };
    label("plural", text(crd, "plural"), errors);
    label("singular", text(crd, "singular"), errors);
    label("kind", text(crd, "kind"), errors);
    label("listKind", text(crd, "listKind"), errors);
    for name in ["shortNames", "categories"] {
        let path = path.child(name);
        for (index, value) in texts(crd, name).enumerate() {
            errors.invalid_each(&path.index(index), value, names::dns1035_label(value));
        }
    }
    let kind = text(crd, "kind");
    if !kind.is_empty() && kind == text(crd, "listKind") {
        let detail = "kind and listKind may not be the same";
        errors.invalid_shown(&path.child("listKind"), &go::quoted(kind), detail);
    }
}

fn conversion(path: &Path<'_>, conversion: &Value, errors: &mut Errors) {
    one_of(path, conversion, "strategy", &["None", "Webhook"], errors);
    if text(conversion, "strategy") != "Webhook" {
        return;
    }
    let hook = field(conversion, "webhook");
    let config_path = path.child("webhookClientConfig");
    match field(hook, "clientConfig") {
        Value::Null => {
            errors.required(&config_path, "required when strategy is set to Webhook");
        }
        config => super::admissionregistration::client_config(&config_path, config, errors),
    }
    if len(hook, "conversionReviewVersions") == 0 {
        errors.required(&path.child("conversionReviewVersions"), "");
    }
}

fn stored_versions(object: &Value, errors: &mut Errors) {
    let (spec, status) = (field(object, "spec"), field(object, "status"));
    let path = Path::root("status");
    let path = path.child("storedVersions");
    let stored = field(status, "storedVersions");
    if len(status, "storedVersions") == 0 {
        return errors.invalid(&path, stored, "must have at least one stored version");
    }
    let versions = list(spec, "versions");
    for (index, name) in texts(status, "storedVersions").enumerate() {
        if !versions.iter().any(|v| text(v, "name") == name) {
            let detail = format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain \
                 in spec.versions until a storage migration ensures no data remains persisted in {name} \
                 and removes {name} from status.storedVersions"
            );
            errors.invalid_shown(&path.index(index), &go::quoted(name), &detail);
        }
    }
    let storage = versions.iter().rev().find(|v| flag(v, "storage"));
    let storage = storage.map_or("", |v| as_text(field(v, "name")));
    if !storage.is_empty() && !texts(status, "storedVersions").any(|name| name == storage) {
        let detail = format!("must have the storage version {storage}");
        errors.invalid(&path, stored, &detail);
    }
}

/// Groups of Kubernetes' own need somebody's approval.
fn approval(object: &Value, errors: &mut Errors) {
    let group = text(field(object, "spec"), "group");
    let protected = ["k8s.io", "kubernetes.io"]
        .iter()
        .any(|domain| group == *domain || group.ends_with(&format!(".{domain}")));
    let annotations = field(field(object, "metadata"), "annotations");
    if protected && text(annotations, APPROVAL).is_empty() {
        let metadata = Path::root("metadata");
        let annotations = metadata.child("annotations");
        let detail = format!(
            "protected groups must have approval annotation \"{APPROVAL}\", see \
             https://github.com/kubernetes/enhancements/pull/1111"
        );
        errors.required(&annotations.key(APPROVAL), &detail);
    }
}
