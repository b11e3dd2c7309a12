//! `ctl get`.

mod generic;
mod human;
mod table;
mod watch;

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::cli::api_path::{check_raw, raw as raw_answer};
use crate::cli::context::Context;
use crate::cli::error::{CliError, NOTHING_FOUND};
use crate::cli::history::AtArgs;
use crate::cli::options::OutputArgs;
use crate::cli::resource::{Builder, FileArgs, NamedObjects, SelectorArgs};
use crate::cluster::Cluster;
use crate::print::Format;

/// List or show objects
///
/// Examples:
///   ctl get pods                      the Pods of the namespace
///   ctl get deploy/web svc/web        these objects
///   ctl get all -A -o wide            everything, everywhere, with more columns
///   ctl get node node-0 -o yaml       one object as YAML
///   ctl get pods -w                   the Pods and their changes, until you stop it
///   ctl get pods --at 10m             the Pods as they were ten minutes ago
///   ctl get pods -l app=web --sort-by=.metadata.creationTimestamp
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct GetArgs {
    /// Types with commas between them and then names, or TYPE/NAME pairs
    resources: Vec<String>,
    #[command(flatten)]
    files: FileArgs,
    #[command(flatten)]
    selectors: SelectorArgs,
    /// Select objects in all namespaces
    #[arg(short = 'A', long)]
    all_namespaces: bool,
    /// Watch for changes after listing the objects
    #[arg(short, long)]
    watch: bool,
    /// Watch for changes without listing the objects first
    #[arg(long)]
    watch_only: bool,
    /// Print the type of each watch event
    #[arg(long)]
    output_watch_events: bool,
    /// Do not print headers
    #[arg(long)]
    no_headers: bool,
    /// Show all labels in the last column
    #[arg(long)]
    show_labels: bool,
    /// Show each of these labels as a column
    #[arg(short = 'L', long, value_name = "LABEL", value_delimiter = ',')]
    label_columns: Vec<String>,
    /// Prefix names with their type
    #[arg(long)]
    show_kind: bool,
    /// Sort by this field, a JSONPath such as .metadata.name
    #[arg(long, value_name = "PATH")]
    sort_by: Option<String>,
    /// Ignore objects that do not exist
    #[arg(long)]
    ignore_not_found: bool,
    /// Exit with 3 if no object was found
    #[arg(long)]
    exit_code: bool,
    /// Has no effect here: a list is read at once
    #[arg(long, value_name = "COUNT", default_value_t = 500)]
    chunk_size: i64,
    /// Print the columns of the kind; false prints name and age only
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    server_print: bool,
    /// Subresource to show, such as status or scale
    #[arg(long, value_name = "NAME")]
    subresource: Option<String>,
    /// Print the response to this API path
    #[arg(long, value_name = "PATH")]
    raw: Option<String>,
    #[command(flatten)]
    at: AtArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &GetArgs, context: &Context) -> Outcome {
    let others = [
        ("--watch", args.watch),
        ("--watch-only", args.watch_only),
        ("--raw", args.raw.is_some()),
    ];
    args.at.without(&others, context)?;
    if let Some(path) = args.raw.as_deref().filter(|p| !p.is_empty()) {
        return raw(args, path, context);
    }
    check(args, context)?;
    let format = args.output.format(true, args.no_headers);
    let cluster = args.at.api(context)?;
    if args.watch || args.watch_only {
        return watch::run(args, format, &cluster, context);
    }
    let builder = builder(args, &cluster, context)?;
    // The fast path prints rows without copying each object.
    if let Ok(format) = &format
        && let Some(rows) = human::rows(args, format, &builder, &cluster)
    {
        let nothing = human::show_rows(args, format, rows, context)?;
        return Ok(match args.exit_code && nothing {
            true => NOTHING_FOUND.into(),
            false => ExitCode::SUCCESS,
        });
    }
    let mut found = builder.find()?;
    let is_table = matches!(format, Ok(Format::Human | Format::Wide));
    if is_table && !args.files.is_empty() {
        found = found.collected();
    }
    let is_missing = CliError::is_not_found;
    if args.ignore_not_found {
        found
            .items
            .retain(|item| !item.as_ref().is_err_and(is_missing));
    }
    // The objects are counted before `show` consumes them, but after missing ones were dropped.
    let nothing = !found.items.iter().any(Result::is_ok);
    let shown = show(args, format, found, &cluster, context);
    if args.exit_code && nothing {
        let missing = |e: CliError| CliError::Coded(Box::new(e), NOTHING_FOUND);
        return shown.map_err(missing).map(|()| NOTHING_FOUND.into());
    }
    shown.map(|()| ExitCode::SUCCESS)
}

fn show(
    args: &GetArgs,
    format: Result<Format, CliError>,
    found: NamedObjects,
    cluster: &Cluster,
    context: &Context,
) -> Result<(), CliError> {
    match format {
        Ok(Format::Printer(printer)) => generic::show(args, Ok(printer), found, context),
        Ok(format) => human::show(args, &format, found, cluster, context),
        Err(error) => generic::show(args, Err(error), found, context),
    }
}

fn builder<'a>(
    args: &GetArgs,
    cluster: &'a Cluster,
    context: &'a Context,
) -> Result<Builder<'a>, CliError> {
    let is_table = args.output.is_human() || args.output.output.as_deref() == Some("wide");
    Ok(Builder::new(context, Some(cluster))?
        .tables(is_table && args.server_print && !args.watch && !args.watch_only)
        .files(&args.files)
        .selectors(&args.selectors)
        .all_namespaces(args.all_namespaces)
        .words(&args.resources, true)
        .subresource(args.subresource.as_deref().unwrap_or_default())
        .latest())
}

fn raw(args: &GetArgs, path: &str, context: &Context) -> Outcome {
    let text = |text: &str| Err(CliError::text(text));
    if !args.resources.is_empty() {
        return text("arguments may not be passed when --raw is specified");
    }
    let given = |flag: &Option<String>| flag.as_deref().is_some_and(|s| !s.is_empty());
    if args.watch || args.watch_only || given(&args.selectors.selector) {
        return text(
            "--raw may not be specified with other flags that filter the server request or alter the output",
        );
    }
    let output = (given(&args.output.output), "output");
    check_raw(path, &FileArgs::default(), &[output])?;
    check_watch_events(args)?;
    context.ui.out(&raw_answer(context, "GET", path, None)?)?;
    Ok(ExitCode::SUCCESS)
}

fn check(args: &GetArgs, context: &Context) -> Result<(), CliError> {
    let output = args.output.output.as_deref().unwrap_or_default();
    if args.resources.is_empty() && args.files.is_empty() && !(args.watch || args.watch_only) {
        let program = &context.program;
        context.ui.note(&format!(
            "You must specify the type of resource to get. Use \"{program} api-resources\" for a \
             complete list of supported resources.\n"
        ));
        return Err(context.usage(format_args!(
            "Required resource not specified.\nUse \"{program} explain <resource>\" for a detailed \
             description of that resource (e.g. {program} explain pods)."
        )));
    }
    if args.show_labels && !output.is_empty() && output != "wide" {
        let text = format!("--show-labels option cannot be used with {output} printer");
        return Err(CliError::text(text));
    }
    check_watch_events(args)?;
    let sorts = args.sort_by.as_deref().is_some_and(|s| !s.is_empty());
    // As in kubectl, this is only a warning, because the initial list is still sorted.
    if sorts && args.watch {
        let text =
            "warning: --watch requested, --sort-by will be ignored for watch events received";
        context.ui.note(text);
    } else if sorts && args.watch_only {
        let text = "warning: --watch-only requested, --sort-by will be ignored";
        context.ui.note(text);
    }
    Ok(())
}

/// Rejects `--output-watch-events` without `--watch` or `--watch-only`, because only a watch has event types.
fn check_watch_events(args: &GetArgs) -> Result<(), CliError> {
    if args.output_watch_events && !(args.watch || args.watch_only) {
        let text = "--output-watch-events option can only be used with --watch or --watch-only";
        return Err(CliError::text(text));
    }
    Ok(())
}

/// Separates the objects from the errors, which are reported last.
fn apart(found: NamedObjects) -> (Vec<crate::cli::resource::Info>, Vec<CliError>, bool) {
    let single = found.single;
    let (infos, errors) = found.split();
    (infos, errors, single)
}

#[cfg(test)]
mod tests;
