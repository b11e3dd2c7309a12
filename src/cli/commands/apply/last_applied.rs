//! `ctl apply view-last-applied`, `set-last-applied` and `edit-last-applied`.

use std::process::ExitCode;

use clap::Args;

use super::object::{live, unread};
use crate::api::json::{Value, json};
use crate::api::patch::diff::merge_two_way;
use crate::api::yaml;
use crate::cli::commands::Outcome;
use crate::cli::commands::edit::{EditFormat, Mode, Session};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{
    DryRun, DryRunArgs, ManagerArgs, OutputArgs, RecordArgs, ResultPrinter, ValidateArgs,
    write_options,
};
use crate::cli::resource::{Builder, FileArgs, Info, SelectorArgs, missing};
use crate::cluster::{Cluster, FieldValidation, PatchType};
use crate::kinds::last_applied::{self, LAST_APPLIED};
use crate::print::json::indented;

/// Show the last applied configuration of objects
///
/// Example: ctl apply view-last-applied deploy/web -o json
#[derive(Args, Debug)]
pub(crate) struct ViewArgs {
    /// TYPE NAME or TYPE/NAME
    resources: Vec<String>,
    #[command(flatten)]
    files: FileArgs,
    /// Label selector
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// Select all objects of the given types
    #[arg(long)]
    all: bool,
    /// Output format: yaml or json
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml")]
    output: String,
}

pub(super) fn view(args: &ViewArgs, context: &Context) -> Outcome {
    let cluster = context.api()?;
    let selectors = SelectorArgs {
        selector: args.selector.clone(),
        field_selector: None,
    };
    if let Some(selector) = selectors.selector.as_deref()
        && args.all
        && !selector.is_empty()
    {
        // kubectl's message has the trailing space.
        return Err(CliError::text(format!(
            "found non-empty label selector {selector:?} with previously set 'all' parameter. "
        )));
    }
    let found = Builder::new(context, Some(&cluster))?
        .files(&args.files)
        .selectors(&selectors)
        .select_all(args.all)
        .words(&args.resources, args.all)
        .latest()
        .find()?;
    let (infos, error) = found.until_error();
    let mut values = Vec::new();
    for info in infos {
        let Some(text) = last_applied::of(&info.object) else {
            // kubectl skips an object without the annotation if it was named rather than read from a file.
            if info.source.is_empty() {
                continue;
            }
            let (name, source) = (&info.name, &info.source);
            let verb = "no last-applied-configuration annotation found on resource";
            return Err(CliError::text(format!(
                // kubectl's text has this line break and no cause.
                "error when {verb}: {name}\n \"{source}\": <nil>"
            )));
        };
        let value: Value = serde_json::from_str(text).map_err(|e| CliError::text(e.to_string()))?;
        values.push(value);
    }
    // The first error ends the command, and nothing is printed.
    error.map_or(Ok(()), Err)?;
    for value in values {
        context.ui.out(&match args.output.as_str() {
            "json" => indented(&value, b"  ") + "\n",
            "yaml" => yaml::to_string(&value),
            // As in kubectl, the format is checked only if there is something to print.
            format => {
                return Err(context.usage(format_args!(
                    "Unexpected -o output mode: {format}, the flag 'output' must be one of yaml|json"
                )));
            }
        })?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Set the last applied configuration to that of a file, without changing the objects
///
/// Example: ctl apply set-last-applied -f web.yaml
#[derive(Args, Debug)]
pub(crate) struct SetArgs {
    // kubectl ignores positional arguments here.
    #[arg(id = "words", value_name = "WORDS", hide = true)]
    _words: Vec<String>,
    /// File or directory with the objects; - reads standard input
    #[arg(short, long, value_name = "FILE", value_delimiter = ',')]
    filename: Vec<String>,
    /// Create the annotation if the object has none
    #[arg(long)]
    create_annotation: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn set(args: &SetArgs, context: &Context) -> Outcome {
    let dry_run = args.dry_run.get(context)?;
    let mut printer = ResultPrinter::new(&args.output, dry_run, context)?;
    let cluster = context.api()?;
    let files = FileArgs {
        filename: args.filename.clone(),
        ..FileArgs::default()
    };
    let found = Builder::new(context, Some(&cluster))?
        .files(&files)
        .find()?;
    let (infos, error) = found.until_error();
    // All annotations are checked before the first is written, so that one object without an annotation leaves all
    // unchanged.
    let mut changes = Vec::new();
    for info in infos {
        if let Some(change) = change(args, &cluster, &info, context)? {
            changes.push((info, change));
        }
    }
    error.map_or(Ok(()), Err)?;
    let options = write_options(
        context,
        dry_run,
        "kubectl".to_owned(),
        FieldValidation::Ignore,
    );
    for (info, (live, patch)) in changes {
        let object = match dry_run {
            // kubectl prints the live object here, which still has the old annotation.
            DryRun::Client => live,
            _ => {
                let how = (PatchType::Merge, &patch);
                let answer = cluster.patch(&info.place(), &info.name, how, false, &options)?;
                printer.warn(&answer);
                answer.object
            }
        };
        printer.print_result(&info.with(object), "configured")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the live object and the patch of its annotation, if the annotation changes.
fn change(
    args: &SetArgs,
    cluster: &Cluster,
    info: &Info,
    context: &Context,
) -> Result<Option<(Value, Value)>, CliError> {
    let live = live(cluster, info).map_err(|e| match e.is_not_found() {
        true => missing(cluster, &info.namespace, e),
        false => unread(info, e),
    })?;
    let text = plain(&info.object);
    let old = last_applied::of(&live);
    if old.is_none() && !args.create_annotation {
        return Err(CliError::text(format!(
            "no last-applied-configuration annotation found on resource: {}, to create the \
             annotation, run the command with --create-annotation",
            info.name
        )));
    }
    // kubectl compares the text instead of the tree, so a different order of keys counts as a change.
    if old == Some(text.as_str()) {
        let name = &info.name;
        context.ui.line(format_args!(
            "set-last-applied {name}: no changes required."
        ))?;
        return Ok(None);
    }
    let mut after = live.clone();
    if !after["metadata"]["annotations"].is_object() {
        after["metadata"]["annotations"] = json!({});
    }
    after["metadata"]["annotations"][LAST_APPLIED] = json!(text);
    let patch = merge_two_way(&live, &after);
    Ok(Some((live, patch)))
}

/// Returns a configuration in the form that the annotation stores: without `annotations` if there are no others.
fn plain(object: &Value) -> String {
    let mut object = object.clone();
    let metadata = &mut object["metadata"];
    if let Some(annotations) = metadata["annotations"].as_object_mut() {
        annotations.remove(LAST_APPLIED);
    }
    let empty = metadata["annotations"]
        .as_object()
        .is_none_or(crate::api::json::Map::is_empty);
    if let (true, Some(metadata)) = (empty, metadata.as_object_mut()) {
        metadata.remove("annotations");
    }
    // Go's JSON encoder ends its output with a line feed, which kubectl stores.
    crate::print::json::one_line(&object) + "\n"
}

/// Edit the last applied configuration of objects
///
/// Example: ctl apply edit-last-applied deploy/web
#[derive(Args, Debug)]
pub(crate) struct EditArgs {
    /// TYPE NAME or TYPE/NAME
    resources: Vec<String>,
    #[command(flatten)]
    files: FileArgs,
    /// Use Windows line endings in the editor
    #[arg(long)]
    windows_line_endings: bool,
    #[command(flatten)]
    validate: ValidateArgs,
    #[command(flatten)]
    manager: ManagerArgs,
    #[command(flatten)]
    record: RecordArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn edit(args: &EditArgs, context: &Context) -> Outcome {
    let cluster = context.api()?;
    let found = Builder::new(context, Some(&cluster))?
        .files(&args.files)
        .words(&args.resources, true)
        .latest()
        .find()?;
    // As in kubectl, mistakes in the words come before this check, and missing objects after it.
    let validation = args.validate.get()?;
    let mut infos = found.all()?;
    // Objects without the annotation are skipped.
    infos.retain(|info| last_applied::of(&info.object).is_some());
    if infos.is_empty() {
        let program = &context.program;
        return Err(CliError::text(format!(
            "no last-applied-configuration annotation found on resources, to create the annotation, use \
             command `{program} apply set-last-applied --create-annotation`"
        )));
    }
    let session = Session {
        context,
        cluster: &cluster,
        mode: Mode::LastApplied,
        format: EditFormat::from_args(&args.output)?,
        output_patch: false,
        save_config: false,
        windows: args.windows_line_endings,
        record: args.record.clone(),
        validate: validation != FieldValidation::Ignore,
        options: write_options(
            context,
            DryRun::None,
            args.manager.get("kubectl-client-side-apply"),
            validation,
        ),
    };
    let mut printer = ResultPrinter::late(&args.output, DryRun::None, context).printer_per_object();
    session.run(infos, &mut printer)?;
    Ok(ExitCode::SUCCESS)
}
