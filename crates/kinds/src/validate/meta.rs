//! The rules for object metadata: names, labels, annotations, owners, finalizers.

use std::collections::HashSet;

use super::errors::Errors;
use super::go;
use super::path::Path;
use crate::api::json::Value;
use crate::api::names;
use crate::tree::{as_text, entries, field, flag, has, int, list, opt_int, text, texts};

/// A rule for names: returns the reasons why a name is invalid, or none.
pub(crate) type NameRule = fn(&str) -> Vec<String>;

const ANNOTATIONS_MAX: usize = 256 * 1024;
const STANDARD_FINALIZERS: &[&str] = &["kubernetes", "orphan", "foregroundDeletion"];

/// The groups whose rules are not those of the core: their objects may have finalizers without a domain, as custom
/// resources may.
const OWN_RULES: &[&str] = &[
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "coordination.k8s.io",
    "internal.apiserver.k8s.io",
];

/// Validates the `metadata` of a new object of a built-in kind.
pub(crate) fn create(object: &Value, namespaced: bool, rule: NameRule, errors: &mut Errors) {
    at(&Path::root("metadata"), object, namespaced, rule, errors);
}

/// Validates the metadata of a new object of any kind, custom resources included.
pub(crate) fn of_any_create(object: &Value, namespaced: bool, errors: &mut Errors) {
    let (path, meta) = (Path::root("metadata"), field(object, "metadata"));
    // A custom resource may have finalizers without a domain. Only the built-in kinds require a standard name or a
    // domain.
    generic(&path, meta, namespaced, names::dns1123_subdomain, errors);
}

/// Validates the metadata of an object that is embedded in another.
pub(crate) fn of_embedded(path: &Path<'_>, metadata: &Value, errors: &mut Errors) {
    // The kind of an embedded object is not looked up, so a namespace in its metadata means that it is namespaced.
    let namespaced = !text(metadata, "namespace").is_empty();
    generic(path, metadata, namespaced, names::path_segment, errors);
}

/// Validates the metadata of a template for objects that get only its labels and annotations.
pub(crate) fn of_template(path: &Path<'_>, meta: &Value, errors: &mut Errors) {
    annotations(&path.child("annotations"), meta, errors);
    labels(&path.child("labels"), meta, "labels", errors);
    for name in [
        "name",
        "generateName",
        "namespace",
        "selfLink",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "ownerReferences",
        "finalizers",
        "managedFields",
    ] {
        let value = field(meta, name);
        if value.is_null() || *value == "" || *value == 0 {
            continue;
        }
        // Upstream derives the path from the name of the Go field, `UID`.
        let shown = if name == "uid" { "uID" } else { name };
        errors.forbidden(&path.child(shown), "cannot be set");
    }
}

/// Validates the metadata of a built-in kind at any path.
pub(crate) fn at(
    path: &Path<'_>,
    object: &Value,
    namespaced: bool,
    rule: NameRule,
    errors: &mut Errors,
) {
    let meta = field(object, "metadata");
    generic(path, meta, namespaced, rule, errors);
    standard_finalizers(path, object, errors);
}

/// Requires standard names or domains of the finalizers, which the rules of most built-in kinds do.
fn standard_finalizers(path: &Path<'_>, object: &Value, errors: &mut Errors) {
    let group = text(object, "apiVersion").split('/').next();
    if group.is_some_and(|group| OWN_RULES.contains(&group)) {
        return;
    }
    let path = path.child("finalizers");
    for (index, name) in texts(field(object, "metadata"), "finalizers").enumerate() {
        standard_finalizer(&path.index(index), name, errors);
    }
}

/// Validates the rules for metadata that all kinds share, custom resources included.
pub(crate) fn generic(
    path: &Path<'_>,
    meta: &Value,
    namespaced: bool,
    rule: NameRule,
    errors: &mut Errors,
) {
    let prefix = text(meta, "generateName");
    if !prefix.is_empty() {
        errors.invalid_each(
            &path.child("generateName"),
            prefix,
            // A prefix may end with a dash because more characters follow.
            rule(&mask_dash(prefix)),
        );
    }
    match text(meta, "name") {
        "" => errors.required(&path.child("name"), "name or generateName is required"),
        name => errors.invalid_each(&path.child("name"), name, rule(name)),
    }
    let namespace = text(meta, "namespace");
    if namespaced && namespace.is_empty() {
        errors.required(&path.child("namespace"), "");
    } else if namespaced {
        errors.invalid_each(
            &path.child("namespace"),
            namespace,
            names::dns1123_label(namespace),
        );
    } else if !namespace.is_empty() {
        errors.forbidden(&path.child("namespace"), "not allowed on this type");
    }
    nonnegative(&path.child("generation"), int(meta, "generation"), errors);
    common(path, meta, errors);
    finalizers(path, meta, errors);
}

/// Validates the metadata of an update of a built-in kind.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    kept(object, old, errors);
    standard_finalizers(&Path::root("metadata"), object, errors);
}

/// Rejects changes of the metadata that identifies an object.
fn kept(object: &Value, old: &Value, errors: &mut Errors) {
    let path = Path::root("metadata");
    let (meta, before) = (field(object, "metadata"), field(old, "metadata"));
    // Controllers have already begun to clean up, so a finalizer added now could block the deletion forever.
    if has(before, "deletionTimestamp") {
        let known: HashSet<&Value> = list(before, "finalizers").iter().collect();
        let added: Vec<&Value> = list(meta, "finalizers")
            .iter()
            .filter(|f| !known.contains(f))
            .collect();
        if !added.is_empty() {
            let shown: Vec<String> = added.iter().map(|f| go::quoted(as_text(f))).collect();
            let detail = format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers \
                 []string{{{}}}",
                shown.join(", ")
            );
            errors.forbidden(&path.child("finalizers"), &detail);
        }
    }
    // Controllers compare `generation` with `observedGeneration`; a lower number would look as if it had been
    // observed.
    if int(meta, "generation") < int(before, "generation") {
        let value = field(meta, "generation");
        errors.invalid(&path.child("generation"), value, "must not be decremented");
    }
    for name in [
        "name",
        "namespace",
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
    ] {
        immutable(
            &path.child(name),
            field(meta, name),
            field(before, name),
            errors,
        );
    }
    common(&path, meta, errors);
}

/// Validates the metadata of any update, before the rules of the kind.
pub(crate) fn before_update(object: &Value, old: &Value, errors: &mut Errors) {
    let (path, meta) = (Path::root("metadata"), field(object, "metadata"));
    // `rest.BeforeUpdate` validates the metadata twice: as that of an object and as that of an update. Both cover
    // labels, annotations and owners, so errors in these are reported twice.
    common(&path, meta, errors);
    finalizers(&path, meta, errors);
    kept(object, old, errors);
}

/// Rejects a change of an immutable field.
pub(crate) fn immutable(path: &Path<'_>, new: &Value, old: &Value, errors: &mut Errors) {
    if new != old {
        errors.invalid(path, new, "field is immutable");
    }
}

/// Rejects a negative number.
pub(crate) fn nonnegative(path: &Path<'_>, number: i64, errors: &mut Errors) {
    if number < 0 {
        errors.invalid(path, &number.into(), "must be greater than or equal to 0");
    }
}

/// Rejects a negative number in the field `name` of `value`.
pub(crate) fn nonnegative_field(path: &Path<'_>, value: &Value, name: &str, errors: &mut Errors) {
    if let Some(number) = opt_int(value, name) {
        nonnegative(&path.child(name), number, errors);
    }
}

/// Validates a map of labels.
pub(crate) fn labels(path: &Path<'_>, holder: &Value, name: &str, errors: &mut Errors) {
    for (key, value) in entries(holder, name) {
        errors.invalid_each(path, key, names::qualified_name(key));
        let value = as_text(value);
        errors.invalid_each(path, value, names::label_value(value));
    }
}

fn common(path: &Path<'_>, meta: &Value, errors: &mut Errors) {
    labels(&path.child("labels"), meta, "labels", errors);
    annotations(&path.child("annotations"), meta, errors);
    owners(&path.child("ownerReferences"), meta, errors);
}

/// Validates annotations: the keys follow the rules for label keys, and the total size is at most 256 KiB.
pub(crate) fn annotations(path: &Path<'_>, meta: &Value, errors: &mut Errors) {
    let mut size = 0;
    for (key, value) in entries(meta, "annotations") {
        // Unlike label keys, annotation keys may have upper-case letters in the prefix.
        errors.invalid_each(path, key, names::qualified_name(&key.to_lowercase()));
        size += key.len() + as_text(value).len();
    }
    if size > ANNOTATIONS_MAX {
        errors.too_long(path, ANNOTATIONS_MAX);
    }
}

fn owners(path: &Path<'_>, meta: &Value, errors: &mut Errors) {
    let all = list(meta, "ownerReferences");
    let mut controller: Option<String> = None;
    for owner in all {
        owner_reference(path, owner, errors);
        if !flag(owner, "controller") {
            continue;
        }
        let name = format!("{}/{}", text(owner, "kind"), text(owner, "name"));
        match &controller {
            None => controller = Some(name),
            Some(first) => errors.invalid_shown(
                path,
                &go::shown_list("OwnerReference", all),
                &format!(
                    "Only one reference can have Controller set to true. Found \"true\" in references \
                     for {first} and {name}"
                ),
            ),
        }
    }
}

fn owner_reference(path: &Path<'_>, owner: &Value, errors: &mut Errors) {
    let api_version = text(owner, "apiVersion");
    // More than one slash leaves no version, too.
    if api_version.is_empty() || api_version.ends_with('/') || api_version.matches('/').count() > 1
    {
        let value = field(owner, "apiVersion");
        errors.invalid(
            &path.child("apiVersion"),
            value,
            "version must not be empty",
        );
    }
    for name in ["kind", "name", "uid"] {
        if text(owner, name).is_empty() {
            errors.invalid_shown(&path.child(name), "\"\"", "must not be empty");
        }
    }
    // Events expire. The garbage collector would then delete their dependents.
    if (api_version, text(owner, "kind")) == ("v1", "Event") {
        errors.invalid_shown(
            path,
            &go::shown_as("OwnerReference", owner),
            "/v1, Kind=Event is disallowed from being an owner",
        );
    }
}

fn finalizers(path: &Path<'_>, meta: &Value, errors: &mut Errors) {
    let path = path.child("finalizers");
    for name in texts(meta, "finalizers") {
        errors.invalid_each(&path, name, names::qualified_name(name));
    }
    let has = |wanted: &str| texts(meta, "finalizers").any(|name| name == wanted);
    // The two finalizers contradict each other: one keeps the dependents, the other deletes them.
    if has("orphan") && has("foregroundDeletion") {
        errors.invalid(
            &path,
            field(meta, "finalizers"),
            "finalizer orphan and foregroundDeletion cannot be both set",
        );
    }
}

/// Validates the name of a finalizer: a standard name, or one with a domain.
pub(crate) fn standard_finalizer(path: &Path<'_>, name: &str, errors: &mut Errors) {
    if !name.contains('/') && !STANDARD_FINALIZERS.contains(&name) {
        errors.invalid_shown(
            path,
            &go::quoted(name),
            "name is neither a standard finalizer name nor is it fully qualified",
        );
    }
}

/// Replaces the trailing dash of a prefix, because a generated name continues after it.
pub(crate) fn mask_dash(prefix: &str) -> String {
    match prefix.strip_suffix('-') {
        // Upstream also replaces the character before the dash. A multi-byte character stays: Go would split it, and
        // it is an error in any case.
        Some(rest) if rest.ends_with(|c: char| c.is_ascii()) => {
            format!("{}a", &rest[..rest.len() - 1])
        }
        _ => prefix.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn owner_reference_has_at_most_one_group_and_a_version() {
        for (version, valid) in [
            ("v1", true),
            ("a/v1", true),
            ("a/", false),
            ("a/b/c", false),
        ] {
            let owner = json!({"apiVersion": version, "kind": "K", "name": "n", "uid": "u"});
            let mut errors = Errors::default();
            owner_reference(&Path::root("owner"), &owner, &mut errors);
            assert_eq!(errors.iter().count() == 0, valid, "{version}");
        }
    }

    #[test]
    fn finalizers_of_some_groups_need_no_domain() {
        for (version, valid) in [("v1", false), ("coordination.k8s.io/v1", true)] {
            let object =
                json!({"apiVersion": version, "metadata": {"name": "x", "finalizers": ["abc"]}});
            let mut errors = Errors::default();
            create(&object, false, names::dns1123_subdomain, &mut errors);
            update(&object, &object, &mut errors);
            assert_eq!(errors.is_empty(), valid, "{version}");
        }
    }

    #[test]
    fn generate_name_with_multibyte_characters_is_rejected() {
        for prefix in ["é-", "aé-", "日本-"] {
            let meta = json!({"name": "x", "namespace": "default", "generateName": prefix});
            let mut errors = Errors::default();
            let object = json!({"metadata": meta});
            create(&object, true, names::dns1123_subdomain, &mut errors);
            let fields: Vec<_> = errors.iter().map(|cause| cause.field.as_str()).collect();
            assert_eq!(fields, ["metadata.generateName"], "{prefix}");
        }
    }
}
