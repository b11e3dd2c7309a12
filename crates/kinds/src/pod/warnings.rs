//! The warnings about a Pod or a Pod template.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::paths;
use crate::api::json::Value;
use crate::tree::{at, entries, field, has, int, list, opt_int, text, texts};
use crate::validate::names;
use crate::validate::path::Path;
use crate::warnings::{address, claim_fractions, fraction, fractions};

/// Deprecated and removed volume sources, with their fate.
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

/// Deprecated node labels, with the advice about each.
const OLD_LABELS: &[(&str, &str)] = &[
    ("app.kubernetes.io/created-by", "deprecated since v1.9"),
    (
        "beta.kubernetes.io/arch",
        "deprecated since v1.14; use \"kubernetes.io/arch\" instead",
    ),
    (
        "beta.kubernetes.io/instance-type",
        "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead",
    ),
    (
        "beta.kubernetes.io/os",
        "deprecated since v1.14; use \"kubernetes.io/os\" instead",
    ),
    (
        "failure-domain.beta.kubernetes.io/region",
        "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead",
    ),
    (
        "failure-domain.beta.kubernetes.io/zone",
        "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead",
    ),
    (
        "node-role.kubernetes.io/master",
        "use \"node-role.kubernetes.io/control-plane\" instead",
    ),
    (
        "scheduler.alpha.kubernetes.io/preferAvoidPods",
        "deprecated since v1.22; use Taints and Tolerations instead",
    ),
];

/// Annotations that were replaced by fields.
const OLD_ANNOTATIONS: &[(&str, &str)] = &[
    (
        "scheduler.alpha.kubernetes.io/critical-pod",
        "non-functional in v1.16+; use the \"priorityClassName\" field instead",
    ),
    (
        "security.alpha.kubernetes.io/sysctls",
        "non-functional in v1.11+; use the \"sysctls\" field instead",
    ),
    (
        "security.alpha.kubernetes.io/unsafe-sysctls",
        "non-functional in v1.11+; use the \"sysctls\" field instead",
    ),
];

const OLD_SECCOMP: &str = "non-functional in v1.27+; use the \"seccompProfile\" field instead";
pub(crate) const OLD_APPARMOR: &str =
    "deprecated since v1.30; use the \"appArmorProfile\" field instead";

/// The lists of containers, in the order of the API server's warnings.
const CONTAINERS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// Adds the warnings for the Pod template at `path`.
pub(crate) fn pod_template(path: &Path<'_>, template: &Value, warnings: &mut Vec<String>) {
    pod(path, template, warnings);
    let spec = field(template, "spec");
    // A stored template may have a negative value from before negative values were forbidden. In a Pod, it becomes 1.
    if int(spec, "terminationGracePeriodSeconds") < 0 {
        let path = path.child("spec");
        warnings.push(format!(
            "{}: must be >= 0; negative values are invalid and will be treated as 1",
            path.child("terminationGracePeriodSeconds")
        ));
    }
}

/// Adds the warnings for a Pod (if `path` is empty) or for the Pod template at `path`.
pub(crate) fn pod(path: &Path<'_>, pod: &Value, warnings: &mut Vec<String>) {
    let (spec_path, spec) = (path.child("spec"), field(pod, "spec"));
    let annotations = field(field(pod, "metadata"), "annotations");
    node_labels(&spec_path, spec, warnings);
    let notes = path.child("metadata");
    let notes = notes.child("annotations");
    for (key, advice) in OLD_ANNOTATIONS
        .iter()
        .filter(|(key, _)| has(annotations, key))
    {
        warnings.push(format!("{}: {advice}", notes.key(key)));
    }
    volumes(&spec_path.child("volumes"), list(spec, "volumes"), warnings);
    duplicates(&spec_path, spec, warnings);
    for resource in ["memory", "ephemeral-storage"] {
        let path = spec_path.child("overhead");
        fraction(&path, field(spec, "overhead"), resource, warnings);
    }
    let context = field(spec, "securityContext");
    let seccomp = "seccomp.security.alpha.kubernetes.io/pod";
    if !has(context, "seccompProfile") && has(annotations, seccomp) {
        warnings.push(format!("{}: {OLD_SECCOMP}", notes.key(seccomp)));
    }
    for kind in CONTAINERS {
        let path = spec_path.child(kind);
        for (index, container) in list(spec, kind).iter().enumerate() {
            profiles(&notes, annotations, context, container, warnings);
            self::container(&path.index(index), container, warnings);
        }
    }
    ports(&spec_path, spec, warnings);
    affinity_selectors(
        &spec_path.child("affinity"),
        field(spec, "affinity"),
        warnings,
    );
    let servers = spec_path.child("dnsConfig");
    let servers = servers.child("nameservers");
    for (index, server) in texts(field(spec, "dnsConfig"), "nameservers").enumerate() {
        address(&servers.index(index), server, warnings);
    }
    let aliases = spec_path.child("hostAliases");
    for (index, alias) in list(spec, "hostAliases").iter().enumerate() {
        let path = aliases.index(index);
        address(&path.child("ip"), text(alias, "ip"), warnings);
    }
}

/// Returns the advice about a deprecated node label.
pub(crate) fn old_label(label: &str) -> Option<&'static str> {
    let found = OLD_LABELS.iter().find(|(old, _)| *old == label);
    found.map(|(_, advice)| *advice)
}

fn node_labels(path: &Path<'_>, spec: &Value, warnings: &mut Vec<String>) {
    let selector = path.child("nodeSelector");
    // Sorted by label. The API server iterates over a Go map, so its order is random.
    for (label, _) in entries(spec, "nodeSelector") {
        if let Some(advice) = old_label(label) {
            warnings.push(format!("{}: {advice}", selector.key(label)));
        }
    }
    let affinity = at(spec, &["affinity", "nodeAffinity"]);
    let path_of = path.child("affinity");
    let path_of = path_of.child("nodeAffinity");
    let required = path_of.child("requiredDuringSchedulingIgnoredDuringExecution");
    let terms = required.child("nodeSelectorTerms");
    let rules = field(affinity, "requiredDuringSchedulingIgnoredDuringExecution");
    for (index, term) in list(rules, "nodeSelectorTerms").iter().enumerate() {
        node_selector_term(&terms.index(index), term, false, warnings);
    }
    let name = "preferredDuringSchedulingIgnoredDuringExecution";
    let preferred = path_of.child(name);
    for (index, weighted) in list(affinity, name).iter().enumerate() {
        let path = preferred.index(index);
        let term = field(weighted, "preference");
        // Required terms with an invalid value are errors.
        node_selector_term(&path.child("preference"), term, true, warnings);
    }
    let spread = path.child("topologySpreadConstraints");
    for (index, constraint) in list(spec, "topologySpreadConstraints").iter().enumerate() {
        let (path, key) = (spread.index(index), text(constraint, "topologyKey"));
        if let Some(advice) = old_label(key) {
            warnings.push(format!("{}: {key} is {advice}", path.child("topologyKey")));
        }
        null_selector(&path, constraint, warnings);
    }
}

/// Adds the warnings for the deprecated labels in a node selector term, and with `values` for values that no label
/// has.
pub(crate) fn node_selector_term(
    path: &Path<'_>,
    term: &Value,
    values: bool,
    warnings: &mut Vec<String>,
) {
    let path = path.child("matchExpressions");
    for (index, expression) in list(term, "matchExpressions").iter().enumerate() {
        let (path, key) = (path.index(index), text(expression, "key"));
        if let Some(advice) = old_label(key) {
            warnings.push(format!("{}: {key} is {advice}", path.child("key")));
        }
        let path = path.child("values");
        for (index, value) in texts(expression, "values").enumerate().filter(|_| values) {
            let path = path.index(index);
            let wrong = names::label_value(value).into_iter();
            warnings.extend(wrong.map(|why| format!("{path}: {value} is invalid, {why}")));
        }
    }
}

/// Adds the warning for a missing selector, which selects nothing.
fn null_selector(path: &Path<'_>, holder: &Value, warnings: &mut Vec<String>) {
    if !has(holder, "labelSelector") {
        let path = path.child("labelSelector");
        warnings.push(format!(
            "{path}: a null labelSelector results in matching no pod"
        ));
    }
}

fn affinity_selectors(path: &Path<'_>, affinity: &Value, warnings: &mut Vec<String>) {
    for kind in ["podAffinity", "podAntiAffinity"] {
        let (path, rules) = (path.child(kind), field(affinity, kind));
        let name = "requiredDuringSchedulingIgnoredDuringExecution";
        let required = path.child(name);
        for (index, term) in list(rules, name).iter().enumerate() {
            null_selector(&required.index(index), term, warnings);
        }
        let name = "preferredDuringSchedulingIgnoredDuringExecution";
        let preferred = path.child(name);
        for (index, weighted) in list(rules, name).iter().enumerate() {
            let (path, term) = (preferred.index(index), field(weighted, "podAffinityTerm"));
            null_selector(&path.child("podAffinityTerm"), term, warnings);
        }
    }
}

/// Adds the warnings for a volume with a deprecated source.
pub(crate) fn old_volume(path: &Path<'_>, volume: &Value, warnings: &mut Vec<String>) {
    for (source, fate) in OLD_VOLUMES.iter().filter(|(source, _)| has(volume, source)) {
        // Upstream spells this source as its Go field.
        let shown = match *source {
            "storageos" => "storageOS",
            source => source,
        };
        warnings.push(format!("{}: {fate}", path.child(shown)));
    }
}

fn volumes(path: &Path<'_>, volumes: &[Value], warnings: &mut Vec<String>) {
    for (index, volume) in volumes.iter().enumerate() {
        let path = path.index(index);
        old_volume(&path, volume, warnings);
        let claim = at(volume, &["ephemeral", "volumeClaimTemplate", "spec"]);
        let path = path.child("ephemeral");
        let path = path.child("volumeClaimTemplate");
        claim_fractions(&path.child("spec"), claim, warnings);
    }
    paths::overlaps(volumes, warnings);
}

fn duplicates(path: &Path<'_>, spec: &Value, warnings: &mut Vec<String>) {
    for (name, key, word) in [
        ("hostAliases", "ip", "ip"),
        ("imagePullSecrets", "name", "name"),
    ] {
        let (path, mut seen) = (path.child(name), BTreeSet::new());
        for (index, item) in list(spec, name).iter().enumerate() {
            // Lists merge by this key, so an apply would keep only one of the two items.
            if !seen.insert(text(item, key)) {
                let path = path.index(index);
                let value = text(item, key);
                warnings.push(format!("{}: duplicate {word} {value:?}", path.child(key)));
            }
        }
    }
    // Upstream used to accept empty names, so it can only warn about them.
    let secrets = path.child("imagePullSecrets");
    for (index, secret) in list(spec, "imagePullSecrets").iter().enumerate() {
        if text(secret, "name").is_empty() {
            let path = secrets.index(index);
            warnings.push(format!("{}: invalid empty name \"\"", path.child("name")));
        }
    }
}

/// Adds the warnings for annotations that set a container's profile, as was usual before the fields existed.
fn profiles(
    notes: &Path<'_>,
    annotations: &Value,
    of_pod: &Value,
    container: &Value,
    warnings: &mut Vec<String>,
) {
    let (name, context) = (text(container, "name"), field(container, "securityContext"));
    let seccomp = format!("container.seccomp.security.alpha.kubernetes.io/{name}");
    if !has(context, "seccompProfile") && has(annotations, &seccomp) {
        warnings.push(format!("{}: {OLD_SECCOMP}", notes.key(&seccomp)));
    }
    let apparmor = super::apparmor::annotation(name);
    let set = |context| field(context, "appArmorProfile");
    // In a new Pod, the annotation was copied to the field before this check.
    let made = super::apparmor::profile(text(annotations, &apparmor));
    let own = [of_pod, context].map(set);
    let other = own
        .iter()
        .any(|own| !own.is_null() && Some(*own) != made.as_ref());
    if has(annotations, &apparmor) && !other {
        warnings.push(format!("{}: {OLD_APPARMOR}", notes.key(&apparmor)));
    }
}

fn container(path: &Path<'_>, container: &Value, warnings: &mut Vec<String>) {
    fractions(path, container, warnings);
    let env = path.child("env");
    let mut seen = BTreeSet::new();
    for (index, variable) in list(container, "env").iter().enumerate() {
        let name = text(variable, "name");
        let value = text(variable, "value");
        let reference = format!("$({name})");
        // A value that expands the earlier one, such as `PATH=$(PATH):/x`, does not hide it.
        let expands = value.contains(&reference) && value != reference;
        let hides = has(variable, "valueFrom") || !expands;
        if !seen.insert(name) && hides {
            warnings.push(format!(
                "{}: hides previous definition of \"{name}\", which may be dropped when using apply",
                env.index(index)
            ));
        }
    }
}

/// Adds the warnings for ports that are defined more than once, within one container or across containers, and for
/// names of ports that several containers have.
fn ports(path: &Path<'_>, spec: &Value, warnings: &mut Vec<String>) {
    let mut seen: BTreeMap<(i64, &str), Vec<(String, &Value)>> = BTreeMap::new();
    let (mut named, mut same_names) = (BTreeMap::new(), Vec::new());
    for kind in CONTAINERS {
        let path = path.child(kind);
        for (index, container) in list(spec, kind).iter().enumerate() {
            let path = path.index(index);
            let path = path.child("ports");
            // Services find no ports of containers that end before the others start.
            let serves = kind == "containers" || text(container, "restartPolicy") == "Always";
            for (index, port) in list(container, "ports").iter().enumerate() {
                let path = path.index(index).to_string();
                let (number, protocol) = (int(port, "containerPort"), text(port, "protocol"));
                if !text(port, "hostIP").is_empty() && int(port, "hostPort") == 0 {
                    warnings.push(format!(
                        "{path}: hostIP set without hostPort: {{Name:{} HostPort:0 \
                         ContainerPort:{number} Protocol:{protocol} HostIP:{}}}",
                        text(port, "name"),
                        text(port, "hostIP")
                    ));
                }
                let others = seen.entry((number, protocol)).or_default();
                for (other, there) in &*others {
                    if let Some(how) = clash(port, there) {
                        warnings.push(format!("{path}: {how} port definition with {other}"));
                    }
                }
                let name = text(port, "name");
                if serves && !name.is_empty() {
                    match named.entry(name) {
                        Entry::Vacant(free) => {
                            free.insert(path.clone());
                        }
                        Entry::Occupied(first) => same_names.push(format!(
                            "{path}: duplicate port name {name:?} with {0}, services and probes that select ports by \
                             name will use {0}",
                            first.get()
                        )),
                    }
                }
                others.push((path, port));
            }
        }
    }
    warnings.extend(same_names);
}

/// Returns the way in which two definitions of a container port clash.
fn clash(port: &Value, other: &Value) -> Option<&'static str> {
    let hosts = [port, other].map(|port| opt_int(port, "hostPort").unwrap_or_default());
    let ips = [port, other].map(|port| text(port, "hostIP"));
    if ips[0] == ips[1] && hosts[0] == hosts[1] {
        // This is only a warning, because stored objects with duplicates must stay valid.
        return Some("duplicate");
    }
    // Without a host port, a definition claims nothing on the node, so both can coexist.
    if hosts.contains(&0) {
        return Some("overlapping");
    }
    // No address means all addresses of the node, including that of the other port.
    let one_is_open = ips[0].is_empty() != ips[1].is_empty();
    (hosts[0] == hosts[1] && one_is_open).then_some("dangerously ambiguous")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn told(pod: &Value) -> Vec<String> {
        let mut warnings = Vec::new();
        super::pod(&Path::root(""), pod, &mut warnings);
        warnings
    }

    #[test]
    fn deprecated_node_labels_in_pods_cause_warnings() {
        let master = "node-role.kubernetes.io/master";
        let zone = "failure-domain.beta.kubernetes.io/zone";
        let advice = "use \"node-role.kubernetes.io/control-plane\" instead";
        let pod = json!({"spec": {
            "nodeSelector": {master: ""},
            "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": master, "operator": "Exists"}]}],
            }}},
            "topologySpreadConstraints": [{"topologyKey": zone}],
        }});
        let terms = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
        let spread = "spec.topologySpreadConstraints[0]";
        let wanted = [
            format!("spec.nodeSelector[{master}]: {advice}"),
            format!("{terms}[0].matchExpressions[0].key: {master} is {advice}"),
            format!(
                "{spread}.topologyKey: {zone} is deprecated since v1.17; use \
                 \"topology.kubernetes.io/zone\" instead"
            ),
            format!("{spread}.labelSelector: a null labelSelector results in matching no pod"),
        ];
        assert_eq!(told(&pod), wanted);
    }

    #[test]
    fn ports_clash_across_containers() {
        let pod = |other: Value| {
            let one = json!({"containerPort": 80, "protocol": "TCP"});
            json!({"spec": {"containers": [{"name": "a", "ports": [one]}, {"name": "b", "ports": [other]}]}})
        };
        let same = pod(json!({"containerPort": 80, "protocol": "TCP"}));
        let wanted = "spec.containers[1].ports[0]: duplicate port definition with spec.containers[0].ports[0]";
        assert_eq!(told(&same), [wanted]);
        let on_host = pod(json!({"containerPort": 80, "protocol": "TCP", "hostPort": 80}));
        let wanted = "spec.containers[1].ports[0]: overlapping port definition with spec.containers[0].ports[0]";
        assert_eq!(told(&on_host), [wanted]);
        assert!(told(&pod(json!({"containerPort": 80, "protocol": "UDP"}))).is_empty());
    }

    #[test]
    fn port_names_select_the_first_port() {
        let port =
            |number: i64| json!([{"containerPort": number, "protocol": "TCP", "name": "http"}]);
        let (one, two, three) = (port(1), port(2), port(3));
        let pod = |policy: &str| {
            json!({"spec": {
                "initContainers": [{"name": "i", "restartPolicy": policy, "ports": one}],
                "containers": [{"name": "a", "ports": two}, {"name": "b", "ports": three}],
            }})
        };
        let said = |port: &str, first: &str| {
            format!(
                "spec.{port}: duplicate port name \"http\" with spec.{first}, services and probes that select ports by \
                 name will use spec.{first}"
            )
        };
        let (first, second) = ("containers[0].ports[0]", "containers[1].ports[0]");
        assert_eq!(told(&pod("")), [said(second, first)]);
        let sidecar = "initContainers[0].ports[0]";
        let wanted = [said(first, sidecar), said(second, sidecar)];
        assert_eq!(told(&pod("Always")), wanted);
    }

    #[test]
    fn values_and_addresses_in_odd_forms_cause_warnings() {
        let name = "preferredDuringSchedulingIgnoredDuringExecution";
        let terms = json!([{"weight": 1, "preference": {"matchExpressions": [
            {"key": "a", "operator": "In", "values": ["b", "-1"]}]}}]);
        let pod = json!({"spec": {
            "affinity": {"nodeAffinity": {name: terms}},
            "dnsConfig": {"nameservers": ["1.2.3.4", "2001:DB8::1"]},
            "hostAliases": [{"ip": "2001:db8:0::1"}],
        }});
        let said = told(&pod);
        let start = format!(
            "spec.affinity.nodeAffinity.{name}[0].preference.matchExpressions[0].values[1]: -1 is invalid, a valid \
             label must be an empty string or"
        );
        assert!(said[0].starts_with(&start), "{said:?}");
        let wanted = [
            "spec.dnsConfig.nameservers[1]: IPv6 address \"2001:DB8::1\" should be in RFC 5952 canonical format \
             (\"2001:db8::1\")",
            "spec.hostAliases[0].ip: IPv6 address \"2001:db8:0::1\" should be in RFC 5952 canonical format \
             (\"2001:db8::1\")",
        ];
        assert_eq!(said[1..], wanted);
    }

    #[test]
    fn names_that_are_used_twice_are_warned_about() {
        let pod = json!({"spec": {
            "hostAliases": [{"ip": "10.0.0.1"}, {"ip": "10.0.0.1"}],
            "imagePullSecrets": [{"name": "a"}, {"name": "a"}],
            "containers": [{"name": "a", "env": [
                {"name": "PATH", "value": "/x"}, {"name": "PATH", "value": "$(PATH):/y"},
                {"name": "A", "value": "1"}, {"name": "A", "value": "$(A)"},
            ]}],
        }});
        let wanted = [
            "spec.hostAliases[1].ip: duplicate ip \"10.0.0.1\"",
            "spec.imagePullSecrets[1].name: duplicate name \"a\"",
            "spec.containers[0].env[3]: hides previous definition of \"A\", which may be dropped when using apply",
        ];
        assert_eq!(told(&pod), wanted);
    }
}
