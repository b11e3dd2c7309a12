//! `ctl cluster`: clusters as directories.

mod delete;
mod fork;
mod init;
mod list;
mod reset;

use clap::{Args, Subcommand};

use super::Outcome;
use crate::cli::context::Context;

/// Make, list, copy, empty and remove clusters
///
/// Example: ctl cluster init --nodes 5
#[derive(Args, Debug)]
pub(crate) struct ClusterArgs {
    #[command(subcommand)]
    command: ClusterCommand,
}

#[derive(Debug, Subcommand)]
enum ClusterCommand {
    Init(init::InitArgs),
    List(list::ListArgs),
    Delete(delete::DeleteArgs),
    Reset(reset::ResetArgs),
    Fork(fork::ForkArgs),
}

pub(crate) fn run(args: ClusterArgs, context: &Context) -> Outcome {
    match args.command {
        ClusterCommand::Init(args) => init::run(args, context),
        ClusterCommand::List(args) => list::run(&args, context),
        ClusterCommand::Delete(args) => delete::run(&args, context),
        ClusterCommand::Reset(args) => reset::run(&args, context),
        ClusterCommand::Fork(args) => fork::run(&args, context),
    }
}
