//! `ctl cluster fork`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use super::init::about;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::history::AtArgs;
use crate::cli::options::StructuredOutputArgs;
use crate::cli::state_dir::clusters_directory;
use crate::cluster::{Cluster, CopyEnd};

/// Copy the current cluster, with its history, into a new directory
///
/// With --at, the copy is the cluster as it was then, with the history up to that point.
///
/// Examples:
///   ctl cluster fork ./what-if     into a directory
///   ctl cluster fork what-if       under a name, in the user's data directory
///   ctl cluster fork ./before --at 10m
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ForkArgs {
    /// A directory (with a / in it), or a name
    to: String,
    #[command(flatten)]
    at: AtArgs,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

pub(crate) fn run(args: &ForkArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let to = target(&args.to)?;
    let mut original = context.cluster()?;
    original.act_as(context.user());
    original.files().import_saved(None)?;
    let end = args.at.moment(&original)?.map(|at| CopyEnd {
        revision: at.revision,
        time: at.time,
    });
    let mut cluster = original.files().copy_to(&to, context.open()?, end)?;
    rename(&mut cluster, &to, context);
    let revision = cluster.stored().revision()?;
    let sentence = format_args!("forked at revision {revision} into {}", to.display());
    args.answer
        .print(context, sentence, &about(&cluster, "forked")?)?;
    Ok(ExitCode::SUCCESS)
}

/// Names a copy after its directory, as `cluster init` does, because two clusters with one name are easily confused.
pub(super) fn rename(copy: &mut Cluster, directory: &Path, context: &Context) {
    let Some(name) = directory.file_name() else {
        return;
    };
    // An error is only a warning: the copy is complete, and repeating the command would fail on its directory.
    if let Err(error) = copy.configure().set_name(&name.to_string_lossy()) {
        let text = format!("warning: the copy keeps the name of its original: {error}");
        context.ui.note(&text);
    }
}

/// Returns the directory for a path or a name.
pub(super) fn target(to: &str) -> Result<PathBuf, CliError> {
    // As in a shell, a word with a slash is a path and any other word a name.
    if to.contains('/') || to == "." {
        return Ok(to.into());
    }
    Ok(clusters_directory()?.join(to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn fork_changes_independently_of_the_original() {
        let shell = Shell::new();
        let _ = shell.out("create configmap before");
        let out = shell.out("cluster fork @/copy");
        assert!(
            out.starts_with("forked at revision ") && out.ends_with(" into @/copy\n"),
            "{out}"
        );
        let _ = shell.out("create configmap after");
        let copy = "-o name --ignore-not-found --state=@/copy";
        assert_eq!(
            shell.out(&format!("get cm before {copy}")),
            "configmap/before\n"
        );
        assert_eq!(shell.out(&format!("get cm after {copy}")), "");
        shell.refuses(&[("cluster fork @/copy", "@/copy is not empty")]);
        let name = |at: &str| shell.json(&format!("cluster init {at}"))["name"].clone();
        assert_ne!(name(""), name("--state=@/copy"));
        assert_eq!(name("--state=@/copy"), "copy");
    }

    #[test]
    fn fork_at_a_mark_has_its_state_and_history() {
        let shell = Shell::empty();
        let _ = shell.out("cluster init --clock virtual --seed 7");
        let _ = shell.out("create deployment web --image=i --replicas=2");
        let _ = shell.out("settle");
        let _ = shell.out("mark here");
        let state = |at: &str| shell.out(&format!("get all,events -A -o yaml {at}"));
        let log = shell.out("log -o json");
        let before = state("");
        let _ = shell.out("clock advance 1h");
        let _ = shell.out("scale deployment web --replicas=3");
        let _ = shell.out("settle");
        let out = shell.out("cluster fork @/past --at here");
        assert!(out.starts_with("forked at revision "), "{out}");
        assert_eq!(state("--state @/past"), before);
        assert_eq!(shell.out("log -o json --state @/past"), log);
        assert_eq!(shell.out("clock --state @/past"), "2026-01-01T00:00:00Z\n");
        // The copy diverges, and its revisions continue from that point.
        let _ = shell.out("scale deployment web --replicas=1 --state @/past");
        let _ = shell.out("settle --state @/past");
        assert_eq!(
            shell.out("get pods -o name --state @/past").lines().count(),
            1
        );
        assert!(
            shell
                .out("fsck --history --state @/past")
                .contains("no problem")
        );
        let told = shell.fails("cluster fork @/none --at 99999");
        assert!(told.contains("99999"), "{told}");
        assert!(!shell.path("none").exists());
    }

    #[test]
    fn bare_fork_name_selects_a_named_cluster() {
        assert_eq!(target("./a").unwrap(), PathBuf::from("./a"));
        assert_eq!(target(".").unwrap(), PathBuf::from("."));
        assert!(target("a").unwrap().ends_with("clusters/a"));
    }
}
