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
    /// Only objects with these labels
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// All objects of the types
    #[arg(long)]
    all: bool,
    /// Change the objects of the files, not those of the cluster
    #[arg(long)]
    local: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
    #[command(flatten)]
    manager: ManagerArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// What becomes of one object.
type Change<'a> = &'a mut dyn FnMut(&Info) -> Result<Value, CliError>;

impl CommonArgs {
    /// The cluster, unless only files are changed.
    fn cluster(&self, context: &Context) -> Result<Option<Cluster>, CliError> {
        match self.local {
            true => Ok(None),
            false => context.api().map(Some),
        }
    }

    /// What is wrong with how the objects are named, if anything.
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

    fn find(
        &self,
        words: &[String],
        cluster: Option<&Cluster>,
        context: &Context,
    ) -> Result<Vec<Result<Info, CliError>>, CliError> {
        let builder = Builder::new(context, cluster)?.files(&self.files);
        let builder = match cluster {
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
        Ok(builder.find()?.items)
    }

    /// Changes every object that is named, and tells `done` of those that are different now.
    fn change(
        &self,
        words: &[String],
        context: &Context,
        done: &str,
        change: Change<'_>,
    ) -> Outcome {
        self.check(words, context)?;
        let dry_run = self.dry_run.get(context)?;
        let mut teller = Teller::typed(&self.output, dry_run, context)?;
        let cluster = self.cluster(context)?;
        let manager = self.manager.get("kubectl-set");
        let options = write_options(context, dry_run, manager, FieldValidation::Ignore);
        let sends = cluster.as_ref().filter(|_| dry_run != DryRun::Client);
        let mut errors = Vec::new();
        for item in self.find(words, cluster.as_ref(), context)? {
            let changed = item.and_then(|info| change(&info).map(|object| (info, object)));
            match changed {
                Err(e) => errors.push(e),
                // What is as it should be is passed over in silence, but for files.
                Ok((info, object)) if object == info.object && !self.local => {}
                Ok((info, object)) => match sends {
                    None => teller.tell(&info.with(object), done)?,
                    Some(cluster) => match pairs::send(cluster, &info, &object, "", &options) {
                        Err(e) => errors.push(e),
                        Ok(answer) => {
                            teller.warn(&answer);
                            teller.tell(&info.with(answer.object), done)?;
                        }
                    },
                },
            }
        }
        CliError::all(errors)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Where the Pod's spec is in objects of a kind.
fn pod_spec<'a>(info: &Info, object: &'a mut Value) -> Result<&'a mut Value, CliError> {
    let path = match info.kind.kind {
        "Pod" => "/spec",
        "CronJob" => "/spec/jobTemplate/spec/template/spec",
        "Deployment"
        | "DaemonSet"
        | "StatefulSet"
        | "ReplicaSet"
        | "Job"
        | "ReplicationController" => "/spec/template/spec",
        _ => "",
    };
    let found = Some(path).filter(|p| !p.is_empty());
    found
        .and_then(|path| object.pointer_mut(path))
        .ok_or_else(|| {
            let text = "the object is not a pod or does not have a pod template";
            CliError::text(format!("{} {:?}: {text}", info.kind.plural, info.name))
        })
}

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

/// Whether a name is what a pattern with `*` says.
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
