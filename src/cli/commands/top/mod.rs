//! `ctl top`: the resource usage of Pods and nodes. Pods declare it in annotations; if none does, the metrics API is
//! unavailable.

mod node;
mod pod;
mod usage;

use clap::{Args, Subcommand};

use super::Outcome;
use crate::cli::context::Context;

/// Show the resource usage of nodes and Pods
///
/// Example: ctl top pod -A --sort-by=memory
#[derive(Args, Debug)]
pub(crate) struct TopArgs {
    #[command(subcommand)]
    command: TopCommand,
}

#[derive(Debug, Subcommand)]
enum TopCommand {
    #[command(visible_aliases = ["nodes", "no"])]
    Node(node::NodeArgs),
    #[command(visible_aliases = ["pods", "po"])]
    Pod(pod::PodArgs),
}

pub(crate) fn run(args: &TopArgs, context: &Context) -> Outcome {
    match &args.command {
        TopCommand::Node(args) => node::run(args, context),
        TopCommand::Pod(args) => pod::run(args, context),
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn top_without_a_subcommand_prints_help_and_fails() {
        let shell = Shell::empty();
        let said = shell.run("top");
        assert_eq!((said.code, said.out.as_str()), (1, ""));
        assert!(
            said.err.contains("Available Commands:\n") && said.err.contains("kubectl top [flags]"),
            "{said:?}"
        );
        assert_eq!(shell.out("top --help"), said.err);
        shell.refuses(&[(
            "top odd",
            "unknown command \"odd\"\nSee 'kubectl top -h' for help and examples",
        )]);
        assert!(!shell.state().exists());
    }
}
