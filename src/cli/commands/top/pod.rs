//! `ctl top pod`.

use std::process::ExitCode;

use clap::Args;

use super::usage::{self, PodUsage, Usage, check_order, compare, headers, row};
use crate::api::status::Status;
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cluster::{Cluster, ListOptions, Place};
use crate::kinds;
use crate::kinds::tree::{field, text};
use crate::print::tabwriter::TABLE;

/// Show what pods use
///
/// Pods say it in the annotations ctl.dev/cpu-usage and ctl.dev/memory-usage.
///
/// Examples:
///   ctl top pod web-0 --containers
///   ctl top pod -l app=web --sum
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct PodArgs {
    /// A pod
    words: Vec<String>,
    /// Only pods with these labels
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// Only pods with these fields
    #[arg(long, value_name = "SELECTOR")]
    field_selector: Option<String>,
    /// All namespaces
    #[arg(short = 'A', long)]
    all_namespaces: bool,
    /// A line for each container
    #[arg(long)]
    containers: bool,
    /// The most first: cpu or memory
    #[arg(long, value_name = "WHAT")]
    sort_by: Option<String>,
    /// The sum of all in a last line
    #[arg(long)]
    sum: bool,
    /// No headers
    #[arg(long)]
    no_headers: bool,
    /// Has no meaning: fake nodes do not swap
    #[arg(long, hide = true)]
    show_swap: bool,
    /// Has no meaning for a cluster in a directory
    #[arg(long, hide = true, default_value_t = true, action = clap::ArgAction::Set)]
    use_protocol_buffers: bool,
}

impl PodArgs {
    fn labels(&self) -> &str {
        self.selector.as_deref().unwrap_or_default()
    }

    fn fields(&self) -> &str {
        self.field_selector.as_deref().unwrap_or_default()
    }
}

pub(super) fn run(args: &PodArgs, context: &Context) -> Outcome {
    if args.words.len() > 1 {
        return Err(context.usage("pod [NAME | -l label]"));
    }
    let name = args.words.first().map(String::as_str).unwrap_or_default();
    check_order(args.sort_by.as_deref())?;
    let selects = !args.labels().is_empty() || !args.fields().is_empty();
    if selects && !name.is_empty() {
        let text = "only one of NAME or selector can be provided";
        return Err(CliError::text(text));
    }
    let cluster = context.api()?;
    let all = usage::of_all(&cluster)?;
    let namespace = match args.all_namespaces {
        true => String::new(),
        false => context.namespace()?,
    };
    let meant = meant(args, name, &namespace, &cluster)?;
    let is_meant = |pod: &PodUsage| meant.contains(&(pod.namespace.clone(), pod.name.clone()));
    let mut used: Vec<PodUsage> = all.into_iter().filter(is_meant).collect();
    if used.is_empty() {
        if !name.is_empty() {
            let name = format!("{namespace}/{name}");
            return Err(Status::not_found("podmetrics.metrics.k8s.io", &name).into());
        }
        if !meant.is_empty() {
            return Err(CliError::text("metrics not available yet"));
        }
        context.ui.note(&match args.all_namespaces {
            true => "No resources found".to_owned(),
            false => format!("No resources found in {namespace} namespace."),
        });
        return Ok(ExitCode::SUCCESS);
    }
    let order = args.sort_by.as_deref();
    used.sort_by(|a, b| compare(order, &a.total(), &b.total()));
    context.ui.out(&TABLE.apply(&table(args, &mut used)))?;
    Ok(ExitCode::SUCCESS)
}

/// The Pods that are asked about, whether or not they say anything.
fn meant(
    args: &PodArgs,
    name: &str,
    namespace: &str,
    cluster: &Cluster,
) -> Result<Vec<(String, String)>, CliError> {
    let Some(kind) = kinds::find("", "v1", "Pod") else {
        return Ok(Vec::new());
    };
    let options = ListOptions {
        labels: args.labels().to_owned(),
        fields: args.fields().to_owned(),
        ..ListOptions::default()
    };
    let pods = cluster
        .select(&Place::new(kind, namespace), &options)?
        .items;
    let key = |pod: &crate::api::json::Value| {
        let metadata = field(pod, "metadata");
        let text = |name: &str| text(metadata, name).to_owned();
        (text("namespace"), text("name"))
    };
    let keys = pods.iter().map(key);
    Ok(keys
        .filter(|(_, own)| name.is_empty() || own == name)
        .collect())
}

fn table(args: &PodArgs, used: &mut [PodUsage]) -> String {
    let mut first = Vec::new();
    if args.all_namespaces {
        first.push("NAMESPACE");
    }
    if args.containers {
        first.push("POD");
    }
    let lead = first.len();
    let mut out = String::new();
    if !args.no_headers {
        out += &headers(&[&first[..], &["NAME", "CPU(cores)", "MEMORY(bytes)"]].concat());
    }
    let order = args.sort_by.as_deref();
    let mut sum = Usage::NONE;
    for pod in used {
        let mut cells = Vec::new();
        if args.all_namespaces {
            cells.push(pod.namespace.clone());
        }
        let mut push = |cells: &[String], name: &str, usage: &Usage| {
            let last = [name.to_owned(), usage.shown_cpu(), usage.shown_memory()];
            out += &row(&[cells, &last].concat());
        };
        let total = pod.total();
        sum.add(&total);
        if !args.containers {
            push(&cells, &pod.name, &total);
            continue;
        }
        cells.push(pod.name.clone());
        pod.containers
            .sort_by(|(a, x), (b, y)| compare(order, x, y).then_with(|| a.cmp(b)));
        pod.containers
            .iter()
            .for_each(|(name, used)| push(&cells, name, used));
    }
    if args.sum {
        // kubectl leaves the columns for namespaces out of account where there are no headers.
        let lead = if args.no_headers { 0 } else { lead };
        let blank = |count: usize| vec![String::new(); count];
        let line = "________".to_owned();
        out += &row(&[blank(lead + 1), vec![line.clone(), line]].concat());
        let last = vec![String::new(), sum.shown_cpu(), sum.shown_memory()];
        out += &row(&[blank(lead), last].concat());
    }
    out
}
