//! `ctl apply`, and the commands for its annotation.

mod create_batch;
mod last_applied;
mod migrate;
pub(in crate::cli::commands) mod object;
pub(in crate::cli::commands) mod patch_errors;
pub(crate) mod prune;
mod set;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use self::set::ApplySet;
use super::Outcome;
use super::recreate::DeletionArgs;
use crate::api::json::{Value, json};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{
    DryRun, DryRunArgs, ManagerArgs, OutputArgs, RecordArgs, ResultPrinter, ValidateArgs,
    write_options,
};
use crate::cli::resource::{Builder, FileArgs, Info, SelectorArgs};
use crate::cli::waiting::{Completed, Progress};
use crate::cluster::{Cluster, FieldValidation, WriteOptions};

/// Create or update objects from files, directories or standard input
///
/// With `KUBECTL_APPLYSET=true` in the environment, objects can be members of an apply set:
/// `--prune --applyset=[RESOURCE[.GROUP]/]NAME` deletes members that are no longer in the files.
/// The parent object, by default a Secret, tracks the members.
///
/// Examples:
///   ctl apply -f web.yaml
///   ctl apply -R -f manifests/
///   ctl apply -f web.yaml --server-side --field-manager=ci
///   ctl apply -f manifests/ --prune -l app=web
///   KUBECTL_APPLYSET=true ctl apply -n shop -f manifests/ --prune --applyset=shop
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ApplyArgs {
    #[command(subcommand)]
    command: Option<ApplyCommand>,
    #[arg(hide = true)]
    words: Vec<String>,
    #[command(flatten)]
    files: FileArgs,
    /// Label selector
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// Use server-side apply
    #[arg(long)]
    server_side: bool,
    /// Resolve conflicts by taking over the fields, with --server-side
    #[arg(long)]
    force_conflicts: bool,
    /// Subresource to apply to, with --server-side: status or scale
    #[arg(long, value_name = "NAME")]
    subresource: Option<String>,
    /// Delete objects that were applied earlier and are no longer in the files
    #[arg(long)]
    prune: bool,
    /// Kinds that --prune may delete, as GROUP/VERSION/KIND
    #[arg(long, value_name = "KIND")]
    prune_allowlist: Vec<String>,
    #[command(flatten)]
    set: set::SetArg,
    /// Prune all objects in the namespaces, with --prune
    #[arg(long)]
    all: bool,
    /// Resolve conflicts between the file and the live object in favor of the file
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    overwrite: bool,
    /// Has no effect here; accepted for compatibility with kubectl
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    openapi_patch: bool,
    /// Delete and recreate objects that cannot be changed
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    deletion: DeletionArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
    #[command(flatten)]
    validate: ValidateArgs,
    #[command(flatten)]
    manager: ManagerArgs,
    #[command(flatten)]
    record: RecordArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Subcommand)]
enum ApplyCommand {
    #[command(name = "edit-last-applied")]
    Edit(last_applied::EditArgs),
    #[command(name = "set-last-applied")]
    Set(last_applied::SetArgs),
    #[command(name = "view-last-applied")]
    View(last_applied::ViewArgs),
}

/// The number of objects between updates of the progress bar.
const SHOWN_EVERY: usize = 50;

/// Everything that applying an object needs.
struct Apply<'a> {
    args: &'a ApplyArgs,
    context: &'a Context,
    /// None only in a dry run without a cluster.
    cluster: Option<&'a Cluster>,
    dry_run: DryRun,
    options: WriteOptions,
}

/// The parsed flags.
struct ApplyFlags {
    dry_run: DryRun,
    validation: FieldValidation,
    cluster: Option<Cluster>,
    set: Option<ApplySet>,
}

pub(crate) fn run(args: &ApplyArgs, context: &Context) -> Outcome {
    match &args.command {
        Some(ApplyCommand::Edit(args)) => return last_applied::edit(args, context),
        Some(ApplyCommand::Set(args)) => return last_applied::set(args, context),
        Some(ApplyCommand::View(args)) => return last_applied::view(args, context),
        None => {}
    }
    let ApplyFlags {
        dry_run,
        validation,
        cluster,
        set,
    } = asked(args, context)?;
    let mut printer = ResultPrinter::late(&args.output, dry_run, context);
    let selectors = SelectorArgs {
        selector: args.selector.clone(),
        field_selector: None,
    };
    let found = Builder::new(context, cluster.as_ref())?
        .files(&args.files)
        .selectors(&selectors)
        .validated(validation)
        .find()?;
    // All objects are read before the first one is applied, because kubectl joins the errors of the reads.
    let (found, unread) = found.readable();
    let (mut infos, mut errors) = found.split();
    errors.extend(unread);
    let mut errors: Vec<CliError> = CliError::all(errors).err().into_iter().collect();
    for info in &mut infos {
        info.object = args.record.mark(context, info.object.take());
    }
    if infos.is_empty() && errors.is_empty() {
        return Err(CliError::text("no objects passed to apply"));
    }
    if let Some(set) = &set
        && let Err(e) = set.mark(&mut infos)
    {
        // As in kubectl, nothing is applied, but the parent is still written.
        infos.clear();
        errors = vec![e];
    }
    // kubectl's default managers differ, so that fields of client-side and server-side apply can be told apart.
    let own = if args.server_side {
        "kubectl"
    } else {
        "kubectl-client-side-apply"
    };
    let apply = Apply {
        args,
        context,
        cluster: cluster.as_ref(),
        dry_run,
        options: write_options(context, dry_run, args.manager.get(own), validation),
    };
    let mut set = set;
    if let Some(set) = &mut set {
        // The parent records kinds and namespaces before the first object is applied, so that a later prune finds
        // everything that an interrupted run leaves behind.
        apply.extend(set, &infos)?;
    }
    let (applied, failed) = apply.each(&infos, &mut printer)?;
    errors.extend(failed);
    // Errors end the command before pruning: a failed object is not in `applied`, so it would be deleted as if it were
    // no longer desired.
    CliError::all(errors)?;
    if args.shows_all_at_the_end() {
        show(&applied, &mut printer)?;
    }
    match &set {
        Some(set) => apply.prune_set(set, &applied, &mut printer)?,
        None if args.prune => apply.prune(&applied, &mut printer)?,
        None => {}
    }
    Ok(ExitCode::SUCCESS)
}

impl ApplyArgs {
    /// Returns true if the objects are printed together, and only if there is no error. kubectl does this for `-o`
    /// except `-o name`, and not for `--template` alone.
    fn shows_all_at_the_end(&self) -> bool {
        !matches!(self.output.output.as_deref(), None | Some("" | "name"))
    }
}

impl Apply<'_> {
    /// Applies the objects in order. Returns those that succeeded, and the errors of the others.
    fn each(
        &self,
        infos: &[Info],
        printer: &mut ResultPrinter<'_>,
    ) -> Result<(Vec<Info>, Vec<CliError>), CliError> {
        let (mut applied, mut errors) = (Vec::new(), Vec::new());
        let mut made = Vec::new().into_iter();
        // An existing object is usually followed by more existing ones, so no further batch is tried after it.
        let mut new = true;
        let progress = Progress::new(&self.context.ui);
        for (at, info) in infos.iter().enumerate() {
            // On a terminal, the printed objects show the progress already; a redirected output shows none.
            if at % SHOWN_EVERY == 0 && !self.context.ui.shows_out() {
                let all = infos.len();
                progress.show(Completed { done: at, all }, "applying");
            }
            if new && made.as_slice().is_empty() {
                made = self.create_leading(&infos[at..]).into_iter();
            }
            let done = match made.next() {
                Some(made) => self.batch_outcome(info, made, printer),
                None => self.one(info, printer),
            };
            new = done.as_ref().is_ok_and(|(done, _)| *done == "created");
            match done {
                Ok((done, info)) => {
                    if printer.is_human() {
                        printer.print_result(&info, done)?;
                    } else if !self.args.shows_all_at_the_end() {
                        errors.extend(printer.print(&info.object).err());
                    }
                    applied.push(info);
                }
                Err(e) => errors.push(e),
            }
        }
        Ok((applied, errors))
    }
}

/// Reads the flags and opens the cluster. Of several mistakes, reports the one that kubectl reports.
fn asked(args: &ApplyArgs, context: &Context) -> Result<ApplyFlags, CliError> {
    if !args.words.is_empty() {
        return Err(context.unexpected(&args.words));
    }
    let dry_run = args.dry_run.get(context)?;
    // kubectl validates all flags of deletions before it looks for files.
    let _ = args.deletion.cascade.get()?;
    args.files.require()?;
    let validation = args.validate.get()?;
    // Contradictory flags must not create a cluster, so they are checked first unless the check needs one.
    let reference = args.set.reference();
    if reference.is_none() {
        // kubectl looks up the kinds to prune before it compares flags.
        if args.prune && !args.prune_allowlist.is_empty() {
            prune::listed(&args.prune_allowlist, context.api_if_exists()?.as_ref())?;
        }
        check(args, dry_run, None)?;
    }
    let cluster = match dry_run {
        // A client-side dry run must not create a cluster only to report that everything would be created.
        DryRun::Client => context.api_if_exists()?,
        _ => Some(context.api()?),
    };
    let set = match reference {
        Some(text) => Some(ApplySet::new(text, context, cluster.as_ref())?),
        None => None,
    };
    if let Some(set) = &set {
        if args.prune {
            prune::listed(&args.prune_allowlist, cluster.as_ref())?;
        }
        check(args, dry_run, Some((set, cluster.as_ref())))?;
    }
    Ok(ApplyFlags {
        dry_run,
        validation,
        cluster,
        set,
    })
}

/// Rejects flags that are mutually exclusive.
fn check(
    args: &ApplyArgs,
    dry_run: DryRun,
    set: Option<(&ApplySet, Option<&Cluster>)>,
) -> Result<(), CliError> {
    let given = |text: &Option<String>| text.as_deref().is_some_and(|t| !t.is_empty());
    let refuse = |text: &str| Err(CliError::text(text));
    if args.force_conflicts && !args.server_side {
        return refuse("--force-conflicts only works with --server-side");
    }
    if dry_run == DryRun::Client && args.server_side {
        return refuse(
            "--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)",
        );
    }
    // Server-side apply never recreates an object; `--force-conflicts` resolves its conflicts.
    if args.force && args.server_side {
        return refuse("--force cannot be used with --server-side");
    }
    if dry_run == DryRun::Server && args.force {
        return refuse("--dry-run=server cannot be used with --force");
    }
    if args.all && given(&args.selector) {
        return refuse("cannot set --all and --selector at the same time");
    }
    if let Some((set, cluster)) = set {
        if !args.prune {
            return refuse("--applyset requires --prune");
        }
        set.check(cluster)?;
    }
    if args.prune {
        check_prune(args, set.is_some())?;
    }
    match given(&args.subresource) && !args.server_side {
        true => refuse("--subresource can only be specified for --server-side"),
        false => Ok(()),
    }
}

/// Rejects flags that `--prune` does not allow or that lack one it requires.
fn check_prune(args: &ApplyArgs, with_set: bool) -> Result<(), CliError> {
    let refuse = |text: &str| Err(CliError::text(text));
    let selected = args.selector.as_deref().is_some_and(|s| !s.is_empty());
    if args.force {
        return refuse("--force cannot be used with --prune");
    }
    if with_set {
        return match () {
            () if args.all => refuse("--all is incompatible with --applyset"),
            () if selected => refuse("--selector is incompatible with --applyset"),
            () if !args.prune_allowlist.is_empty() => {
                refuse("--prune-allowlist is incompatible with --applyset")
            }
            () => Ok(()),
        };
    }
    // kubectl refuses to prune everything that was ever applied in the namespaces.
    if !args.all && !selected {
        return refuse(
            "all resources selected for prune without explicitly passing --all. To prune all \
             resources, pass the --all flag. If you did not mean to prune all resources, specify a \
             label selector",
        );
    }
    if args.server_side {
        return refuse(
            "--prune is in alpha and doesn't currently work on objects created by server-side apply",
        );
    }
    Ok(())
}

/// Prints the objects in the requested format: a single one as it is, several as a list.
fn show(applied: &[Info], printer: &mut ResultPrinter<'_>) -> Result<(), CliError> {
    match applied {
        [] => Ok(()),
        [one] => printer.print(&one.object),
        many => {
            let items: Vec<&Value> = many.iter().map(|info| &info.object).collect();
            let list = json!({"apiVersion": "v1", "kind": "List", "items": items, "metadata": {}});
            printer.print_list(&list)
        }
    }
}

#[cfg(test)]
mod ownership;
#[cfg(test)]
mod tests;
