//! `ctl mirror`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use clap::Args;

use super::Outcome;
use crate::cli::context::Context;
use crate::cluster::Mirroring;
use crate::sys::signal;

/// Maintain a directory as a live copy of a cluster on etcd
///
/// The directory receives the objects as YAML files and the history of the cluster, and follows the cluster until
/// you stop the command. All commands that read work on it. If you save a file in it, or run a command on it, ctl
/// mirror writes the change to the cluster. If others changed other fields of the object in the meantime, it merges
/// the changes. If they changed the same fields, it reverts and reports your change, and keeps it next to the file.
/// A restarted command continues from its last position.
///
/// Examples:
///   ctl mirror ./mirror --state ./team          until Ctrl-C or SIGTERM
///   ctl mirror ./mirror --state ./team --once   until both sides are the same
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct MirrorArgs {
    /// The directory: a new one, or the mirror of the same cluster
    directory: PathBuf,
    /// Stop when both sides are the same
    #[arg(long)]
    once: bool,
}

pub(crate) fn run(args: &MirrorArgs, context: &Context) -> Outcome {
    context.ui.tell_as_log();
    let mut cluster = context.open_as_administrator()?;
    cluster.act_as(context.user());
    let stop = signal::stop_flag()?;
    let how = Mirroring {
        once: args.once,
        is_over: &|| stop.load(Ordering::Relaxed),
        tell: &|text| context.ui.note(text),
    };
    cluster
        .files()
        .mirror_to(&args.directory, &context.open()?, &how)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn a_cluster_in_a_directory_has_no_mirror() {
        let shell = Shell::new();
        shell.refuses(&[(
            "mirror @/copy",
            "a mirror needs a cluster on etcd; this cluster is a directory",
        )]);
        assert!(!shell.path("copy").exists());
    }
}
