//! The texts of the server's `Warning` headers.

use std::collections::{BTreeMap, BTreeSet};

use super::kind::Kind;
use super::pod::resources::quantity;
use super::tree::{entries, field, has, int, list, text, texts};
use crate::api::json::Value;
use crate::api::names;
use crate::validate::path::Path;

const SURPRISE: &str = "which can result in surprising behavior; a DNS label is recommended";

/// The finalizers of the garbage collector and of namespaces.
const META_FINALIZERS: &[&str] = &["orphan", "foregroundDeletion", "kubernetes"];

/// Deprecated and removed volume sources.
const OLD_VOLUMES: &[(&str, &str)] = &[
    ("cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    ("flocker", "deprecated in v1.22, non-functional in v1.25+"),
    (
        "gitRepo",
        "deprecated in v1.11, and disabled by default in v1.33+",
    ),
    ("glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    (
        "photonPersistentDisk",
        "deprecated in v1.11, non-functional in v1.16+",
    ),
    ("quobyte", "deprecated in v1.22, non-functional in v1.25+"),
    ("rbd", "deprecated in v1.28, non-functional in v1.31+"),
    ("scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("storageos", "deprecated in v1.22, non-functional in v1.25+"),
];

/// Renamed node labels: the old name, the version of the change, the new name.
const OLD_LABELS: &[(&str, &str, &str)] = &[
    ("beta.kubernetes.io/arch", "v1.14", "kubernetes.io/arch"),
    ("beta.kubernetes.io/os", "v1.14", "kubernetes.io/os"),
    (
        "failure-domain.beta.kubernetes.io/region",
        "v1.17",
        "topology.kubernetes.io/region",
    ),
    (
        "failure-domain.beta.kubernetes.io/zone",
        "v1.17",
        "topology.kubernetes.io/zone",
    ),
    (
        "beta.kubernetes.io/instance-type",
        "v1.17",
        "node.kubernetes.io/instance-type",
    ),
];

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
    let mut warnings: Vec<String> = deprecation(kind).map(str::to_owned).into_iter().collect();
    if kind.custom.is_some() {
        return warnings;
    }
    if let Some(own) = kind.hooks.warnings {
        own(object, &mut warnings);
    }
    warnings
}

/// Adds the warnings for the Pod template of a workload.
pub(crate) fn of_template(object: &Value, warnings: &mut Vec<String>) {
    let spec = field(object, "spec");
    if has(spec, "template") {
        let path = Path::root("spec.template");
        pod_template(&path, field(spec, "template"), warnings);
    }
}

/// Adds the warning for a name that is no DNS label although it is used as one.
pub(crate) fn name(object: &Value, used_in: &str, warnings: &mut Vec<String>) {
    let metadata = field(object, "metadata");
    let generated;
    let name = match text(metadata, "name") {
        "" => {
            // A generated name gets five letters or digits; zeros stand in for them.
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
            "metadata.name: this is used in {used_in}, {SURPRISE}: [{wrong}]"
        ));
    }
}

/// Adds the warnings for a volume with a deprecated source.
pub(crate) fn old_volume(path: &Path<'_>, volume: &Value, warnings: &mut Vec<String>) {
    for (source, fate) in OLD_VOLUMES.iter().filter(|(source, _)| has(volume, source)) {
        warnings.push(format!("{}: {fate}", path.child(source)));
    }
}

/// Adds the warnings for a template at `path`.
pub(crate) fn pod_template(path: &Path<'_>, template: &Value, warnings: &mut Vec<String>) {
    pod(path, template, warnings);
    let spec = field(template, "spec");
    // A stored object may have a negative value from before it was forbidden, so it is a warning.
    if int(spec, "terminationGracePeriodSeconds") < 0 {
        let path = path.child("spec");
        warnings.push(format!(
            "{}: must be >= 0; negative values are invalid and will be treated as 1",
            path.child("terminationGracePeriodSeconds")
        ));
    }
}

/// Adds the warnings for a Pod or a template at `path`.
pub(crate) fn pod(path: &Path<'_>, pod: &Value, warnings: &mut Vec<String>) {
    let (spec_path, spec) = (path.child("spec"), field(pod, "spec"));
    let selector = spec_path.child("nodeSelector");
    for (old, since, new) in OLD_LABELS {
        if has(field(spec, "nodeSelector"), old) {
            let path = selector.key(old);
            warnings.push(format!(
                "{path}: deprecated since {since}; use \"{new}\" instead"
            ));
        }
    }
    let metadata = path.child("metadata");
    for (key, _) in entries(field(pod, "metadata"), "annotations") {
        annotation(
            &metadata.child("annotations").key(key).to_string(),
            key,
            warnings,
        );
    }
    let volumes = spec_path.child("volumes");
    for (index, volume) in list(spec, "volumes").iter().enumerate() {
        old_volume(&volumes.index(index), volume, warnings);
    }
    // Upstream once accepted empty names, so they can only be warned about.
    let secrets = spec_path.child("imagePullSecrets");
    for (index, secret) in list(spec, "imagePullSecrets").iter().enumerate() {
        if text(secret, "name").is_empty() {
            let path = secrets.index(index);
            warnings.push(format!("{}: invalid empty name \"\"", path.child("name")));
        }
    }
    // A new Pod cannot have ephemeral containers.
    for kind in ["initContainers", "containers"] {
        let path = spec_path.child(kind);
        for (index, container) in list(spec, kind).iter().enumerate() {
            self::container(&path.index(index), container, warnings);
        }
    }
}

fn annotation(path: &str, key: &str, warnings: &mut Vec<String>) {
    let fate = match key {
        "scheduler.alpha.kubernetes.io/critical-pod" => {
            "non-functional in v1.16+; use the \"priorityClassName\" field instead"
        }
        "seccomp.security.alpha.kubernetes.io/pod" => {
            "non-functional in v1.27+; use the \"seccompProfile\" field instead"
        }
        key if key.starts_with("container.seccomp.security.alpha.kubernetes.io/") => {
            "non-functional in v1.27+; use the \"seccompProfile\" field instead"
        }
        key if key.starts_with("container.apparmor.security.beta.kubernetes.io/") => {
            "deprecated since v1.30; use the \"appArmorProfile\" field instead"
        }
        _ => return,
    };
    warnings.push(format!("{path}: {fate}"));
}

fn container(path: &Path<'_>, container: &Value, warnings: &mut Vec<String>) {
    fractions(path, container, warnings);
    ports(&path.child("ports"), container, warnings);
    let env = path.child("env");
    let mut seen = BTreeMap::new();
    for (index, variable) in list(container, "env").iter().enumerate() {
        let name = text(variable, "name");
        let value = text(variable, "value");
        // A value that expands the earlier one, as in `PATH=$(PATH):/x`, does not hide it.
        let uses = value.contains(&format!("$({name})"));
        if seen.insert(name, index).is_some() && !uses {
            warnings.push(format!(
                "{}: hides previous definition of \"{name}\", which may be dropped when using apply",
                env.index(index)
            ));
        }
    }
}

fn ports(path: &Path<'_>, container: &Value, warnings: &mut Vec<String>) {
    let mut seen: BTreeMap<(i64, &str, i64, &str), usize> = BTreeMap::new();
    for (index, port) in list(container, "ports").iter().enumerate() {
        let (number, host) = (int(port, "containerPort"), int(port, "hostPort"));
        let (protocol, ip) = (text(port, "protocol"), text(port, "hostIP"));
        if !ip.is_empty() && host == 0 {
            warnings.push(format!(
                "{}: hostIP set without hostPort: {{Name:{} HostPort:0 ContainerPort:{number} \
                 Protocol:{protocol} HostIP:{ip}}}",
                path.index(index),
                text(port, "name")
            ));
        }
        // A warning only, since stored objects with duplicates have to stay valid.
        if let Some(first) = seen.insert((number, protocol, host, ip), index) {
            warnings.push(format!(
                "{}: duplicate port definition with {}",
                path.index(index),
                path.index(first)
            ));
        }
    }
}

/// Adds the warnings for fractional amounts of bytes.
pub(crate) fn fractions(path: &Path<'_>, holder: &Value, warnings: &mut Vec<String>) {
    let path = path.child("resources");
    let resources = field(holder, "resources");
    for which in ["requests", "limits"] {
        let path = path.child(which);
        for (name, amount) in entries(resources, which) {
            let amount = quantity(amount);
            let bytes = matches!(name, "memory" | "ephemeral-storage" | "storage");
            if bytes && !amount.is_whole() {
                warnings.push(format!(
                    "{}: fractional byte value \"{amount}\" is invalid, must be an integer",
                    path.key(name)
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::find;

    #[test]
    fn a_name_that_is_to_be_made_is_judged_by_what_it_begins_with() {
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
