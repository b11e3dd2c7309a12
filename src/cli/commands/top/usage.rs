//! Resource usage as `ctl top` prints it.

use std::cmp::Ordering;

use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::cli::error::CliError;
use crate::cluster::{Cluster, Place};
use crate::kinds::tree::{field, list, text};
use crate::kinds::{self, fake};

/// CPU and memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Usage {
    pub(super) cpu: Quantity,
    pub(super) memory: Quantity,
}

impl Usage {
    /// Nothing.
    pub(super) const NONE: Self = Self {
        cpu: Quantity::ZERO,
        memory: Quantity::ZERO,
    };

    pub(super) fn add(&mut self, other: &Self) {
        self.cpu.add(&other.cpu);
        self.memory.add(&other.memory);
    }

    /// `250m`.
    pub(super) fn shown_cpu(&self) -> String {
        format!("{}m", self.cpu.milli())
    }

    /// `64Mi`.
    pub(super) fn shown_memory(&self) -> String {
        // kubectl cuts to whole mebibytes instead of rounding.
        format!("{}Mi", self.memory.ceil() / (1024 * 1024))
    }
}

/// The usage of a Pod.
#[derive(Clone, Debug)]
pub(super) struct PodUsage {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) node: String,
    pub(super) containers: Vec<(String, Usage)>,
}

impl PodUsage {
    /// Returns the usage of a Pod; none if it is not running or reports none.
    pub(super) fn of(pod: &Value) -> Option<Self> {
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
        // metrics-server has no samples of a Pod that is not running.
        let running = text(field(pod, "status"), "phase") == "Running";
        let metadata = field(pod, "metadata");
        (running && !containers.is_empty()).then(|| Self {
            namespace: text(metadata, "namespace").to_owned(),
            name: text(metadata, "name").to_owned(),
            node: text(spec, "nodeName").to_owned(),
            containers,
        })
    }

    pub(super) fn total(&self) -> Usage {
        let mut total = Usage::NONE;
        self.containers.iter().for_each(|(_, u)| total.add(u));
        total
    }
}

/// Returns the usage of all Pods; kubectl's error if none reports any.
pub(super) fn of_all(cluster: &Cluster) -> Result<Vec<PodUsage>, CliError> {
    let Some(kind) = kinds::find("", "v1", "Pod") else {
        return Ok(Vec::new());
    };
    let pods = cluster.list(&Place::new(kind, ""), &|_| true, None)?.items;
    let used: Vec<PodUsage> = pods.iter().filter_map(PodUsage::of).collect();
    match used.is_empty() {
        // Usage is opt-in by annotation, so a cluster without any behaves like one without metrics-server.
        true => Err(CliError::text("Metrics API not available")),
        false => Ok(used),
    }
}

/// Checks that a word names an order.
pub(super) fn check_order(order: Option<&str>) -> Result<(), CliError> {
    match order {
        None | Some("" | "cpu" | "memory") => Ok(()),
        Some(_) => Err(CliError::text("--sort-by accepts only cpu or memory")),
    }
}

/// Compares two: the one that uses more comes first, if there is an order.
pub(super) fn compare(order: Option<&str>, a: &Usage, b: &Usage) -> Ordering {
    let most_first = |a: &Quantity, b: &Quantity| b.to_f64().total_cmp(&a.to_f64());
    match order {
        Some("cpu") => most_first(&a.cpu, &b.cpu),
        Some("memory") => most_first(&a.memory, &b.memory),
        _ => Ordering::Equal,
    }
}

/// Rows with a tab behind each cell, as kubectl lays them out.
pub(super) fn row(cells: &[String]) -> String {
    let cells = cells.iter().map(|cell| format!("{cell}\t"));
    cells.collect::<String>() + "\n"
}

/// Headers.
pub(super) fn headers(cells: &[&str]) -> String {
    row(&cells.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>())
}
