//! The list of commands, one file each.

mod api_resources;
mod apply;
mod clock;
mod cluster;
mod completion;
mod controllers;
mod create;
mod delete;
mod describe;
mod fsck;
mod get;
mod kustomize;
mod migrate;
mod patch;
mod raw;
mod replace;
mod settle;
mod version;
mod writes;

use std::process::ExitCode;

use clap::Subcommand;

use super::context::Context;
use super::error::CliError;

/// Every command of the program.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    ApiResources(api_resources::ApiResourcesArgs),
    Apply(apply::ApplyArgs),
    Clock(clock::ClockArgs),
    Cluster(cluster::ClusterArgs),
    Completion(completion::CompletionArgs),
    Controllers(controllers::ControllersArgs),
    Create(create::CreateArgs),
    Delete(delete::DeleteArgs),
    Describe(describe::DescribeArgs),
    Fsck(fsck::FsckArgs),
    Get(get::GetArgs),
    Kustomize(kustomize::KustomizeArgs),
    Migrate(migrate::MigrateArgs),
    Patch(patch::PatchArgs),
    #[command(hide = true)]
    Raw(raw::RawArgs),
    Replace(replace::ReplaceArgs),
    Settle(settle::SettleArgs),
    Version(version::VersionArgs),
}

/// What a command answers: its exit code.
pub(crate) type Outcome = Result<ExitCode, CliError>;

/// Runs a command.
pub(crate) fn run(command: Command, context: &Context) -> Outcome {
    match command {
        Command::ApiResources(args) => api_resources::run(&args, context),
        Command::Apply(args) => apply::run(&args, context),
        Command::Clock(args) => clock::run(&args, context),
        Command::Cluster(args) => cluster::run(args, context),
        Command::Completion(args) => completion::run(&args, context),
        Command::Controllers(args) => controllers::run(&args, context),
        Command::Create(args) => create::run(&args, context),
        Command::Delete(args) => delete::run(&args, context),
        Command::Describe(args) => describe::run(&args, context),
        Command::Fsck(args) => fsck::run(&args, context),
        Command::Get(args) => get::run(&args, context),
        Command::Kustomize(args) => kustomize::run(&args, context),
        Command::Migrate(args) => migrate::run(&args, context),
        Command::Patch(args) => patch::run(&args, context),
        Command::Raw(args) => raw::run(args, context),
        Command::Replace(args) => replace::run(&args, context),
        Command::Settle(args) => settle::run(&args, context),
        Command::Version(args) => version::run(&args, context),
    }
}
