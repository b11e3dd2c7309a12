//! `ctl top node`.

use std::process::ExitCode;

use clap::Args;

use super::usage::{self, check_order, headers, most_first, row, shown_cpu, shown_memory};
use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::api::status::Status;
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cluster::{ApiError, ListOptions, Place};
use crate::kinds;
use crate::kinds::pod::resources::quantity;
use crate::kinds::tree::{at, field, text};
use crate::kinds::usage::Usage;
use crate::print::sort::by_key;
use crate::print::tabwriter::TABLE;

/// Show the resource usage of nodes: the sum over their Pods
///
/// Examples:
///   ctl top node
///   ctl top node -l pool=big --sort-by=cpu
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct NodeArgs {
    /// A node
    words: Vec<String>,
    /// Label selector of nodes
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// Sort in descending order of: cpu or memory
    #[arg(long, value_name = "WHAT")]
    sort_by: Option<String>,
    /// Show percentages of the node's capacity instead of its allocatable resources
    #[arg(long)]
    show_capacity: bool,
    /// Do not print headers
    #[arg(long)]
    no_headers: bool,
    /// Show the swap usage, which fake nodes do not have
    #[arg(long)]
    show_swap: bool,
    /// Has no effect on a cluster in a directory
    #[arg(long, hide = true, default_value_t = true, action = clap::ArgAction::Set)]
    use_protocol_buffers: bool,
}

pub(super) fn run(args: &NodeArgs, context: &Context) -> Outcome {
    if args.words.len() > 1 {
        return Err(context.usage("node [NAME | -l label]"));
    }
    let name = args.words.first().map(String::as_str).unwrap_or_default();
    check_order(args.sort_by.as_deref())?;
    let labels = args.selector.clone().unwrap_or_default();
    if !name.is_empty() && !labels.is_empty() {
        let text = "only one of NAME or --selector can be provided";
        return Err(CliError::text(text));
    }
    usage::check_selectors("Node", &labels, "")?;
    let cluster = context.api()?;
    let used = usage::of_all(&context.open_as_administrator()?)?;
    usage::authorize(&cluster, "nodes", name, "")?;
    let Some(kind) = kinds::find("", "v1", "Node") else {
        return Err(CliError::text("there are no nodes"));
    };
    let place = Place::new(kind, "");
    let nodes = match name {
        "" => {
            let options = ListOptions {
                labels,
                ..ListOptions::default()
            };
            cluster.select(&place, &options)?.items
        }
        // A named node that does not exist is an error, but an empty selection counts as missing metrics.
        name => vec![cluster.get(&place, name).map_err(|e| unmeasured(e, name))?],
    };
    if nodes.is_empty() {
        return Err(CliError::text("metrics not available yet"));
    }
    let mut rows: Vec<(&Value, Usage)> = Vec::new();
    for node in &nodes {
        let name = text(field(node, "metadata"), "name");
        let mut total = Usage::NONE;
        // The usage of a node is that of its Pods, because no kubelet measures the rest.
        let here = used.iter().filter(|pod| pod.node == name);
        here.for_each(|pod| total.add(&pod.total()));
        rows.push((node, total));
    }
    let order = args.sort_by.as_deref();
    let rows = by_key(rows, |(_, used)| most_first(order, used));
    let mut out = String::new();
    if !args.no_headers {
        let swap: &[&str] = match args.show_swap {
            true => &["SWAP(bytes)", "SWAP(%)"],
            false => &[],
        };
        let first = ["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"];
        out += &headers(&[&first[..], swap].concat());
    }
    // Usage is relative to allocatable by default, because the rest of the capacity is reserved for the system.
    let whole = if args.show_capacity {
        "capacity"
    } else {
        "allocatable"
    };
    for (node, used) in rows {
        let mut cells = vec![text(field(node, "metadata"), "name").to_owned()];
        for (resource, shown, used) in [
            ("cpu", shown_cpu(&used), &used.cpu),
            ("memory", shown_memory(&used), &used.memory),
        ] {
            cells.push(shown);
            let all = at(node, &["status", whole, resource]);
            // As in kubectl, the row of a node that does not report the resource has fewer cells.
            if !all.is_null() {
                cells.push(percent(used, &quantity(all)));
            }
        }
        if args.show_swap {
            cells.extend(["<unknown>".to_owned(), "<unknown>".to_owned()]);
        }
        out += &row(&cells);
    }
    context.ui.out(&TABLE.apply(&out))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the error about a missing node. kubectl names its metrics, which it requests first.
fn unmeasured(error: ApiError, name: &str) -> CliError {
    let error = CliError::from(error);
    match error.is_not_found() {
        true => Status::not_found("nodemetrics.metrics.k8s.io", name).into(),
        false => error,
    }
}

/// Formats a percentage such as `12%`, truncated to an integer.
fn percent(used: &Quantity, all: &Quantity) -> String {
    // kubectl divides thousandths as floating-point numbers, and the rounding errors show.
    let share = match all.milli() {
        0 => 0.0,
        all => used.milli() as f64 / all as f64 * 100.0,
    };
    format!("{:.0}%", share.trunc())
}

#[cfg(test)]
mod tests {
    use super::super::pod::tests::shell;
    use super::*;

    #[test]
    fn node_usage_is_the_sum_of_its_pods() {
        let shell = shell();
        let out = shell.out("top node");
        let rows: Vec<Vec<&str>> = out
            .lines()
            .map(|l| l.split_whitespace().collect())
            .collect();
        assert_eq!(
            rows[0],
            ["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"]
        );
        let swap = shell.out("top node --show-swap");
        assert!(
            swap.lines()
                .next()
                .unwrap()
                .contains("MEMORY(%)   SWAP(bytes)   SWAP(%)"),
            "{swap}"
        );
        assert_eq!(
            swap.matches("<unknown>").count(),
            2 * (rows.len() - 1),
            "{swap}"
        );
        let pods = shell.out("top pod --sum --no-headers");
        let sum: Vec<&str> = pods.lines().last().unwrap().split_whitespace().collect();
        assert_eq!([rows[1][1], rows[1][3]], [sum[0], sum[1]]);
        assert_eq!(
            shell.out("top nodes node-0 --no-headers").lines().count(),
            1
        );
        shell.refuses(&[
            (
                "top node node-0 -l a=b",
                "only one of NAME or --selector can be provided",
            ),
            ("top node -l a=none", "metrics not available yet"),
            (
                "top node none",
                "Error from server (NotFound): nodemetrics.metrics.k8s.io \"none\" not found",
            ),
            (
                "top node --sort-by=odd",
                "--sort-by accepts only cpu or memory",
            ),
        ]);
    }

    #[test]
    fn percentages_are_rounded_down() {
        let quantity = |text: &str| Quantity::parse(text).unwrap();
        assert_eq!(percent(&quantity("999m"), &quantity("2")), "49%");
        assert_eq!(percent(&quantity("105m"), &quantity("1500m")), "7%");
        assert_eq!(percent(&quantity("1"), &Quantity::ZERO), "0%");
    }
}
