//! `ctl migrate`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::cli::context::Context;

/// Bring the cluster's directory to the format of this program
///
/// Example: ctl migrate
#[derive(Args, Debug)]
pub(crate) struct MigrateArgs {
    /// Write it anew even where it has the current format
    #[arg(long)]
    rewrite: bool,
}

pub(crate) fn run(args: &MigrateArgs, context: &Context) -> Outcome {
    let (before, written) = context.cluster()?.migrate(args.rewrite)?;
    context.ui.line(match written {
        false => format!("the directory has format {before}, the current one: nothing to do"),
        true => format!("the directory was written anew from format {before}"),
    })?;
    Ok(ExitCode::SUCCESS)
}
