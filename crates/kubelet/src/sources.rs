//! The sources of a Pod's volumes and environment variables, and which of them are missing.
//!
//! A Pod starts once all its volumes can be filled, a container once all its variables are available. Optional sources
//! are not waited for. Must not know: how objects are stored.

use std::collections::BTreeMap;

use crate::api::json::Value;
use crate::kinds::tree::{at, field, flag, has, list, text};

/// Every Pod uses this ConfigMap, and a controller creates it in every namespace, so it is not waited for.
const ROOT_CA: &str = "kube-root-ca.crt";

/// The missing sources that keep a Pod or its containers from starting.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Missing {
    /// The volumes that cannot be filled, with the reasons.
    pub volumes: Vec<(String, String)>,
    /// The containers whose environment is incomplete, with the reasons.
    pub containers: BTreeMap<String, String>,
}

impl Missing {
    /// Returns true if nothing is missing.
    pub(crate) fn is_empty(&self) -> bool {
        self.volumes.is_empty() && self.containers.is_empty()
    }
}

/// A ConfigMap or Secret that is a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SourceRef<'a> {
    Map(&'a str),
    Secret(&'a str),
}

impl SourceRef<'_> {
    /// Returns the source's key in the index.
    pub(super) fn id(self, namespace: &str) -> String {
        match self {
            Self::Map(name) => format!("configmap/{namespace}/{name}"),
            Self::Secret(name) => format!("secret/{namespace}/{name}"),
        }
    }
}

/// A source: an object and the keys that it must contain.
struct Source<'a> {
    kept: SourceRef<'a>,
    optional: bool,
    keys: Vec<&'a str>,
}

impl<'a> Source<'a> {
    fn of_volume(source: &'a Value, kept: SourceRef<'a>) -> Self {
        let items = list(source, "items").iter();
        Self {
            kept,
            optional: flag(source, "optional"),
            keys: items.map(|item| text(item, "key")).collect(),
        }
    }

    fn of_environment(reference: &'a Value, kept: fn(&'a str) -> SourceRef<'a>) -> Self {
        let key = Some(text(reference, "key")).filter(|key| !key.is_empty());
        Self {
            kept: kept(text(reference, "name")),
            optional: flag(reference, "optional"),
            keys: key.into_iter().collect(),
        }
    }
}

fn of_volume(volume: &Value) -> Vec<Source<'_>> {
    let mut sources = Vec::new();
    let mut add = |holder, secret_name| {
        let (map, secret) = (field(holder, "configMap"), field(holder, "secret"));
        if !map.is_null() {
            sources.push(Source::of_volume(map, SourceRef::Map(text(map, "name"))));
        }
        if !secret.is_null() {
            let kept = SourceRef::Secret(text(secret, secret_name));
            sources.push(Source::of_volume(secret, kept));
        }
    };
    add(volume, "secretName");
    for projected in list(field(volume, "projected"), "sources") {
        add(projected, "name");
    }
    // Every Pod mounts it through its ServiceAccount, but it appears a moment after its namespace.
    sources.retain(|source| source.kept != SourceRef::Map(ROOT_CA));
    sources
}

/// Returns the sources of a container's environment, in the order in which the kubelet reads them.
fn of_container(container: &Value) -> Vec<Source<'_>> {
    let mut sources = Vec::new();
    for from in list(container, "envFrom") {
        for (name, kept) in [
            ("configMapRef", SourceRef::Map as fn(_) -> _),
            ("secretRef", SourceRef::Secret as fn(_) -> _),
        ] {
            if has(from, name) {
                sources.push(Source::of_environment(field(from, name), kept));
            }
        }
    }
    for variable in list(container, "env") {
        let from = field(variable, "valueFrom");
        for (name, kept) in [
            ("configMapKeyRef", SourceRef::Map as fn(_) -> _),
            ("secretKeyRef", SourceRef::Secret as fn(_) -> _),
        ] {
            if has(from, name) {
                sources.push(Source::of_environment(field(from, name), kept));
            }
        }
    }
    sources
}

fn containers(pod: &Value) -> impl Iterator<Item = &Value> {
    let spec = field(pod, "spec");
    ["initContainers", "containers", "ephemeralContainers"]
        .into_iter()
        .flat_map(|name| list(spec, name))
}

/// Returns the index keys of all sources of a Pod that has yet to start a container.
pub(super) fn waited_for(pod: &Value) -> Vec<String> {
    let (spec, status) = (field(pod, "spec"), field(pod, "status"));
    let waits = |c: &Value| !at(c, &["state", "waiting"]).is_null();
    let bound = !text(spec, "nodeName").is_empty();
    let starts = match text(status, "phase") {
        // A running Pod may still have a container that waits for its environment.
        "" | "Pending" => true,
        "Running" => list(status, "containerStatuses").iter().any(waits),
        _ => false,
    };
    if !bound || !starts {
        return Vec::new();
    }
    let volumes = list(spec, "volumes").iter().flat_map(of_volume);
    let sources = volumes.chain(containers(pod).flat_map(of_container));
    let namespace = text(field(pod, "metadata"), "namespace");
    let mut ids: Vec<String> = sources.map(|s| s.kept.id(namespace)).collect();
    // One entry per source, however many containers use it.
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Returns the missing sources of a Pod. `find` looks up an object in the Pod's namespace.
pub(super) fn missing<'o>(
    pod: &Value,
    find: &dyn Fn(SourceRef<'_>) -> Option<&'o Value>,
) -> Missing {
    let mut missing = Missing::default();
    let namespace = text(field(pod, "metadata"), "namespace");
    for volume in list(field(pod, "spec"), "volumes") {
        let why = of_volume(volume).iter().find_map(|source| {
            let key = unmet(source, find)?;
            // The kubelet's messages for volumes, which are worded differently from those for the environment.
            Some(key.map_or_else(
                || not_found(source.kept),
                |key| match source.kept {
                    SourceRef::Map(_) => {
                        format!("configmap references non-existent config key: {key}")
                    }
                    SourceRef::Secret(_) => format!("references non-existent secret key: {key}"),
                },
            ))
        });
        let named = why.map(|why| (text(volume, "name").to_owned(), why));
        missing.volumes.extend(named);
    }
    for container in containers(pod) {
        let why = of_container(container).iter().find_map(|source| {
            let key = unmet(source, find)?;
            Some(key.map_or_else(
                || not_found(source.kept),
                |key| match source.kept {
                    SourceRef::Map(name) => {
                        format!("couldn't find key {key} in ConfigMap {namespace}/{name}")
                    }
                    SourceRef::Secret(name) => {
                        format!("couldn't find key {key} in Secret {namespace}/{name}")
                    }
                },
            ))
        });
        let named = why.map(|why| (text(container, "name").to_owned(), why));
        missing.containers.extend(named);
    }
    missing
}

/// Returns the missing part of a source: a key, or the whole object if no key is named.
fn unmet<'s, 'o>(
    source: &Source<'s>,
    find: &dyn Fn(SourceRef<'_>) -> Option<&'o Value>,
) -> Option<Option<&'s str>> {
    if source.optional {
        return None;
    }
    // A missing object is reported before its keys.
    let Some(object) = find(source.kept) else {
        return Some(None);
    };
    let holds =
        |key: &&&str| has(field(object, "data"), key) || has(field(object, "binaryData"), key);
    let absent = source.keys.iter().find(|key| !holds(key));
    absent.map(|key| Some(*key))
}

fn not_found(kept: SourceRef<'_>) -> String {
    match kept {
        SourceRef::Map(name) => format!("configmap \"{name}\" not found"),
        SourceRef::Secret(name) => format!("secret \"{name}\" not found"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn lacks(spec: &Value) -> Missing {
        let pod = json!({"metadata": {"namespace": "shop"}, "spec": spec});
        let there = json!({"data": {"a": "1"}, "binaryData": {"b": "Mg=="}});
        missing(&pod, &|kept| match kept {
            SourceRef::Map("there") | SourceRef::Secret("there") => Some(&there),
            _ => None,
        })
    }

    fn of_volumes(volumes: Value) -> Vec<String> {
        let lacking = lacks(&json!({"volumes": volumes}));
        lacking
            .volumes
            .iter()
            .map(|(name, why)| format!("{name}: {why}"))
            .collect()
    }

    #[test]
    fn volumes_require_existing_config_maps_secrets_and_keys() {
        let volumes = json!([
            {"name": "ok", "configMap": {"name": "there", "items": [{"key": "b", "path": "b"}]}},
            {"name": "map", "configMap": {"name": "gone"}},
            {"name": "key", "configMap": {"name": "there", "items": [{"key": "x", "path": "x"}]}},
            {"name": "secret", "secret": {"secretName": "gone"}},
            {"name": "word", "secret": {"secretName": "there", "items": [{"key": "x", "path": "x"}]}},
            {"name": "maybe", "secret": {"secretName": "gone", "optional": true}},
            {"name": "all", "projected": {"sources": [
                {"configMap": {"name": "there"}}, {"secret": {"name": "gone"}},
            ]}},
            {"name": "token", "projected": {"sources": [{"configMap": {"name": "kube-root-ca.crt"}}]}},
            {"name": "empty", "emptyDir": {}},
        ]);
        assert_eq!(
            of_volumes(volumes),
            [
                "map: configmap \"gone\" not found",
                "key: configmap references non-existent config key: x",
                "secret: secret \"gone\" not found",
                "word: references non-existent secret key: x",
                "all: secret \"gone\" not found",
            ]
        );
    }

    #[test]
    fn environments_name_the_first_missing_source() {
        let of = |container: Value| {
            let mut container = container;
            container["name"] = json!("c");
            lacks(&json!({"containers": [container]}))
                .containers
                .remove("c")
        };
        let key = |kind: &str, name: &str, key: &str| json!({"env": [{"name": "V", "valueFrom": {kind: {"name": name, "key": key}}}]});
        for (container, why) in [
            (key("configMapKeyRef", "there", "a"), None),
            (
                key("configMapKeyRef", "gone", "a"),
                Some("configmap \"gone\" not found"),
            ),
            (
                key("configMapKeyRef", "there", "x"),
                Some("couldn't find key x in ConfigMap shop/there"),
            ),
            (
                key("secretKeyRef", "there", "x"),
                Some("couldn't find key x in Secret shop/there"),
            ),
            (
                json!({"envFrom": [{"secretRef": {"name": "gone"}}]}),
                Some("secret \"gone\" not found"),
            ),
            (
                json!({"envFrom": [{"configMapRef": {"name": "gone", "optional": true}}]}),
                None,
            ),
            (json!({"env": [{"name": "V", "value": "1"}]}), None),
        ] {
            assert_eq!(of(container.clone()).as_deref(), why, "{container}");
        }
    }

    #[test]
    fn only_waiting_containers_depend_on_missing_sources() {
        let pod = |phase: &str, state: &str| {
            json!({
                "metadata": {"namespace": "shop"},
                "spec": {"nodeName": "n", "volumes": [
                    {"name": "a", "secret": {"secretName": "s"}}, {"name": "b", "configMap": {"name": "m"}},
                    {"name": "c", "configMap": {"name": "m"}},
                ]},
                "status": {"phase": phase, "containerStatuses": [{"name": "c", "state": {state: {"reason": "r"}}}]},
            })
        };
        let both = ["configmap/shop/m", "secret/shop/s"];
        assert_eq!(waited_for(&pod("Pending", "waiting")), both);
        assert_eq!(waited_for(&pod("Running", "waiting")), both);
        assert_eq!(waited_for(&pod("Running", "running")), [""; 0]);
        assert_eq!(waited_for(&pod("Succeeded", "waiting")), [""; 0]);
    }
}
