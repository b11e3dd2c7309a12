//! `ctl run -i`: follows a Pod until it has ended. A shell reads what the user types; the output of any other program
//! comes from its log.

use std::process::ExitCode;
use std::time::Duration;

use super::RunArgs;
use crate::api::json::Value;
use crate::cli::commands::{Outcome, pods};
use crate::cli::containers::join;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::resource::Info;
use crate::cli::waiting;
use crate::cluster::{Cluster, DeleteOptions};
use crate::kinds::tree::{at, field, int, list, text};
use crate::kubelet::logs;

/// Waits for the Pod, prints its log, waits for its end, and deletes the created objects if `--rm` is given.
pub(super) fn run(args: &RunArgs, pod: &Info, made: &[Info], context: &Context) -> Outcome {
    let cluster = context.api()?;
    let outcome = stay(args, pod, &cluster, context);
    // The objects are deleted even if the wait fails, because kubectl defers the deletion.
    if args.rm {
        for info in made {
            let deleted = cluster.delete(&info.place(), &info.name, &DeleteOptions::default());
            let deleted = deleted.inspect(|answer| context.ui.warn_of(answer));
            match deleted.map_err(CliError::from) {
                Err(e) if !e.is_not_found() => return Err(e),
                Ok(_) if !args.quiet => {
                    let kind = info.kind.kind.to_lowercase();
                    let (name, namespace) = (&info.name, &info.namespace);
                    let text = format!("{kind} {name:?} deleted from {namespace} namespace");
                    context.ui.line(text)?;
                }
                _ => {}
            }
        }
    }
    outcome
}

fn stay(args: &RunArgs, pod: &Info, cluster: &Cluster, context: &Context) -> Outcome {
    let timeout = args.pod_running_timeout.duration();
    let there = wait(pod, cluster, context, timeout, |pod| {
        // A short program may end before anyone sees it ready.
        has_ended(pod) || is_ready(pod)
    })?;
    let containers = list(field(&there, "spec"), "containers");
    let first = containers.first().map_or("", |c| text(c, "name"));
    let runs = !has_ended(&there);
    pods::announce_session(!runs || args.quiet, context);
    if !(runs && args.stdin && join(cluster, pod, first, args.tty, context)?) {
        if runs && !args.quiet {
            let (name, why) = (&pod.name, pods::NO_SHELL);
            context.ui.note(&format!(
                "warning: couldn't attach to pod/{name}, falling back to streaming logs: {why}"
            ));
        }
        let mode = cluster.settings().pods;
        for line in logs::lines(&there, first, mode).unwrap_or_default() {
            context.ui.line(line)?;
        }
    }
    let policy = args.restart_policy();
    // A Pod that is always restarted does not end by itself, so there is nothing to wait for.
    if args.leave_stdin_open || policy == "Always" {
        return Ok(ExitCode::SUCCESS);
    }
    let ended = wait(pod, cluster, context, timeout, |pod| {
        // OnFailure restarts a failed container, so only success is the end.
        has_ended(pod) && (policy == "Never" || phase(pod) == "Succeeded")
    })?;
    verdict(&ended, pod)
}

/// Waits until the Pod meets a condition.
fn wait(
    info: &Info,
    cluster: &Cluster,
    context: &Context,
    timeout: Duration,
    wanted: impl Fn(&Value) -> bool,
) -> Result<Value, CliError> {
    let found = waiting::until(cluster, context, timeout, &mut || {
        let pod = cluster.get(&info.place(), &info.name)?;
        Ok(wanted(&pod).then_some(pod))
    })?;
    found.ok_or_else(|| CliError::TimedOut("timed out waiting for the condition".to_owned()))
}

fn phase(pod: &Value) -> &str {
    text(field(pod, "status"), "phase")
}

fn has_ended(pod: &Value) -> bool {
    matches!(phase(pod), "Succeeded" | "Failed")
}

fn is_ready(pod: &Value) -> bool {
    let mut conditions = list(field(pod, "status"), "conditions").iter();
    phase(pod) == "Running"
        && conditions.any(|c| text(c, "type") == "Ready" && text(c, "status") == "True")
}

/// Turns the exit code of the Pod's container into the exit code of the command.
fn verdict(pod: &Value, info: &Info) -> Outcome {
    if phase(pod) == "Succeeded" {
        return Ok(ExitCode::SUCCESS);
    }
    let shown = format!("pod {}/{}", info.namespace, info.name);
    let statuses = list(field(pod, "status"), "containerStatuses");
    let ended = statuses.first().map(|s| at(s, &["state", "terminated"]));
    match ended.map(|ended| (int(ended, "exitCode"), ended)) {
        Some((code @ 1..=255, ended)) => {
            let (reason, message) = (text(ended, "reason"), text(ended, "message"));
            let text = format!("{shown} terminated ({reason})\n{message}");
            let code = u8::try_from(code).unwrap_or(1);
            Err(CliError::Coded(Box::new(CliError::Bare(text)), code))
        }
        _ => Err(CliError::text(format!(
            "{shown} failed with unknown exit code"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::kinds;

    fn ended(status: Value) -> Result<(), (String, u8)> {
        let info = Info {
            kind: kinds::find("", "v1", "Pod").unwrap(),
            namespace: "n".to_owned(),
            name: "p".to_owned(),
            source: String::new(),
            object: Value::Null,
        };
        match verdict(&json!({"status": status}), &info) {
            Ok(_) => Ok(()),
            Err(CliError::Coded(e, code)) => Err((e.message().0, code)),
            Err(e) => Err((e.message().0, 1)),
        }
    }

    #[test]
    fn the_exit_code_of_the_container_becomes_the_programs() {
        assert_eq!(ended(json!({"phase": "Succeeded"})), Ok(()));
        let terminated = |code: i64| {
            json!({"phase": "Failed", "containerStatuses": [{"state": {"terminated":
                {"exitCode": code, "reason": "Error", "message": "no disk"}}}]})
        };
        let text = "pod n/p terminated (Error)\nno disk";
        assert_eq!(ended(terminated(3)), Err((text.to_owned(), 3)));
        let unknown = "pod n/p failed with unknown exit code".to_owned();
        assert_eq!(ended(terminated(0)), Err((unknown.clone(), 1)));
        assert_eq!(ended(json!({"phase": "Failed"})), Err((unknown, 1)));
    }

    #[test]
    fn readiness_follows_the_condition_and_completion_the_phase() {
        let pod = |phase: &str, ready: &str| json!({"status": {"phase": phase, "conditions": [{"type": "Ready", "status": ready}]}});
        assert!(is_ready(&pod("Running", "True")) && !is_ready(&pod("Running", "False")));
        assert!(!is_ready(&pod("Succeeded", "True")) && has_ended(&pod("Succeeded", "False")));
        assert!(has_ended(&pod("Failed", "")) && !has_ended(&pod("Running", "True")));
    }
}
