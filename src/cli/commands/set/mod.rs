//! `ctl set`: single parts of objects.

mod env;
mod image;
mod resources;
mod selector;
mod serviceaccount;
mod subject;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::{Outcome, pairs};
use crate::api::json::Value;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{DryRun, DryRunArgs, ManagerArgs, OutputArgs, Teller, write_options};
use crate::cli::resource::{Builder, FileArgs, Info, SelectorArgs};
use crate::cluster::{Cluster, FieldValidation};

/// Set specific features on objects
///
/// Example: ctl set image deploy/web nginx=nginx:1.26
#[derive(Args, Debug)]
pub(crate) struct SetArgs {
    #[command(subcommand)]
    command: SetCommand,
}

#[derive(Debug, Subcommand)]
enum SetCommand {
    Env(env::EnvArgs),
    Image(image::ImageArgs),
    Resources(resources::ResourcesArgs),
    Selector(selector::SelectorSetArgs),
    #[command(alias = "sa")]
    Serviceaccount(serviceaccount::ServiceAccountArgs),
    Subject(subject::SubjectArgs),
}

pub(crate) fn run(args: &SetArgs, context: &Context) -> Outcome {
    match &args.command {
        SetCommand::Env(args) => env::run(args, context),
        SetCommand::Image(args) => image::run(args, context),
        SetCommand::Resources(args) => resources::run(args, context),
        SetCommand::Selector(args) => selector::run(args, context),
        SetCommand::Serviceaccount(args) => serviceaccount::run(args, context),
        SetCommand::Subject(args) => subject::run(args, context),
    }
}

/// The flags that all of them share.
#[derive(Args, Clone, Debug)]
struct CommonArgs {
    #[command(flatten)]
    files: FileArgs,
    /// Label selector
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// Select all objects of the given types
    #[arg(long)]
    all: bool,
    /// Change the objects in the files without contacting the cluster
    #[arg(long)]
    local: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
    #[command(flatten)]
    manager: ManagerArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// The change of one object; errors that do not stop the command go to the list.
type Change<'a> = &'a mut dyn FnMut(&Info, &mut Vec<CliError>) -> Result<Value, CliError>;

/// How a command speaks of what it does.
struct Way {
    /// The word for a changed object.
    done: &'static str,
    /// The prefix of the server's error; empty if the error needs none.
    failed: &'static str,
    /// Also what changes nothing is sent and told.
    always: bool,
}

impl CommonArgs {
    /// The cluster, unless only files are changed.
    fn cluster(&self, context: &Context) -> Result<Option<Cluster>, CliError> {
        match self.local {
            true => Ok(None),
            false => context.api().map(Some),
        }
    }

    /// Returns an error if the objects are named incorrectly.
    fn check(&self, words: &[String], context: &Context) -> Result<(), CliError> {
        let refuse = |text: &str| Err(CliError::text(text));
        let selected = self.selector.as_deref().is_some_and(|s| !s.is_empty());
        if self.all && selected {
            return refuse("cannot set --all and --selector at the same time");
        }
        if self.local && self.dry_run.get(context)? == DryRun::Server {
            return refuse(
                "cannot specify --local and --dry-run=server - did you mean --dry-run=client?",
            );
        }
        if words.is_empty() && self.files.is_empty() {
            return refuse(
                "one or more resources must be specified as <resource> <name> or <resource>/<name>",
            );
        }
        Ok(())
    }

    /// The objects that are named; one that is not there keeps all from being changed.
    fn find(
        &self,
        words: &[String],
        cluster: Option<&Cluster>,
        context: &Context,
    ) -> Result<Vec<Info>, CliError> {
        let builder = Builder::new(context, cluster)?.files(&self.files).typed();
        let builder = match cluster {
            None if !words.is_empty() => return Err(CliError::text(LOCAL)),
            None => builder,
            Some(_) => {
                let selectors = SelectorArgs {
                    selector: self.selector.clone(),
                    field_selector: None,
                };
                builder
                    .selectors(&selectors)
                    .words(words, self.all)
                    .latest()
            }
        };
        builder.find()?.all()
    }

    /// Changes every object that was found, and prints those that differ afterwards.
    fn change(
        &self,
        found: Vec<Info>,
        cluster: Option<&Cluster>,
        context: &Context,
        way: &Way,
        change: Change<'_>,
    ) -> Outcome {
        let dry_run = self.dry_run.get(context)?;
        let mut teller = Teller::typed(&self.output, dry_run, context)?;
        let manager = self.manager.get("kubectl-set");
        let options = write_options(context, dry_run, manager, FieldValidation::Ignore);
        let sends = cluster.filter(|_| dry_run != DryRun::Client);
        let mut errors = Vec::new();
        let mut changed = Vec::new();
        for info in found {
            match change(&info, &mut errors) {
                Ok(object) => changed.push((info, object)),
                Err(e) if way.failed.is_empty() => errors.push(e),
                Err(e) => {
                    let (plural, name) = (info.kind.plural, &info.name);
                    errors.push(CliError::text(format!("error: {plural}/{name} {e}\n")));
                }
            }
        }
        for (info, object) in changed {
            // What is as it should be is passed over in silence.
            if object == info.object && !way.always {
                continue;
            }
            let Some(cluster) = sends else {
                teller.tell(&info.with(object), way.done)?;
                continue;
            };
            match pairs::send(cluster, &info, &object, "", &options) {
                Err(e) if way.failed.is_empty() => errors.push(e),
                Err(e) => errors.push(CliError::text(format!("{}{e}", way.failed))),
                Ok(answer) => {
                    teller.warn(&answer);
                    teller.tell(&info.with(answer.object), way.done)?;
                }
            }
        }
        if let [CliError::Text(text)] = errors.as_mut_slice() {
            text.truncate(text.trim_end().len());
        }
        CliError::all(errors)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// With `--local` nobody is asked.
const LOCAL: &str = "error: you must specify resources by --filename when --local is set.\n\
    Example resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'";

/// Returns the specification of an object's Pods.
fn pod_spec<'a>(info: &Info, object: &'a mut Value) -> Result<&'a mut Value, CliError> {
    let path = info.kind.pod_spec_path();
    path.and_then(|path| object.pointer_mut(&format!("/{}", path.join("/"))))
        .ok_or_else(|| {
            let text = "the object is not a pod or does not have a pod template";
            CliError::text(format!("{text}: *{}.{}", info.kind.version, info.kind.kind))
        })
}

/// The lists of containers, in the order in which kubectl goes through them.
const LISTS: [&str; 2] = ["containers", "initContainers"];

/// The containers of a list that a pattern selects.
fn selected<'a>(
    spec: &'a mut Value,
    list: &str,
    pattern: &'a str,
) -> impl Iterator<Item = &'a mut Value> {
    let containers = spec.get_mut(list).and_then(Value::as_array_mut);
    containers.into_iter().flatten().filter(move |c| {
        let name = c["name"].as_str().unwrap_or_default();
        matches(pattern, name)
    })
}

/// Returns true if a name is what a pattern with `*` says.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(rest) = name.strip_prefix(head) else {
        return false;
    };
    rest.char_indices()
        .map(|(at, _)| at)
        .chain([rest.len()])
        .any(|at| matches(tail, &rest[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, name, matched) in [
            ("*", "web", true),
            ("w*", "web", true),
            ("*b", "web", true),
            ("w*x*", "web", false),
            ("web", "web", true),
            ("we", "web", false),
            ("", "web", false),
        ] {
            assert_eq!(matches(pattern, name), matched, "{pattern} {name}");
        }
    }
}
