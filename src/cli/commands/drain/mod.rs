//! `ctl drain`.

mod evict;
mod filter;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::Args;

use super::{Outcome, cordon};
use crate::api::selector::LabelSelector;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::flags::Span;
use crate::cli::options::{DryRun, DryRunArgs, OutputArgs, ResultPrinter, write_options};
use crate::cli::resource::Info;
use crate::cluster::{Cluster, DeleteOptions, FieldValidation, ListOptions, Place};
use crate::kinds;
use evict::Eviction;

/// Drain a node for maintenance: mark it as unschedulable and evict its Pods
///
/// Pods of DaemonSets stay. An eviction that a PodDisruptionBudget rejects is retried.
///
/// Examples:
///   ctl drain node-1 --ignore-daemonsets
///   ctl drain -l pool=old --force --delete-emptydir-data --timeout=5m
///   ctl drain node-1 --dry-run=client    only list the pods to evict
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct DrainArgs {
    /// The nodes
    words: Vec<String>,
    /// Label selector of nodes
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// Label selector of Pods
    #[arg(long, value_name = "SELECTOR")]
    pod_selector: Option<String>,
    /// Also delete Pods that no controller would recreate
    #[arg(long)]
    force: bool,
    /// Ignore Pods of DaemonSets
    #[arg(long)]
    ignore_daemonsets: bool,
    /// Also evict Pods with emptyDir volumes, whose data is deleted
    #[arg(long)]
    delete_emptydir_data: bool,
    /// Delete Pods instead of evicting them, which ignores PodDisruptionBudgets
    #[arg(long)]
    disable_eviction: bool,
    /// Seconds until a Pod must end; negative for the Pod's own grace period
    #[arg(long, value_name = "SECONDS", default_value_t = -1)]
    grace_period: i64,
    /// Time to wait until the Pods are removed; 0 waits as long as needed
    #[arg(long, value_name = "TIME", default_value = "0s")]
    timeout: Span,
    /// Do not wait for Pods that were deleted more than this many seconds ago; 0 waits for all
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    skip_wait_for_delete_timeout: i64,
    /// Has no effect on a cluster in a directory
    #[arg(long, value_name = "COUNT", default_value_t = 500, hide = true)]
    chunk_size: i64,
    #[command(flatten)]
    dry_run: DryRunArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &DrainArgs, context: &Context) -> Outcome {
    cordon::check(&args.words, args.selector.as_deref(), context)?;
    let dry_run = args.dry_run.get(context)?;
    let mut printer = ResultPrinter::new(&args.output, dry_run, context)?;
    let cluster = context.api()?;
    let selector = args.pod_selector.as_deref().unwrap_or_default();
    // The selector is checked before the first node is cordoned, so that a mistyped flag changes nothing.
    if LabelSelector::parse(selector).is_err() {
        let text = "--pod-selector=<pod_selector> must be a valid label selector";
        return Err(CliError::text(text));
    }
    let nodes = cordon::find(&args.words, args.selector.as_deref(), &cluster, context)?;
    for node in &nodes {
        match cordon::mark(&cluster, node, true, dry_run, context) {
            // With `-o`, each node is printed once, after it is drained.
            Ok((node, done)) if printer.is_human() => printer.print_result(&node, &done)?,
            Ok(_) => {}
            Err(e) => {
                let name = &node.name;
                let text = format!("error: unable to cordon node {name:?}: {e}");
                context.ui.note(&text);
            }
        }
    }
    // All nodes are cordoned before the first is drained, so that evicted Pods do not move to the next one.
    let (mut failed, mut pending) = (Vec::new(), Vec::new());
    for node in &nodes {
        match drain(args, node, &cluster, dry_run, &mut printer, context) {
            Ok(()) => {
                let now = cluster.get(&node.place(), &node.name)?;
                printer.print_result(&node.with(now), "drained")?;
            }
            Err(e) => {
                let name = &node.name;
                context.ui.note(&format!(
                    "error: unable to drain node {name:?} due to error: {e}, continuing command..."
                ));
                failed.push(e);
                pending.push(format!(" {name}"));
            }
        }
    }
    if !pending.is_empty() {
        let pending = pending.join("\n");
        context.ui.note(&format!(
            "There are pending nodes to be drained:\n{pending}"
        ));
    }
    match failed.is_empty() {
        true => Ok(ExitCode::SUCCESS),
        // Even a single error is a list, because its errors are lists.
        false => Err(CliError::Many(failed)),
    }
}

fn drain(
    args: &DrainArgs,
    node: &Info,
    cluster: &Cluster,
    dry_run: DryRun,
    printer: &mut ResultPrinter<'_>,
    context: &Context,
) -> Result<(), CliError> {
    let Some(kind) = kinds::find("", "v1", "Pod") else {
        return Ok(());
    };
    let sorted = || -> Result<filter::Sorted, CliError> {
        let options = ListOptions {
            labels: args.pod_selector.clone().unwrap_or_default(),
            fields: format!("spec.nodeName={}", node.name),
            ..ListOptions::default()
        };
        let page = cluster.select(&Place::new(kind, ""), &options)?;
        Ok(filter::sort(page.items, args, cluster))
    };
    let found = sorted()?;
    let errors = found.errors();
    // One Pod that cannot be evicted keeps all of them: a half-drained node is useless.
    if !errors.is_empty() {
        return Err(CliError::Many(errors));
    }
    let warnings = found.warnings();
    if !warnings.is_empty() {
        context.ui.note(&format!("Warning: {warnings}"));
    }
    if dry_run == DryRun::Client {
        for pod in &found.going {
            let sentence = format!("evicting pod {} (dry run)", filter::shown(pod));
            match printer.is_human() {
                true => context.ui.line(sentence)?,
                false => printer.print(pod)?,
            }
        }
        return Ok(());
    }
    let mut eviction = Eviction {
        printer,
        args,
        cluster,
        context,
        dry_run,
        options: DeleteOptions {
            write: write_options(context, dry_run, String::new(), FieldValidation::Ignore),
            grace_period: (args.grace_period >= 0).then_some(args.grace_period),
            ..DeleteOptions::default()
        },
        rejected: BTreeMap::new(),
    };
    let going = found.going.into_iter();
    let mut pods: Vec<Info> = going.map(|pod| eviction.info(kind, pod)).collect();
    let done = match args.disable_eviction {
        true => eviction.delete(&pods),
        false => {
            // kubectl evicts each Pod in a goroutine, and Go almost always runs the newest goroutine first.
            let by = usize::from(!pods.is_empty());
            pods.rotate_right(by);
            eviction.evict(&pods)
        }
    };
    // The Pods are sorted again, because many of them are gone by now.
    if let Err(e) = &done {
        tell_pending(node, e, &sorted()?, context);
    }
    done
}

/// Reports the Pods that remain after a failure.
fn tell_pending(node: &Info, error: &CliError, now: &filter::Sorted, context: &Context) {
    if now.going.is_empty() {
        return;
    }
    let node = &node.name;
    let mut lines = vec![format!(
        "There are pending pods in node {node:?} when an error occurred: {error}"
    )];
    lines.extend(now.going.iter().map(|pod| {
        let shown = filter::shown(pod);
        let name = shown.split_once('/').map_or("", |(_, name)| name);
        format!("pod/{name}")
    }));
    context.ui.note(&lines.join("\n"));
}
