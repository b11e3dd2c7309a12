//! Drops the fields of features that are off by default, as the API server does silently. An object that already has
//! such a field keeps it.

use crate::api::json::Value;
use crate::kind::Kind;
use crate::tree::{at, child, empty, field, has, items, list, take};

/// The sources of projected volumes that belong to the disabled features `ClusterTrustBundleProjection` and
/// `PodCertificateRequest`.
const SOURCES: [&str; 2] = ["clusterTrustBundle", "podCertificate"];

/// The field of a Pod's spec that belongs to the disabled feature `GenericWorkload`.
const GROUP: &str = "schedulingGroup";

const CONTAINERS: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];

/// Drops the disabled fields that the old object does not have.
pub(super) fn drop_disabled(kind: &Kind, object: &mut Value, old: &Value) {
    for path in kind.hooks.gated {
        if let [parents @ .., name] = path
            && at(old, path).is_null()
            && let Some(holder) = part(object, parents)
        {
            take(holder, name);
        }
    }
    let Some(template) = kind.hooks.pod_template else {
        return;
    };
    let old = field(at(old, template), "spec");
    // Look before writing: a mutable path would copy parts that the object shares with others.
    let spec = field(at(object, template), "spec");
    let drops_group = has(spec, GROUP) && !has(old, GROUP);
    let drops_signals = has_signal(spec) && !has_signal(old);
    let dropped = SOURCES.map(|name| has_source(spec, name) && !has_source(old, name));
    if !drops_group && !drops_signals && dropped == [false; 2] {
        return;
    }
    let Some(spec) = part(object, template).and_then(|template| child(template, "spec")) else {
        return;
    };
    if drops_group {
        take(spec, GROUP);
    }
    if drops_signals {
        drop_signals(spec);
    }
    let volumes = items(spec, "volumes").filter_map(|volume| child(volume, "projected"));
    for source in volumes.flat_map(|projected| items(projected, "sources")) {
        for (name, _) in SOURCES.iter().zip(dropped).filter(|(_, dropped)| *dropped) {
            take(source, name);
        }
    }
}

fn part<'a>(object: &'a mut Value, path: &[&str]) -> Option<&'a mut Value> {
    path.iter()
        .try_fold(object, |value, name| child(value, name))
}

/// Returns true if a container has its own signal to stop, a field of the disabled feature `ContainerStopSignals`.
fn has_signal(spec: &Value) -> bool {
    let mut containers = CONTAINERS.iter().flat_map(|name| list(spec, name));
    containers.any(|container| has(field(container, "lifecycle"), "stopSignal"))
}

fn drop_signals(spec: &mut Value) {
    for name in CONTAINERS {
        for container in items(spec, name) {
            let Some(hooks) = child(container, "lifecycle") else {
                continue;
            };
            // Upstream drops the hooks with the signal if there is nothing else.
            if take(hooks, "stopSignal").is_some() && *hooks == empty() {
                take(container, "lifecycle");
            }
        }
    }
}

fn has_source(spec: &Value, name: &str) -> bool {
    let volumes = list(spec, "volumes").iter();
    let mut sources = volumes.flat_map(|volume| list(field(volume, "projected"), "sources"));
    sources.any(|source| has(source, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::find;

    #[test]
    fn fields_of_disabled_features_are_dropped_unless_they_were_there() {
        let hooks = json!({"preStop": {"sleep": {"seconds": 1}}, "stopSignal": "SIGTERM"});
        let spec = json!({"schedulingGroup": {"podGroupName": "g"}, "volumes": [{"name": "v", "projected":
            {"sources": [{"clusterTrustBundle": {"name": "b"}}, {"secret": {"name": "s"}}]}}],
            "containers": [{"name": "a", "lifecycle": hooks}, {"name": "b", "lifecycle": {"stopSignal": "SIGTERM"}}]});
        let less = json!({"volumes": [{"name": "v", "projected": {"sources": [{}, {"secret": {"name": "s"}}]}}],
            "containers": [{"name": "a", "lifecycle": {"preStop": {"sleep": {"seconds": 1}}}}, {"name": "b"}]});
        let pod = json!({"spec": spec});
        let deployment = json!({"spec": {"template": {"spec": spec}}});
        for (group, kind, object, dropped) in [
            ("", "Pod", &pod, json!({"spec": less})),
            (
                "apps",
                "Deployment",
                &deployment,
                json!({"spec": {"template": {"spec": less}}}),
            ),
        ] {
            let kind = find(group, "v1", kind).unwrap();
            let mut new = object.clone();
            drop_disabled(kind, &mut new, &Value::Null);
            assert_eq!(new, dropped);
            let mut changed = object.clone();
            drop_disabled(kind, &mut changed, object);
            assert_eq!(&changed, object);
        }
        let lease = find("coordination.k8s.io", "v1", "Lease").unwrap();
        let mut object =
            json!({"spec": {"strategy": "OldestEmulationVersion", "holderIdentity": "h"}});
        drop_disabled(lease, &mut object, &Value::Null);
        assert_eq!(object, json!({"spec": {"holderIdentity": "h"}}));
    }
}
