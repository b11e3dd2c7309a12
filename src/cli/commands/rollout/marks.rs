//! `ctl rollout pause`, `resume` and `restart`: one change of the workload each.

use std::process::ExitCode;

use clap::Args;
use jiff::{SignedDuration, Timestamp};

use super::Subject;
use crate::api::json::Value;
use crate::cli::commands::{Outcome, pairs};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{DryRun, ManagerArgs, OutputArgs, ResultPrinter, write_options};
use crate::cli::resource::{Info, apart};
use crate::cluster::{ClockMode, FieldValidation};
use crate::kinds::rollout::{paused, restarted, restarted_at};

/// Mark the provided resource as paused
///
/// Examples:
///   ctl rollout pause deployment/web
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct PauseArgs {
    #[command(flatten)]
    common: MarkArgs,
}

/// Resume a paused resource
///
/// Examples:
///   ctl rollout resume deployment/web
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct ResumeArgs {
    #[command(flatten)]
    common: MarkArgs,
}

/// Restart a resource
///
/// Examples:
///   ctl rollout restart deployment/web
///   ctl rollout restart deployment --selector=app=web
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct RestartArgs {
    #[command(flatten)]
    common: MarkArgs,
}

#[derive(Args, Debug)]
struct MarkArgs {
    #[command(flatten)]
    subject: Subject,
    #[command(flatten)]
    manager: ManagerArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn pause(args: &PauseArgs, context: &Context) -> Outcome {
    mark(&args.common, context, "paused", &|object| {
        paused(object, true).map_err(Refused::With)
    })
}

pub(super) fn resume(args: &ResumeArgs, context: &Context) -> Outcome {
    mark(&args.common, context, "resumed", &|object| {
        paused(object, false).map_err(Refused::With)
    })
}

pub(super) fn restart(args: &RestartArgs, context: &Context) -> Outcome {
    // The cluster's clock is used, so that a session repeated on a virtual clock gives the same annotation.
    let cluster = context.api()?;
    let now = cluster.now()?;
    let stands = cluster.settings().clock == ClockMode::Virtual;
    mark(&args.common, context, "restarted", &|object| {
        let at = if stands { after_last(object, now) } else { now };
        let at = at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let new = restarted(object, &at).map_err(Refused::With)?;
        // The annotation has whole seconds, so a second restart within one changes nothing and replaces no Pod.
        match new == *object {
            true => Err(Refused::TooSoon),
            false => Ok(new),
        }
    })
}

/// Returns the time of a restart on a clock that stands still between commands. At least a second passes between two
/// commands of a user, so the time is at least a second after that of the last restart.
fn after_last(object: &Value, now: Timestamp) -> Timestamp {
    let last = restarted_at(object).and_then(|last| last.parse::<Timestamp>().ok());
    let next = last.and_then(|last| last.checked_add(SignedDuration::from_secs(1)).ok());
    next.map_or(now, |next| next.max(now))
}

/// The reason for which an object is not changed.
enum Refused {
    /// The second restart within one second.
    TooSoon,
    /// Another reason. The error shows it after the name of the object.
    With(String),
}

type Change<'a> = &'a dyn Fn(&Value) -> Result<Value, Refused>;

fn mark(args: &MarkArgs, context: &Context, done: &str, change: Change<'_>) -> Outcome {
    let mut printer = ResultPrinter::late(&args.output, DryRun::None, context);
    printer = printer.of_structs().printer_per_object();
    let cluster = context.api()?;
    let manager = args.manager.get("kubectl-rollout");
    let options = write_options(context, DryRun::None, manager, FieldValidation::Ignore);
    let items = args.subject.find(&cluster, context)?.in_turn();
    super::say_if_nothing(&items, context)?;
    let (infos, errors) = apart(items);
    // kubectl reads all objects first, and joins the errors of the reads into one.
    let mut errors: Vec<CliError> = CliError::all(errors).err().into_iter().collect();
    for info in &infos {
        // An error such as `already paused` concerns one object; the others are still changed.
        let changed = change(&info.object).map_err(|why| refused(info, &why));
        let sent = changed.and_then(|new| {
            pairs::send(&cluster, info, &new, "", &options)
                .map_err(|e| CliError::text(format!("failed to patch: {e}")))
        });
        match sent {
            Err(e) => errors.push(e),
            Ok(answer) => {
                printer.warn(&answer);
                printer.print_result_of_many(&info.with(answer.object), done, &mut errors)?;
            }
        }
    }
    match errors.is_empty() {
        true => Ok(ExitCode::SUCCESS),
        // Even a single error is a list, as are the errors of manifests.
        false => Err(CliError::Many(errors)),
    }
}

fn refused(info: &Info, why: &Refused) -> CliError {
    let (resource, name) = (info.kind.qualified_resource(), &info.name);
    CliError::text(match why {
        Refused::With(why) => format!("error: {resource} {name:?} {why}"),
        Refused::TooSoon => format!(
            "failed to create patch for {name}: if restart has already been triggered within the past second, please \
             wait before attempting to trigger another"
        ),
    })
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    fn shell() -> Shell {
        let shell = Shell::new();
        let _ = shell.out("create deployment web --image=nginx");
        shell
    }

    #[test]
    fn a_deployment_is_paused_and_resumed_once() {
        let shell = shell();
        let field = |shell: &Shell| shell.json("get deployment web")["spec"]["paused"].clone();
        let out = shell.out("rollout pause deployment/web");
        assert_eq!(out, "deployment.apps/web paused\n");
        assert_eq!(field(&shell), true);
        shell.refuses(&[
            ("rollout pause deployment/web", "deployments.apps \"web\" is already paused"),
            (
                "rollout restart deployment/web",
                "deployments.apps \"web\" can't restart paused deployment (run rollout resume first)",
            ),
        ]);
        let out = shell.out("rollout resume deployment/web");
        assert_eq!(out, "deployment.apps/web resumed\n");
        assert!(field(&shell).is_null());
        shell.refuses(&[(
            "rollout resume deployment/web",
            "deployments.apps \"web\" is not paused",
        )]);
    }

    #[test]
    fn restart_sets_restarted_at() {
        let shell = shell();
        let out = shell.out("rollout restart deployment -l app=web");
        assert_eq!(out, "deployment.apps/web restarted\n");
        let made = shell.json("get deployment web --show-managed-fields");
        let template = &made["spec"]["template"]["metadata"]["annotations"];
        let at = template["kubectl.kubernetes.io/restartedAt"]
            .as_str()
            .unwrap();
        assert_eq!(at.len(), "2026-01-02T12:00:00Z".len());
        let managers = made["metadata"]["managedFields"].as_array().unwrap();
        assert!(
            managers.iter().any(|m| m["manager"] == "kubectl-rollout"),
            "{managers:?}"
        );
        // The cluster's clock stands still.
        let mut last = at.to_owned();
        for _ in 0..2 {
            let _ = shell.out("rollout restart deployment/web");
            let made = shell.json("get deployment web");
            let template = &made["spec"]["template"]["metadata"]["annotations"];
            let at = template["kubectl.kubernetes.io/restartedAt"].as_str();
            assert!(at.unwrap() > last.as_str(), "{at:?}");
            last = at.unwrap().to_owned();
        }
    }

    #[test]
    fn unsupported_kind_does_not_stop_other_restarts() {
        let shell = shell();
        let _ = shell.out("create configmap c");
        let said = shell.run("rollout restart configmap/c deployment/web");
        assert_eq!(
            (said.code, said.out.as_str()),
            (1, "deployment.apps/web restarted\n")
        );
        assert_eq!(
            said.err,
            "error: configmaps \"c\" restarting is not supported\n"
        );
        let said = shell.run("rollout restart deployment -l app=none");
        assert_eq!(
            (said.code, said.err.as_str()),
            (0, "No resources found in default namespace.\n")
        );
        shell.refuses(&[("rollout pause", "required resource not specified")]);
    }
}
