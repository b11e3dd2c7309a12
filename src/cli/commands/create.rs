//! `ctl create -f`.

use clap::Args;

use super::Outcome;
use super::writes::{self, WriteFlags};
use crate::cli::context::{Context, Scope};
use crate::cli::manifest::ManifestArgs;

/// Create objects from a file, a directory or standard input
///
/// Example: ctl create -f web.yaml
#[derive(Args, Debug)]
pub(crate) struct CreateArgs {
    #[command(flatten)]
    manifests: ManifestArgs,
    #[command(flatten)]
    scope: Scope,
    #[command(flatten)]
    flags: WriteFlags,
}

pub(crate) fn run(args: &CreateArgs, context: &Context) -> Outcome {
    writes::each(
        &args.manifests,
        &args.scope,
        &args.flags,
        context,
        ("creating", "kubectl-create"),
        |cluster, m, options| Ok((cluster.create(&m.place, &m.object, options)?, "created")),
    )
}
