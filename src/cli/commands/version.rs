//! `ctl version`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::cli::context::Context;

/// The Kubernetes version whose behaviour is followed.
const KUBERNETES: &str = "v1.36.2";

/// The version of kustomize that comes with that kubectl.
const KUSTOMIZE: &str = "v5.8.1";

/// Print the version of the program and of the Kubernetes it follows
///
/// Example: ctl version --client
#[derive(Args, Debug)]
pub(crate) struct VersionArgs {
    /// Leave out the cluster's version
    #[arg(long)]
    client: bool,
}

pub(crate) fn run(args: &VersionArgs, context: &Context) -> Outcome {
    context
        .ui
        .line(format_args!("Client Version: {KUBERNETES}"))?;
    context
        .ui
        .line(format_args!("Kustomize Version: {KUSTOMIZE}"))?;
    if !args.client {
        context
            .ui
            .line(format_args!("Server Version: {KUBERNETES}"))?;
    }
    Ok(ExitCode::SUCCESS)
}
