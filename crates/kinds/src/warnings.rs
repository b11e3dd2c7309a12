//! The texts of the server's `Warning` headers.

use std::collections::BTreeSet;

use super::hooks::WarnedUpdates;
use super::kind::Kind;
use super::pod::resources::quantity;
use super::pod::warnings::pod_template;
use super::tree::{field, has, int, text, texts};
use crate::api::json::Value;
use crate::api::names;
use crate::validate::path::Path;

const SURPRISE: &str = "which can result in surprising behavior; a DNS label is recommended";

/// The beginning of the warnings about a name.
const NAME: &str = "metadata.name: ";

/// The finalizers of the garbage collector and of namespaces.
const META_FINALIZERS: &[&str] = &["orphan", "foregroundDeletion", "kubernetes"];

/// Returns the warning for a deprecated version, which every request gets, reads included.
pub fn deprecation(kind: &Kind) -> Option<&str> {
    if let Some(custom) = kind.custom {
        return custom.deprecation.as_deref();
    }
    kind.hooks.deprecation
}

/// Returns the warnings for new finalizers of a custom resource; those of other kinds are rejected.
pub fn of_finalizers(kind: &Kind, new: &Value, old: Option<&Value>) -> Vec<String> {
    if kind.custom.is_none() {
        return Vec::new();
    }
    let of =
        |object| -> BTreeSet<&str> { texts(field(object, "metadata"), "finalizers").collect() };
    let mut added = of(new);
    // Only additions are worth a warning: controllers write objects with old finalizers again and again.
    for known in old.map(of).unwrap_or_default() {
        added.remove(known);
    }
    added.retain(|name| !name.contains('/') && !META_FINALIZERS.contains(name));
    let said = added.into_iter().map(|name| {
        format!(
            "metadata.finalizers: {name:?}: prefer a domain-qualified finalizer name including a path (/) to avoid \
             accidental conflicts with other finalizer writers"
        )
    });
    said.collect()
}

/// Returns the warnings for an object with defaults.
pub fn of(kind: &Kind, object: &Value) -> Vec<String> {
    let mut warnings = of_request(kind);
    // Upstream warns about the finalizers of custom resources only, besides their version.
    if kind.custom.is_some() {
        return warnings;
    }
    if let Some(own) = kind.hooks.warnings {
        own(object, &mut warnings);
    }
    warnings
}

/// Returns the warnings for an update of an object. The name, which cannot change, is not among their reasons.
pub fn of_update(kind: &Kind, new: &Value, old: &Value) -> Vec<String> {
    let generation = |object| int(field(object, "metadata"), "generation");
    let tells = match kind.hooks.warned_updates {
        WarnedUpdates::Always => true,
        WarnedUpdates::NewGeneration => generation(new) != generation(old),
        WarnedUpdates::Never => false,
    };
    if !tells {
        return of_request(kind);
    }
    let mut warnings = of(kind, new);
    warnings.retain(|text| !text.starts_with(NAME));
    warnings
}

/// Returns the warning for a request about a part of an object, such as its status.
pub fn of_request(kind: &Kind) -> Vec<String> {
    deprecation(kind).map(str::to_owned).into_iter().collect()
}

/// Adds the warnings for the Pod template of a workload.
pub(crate) fn of_template(object: &Value, warnings: &mut Vec<String>) {
    let spec = field(object, "spec");
    if has(spec, "template") {
        let path = Path::root("spec.template");
        pod_template(&path, field(spec, "template"), warnings);
    }
}

/// Adds the warnings for a workload whose name is a part of its Pods' names.
pub(crate) fn of_named_template(object: &Value, warnings: &mut Vec<String>) {
    name(object, "Pod names and hostnames", warnings);
    of_template(object, warnings);
}

/// Adds the warning for a name that is not a DNS label although it is used as one.
pub(crate) fn name(object: &Value, used_in: &str, warnings: &mut Vec<String>) {
    let metadata = field(object, "metadata");
    let generated;
    let name = match text(metadata, "name") {
        "" => {
            // A generated name gets five letters or digits, for which zeros are used here.
            let prefix = text(metadata, "generateName").chars().take(58);
            generated = prefix.chain("00000".chars()).collect::<String>();
            &generated
        }
        name => name,
    };
    let wrong = names::dns1123_label(name);
    if !wrong.is_empty() {
        let wrong = wrong.join(" ");
        warnings.push(format!(
            "{NAME}this is used in {used_in}, {SURPRISE}: [{wrong}]"
        ));
    }
}

/// Adds the warnings for fractional amounts of bytes in `resources`.
pub(crate) fn fractions(path: &Path<'_>, holder: &Value, warnings: &mut Vec<String>) {
    let path = path.child("resources");
    let resources = field(holder, "resources");
    for resource in ["memory", "ephemeral-storage", "storage"] {
        for which in ["limits", "requests"] {
            fraction(
                &path.child(which),
                field(resources, which),
                resource,
                warnings,
            );
        }
    }
}

/// Adds the warning for a fractional amount of the resource.
pub(crate) fn fraction(
    path: &Path<'_>,
    amounts: &Value,
    resource: &str,
    warnings: &mut Vec<String>,
) {
    if !has(amounts, resource) {
        return;
    }
    let amount = quantity(field(amounts, resource));
    if !amount.is_whole() {
        let path = path.key(resource);
        warnings.push(format!(
            "{path}: fractional byte value \"{amount}\" is invalid, must be an integer"
        ));
    }
}

/// Adds the warning for the annotation that named a storage class before the field did.
pub(crate) fn old_class(object: &Value, warnings: &mut Vec<String>) {
    const OLD: &str = "volume.beta.kubernetes.io/storage-class";
    if has(field(field(object, "metadata"), "annotations"), OLD) {
        warnings.push(format!(
            "metadata.annotations[{OLD}]: deprecated since v1.8; use \"storageClassName\" attribute instead"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::find;

    #[test]
    fn updates_of_workloads_warn_about_changes_of_the_desired_state() {
        let object = |labels: Value, generation: i64, kind: &str| {
            let spec =
                json!({"containers": [{"name": "c", "env": [{"name": "A"}, {"name": "A"}]}]});
            let metadata = json!({"name": "a.b", "generation": generation, "labels": labels});
            match kind {
                "Pod" => json!({"metadata": metadata, "spec": spec}),
                _ => json!({"metadata": metadata, "spec": {"template": {"spec": spec}}}),
            }
        };
        for (group, kind, created, same, changed) in [
            ("apps", "Deployment", 2, 0, 1),
            ("apps", "DaemonSet", 1, 0, 1),
            ("batch", "Job", 2, 0, 1),
            ("", "Pod", 2, 0, 0),
        ] {
            let known = find(group, "v1", kind).unwrap();
            let old = object(json!({}), 1, kind);
            assert_eq!(of(known, &old).len(), created, "{kind}");
            let new = |generation| object(json!({"a": "b"}), generation, kind);
            assert_eq!(of_update(known, &new(1), &old).len(), same, "{kind}");
            assert_eq!(of_update(known, &new(2), &old).len(), changed, "{kind}");
        }
    }

    #[test]
    fn a_generated_name_is_checked_by_its_prefix() {
        let kind = find("", "v1", "Pod").unwrap();
        let told = |metadata: Value| of(kind, &json!({"metadata": metadata, "spec": {}})).len();
        let long = "a".repeat(80) + "-";
        for metadata in [
            json!({"generateName": "web-"}),
            json!({"generateName": long}),
            json!({"name": "web-1"}),
        ] {
            assert_eq!(told(metadata.clone()), 0, "{metadata}");
        }
        assert_eq!(told(json!({"generateName": "web.a-"})), 1);
        assert_eq!(told(json!({"name": "web.a"})), 1);
    }
}
