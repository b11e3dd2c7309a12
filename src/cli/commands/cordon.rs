//! `ctl cordon` and `ctl uncordon`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::api::json::Value;
use crate::cli::commands::pairs;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{DryRun, DryRunArgs, OutputArgs, ResultPrinter, write_options};
use crate::cli::resource::{Builder, Info, SelectorArgs};
use crate::cluster::{Cluster, FieldValidation};
use crate::kinds::tree::set_or_remove;

/// Mark a node as unschedulable
///
/// Example: ctl cordon node-1
#[derive(Args, Debug)]
pub(crate) struct CordonArgs {
    #[command(flatten)]
    nodes: NodeArgs,
}

/// Mark a node as schedulable
///
/// Example: ctl uncordon node-1
#[derive(Args, Debug)]
pub(crate) struct UncordonArgs {
    #[command(flatten)]
    nodes: NodeArgs,
}

#[derive(Args, Debug)]
struct NodeArgs {
    /// The nodes
    words: Vec<String>,
    /// Label selector of nodes
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    #[command(flatten)]
    dry_run: DryRunArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &CordonArgs, context: &Context) -> Outcome {
    args.nodes.mark(true, context)
}

pub(crate) fn run_uncordon(args: &UncordonArgs, context: &Context) -> Outcome {
    args.nodes.mark(false, context)
}

impl NodeArgs {
    fn mark(&self, closed: bool, context: &Context) -> Outcome {
        check(&self.words, self.selector.as_deref(), context)?;
        let dry_run = self.dry_run.get(context)?;
        let mut printer = ResultPrinter::new(&self.output, dry_run, context)?;
        let cluster = context.api()?;
        let nodes = find(&self.words, self.selector.as_deref(), &cluster, context)?;
        let doing = if closed { "cordon" } else { "uncordon" };
        for node in nodes {
            match mark(&cluster, &node, closed, dry_run, context) {
                // As in kubectl, a failure is reported but does not change the exit code.
                Err(e) => {
                    let name = &node.name;
                    let text = format!("error: unable to {doing} node {name:?}: {e}");
                    context.ui.note(&text);
                }
                Ok((node, done)) => printer.print_result(&node, &done)?,
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Rejects a line that names no nodes, or names and selects them, as kubectl does before it reads any other flag.
pub(super) fn check(
    words: &[String],
    selector: Option<&str>,
    context: &Context,
) -> Result<(), CliError> {
    match (words.is_empty(), selector) {
        // As in kubectl, an empty selector may replace the names but selects nothing.
        (true, None) => {
            let name = context.command();
            let name = name.rsplit(' ').next().unwrap_or_default();
            Err(context.usage(format_args!("USAGE: {name} NODE [flags]")))
        }
        (false, Some(selector)) if !selector.is_empty() => {
            let text = "cannot specify both a node name and a --selector option";
            Err(context.usage(text))
        }
        _ => Ok(()),
    }
}

/// Returns the nodes that the command line names, or an error about the first name that is not a node.
pub(super) fn find(
    words: &[String],
    selector: Option<&str>,
    cluster: &Cluster,
    context: &Context,
) -> Result<Vec<Info>, CliError> {
    let selector = selector.filter(|s| !s.is_empty());
    let selectors = SelectorArgs {
        selector: selector.map(str::to_owned),
        field_selector: None,
    };
    let builder = Builder::new(context, Some(cluster))?.selectors(&selectors);
    let builder = match words {
        [] if selectors.selector.is_some() => builder.words(&["nodes".to_owned()], false),
        [] => builder,
        words => builder.names_of("nodes", words),
    };
    // TYPE/NAME is resolved, so that a wrong type causes kubectl's error below.
    let found = builder.single_type().typed().find()?;
    let mut nodes = Vec::new();
    for item in found.items {
        let info = item?;
        let kind = info.kind;
        if !kind.hosts_pods() {
            let (group, version, plural) = (kind.group, kind.version, kind.plural);
            return Err(CliError::text(format!(
                "error: expected resource of type node, got \"{group}/{version}, Resource={plural}\""
            )));
        }
        nodes.push(info);
    }
    Ok(nodes)
}

/// Cordons or uncordons one node. Returns the node and the word for the result.
pub(super) fn mark(
    cluster: &Cluster,
    node: &Info,
    closed: bool,
    dry_run: DryRun,
    context: &Context,
) -> Result<(Info, String), CliError> {
    let done = if closed { "cordoned" } else { "uncordoned" };
    if node.object["spec"]["unschedulable"]
        .as_bool()
        .unwrap_or(false)
        // An unchanged node is not written, so repeating the command creates no revision.
        == closed
    {
        return Ok((node.clone(), format!("already {done}")));
    }
    let mut changed = node.object.clone();
    let closing = closed.then_some(Value::Bool(true));
    // `unschedulable` has `omitempty` in the API, so uncordon removes the field.
    set_or_remove(&mut changed["spec"], "unschedulable", closing);
    if dry_run != DryRun::Client {
        // kubectl's `cordon` has no field manager of its own.
        let manager = "kubectl".to_owned();
        let options = write_options(context, dry_run, manager, FieldValidation::Ignore);
        let answer = pairs::send(cluster, node, &changed, "", &options)?;
        context.ui.warn_of(&answer);
        changed = answer.object;
    }
    Ok((node.with(changed), done.to_owned()))
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    fn shell() -> Shell {
        let shell = Shell::new();
        shell.write("nodes.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {x: y1}}\n---\napiVersion: v1\nkind: Node\nmetadata: {name: b}\n");
        let _ = shell.out("create -f @/nodes.yaml");
        shell
    }

    fn closed(shell: &Shell) -> String {
        shell.out("get nodes a b -o jsonpath={.items[*].spec.unschedulable}")
    }

    #[test]
    fn cordon_and_uncordon_are_idempotent() {
        let shell = shell();
        assert_eq!(shell.out("cordon a"), "node/a cordoned\n");
        assert_eq!(closed(&shell), "true");
        let managed = shell.json("get node a --show-managed-fields");
        let managers = managed["metadata"]["managedFields"].as_array().unwrap();
        let own = managers
            .iter()
            .find(|m| m["fieldsV1"].to_string().contains("f:unschedulable"));
        assert_eq!(own.unwrap()["manager"], "kubectl");
        assert_eq!(shell.out("cordon node/a"), "node/a already cordoned\n");
        assert_eq!(shell.out("uncordon a"), "node/a uncordoned\n");
        assert_eq!(closed(&shell), "");
        assert_eq!(
            shell.out("uncordon a b"),
            "node/a already uncordoned\nnode/b already uncordoned\n"
        );
    }

    #[test]
    fn selector_chooses_nodes_and_dry_run_changes_nothing() {
        let shell = shell();
        assert_eq!(
            shell.out("cordon -l x=y1 --dry-run=client"),
            "node/a cordoned (dry run)\n"
        );
        assert_eq!(
            shell.out("cordon -l x=y1 --dry-run=server"),
            "node/a cordoned (server dry run)\n"
        );
        assert_eq!(closed(&shell), "");
        let both = "node/a cordoned (dry run)\nnode/b cordoned (dry run)\n";
        assert_eq!(shell.out("cordon node/a b --dry-run=client"), both);
        assert_eq!(shell.out("cordon --selector=x"), "node/a cordoned\n");
        let said = shell.run("cordon -l x=none");
        assert_eq!(
            (said.code, said.out.as_str(), said.err.as_str()),
            (0, "", "")
        );
    }

    #[test]
    fn forbidden_cordon_prints_an_error_and_exits_zero() {
        let shell = shell();
        shell.all(&[
            "create clusterrole look --verb=get,list --resource=nodes",
            "create clusterrolebinding looks --clusterrole=look --user=ann",
        ]);
        let said = shell.run("uncordon a --as=ann");
        assert_eq!(
            (said.code, said.out.as_str()),
            (0, "node/a already uncordoned\n")
        );
        let said = shell.run("cordon a b --as=ann");
        assert_eq!((said.code, said.out.as_str()), (0, ""));
        assert!(
            said.err.starts_with("error: unable to cordon node \"a\": nodes \"a\" is forbidden: User \"ann\" cannot patch"),
            "{said:?}"
        );
        assert_eq!(said.err.lines().count(), 2);
    }

    #[test]
    fn invalid_node_name_cordons_nothing() {
        let shell = shell();
        let _ = shell.out("create configmap c");
        shell.refuses(&[
            (
                "cordon",
                "USAGE: cordon NODE [flags]\nSee 'kubectl cordon -h' for help and examples",
            ),
            (
                "uncordon",
                "USAGE: uncordon NODE [flags]\nSee 'kubectl uncordon -h' for help and examples",
            ),
            (
                "cordon a -l x=y1",
                "cannot specify both a node name and a --selector option\n\
                 See 'kubectl cordon -h' for help and examples",
            ),
            (
                "cordon --dry-run=odd",
                "USAGE: cordon NODE [flags]\nSee 'kubectl cordon -h' for help and examples",
            ),
            (
                "uncordon --selector=",
                "You must provide one or more resources by argument or filename.\nExample resource specifications \
                 include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'",
            ),
            (
                "cordon a none",
                "Error from server (NotFound): nodes \"none\" not found",
            ),
        ]);
        shell.refuses(&[
            (
                "cordon node/a configmap/c",
                "you may only specify a single resource type",
            ),
            (
                "cordon a/b/c",
                "arguments in resource/name form may not have more than one slash",
            ),
        ]);
        let other = shell.fails("cordon configmap/c");
        assert_eq!(
            other,
            "error: expected resource of type node, got \"/v1, Resource=configmaps\""
        );
        assert_eq!(closed(&shell), "");
    }
}
