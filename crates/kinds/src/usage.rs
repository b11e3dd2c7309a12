//! The resource usage that Pods declare, and the objects of the metrics APIs.
//!
//! Pods declare their usage in annotations such as [`fake::CPU_USAGE`], so these objects are computed and never
//! stored.
//!
//! Must not know where Pods come from or which paths serve the objects.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::api::quantity::Quantity;
use crate::fake;
use crate::kind::{Column, Kind};
use crate::tree::{at, field, list, text};

/// The columns of metrics-server's tables.
const COLUMNS: &[Column] = &[
    Column::NAME,
    Column::new("cpu", "string", "quantity", 0),
    Column::new("memory", "string", "quantity", 0),
    Column::new("Window", "string", "duration", 0),
];

/// The usage of a Pod, as metrics-server serves it.
pub static POD_METRICS: Kind =
    Kind::namespaced(("metrics.k8s.io", "v1beta1", "PodMetrics"), ("pods", ""))
        .verbs(&["get", "list"])
        .table(COLUMNS, cells);

/// The usage of a node, as metrics-server serves it.
pub static NODE_METRICS: Kind =
    Kind::cluster_wide(("metrics.k8s.io", "v1beta1", "NodeMetrics"), ("nodes", ""))
        .verbs(&["get", "list"])
        .table(COLUMNS, cells);

/// The time over which usage is measured: metrics-server's default resolution.
const WINDOW: &str = "15s";

/// An amount of CPU and memory.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// The CPU.
    pub cpu: Quantity,
    /// The memory.
    pub memory: Quantity,
}

impl Usage {
    /// No usage.
    pub const NONE: Self = Self {
        cpu: Quantity::ZERO,
        memory: Quantity::ZERO,
    };

    /// Adds another usage.
    pub fn add(&mut self, other: &Self) {
        self.cpu.add(&other.cpu);
        self.memory.add(&other.memory);
    }

    fn object(&self) -> Value {
        json!({"cpu": self.cpu.to_string(), "memory": self.memory.to_string()})
    }
}

/// The usage of a Pod by container.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_kinds::usage::{PodUsage, Usage};
///
/// // The sample server reports only Pods that run and declare a usage.
/// let pod = json!({"metadata": {"name": "web"}, "spec": {"containers": [{"name": "c"}]}, "status": {"phase": "Pending"}});
/// let total: Option<Usage> = PodUsage::from_pod(&pod).map(|usage| usage.total());
/// assert!(total.is_none());
/// ```
#[derive(Clone, Debug)]
pub struct PodUsage {
    /// The namespace of the Pod.
    pub namespace: String,
    /// The name of the Pod.
    pub name: String,
    /// The name of the Pod's node.
    pub node: String,
    /// The name and usage of each container that declares a usage.
    pub containers: Vec<(String, Usage)>,
}

impl PodUsage {
    /// Returns the usage of a Pod, or `None` if the Pod is not running or declares no usage.
    pub fn from_pod(pod: &Value) -> Option<Self> {
        let spec = field(pod, "spec");
        let used = |container: &Value| {
            let name = text(container, "name");
            let of = |resource: &str| fake::usage(pod, name, resource);
            let (cpu, memory) = (of("cpu"), of("memory"));
            (cpu.is_some() || memory.is_some()).then(|| {
                let usage = Usage {
                    cpu: cpu.unwrap_or(Quantity::ZERO),
                    memory: memory.unwrap_or(Quantity::ZERO),
                };
                (name.to_owned(), usage)
            })
        };
        let containers: Vec<_> = list(spec, "containers").iter().filter_map(used).collect();
        // metrics-server has samples of running Pods only.
        let running = text(field(pod, "status"), "phase") == "Running";
        let metadata = field(pod, "metadata");
        (running && !containers.is_empty()).then(|| Self {
            namespace: text(metadata, "namespace").to_owned(),
            name: text(metadata, "name").to_owned(),
            node: text(spec, "nodeName").to_owned(),
            containers,
        })
    }

    /// Returns the total usage of the containers.
    pub fn total(&self) -> Usage {
        let mut total = Usage::NONE;
        self.containers.iter().for_each(|(_, u)| total.add(u));
        total
    }

    /// Returns the `PodMetrics` object of `pod`, whose usage this is.
    pub fn object(&self, pod: &Value, now: Timestamp) -> Value {
        let containers = self.containers.iter();
        let containers = containers.map(|(name, u)| json!({"name": name, "usage": u.object()}));
        let mut object = measured(&POD_METRICS, pod, now);
        object["containers"] = json!(containers.collect::<Vec<_>>());
        object
    }
}

/// Returns the `NodeMetrics` object of a node: the total of its Pods, because nothing measures the rest of a
/// simulated node.
pub fn of_node(node: &Value, used: &[PodUsage], now: Timestamp) -> Value {
    let name = text(field(node, "metadata"), "name");
    let mut total = Usage::NONE;
    let here = used.iter().filter(|pod| pod.node == name);
    here.for_each(|pod| total.add(&pod.total()));
    let mut object = measured(&NODE_METRICS, node, now);
    object["usage"] = total.object();
    object
}

/// Returns the names and values of the metrics that an object declares.
pub fn declared(object: &Value) -> impl Iterator<Item = (&str, Quantity)> {
    let annotations = at(object, &["metadata", "annotations"]).as_object();
    let all = annotations.into_iter().flatten();
    all.filter_map(|(name, value)| {
        let metric = name.strip_prefix(fake::METRIC)?;
        Some((metric, Quantity::parse(value.as_str()?).ok()?))
    })
}

/// Returns the time of a sample in the format of the metrics APIs.
pub fn moment(now: Timestamp) -> String {
    now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Returns the fields that both kinds of samples share. The labels are those of the measured object, so that label
/// selectors work.
fn measured(kind: &Kind, of: &Value, now: Timestamp) -> Value {
    let from = field(of, "metadata");
    let now = moment(now);
    let mut metadata = json!({"name": text(from, "name"), "creationTimestamp": now});
    for name in ["namespace", "labels"] {
        if let Some(value) = from.get(name) {
            metadata[name] = value.clone();
        }
    }
    json!({
        "apiVersion": kind.api_version(), "kind": kind.kind, "metadata": metadata,
        "timestamp": now, "window": WINDOW,
    })
}

fn cells(object: &Value, _now: Timestamp) -> Vec<Value> {
    let sum = |resource: &str| {
        let own = field(object, "usage");
        let containers = list(object, "containers").iter();
        let mut sum = Quantity::ZERO;
        for usage in containers.map(|c| field(c, "usage")).chain([own]) {
            if let Ok(used) = Quantity::parse(text(usage, resource)) {
                sum.add(&used);
            }
        }
        json!(sum.to_string())
    };
    let name = text(field(object, "metadata"), "name");
    vec![
        json!(name),
        sum("cpu"),
        sum("memory"),
        json!(text(object, "window")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(phase: &str) -> Value {
        json!({
            "metadata": {"name": "web", "namespace": "default", "labels": {"app": "web"}, "annotations": {
                "ctl.dev/cpu-usage": "250m", "ctl.dev/memory-usage.c": "64Mi",
                "ctl.dev/metric.qps": "12", "ctl.dev/metric.odd": "many",
            }},
            "spec": {"nodeName": "node-0", "containers": [{"name": "c"}, {"name": "d"}]},
            "status": {"phase": phase},
        })
    }

    #[test]
    fn pod_and_node_metrics_sum_the_declared_usage() {
        let now: Timestamp = "2026-01-02T12:00:00Z".parse().unwrap();
        assert!(PodUsage::from_pod(&pod("Pending")).is_none());
        let pod = pod("Running");
        let used = PodUsage::from_pod(&pod).unwrap();
        let object = used.object(&pod, now);
        assert_eq!(
            object,
            json!({
                "apiVersion": "metrics.k8s.io/v1beta1", "kind": "PodMetrics",
                "metadata": {"name": "web", "namespace": "default", "labels": {"app": "web"},
                    "creationTimestamp": "2026-01-02T12:00:00Z"},
                "timestamp": "2026-01-02T12:00:00Z", "window": "15s",
                "containers": [
                    {"name": "c", "usage": {"cpu": "250m", "memory": "64Mi"}},
                    {"name": "d", "usage": {"cpu": "250m", "memory": "0"}},
                ],
            })
        );
        assert_eq!(
            cells(&object, now),
            [json!("web"), json!("500m"), json!("64Mi"), json!("15s")]
        );
        let node = json!({"metadata": {"name": "node-0"}});
        let used = of_node(&node, &[used], now);
        assert_eq!(used["usage"], json!({"cpu": "500m", "memory": "64Mi"}));
    }

    #[test]
    fn metrics_without_a_number_are_not_declared() {
        let pod = pod("Running");
        let all: Vec<_> = declared(&pod)
            .map(|(name, value)| (name, value.to_string()))
            .collect();
        assert_eq!(all, [("qps", "12".to_owned())]);
    }
}
