//! `ctl cluster copy`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use super::fork::{rename, target};
use super::init::{StoreArgs, about};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::StructuredOutputArgs;
use crate::cli::state_dir::is_cluster;
use crate::cluster::Cluster;

/// Copy a cluster from one store into another, with its history
///
/// FROM and TO are directories of clusters, or directories with the address of a cluster on etcd. Objects, uids,
/// causes and times stay the same; revisions are renumbered, and keys of the cluster, such as the one that signs
/// tokens, are regenerated. On etcd, a commit of more than 110 objects becomes several commits. Do not change the
/// source during the copy.
///
/// Examples:
///   ctl cluster copy ./small ./team --store etcd://127.0.0.1:2379/registry
///   ctl cluster copy ./team ./archive
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct CopyArgs {
    /// The original: a directory (with a / in it), or a name
    from: String,
    /// The copy: a new directory, or a new name
    to: String,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

pub(crate) fn run(args: &CopyArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let (from, to) = (target(&args.from)?, target(&args.to)?);
    // Opening a directory without a cluster would create a cluster there.
    if !is_cluster(&from) {
        return Err(CliError::text(format!("no cluster in {}", from.display())));
    }
    let open = context.open()?;
    let mut original = Cluster::open(&from, open.clone())?;
    original.act_as(context.user());
    // Flags are read before anything is created, so that a mistyped one leaves nothing behind.
    let remote = args.store.remote()?;
    let (mut copy, count) = original.files().transfer_to(&to, remote.as_ref(), &open)?;
    rename(&mut copy, &to, context);
    let sentence = format_args!("{count} commits copied into {}", copy.place());
    args.answer
        .print(context, sentence, &about(&copy, "copied")?)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn a_copy_has_objects_history_and_settings() {
        let shell = Shell::empty();
        let _ = shell.out("cluster init --clock virtual --seed 7");
        let _ = shell.out("create deployment web --image=i --replicas=2");
        let _ = shell.out("settle");
        let _ = shell.out("mark here");
        let out = shell.out("cluster copy @/state @/copy");
        assert!(out.ends_with(" commits copied into @/copy\n"), "{out}");
        let name = shell.json("cluster init --state @/copy")["name"].clone();
        assert_eq!(name, "copy");
        let state = |at: &str| shell.out(&format!("get all,events -A -o yaml {at}"));
        assert_eq!(state("--state @/copy"), state(""));
        let log = |at: &str| shell.out(&format!("log -o json {at}"));
        assert_eq!(log("--state @/copy"), log(""));
        let problems = shell.out("fsck --history --state @/copy");
        assert!(problems.contains("no problem"), "{problems}");
        shell.refuses(&[
            ("cluster copy @/state @/copy", "@/copy is not empty"),
            ("cluster copy @/none @/other", "no cluster in @/none"),
        ]);
        assert!(!shell.path("other").exists());
    }

    #[test]
    fn an_interrupted_copy_is_no_cluster() {
        let shell = Shell::empty();
        shell.all(&["cluster init", "cluster copy @/state @/copy"]);
        let settings = shell.path("copy/cluster.yaml");
        let text = std::fs::read_to_string(&settings).unwrap();
        assert!(!text.contains("unfinished"), "{text}");
        shell.write("copy/cluster.yaml", format!("{text}unfinished: true\n"));
        let text =
            "@/copy holds the beginning of a copy that was interrupted: remove it, and copy again";
        shell.refuses(&[
            ("get ns --state @/copy", text),
            ("cluster init --state @/copy", text),
            ("cluster copy @/state @/copy", "@/copy is not empty"),
        ]);
    }
}
