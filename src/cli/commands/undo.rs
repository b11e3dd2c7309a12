//! `ctl undo`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::api::json::{Value, json};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::history::{names, past};
use crate::cli::options::StructuredOutputArgs;
use crate::cluster::{Cluster, Request, WriteOptions};
use crate::history::{ConflictingWrite, History, Names, Undo, UndoError, last_user_commit, undo};

/// Revert a commit of a command with a new commit
///
/// Deletes the objects that the commit created, creates those that it deleted, and restores the fields that it
/// changed. If later writes changed the same fields, the command changes nothing and names these writes. If a
/// command made several commits, as drain does, the others stay, and the message names them. An undo is a commit
/// too: a second undo reverts it.
///
/// Examples:
///   ctl undo 42        the commit with this revision, as `ctl log` shows it
///   ctl undo --last    the last commit of a command or of an edited file
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct UndoArgs {
    /// A revision of the commit
    revision: Option<String>,
    /// Revert the last commit of a command or of an edited file
    #[arg(long, conflicts_with = "revision")]
    last: bool,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

pub(crate) fn run(args: &UndoArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let cluster = past(context)?;
    // Saved hand edits are imported first, because the last of them may be the commit to undo.
    cluster.files().import_saved(None)?;
    let history = History::read(&cluster)?;
    let revision = match &args.revision {
        Some(given) => given.parse().map_err(|_| {
            CliError::text(format!("{given:?} is not a revision: `ctl log` shows them"))
        })?,
        None if args.last => last_user_commit(&history)
            .ok_or_else(|| CliError::text("there is no commit to undo"))?,
        None => return Err(context.usage("expected a revision, or --last")),
    };
    let names = names(context, &cluster)?;
    let plan = undo(&cluster, &history, revision).map_err(|why| {
        // The commit may be older than the retained history.
        if let Some(note) = history.begins().note() {
            context.ui.note(&note);
        }
        refused(revision, why, &names)
    })?;
    // The undo runs on a copy in memory first, because half an undo would be worse than none. A dry run would not do:
    // it would reject an object whose definition the undo also restores.
    for cluster in [&cluster.fork(None)?, &cluster] {
        send(cluster, &plan, context)?;
    }
    // The undo may have restored a kind, so kinds are read again.
    let names = names.and(&*cluster.kinds()?);
    let actions = plan.actions.iter();
    let mut lines: Vec<String> = actions
        .map(|(key, action)| format!("{} {}", names.object(key), action.participle()))
        .collect();
    lines.push(format!("undid revision {}: {}", plan.revision, plan.writer));
    // Only one commit is reverted, but a command such as drain makes several.
    let others = plan.others.iter();
    lines.extend(others.map(|other| format!("revision {other} of the same command line stays")));
    let actions = plan.actions.iter();
    let changes: Vec<Value> = actions
        .map(|(key, action)| json!({"object": key.as_str(), "change": action.participle()}))
        .collect();
    let data = json!({
        "undone": plan.revision, "writer": plan.writer.as_str(), "changes": changes,
        "others": plan.others.clone(),
    });
    args.answer.print(context, lines.join("\n"), &data)?;
    Ok(ExitCode::SUCCESS)
}

fn send(cluster: &Cluster, plan: &Undo, context: &Context) -> Result<(), CliError> {
    let options = WriteOptions {
        // The history recognizes an undo by this rule.
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

fn refused(revision: u64, why: UndoError, names: &Names) -> CliError {
    match why {
        UndoError::Nothing(text) => CliError::text(text),
        UndoError::Conflict(writes) => CliError::text(format!(
            "revision {revision} cannot be undone because later writes changed the same fields:\n  {}",
            writes
                .iter()
                .map(|write| words(write, names))
                .collect::<Vec<_>>()
                .join("\n  ")
        )),
        UndoError::Failed(error) => error.into(),
    }
}

fn words(write: &ConflictingWrite, names: &Names) -> String {
    let (revision, writer) = (write.revision, &write.writer);
    let (object, action) = (names.object(&write.key), write.action.participle());
    let fields = match write.fields.is_empty() {
        true => String::new(),
        false => format!(" ({})", write.fields.join(", ")),
    };
    format!("revision {revision}: {object} {action}{fields}: {writer}")
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    const CRD: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.a.example}
spec:
  group: a.example
  scope: Namespaced
  names: {plural: foos, singular: foo, kind: Foo}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}}
";
    const FOO: &str = "apiVersion: a.example/v1\nkind: Foo\nmetadata: {name: f}\nspec: {size: 3}\n";

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
            none.contains("the history has no commit with revision 99999"),
            "{none}"
        );
    }

    #[test]
    fn only_writes_that_changed_the_field_are_named() {
        let shell = Shell::new();
        shell.all(&[
            "create configmap x --from-literal=a=b",
            "annotate configmap x q=1",
            "annotate configmap x q=2 --overwrite",
            "patch configmap x -p '{\"data\":{\"a\":\"c\"}}'",
        ]);
        let _ = shell.out("undo --last");
        let log = shell.json("log configmap/x");
        let revision = |at: usize| log["commits"][at]["revision"].as_u64().unwrap();
        let why = shell.fails(&format!("undo {}", revision(1)));
        let lines: Vec<&str> = why.lines().skip(1).collect();
        assert_eq!(lines.len(), 1, "{why}");
        let named = format!(
            "  revision {}: configmap/x updated (metadata.annotations.q): ",
            revision(2)
        );
        assert!(lines[0].starts_with(&named), "{why}");
    }

    #[test]
    fn other_commits_of_the_command_line_are_named() {
        let shell = Shell::new();
        let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n";
        shell.write("c.yaml", map);
        shell.all(&["create -f @/c.yaml", "replace --force -f @/c.yaml"]);
        let log = shell.json("log configmap/c");
        let deleted = log["commits"][1]["revision"].as_u64().unwrap();
        let out = shell.out("undo --last");
        let stays = format!("revision {deleted} of the same command line stays\n");
        assert!(out.ends_with(&stays), "{out}");
    }

    #[test]
    fn a_finalizer_that_delays_a_deletion_is_named() {
        let shell = Shell::new();
        let map =
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: f, finalizers: [a.example/b]}\n";
        shell.write("f.yaml", map);
        shell.all(&["create -f @/f.yaml", "delete configmap f --wait=false"]);
        shell.refuses(&[(
            "undo --last",
            "configmap/f is still being deleted: it waits for a.example/b",
        )]);
    }

    #[test]
    fn consequences_of_a_change_are_reverted_with_it() {
        let shell = Shell::new();
        shell.all(&["create quota q --hard=services=5,configmaps=20", "settle"]);
        for (made, object, is_there) in [
            ("create service clusterip s --tcp=80", "service/s", false),
            ("delete service t", "service/t", true),
            ("create configmap c", "configmap/c", false),
            ("create deployment d --image=i", "deployment/d", false),
        ] {
            if is_there {
                shell.all(&["create service clusterip t --tcp=80"]);
            }
            shell.all(&[made]);
            let said = shell.run("undo --last");
            assert_eq!((said.code, said.err.as_str()), (0, ""), "{made}: {said:?}");
            let found = shell.out(&format!("get {object} -o name --ignore-not-found"));
            assert_eq!(!found.is_empty(), is_there, "{made}");
        }
        // The quota counts the Service `kubernetes` and the restored one.
        shell.all(&["settle"]);
        let used = shell.out("get quota q -o jsonpath={.status.used.services}");
        assert_eq!(used, "2");
    }

    #[test]
    fn a_definition_is_restored_before_its_objects() {
        let shell = Shell::new();
        shell.write("crd.yaml", CRD);
        shell.write("foo.yaml", FOO);
        shell.all(&[
            "apply -f @/crd.yaml",
            "apply -f @/foo.yaml",
            "mark there",
            "delete crd foos.a.example",
            "mark gone",
        ]);
        // The history of the object continues across the deletion of its kind.
        let log = shell.out("log foo/f");
        assert_eq!(log.lines().count(), 3, "{log}");
        let why = shell.out("why foo/f");
        assert!(why.contains("delete crd foos.a.example"), "{why}");
        let diff = shell.run("diff --revision there..gone foo/f").out;
        assert!(diff.contains("/a.example.v1.Foo.default.f"), "{diff}");
        assert!(!diff.contains("managedFields"), "{diff}");
        shell.refuses(&[(
            "log bar/f",
            "the server doesn't have a resource type \"bar\"",
        )]);
        let out = shell.out("undo --last");
        let restored = "customresourcedefinition.apiextensions.k8s.io/foos.a.example created\nfoo.a.example/f created\nundid ";
        assert!(out.starts_with(restored), "{out}");
        assert_eq!(shell.out("get foo f -o jsonpath={.spec.size}"), "3");
        let out = shell.out("undo --last");
        let deleted = "foo.a.example/f deleted\ncustomresourcedefinition.apiextensions.k8s.io/foos.a.example deleted\n";
        assert!(out.starts_with(deleted), "{out}");
    }

    #[test]
    fn a_saved_file_is_the_last_commit() {
        let shell = Shell::new();
        shell.all(&["create configmap before"]);
        let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: saved, namespace: default}\n";
        shell.write("state/default/configmaps/saved.yaml", map);
        let out = shell.run("undo --last").out;
        assert!(out.starts_with("configmap/saved deleted\n"), "{out}");
        let lines = [
            "why configmap/NAME",
            "log configmap/NAME",
            "log --since before",
            "blame configmap/NAME",
            "diff --revision before.. configmap/NAME",
        ];
        for (at, line) in lines.into_iter().enumerate() {
            let name = format!("m{at}");
            shell.all(&[&format!("mark {name}")]);
            let line = line.replace("NAME", &name).replace("before", &name);
            shell.write(
                &format!("state/default/configmaps/{name}.yaml"),
                map.replace("saved", &name),
            );
            let said = shell.run(&line);
            assert!(said.out.contains(&name), "{line}: {said:?}");
            assert!(!said.out.contains("  -  -  "), "{line}: {said:?}");
        }
        shell.write(
            "state/default/configmaps/marked.yaml",
            map.replace("saved", "marked"),
        );
        shell.all(&["mark with", "get configmap marked --at with"]);
    }

    #[test]
    fn revisions_that_cannot_be_undone_are_refused() {
        let shell = Shell::new();
        shell.all(&["create configmap x"]);
        let log = shell.json("log");
        let first = log["commits"].as_array().unwrap().iter();
        let mut first = first.filter(|commit| commit["rule"] == "bootstrap");
        let first = first.next().unwrap()["revision"].as_u64().unwrap();
        shell.refuses(&[
            (
                &format!("undo {first}"),
                &format!("revision {first} created the cluster and cannot be undone"),
            ),
            (
                "undo foo",
                "\"foo\" is not a revision: `ctl log` shows them",
            ),
        ]);
        let none = shell.fails("undo");
        assert!(none.contains("expected a revision, or --last"), "{none}");
    }

    #[test]
    fn the_revision_of_a_commit_is_the_one_of_the_log() {
        let shell = Shell::new();
        let maps = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n";
        shell.write("two.yaml", maps);
        shell.all(&["apply -f @/two.yaml"]);
        let log = shell.json("log configmap/b");
        let revision = log["commits"][0]["revision"].as_u64().unwrap();
        let out = shell.out("undo --last");
        assert!(
            out.contains(&format!("\nundid revision {revision}: ")),
            "{out}"
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
