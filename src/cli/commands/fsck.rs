//! `ctl fsck`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::cli::context::Context;
use crate::cli::error::{CliError, FAILURE};

/// Check the cluster's directory, and mend it
///
/// Reads the current state and says what is wrong; exit code 1 where anything is.
///
/// Examples:
///   ctl fsck                     check the current state
///   ctl fsck --history           replay every commit that is kept and check each step
///   ctl fsck --repair            salvage what is good, write missing YAML files again
///   ctl fsck --accept-deletes    delete the objects whose YAML files are gone
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct FsckArgs {
    /// Salvage what is good of a damaged journal and write missing YAML files again
    #[arg(long, conflicts_with = "accept_deletes")]
    repair: bool,
    /// Replay every commit that is kept and check each step
    #[arg(long)]
    history: bool,
    /// Delete the objects whose YAML files are gone, however many they are
    #[arg(long)]
    accept_deletes: bool,
}

pub(crate) fn run(args: &FsckArgs, context: &Context) -> Outcome {
    let mut open = context.open()?;
    open.options.accept_deletes = args.accept_deletes;
    let cluster = crate::cluster::Cluster::open(&context.directory()?, open)?;
    if args.repair {
        for line in cluster.repair()? {
            context.ui.line(line)?;
        }
    }
    if args.accept_deletes {
        cluster.raw_list(&crate::cluster::Range::all(), None)?;
    }
    let report = cluster.fsck(args.history)?;
    for line in report.problems.iter().chain(&report.remarks) {
        context.ui.line(crate::cli::ui::harmless(line))?;
    }
    context.ui.line(format_args!(
        "{} objects at revision {}, history since {}: {} commits with {} changes read, {}",
        report.objects,
        report.revision,
        report.oldest,
        report.commits,
        report.changes,
        match report.problems.len() {
            0 => "no problem".to_owned(),
            1 => "1 problem".to_owned(),
            n => format!("{n} problems"),
        }
    ))?;
    if report.problems.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    if !args.repair {
        return Ok(ExitCode::from(FAILURE));
    }
    Err(CliError::text("problems are left after the repair"))
}
