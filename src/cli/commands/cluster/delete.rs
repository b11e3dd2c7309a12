//! `ctl cluster delete`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use super::init::existing;
use super::inventory::{self, ConfirmArgs};
use crate::api::json::json;
use crate::cli::context::Context;
use crate::cli::options::StructuredOutputArgs;
use crate::cluster;

/// Delete a cluster and its history
///
/// Deletes what ctl created: the objects' files with edits that are not imported yet, the settings, the history,
/// and the directory if nothing else is in it. It keeps and lists other files, such as rejected edits
/// (`NAME.yaml.rejected`). On a terminal, it asks for confirmation.
///
/// Examples:
///   ctl cluster delete          the current cluster
///   ctl cluster delete ci -y    the cluster ci, without confirmation
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct DeleteArgs {
    /// The cluster's name; the current one without it
    name: Option<String>,
    #[command(flatten)]
    confirm: ConfirmArgs,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

pub(crate) fn run(args: &DeleteArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let path = existing(args.name.as_deref(), context)?;
    let found = cluster::inventory(&path)?;
    if !args.confirm.ask(context, "delete", &path, &found)? {
        return Ok(ExitCode::SUCCESS);
    }
    // Files are counted again under the lock, because more may have appeared while the question was on the screen.
    let found = cluster::destroy(&path, &context.open()?)?;
    let place = path.display();
    let data = json!({
        "directory": place.to_string(), "done": "deleted",
        "edited": found.edited, "left": found.others,
    });
    let sentence = format!(
        "cluster in {place} deleted{}",
        inventory::describe_leftovers(&path, &found)
    );
    args.answer.print(context, sentence, &data)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn delete_removes_only_a_cluster_directory() {
        let shell = Shell::new();
        let _ = shell.fails("cluster delete -o odd");
        assert!(shell.state().exists());
        assert_eq!(shell.out("cluster delete"), "cluster in @/state deleted\n");
        assert!(!shell.state().exists());
        shell.refuses(&[(
            "cluster delete",
            "no cluster in @/state: create one with `ctl cluster init`",
        )]);
        let both = shell.fails("cluster delete other");
        assert!(
            both.contains("by NAME or by --state, not by both"),
            "{both}"
        );
        shell.write("state/mine.txt", "kept");
        shell.refuses(&[("cluster delete", "@/state holds no cluster")]);
        assert!(shell.path("state/mine.txt").exists());
    }

    #[test]
    fn delete_lists_the_files_it_keeps() {
        let shell = Shell::new();
        shell.write("state/notes.txt", "mine");
        shell.write("state/src/main.rs", "mine");
        shell.write("state/default/configmaps/x.yaml.rejected", "mine");
        let told = shell.json("cluster delete");
        let left = json!(["default/configmaps/x.yaml.rejected", "notes.txt", "src/"]);
        assert_eq!((&told["left"], &told["done"]), (&left, &json!("deleted")));
        assert!(shell.path("state/src/main.rs").exists());
        assert!(!shell.path("state/default/serviceaccounts").exists());
    }
}
