//! `ctl top`: what Pods and nodes use. Pods say it themselves, in annotations; where none does there
//! is no such thing as a metrics API.

mod node;
mod pod;
mod usage;

use clap::{Args, Subcommand};

use super::Outcome;
use crate::cli::context::Context;

/// Show what nodes and pods use
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
