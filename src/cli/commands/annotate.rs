//! `ctl annotate`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use super::label::CommonArgs;
use super::pairs::{self, Changes};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{DryRun, Teller, write_options};
use crate::cli::resource::Info;
use crate::cluster::{Cluster, FieldValidation, WriteOptions};

/// Add, change or remove annotations
///
/// Examples:
///   ctl annotate deploy web note='read me'
///   ctl annotate pods --all note=new --overwrite
///   ctl annotate deploy web note-
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct AnnotateArgs {
    /// TYPE NAME or TYPE/NAME, then KEY=VALUE or KEY- for each annotation
    words: Vec<String>,
    #[command(flatten)]
    common: CommonArgs,
    /// List the annotations
    #[arg(long)]
    list: bool,
}

struct Annotating<'a> {
    args: &'a AnnotateArgs,
    context: &'a Context,
    changes: Changes,
    /// `None` if the command sends nothing.
    cluster: Option<&'a Cluster>,
    options: WriteOptions,
}

pub(crate) fn run(args: &AnnotateArgs, context: &Context) -> Outcome {
    let common = &args.common;
    let dry_run = common.dry_run.get(context)?;
    let mut teller = Teller::new(&common.output, dry_run, context)?;
    let (resources, pairs) = pairs::split(&args.words, "annotation")?;
    let changes = parse(pairs)?;
    if args.list && !teller.is_human() {
        return Err(CliError::text(
            "--list and --output may not be specified together",
        ));
    }
    common.check(resources, dry_run)?;
    if changes.is_empty() && !args.list {
        return Err(CliError::text("at least one annotation update is required"));
    }
    let cluster = match common.local {
        true => None,
        false => Some(context.api()?),
    };
    let found = common
        .builder(context, cluster.as_ref(), resources)?
        .find()?;
    if !found.single && !common.resource_version().is_empty() {
        let text = "--resource-version may only be used with a single resource";
        return Err(CliError::text(text));
    }
    let sends = dry_run != DryRun::Client && !args.list;
    let annotating = Annotating {
        args,
        context,
        changes,
        cluster: cluster.as_ref().filter(|_| sends),
        options: write_options(
            context,
            dry_run,
            common.manager.get("kubectl-annotate"),
            FieldValidation::Ignore,
        ),
    };
    let (single, mut errors) = (found.single, Vec::new());
    for item in found.items {
        match item.and_then(|info| annotating.one(&info, &teller)) {
            Err(e) => errors.push(e),
            Ok(info) if args.list => {
                context
                    .ui
                    .out(&pairs::listed(&info, "annotations", single))?;
            }
            Ok(info) => teller.tell(&info, "annotated")?,
        }
    }
    CliError::all(errors)?;
    Ok(ExitCode::SUCCESS)
}

fn parse(pairs: &[String]) -> Result<Changes, CliError> {
    let mut changes = Changes::default();
    let mut wrong: Vec<&str> = Vec::new();
    for pair in pairs {
        match (pair.split_once('='), pair.strip_suffix('-')) {
            (Some((key, value)), _) => {
                // The last value of a repeated key wins. Unlike a label's, a value may contain `=`.
                changes.set.retain(|(k, _)| k != key);
                changes.set.push((key.to_owned(), value.to_owned()));
            }
            (None, Some(key)) if !key.is_empty() => changes.removed.push(key.to_owned()),
            _ => wrong.push(pair),
        }
    }
    if !wrong.is_empty() {
        let wrong = wrong.join(", ");
        return Err(CliError::text(format!(
            "invalid annotation format: {wrong}"
        )));
    }
    let both = |key: &&String| changes.set.iter().any(|(k, _)| k == *key);
    let twice: Vec<&str> = changes
        .removed
        .iter()
        .filter(both)
        .map(String::as_str)
        .collect();
    if !twice.is_empty() {
        return Err(CliError::text(format!(
            "can not both modify and remove the following annotation(s) in the same command: {}",
            twice.join(", ")
        )));
    }
    Ok(changes)
}

impl Annotating<'_> {
    fn one(&self, info: &Info, teller: &Teller<'_>) -> Result<Info, CliError> {
        let taken = self.changes.taken(&info.object, "annotations");
        if !self.args.common.overwrite && !taken.is_empty() {
            let taken = taken
                .iter()
                .map(|(k, old)| format!("'{k}' already has a value ({old})"));
            return Err(CliError::text(format!(
                "--overwrite is false but found the following declared annotation(s): {}",
                taken.collect::<Vec<_>>().join("; ")
            )));
        }
        let Some(cluster) = self.cluster else {
            let changed = self.changes.apply(&info.object, "annotations");
            return Ok(info.with(changed));
        };
        // Recorded first, so that a change of `kubernetes.io/change-cause` on the command line prevails.
        let recorded = self
            .args
            .common
            .record
            .mark(self.context, info.object.clone());
        let changed = self.changes.apply(&recorded, "annotations");
        let version = self.args.common.resource_version();
        let answer = pairs::send(cluster, info, &changed, version, &self.options)?;
        teller.warn(&answer);
        Ok(info.with(answer.object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn annotations_may_hold_anything_behind_the_first_equals_sign() {
        let parsed = |pairs: &[&str]| {
            let pairs: Vec<String> = pairs.iter().map(|p| (*p).to_owned()).collect();
            parse(&pairs)
        };
        let changes = parsed(&["a=b=c", "d-"]).unwrap();
        assert_eq!(changes.set, [("a".to_owned(), "b=c".to_owned())]);
        assert_eq!(changes.removed, ["d"]);
        assert_eq!(
            parsed(&["a", "-"]).unwrap_err().to_string(),
            "invalid annotation format: a, -"
        );
        assert!(
            parsed(&["a=1", "a-"])
                .unwrap_err()
                .to_string()
                .ends_with("command: a")
        );
    }

    #[test]
    fn a_value_that_is_there_is_changed_only_where_told() {
        let shell = Shell::new();
        let _ = shell.out("create configmap c");
        assert_eq!(
            shell.out("annotate cm c note='read me'"),
            "configmap/c annotated\n"
        );
        assert_eq!(
            shell.out("annotate cm c note='read me'"),
            "configmap/c annotated\n"
        );
        shell.refuses(&[
            (
                "annotate cm c note=other",
                "--overwrite is false but found the following declared annotation(s): 'note' already has a value \
                 (read me)",
            ),
            ("annotate cm c", "at least one annotation update is required"),
            (
                "annotate cm c a=b other",
                "all resources must be specified before annotation changes: other",
            ),
            ("annotate cm c a=b a-", "can not both modify and remove the following annotation(s) in the same command: a"),
            ("annotate cm c a=b --list -o json", "--list and --output may not be specified together"),
        ]);
        assert_eq!(
            shell.out("annotate cm c note=other --overwrite"),
            "configmap/c annotated\n"
        );
        assert_eq!(shell.out("annotate cm c --list"), "note=other\n");
        assert_eq!(
            shell.out("annotate cm c note- --dry-run=client"),
            "configmap/c annotated (dry run)\n"
        );
        let _ = shell.out("annotate cm c note-");
        assert_eq!(shell.out("annotate cm c --list"), "");
    }
}
