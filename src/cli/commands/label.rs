//! `ctl label`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use super::pairs::{self, Changes};
use crate::api::go::quoted;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{
    DryRun, DryRunArgs, ManagerArgs, OutputArgs, RecordArgs, Teller, write_options,
};
use crate::cli::resource::{Builder, FileArgs, Info, SelectorArgs};
use crate::cluster::{Cluster, FieldValidation, WriteOptions};
use crate::kinds::validate::names;
use crate::print::json::one_line;

/// Add, change or remove labels
///
/// Examples:
///   ctl label pod web-0 tier=front
///   ctl label pods --all tier=back --overwrite
///   ctl label pod web-0 tier-
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct LabelArgs {
    /// TYPE NAME or TYPE/NAME, then KEY=VALUE or KEY- for each label
    words: Vec<String>,
    #[command(flatten)]
    pub(super) common: CommonArgs,
    /// List the labels
    #[arg(long)]
    list: bool,
}

/// The flags that label and annotate share.
#[derive(Args, Debug)]
pub(crate) struct CommonArgs {
    #[command(flatten)]
    pub(super) files: FileArgs,
    #[command(flatten)]
    pub(super) selectors: SelectorArgs,
    /// Select all objects of the given types
    #[arg(long)]
    pub(super) all: bool,
    /// Select objects in all namespaces
    #[arg(short = 'A', long)]
    pub(super) all_namespaces: bool,
    /// Overwrite existing values
    #[arg(long)]
    pub(super) overwrite: bool,
    /// Change the objects in the files without contacting the cluster
    #[arg(long)]
    pub(super) local: bool,
    /// Fail unless the object has this resource version
    #[arg(long, value_name = "VERSION")]
    pub(super) resource_version: Option<String>,
    #[command(flatten)]
    pub(super) dry_run: DryRunArgs,
    #[command(flatten)]
    pub(super) manager: ManagerArgs,
    #[command(flatten)]
    pub(super) record: RecordArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

impl CommonArgs {
    /// Flags that do not go together.
    pub(super) fn check(&self, resources: &[String], dry_run: DryRun) -> Result<(), CliError> {
        let refuse = |text: &str| Err(CliError::text(text));
        let given = |text: &Option<String>| text.as_deref().is_some_and(|t| !t.is_empty());
        if self.all && given(&self.selectors.selector) {
            return refuse("cannot set --all and --selector at the same time");
        }
        if self.all && given(&self.selectors.field_selector) {
            return refuse("cannot set --all and --field-selector at the same time");
        }
        if self.local && dry_run == DryRun::Server {
            return refuse(
                "cannot specify --local and --dry-run=server - did you mean --dry-run=client?",
            );
        }
        if self.local && !resources.is_empty() {
            return refuse(
                "can only use local files by -f pod.yaml or -f - when --local=true is set",
            );
        }
        if self.local && self.files.is_empty() {
            return refuse("one or more files must be specified as -f when --local=true");
        }
        if !self.local && resources.is_empty() && self.files.is_empty() {
            return refuse(
                "one or more resources must be specified as <resource> <name> or <resource>/<name>",
            );
        }
        Ok(())
    }

    /// The builder for the objects.
    pub(super) fn builder<'a>(
        &self,
        context: &'a Context,
        cluster: Option<&'a Cluster>,
        resources: &[String],
    ) -> Result<Builder<'a>, CliError> {
        let builder = Builder::new(context, cluster)?.files(&self.files);
        // `--local` reads files alone: selectors and names would need the cluster.
        if cluster.is_none() {
            return Ok(builder);
        }
        Ok(builder
            .selectors(&self.selectors)
            .all_namespaces(self.all_namespaces)
            .words(resources, self.all)
            .latest())
    }

    pub(super) fn resource_version(&self) -> &str {
        self.resource_version.as_deref().unwrap_or_default()
    }
}

/// The context for labelling one object.
struct Labelling<'a> {
    args: &'a LabelArgs,
    context: &'a Context,
    changes: Changes,
    /// `None` if the command sends nothing.
    cluster: Option<&'a Cluster>,
    options: WriteOptions,
}

pub(crate) fn run(args: &LabelArgs, context: &Context) -> Outcome {
    let common = &args.common;
    let dry_run = common.dry_run.get(context)?;
    let mut teller = Teller::new(&common.output, dry_run, context)?;
    let (resources, pairs) = pairs::split(&args.words, "label")?;
    let changes = parse(pairs)?;
    if args.list && !teller.is_human() {
        return Err(CliError::text(
            "--list and --output may not be specified together",
        ));
    }
    common.check(resources, dry_run)?;
    if changes.is_empty() && !args.list {
        return Err(CliError::text("at least one label update is required"));
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
    // `--list` shows the labels as they would become, and must not change them.
    let sends = dry_run != DryRun::Client && !args.list;
    let labelling = Labelling {
        args,
        context,
        changes,
        cluster: cluster.as_ref().filter(|_| sends),
        options: write_options(
            context,
            dry_run,
            common.manager.get("kubectl-label"),
            FieldValidation::Ignore,
        ),
    };
    let (single, mut errors) = (found.single, Vec::new());
    for item in found.items {
        match item.and_then(|info| labelling.one(&info, &teller)) {
            Err(e) => errors.push(e),
            Ok((info, _)) if args.list => {
                context.ui.out(&pairs::listed(&info, "labels", single))?
            }
            Ok((info, done)) => teller.tell(&info, done)?,
        }
    }
    CliError::all(errors)?;
    Ok(ExitCode::SUCCESS)
}

fn parse(pairs: &[String]) -> Result<Changes, CliError> {
    let mut changes = Changes::default();
    for pair in pairs {
        if pair.contains('=') {
            // A label value cannot contain `=`, unlike an annotation, so a second one makes the pair invalid.
            let parts: Vec<&str> = pair.split('=').collect();
            let [key, value] = parts.as_slice() else {
                return Err(CliError::text(format!("invalid label spec: {pair}")));
            };
            let wrong = names::label_value(value);
            if !wrong.is_empty() {
                let (pair, wrong) = (quoted(pair), wrong.join(";"));
                return Err(CliError::text(format!(
                    "invalid label value: {pair}: {wrong}"
                )));
            }
            // The last value of a repeated key wins, as in kubectl's map.
            changes.set.retain(|(k, _)| k != key);
            changes.set.push(((*key).to_owned(), (*value).to_owned()));
        } else if let Some(key) = pair.strip_suffix('-') {
            changes.removed.push(key.to_owned());
        } else {
            return Err(CliError::text(format!("unknown label spec: {pair}")));
        }
    }
    let both = |key: &String| changes.set.iter().any(|(k, _)| k == key);
    if changes.removed.iter().any(both) {
        let text = "can not both modify and remove a label in the same command";
        return Err(CliError::text(text));
    }
    Ok(changes)
}

impl Labelling<'_> {
    fn one(&self, info: &Info, teller: &Teller<'_>) -> Result<(Info, &'static str), CliError> {
        let overwrite = self.args.common.overwrite;
        if self.cluster.is_some() {
            for key in &self.changes.removed {
                if info.object["metadata"]["labels"][key].is_null() {
                    self.context
                        .ui
                        .line(format_args!("label \"{key}\" not found."))?;
                }
            }
        }
        if !overwrite {
            let taken = self.changes.taken(&info.object, "labels");
            let wrong = taken.iter().map(|(key, old)| {
                CliError::text(format!(
                    "'{key}' already has a value ({old}), and --overwrite is false"
                ))
            });
            CliError::all(wrong.collect())?;
        }
        let mut changed = self.changes.apply(&info.object, "labels");
        if self.cluster.is_some() {
            changed = self.args.common.record.mark(self.context, changed);
        }
        let done = done(info, &changed, overwrite);
        let Some(cluster) = self.cluster else {
            return Ok((info.with(changed), done));
        };
        let version = self.args.common.resource_version();
        let answer = pairs::send(cluster, info, &changed, version, &self.options)?;
        teller.warn(&answer);
        Ok((info.with(answer.object), done))
    }
}

/// Returns the word for the outcome. kubectl compares the lengths of the objects.
fn done(info: &Info, changed: &crate::api::json::Value, overwrite: bool) -> &'static str {
    if *changed == info.object {
        return "not labeled";
    }
    let shorter = one_line(changed).len() < one_line(&info.object).len();
    // Therefore a removal that also lengthens another value, or comes with `--overwrite`, says "labeled".
    if !overwrite && shorter {
        "unlabeled"
    } else {
        "labeled"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    fn refusal(pairs: &[&str]) -> String {
        let pairs: Vec<String> = pairs.iter().map(|p| (*p).to_owned()).collect();
        parse(&pairs).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_label_is_refused() {
        assert_eq!(refusal(&["a=b=c"]), "invalid label spec: a=b=c");
        assert!(refusal(&["a=b c"]).starts_with("invalid label value: \"a=b c\": a valid label"));
        assert_eq!(
            refusal(&["a=1", "a-"]),
            "can not both modify and remove a label in the same command"
        );
    }

    #[test]
    fn it_is_told_whether_a_label_came_went_or_was_never_there() {
        let shell = Shell::new();
        let _ = shell.out("create configmap c");
        assert_eq!(shell.out("label cm c tier=a"), "configmap/c labeled\n");
        assert_eq!(shell.out("label cm c tier=a"), "configmap/c not labeled\n");
        assert_eq!(shell.out("label cm c tier-"), "configmap/c unlabeled\n");
        assert_eq!(
            shell.out("label cm c tier-"),
            "label \"tier\" not found.\nconfigmap/c not labeled\n"
        );
        let _ = shell.out("label cm c tier=a");
        shell.refuses(&[
            (
                "label cm c tier=b",
                "'tier' already has a value (a), and --overwrite is false",
            ),
            ("label cm c", "at least one label update is required"),
        ]);
        assert_eq!(
            shell.out("label cm c tier=b --overwrite"),
            "configmap/c labeled\n"
        );
        assert_eq!(shell.out("label cm c --list"), "tier=b\n");
        let wrong = shell.fails("label cm c 'a b=c'");
        assert!(
            wrong.starts_with("The ConfigMap \"c\" is invalid: metadata.labels: "),
            "{wrong}"
        );
        let wrong = shell.fails("label cm c a=-b-");
        assert!(
            wrong.contains("a valid label must be an empty string or consist of"),
            "{wrong}"
        );
    }
}
