//! `ctl auth`: who one is, and what one may do.

mod can_i;
mod reconcile;
mod rules;
mod whoami;

use clap::{Args, Subcommand};

use super::Outcome;
use crate::cli::context::Context;

/// Show and change what people may do
///
/// Examples:
///   ctl auth can-i create deployments
///   ctl auth whoami
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct AuthArgs {
    #[command(subcommand)]
    command: AuthCommand,
}

#[derive(Debug, Subcommand)]
enum AuthCommand {
    CanI(can_i::CanIArgs),
    Reconcile(reconcile::ReconcileArgs),
    Whoami(whoami::WhoamiArgs),
}

pub(crate) fn run(args: &AuthArgs, context: &Context) -> Outcome {
    match &args.command {
        AuthCommand::CanI(args) => can_i::run(args, context),
        AuthCommand::Reconcile(args) => reconcile::run(args, context),
        AuthCommand::Whoami(args) => whoami::run(args, context),
    }
}
