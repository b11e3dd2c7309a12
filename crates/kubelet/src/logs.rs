//! The log of a container: the text in its annotation, or the output of its command.
//!
//! All output is written when the container starts. In a cluster without command output, only annotations provide any.

use jiff::Timestamp;

use super::{container_status, outcome};
use crate::api::json::Value;
use crate::api::status::Status;
use crate::cluster::{LogOptions, PodMode};
use crate::kinds::fake;
use crate::kinds::moment;
use crate::kinds::tree::{at, field, has, list, text};

/// A run of a container, which has a log.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_kubelet::logs::{Run, run};
///
/// let pod = json!({"metadata": {"name": "web"}, "spec": {"containers": [{"name": "c"}]},
///     "status": {"containerStatuses": [
///         {"name": "c", "state": {"running": {"startedAt": "2026-01-02T12:00:00Z"}}}]}});
/// let Run { started, running } = run(&pod, "c", false).unwrap();
/// assert!(running && started == "2026-01-02T12:00:00Z");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// The start time, as in the status.
    pub started: String,
    /// True if the container is running.
    pub running: bool,
}

/// Returns the part of a container's log that the options select.
///
/// # Errors
/// Returns the kubelet's error if there is no such run.
pub fn read(
    pod: &Value,
    container: &str,
    mode: PodMode,
    options: &LogOptions,
    now: Timestamp,
) -> Result<String, Status> {
    let run = run(pod, container, options.previous)?;
    let log = whole(pod, container, mode);
    let lines: Vec<&str> = log.split_inclusive('\n').collect();
    let skipped = match options.tail_lines {
        Some(tail) => lines
            .len()
            .saturating_sub(usize::try_from(tail).unwrap_or(0)),
        None => 0,
    };
    let started = run.started.parse::<Timestamp>().unwrap_or(now);
    // All lines have the time of the start, so either all are too old or none are.
    if since(options, now).is_some_and(|since| started < since) {
        return Ok(String::new());
    }
    let stamp = match options.timestamps {
        true => format!("{} ", started.strftime("%Y-%m-%dT%H:%M:%S%.9fZ")),
        false => String::new(),
    };
    let lines = lines.iter().skip(skipped);
    let mut log: String = lines.map(|line| format!("{stamp}{line}")).collect();
    if let Some(limit) = options.limit_bytes {
        let mut limit = usize::try_from(limit).unwrap_or(0).min(log.len());
        // Cuts between characters: the limit counts bytes, but the log is text.
        while !log.is_char_boundary(limit) {
            limit -= 1;
        }
        log.truncate(limit);
    }
    Ok(log)
}

/// Returns the time from which on the log is requested.
fn since(options: &LogOptions, now: Timestamp) -> Option<Timestamp> {
    // The API allows only one of `sinceTime` and `sinceSeconds`.
    if let Some(time) = &options.since_time {
        return time.parse().ok();
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "no client requests this many seconds"
    )]
    let seconds = options.since_seconds? as f64;
    Some(moment::after(now, -seconds))
}

/// Returns the run whose log is requested: the current or last one, or the one before it.
///
/// # Errors
/// Returns the kubelet's error if there is no such run.
pub fn run(pod: &Value, container: &str, previous: bool) -> Result<Run, Status> {
    let name = text(field(pod, "metadata"), "name");
    let shown = format!("container {container:?} in pod {name:?}");
    let refuse = |text: String| Err(Status::bad_request(text));
    let Some(status) = container_status::find(pod, container) else {
        return refuse(format!("{shown} is not available"));
    };
    let state = field(status, "state");
    let last = at(status, &["lastState", "terminated"]);
    let of = |run: &Value, running: bool| {
        let started = text(run, "startedAt").to_owned();
        Ok(Run { started, running })
    };
    if previous {
        return match last.is_null() {
            true => refuse(format!("previous terminated {shown} not found")),
            false => of(last, false),
        };
    }
    if has(state, "running") {
        return of(field(state, "running"), true);
    }
    if has(state, "terminated") {
        return of(field(state, "terminated"), false);
    }
    // A container that waits to be restarted still has the log of its last run.
    if !last.is_null() {
        return of(last, false);
    }
    let waits = format!("{shown} is waiting to start");
    // The kubelet's texts, which `kubectl logs` prints.
    match text(field(state, "waiting"), "reason") {
        "" => refuse(format!("{waits} - no logs yet")),
        "ErrImagePull" => refuse(format!("{waits}: image can't be pulled")),
        "ImagePullBackOff" => refuse(format!("{waits}: trying and failing to pull image")),
        reason => refuse(format!("{waits}: {reason}")),
    }
}

/// Returns the log of a container.
pub(super) fn whole(pod: &Value, container: &str, mode: PodMode) -> String {
    let lines = lines(pod, container, mode).unwrap_or_default();
    let mut log: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let told = fake::for_container(pod, fake::LOGS, container);
    let spec = containers(pod).find(|c| text(c, "name") == container);
    let run = spec.filter(|_| told.is_none() && !log.is_empty());
    // `echo -n` does not end its line, and readers of the log see that.
    if run
        .and_then(|spec| outcome::command(spec, pod))
        .is_some_and(|run| run.is_partial)
    {
        log.pop();
    }
    log
}

/// Returns the specs of all containers of a Pod.
fn containers(pod: &Value) -> impl Iterator<Item = &Value> {
    let spec = field(pod, "spec");
    let all = ["containers", "initContainers", "ephemeralContainers"];
    all.into_iter().flat_map(move |name| list(spec, name))
}

/// Returns the lines of a container's log, or `None` if the Pod has no such container.
pub fn lines(pod: &Value, container: &str, mode: PodMode) -> Option<Vec<String>> {
    let container = containers(pod).find(|c| text(c, "name") == container)?;
    // The annotation takes precedence over the command, because a user has set it.
    let told = fake::for_container(pod, fake::LOGS, text(container, "name"));
    Some(match told {
        Some(told) => told.lines().map(str::to_owned).collect(),
        None if mode == PodMode::Default => {
            outcome::command(container, pod).map_or_else(Vec::new, |run| run.lines)
        }
        None => Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    const NOON: &str = "2026-01-01T12:00:00Z";

    fn pod() -> Value {
        json!({
            "metadata": {"name": "p"},
            "spec": {"containers": [
                {"name": "c", "command": ["sh", "-c", "echo one; echo two; exit 1"]},
            ]},
            "status": {"containerStatuses": [
                {"name": "c", "state": {"running": {"startedAt": NOON}}},
            ]},
        })
    }

    fn said(options: &LogOptions) -> String {
        let now = "2026-01-01T12:01:00Z".parse().unwrap();
        read(&pod(), "c", PodMode::Default, options, now).unwrap()
    }

    #[test]
    fn logs_contain_the_annotation_or_echoed_lines() {
        let mut pod = pod();
        let of = |pod: &Value, mode| lines(pod, "c", mode).unwrap();
        assert_eq!(of(&pod, PodMode::Default), ["one", "two"]);
        assert_eq!(of(&pod, PodMode::Running), Vec::<String>::new());
        assert_eq!(lines(&pod, "d", PodMode::Default), None);
        pod["metadata"]["annotations"] = json!({"ctl.dev/logs.c": "told\nso"});
        assert_eq!(of(&pod, PodMode::Running), ["told", "so"]);
    }

    #[test]
    fn last_line_ends_only_if_the_command_ends_it() {
        let mut pod = pod();
        pod["spec"]["containers"][0]["command"] = json!(["sh", "-c", "echo one; echo -n two"]);
        assert_eq!(whole(&pod, "c", PodMode::Default), "one\ntwo");
        assert_eq!(whole(&pod, "c", PodMode::Running), "");
        pod["metadata"]["annotations"] = json!({"ctl.dev/logs.c": "told"});
        assert_eq!(whole(&pod, "c", PodMode::Default), "told\n");
    }

    #[test]
    fn log_options_limit_lines_bytes_and_time() {
        let all = LogOptions::default();
        assert_eq!(said(&all), "one\ntwo\n");
        let tail = |tail_lines| LogOptions {
            tail_lines: Some(tail_lines),
            ..all.clone()
        };
        assert_eq!(said(&tail(1)), "two\n");
        assert_eq!(said(&tail(0)), "");
        let since = |since_seconds| LogOptions {
            since_seconds: Some(since_seconds),
            ..all.clone()
        };
        assert_eq!(said(&since(60)), "one\ntwo\n");
        assert_eq!(said(&since(59)), "");
        let limited = LogOptions {
            limit_bytes: Some(5),
            ..all.clone()
        };
        assert_eq!(said(&limited), "one\nt");
        let stamped = LogOptions {
            timestamps: true,
            ..tail(1)
        };
        assert_eq!(said(&stamped), "2026-01-01T12:00:00.000000000Z two\n");
        let later = LogOptions {
            since_time: Some("2026-01-01T12:00:01Z".to_owned()),
            ..all
        };
        assert_eq!(said(&later), "");
    }

    #[test]
    fn logs_of_a_container_without_a_run_fail() {
        let error = |state: Value, previous: bool| {
            let mut pod = pod();
            pod["status"]["containerStatuses"][0]["state"] = state;
            run(&pod, "c", previous).unwrap_err().message
        };
        let waits = |reason: &str| error(json!({"waiting": {"reason": reason}}), false);
        let shown = r#"container "c" in pod "p""#;
        assert_eq!(
            waits("ContainerCreating"),
            format!("{shown} is waiting to start: ContainerCreating")
        );
        assert_eq!(
            waits("ImagePullBackOff"),
            format!("{shown} is waiting to start: trying and failing to pull image")
        );
        assert_eq!(
            error(json!({}), false),
            format!("{shown} is waiting to start - no logs yet")
        );
        assert_eq!(
            error(json!({"running": {}}), true),
            format!("previous terminated {shown} not found")
        );
        let gone = run(&pod(), "d", false).unwrap_err().message;
        assert_eq!(gone, r#"container "d" in pod "p" is not available"#);
    }
}
