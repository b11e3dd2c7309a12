//! Finds the Pod and the container that `logs`, `exec`, `attach`, `port-forward`, `cp` and `debug` act on.

use std::cmp::Reverse;
use std::time::Duration;

use clap::Args;

use crate::api::json::Value;
use crate::api::selector::LabelSelector;
use crate::cli::containers::Streams;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::flags::Span;
use crate::cli::resource::{Builder, FileArgs, Info};
use crate::cli::waiting;
use crate::cluster::{Cluster, Place};
use crate::kinds;
use crate::kinds::client::PodSelector;
use crate::kinds::tree::{at, field, has, int, list, text};
use crate::print::sort::by_key;

/// The reason why a command does not attach to a container.
pub(super) const NO_SHELL: &str =
    "no shell waits for input in its container (see docs/fake-pods.md)";

/// Prints kubectl's notice before it attaches to a container.
pub(super) fn announce_session(quiet: bool, context: &Context) {
    if !quiet {
        context.ui.note(
            "All commands and output from this session will be recorded in container logs, including credentials and \
             sensitive information passed through the command prompt.\nIf you don't see a command prompt, try pressing \
             enter.",
        );
    }
}

/// The annotation that names the default container.
const DEFAULT_CONTAINER: &str = "kubectl.kubernetes.io/default-container";

/// The container of a command and its streams.
#[derive(Args, Debug)]
pub(super) struct StreamArgs {
    /// Name of the container
    #[arg(short, long, value_name = "NAME")]
    pub(super) container: Option<String>,
    /// Pass standard input to the container
    #[arg(short = 'i', long)]
    pub(super) stdin: bool,
    /// Treat standard input as a terminal
    #[arg(short, long)]
    pub(super) tty: bool,
    /// Print only output of the container
    #[arg(short, long)]
    pub(super) quiet: bool,
}

impl StreamArgs {
    /// Returns the streams to connect to the command.
    pub(super) fn streams(&self) -> Streams {
        Streams {
            stdin: self.stdin,
            tty: self.tty,
        }
    }
}

/// Returns the single object named by `POD`, `TYPE/NAME`, `TYPE NAME` or a file.
pub(super) fn object(
    words: &[&str],
    files: &FileArgs,
    cluster: &Cluster,
    context: &Context,
) -> Result<Info, CliError> {
    let (kind, names) = match words {
        // A word without a type names a Pod in all of these commands.
        [] | [_] => ("pods", words),
        [kind, names @ ..] => (*kind, names),
    };
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let found = Builder::new(context, Some(cluster))?
        .files(files)
        .names_of(kind, &names)
        .latest()
        .typed()
        .find()?
        .all()?;
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (Some(info), None) => Ok(info),
        (None, _) => Err(CliError::text("no objects were found")),
        // Only `exec` takes files, and they may hold several objects.
        _ => Err(CliError::text(
            "cannot exec into multiple objects at a time",
        )),
    }
}

/// Rejects a timeout that leaves no time to wait for a Pod.
pub(super) fn check_timeout(timeout: Span) -> Result<(), CliError> {
    if timeout.is_zero() || timeout.is_negative() {
        let text = "--pod-running-timeout must be higher than zero";
        return Err(CliError::text(text));
    }
    Ok(())
}

/// Returns a Pod itself, or the best of the Pods that an object selects; waits until there is one.
pub(super) fn pod_of(
    info: Info,
    timeout: Duration,
    cluster: &Cluster,
    context: &Context,
) -> Result<Info, CliError> {
    if info.kind.is_pod() {
        return Ok(info);
    }
    let selector = selector(&info)
        .map_err(|e| CliError::text(format!("cannot attach to {}: {e}", go_type(&info))))?;
    let found = waiting::until(cluster, context, timeout, &mut || {
        let pods = selected(&selector, &info.namespace, cluster)?;
        let sorted = by_key(pods, |pod| rank(&pod.object, false));
        Ok(sorted.into_iter().next())
    })?;
    found.ok_or_else(|| CliError::TimedOut("timed out waiting for the condition".to_owned()))
}

/// The Pods of a namespace that a selector selects.
pub(super) fn selected(
    selector: &LabelSelector,
    namespace: &str,
    cluster: &Cluster,
) -> Result<Vec<Info>, CliError> {
    let Some(kind) = kinds::find("", "v1", "Pod") else {
        return Ok(Vec::new());
    };
    let place = Place::new(kind, namespace);
    let list = cluster.list(&place, &|pod| selector.matches_object(pod), None)?;
    let info = |object: Value| {
        let meta = |name: &str| text(field(&object, "metadata"), name).to_owned();
        Info {
            kind,
            namespace: meta("namespace"),
            name: meta("name"),
            source: String::new(),
            object,
        }
    };
    Ok(list.items.into_iter().map(info).collect())
}

/// Returns the name of an object's Go type, as kubectl prints it.
pub(super) fn go_type(info: &Info) -> String {
    match info.kind.custom {
        Some(_) => "*unstructured.Unstructured".to_owned(),
        None => format!("*{}.{}", info.kind.version, info.kind.kind),
    }
}

/// Returns the selector of an object's Pods.
pub(super) fn selector(info: &Info) -> Result<LabelSelector, String> {
    let selector = field(&info.object, "spec").get("selector");
    let parsed = match info.kind.selects_pods_by() {
        Some(PodSelector::Expressions) => LabelSelector::from_object(selector),
        Some(PodSelector::Labels) => LabelSelector::from_labels(selector),
        // The endpoints of a Service without a selector are maintained elsewhere, so there is no Pod to choose.
        Some(PodSelector::OptionalLabels) => match selector.and_then(Value::as_object) {
            Some(map) if !map.is_empty() => LabelSelector::from_labels(selector),
            _ => {
                let name = &info.name;
                let why = "Service is defined without a selector";
                return Err(format!("invalid service '{name}': {why}"));
            }
        },
        None => return Err(format!("selector for {} not implemented", go_type(info))),
    };
    parsed.map_err(|e| e.to_string())
}

/// Returns the sort key of a Pod; the best Pod has the lowest. Of otherwise equal Pods the one with fewer restarts is
/// better, except for logs: more restarts leave more to read.
pub(super) fn rank(pod: &Value, for_logs: bool) -> impl Ord + use<> {
    let status = field(pod, "status");
    // These are kubectl's two orders: ByLogging for logs, ActivePods reversed for the rest. Neither ranks ended Pods:
    // the first treats them as running, the second as pending.
    let phase = match text(status, "phase") {
        "Running" => 0,
        "Unknown" => 1,
        "Pending" => 2,
        _ if for_logs => 0,
        _ => 2,
    };
    let mut conditions = list(status, "conditions").iter();
    let ready = conditions.find(|c| text(c, "type") == "Ready" && text(c, "status") == "True");
    let since = ready.map_or("", |c| text(c, "lastTransitionTime"));
    let restarts = list(status, "containerStatuses")
        .iter()
        .map(|c| int(c, "restartCount"))
        .max()
        .unwrap_or(0);
    let metadata = field(pod, "metadata");
    (
        text(field(pod, "spec"), "nodeName").is_empty(),
        phase,
        ready.is_none(),
        // A terminating Pod may disappear before a process in it ends, but its log can still be read.
        has(metadata, "deletionTimestamp") && !for_logs,
        since.to_owned(),
        match for_logs {
            true => (Reverse(restarts), 0),
            false => (Reverse(0), restarts),
        },
        text(metadata, "creationTimestamp").to_owned(),
    )
}

/// Returns the containers of a Pod, each with the name of its list.
pub(super) fn containers(pod: &Value) -> Vec<(&'static str, &Value)> {
    let lists = ["containers", "initContainers", "ephemeralContainers"];
    let spec = field(pod, "spec");
    let of = |name: &'static str| list(spec, name).iter().map(move |c| (name, c));
    lists.into_iter().flat_map(of).collect()
}

/// Returns the named container, or the default one; reports the choice if there are several.
pub(super) fn container<'a>(
    pod: &'a Value,
    wanted: &str,
    quiet: bool,
    context: &Context,
) -> Result<&'a Value, CliError> {
    let name = text(field(pod, "metadata"), "name");
    let all = containers(pod);
    let find = |wanted: &str| {
        all.iter()
            .map(|(_, c)| *c)
            .find(|c| text(c, "name") == wanted)
    };
    if !wanted.is_empty() {
        let text = || {
            let names = container_names(pod);
            CliError::text(format!(
                "container {wanted} is not valid for pod {name} out of: {names}"
            ))
        };
        return find(wanted).ok_or_else(text);
    }
    let Some((_, first)) = all.first() else {
        let namespace = text(field(pod, "metadata"), "namespace");
        let text = format!("pod {namespace}/{name} does not have any containers");
        return Err(CliError::text(text));
    };
    let default = text(at(pod, &["metadata", "annotations"]), DEFAULT_CONTAINER);
    if !default.is_empty() {
        // An annotation that names a missing container causes only a note, because the Pod may have changed since it
        // was written.
        if let Some(container) = find(default) {
            return Ok(container);
        }
        context.ui.note(&format!(
            "Default container name {default:?} not found in pod {name}"
        ));
    }
    if let Some(notice) = default_container_notice(pod, wanted).filter(|_| !quiet) {
        context.ui.note(&notice);
    }
    Ok(first)
}

/// Returns the notice about the default container; none if a container is named or the Pod has only one.
pub(super) fn default_container_notice(pod: &Value, wanted: &str) -> Option<String> {
    let all = containers(pod);
    let default = text(at(pod, &["metadata", "annotations"]), DEFAULT_CONTAINER);
    let is_default = |(_, c): &(&str, &Value)| text(c, "name") == default;
    let (_, first) = all.first()?;
    let (first, names) = (text(first, "name"), container_names(pod));
    let told = wanted.is_empty() && all.len() > 1 && !all.iter().any(is_default);
    told.then(|| format!("Defaulted container {first:?} out of: {names}"))
}

/// Lists the containers of a Pod, as in `main, side, setup (init)`.
pub(super) fn container_names(pod: &Value) -> String {
    // kubectl lists ephemeral containers before init containers, but looks for a container in the order above.
    let lists = ["containers", "ephemeralContainers", "initContainers"];
    let all = containers(pod);
    let of = |wanted: &'static str| all.iter().filter(move |(list, _)| *list == wanted);
    let names = lists.into_iter().flat_map(of).map(|(list, container)| {
        let suffix = match *list {
            "initContainers" => " (init)",
            "ephemeralContainers" => " (ephem)",
            _ => "",
        };
        format!("{}{suffix}", text(container, "name"))
    });
    names.collect::<Vec<_>>().join(", ")
}

/// Returns the phase of a Pod if the Pod has ended.
pub(super) fn ended(pod: &Value) -> Option<&str> {
    let phase = text(field(pod, "status"), "phase");
    matches!(phase, "Succeeded" | "Failed").then_some(phase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn container_names_include_init_and_ephemeral_containers() {
        let pod = json!({"spec": {
            "initContainers": [{"name": "setup"}],
            "containers": [{"name": "main"}, {"name": "side"}],
            "ephemeralContainers": [{"name": "probe"}],
        }});
        assert_eq!(
            container_names(&pod),
            "main, side, probe (ephem), setup (init)"
        );
    }

    #[test]
    fn running_ready_pod_ranks_first() {
        let pod = |name: &str, phase: &str, ready: &str, restarts: i64| {
            json!({
                "metadata": {"name": name, "creationTimestamp": "2026-01-01T00:00:00Z"},
                "spec": {"nodeName": if phase == "Pending" { "" } else { "node-0" }},
                "status": {
                    "phase": phase,
                    "conditions": [{"type": "Ready", "status": ready}],
                    "containerStatuses": [{"restartCount": restarts}],
                },
            })
        };
        let pods = [
            pod("waits", "Pending", "False", 0),
            pod("starts", "Running", "False", 0),
            pod("crashes", "Running", "True", 3),
            pod("runs", "Running", "True", 0),
        ];
        let best = |for_logs| pods.iter().min_by_key(|pod| rank(pod, for_logs)).unwrap();
        assert_eq!(best(false)["metadata"]["name"], "runs");
        assert_eq!(best(true)["metadata"]["name"], "crashes");
    }

    #[test]
    fn ended_pod_ranks_as_running_for_logs_and_as_pending_otherwise() {
        let pod = |name: &str, phase: &str, second: i64| {
            json!({
                "metadata": {"name": name, "creationTimestamp": format!("2026-01-01T00:00:0{second}Z")},
                "spec": {"nodeName": "node-0"},
                "status": {"phase": phase},
            })
        };
        let pods = [
            pod("failed", "Failed", 1),
            pod("starts", "Running", 2),
            pod("waits", "Pending", 0),
        ];
        let names = |for_logs| {
            let sorted = by_key(pods.iter().collect(), |pod: &&Value| rank(pod, for_logs));
            let names = sorted.into_iter().map(|pod| text(&pod["metadata"], "name"));
            names.collect::<Vec<_>>()
        };
        assert_eq!(names(true), ["failed", "starts", "waits"]);
        assert_eq!(names(false), ["starts", "waits", "failed"]);
    }
}
