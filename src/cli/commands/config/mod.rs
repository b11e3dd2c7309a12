//! `ctl config`: manages the contexts, clusters and users in ctl's own configuration file, in kubectl's format.

mod access;
mod entries;
pub(super) mod file;
mod property;
mod view;

use std::fmt::Display;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::Outcome;
use crate::api::json::json;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::StructuredOutputArgs;
use crate::print::table::Table;
pub(crate) use access::{Access, ReplacePolicy, SavedKubeconfig};
use file::{File, List};

/// Returns the names in a list of the configuration, such as `contexts`.
pub(crate) fn names_of(context: &Context, list: &str) -> Vec<String> {
    let lists = [List::Clusters, List::Contexts, List::Users];
    let list = lists.into_iter().find(|l| l.words().0 == list);
    let names = list.and_then(|list| Some(File::load(context).ok()?.names(list)));
    names.unwrap_or_default()
}

/// Show and change the configuration
///
/// Example: ctl config use-context dev
#[derive(Args, Debug)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Show the name of the current context
    ///
    /// Example: ctl config current-context
    CurrentContext(NoArgs),
    /// Delete a cluster from the configuration
    ///
    /// Example: ctl config delete-cluster dev
    DeleteCluster(ChangeArgs),
    /// Delete a context from the configuration
    ///
    /// Example: ctl config delete-context dev
    DeleteContext(ChangeArgs),
    /// Delete a user from the configuration
    ///
    /// Example: ctl config delete-user ann
    DeleteUser(ChangeArgs),
    /// List the clusters in the configuration
    ///
    /// Example: ctl config get-clusters
    GetClusters(NoArgs),
    GetContexts(GetContextsArgs),
    /// List the users in the configuration
    ///
    /// Example: ctl config get-users
    GetUsers(NoArgs),
    /// Rename a context
    ///
    /// Example: ctl config rename-context dev blue
    RenameContext(ChangeArgs),
    Set(SetArgs),
    SetCluster(entries::SetClusterArgs),
    SetContext(entries::SetContextArgs),
    SetCredentials(entries::SetCredentialsArgs),
    /// Unset a property, such as contexts.dev.namespace
    ///
    /// Example: ctl config unset contexts.dev.namespace
    Unset(ChangeArgs),
    /// Set the current context
    ///
    /// Example: ctl config use-context dev
    #[command(visible_alias = "use")]
    UseContext(ChangeArgs),
    View(view::ViewArgs),
}

#[derive(Args, Debug)]
struct ChangeArgs {
    words: Vec<String>,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

/// The words of a command that takes none. kubectl ignores them.
#[derive(Args, Debug)]
struct NoArgs {
    #[arg(id = "words", value_name = "WORDS", hide = true)]
    _words: Vec<String>,
}

/// Saves the changed configuration and reports it. Structured output is the configuration without its secrets.
fn keep(
    mut file: File,
    answer: &StructuredOutputArgs,
    context: &Context,
    sentence: impl Display,
) -> Result<(), CliError> {
    answer.check()?;
    file.save()?;
    // The secrets are hidden after the file is saved, so that only the printed copy lacks them.
    view::hide_secrets(&mut file)?;
    answer.print(context, sentence, &file.tree)
}

/// List the contexts in the configuration
///
/// Example: ctl config get-contexts -o name
#[derive(Args, Debug)]
struct GetContextsArgs {
    words: Vec<String>,
    /// Do not print headers
    #[arg(long)]
    no_headers: bool,
    /// name
    #[arg(short, long, value_name = "FORMAT")]
    output: Option<String>,
}

/// Set a property, such as contexts.dev.namespace
///
/// Example: ctl config set contexts.dev.namespace blue
#[derive(Args, Debug)]
struct SetArgs {
    words: Vec<String>,
    /// Encode the value of a ...-data property in base64
    #[arg(long)]
    set_raw_bytes: bool,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

pub(crate) fn run(args: &ConfigArgs, context: &Context) -> Outcome {
    match &args.command {
        ConfigCommand::CurrentContext(_) => current(context)?,
        ConfigCommand::DeleteCluster(args) => delete(List::Clusters, args, context)?,
        ConfigCommand::DeleteContext(args) => delete(List::Contexts, args, context)?,
        ConfigCommand::DeleteUser(args) => delete(List::Users, args, context)?,
        ConfigCommand::GetClusters(_) => names(List::Clusters, context)?,
        ConfigCommand::GetContexts(args) => contexts(args, context)?,
        ConfigCommand::GetUsers(_) => names(List::Users, context)?,
        ConfigCommand::RenameContext(args) => rename(args, context)?,
        ConfigCommand::Set(args) => set(args, context)?,
        ConfigCommand::SetCluster(args) => entries::set_cluster(args, context)?,
        ConfigCommand::SetContext(args) => entries::set_context(args, context)?,
        ConfigCommand::SetCredentials(args) => entries::set_credentials(args, context)?,
        ConfigCommand::Unset(args) => unset(args, context)?,
        ConfigCommand::UseContext(args) => switch(args, context)?,
        ConfigCommand::View(args) => view::run(args, context)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn current(context: &Context) -> Result<(), CliError> {
    let file = File::load(context)?;
    match file.current() {
        "" => Err(CliError::text("current-context is not set")),
        name => context.ui.line(name),
    }
}

fn names(list: List, context: &Context) -> Result<(), CliError> {
    let names = File::load(context)?.names(list);
    context.ui.line("NAME")?;
    names.iter().try_for_each(|name| context.ui.line(name))
}

fn contexts(args: &GetContextsArgs, context: &Context) -> Result<(), CliError> {
    let output = args.output.as_deref().unwrap_or_default();
    // kubectl announces a reset to the default format and then fails. The text is kept, although nothing is reset.
    if !["", "name"].contains(&output) {
        let program = &context.program;
        return Err(CliError::text(format!(
            "--output {output} is not available in {program} config get-contexts; resetting to \
             default output format"
        )));
    }
    let file = File::load(context)?;
    let all = file.names(List::Contexts);
    let wanted = if args.words.is_empty() {
        &all
    } else {
        &args.words
    };
    // As in kubectl, errors about missing names follow the table of the others.
    let (mut there, missing): (Vec<_>, Vec<_>) = wanted.iter().partition(|name| all.contains(name));
    // kubectl also sorts names that were requested in another order.
    there.sort();
    if output == "name" {
        there.iter().try_for_each(|name| context.ui.line(name))?;
    } else {
        let headers = ["CURRENT", "NAME", "CLUSTER", "AUTHINFO", "NAMESPACE"];
        let row = |name: &&String| {
            let found = file.get(List::Contexts, name);
            let text = |field: &str| {
                let text = found.and_then(|f| f[field].as_str());
                text.unwrap_or_default().to_owned()
            };
            // kubectl marks the current context with a star in the column CURRENT.
            let star = if *name == file.current() { "*" } else { "" };
            vec![
                star.to_owned(),
                (*name).clone(),
                text("cluster"),
                text("user"),
                text("namespace"),
            ]
        };
        let table = Table {
            headers: match args.no_headers {
                true => Vec::new(),
                false => headers.map(str::to_owned).to_vec(),
            },
            rows: there.iter().map(row).collect(),
        };
        context.ui.out(&table.render())?;
    }
    let errors = missing
        .iter()
        .map(|name| CliError::text(format!("context {name} not found")));
    CliError::all(errors.collect())
}

fn delete(list: List, args: &ChangeArgs, context: &Context) -> Result<(), CliError> {
    let word = list.words().1;
    let [name] = args.words.as_slice() else {
        // As in kubectl, a user must be named, but without the name of another entry there is only the help.
        if list == List::Users {
            return Err(context.usage(format_args!("{word} to delete is required")));
        }
        return context.show_help();
    };
    let mut file = File::load(context)?;
    let place = file.path.display().to_string();
    if !file.remove(list, name) {
        let text = format!("cannot delete {word} {name}, not in {place}");
        return Err(CliError::text(text));
    }
    // As in kubectl, the removal only causes a warning: `current-context` keeps the name of the removed context.
    if list == List::Contexts && file.current() == name {
        let program = &context.program;
        context.ui.note(&format!(
            "warning: this removed your active context, use \"{program} config use-context\" to \
             select a different one"
        ));
    }
    let sentence = format!("deleted {word} {name} from {place}");
    keep(file, &args.answer, context, sentence)
}

fn rename(args: &ChangeArgs, context: &Context) -> Result<(), CliError> {
    let [old, new] = args.words.as_slice() else {
        return Err(context.unexpected_after_help("Unexpected args", &args.words)?);
    };
    if new.is_empty() {
        let text = "You must specify a new non-empty context name";
        return Err(CliError::text(text));
    }
    let mut file = File::load(context)?;
    let place = file.path.display().to_string();
    let Some(found) = file.get(List::Contexts, old).cloned() else {
        let text = format!("cannot rename the context {old:?}, it's not in {place}");
        return Err(CliError::text(text));
    };
    if file.get(List::Contexts, new).is_some() {
        return Err(CliError::text(format!(
            "cannot rename the context {old:?}, the context {new:?} already exists in {place}"
        )));
    }
    file.remove(List::Contexts, old);
    if let (Some(entry), Some(found)) = (file.entry(List::Contexts, new), found.as_object()) {
        // The entry is copied as a tree, so that fields unknown to ctl survive the rename.
        entry.clone_from(found);
    }
    // Without this, the rename would leave the current context dangling.
    if file.current() == old {
        file.tree["current-context"] = json!(new);
    }
    let sentence = format!("Context {old:?} renamed to {new:?}.");
    keep(file, &args.answer, context, sentence)
}

fn set(args: &SetArgs, context: &Context) -> Result<(), CliError> {
    let [path, value] = args.words.as_slice() else {
        return Err(context.unexpected_after_help("Unexpected args", &args.words)?);
    };
    let mut file = File::load(context)?;
    property::set(&mut file, path, value, args.set_raw_bytes)?;
    let sentence = format!("Property {path:?} set.");
    keep(file, &args.answer, context, sentence)
}

fn unset(args: &ChangeArgs, context: &Context) -> Result<(), CliError> {
    let [path] = args.words.as_slice() else {
        return Err(context.unexpected_after_help("Unexpected args", &args.words)?);
    };
    let mut file = File::load(context)?;
    property::unset(&mut file, path)?;
    let sentence = format!("Property {path:?} unset.");
    keep(file, &args.answer, context, sentence)
}

fn switch(args: &ChangeArgs, context: &Context) -> Result<(), CliError> {
    let [name] = args.words.as_slice() else {
        return Err(context.unexpected_after_help("Unexpected args", &args.words)?);
    };
    let mut file = File::load(context)?;
    if name.is_empty() {
        return Err(CliError::text("empty context names are not allowed"));
    }
    if file.get(List::Contexts, name).is_none() {
        let text = format!("no context exists with the name: {name:?}");
        return Err(CliError::text(text));
    }
    file.tree["current-context"] = json!(name);
    let sentence = format!("Switched to context {name:?}.");
    keep(file, &args.answer, context, sentence)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    fn shell() -> Shell {
        let shell = Shell::empty();
        shell.all(&[
            "config set-cluster dev --server=file:///srv/dev",
            "config set-credentials ann --token=secret",
            "config set-context dev --cluster=dev --user=ann --namespace=blue",
            "config set-context ci --cluster=dev",
            "config use-context dev",
        ]);
        shell
    }

    #[test]
    fn contexts_are_listed_switched_renamed_and_deleted() {
        let shell = shell();
        assert_eq!(
            shell.out("config get-contexts"),
            "CURRENT   NAME   CLUSTER   AUTHINFO   NAMESPACE\n\
             \u{20}         ci     dev                  \n\
             *         dev    dev       ann        blue\n"
        );
        assert_eq!(shell.out("config get-contexts dev -o name"), "dev\n");
        assert_eq!(shell.out("config use ci"), "Switched to context \"ci\".\n");
        assert_eq!(shell.out("config current-context"), "ci\n");
        assert_eq!(
            shell.out("config rename-context ci test"),
            "Context \"ci\" renamed to \"test\".\n"
        );
        assert_eq!(shell.out("config current-context"), "test\n");
        let said = shell.run("config delete-context test");
        assert_eq!(said.out, "deleted context test from @/config\n");
        assert_eq!(
            said.err,
            "warning: this removed your active context, use \"kubectl config use-context\" to select a different one\n"
        );
    }

    #[test]
    fn clusters_and_users_are_listed_and_deleted() {
        let shell = shell();
        assert_eq!(shell.out("config get-clusters"), "NAME\ndev\n");
        assert_eq!(shell.out("config get-users"), "NAME\nann\n");
        assert_eq!(
            shell.out("config delete-cluster dev"),
            "deleted cluster dev from @/config\n"
        );
        assert_eq!(
            shell.out("config delete-user ann"),
            "deleted user ann from @/config\n"
        );
        assert_eq!(shell.out("config get-users"), "NAME\n");
        let view = shell.out("config view");
        assert!(
            view.contains("clusters: null\n") && view.contains("users: null\n"),
            "{view}"
        );
        shell.refuses(&[
            (
                "config delete-cluster dev",
                "cannot delete cluster dev, not in @/config",
            ),
            (
                "config delete-user bob",
                "cannot delete user bob, not in @/config",
            ),
            (
                "config delete-context no",
                "cannot delete context no, not in @/config",
            ),
        ]);
    }

    #[test]
    fn config_property_is_set_and_unset() {
        let shell = shell();
        let namespace = "config view -o jsonpath={.contexts[?(@.name==\"dev\")].context.namespace}";
        let namespace = &namespace
            .replace('"', "'")
            .replace("={", "=\"{")
            .replace(".namespace}", ".namespace}\"");
        let out = shell.out("config set contexts.dev.namespace green");
        assert_eq!(out, "Property \"contexts.dev.namespace\" set.\n");
        assert_eq!(shell.out(namespace), "green");
        let out = shell.out("config unset contexts.dev.namespace");
        assert_eq!(out, "Property \"contexts.dev.namespace\" unset.\n");
        assert_eq!(shell.out(namespace), "");
        shell.refuses(&[
            (
                "config set contexts.dev.namespace",
                "Unexpected args: [contexts.dev.namespace]",
            ),
            ("config set-context a b", "Unexpected args: [a b]"),
            ("config set '' green", "you must specify a property"),
            ("config unset ''", "you must specify a property"),
        ]);
    }

    #[test]
    fn missing_contexts_are_errors() {
        let shell = shell();
        shell.refuses(&[
            ("config use-context no", "no context exists with the name: \"no\""),
            ("config use-context ''", "empty context names are not allowed"),
            ("config get-contexts no", "context no not found"),
            (
                "config get-contexts -o odd",
                "--output odd is not available in kubectl config get-contexts; resetting to default output format",
            ),
            (
                "config rename-context dev ''",
                "You must specify a new non-empty context name",
            ),
            (
                "config rename-context no new",
                "cannot rename the context \"no\", it's not in @/config",
            ),
            (
                "config rename-context dev ci",
                "cannot rename the context \"dev\", the context \"ci\" already exists in @/config",
            ),
        ]);
        let shell = Shell::empty();
        shell.refuses(&[("config current-context", "current-context is not set")]);
    }

    #[test]
    fn a_command_that_changes_nothing_writes_no_file() {
        let shell = Shell::empty();
        for line in ["unset kind", "unset clusters.a", "set kind x"] {
            let _ = shell.out(&format!("config {line} --kubeconfig=@/none"));
            assert!(!shell.path("none").exists(), "{line}");
        }
    }
}
