//! The common part of `ctl label` and `ctl annotate`: `KEY=VALUE` and `KEY-` for the objects that the arguments name.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::api::json::{Value, json};
use crate::api::patch::diff::merge_two_way;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{
    DryRun, DryRunArgs, ManagerArgs, OutputArgs, RecordArgs, ResultPrinter, write_options,
};
use crate::cli::resource::{Builder, FileArgs, Info, SelectorArgs};
use crate::cluster::{Cluster, FieldValidation, PatchType, Response, WriteOptions};
use crate::kinds::tree::ensure;

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
    /// Rejects flags that are mutually exclusive.
    pub(super) fn check(
        &self,
        noun: &str,
        resources: &[String],
        dry_run: DryRun,
    ) -> Result<(), CliError> {
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
            let files = match noun {
                "label" => "-f pod.yaml or --filename=pod.json",
                _ => "-f rsrc.yaml or --filename=rsrc.json",
            };
            return refuse(&format!(
                "can only use local files by {files} when --local=true is set"
            ));
        }
        if self.local && self.files.is_empty() {
            return refuse(match noun {
                "label" => {
                    "one or more files must be specified as -f pod.yaml or --filename=pod.json"
                }
                _ => "one or more files must be specified as -f rsrc.yaml or --filename=rsrc.json",
            });
        }
        if !self.local && resources.is_empty() && self.files.is_empty() {
            return refuse(
                "one or more resources must be specified as <resource> <name> or <resource>/<name>",
            );
        }
        Ok(())
    }

    /// Returns the builder that finds the objects.
    pub(super) fn builder<'a>(
        &self,
        context: &'a Context,
        cluster: Option<&'a Cluster>,
        resources: &[String],
    ) -> Result<Builder<'a>, CliError> {
        let builder = Builder::new(context, cluster)?.files(&self.files);
        // `--local` reads only files, because selectors and names would need the cluster.
        if cluster.is_none() {
            return Ok(builder.local(true));
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

/// Separates the arguments that name objects from the changes.
pub(super) fn split<'a>(
    args: &'a [String],
    what: &str,
) -> Result<(&'a [String], &'a [String]), CliError> {
    let changes = |arg: &String| {
        // No resource name contains `=` or ends with `-`, so the first such word begins the changes.
        let sets = arg.contains('=') && !arg.starts_with('=');
        sets || (arg.ends_with('-') && arg != "-")
    };
    let at = args.iter().position(changes).unwrap_or(args.len());
    let (resources, pairs) = args.split_at(at);
    match pairs.iter().find(|arg| !changes(arg)) {
        None => Ok((resources, pairs)),
        Some(late) => Err(CliError::text(format!(
            "all resources must be specified before {what} changes: {late}"
        ))),
    }
}

/// The changes to one map of the metadata.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    pub(super) set: Vec<(String, String)>,
    pub(super) removed: Vec<String>,
}

impl Changes {
    fn is_empty(&self) -> bool {
        self.set.is_empty() && self.removed.is_empty()
    }

    /// Returns the object with the changes applied to the map `field` of its metadata.
    pub(super) fn apply(&self, object: &Value, field: &str) -> Value {
        let mut object = object.clone();
        let map = &mut object["metadata"][field];
        if !map.is_object() {
            *map = json!({});
        }
        if let Some(map) = map.as_object_mut() {
            for (key, value) in &self.set {
                map.insert(key.clone(), json!(value));
            }
            for key in &self.removed {
                map.remove(key);
            }
            // Go omits empty maps, so the object would otherwise differ from the server's.
            if map.is_empty()
                && let Some(metadata) = object["metadata"].as_object_mut()
            {
                metadata.remove(field);
            }
        }
        object
    }

    /// Returns an object as kubectl prints it after its own change: with the map `field`, even if it is empty.
    pub(super) fn shown(mut object: Value, field: &str) -> Value {
        ensure(&mut object["metadata"], field);
        object
    }

    /// Returns the keys that already have another value, with that value.
    pub(super) fn taken<'a>(&'a self, object: &'a Value, field: &str) -> Vec<(&'a str, &'a str)> {
        let map = &object["metadata"][field];
        let mut keys: Vec<_> = self
            .set
            .iter()
            .filter_map(|(key, value)| Some((key.as_str(), value, map[key].as_str()?)))
            // An equal value is no conflict, so a command can be repeated.
            .filter(|(_, value, old)| value != old)
            .map(|(key, _, old)| (key, old))
            .collect();
        // Sorting makes the message independent of the order of the arguments.
        keys.sort_unstable();
        keys
    }
}

/// A map of the metadata, with the rules in which `ctl label` and `ctl annotate` differ.
pub(super) struct Map {
    /// The name of an entry in messages.
    pub(super) noun: &'static str,
    /// The field below `metadata`.
    pub(super) field: &'static str,
    pub(super) manager: &'static str,
    pub(super) parse: fn(&[String]) -> Result<Changes, CliError>,
    /// Changes one object. Returns its new state, and the word for the outcome.
    pub(super) edit: Edit,
}

type Edit = fn(&Editing<'_>, &Info, &ResultPrinter<'_>) -> Result<(Info, &'static str), CliError>;

/// The context of changing one object.
pub(super) struct Editing<'a> {
    pub(super) common: &'a CommonArgs,
    pub(super) context: &'a Context,
    pub(super) changes: Changes,
    /// `None` if the command sends nothing.
    pub(super) cluster: Option<&'a Cluster>,
    options: WriteOptions,
}

impl Editing<'_> {
    /// Sends the difference. If the flag gives a resourceVersion, it is a condition.
    pub(super) fn send(
        &self,
        cluster: &Cluster,
        info: &Info,
        changed: &Value,
        printer: &ResultPrinter<'_>,
    ) -> Result<Info, CliError> {
        let version = self.common.resource_version();
        let answer = send(cluster, info, changed, version, &self.options)?;
        printer.warn(&answer);
        Ok(info.with(answer.object))
    }
}

/// Runs `ctl label` or `ctl annotate`.
pub(super) fn run(
    map: &Map,
    words: &[String],
    list: bool,
    common: &CommonArgs,
    context: &Context,
) -> Outcome {
    let dry_run = common.dry_run.get(context)?;
    // `kubectl annotate` parses the format first, and `kubectl label` only when it prints.
    let mut printer = match map.noun {
        "label" => ResultPrinter::late(&common.output, dry_run, context).printer_per_object(),
        _ => ResultPrinter::new(&common.output, dry_run, context)?,
    };
    let (resources, pairs) = split(words, map.noun)?;
    let changes = (map.parse)(pairs)?;
    // `kubectl annotate --list` ignores the format.
    if list && map.noun == "label" && !printer.is_human() {
        return Err(CliError::text(
            "--list and --output may not be specified together",
        ));
    }
    common.check(map.noun, resources, dry_run)?;
    if changes.is_empty() && !list {
        let noun = map.noun;
        return Err(CliError::text(format!(
            "at least one {noun} update is required"
        )));
    }
    let cluster = match common.local {
        true => None,
        false => Some(context.api()?),
    };
    let found = common
        .builder(context, cluster.as_ref(), resources)?
        .find()?;
    // kubectl treats one file as one object, regardless of its content.
    let is_single = found.single || found.one_file;
    if !is_single && !common.resource_version().is_empty() {
        let text = "--resource-version may only be used with a single resource";
        return Err(CliError::text(text));
    }
    // `--list` shows the map as it would become, but must not change it.
    let sends = dry_run != DryRun::Client && !list;
    let editing = Editing {
        common,
        context,
        changes,
        cluster: cluster.as_ref().filter(|_| sends),
        options: write_options(
            context,
            dry_run,
            common.manager.get(map.manager),
            FieldValidation::Ignore,
        ),
    };
    let (single, mut errors) = (found.single, Vec::new());
    for item in found.in_turn() {
        match item.and_then(|info| (map.edit)(&editing, &info, &printer)) {
            Err(e) => errors.push(e),
            Ok((info, _)) if list => context.ui.out(&listed(&info, map.field, single))?,
            Ok((info, done)) => printer.print_result_of_many(&info, done, &mut errors)?,
        }
    }
    CliError::all(errors)?;
    Ok(ExitCode::SUCCESS)
}

/// Sends the difference of two states as a merge patch. A resourceVersion is sent as a condition.
pub(super) fn send(
    cluster: &Cluster,
    info: &Info,
    changed: &Value,
    resource_version: &str,
    options: &WriteOptions,
) -> Result<Response, CliError> {
    info.require_name()?;
    // The merge patch holds only the difference, so that concurrent changes of other fields do not conflict.
    let mut patch = merge_two_way(&info.object, changed);
    if !resource_version.is_empty() {
        // The server compares the version in the transaction that applies the patch.
        patch["metadata"]["resourceVersion"] = json!(resource_version);
    }
    let how = (PatchType::Merge, &patch);
    Ok(cluster.patch(&info.place(), &info.name, how, false, options)?)
}

/// Returns the lines of `--list`.
fn listed(info: &Info, field: &str, single: bool) -> String {
    let mut out = String::new();
    let indent = if single { "" } else { " " };
    if !single {
        let (kind, group) = (info.kind.kind, info.kind.group);
        out.push_str(&format!(
            "Listing {field} for {kind}.{group}/{}:\n",
            info.name
        ));
    }
    let map = info.object["metadata"][field].as_object();
    for (key, value) in map.into_iter().flatten() {
        let value = value.as_str().unwrap_or_default();
        out.push_str(&format!("{indent}{key}={value}\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn resources_precede_changes_in_arguments() {
        let args = words("cm one a=1 b-");
        let (resources, pairs) = split(&args, "label").unwrap();
        assert_eq!((resources.len(), pairs.len()), (2, 2));
        let odd = words("cm =x - a-");
        let (resources, pairs) = split(&odd, "label").unwrap();
        assert_eq!((resources.len(), pairs.len()), (3, 1));
        let error = split(&words("cm a=1 one"), "label")
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "all resources must be specified before label changes: one"
        );
    }

    #[test]
    fn changes_set_and_remove_values_and_detect_existing_ones() {
        let changes = Changes {
            set: vec![("a".into(), "2".into()), ("c".into(), "3".into())],
            removed: vec!["b".into()],
        };
        let object = json!({"metadata": {"labels": {"a": "1", "b": "x"}}});
        assert_eq!(changes.taken(&object, "labels"), [("a", "1")]);
        let labels = &changes.apply(&object, "labels")["metadata"]["labels"];
        assert_eq!(*labels, json!({"a": "2", "c": "3"}));
        let gone = Changes {
            removed: vec!["a".into(), "b".into()],
            ..Changes::default()
        };
        assert_eq!(gone.apply(&object, "labels"), json!({"metadata": {}}));
    }
}
