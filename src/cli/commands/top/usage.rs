//! Resource usage as `ctl top` prints it.

use std::cmp::Ordering;

use crate::api::quantity::Quantity;
use crate::cli::error::CliError;
use crate::cluster::{Cluster, Place, Selection};
use crate::kinds;
use crate::kinds::rbac::AccessAttributes;
use crate::kinds::usage::{PodUsage, Usage};

/// `250m`.
pub(super) fn shown_cpu(usage: &Usage) -> String {
    format!("{}m", usage.cpu.milli())
}

/// `64Mi`.
pub(super) fn shown_memory(usage: &Usage) -> String {
    // kubectl cuts to whole mebibytes instead of rounding.
    format!("{}Mi", usage.memory.ceil() / (1024 * 1024))
}

/// Checks the selectors, which kubectl parses before it asks for metrics.
pub(super) fn check_selectors(kind: &str, labels: &str, fields: &str) -> Result<(), CliError> {
    if let Some(kind) = kinds::find("", "v1", kind) {
        Selection::parse(kind, labels, fields).map_err(|status| CliError::text(status.message))?;
    }
    Ok(())
}

/// Rejects a user who may not read the metrics of a resource.
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

/// Returns the usage of all Pods; kubectl's error if none reports any. The cluster is the administrator's: metrics are
/// an API of their own, and who may read them may not be allowed to read Pods.
pub(super) fn of_all(cluster: &Cluster) -> Result<Vec<PodUsage>, CliError> {
    let Some(kind) = kinds::find("", "v1", "Pod") else {
        return Ok(Vec::new());
    };
    let pods = cluster.list(&Place::new(kind, ""), &|_| true, None)?.items;
    let used: Vec<PodUsage> = pods.iter().filter_map(PodUsage::from_pod).collect();
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

/// Rows with a tab after each cell, as kubectl lays them out.
pub(super) fn row(cells: &[String]) -> String {
    let cells = cells.iter().map(|cell| format!("{cell}\t"));
    cells.collect::<String>() + "\n"
}

/// Headers.
pub(super) fn headers(cells: &[&str]) -> String {
    row(&cells.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>())
}
