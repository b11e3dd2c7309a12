//! `ctl replace -f`.

use clap::Args;

use super::Outcome;
use super::writes::{self, WriteFlags};
use crate::cli::context::{Context, Scope};
use crate::cli::manifest::ManifestArgs;

/// Replace objects by those of a file, a directory or standard input
///
/// Example: ctl replace -f web.yaml
#[derive(Args, Debug)]
pub(crate) struct ReplaceArgs {
    #[command(flatten)]
    manifests: ManifestArgs,
    #[command(flatten)]
    scope: Scope,
    #[command(flatten)]
    flags: WriteFlags,
}

pub(crate) fn run(args: &ReplaceArgs, context: &Context) -> Outcome {
    writes::each(
        &args.manifests,
        &args.scope,
        &args.flags,
        context,
        ("replacing", "kubectl-replace"),
        |cluster, m, options| {
            Ok((
                cluster.update(&m.place, m.name(), &m.object, options)?,
                "replaced",
            ))
        },
    )
}
