//! `ctl undo`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::api::json::{Value, json};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::history::names;
use crate::cli::options::AnswerArgs;
use crate::cluster::{Cluster, Request, WriteOptions};
use crate::history::{History, InTheWay, Names, NoUndo, Undo, last_deed, undo};

/// Revert a command with a new commit
///
/// Deletes the objects that the command created, creates those that it deleted, and sets back the fields
/// that it changed; everything else stays. If later writes changed the same fields, nothing happens, and the
/// message names them. An undo is a commit as well: undoing it restores what was undone.
///
/// Examples:
///   ctl undo 42        the commit with this revision, as `ctl log` shows it
///   ctl undo --last    the last commit of a command or of an edited file
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct UndoArgs {
    /// A revision of the commit
    #[arg(required_unless_present = "last")]
    revision: Option<u64>,
    /// Revert the last commit of a command or of an edited file
    #[arg(long, conflicts_with = "revision")]
    last: bool,
    #[command(flatten)]
    answer: AnswerArgs,
}

pub(crate) fn run(args: &UndoArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let cluster = context.api()?;
    let history = History::read(&cluster)?;
    let revision = args.revision.or_else(|| last_deed(&history));
    let revision = revision.ok_or_else(|| CliError::text("there is no commit to undo"))?;
    let names = names(context, &cluster)?;
    let plan = undo(&cluster, &history, revision).map_err(|why| {
        // The commit may be older than the history that is kept.
        if let Some(note) = history.begins().note() {
            context.ui.note(&note);
        }
        refused(revision, why, &names)
    })?;
    // First as a dry run: a half-rejected undo would be worse than none.
    for dry_run in [true, false] {
        send(&cluster, &plan, dry_run, context)?;
    }
    let deeds = plan.deeds.iter();
    let mut lines: Vec<String> = deeds
        .map(|(key, deed)| format!("{} {}", names.object(key), deed.participle()))
        .collect();
    lines.push(format!("undid revision {}: {}", plan.revision, plan.writer));
    let deeds = plan.deeds.iter();
    let changes: Vec<Value> = deeds
        .map(|(key, deed)| json!({"object": key.as_str(), "change": deed.participle()}))
        .collect();
    let data = json!({
        "undone": plan.revision, "writer": plan.writer.as_str(), "changes": changes,
    });
    args.answer.tell(context, lines.join("\n"), &data)?;
    Ok(ExitCode::SUCCESS)
}

fn send(cluster: &Cluster, plan: &Undo, dry_run: bool, context: &Context) -> Result<(), CliError> {
    let options = WriteOptions {
        dry_run,
        // The history finds the undone commit by this rule.
        rule: format!("undo: revision {}", plan.revision),
        field_manager: "kubectl-undo".to_owned(),
        user: context.user(),
        ..WriteOptions::default()
    };
    let requests = plan.requests.iter().cloned();
    let requests: Vec<Request> = requests.map(|one| one.with(options.clone())).collect();
    for response in cluster.all(&requests)? {
        let _ = response?;
    }
    Ok(())
}

fn refused(revision: u64, why: NoUndo, names: &Names) -> CliError {
    match why {
        NoUndo::Nothing(text) => CliError::text(text),
        NoUndo::InTheWay(writes) => CliError::text(format!(
            "revision {revision} cannot be undone because later writes changed the same fields:\n  {}",
            writes
                .iter()
                .map(|write| words(write, names))
                .collect::<Vec<_>>()
                .join("\n  ")
        )),
        NoUndo::Failed(error) => error.into(),
    }
}

fn words(write: &InTheWay, names: &Names) -> String {
    let (revision, writer) = (write.revision, &write.writer);
    let (object, deed) = (names.object(&write.key), write.deed.participle());
    let fields = match write.fields.is_empty() {
        true => String::new(),
        false => format!(" ({})", write.fields.join(", ")),
    };
    format!("revision {revision}: {object} {deed}{fields}: {writer}")
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn a_change_a_creation_and_a_deletion_are_reverted() {
        let shell = Shell::new();
        shell.all(&[
            "create deployment web --image=i",
            "settle",
            "scale deployment web --replicas=3",
            "settle",
        ]);
        let out = shell.out("undo --last");
        assert!(
            out.starts_with("deployment.apps/web updated\nundid revision "),
            "{out}"
        );
        let replicas = "get deployment web -o jsonpath={.spec.replicas}";
        assert_eq!(shell.out(replicas), "1");
        let _ = shell.out("undo --last");
        assert_eq!(shell.out(replicas), "3");
        shell.all(&["create configmap a --from-literal=v=1"]);
        let out = shell.out("undo --last");
        assert!(out.starts_with("configmap/a deleted\n"), "{out}");
        assert_eq!(shell.out("get configmap a --ignore-not-found"), "");
        shell.all(&[
            "create configmap a --from-literal=v=1",
            "delete configmap a",
        ]);
        let out = shell.out("undo --last");
        assert!(out.starts_with("configmap/a created\n"), "{out}");
        assert_eq!(shell.out("get configmap a -o jsonpath={.data.v}"), "1");
        let log = shell.json("log configmap/a");
        let last = log["commits"].as_array().unwrap().last().unwrap().clone();
        assert!(
            last["rule"]
                .as_str()
                .unwrap()
                .starts_with("undo: revision "),
            "{last}"
        );
        assert!(shell.out("fsck --history").ends_with(", no problem\n"));
    }

    #[test]
    fn only_later_writes_to_the_same_fields_block_undo() {
        let shell = Shell::new();
        shell.all(&["create configmap a --from-literal=v=1 --from-literal=w=1"]);
        let patch = |field: &str, value: u32| {
            let patch = format!("{{\"data\":{{\"{field}\":\"{value}\"}}}}");
            shell.all(&[&format!("patch configmap a -p '{patch}'")]);
            let commits = shell.json("log configmap/a");
            let last = commits["commits"]
                .as_array()
                .unwrap()
                .last()
                .unwrap()
                .clone();
            last["revision"].as_u64().unwrap()
        };
        let (first, second) = (patch("v", 2), patch("w", 2));
        let _ = shell.out(&format!("undo {first}"));
        let data = shell.out("get configmap a -o jsonpath={.data}");
        assert_eq!(data, r#"{"v":"1","w":"2"}"#);
        let third = patch("w", 3);
        let why = shell.fails(&format!("undo {second}"));
        assert!(
            why.contains("later writes changed the same fields:"),
            "{why}"
        );
        let named = format!("revision {third}: configmap/a updated (data.w): ");
        assert!(why.contains(&named), "{why}");
        let again = shell.fails(&format!("undo {first}"));
        let nothing = format!("nothing of revision {first} is left to revert");
        assert!(again.contains(&nothing), "{again}");
        let none = shell.fails("undo 99999");
        assert!(
            none.contains("no commit with revision 99999 is kept"),
            "{none}"
        );
    }

    #[test]
    fn undo_of_a_controller_write_names_the_originating_command() {
        let shell = Shell::new();
        shell.all(&["create deployment web --image=i", "settle"]);
        let log = shell.json("log --by replicaset");
        let revision = log["commits"][0]["changes"][0]["revision"]
            .as_u64()
            .unwrap();
        let why = shell.fails(&format!("undo {revision}"));
        assert!(why.contains("was written by replicaset"), "{why}");
        assert!(why.contains("create deployment web --image=i"), "{why}");
    }
}
