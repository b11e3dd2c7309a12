//! Nodes: their status and the Leases of their kubelets.
//!
//! An unchanged Lease is not renewed, so an idle cluster writes nothing. A node counts as alive unless a fault says
//! since when it is not ([`fake::NODE_DOWN`]).

use jiff::Timestamp;

use super::play::{PlayOutcome, World, events, next_stage};
use super::scope::Scope;
use super::stage::Subject;
use crate::api::json::{Value, json};
use crate::kinds::condition::{self, NewCondition};
#[cfg(doc)]
use crate::kinds::fake;
use crate::kinds::moment;
use crate::kinds::tree::{at, field, list, text};

/// The namespace of the Leases.
pub(crate) const LEASES: &str = "kube-node-lease";

/// The stage that registers a new node.
pub(crate) const JOINS: &str = "node-joins";

/// Applies the due stages to a node.
pub(crate) fn node(node: &Value, world: &World<'_>) -> PlayOutcome {
    let mut played = PlayOutcome::default();
    let scope = Scope {
        object: node,
        mode: world.mode,
        now: world.now,
        since: moment::read(at(node, &["metadata", "creationTimestamp"])).unwrap_or(world.now),
        container: None,
    };
    let Some(stage) = next_stage(world, Subject::Node, &scope, &mut played) else {
        return played;
    };
    let patch = stage.next.status.as_ref().map(|patch| scope.filled(patch));
    let status = patched(node, &patch.unwrap_or_default(), world.now);
    // An unchanged status is not written, so that the cluster can settle.
    if &status == field(node, "status") {
        return played;
    }
    played.status = Some(status);
    played.stages.push(stage.name.clone());
    played.events = events(&scope, &stage.next, "");
    played
}

/// Returns the status with the conditions of the patch; its other fields only fill empty ones.
fn patched(node: &Value, patch: &Value, now: Timestamp) -> Value {
    let mut status = match field(node, "status") {
        Value::Object(map) => Value::Object(map.clone()),
        _ => json!({}),
    };
    let mut conditions = condition::of(node);
    for said in list(patch, "conditions") {
        let said = NewCondition {
            kind: text(said, "type"),
            status: text(said, "status"),
            reason: text(said, "reason"),
            message: text(said, "message"),
        };
        // The heartbeat time changes only with the condition: updating it on its own would cause a commit every ten
        // seconds.
        if condition::set(&mut conditions, said, now)
            && let Some(new) = conditions.iter_mut().find(|c| text(c, "type") == said.kind)
        {
            new["lastHeartbeatTime"] = json!(moment::text(now));
        }
    }
    // Users write only `capacity` in a node's file; without `allocatable`, the scheduler would find no resources.
    if !is_empty(field(&status, "capacity")) && is_empty(field(&status, "allocatable")) {
        status["allocatable"] = status["capacity"].clone();
    }
    for (name, value) in patch.as_object().into_iter().flatten() {
        // Fields that the node's status has are kept; stages only fill the gaps.
        let known = status.get(name).is_some_and(|old| !is_empty(old));
        if !known && name != "conditions" {
            status[name] = value.clone();
        }
    }
    let name = text(field(node, "metadata"), "name");
    if is_empty(field(&status, "addresses")) {
        status["addresses"] = json!([
            {"type": "InternalIP", "address": address(name)},
            {"type": "Hostname", "address": name},
        ]);
    }
    status["conditions"] = json!(conditions);
    status
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(map) => map.values().all(is_empty),
        Value::Array(list) => list.is_empty(),
        Value::String(text) => text.is_empty(),
        // Zero counts as unset, because the status of a new node contains zeros.
        Value::Number(number) => number.as_i64() == Some(0),
        Value::Bool(_) => false,
    }
}

/// Returns the address of a node: from the number in its name or, in another range, from a hash.
fn address(name: &str) -> String {
    let digits = name.rsplit(|c: char| !c.is_ascii_digit()).next();
    match digits
        .and_then(|d| d.parse::<u32>().ok())
        .filter(|n| *n < 60_000)
    {
        // `node-1` gets 172.18.1.2, and so on: readable, and stable without a table.
        Some(number) => format!("172.18.{}.{}", 1 + number / 250, 1 + number % 250),
        None => {
            // A hash makes the address independent of which other nodes exist.
            let sum = name.bytes().fold(7_u32, |sum, b| {
                sum.wrapping_mul(31).wrapping_add(u32::from(b))
            });
            format!("172.19.{}.{}", 1 + sum / 250 % 250, 1 + sum % 250)
        }
    }
}

/// Adds the labels that a kubelet sets when it registers its node. A label that the node has stays, because its file
/// may describe another machine.
pub(crate) fn add_labels(node: &mut Value) {
    let label_or = |label: &str, info: &str| match at(node, &["metadata", "labels", label]) {
        Value::Null => at(node, &["status", "nodeInfo", info]).clone(),
        own => own.clone(),
    };
    let system = label_or("kubernetes.io/os", "operatingSystem");
    let architecture = label_or("kubernetes.io/arch", "architecture");
    let name = at(node, &["metadata", "name"]).clone();
    // The beta labels are deprecated, but a kubelet still sets them.
    for (label, value) in [
        ("beta.kubernetes.io/arch", &architecture),
        ("beta.kubernetes.io/os", &system),
        ("kubernetes.io/arch", &architecture),
        ("kubernetes.io/hostname", &name),
        ("kubernetes.io/os", &system),
    ] {
        if at(node, &["metadata", "labels", label]).is_null() && !is_empty(value) {
            node["metadata"]["labels"][label] = value.clone();
        }
    }
}

/// Returns the Lease of a node, as its kubelet writes it.
pub(crate) fn lease(node: &Value, now: Timestamp) -> Value {
    let name = text(field(node, "metadata"), "name");
    let uid = text(field(node, "metadata"), "uid");
    json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": name, "namespace": LEASES, "ownerReferences": [
            // The garbage collector deletes the Lease with its node.
            {"apiVersion": "v1", "kind": "Node", "name": name, "uid": uid},
        ]},
        "spec": {
            "holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": moment::micro(now),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_follow_the_number_in_the_name() {
        assert_eq!(address("node-0"), "172.18.1.1");
        assert_eq!(address("node-251"), "172.18.2.2");
        assert!(address("edge").starts_with("172.19."));
    }

    #[test]
    fn registered_node_gets_the_labels_that_it_lacks() {
        let mut node = json!({"metadata": {"name": "edge", "labels": {"kubernetes.io/arch": "arm64"}},
            "status": {"nodeInfo": {"operatingSystem": "linux", "architecture": "amd64"}}});
        add_labels(&mut node);
        assert_eq!(
            node["metadata"]["labels"],
            json!({"beta.kubernetes.io/arch": "arm64", "beta.kubernetes.io/os": "linux",
                "kubernetes.io/arch": "arm64", "kubernetes.io/hostname": "edge", "kubernetes.io/os": "linux"})
        );
    }

    #[test]
    fn node_lease_is_owned_by_its_node() {
        let node = json!({"metadata": {"name": "n", "uid": "u"}});
        let lease = lease(&node, Timestamp::UNIX_EPOCH);
        assert_eq!(lease["metadata"]["ownerReferences"][0]["uid"], "u");
        assert_eq!(lease["spec"]["renewTime"], "1970-01-01T00:00:00.000000Z");
    }
}
