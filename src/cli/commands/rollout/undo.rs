//! `ctl rollout undo`.

use std::process::ExitCode;

use clap::Args;

use super::{Subject, history_of};
use crate::cli::commands::{Outcome, pairs};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{DryRun, DryRunArgs, OutputArgs, ResultPrinter, write_options};
use crate::cli::resource::Info;
use crate::cluster::{Cluster, FieldValidation};
use crate::kinds::client::RolloutHistory;
use crate::kinds::last_applied::LAST_APPLIED;
use crate::kinds::rollout::{Rollback, roll_back, template_then};
use crate::print::describe::pod_template;

/// Undo a previous rollout
///
/// Examples:
///   ctl rollout undo deployment/web
///   ctl rollout undo daemonset/agent --to-revision=3
///   ctl rollout undo deployment/web --dry-run=server
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct UndoArgs {
    #[command(flatten)]
    subject: Subject,
    /// Revision to roll back to; 0 is the previous one
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    to_revision: i64,
    #[command(flatten)]
    dry_run: DryRunArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &UndoArgs, context: &Context) -> Outcome {
    let dry_run = args.dry_run.get(context)?;
    let mut printer = ResultPrinter::late(&args.output, dry_run, context);
    printer = printer.of_structs().printer_per_object();
    let cluster = context.api()?;
    let mut errors = Vec::new();
    for item in args.subject.find(&cluster, context)?.in_turn() {
        let undone = item.and_then(|info| {
            let done = undo(args, &cluster, &info, dry_run, context)?;
            Ok((info, done))
        });
        match undone {
            Err(e) => errors.push(e),
            // kubectl prints the object as it was fetched, before the change.
            Ok((info, done)) => printer.print_result_of_many(&info, &done, &mut errors)?,
        }
    }
    CliError::all(errors)?;
    Ok(ExitCode::SUCCESS)
}

/// Rolls an object back and returns the text that reports it.
fn undo(
    args: &UndoArgs,
    cluster: &Cluster,
    info: &Info,
    dry_run: DryRun,
    context: &Context,
) -> Result<String, CliError> {
    // The next `apply` compares with this annotation and would undo the rollback.
    if info.object["metadata"]["annotations"][LAST_APPLIED].is_string() {
        context.ui.warn(&format!(
            "resource {}/{} was previously managed with 'kubectl apply'. Rolling back will not \
             update the {LAST_APPLIED} annotation, which may cause unexpected behavior on future 'kubectl \
             apply' operations. Consider using 'kubectl apply' with your previous configuration \
             file instead.",
            info.kind.plural, info.name
        ));
    }
    let Some(history) = history_of(cluster, info, true)? else {
        let kind = info.kind.qualified_kind();
        return Err(CliError::text(match super::unknown(info.kind) {
            None => format!("no rollbacker has been implemented for {kind:?}"),
            Some(why) => format!("error retrieving rollbacker for {kind:?}, {why}"),
        }));
    };
    if dry_run == DryRun::Client {
        let template = template_then(&info.object, &history, args.to_revision);
        let template = pod_template(&template.map_err(CliError::text)?);
        return Ok(match info.kind.keeps_history_in() {
            Some(RolloutHistory::ControllerRevisions) => format!("will roll back to {template}"),
            _ => template,
        });
    }
    let object =
        match roll_back(&info.object, &history, args.to_revision).map_err(CliError::text)? {
            Rollback::Already => {
                let number = args.to_revision;
                return Ok(format!(
                    "skipped rollback (current template already matches revision {number})"
                ));
            }
            Rollback::To(object) => object,
        };
    // Unlike `rollout restart`, kubectl's `undo` has no field manager of its own.
    let manager = "kubectl".to_owned();
    let options = write_options(context, dry_run, manager, FieldValidation::Ignore);
    context
        .ui
        .warn_of(&pairs::send(cluster, info, &object, "", &options)?);
    Ok("rolled back".to_owned())
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    fn shell() -> Shell {
        let shell = Shell::new();
        shell.all(&[
            "create deployment web --image=nginx:1",
            "settle",
            "set image deployment/web nginx=nginx:2",
            "settle",
        ]);
        shell
    }

    fn image(shell: &Shell) -> String {
        shell.out("get deployment web -o jsonpath={.spec.template.spec.containers[0].image}")
    }

    #[test]
    fn undo_rolls_back_to_the_previous_or_named_revision() {
        let shell = shell();
        let out = shell.out("rollout undo deployment/web");
        assert_eq!(out, "deployment.apps/web rolled back\n");
        assert_eq!(image(&shell), "nginx:1");
        let out = shell.out("rollout undo deployment/web --to-revision=1");
        assert_eq!(
            out,
            "deployment.apps/web skipped rollback (current template already matches revision 1)\n"
        );
        // The output shows the object as it was before the rollback.
        let path = "jsonpath={.spec.template.spec.containers[0].image}";
        let out = shell.out(&format!(
            "rollout undo deployment/web --to-revision=2 -o {path}"
        ));
        assert_eq!(out, "nginx:1");
        let _ = shell.out("rollout undo deployment/web --to-revision=1");
        let made = shell.json("get deployment web --show-managed-fields");
        let managers = made["metadata"]["managedFields"].as_array().unwrap();
        assert!(
            managers.iter().all(|m| m["manager"] != "kubectl-rollout"),
            "{managers:?}"
        );
        let _ = shell.out("rollout undo deployment/web --to-revision=2");
        assert_eq!(image(&shell), "nginx:2");
    }

    #[test]
    fn undo_of_an_applied_object_prints_a_warning() {
        let shell = Shell::new();
        let manifest = |image: &str| {
            format!(
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  selector: \
                 {{matchLabels: {{a: b}}}}\n  template:\n    metadata: {{labels: {{a: b}}}}\n    spec: \
                 {{containers: [{{name: c, image: {image}}}]}}\n"
            )
        };
        shell.write("1.yaml", manifest("nginx:1"));
        shell.write("2.yaml", manifest("nginx:2"));
        shell.all(&["apply -f @/1.yaml", "settle"]);
        const WARNING: &str = "Warning: resource deployments/web was previously managed with 'kubectl \
            apply'. Rolling back will not update the kubectl.kubernetes.io/last-applied-configuration \
            annotation, which may cause unexpected behavior on future 'kubectl apply' operations. \
            Consider using 'kubectl apply' with your previous configuration file instead.\n";
        let refused = shell.run("rollout undo deployment/web");
        let why = "error: no rollout history found for deployment \"web\"\n";
        assert_eq!(refused.err, format!("{WARNING}{why}"));
        shell.all(&["apply -f @/2.yaml", "settle"]);
        for dry_run in ["client", "server", "none"] {
            let said = shell.run(&format!("rollout undo deployment/web --dry-run={dry_run}"));
            assert_eq!((said.code, said.err.as_str()), (0, WARNING), "{dry_run}");
        }
    }

    #[test]
    fn a_dry_run_shows_the_template_and_changes_nothing() {
        let shell = shell();
        let out = shell.out("rollout undo deployment/web --dry-run=client");
        assert!(
            out.starts_with("deployment.apps/web Pod Template:\n"),
            "{out}"
        );
        assert!(
            out.contains("Image:\tnginx:1") && out.ends_with("\n (dry run)\n"),
            "{out}"
        );
        shell.write(
            "db.yaml",
            "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec:\n  serviceName: db\n  selector: \
             {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec: {containers: [{name: c, \
             image: i}]}\n",
        );
        shell.all(&[
            "create -f @/db.yaml",
            "settle",
            "set image sts/db c=j",
            "settle",
        ]);
        let sets = shell.out("rollout undo statefulset/db --dry-run=client");
        let head = "statefulset.apps/db will roll back to Pod Template:\n";
        assert!(sets.starts_with(head), "{sets}");
        // The output is the stored template, printed before any check that a rollback is possible.
        assert!(out.contains("\tpod-template-hash="), "{out}");
        let _ = shell.out("rollout pause deployment/web");
        let paused = shell.out("rollout undo deployment/web --dry-run=client");
        assert_eq!(paused, out);
        let _ = shell.out("rollout resume deployment/web");
        let out = shell.out("rollout undo deployment/web --dry-run=server");
        assert_eq!(out, "deployment.apps/web rolled back (server dry run)\n");
        assert_eq!(image(&shell), "nginx:2");
    }

    #[test]
    fn undo_without_a_target_revision_is_rejected() {
        let shell = shell();
        shell.all(&[
            "create configmap c",
            "create job j --image=i",
            "create deployment new --image=i",
            "settle",
        ]);
        shell.refuses(&[
            ("rollout undo", "required resource not specified"),
            (
                "rollout undo deployment/new",
                "no rollout history found for deployment \"new\"",
            ),
            (
                "rollout undo deployment/web --to-revision=9",
                "unable to find specified revision 9 in history",
            ),
            (
                "rollout undo job/j",
                "no rollbacker has been implemented for \"Job.batch\"",
            ),
            (
                "rollout undo configmap/c",
                "error retrieving rollbacker for \"ConfigMap\", no visitor method exists for { ConfigMap}",
            ),
        ]);
        let _ = shell.out("rollout pause deployment/web");
        let paused = shell.fails("rollout undo deployment/web");
        let nowhere = shell.fails("rollout undo deployment/web --to-revision=9");
        assert_eq!(
            nowhere,
            "error: unable to find specified revision 9 in history"
        );
        assert_eq!(
            paused,
            "error: you cannot rollback a paused deployment; resume it first with 'kubectl rollout \
             resume' and try again"
        );
    }
}
