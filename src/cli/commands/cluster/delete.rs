//! `ctl cluster delete`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use super::init::directory;
use crate::cli::context::Context;
use crate::cluster::Cluster;

/// Remove a cluster with its directory and its whole history
///
/// Example: ctl cluster delete ci
#[derive(Args, Debug)]
pub(crate) struct DeleteArgs {
    /// The cluster's name; the current one without it
    name: Option<String>,
}

pub(crate) fn run(args: &DeleteArgs, context: &Context) -> Outcome {
    let path = directory(args.name.as_deref(), context)?;
    Cluster::destroy(&path)?;
    context
        .ui
        .line(format_args!("cluster in {} deleted", path.display()))?;
    Ok(ExitCode::SUCCESS)
}
