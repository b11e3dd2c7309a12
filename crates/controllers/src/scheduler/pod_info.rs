//! The scheduling requirements of a Pod, parsed once from its spec.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::templates::Templates;
use crate::api::json::{Text, Value, json};
use crate::api::selector::LabelSelector;
use crate::kinds::pod::node_rules::{HostPort, NodeRules, NodeTerm};
use crate::kinds::pod::resources::of_pod;
use crate::kinds::tree::{field, flag, has, int, list, opt_int, text, texts};
use crate::kinds::{condition, moment};
use crate::views;

/// The reason of the condition DisruptionTarget of a Pod that the scheduler preempts.
pub(super) const PREEMPTED: &str = "PreemptionByScheduler";

/// Amounts of resources: CPU in thousandths, the rest in units.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Amounts {
    pub(super) cpu: i64,
    pub(super) memory: i64,
    pub(super) storage: i64,
    /// Huge pages and extended resources.
    pub(super) other: BTreeMap<String, i64>,
}

impl Amounts {
    /// Returns the amounts of a resource list, already read.
    pub(super) fn from_quantities(list: &BTreeMap<String, crate::api::quantity::Quantity>) -> Self {
        let mut amounts = Self::default();
        for (name, quantity) in list {
            match name.as_str() {
                "cpu" => amounts.cpu = quantity.milli(),
                "memory" => amounts.memory = quantity.ceil(),
                "ephemeral-storage" => amounts.storage = quantity.ceil(),
                // The number of Pods on a node is counted separately: each Pod counts as one, whatever it requests.
                "pods" => {}
                _ => drop(amounts.other.insert(name.clone(), quantity.ceil())),
            }
        }
        amounts
    }

    /// Adds the amounts, or subtracts them with -1.
    pub(super) fn add(&mut self, other: &Self, sign: i64) {
        self.cpu += sign * other.cpu;
        self.memory += sign * other.memory;
        self.storage += sign * other.storage;
        for (name, amount) in &other.other {
            *self.other.entry(name.clone()).or_default() += sign * amount;
        }
    }
}

/// A rule about the Pods that run in the same place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PodTerm {
    pub(super) selector: LabelSelector,
    pub(super) namespaces: Vec<String>,
    pub(super) in_namespaces: Option<LabelSelector>,
    /// The label of nodes whose value is the place.
    pub(super) key: String,
    /// True if Pods that are being deleted count, too.
    pub(super) with_terminating: bool,
}

impl PodTerm {
    /// Returns a term about Pods of one namespace.
    pub(super) fn within(namespace: &str, selector: LabelSelector, key: &str) -> Self {
        Self {
            selector,
            namespaces: vec![namespace.to_owned()],
            in_namespaces: None,
            key: key.to_owned(),
            with_terminating: false,
        }
    }

    fn read(term: &Value, own: &str) -> Option<Self> {
        let selector = LabelSelector::from_object(term.get("labelSelector")).ok()?;
        let mut namespaces: Vec<String> = texts(term, "namespaces").map(str::to_owned).collect();
        let by_selector = term.get("namespaceSelector").filter(|s| !s.is_null());
        // Without namespaces and without a selector a term is about the Pod's own namespace.
        if namespaces.is_empty() && by_selector.is_none() {
            namespaces.push(own.to_owned());
        }
        Some(Self {
            selector,
            namespaces,
            in_namespaces: by_selector.and_then(|s| LabelSelector::from_object(Some(s)).ok()),
            key: text(term, "topologyKey").to_owned(),
            // Affinity is about all Pods on the nodes, spreading only about those that stay.
            with_terminating: true,
        })
    }
}

/// A topology spread constraint.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spread {
    /// The Pods that are spread, and the label whose values are the places.
    pub(super) term: PodTerm,
    pub(super) max_skew: i64,
    pub(super) required: bool,
    pub(super) min_domains: i64,
    pub(super) honors_affinity: bool,
    pub(super) honors_taints: bool,
}

/// The scheduling requirements of a Pod.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PodInfo {
    pub(super) namespace: Text,
    pub(super) name: Text,
    pub(super) uid: Text,
    labels: Value,
    pub(super) priority: i64,
    pub(super) preempts: bool,
    pub(super) terminating: bool,
    /// True if the Pod terminates because the scheduler preempted it.
    pub(super) preempted: bool,
    /// True if it has resource claims.
    pub(super) has_devices: bool,
    pub(super) since: Option<Timestamp>,
    pub(super) needs: Arc<Needs>,
}

/// The requirements that Pods of one template share.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Needs {
    pub(super) amounts: Amounts,
    /// CPU and memory for scores: containers without requests count as a default amount.
    pub(super) counted: (i64, i64),
    /// The node requirements.
    pub(super) nodes: NodeRules,
    pub(super) preferred: Vec<(i64, NodeTerm)>,
    pub(super) ports: Vec<HostPort>,
    pub(super) with: Vec<PodTerm>,
    pub(super) without: Vec<PodTerm>,
    /// Terms with weights below zero are better avoided.
    pub(super) rather: Vec<(i64, PodTerm)>,
    pub(super) spread: Vec<Spread>,
    pub(super) claims: Vec<Claim>,
    /// Disks that only one Pod of a node, or of the cluster, may use.
    pub(super) disks: Vec<String>,
}

/// A volume claim that a Pod uses.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Claim {
    pub(super) name: String,
    /// True if it is made for the Pod alone.
    pub(super) ephemeral: bool,
}

impl PodInfo {
    /// Reads a Pod; its requirements are those of its template if another Pod of it is known.
    pub(super) fn read(pod: &Value, templates: &mut Templates) -> Self {
        Self::with(pod, |spec, namespace, name| {
            templates.needs(spec, namespace, name)
        })
    }

    /// Returns a Pod with the requirements of its spec, its namespace and its name.
    pub(super) fn with(pod: &Value, needs: impl FnOnce(&Value, &str, &str) -> Arc<Needs>) -> Self {
        let meta = field(pod, "metadata");
        let spec = field(pod, "spec");
        // Shares the text with the Pod instead of copying it.
        let own = |name: &str| match field(meta, name) {
            Value::String(text) => text.clone(),
            _ => Text::new(),
        };
        let (namespace, name) = (own("namespace"), own("name"));
        let started = field(field(pod, "status"), "startTime");
        let terminating = !field(meta, "deletionTimestamp").is_null();
        let is_victim = || {
            let target = condition::find(pod, "DisruptionTarget");
            let view = target.map(views::condition);
            view.is_some_and(|c| c.status() == "True" && c.reason() == PREEMPTED)
        };
        Self {
            uid: own("uid"),
            labels: field(meta, "labels").clone(),
            priority: int(spec, "priority"),
            preempts: text(spec, "preemptionPolicy") != "Never",
            terminating,
            preempted: terminating && is_victim(),
            has_devices: views::pod_claims(pod).next().is_some(),
            since: moment::read(started),
            needs: needs(spec, &namespace, &name),
            namespace,
            name,
        }
    }

    /// Returns true if a term of a Pod applies to this one. `labels` returns the labels of a namespace.
    pub(super) fn matches_term(
        &self,
        term: &PodTerm,
        labels: &dyn Fn(&str, &LabelSelector) -> bool,
    ) -> bool {
        let by_name = term.namespaces.iter().any(|n| self.namespace == *n);
        let by_label = || {
            let selector = term.in_namespaces.as_ref();
            selector.is_some_and(|s| labels(&self.namespace, s))
        };
        self.selected(&term.selector) && (by_name || by_label())
    }

    /// Returns true if another version of the Pod counts the same on its node and for the terms of other Pods.
    pub(super) fn counts_as(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.needs, &other.needs)
            && self.terminating == other.terminating
            && self.labels == other.labels
            && self.namespace == other.namespace
    }

    /// Returns true if another version of the Pod that counts the same is equal in all else.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let rest = |pod: &Self| (pod.since, pod.priority, pod.preempts, pod.preempted);
        self.has_devices == other.has_devices && rest(self) == rest(other)
    }

    /// Returns true if a selector is about its labels.
    pub(super) fn selected(&self, selector: &LabelSelector) -> bool {
        selector.matches(|key| self.labels.get(key)?.as_str())
    }
}

impl Needs {
    pub(super) fn read(spec: &Value, namespace: &str, name: &str) -> Self {
        let affinity = field(spec, "affinity");
        let required = "requiredDuringSchedulingIgnoredDuringExecution";
        let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
        let node = field(affinity, "nodeAffinity");
        let pods = |kind: &str| -> Vec<PodTerm> {
            let terms = list(field(affinity, kind), required).iter();
            terms.filter_map(|t| PodTerm::read(t, namespace)).collect()
        };
        let rather = |kind: &str, sign: i64| {
            let terms = list(field(affinity, kind), preferred).iter();
            let read = move |t: &Value| {
                let term = PodTerm::read(field(t, "podAffinityTerm"), namespace)?;
                Some((sign * int(t, "weight"), term))
            };
            terms.filter_map(read).collect::<Vec<_>>()
        };
        let mut together = rather("podAffinity", 1);
        together.extend(rather("podAntiAffinity", -1));
        Self {
            amounts: Amounts::from_quantities(&of_pod(spec, "requests")),
            counted: counted(spec),
            nodes: NodeRules::read(spec),
            preferred: list(node, preferred)
                .iter()
                .map(|t| (int(t, "weight"), NodeTerm::read(field(t, "preference"))))
                .collect(),
            ports: HostPort::from_spec(spec),
            with: pods("podAffinity"),
            without: pods("podAntiAffinity"),
            rather: together,
            spread: list(spec, "topologySpreadConstraints")
                .iter()
                .filter_map(|constraint| spread(constraint, namespace))
                .collect(),
            claims: claims(spec, name),
            disks: disks(spec),
        }
    }
}

/// Returns the CPU and the memory that a Pod counts with in scores.
fn counted(spec: &Value) -> (i64, i64) {
    let mut spec = spec.clone();
    for containers in ["initContainers", "containers"] {
        for container in spec[containers].as_array_mut().into_iter().flatten() {
            let requests = &mut container["resources"]["requests"];
            // `NonMissingContainerRequests`: a container without requests counts as 100m CPU and 200 MiB, so that such
            // Pods spread too.
            for (name, usual) in [("cpu", "100m"), ("memory", "200Mi")] {
                if !has(requests, name) {
                    requests[name] = json!(usual);
                }
            }
        }
    }
    let sum = of_pod(&spec, "requests");
    let amounts = Amounts::from_quantities(&sum);
    (amounts.cpu, amounts.memory)
}

fn spread(constraint: &Value, namespace: &str) -> Option<Spread> {
    let selector = LabelSelector::from_object(constraint.get("labelSelector")).ok()?;
    Some(Spread {
        term: PodTerm::within(namespace, selector, text(constraint, "topologyKey")),
        max_skew: opt_int(constraint, "maxSkew").unwrap_or(1),
        // `DoNotSchedule` is the default.
        required: text(constraint, "whenUnsatisfiable") != "ScheduleAnyway",
        min_domains: opt_int(constraint, "minDomains").unwrap_or(1),
        // The defaults differ: affinity is honored, taints are not.
        honors_affinity: text(constraint, "nodeAffinityPolicy") != "Ignore",
        honors_taints: text(constraint, "nodeTaintsPolicy") == "Honor",
    })
}

fn claims(spec: &Value, pod: &str) -> Vec<Claim> {
    let mut claims = Vec::new();
    for volume in list(spec, "volumes") {
        let claim = text(field(volume, "persistentVolumeClaim"), "claimName");
        if !claim.is_empty() {
            claims.push(Claim {
                name: claim.to_owned(),
                ephemeral: false,
            });
        } else if !field(volume, "ephemeral").is_null() {
            claims.push(Claim {
                name: format!("{pod}-{}", text(volume, "name")),
                ephemeral: true,
            });
        }
    }
    claims
}

/// Returns the in-tree disks that only one Pod of a node may write.
fn disks(spec: &Value) -> Vec<String> {
    let kinds = [
        ("gcePersistentDisk", "pdName"),
        ("awsElasticBlockStore", "volumeID"),
        ("iscsi", "iqn"),
        ("rbd", "image"),
    ];
    let mut disks = Vec::new();
    for volume in list(spec, "volumes") {
        for (kind, id) in kinds {
            let disk = field(volume, kind);
            // Several Pods may mount such a disk read-only.
            if !disk.is_null() && !flag(disk, "readOnly") {
                disks.push(format!("{kind}/{}", text(disk, id)));
            }
        }
    }
    disks
}
