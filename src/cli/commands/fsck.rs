//! `ctl fsck`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::api::json::json;
use crate::cli::context::Context;
use crate::cli::error::{CliError, FAILURE};
use crate::cli::options::StructuredOutputArgs;

/// Check and repair the cluster's directory
///
/// Reads the current state and reports problems. The exit code is 1 if there are any.
///
/// Examples:
///   ctl fsck                     check the current state
///   ctl fsck --history           replay the history and check each commit
///   ctl fsck --repair            salvage valid commits, rewrite missing YAML files
///   ctl fsck --accept-deletes    delete the objects whose YAML files are missing
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct FsckArgs {
    /// Salvage the valid part of a damaged journal and rewrite missing YAML files
    #[arg(long, conflicts_with = "accept_deletes")]
    repair: bool,
    /// Replay the history and check each commit
    #[arg(long)]
    history: bool,
    /// Delete all objects whose YAML files are missing, however many
    #[arg(long)]
    accept_deletes: bool,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

pub(crate) fn run(args: &FsckArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let mut open = context.open()?;
    // The option is set before the cluster is opened: the first read imports hand edits, and would otherwise hold back
    // mass deletions.
    open.options.accept_deletes = args.accept_deletes;
    let cluster = crate::cluster::Cluster::open(&context.directory()?, open)?;
    let mut lines = Vec::new();
    if args.repair {
        lines = cluster.files().repair()?;
    }
    if args.accept_deletes {
        // Listing imports all hand edits, including deletions; its result is not needed.
        cluster.stored().list(&crate::cluster::Range::all(), None)?;
    }
    // The check follows the repair, so that it reports the result.
    let report = cluster.files().fsck(args.history)?;
    let data = json!({
        "repaired": lines, "problems": report.problems, "remarks": report.remarks,
        "objects": report.objects, "revision": report.revision, "oldest": report.oldest,
        "commits": report.commits, "changes": report.changes,
    });
    let said = report.problems.iter().chain(&report.remarks);
    // A damaged file may contain escape sequences for the terminal.
    lines.extend(said.map(|line| crate::cli::ui::replace_control_characters(line)));
    lines.push(format!(
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
    ));
    args.answer.print(context, lines.join("\n"), &data)?;
    if report.problems.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    if !args.repair {
        return Ok(ExitCode::from(FAILURE));
    }
    Err(CliError::text("problems remain after the repair"))
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn fsck_reports_a_missing_file_and_repair_restores_it() {
        let shell = Shell::new();
        let _ = shell.out("create configmap mine --from-literal=a=b");
        assert!(shell.out("fsck --history").ends_with(", no problem\n"));
        let report = shell.json("fsck");
        assert_eq!(report["problems"].as_array().unwrap().len(), 0);
        assert!(report["objects"].as_u64().unwrap() > 5);
        std::fs::remove_file(shell.state().join("default/configmaps/mine.yaml")).unwrap();
        let remark = shell.out("fsck");
        assert!(
            remark.starts_with("default/configmaps/mine.yaml: its file is missing"),
            "{remark}"
        );
        let mended = shell.json("fsck --repair");
        assert_eq!(
            mended["repaired"][0],
            "default/configmaps/mine.yaml: rewritten"
        );
        assert_eq!(shell.out("get cm mine -o name"), "configmap/mine\n");
        let file = shell.state().join("default/configmaps/mine.yaml");
        std::fs::remove_file(&file).unwrap();
        let _ = shell.run("fsck --repair");
        let _ = shell.run("fsck --accept-deletes");
        assert!(shell.out("fsck --history").ends_with(", no problem\n"));
    }

    #[test]
    fn mutually_exclusive_fsck_flags_are_rejected() {
        let shell = Shell::new();
        let both = shell.fails("fsck --repair --accept-deletes");
        assert!(both.contains("cannot be used with"), "{both}");
        shell.refuses(&[(
            "fsck -o name",
            "unable to match a printer suitable for the output format \"name\", allowed formats are: \
             json,yaml",
        )]);
    }
}
