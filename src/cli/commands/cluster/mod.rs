//! `ctl cluster`: manages clusters and their directories.

mod copy;
mod delete;
mod fork;
mod init;
mod inventory;
mod list;
mod reset;
mod set;

use clap::{Args, Subcommand};

pub(super) use init::LEVELS;

use super::Outcome;
use crate::cli::context::Context;

/// Create, list, fork, copy, change, reset and delete clusters
///
/// Example: ctl cluster init --nodes 5
#[derive(Args, Debug)]
pub(crate) struct ClusterArgs {
    #[command(subcommand)]
    command: ClusterCommand,
}

#[derive(Debug, Subcommand)]
enum ClusterCommand {
    // Boxed, because it is several times as large as the other variants.
    Init(Box<init::InitArgs>),
    List(list::ListArgs),
    Delete(delete::DeleteArgs),
    Reset(reset::ResetArgs),
    Fork(fork::ForkArgs),
    Copy(copy::CopyArgs),
    Set(set::SetArgs),
}

pub(crate) fn run(args: ClusterArgs, context: &Context) -> Outcome {
    match args.command {
        ClusterCommand::Init(args) => init::run(&args, context),
        ClusterCommand::List(args) => list::run(&args, context),
        ClusterCommand::Delete(args) => delete::run(&args, context),
        ClusterCommand::Reset(args) => reset::run(&args, context),
        ClusterCommand::Fork(args) => fork::run(&args, context),
        ClusterCommand::Copy(args) => copy::run(&args, context),
        ClusterCommand::Set(args) => set::run(&args, context),
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn cluster_without_a_subcommand_prints_help_and_fails() {
        let shell = Shell::empty();
        let said = shell.run("cluster");
        assert_eq!((said.code, said.out.as_str()), (1, ""));
        assert!(
            said.err.contains("Available Commands:\n")
                && said.err.contains("kubectl cluster COMMAND"),
            "{said:?}"
        );
        assert_eq!(shell.out("cluster --help"), said.err);
        shell.refuses(&[(
            "cluster odd",
            "unknown command \"odd\"\nSee 'kubectl cluster -h' for help and examples",
        )]);
        assert!(!shell.state().exists());
    }
}
