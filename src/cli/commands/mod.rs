//! The list of commands, one file each.

mod cluster;
mod completion;
mod fsck;
mod raw;
mod version;

use std::process::ExitCode;

use clap::Subcommand;

use super::context::Context;
use super::error::CliError;

/// Every command of the program.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Cluster(cluster::ClusterArgs),
    Completion(completion::CompletionArgs),
    Fsck(fsck::FsckArgs),
    #[command(hide = true)]
    Raw(raw::RawArgs),
    Version(version::VersionArgs),
}

/// What a command answers: its exit code.
pub(crate) type Outcome = Result<ExitCode, CliError>;

/// Runs a command.
pub(crate) fn run(command: Command, context: &Context) -> Outcome {
    match command {
        Command::Cluster(args) => cluster::run(args, context),
        Command::Completion(args) => completion::run(&args, context),
        Command::Fsck(args) => fsck::run(&args, context),
        Command::Raw(args) => raw::run(args, context),
        Command::Version(args) => version::run(&args, context),
    }
}
