//! `ctl rollout history`.

use std::process::ExitCode;

use clap::Args;

use super::{Subject, history_of};
use crate::api::json::Value;
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{DryRun, OutputArgs, ResultPrinter};
use crate::cli::resource::Info;
use crate::cluster::Cluster;
use crate::kinds::rollout::Revision;
use crate::print::describe::pod_template;
use crate::print::tabwriter::DESCRIPTION;

/// View rollout history
///
/// Examples:
///   ctl rollout history deployment/web
///   ctl rollout history daemonset/agent --revision=3
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct HistoryArgs {
    #[command(flatten)]
    subject: Subject,
    /// Show this revision, with its Pod template
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    revision: i64,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &HistoryArgs, context: &Context) -> Outcome {
    args.subject.check_revision(args.revision)?;
    let cluster = context.api()?;
    let items = args.subject.find(&cluster, context)?.in_turn();
    // As in kubectl, mistakes in the words come before an unknown format.
    let mut printer = ResultPrinter::typed(&args.output, DryRun::None, context)?;
    let mut one = |info: Info| show(args, &cluster, &info, context, &mut printer);
    let shown = items.into_iter().map(|item| item.and_then(&mut one));
    CliError::all(shown.filter_map(Result::err).collect())?;
    Ok(ExitCode::SUCCESS)
}

fn show(
    args: &HistoryArgs,
    cluster: &Cluster,
    info: &Info,
    context: &Context,
    printer: &mut ResultPrinter<'_>,
) -> Result<(), CliError> {
    let Some(history) = history_of(cluster, info, false)? else {
        let kind = info.kind.qualified_kind();
        let text = match super::unknown(info.kind) {
            None => format!("no history viewer has been implemented for {kind:?}"),
            Some(why) => format!("error retrieving history for {kind:?}, {why}"),
        };
        return Err(CliError::text(text));
    };
    let wanted = args.revision;
    let missing = || CliError::text("unable to find the specified revision");
    let format = args.output.output.as_deref();
    if format.is_some_and(|format| !format.is_empty()) {
        let mut chosen = history;
        chosen.retain(|r| wanted == 0 || r.number == wanted);
        if wanted != 0 && chosen.is_empty() {
            return Err(missing());
        }
        return chosen.into_iter().try_for_each(|mut revision| {
            without_types(&mut revision.workload);
            printer.print(revision.shown())
        });
    }
    let (with, text) = match wanted {
        0 => (String::new(), table(&history)),
        number => {
            let one = history.iter().find(|r| r.number == number);
            let one = one.ok_or_else(missing)?;
            (
                format!("with revision #{number}"),
                pod_template(&one.template),
            )
        }
    };
    // kubectl prints the table with the printer of the object itself, and --template without -o replaces that printer.
    if !args.output.is_human() {
        return printer.print(&info.object);
    }
    context
        .ui
        .line(format_args!("{} {with}\n{text}", info.shown()))
}

/// Removes the types of a StatefulSet's claims, because kubectl reads the workload as protobuf, which has none there.
fn without_types(workload: &mut Value) {
    let claims = workload["spec"].get_mut("volumeClaimTemplates");
    let claims = claims.and_then(Value::as_array_mut);
    for claim in claims.into_iter().flatten() {
        if let Some(claim) = claim.as_object_mut() {
            claim.remove("apiVersion");
            claim.remove("kind");
        }
    }
}

/// Returns a table of all revisions and their change causes.
fn table(history: &[Revision]) -> String {
    if history.is_empty() {
        return "No rollout history found.".to_owned();
    }
    let line = |r: &Revision| {
        // The change cause is the annotation `kubernetes.io/change-cause`, which `--record` writes.
        let cause = r.cause.as_deref().unwrap_or("<none>");
        format!("{}\t{cause}\n", r.number)
    };
    let lines: String = history.iter().map(line).collect();
    DESCRIPTION.apply(&format!("REVISION\tCHANGE-CAUSE\n{lines}"))
}

#[cfg(test)]
mod tests {
    use super::without_types;
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    fn shell() -> Shell {
        let shell = Shell::new();
        shell.all(&[
            "create deployment web --image=nginx:1",
            "settle",
            "annotate deployment web kubernetes.io/change-cause=two",
            "set image deployment/web nginx=nginx:2",
            "settle",
        ]);
        shell
    }

    #[test]
    fn each_revision_is_shown_with_its_cause() {
        let shell = shell();
        assert_eq!(
            shell.out("rollout history deployment/web"),
            "deployment.apps/web \nREVISION  CHANGE-CAUSE\n1         <none>\n2         two\n\n"
        );
        let one = shell.out("rollout history deployment/web --revision=1");
        assert!(
            one.starts_with("deployment.apps/web with revision #1\nPod Template:\n"),
            "{one}"
        );
        assert!(one.contains("    Image:\tnginx:1\n"), "{one}");
        let object = "rollout history deployment/web --template={{.kind}}/{{.metadata.name}}";
        assert_eq!(shell.out(object), "Deployment/web");
        assert_eq!(
            shell.out(&format!("{object} --revision=1")),
            "Deployment/web"
        );
        assert_eq!(
            shell.fails(&format!("{object} --revision=9")),
            "error: unable to find the specified revision"
        );
    }

    #[test]
    fn output_format_prints_the_replica_sets() {
        let shell = shell();
        let format = "jsonpath={.kind}/{.spec.template.spec.containers[0].image}";
        let out = shell.out(&format!("rollout history deployment/web -o {format}"));
        assert_eq!(out, "ReplicaSet/nginx:1ReplicaSet/nginx:2");
        let _ = shell.out("create deployment new --image=nginx");
        assert_eq!(
            shell.out(&format!("rollout history deployment/new -o {format}")),
            ""
        );
        assert_eq!(
            shell.fails(&format!(
                "rollout history deployment/new --revision=1 -o {format}"
            )),
            "error: unable to find the specified revision"
        );
    }

    #[test]
    fn output_format_prints_other_workloads_as_they_were() {
        let shell = Shell::new();
        shell.write(
            "set.yaml",
            "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec:\n  selector: {matchLabels: {a: db}}\n  \
             template:\n    metadata: {labels: {a: db}}\n    spec: {containers: [{name: c, image: i}]}\n",
        );
        shell.all(&[
            "create -f @/set.yaml",
            "settle",
            "set image sts/db c=j",
            "settle",
        ]);
        let format = "jsonpath={.kind}/{.metadata.name}/{.spec.template.spec.containers[0].image}";
        let out = shell.out(&format!("rollout history sts/db --revision=1 -o {format}"));
        assert_eq!(out, "StatefulSet/db/i");
    }

    #[test]
    fn claims_of_a_restored_workload_have_no_types() {
        let mut set = json!({"spec": {"volumeClaimTemplates": [
            {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "v"}}]}});
        without_types(&mut set);
        assert_eq!(
            set,
            json!({"spec": {"volumeClaimTemplates": [{"metadata": {"name": "v"}}]}})
        );
        let mut agent = json!({"spec": {}});
        without_types(&mut agent);
        assert_eq!(agent, json!({"spec": {}}));
    }

    #[test]
    fn unsupported_kind_or_unknown_revision_is_rejected() {
        let shell = shell();
        let _ = shell.out("create configmap c");
        shell.refuses(&[
            (
                "rollout history --revision=-1",
                "required resource not specified",
            ),
            (
                "rollout history odd x -o odd",
                "the server doesn't have a resource type \"odd\"",
            ),
            (
                "rollout history deployment/web --revision=-1",
                "revision must be a positive integer: -1",
            ),
            (
                "rollout history deployment/web --revision=7",
                "unable to find the specified revision",
            ),
            (
                "rollout history configmap/c",
                "error retrieving history for \"ConfigMap\", no visitor method exists for { ConfigMap}",
            ),
        ]);
    }
}
