//! Resizes running containers. A kubelet does so in place if its node has room.

use super::admission::{self, Lack};
use super::container::Container;
use super::reported_event::ReportedEvent;
use crate::api::json::{Value, json};
use crate::cluster::PodMode;
use crate::kinds::fake;
use crate::kinds::pod::resources;
use crate::kinds::tree::{field, int, list, text};
use crate::runtime::{Cache, Object};

/// The condition of a Pod whose resize is pending.
pub(super) const PENDING: &str = "PodResizePending";

/// The decision about a resize that a Pod's spec asks for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Resize {
    /// The node has room.
    Granted,
    /// The resize is not possible: never on this node, or not now.
    Pending {
        /// `Infeasible` or `Deferred`.
        reason: &'static str,
        /// A message that names the resource.
        message: String,
    },
}

/// Returns the decision about the resize of a Pod if its spec differs from its running containers.
pub(super) fn decision(
    pod: &Object,
    node: &Object,
    mode: PodMode,
    cache: &Cache,
) -> Option<Resize> {
    // In the mode `running`, there are no resizes, as its recordings show, and on a node that is down, nothing
    // happens.
    let down = !fake::annotation(node, fake::NODE_DOWN).is_empty();
    if mode != PodMode::Default || down || pod.is_terminating() || !is_wanted(pod) {
        return None;
    }
    let spec = field(pod, "spec");
    let (wants, has) = (
        resources::of_pod(spec, "requests"),
        resources::resource_list(field(node, "status"), "allocatable"),
    );
    // If both exceed the node, memory is named first.
    let too_much = ["memory", "cpu"].into_iter().find_map(|name| {
        let (requested, capacity) = (wants.get(name)?, has.get(name)?);
        let units = |amount| admission::units(name, amount);
        (requested > capacity).then(|| {
            format!(
                "Node didn't have enough capacity: {name}, requested: {}, capacity: {}",
                units(requested),
                units(capacity)
            )
        })
    });
    if let Some(message) = too_much {
        let reason = "Infeasible";
        return Some(Resize::Pending { reason, message });
    }
    // Read late: the node's other Pods do not matter for a resize that exceeds the node.
    let others = admission::others(pod, node, cache);
    Some(
        match admission::lacks(spec, node, &others).into_iter().next() {
            None => Resize::Granted,
            Some(lack) => Resize::Pending {
                reason: "Deferred",
                message: Lack::message(&lack),
            },
        },
    )
}

/// Returns true if the resources of a running container differ from its spec.
fn is_wanted(pod: &Value) -> bool {
    let (spec, status) = (field(pod, "spec"), field(pod, "status"));
    let lists = [
        ("containers", "containerStatuses"),
        ("initContainers", "initContainerStatuses"),
    ];
    lists.into_iter().any(|(containers, statuses)| {
        let containers = list(spec, containers);
        list(status, statuses).iter().any(|status| {
            let own = containers
                .iter()
                .find(|c| text(c, "name") == text(status, "name"));
            own.is_some_and(|spec| differs(spec, status))
        })
    })
}

fn differs(spec: &Value, status: &Value) -> bool {
    // A waiting container gets its resources when it starts.
    let runs = !field(field(status, "state"), "running").is_null();
    let normal = |resources: &Value| match resources.as_object() {
        Some(map) if !map.is_empty() => resources.clone(),
        _ => Value::Null,
    };
    runs && normal(field(spec, "resources")) != normal(field(status, "resources"))
}

/// Gives a running container the resources in its spec. Returns true if that requires a restart.
pub(super) fn apply(container: &mut Container<'_>) -> bool {
    if !differs(container.spec, &container.status) {
        return false;
    }
    let wanted = field(container.spec, "resources");
    let old = field(&container.status, "resources").clone();
    let changed = |name: &str| {
        let amount = |of: &Value, which: &str| field(field(of, which), name).clone();
        let which = ["requests", "limits"];
        which
            .iter()
            .any(|which| amount(wanted, which) != amount(&old, which))
    };
    // Without a policy, a change requires no restart.
    let policies = list(container.spec, "resizePolicy").iter();
    let mut restarts =
        policies.filter(|policy| text(policy, "restartPolicy") == "RestartContainer");
    let restart = restarts.any(|policy| changed(text(policy, "resourceName")));
    container.status["resources"] = wanted.clone();
    container.status["allocatedResources"] = match wanted.get("requests") {
        Some(requests) => requests.clone(),
        None => json!({}),
    };
    restart
}

/// Returns an event about a step of a resize.
pub(super) fn resize_event(pod: &Value, step: &Step<'_>) -> ReportedEvent {
    let (reason, said) = match step {
        Step::Started => ("ResizeStarted", "started"),
        Step::Completed => ("ResizeCompleted", "completed"),
        Step::Pending("Infeasible", _) => ("ResizeInfeasible", "Infeasible"),
        Step::Pending(reason, _) => ("ResizeDeferred", *reason),
    };
    let error = match step {
        Step::Pending(_, error) => *error,
        _ => "",
    };
    let kind = if error.is_empty() {
        "Normal"
    } else {
        "Warning"
    };
    ReportedEvent {
        kind: kind.to_owned(),
        reason: reason.to_owned(),
        message: format!("Pod resize {said}: {}", summary(pod, error)),
        field: String::new(),
        repeats: None,
    }
}

/// A step of a resize.
pub(super) enum Step<'a> {
    /// The node has granted the resources.
    Started,
    /// The containers have the resources.
    Completed,
    /// The resize is pending, for this reason and with this message.
    Pending(&'a str, &'a str),
}

/// Formats the resources of a Pod's containers as the kubelet does: as JSON, with the fields in its order.
fn summary(pod: &Value, error: &str) -> String {
    let spec = field(pod, "spec");
    let fields = |of: &Value, names: &[&str]| {
        let there = names.iter().filter(|name| !field(of, name).is_null());
        let parts: Vec<String> = there
            .map(|name| format!("{}:{}", json!(name), field(of, name)))
            .collect();
        format!("{{{}}}", parts.join(","))
    };
    let mut parts = Vec::new();
    for name in ["initContainers", "containers"] {
        let all = list(spec, name).iter().map(|container| {
            let resources = fields(
                field(container, "resources"),
                &["limits", "requests", "claims"],
            );
            let name = field(container, "name");
            format!("{{\"name\":{name},\"resources\":{resources}}}")
        });
        let all: Vec<String> = all.collect();
        if !all.is_empty() {
            parts.push(format!("{}:[{}]", json!(name), all.join(",")));
        }
    }
    parts.push(format!(
        "\"generation\":{}",
        int(field(pod, "metadata"), "generation")
    ));
    if !error.is_empty() {
        parts.push(format!("\"error\":{}", json!(error)));
    }
    format!("{{{}}}", parts.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::find_kind;
    use crate::kinds::condition;
    use crate::on_node::by_node;
    use crate::play::{self, PlayOutcome, World};
    use crate::stage;
    use crate::sys::entropy::Seed;

    fn object(kind: &str, object: Value) -> Object {
        Object::new(find_kind("v1", kind).unwrap(), object)
    }

    fn pod(name: &str, cpu: &str, policy: &str) -> Object {
        let old = json!({"requests": {"cpu": "100m"}});
        object(
            "Pod",
            json!({
                "metadata": {"name": name, "namespace": "default", "uid": name, "generation": 2},
                "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "nginx",
                    "resources": {"requests": {"cpu": cpu}},
                    "resizePolicy": [{"resourceName": "cpu", "restartPolicy": policy}]}]},
                "status": {"phase": "Running", "startTime": "2026-01-02T12:00:00Z", "containerStatuses": [
                    {"name": "c", "image": "nginx", "restartCount": 0, "allocatedResources": old["requests"],
                        "resources": old, "state": {"running": {"startedAt": "2026-01-02T12:00:00Z"}}}]},
            }),
        )
    }

    fn played(pod: &Object) -> PlayOutcome {
        let node = object(
            "Node",
            json!({"metadata": {"name": "n", "uid": "n"}, "status": {"allocatable": {"cpu": "4"}}}),
        );
        let mut cache = Cache::new(by_node());
        cache.put(pod.clone());
        cache.put(self::pod("other", "3", "NotRequired"));
        let resize = decision(pod, &node, PodMode::Default, &cache);
        let world = World {
            stages: stage::built_in(),
            mode: PodMode::Default,
            now: "2026-01-02T12:01:00Z".parse().unwrap(),
            seed: Seed(7),
            node: Some(node.value()),
            address: "10.0.0.1",
            missing: None,
            images: None,
            resize: resize.as_ref(),
        };
        play::pod(pod, &world)
    }

    #[test]
    fn running_container_gets_the_resources_of_its_spec() {
        let played_once = played(&pod("a", "200m", "NotRequired"));
        let told = |word: &str| {
            format!(
                "Pod resize {word}: {{\"containers\":[{{\"name\":\"c\",\"resources\":{{\"requests\":\
                 {{\"cpu\":\"200m\"}}}}}}],\"generation\":2}}"
            )
        };
        let events: Vec<_> = played_once
            .events
            .iter()
            .map(|e| (&*e.reason, &e.message))
            .collect();
        assert_eq!(
            events,
            [
                ("ResizeStarted", &told("started")),
                ("ResizeCompleted", &told("completed")),
            ]
        );
        let status = played_once.status.unwrap();
        let own = &status["containerStatuses"][0];
        assert_eq!(own["allocatedResources"], json!({"cpu": "200m"}));
        assert_eq!(own["resources"], json!({"requests": {"cpu": "200m"}}));
        assert_eq!(
            (
                own["restartCount"].as_i64(),
                status["observedGeneration"].as_i64()
            ),
            (Some(0), Some(2))
        );
        let status = played(&pod("a", "200m", "RestartContainer"))
            .status
            .unwrap();
        let own = &status["containerStatuses"][0];
        assert_eq!(own["restartCount"], 1);
        assert_eq!(own["resources"], json!({"requests": {"cpu": "200m"}}));
    }

    #[test]
    fn resize_without_room_is_pending_until_it_is_taken_back() {
        for (cpu, reason, message) in [
            (
                "9",
                "Infeasible",
                "Node didn't have enough capacity: cpu, requested: 9000, capacity: 4000",
            ),
            (
                "2",
                "Deferred",
                "Node didn't have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000",
            ),
        ] {
            let asked = pod("a", cpu, "NotRequired");
            let once = played(&asked);
            assert_eq!(once.events[0].reason, format!("Resize{reason}"));
            assert_eq!(
                once.events[0].message,
                format!(
                    "Pod resize {reason}: {{\"containers\":[{{\"name\":\"c\",\"resources\":{{\"requests\":\
                     {{\"cpu\":\"{cpu}\"}}}}}}],\"generation\":2,\"error\":\"{message}\"}}"
                )
            );
            let status = once.status.unwrap();
            let pending = condition::find(&json!({"status": status}), PENDING)
                .unwrap()
                .clone();
            assert_eq!(
                (text(&pending, "reason"), text(&pending, "message")),
                (reason, message)
            );
            assert_eq!(pending["observedGeneration"], 2);
            assert_eq!(
                status["containerStatuses"][0]["allocatedResources"],
                json!({"cpu": "100m"})
            );
            let mut back = pod("a", "100m", "NotRequired").to_value();
            back["status"] = status;
            let status = played(&object("Pod", back)).status.unwrap();
            assert!(condition::find(&json!({"status": status}), PENDING).is_none());
        }
    }
}
