//! The rules of a CustomResourceDefinition: names, versions, columns, subresources, conversion.

mod defaults;
mod fields;
mod schema;
mod structural;

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use self::schema::SchemaVersion;
use crate::api::go::is_printable;
use crate::api::json::{Value, json};
use crate::custom::{APPROVAL, Approval, is_established, is_protected};
use crate::pki::check_certificates;
use crate::tree::{self, as_text, field, flag, has, len, list, text, texts};
use crate::validate::common::{one_of, required_text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

const COLUMN_TYPES: &[&str] = &["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS: &[&str] = &[
    "byte",
    "date",
    "date-time",
    "double",
    "float",
    "int32",
    "int64",
    "password",
];

/// The parts that the API server's internal type stores only once if all versions agree on them.
const SHARED: &[&str] = &[
    "schema",
    "subresources",
    "additionalPrinterColumns",
    "selectableFields",
];

/// The maximum length of a deprecation warning.
const MAX_DEPRECATION: usize = 256;

/// Validates a new CustomResourceDefinition.
pub(super) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let spec = field(object, "spec");
    let name = text(field(object, "metadata"), "name");
    let required = format!(
        "{}.{}",
        text(field(spec, "names"), "plural"),
        text(spec, "group")
    );
    // The name keeps two definitions from claiming the same resource.
    if name != required {
        let metadata = Path::root("metadata");
        let detail = "must be spec.names.plural+\".\"+spec.group";
        errors.invalid_shown(&metadata.child("name"), &go::quoted(name), detail);
    }
    definition(&Path::root("spec"), spec, None, errors);
    stored_versions(object, errors);
    approval(object, None, errors);
}

/// Validates an update. The names under which objects are stored cannot change.
pub(super) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let path = Path::root("spec");
    let (spec, before) = (field(object, "spec"), field(old, "spec"));
    definition(&path, spec, Some(before), errors);
    let established = is_established(old);
    if established {
        authorities(&path, spec, before, errors);
    }
    for at in [
        &["scope"][..],
        &["names", "kind"],
        &["group"],
        &["names", "plural"],
    ] {
        // Until a definition is established, it has no objects that another scope or kind would lose. The group and
        // the plural are part of its name.
        if established || matches!(at, ["group"] | [_, "plural"]) {
            let (new, old) = (tree::at(spec, at), tree::at(before, at));
            meta::immutable(&path.child(&at.join(".")), new, old, errors);
        }
    }
    accepted_names(object, errors);
    stored_versions(object, errors);
    approval(object, Some(old), errors);
}

/// Validates an update of the status.
pub(super) fn status(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    accepted_names(object, errors);
}

fn accepted_names(object: &Value, errors: &mut Errors) {
    let names = tree::at(object, &["status", "acceptedNames"]);
    valid_names(&Path::root("status.acceptedNames"), names, errors);
}

fn definition(path: &Path<'_>, spec: &Value, before: Option<&Value>, errors: &mut Errors) {
    group(&path.child("group"), text(spec, "group"), errors);
    match text(spec, "scope") {
        "" => errors.required(&path.child("scope"), ""),
        _ => one_of(path, spec, "scope", &["Cluster", "Namespaced"], errors),
    }
    // v1beta1 had this switch for the whole object; v1 has one for each field.
    if flag(spec, "preserveUnknownFields") {
        let detail = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in \
                      spec.versions[*].schema instead";
        errors.invalid(&path.child("preserveUnknownFields"), &json!(true), detail);
    }
    versions(path, spec, before, errors);
    crd_names(&path.child("names"), field(spec, "names"), errors);
    let all = list(spec, "versions");
    if let Some(first) = all.first() {
        // The conversion to the internal type moves shared parts to the top, so their errors have paths there.
        let has_status = all.iter().any(has_status);
        let shared: Vec<_> = SHARED
            .iter()
            .copied()
            .filter(|part| shared(all, part))
            .collect();
        let shared = Checked {
            parts: &shared,
            at_top: true,
            of: SchemaVersion {
                has_status,
                stored: stores_schema(before, first),
            },
        };
        version(path, first, &shared, errors);
    }
    conversion(&path.child("conversion"), field(spec, "conversion"), errors);
}

fn versions(path: &Path<'_>, spec: &Value, before: Option<&Value>, errors: &mut Errors) {
    let versions = path.child("versions");
    let all = list(spec, "versions");
    // Upstream reports missing schemas before all other errors of the versions.
    for (index, version) in all.iter().enumerate() {
        if !has(field(version, "schema"), "openAPIV3Schema") {
            let at = versions.index(index);
            let schema = at.child("schema");
            errors.required(&schema.child("openAPIV3Schema"), "");
        }
    }
    let own: Vec<_> = SHARED
        .iter()
        .copied()
        .filter(|part| !shared(all, part))
        .collect();
    let mut seen = BTreeSet::new();
    let mut unique = true;
    for (index, version) in all.iter().enumerate() {
        let (name, at) = (text(version, "name"), versions.index(index));
        unique &= seen.insert(name);
        joined(&at.child("name"), name, &names::dns1035_label(name), errors);
        deprecation(&at, version, errors);
        let own = Checked {
            parts: &own,
            at_top: false,
            of: SchemaVersion {
                has_status: has_status(version),
                stored: stores_schema(before, version),
            },
        };
        self::version(&at, version, &own, errors);
    }
    if !unique {
        let detail = "must contain unique version names";
        errors.invalid_shown(&versions, &go::shown_list("CRDVersion", all), detail);
    }
    if all.iter().filter(|v| flag(v, "storage")).count() != 1 {
        let detail = "must have exactly one version marked as storage version";
        errors.invalid_shown(&versions, &go::shown_list("CRDVersion", all), detail);
    }
    // The internal type still has the v1beta1 field `version`, which is the name of the first version.
    if let Some(first) = all.first() {
        let name = text(first, "name");
        joined(
            &path.child("version"),
            name,
            &names::dns1035_label(name),
            errors,
        );
    }
}

/// Returns true if a part is the same in all versions.
fn shared(all: &[Value], part: &str) -> bool {
    all.windows(2)
        .all(|pair| field(&pair[0], part) == field(&pair[1], part))
}

/// Returns true if the stored definition has the version with the same schema.
fn stores_schema(before: Option<&Value>, version: &Value) -> bool {
    let stored = before.map_or(&[][..], |before| list(before, "versions"));
    stored.iter().any(|own| {
        field(own, "name") == field(version, "name")
            && field(own, "schema") == field(version, "schema")
    })
}

fn has_status(version: &Value) -> bool {
    has(field(version, "subresources"), "status")
}

/// Validates the deprecation warning of a version.
fn deprecation(path: &Path<'_>, version: &Value, errors: &mut Errors) {
    let path = path.child("deprecationWarning");
    let Some(warning) = field(version, "deprecationWarning").as_str() else {
        return;
    };
    let mut wrong = |detail: &str| errors.invalid_shown(&path, &go::quoted(warning), detail);
    if !flag(version, "deprecated") {
        return wrong("can only be set for deprecated versions");
    }
    if warning.len() > MAX_DEPRECATION {
        wrong(&format!("must be <= {MAX_DEPRECATION} characters long"));
    }
    if warning.is_empty() {
        wrong("must not be an empty string");
    }
    // The warning is sent in an HTTP header.
    if let Some((at, _)) = warning.char_indices().find(|(_, c)| !is_printable(*c)) {
        wrong(&format!(
            "must only contain printable UTF-8 characters; non-printable character found at index {at}"
        ));
    }
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
    joined(path, group, &wrong, errors);
}

/// Reports all faults of a name in one error.
fn joined(path: &Path<'_>, name: &str, wrong: &[String], errors: &mut Errors) {
    if !wrong.is_empty() {
        errors.invalid_shown(path, &go::quoted(name), &wrong.join(","));
    }
}

/// The parts of a version to validate.
struct Checked<'a> {
    parts: &'a [&'static str],
    /// True if all versions share the parts. Messages then name the top-level fields of the internal type.
    at_top: bool,
    of: SchemaVersion,
}

/// Validates parts of a version.
fn version(path: &Path<'_>, version: &Value, checked: &Checked<'_>, errors: &mut Errors) {
    let is = |part: &str| checked.parts.contains(&part);
    let schema = field(field(version, "schema"), "openAPIV3Schema");
    if is("schema") && !schema.is_null() {
        let path = path.child(if checked.at_top {
            "validation"
        } else {
            "schema"
        });
        schema::root(&path.child("openAPIV3Schema"), schema, checked.of, errors);
    }
    if is("subresources") {
        scale(path, version, errors);
    }
    if is("additionalPrinterColumns") {
        columns(path, version, errors);
    }
    if is("selectableFields") && !schema.is_null() {
        let path = path.child("selectableFields");
        schema::selectable(&path, schema, list(version, "selectableFields"), errors);
    }
}

fn columns(path: &Path<'_>, version: &Value, errors: &mut Errors) {
    let columns = path.child("additionalPrinterColumns");
    for (index, column) in list(version, "additionalPrinterColumns").iter().enumerate() {
        let path = columns.index(index);
        required_text(&path, column, "name", errors);
        let detail = format!("must be one of {}", COLUMN_TYPES.join(","));
        match text(column, "type") {
            "" => errors.required(&path.child("type"), &detail),
            kind if COLUMN_TYPES.contains(&kind) => {}
            kind => errors.invalid_shown(&path.child("type"), &go::quoted(kind), &detail),
        }
        let format = text(column, "format");
        if !format.is_empty() && !COLUMN_FORMATS.contains(&format) {
            let detail = format!("must be one of {}", COLUMN_FORMATS.join(","));
            errors.invalid_shown(&path.child("format"), &go::quoted(format), &detail);
        }
        simple_path(
            // The internal type calls this field `JSONPath`, v1 calls it `jsonPath`.
            &path.child("JSONPath"),
            text(column, "jsonPath"),
            &[],
            errors,
        );
    }
}

fn scale(path: &Path<'_>, version: &Value, errors: &mut Errors) {
    let scale = field(field(version, "subresources"), "scale");
    if scale.is_null() {
        return;
    }
    let path = path.child("subresources");
    let path = path.child("scale");
    for (name, below) in [
        ("specReplicasPath", ".spec."),
        ("statusReplicasPath", ".status."),
    ] {
        simple_path(&path.child(name), text(scale, name), &[below], errors);
    }
    let selector = text(scale, "labelSelectorPath");
    if !selector.is_empty() {
        let path = path.child("labelSelectorPath");
        simple_path(&path, selector, &[".spec.", ".status."], errors);
    }
}

/// Validates a path in dot notation, which must start with one of the fields in `below`, if there are any.
fn simple_path(path: &Path<'_>, value: &str, below: &[&str], errors: &mut Errors) {
    if value.is_empty() {
        return errors.required(path, "");
    }
    let inside = below.iter().any(|field| value.starts_with(field));
    let wrong = match below {
        _ if !value.starts_with('.') => "must be a simple json path starting with .".to_owned(),
        [] => return,
        _ if inside => return,
        [one] => format!("should be a json path under {}", one.trim_end_matches('.')),
        _ => "should be a json path under either .spec or .status".to_owned(),
    };
    errors.invalid_shown(path, &go::quoted(value), &wrong);
}

fn crd_names(path: &Path<'_>, crd: &Value, errors: &mut Errors) {
    for name in ["plural", "singular", "kind", "listKind"] {
        if text(crd, name).is_empty() {
            errors.required(&path.child(name), "");
        }
    }
    valid_names(path, crd, errors);
}

/// Validates the names that are set.
fn valid_names(path: &Path<'_>, crd: &Value, errors: &mut Errors) {
    for name in ["plural", "singular", "kind", "listKind"] {
        let value = text(crd, name);
        let mixed = matches!(name, "kind" | "listKind");
        let wrong = match mixed {
            // Upstream converts the name to lower case first, so upper case is the only addition to the rule.
            true => names::dns1035_label(&value.to_lowercase()),
            false => names::dns1035_label(value),
        };
        if value.is_empty() || wrong.is_empty() {
            continue;
        }
        let prefix = match mixed {
            true => "may have mixed case, but should otherwise match: ",
            false => "",
        };
        let detail = format!("{prefix}{}", wrong.join(","));
        errors.invalid_shown(&path.child(name), &go::quoted(value), &detail);
    }
    labels(path, crd, "shortNames", errors);
    let kind = text(crd, "kind");
    if !kind.is_empty() && kind == text(crd, "listKind") {
        let detail = "kind and listKind may not be the same";
        errors.invalid_shown(&path.child("listKind"), &go::quoted(kind), detail);
    }
    labels(path, crd, "categories", errors);
}

fn labels(path: &Path<'_>, crd: &Value, name: &str, errors: &mut Errors) {
    let path = path.child(name);
    for (index, value) in texts(crd, name).enumerate() {
        joined(
            &path.index(index),
            value,
            &names::dns1035_label(value),
            errors,
        );
    }
}

/// Rejects certificates that cannot be parsed. Only a definition that had such already may keep them, because
/// installers fill in the certificates later.
fn authorities(path: &Path<'_>, spec: &Value, before: &Value, errors: &mut Errors) {
    let bundle = |spec| {
        text(
            tree::at(spec, &["conversion", "webhook", "clientConfig"]),
            "caBundle",
        )
    };
    let wrong = |bundle: &str| {
        let certificates = STANDARD.decode(bundle).unwrap_or_default();
        let parsed = check_certificates(&String::from_utf8_lossy(&certificates));
        parsed.err().filter(|_| !bundle.is_empty())
    };
    let new = bundle(spec);
    let checked =
        tree::at(spec, &["conversion", "strategy"]) == "Webhook" && wrong(bundle(before)).is_none();
    if let Some(wrong) = wrong(new).filter(|_| checked) {
        let path = path.child("conversion.webhookClientConfig.caBundle");
        errors.invalid_shown(&path, &go::quoted(new), &wrong);
    }
}

fn conversion(path: &Path<'_>, conversion: &Value, errors: &mut Errors) {
    one_of(path, conversion, "strategy", &["None", "Webhook"], errors);
    let hook = field(conversion, "webhook");
    // The internal type has no `webhook` level, so messages have its shorter paths.
    let config_path = path.child("webhookClientConfig");
    let versions = path.child("conversionReviewVersions");
    if text(conversion, "strategy") != "Webhook" {
        let detail = "should not be set when strategy is not set to Webhook";
        if has(hook, "clientConfig") {
            errors.forbidden(&config_path, detail);
        }
        if len(hook, "conversionReviewVersions") > 0 {
            errors.forbidden(&versions, detail);
        }
        return;
    }
    match field(hook, "clientConfig") {
        Value::Null => {
            errors.required(&config_path, "required when strategy is set to Webhook");
        }
        config => crate::validate::webhook::client_config(&config_path, config, errors),
    }
    if len(hook, "conversionReviewVersions") == 0 {
        return errors.required(&versions, "");
    }
    let given: Vec<&str> = texts(hook, "conversionReviewVersions").collect();
    for (index, version) in given.iter().enumerate() {
        let at = versions.index(index);
        match given[..index].contains(version) {
            true => errors.invalid_shown(&at, &go::quoted(version), "duplicate version"),
            false => errors.invalid_each(&at, version, names::dns1035_label(version)),
        }
    }
    if !given
        .iter()
        .any(|version| matches!(*version, "v1" | "v1beta1"))
    {
        let detail = "must include at least one of v1, v1beta1";
        errors.invalid(&versions, field(hook, "conversionReviewVersions"), detail);
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
    // Upstream's loop keeps the last version with `storage: true`. A separate check reports more than one.
    let storage = versions.iter().rev().find(|v| flag(v, "storage"));
    let storage = storage.map_or("", |v| as_text(field(v, "name")));
    if !storage.is_empty() && !texts(status, "storedVersions").any(|name| name == storage) {
        let detail = format!("must have the storage version {storage}");
        errors.invalid(&path, stored, &detail);
    }
}

/// Requires an approval annotation in Kubernetes' own groups, except in updates that do not change the approval.
fn approval(object: &Value, old: Option<&Value>, errors: &mut Errors) {
    let (now, before) = (Approval::read(object), old.map(Approval::read));
    if !is_protected(text(field(object, "spec"), "group")) || before == Some(now) {
        return;
    }
    let metadata = Path::root("metadata");
    let annotations = metadata.child("annotations");
    let path = annotations.key(APPROVAL);
    let link = "see https://github.com/kubernetes/enhancements/pull/1111";
    let detail = format!("protected groups must have approval annotation \"{APPROVAL}\"");
    match now {
        Approval::Missing => errors.required(&path, &format!("{detail}, {link}")),
        Approval::Invalid => {
            let detail = format!(
                "{detail} with either a URL or a reason starting with \"unapproved\", {link}"
            );
            let value = field(field(field(object, "metadata"), "annotations"), APPROVAL);
            errors.invalid(&path, value, &detail);
        }
        Approval::Given | Approval::Waived => {}
    }
}

#[cfg(test)]
mod tests;
