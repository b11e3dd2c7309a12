//! `ctl set`: changes single parts of objects.

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
use crate::cli::options::{
    DryRun, DryRunArgs, ManagerArgs, OutputArgs, ResultPrinter, write_options,
};
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
    #[command(visible_alias = "sa")]
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

/// The label selector, which `set selector` and `set serviceaccount` do not have.
#[derive(Args, Clone, Debug, Default)]
struct LabelArgs {
    /// Label selector
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
}

impl From<&LabelArgs> for SelectorArgs {
    fn from(labels: &LabelArgs) -> Self {
        Self {
            selector: labels.selector.clone(),
            field_selector: None,
        }
    }
}

/// A function that changes one object. It adds errors to the list if they do not stop the command.
type Change<'a> = &'a mut dyn FnMut(&Info, &mut Vec<CliError>) -> Result<Value, CliError>;

/// The texts and rules of one command for its results.
struct ResultRules {
    /// The word for a changed object.
    done: &'static str,
    /// The prefix of the server's error; empty if the error needs none.
    failed: &'static str,
    /// True if an unchanged object is sent and reported, too.
    always: bool,
}

impl CommonArgs {
    /// Returns the cluster; none with `--local`.
    fn cluster(&self, context: &Context) -> Result<Option<Cluster>, CliError> {
        match self.local {
            true => Ok(None),
            false => context.api().map(Some),
        }
    }

    /// Rejects invalid values of `--dry-run` and `-o` before anything else, as kubectl does.
    fn check_modes(&self, context: &Context) -> Result<(), CliError> {
        self.dry_run.get(context)?;
        self.output.format(false, false).map(|_| ())
    }

    /// Rejects `--local` with a dry run by the server.
    fn check_local(&self) -> Result<(), CliError> {
        if self.local && self.dry_run.check()? == DryRun::Server {
            return Err(CliError::text(
                "cannot specify --local and --dry-run=server - did you mean --dry-run=client?",
            ));
        }
        Ok(())
    }

    fn check(&self, words: &[String], labels: &LabelArgs) -> Result<(), CliError> {
        let refuse = |text: &str| Err(CliError::text(text));
        let selected = labels.selector.as_deref().is_some_and(|s| !s.is_empty());
        if self.all && selected {
            return refuse("cannot set --all and --selector at the same time");
        }
        self.check_local()?;
        if words.is_empty() && self.files.is_empty() {
            return refuse(
                "one or more resources must be specified as <resource> <name> or <resource>/<name>",
            );
        }
        Ok(())
    }

    /// Returns the named objects. If one of them does not exist, none is changed.
    fn find(
        &self,
        words: &[String],
        labels: &LabelArgs,
        cluster: Option<&Cluster>,
        context: &Context,
    ) -> Result<Vec<Info>, CliError> {
        let builder = self.builder(&self.files, words, cluster, context)?;
        match cluster {
            // As in kubectl, a selector does not apply to files with `--local`.
            None => builder.find()?.all(),
            Some(_) => builder.selectors(&labels.into()).find()?.all(),
        }
    }

    /// Returns the builder that finds the named objects and those in files.
    fn builder<'a>(
        &self,
        files: &FileArgs,
        words: &[String],
        cluster: Option<&'a Cluster>,
        context: &'a Context,
    ) -> Result<Builder<'a>, CliError> {
        let builder = Builder::new(context, cluster)?
            .files(files)
            .local(self.local)
            .typed();
        match cluster {
            // Names are looked up in the cluster, which `--local` does not use.
            None if !words.is_empty() => Err(CliError::text(LOCAL)),
            None => Ok(builder),
            Some(_) => Ok(builder.words(words, self.all).latest()),
        }
    }

    /// Changes every object that was found, and prints those that changed.
    fn change(
        &self,
        found: Vec<Info>,
        cluster: Option<&Cluster>,
        context: &Context,
        rules: &ResultRules,
        change: Change<'_>,
    ) -> Outcome {
        // The remarks about a deprecated value were printed by `check_modes`.
        let dry_run = self.dry_run.check()?;
        let mut printer = ResultPrinter::typed(&self.output, dry_run, context)?;
        let manager = self.manager.get("kubectl-set");
        let options = write_options(context, dry_run, manager, FieldValidation::Ignore);
        let sends = cluster.filter(|_| dry_run != DryRun::Client);
        let mut errors = Vec::new();
        let mut changed = Vec::new();
        // All objects are changed in memory before the first one is sent, because kubectl calculates all patches first.
        // An error of one object does not stop the others.
        for info in found {
            match change(&info, &mut errors) {
                Ok(object) => changed.push((info, object)),
                Err(e) if rules.failed.is_empty() => errors.push(e),
                Err(e) => {
                    let name = named(&info, cluster.is_none());
                    errors.push(CliError::text(format!("error: {name} {e}\n")));
                }
            }
        }
        for (info, object) in changed {
            // An unchanged object is neither sent nor reported.
            if object == info.object && !rules.always {
                continue;
            }
            let Some(cluster) = sends else {
                printer.print_result(&info.with(object), rules.done)?;
                continue;
            };
            match pairs::send(cluster, &info, &object, "", &options) {
                Err(e) if rules.failed.is_empty() => errors.push(e),
                Err(e) => errors.push(CliError::text(format!("{}{e}", rules.failed))),
                Ok(answer) => {
                    printer.warn(&answer);
                    printer.print_result(&info.with(answer.object), rules.done)?;
                }
            }
        }
        // kubectl's error for a single object ends with a newline, which only a list of several errors keeps.
        if let [CliError::Text(text)] = errors.as_mut_slice() {
            text.truncate(text.trim_end().len());
        }
        CliError::all(errors)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the name of an object in an error. Without a cluster, kubectl knows no resource of the kind.
fn named(info: &Info, local: bool) -> String {
    let name = &info.name;
    if !local {
        return format!("{}/{name}", info.kind.plural);
    }
    let kind = info.kind.kind.to_lowercase();
    match info.kind.group {
        "" => format!("{kind}/{name}"),
        // kubectl's text has this line feed.
        group => format!("{kind}.{group}/{name}\n"),
    }
}

/// The error for names with `--local`.
pub(super) const LOCAL: &str = "error: you must specify resources by --filename when --local is set.\n\
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

/// The lists of containers that a pattern selects from.
const LISTS: [&str; 2] = ["containers", "initContainers"];

/// Returns the containers of a list that a pattern selects.
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

/// Returns true if a name matches a pattern with `*`.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(rest) = name.strip_prefix(head) else {
        return false;
    };
    // Tries every length of the text that `*` stands for, including zero.
    rest.char_indices()
        .map(|(at, _)| at)
        .chain([rest.len()])
        .any(|at| matches(tail, &rest[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn local_manifests_are_printed_as_structs() {
        let shell = Shell::empty();
        shell.write(
            "web.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {a: b}}\n  \
             template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: nginx}]}}\n",
        );
        let told = shell.out("set env -f @/web.yaml --local A=b -o yaml");
        assert_eq!(
            told,
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  selector:\n    matchLabels:\n      \
             a: b\n  strategy: {}\n  template:\n    metadata:\n      labels:\n        a: b\n    spec:\n      containers:\n      \
             - env:\n        - name: A\n          value: b\n        image: nginx\n        name: a\n        resources: {}\nstatus: {}\n"
        );
    }

    #[test]
    fn local_objects_have_the_names_of_their_kinds() {
        let shell = Shell::empty();
        let ingress =
            "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i}\nspec: {}\n";
        shell.write("i.yaml", ingress);
        shell.write(
            "s.yaml",
            "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n",
        );
        let why = "the object is not a pod or does not have a pod template: *v1";
        let nothing = "You must provide one or more resources by argument or filename.";
        for (line, told) in [
            (
                "set image -f @/s.yaml --local a=b",
                format!("error: service/s {why}.Service"),
            ),
            (
                "set sa -f @/i.yaml --local a",
                format!("error: ingress.networking.k8s.io/i\n {why}.Ingress"),
            ),
        ] {
            assert_eq!(shell.fails(line), told, "{line}");
        }
        for line in [
            "set sa deploy/web a --local",
            "set env deploy/web a=b --local",
        ] {
            assert!(shell.fails(line).contains(nothing), "{line}");
        }
    }

    #[test]
    fn star_matches_any_text() {
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

    #[test]
    fn several_objects_without_a_template_end_with_an_empty_line() {
        let shell = Shell::new();
        shell.all(&["create cm a", "create cm b"]);
        let why = |name: &str| {
            format!(
                "error: configmaps/{name} the object is not a pod or does not have a pod template: *v1.ConfigMap\n"
            )
        };
        let said = shell.run("set env cm a b X=y");
        assert_eq!(said.err, format!("{}\n{}\n", why("a"), why("b")));
        let said = shell.run("set env cm a X=y");
        assert_eq!(said.err, why("a"));
        shell.refuses(&[(
            "set env -k @/nope X=y",
            "one or more resources must be specified as <resource> <name> or <resource>/<name>",
        )]);
    }
}
