//! Namespaces, ResourceQuotas and LimitRanges.

use std::collections::BTreeSet;

use super::meta::{cluster_head, long_conditions, name, name_and_namespace};
use super::related::Related;
use super::writer::Writer;
use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::kinds::pod::resources::quantity;
use crate::kinds::tree::{entries, field, has, len, list, text, texts};

pub(super) fn namespace(w: &mut Writer, namespace: &Value, related: &Related) {
    cluster_head(w, namespace);
    w.field(0, "Status", text(field(namespace, "status"), "phase"));
    if len(field(namespace, "status"), "conditions") > 0 {
        w.line(0, "Conditions:");
        long_conditions(w, namespace, related);
    }
    w.line(0, "");
    quotas(w, &related.quotas);
    w.line(0, "");
    limit_ranges(w, &related.limit_ranges);
}

fn quotas(w: &mut Writer, quotas: &[Value]) {
    if quotas.is_empty() {
        return w.line(0, "No resource quota.");
    }
    let mut sorted: Vec<&Value> = quotas.iter().collect();
    sorted.sort_by_cached_key(|quota| name(quota).to_owned());
    w.line(0, "Resource Quotas");
    for quota in sorted {
        w.field(1, "Name", name(quota));
        scopes(w, 1, quota, "* ");
        w.line(1, "Resource\tUsed\tHard");
        // As in kubectl, one dash is missing here, but not in the description of a quota.
        w.line(1, "--------\t---\t---");
        used(w, 1, quota, |used, _| used);
    }
}

fn scopes(w: &mut Writer, level: usize, quota: &Value, bullet: &str) {
    let mut scopes: Vec<&str> = texts(field(quota, "spec"), "scopes").collect();
    if scopes.is_empty() {
        return;
    }
    scopes.sort_unstable();
    w.field(level, "Scopes", scopes.join(", "));
    for scope in scopes {
        let help = match scope {
            "Terminating" => {
                "Matches all pods that have an active deadline. These pods have a limited lifespan on a node before \
                 being actively terminated by the system."
            }
            "NotTerminating" => {
                "Matches all pods that do not have an active deadline. These pods usually include long running pods \
                 whose container command is not expected to terminate."
            }
            "BestEffort" => {
                "Matches all pods that do not have resource requirements set. These pods have a best effort quality \
                 of service."
            }
            "NotBestEffort" => {
                "Matches all pods that have at least one resource requirement set. These pods have a burstable or \
                 guaranteed quality of service."
            }
            // kubectl has no help for newer scopes such as `PriorityClass`.
            _ => continue,
        };
        w.line(level, format!("{bullet}{help}"));
    }
}

fn used(w: &mut Writer, level: usize, quota: &Value, shown: fn(Quantity, Quantity) -> Quantity) {
    let status = field(quota, "status");
    // The limits in the status rather than the spec, because only those are being counted.
    for (resource, hard) in entries(status, "hard") {
        let hard = quantity(hard);
        let used = shown(quantity(field(field(status, "used"), resource)), hard);
        w.line(level, format!("{resource}\t{used}\t{hard}"));
    }
}

pub(super) fn resource_quota(w: &mut Writer, quota: &Value, _related: &Related) {
    name_and_namespace(w, quota);
    scopes(w, 0, quota, " * ");
    w.line(0, "Resource\tUsed\tHard");
    w.line(0, "--------\t----\t----");
    // Only here does kubectl print the usage like the limit: `100M` of `1Gi` is `100000000`.
    used(w, 0, quota, |used, hard| used.in_notation_of(&hard));
}

const LIMITS: &str =
    "Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio";
const BELOW: &str =
    "----\t--------\t---\t---\t---------------\t-------------\t-----------------------";

fn limit_ranges(w: &mut Writer, ranges: &[Value]) {
    if ranges.is_empty() {
        return w.line(0, "No LimitRange resource.");
    }
    w.line(0, "Resource Limits");
    w.line(0, format!(" {LIMITS}"));
    w.line(0, format!(" {BELOW}"));
    for range in ranges {
        limits(w, range, " ");
    }
}

pub(super) fn limit_range(w: &mut Writer, range: &Value, _related: &Related) {
    name_and_namespace(w, range);
    w.line(0, LIMITS);
    w.line(0, BELOW);
    limits(w, range, "");
}

fn limits(w: &mut Writer, range: &Value, indent: &str) {
    const COLUMNS: [&str; 5] = [
        "min",
        "max",
        "defaultRequest",
        "default",
        "maxLimitRequestRatio",
    ];
    for item in list(field(range, "spec"), "limits") {
        let resources: BTreeSet<&str> = COLUMNS
            .iter()
            // A resource gets a row if any column contains it.
            .flat_map(|column| entries(item, column))
            .map(|(name, _)| name)
            .collect();
        for resource in resources {
            let cell = |column: &&str| match has(field(item, column), resource) {
                true => quantity(field(field(item, column), resource)).to_string(),
                false => "-".to_owned(),
            };
            let cells: Vec<String> = COLUMNS.iter().map(cell).collect();
            w.line(
                0,
                format!(
                    "{indent}{}\t{resource}\t{}",
                    text(item, "type"),
                    cells.join("\t")
                ),
            );
        }
    }
}
