//! Decides if a kubelet accepts a new Pod. It checks the operating system, the sysctls and, for Pods that no scheduler
//! placed, also resources, node labels, ports and taints.
//! The checks are in the kubelet's order, because the first one to fail gives the reason.

use std::collections::BTreeMap;

use super::on_node::pods_on;
use super::preemption;
use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::kinds::admission::pod_security::SAFE_SYSCTLS;
use crate::kinds::condition;
use crate::kinds::pod::node_rules::{HostPort, NodeRules, Taint};
use crate::kinds::pod::resources;
use crate::kinds::tree::{at, entries, field, flag, list, text};
use crate::runtime::{Cache, Object};

/// The label of a node's operating system.
const OS: &str = "kubernetes.io/os";

/// The reason for rejecting a Pod.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rejection {
    /// The reason in one word, which `kubectl get pods` shows.
    pub(super) reason: String,
    /// The message, without the prefix that the status adds.
    pub(super) message: String,
}

impl Rejection {
    pub(super) fn new(reason: &str, message: impl Into<String>) -> Self {
        Self {
            reason: reason.to_owned(),
            message: message.into(),
        }
    }

    fn predicate(name: &str, why: &str) -> Self {
        Self::new(name, format!("Predicate {name} failed: {why}"))
    }
}

/// The decision of a kubelet about a Pod.
#[derive(Debug)]
pub(super) enum Admission<'c> {
    /// The Pod may run.
    Admits,
    /// The Pod must not run.
    Rejects(Rejection),
    /// These Pods must end first, because the Pod is critical.
    Preempts(Vec<&'c Object>),
}

/// Returns the decision of a node's kubelet about a Pod that it has not accepted before.
pub(super) fn decision<'c>(pod: &Object, node: &Object, cache: &'c Cache) -> Admission<'c> {
    if is_accepted(pod) || is_over(pod) {
        return Admission::Admits;
    }
    if let Some(rejection) = sysctls(pod).or_else(|| system(pod)) {
        return Admission::Rejects(rejection);
    }
    if is_placed(pod) {
        return Admission::Admits;
    }
    let others = admitted(pod, node, cache);
    if let Some(rejection) = general(pod, node, &others) {
        return Admission::Rejects(rejection);
    }
    // Only a critical Pod lacks resources after these checks.
    match preemption::victims(pod, lacks(field(pod, "spec"), node, &others), others) {
        Ok(victims) if victims.is_empty() => Admission::Admits,
        Ok(victims) => Admission::Preempts(victims),
        Err(rejection) => Admission::Rejects(rejection),
    }
}

/// Returns true if a kubelet has accepted the Pod.
fn is_accepted(pod: &Object) -> bool {
    !field(field(pod, "status"), "startTime").is_null()
}

fn is_over(pod: &Object) -> bool {
    matches!(text(field(pod, "status"), "phase"), "Succeeded" | "Failed")
}

/// Returns true if the scheduler placed the Pod. It made the same checks, and repeating them for every Pod of a node
/// would take quadratic time.
fn is_placed(pod: &Object) -> bool {
    let scheduler = text(field(pod, "spec"), "schedulerName");
    matches!(scheduler, "" | "default-scheduler") && condition::is_true(pod, "PodScheduled")
}

/// Returns the other Pods of a node that have not ended.
pub(super) fn others<'c>(pod: &Object, node: &Object, cache: &'c Cache) -> Vec<&'c Object> {
    let others = pods_on(node, cache).filter(|other| other.uid() != pod.uid() && !is_over(other));
    others.collect()
}

/// Returns the other Pods that a node runs or admits before this one.
fn admitted<'c>(pod: &Object, node: &Object, cache: &'c Cache) -> Vec<&'c Object> {
    let others = others(pod, node, cache).into_iter();
    let (mut admitted, new): (Vec<&Object>, Vec<&Object>) =
        others.partition(|other| is_accepted(other) || is_placed(other));
    // A kubelet admits Pods one after the other, the oldest first, because a rejected Pod takes no room from the next.
    let order = |pod: &Object| (pod.meta("creationTimestamp").to_owned(), pod.revision());
    let mut new: Vec<&Object> = new.into_iter().filter(|o| order(o) < order(pod)).collect();
    new.sort_by_cached_key(|pod| order(pod));
    for earlier in new {
        let own = sysctls(earlier).or_else(|| system(earlier));
        if own.or_else(|| general(earlier, node, &admitted)).is_none() {
            admitted.push(earlier);
        }
    }
    admitted
}

fn sysctls(pod: &Value) -> Option<Rejection> {
    let spec = field(pod, "spec");
    let names = list(field(spec, "securityContext"), "sysctls").iter();
    names.map(|sysctl| text(sysctl, "name")).find_map(|name| {
        let why = match () {
            () if !SAFE_SYSCTLS.contains(&name) => "not allowlisted",
            () if name.starts_with("net.") && flag(spec, "hostNetwork") => {
                "not allowed with host net enabled"
            }
            () if !name.starts_with("net.") && flag(spec, "hostIPC") => {
                "not allowed with host ipc enabled"
            }
            () => return None,
        };
        let message = format!("forbidden sysctl: \"{name}\" {why}");
        Some(Rejection::new("SysctlForbidden", message))
    })
}

/// Checks the operating system, which is Linux on all nodes.
fn system(pod: &Value) -> Option<Rejection> {
    let labels = field(field(pod, "metadata"), "labels");
    if !matches!(text(labels, OS), "" | "linux") {
        let message =
            "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label";
        return Some(Rejection::new(
            "PodOSSelectorNodeLabelDoesNotMatch",
            message,
        ));
    }
    let name = text(at(pod, &["spec", "os"]), "name");
    let message = "Failed to admit pod as the OS field doesn't match node OS";
    (!matches!(name, "" | "linux")).then(|| Rejection::new("PodOSNotSupported", message))
}

/// Performs the checks that the scheduler performs, too.
fn general(pod: &Object, node: &Object, others: &[&Object]) -> Option<Rejection> {
    let spec = field(pod, "spec");
    let rules = NodeRules::read(spec);
    // For a critical Pod, a kubelet makes room if nothing else is wrong.
    if !preemption::is_critical(pod)
        && let Some(lack) = lacks(spec, node, others).into_iter().next()
    {
        return Some(Rejection::new(
            &format!("OutOf{}", lack.name),
            lack.message(),
        ));
    }
    let labels: BTreeMap<String, String> = entries(field(node, "metadata"), "labels")
        .map(|(key, value)| {
            (
                key.to_owned(),
                value.as_str().unwrap_or_default().to_owned(),
            )
        })
        .collect();
    if !rules.accepts(node.name(), &labels) {
        let why = "node(s) didn't match Pod's node affinity/selector";
        return Some(Rejection::predicate("NodeAffinity", why));
    }
    // Most Pods have no host ports, and then those of the others are not read.
    let own = HostPort::from_spec(spec);
    let mut taken = others
        .iter()
        .flat_map(|o| HostPort::from_spec(field(o, "spec")));
    if !own.is_empty() && taken.any(|port| own.iter().any(|own| own.clashes(&port))) {
        let why = "node(s) didn't have free ports for the requested pod ports";
        return Some(Rejection::predicate("NodePorts", why));
    }
    // Only the scheduler considers other effects: a kubelet starts a Pod despite a `NoSchedule` taint.
    let mut taints = list(field(node, "spec"), "taints").iter().map(Taint::read);
    let why = "node(s) had taints that the pod didn't tolerate";
    taints
        .any(|taint| taint.effect == "NoExecute" && !rules.tolerates(&taint))
        .then(|| Rejection::predicate("TaintToleration", why))
}

/// A resource of which a node has too little left.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lack {
    name: String,
    requested: i64,
    used: i64,
    capacity: i64,
}

impl Lack {
    /// Returns the resource and the amount that must become free.
    pub(super) fn missing(&self) -> (&str, i64) {
        (&self.name, self.requested - (self.capacity - self.used))
    }

    /// Returns the kubelet's message.
    pub(super) fn message(&self) -> String {
        format!(
            "Node didn't have enough resource: {}, requested: {}, used: {}, capacity: {}",
            self.name, self.requested, self.used, self.capacity
        )
    }
}

/// Returns an amount in the unit that the kubelet's messages use.
pub(super) fn units(name: &str, amount: &Quantity) -> i64 {
    match name {
        "cpu" => amount.milli(),
        _ => amount.ceil(),
    }
}

/// Returns the resources of which a node has too little for a Pod, given the others. Resources that the node does not
/// list belong to the cluster, and no kubelet knows them.
pub(super) fn lacks(spec: &Value, node: &Object, others: &[&Object]) -> Vec<Lack> {
    let has = resources::resource_list(field(node, "status"), "allocatable");
    let wants = resources::of_pod(spec, "requests");
    let used: Vec<_> = others
        .iter()
        .map(|other| resources::of_pod(field(other, "spec"), "requests"))
        .collect();
    let first = ["pods", "cpu", "memory", "ephemeral-storage"];
    let rest = wants.keys().map(String::as_str);
    let names = first
        .into_iter()
        .chain(rest.filter(|name| !first.contains(name)));
    let lack = |name: &str| {
        let units = |amount| units(name, amount);
        let (requested, used) = match name {
            "pods" => (1, i64::try_from(others.len()).unwrap_or(i64::MAX)),
            name => (
                units(wants.get(name)?),
                used.iter()
                    .filter_map(|used| used.get(name))
                    .map(units)
                    .sum(),
            ),
        };
        let capacity = units(has.get(name)?);
        (requested > 0 && requested > capacity - used).then(|| Lack {
            name: name.to_owned(),
            requested,
            used,
            capacity,
        })
    };
    names.filter_map(lack).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::cluster::find_kind;
    use crate::on_node::by_node;

    fn object(kind: &str, name: &str, extra: Value) -> Object {
        let kind = find_kind("v1", kind).unwrap();
        let mut object = json!({"metadata": {"name": name, "uid": name, "resourceVersion": "1"}});
        if kind.namespaced {
            object["metadata"]["namespace"] = json!("default");
        }
        crate::api::patch::merge::apply(&mut object, &extra);
        Object::new(kind, object)
    }

    fn pod(name: &str, spec: Value) -> Object {
        let mut pod = json!({"spec": {"nodeName": "n"}});
        pod["metadata"] =
            json!({"creationTimestamp": format!("2026-01-02T12:00:0{}Z", name.len())});
        crate::api::patch::merge::apply(&mut pod, &json!({"spec": spec}));
        object("Pod", name, pod)
    }

    fn of(pods: &[Object], node: Value) -> Vec<Option<(String, String)>> {
        let mut cache = Cache::new(by_node());
        let node = object("Node", "n", node);
        for pod in pods {
            cache.put(pod.clone());
        }
        let rejection = |pod: &Object| match decision(pod, &node, &cache) {
            Admission::Rejects(rejection) => Some((rejection.reason, rejection.message)),
            _ => None,
        };
        pods.iter().map(rejection).collect()
    }

    #[test]
    fn kubelet_rejects_pods_that_name_an_unsuitable_node() {
        let cpu =
            |amount: &str| json!({"containers": [{"resources": {"requests": {"cpu": amount}}}]});
        let port = json!({"containers": [{"ports": [{"hostPort": 4444}]}]});
        let node = json!({
            "metadata": {"labels": {"disk": "ssd"}},
            "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "3"}},
        });
        let all = [
            pod("a", cpu("3")),
            pod("bb", cpu("2")),
            pod("ccc", json!({"nodeSelector": {"disk": "hdd"}})),
            pod("dddd", port.clone()),
            pod("eeeee", port),
            pod("ffffff", json!({"os": {"name": "windows"}})),
            pod(
                "ggggggg",
                json!({"securityContext": {"sysctls": [{"name": "kernel.msgmax", "value": "1"}]}}),
            ),
            pod("hhhhhhhh", json!({"nodeSelector": {"disk": "ssd"}})),
            pod("iiiiiiiii", json!({})),
        ];
        let found = of(&all, node);
        let found: Vec<Option<(&str, &str)>> = found
            .iter()
            .map(|one| one.as_ref().map(|told| (told.0.as_str(), told.1.as_str())))
            .collect();
        assert_eq!(
            found,
            [
                None,
                Some((
                    "OutOfcpu",
                    "Node didn't have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000"
                )),
                Some((
                    "NodeAffinity",
                    "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"
                )),
                None,
                Some((
                    "NodePorts",
                    "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports"
                )),
                Some((
                    "PodOSNotSupported",
                    "Failed to admit pod as the OS field doesn't match node OS"
                )),
                Some((
                    "SysctlForbidden",
                    "forbidden sysctl: \"kernel.msgmax\" not allowlisted"
                )),
                None,
                Some((
                    "OutOfpods",
                    "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3"
                )),
            ]
        );
    }

    #[test]
    fn kubelet_trusts_the_scheduler_and_stands_by_its_decisions() {
        let node = json!({"spec": {"taints": [{"key": "k", "effect": "NoExecute"}]}});
        let with = |status: Value| {
            let mut pod = pod("a", json!({})).to_value();
            pod["status"] = status;
            object("Pod", "a", pod)
        };
        let scheduled = json!({"conditions": [{"type": "PodScheduled", "status": "True"}]});
        let running = json!({"startTime": "2026-01-02T12:00:00Z"});
        for (status, rejects) in [(json!({}), true), (scheduled, false), (running, false)] {
            let found = of(&[with(status)], node.clone());
            assert_eq!(found[0].is_some(), rejects, "{found:?}");
        }
    }
}
