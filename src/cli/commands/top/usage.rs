//! Reads and formats resource usage for `ctl top`.

use std::cmp::Reverse;

use crate::cli::error::CliError;
use crate::cluster::{Cluster, Place, Selection};
use crate::kinds;
use crate::kinds::rbac::AccessAttributes;
use crate::kinds::usage::{PodUsage, Usage};

/// Formats CPU usage as in `250m`.
pub(super) fn shown_cpu(usage: &Usage) -> String {
    format!("{}m", usage.cpu.milli())
}

/// Formats memory usage as in `64Mi`.
pub(super) fn shown_memory(usage: &Usage) -> String {
    // kubectl truncates to whole mebibytes.
    format!("{}Mi", usage.memory.ceil() / (1024 * 1024))
}

/// Checks the selectors. kubectl parses them before it requests metrics.
pub(super) fn check_selectors(kind: &str, labels: &str, fields: &str) -> Result<(), CliError> {
    if let Some(kind) = kinds::find("", "v1", kind) {
        Selection::parse(kind, labels, fields).map_err(|status| CliError::text(status.message))?;
    }
    Ok(())
}

/// Returns an error if the user may not read the metrics of a resource.
pub(super) fn authorize(
    cluster: &Cluster,
    resource: &str,
    name: &str,
    namespace: &str,
) -> Result<(), CliError> {
    let access = AccessAttributes::Resource {
        verb: if name.is_empty() { "list" } else { "get" },
        group: "metrics.k8s.io",
        resource,
        name,
    };
    let rights = cluster.rights();
    rights.authorize(rights.identity(), &access, namespace)?;
    Ok(())
}

/// Returns the usage of all Pods, or kubectl's error if none declares any. The cluster is opened as administrator,
/// because the right to read metrics does not imply the right to read Pods.
pub(super) fn of_all(cluster: &Cluster) -> Result<Vec<PodUsage>, CliError> {
    let Some(kind) = kinds::find("", "v1", "Pod") else {
        return Ok(Vec::new());
    };
    let pods = cluster.list(&Place::new(kind, ""), &|_| true, None)?.items;
    let used: Vec<PodUsage> = pods.iter().filter_map(PodUsage::from_pod).collect();
    match used.is_empty() {
        // Usage is declared in annotations. A cluster without any behaves like one without metrics-server.
        true => Err(CliError::text("Metrics API not available")),
        false => Ok(used),
    }
}

/// Rejects an unknown `--sort-by`.
pub(super) fn check_order(order: Option<&str>) -> Result<(), CliError> {
    match order {
        None | Some("" | "cpu" | "memory") => Ok(()),
        Some(_) => Err(CliError::text("--sort-by accepts only cpu or memory")),
    }
}

/// Returns the key for a descending sort. Without an order, all keys are equal.
pub(super) fn most_first(order: Option<&str>, usage: &Usage) -> Reverse<i64> {
    Reverse(match order {
        Some("cpu") => usage.cpu.milli(),
        Some("memory") => usage.memory.ceil(),
        _ => 0,
    })
}

/// Returns a row with a tab after each cell, as kubectl's table writer expects.
pub(super) fn row(cells: &[String]) -> String {
    let cells = cells.iter().map(|cell| format!("{cell}\t"));
    cells.collect::<String>() + "\n"
}

/// Returns the row of column headers.
pub(super) fn headers(cells: &[&str]) -> String {
    row(&cells.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>())
}
