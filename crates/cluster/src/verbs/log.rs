//! `/log` and the other requests to a Pod's node: they name a container and find its node.
//!
//! The kubelet returns the output of the container; these are the checks of the API server before.

use crate::api::json::Value;
use crate::api::status::{Cause, CauseReason, Status};
use crate::context::Context;
use crate::entry::Admitted;
use crate::kinds::tree::{field, list, text};
use crate::read::list;
use crate::request::response::ApiError;
use crate::store::Key;

const KINDS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// The requested part of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogOptions {
    /// The container; `None` if there is only one.
    pub container: Option<String>,
    /// Lines from the end.
    pub tail_lines: Option<i64>,
    /// Bytes from the start.
    pub limit_bytes: Option<i64>,
    /// Only lines younger than this many seconds.
    pub since_seconds: Option<i64>,
    /// Only lines written at or after this time.
    pub since_time: Option<String>,
    /// The log of the container's previous run.
    pub previous: bool,
    /// True if each line begins with its time.
    pub timestamps: bool,
}

/// The container of a request, and its node.
#[derive(Clone, Debug, PartialEq)]
pub struct LogTarget {
    /// The Pod.
    pub pod: Value,
    /// The container.
    pub container: String,
    /// The node.
    pub node: String,
}

/// Returns the container of a request for a log; `None` for a Pod without a node, which has no log yet.
///
/// # Errors
/// The API's error if the request is invalid, or the Pod or container does not exist.
pub(crate) fn log_target(
    context: &Context,
    at: &Admitted<'_>,
    options: &LogOptions,
) -> Result<Option<LogTarget>, ApiError> {
    let (name, pod) = (at.name(), list::get(context, at)?);
    let causes = problems(options);
    if !causes.is_empty() {
        return Err(Status::invalid("", "PodLogOptions", name, causes).into());
    }
    let container = container(&pod, name, options.container.as_deref())?;
    let node = text(field(&pod, "spec"), "nodeName").to_owned();
    // kube-apiserver returns an empty log with code 200 for a Pod that is not scheduled.
    if node.is_empty() {
        return Ok(None);
    }
    check_node(context, &node)?;
    Ok(Some(LogTarget {
        pod,
        container,
        node,
    }))
}

/// Returns the container of a request to connect to a Pod.
///
/// # Errors
/// The API's error if the request is invalid, or the Pod or container does not exist.
pub(crate) fn exec_target(
    context: &Context,
    at: &Admitted<'_>,
    wanted: Option<&str>,
) -> Result<LogTarget, ApiError> {
    let (name, pod) = (at.name(), list::get(context, at)?);
    let container = container(&pod, name, wanted)?;
    on_node(context, name, pod, container)
}

/// Returns the node of a Pod for a request to its ports.
///
/// # Errors
/// The API's error if the Pod does not exist or has no node.
pub(crate) fn port_target(context: &Context, at: &Admitted<'_>) -> Result<LogTarget, ApiError> {
    let (name, pod) = (at.name(), list::get(context, at)?);
    // A port belongs to the Pod, so no container has to be chosen.
    let first = list(field(&pod, "spec"), "containers").first();
    let container = first.map_or("", |own| text(own, "name")).to_owned();
    on_node(context, name, pod, container)
}

fn on_node(
    context: &Context,
    name: &str,
    pod: Value,
    container: String,
) -> Result<LogTarget, ApiError> {
    let node = text(field(&pod, "spec"), "nodeName").to_owned();
    if node.is_empty() {
        let why = format!("pod {name} does not have a host assigned");
        return Err(Status::bad_request(why).into());
    }
    check_node(context, &node)?;
    Ok(LogTarget {
        pod,
        container,
        node,
    })
}

fn check_node(context: &Context, node: &str) -> Result<(), ApiError> {
    // The real server connects to the kubelet there, so a deleted node makes the request fail, however well the Pod's
    // status reads.
    let key = Key::new("nodes", None, node);
    let found = key
        .ok()
        .map(|key| context.store.get(&key))
        .transpose()?
        .flatten();
    // The server names the requested resource instead of the node's.
    found
        .map(drop)
        .ok_or_else(|| Status::not_found("pods", node).into())
}

fn container(pod: &Value, name: &str, wanted: Option<&str>) -> Result<String, Status> {
    let spec = field(pod, "spec");
    let all = || {
        // The order in which kube-apiserver lists the choices.
        KINDS
            .iter()
            .flat_map(|kind| list(spec, kind))
            .map(|c| text(c, "name"))
    };
    if let Some(wanted) = wanted.filter(|wanted| !wanted.is_empty()) {
        return match all().any(|own| own == wanted) {
            true => Ok(wanted.to_owned()),
            false => Err(Status::bad_request(format!(
                "container {wanted} is not valid for pod {name}"
            ))),
        };
    }
    match list(spec, "containers") {
        // A Pod with one container needs no name; init containers do not count here, as in
        // kube-apiserver.
        [one] => Ok(text(one, "name").to_owned()),
        [] => Err(Status::bad_request(format!(
            "a container name must be specified for pod {name}"
        ))),
        _ => Err(Status::bad_request(format!(
            "a container name must be specified for pod {name}, choose one of: [{}]",
            all().collect::<Vec<_>>().join(" ")
        ))),
    }
}

fn problems(options: &LogOptions) -> Vec<Cause> {
    let mut causes = Vec::new();
    let mut add = |field: &str, reason, message: String| {
        causes.push(Cause {
            reason,
            field: field.to_owned(),
            message,
        });
    };
    for (field, value, least, words) in [
        (
            "tailLines",
            options.tail_lines,
            0,
            "must be greater than or equal to 0",
        ),
        (
            "limitBytes",
            options.limit_bytes,
            1,
            "must be greater than 0",
        ),
    ] {
        if let Some(value) = value.filter(|value| *value < least) {
            add(
                field,
                CauseReason::Invalid,
                format!("Invalid value: {value}: {words}"),
            );
        }
    }
    if options.since_seconds.is_some() && options.since_time.is_some() {
        let words = "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified";
        add("[]", CauseReason::Forbidden, words.to_owned());
    } else if let Some(seconds) = options.since_seconds.filter(|seconds| *seconds < 1) {
        let words = format!("Invalid value: {seconds}: must be greater than 0");
        add("sinceSeconds", CauseReason::Invalid, words);
    }
    causes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::request::options::WriteOptions;
    use crate::testing::{fresh, place, pod};

    #[test]
    fn log_of_two_container_pod_needs_container_name() {
        let cluster = fresh();
        let options = WriteOptions::default();
        cluster
            .create(&place("pods"), &pod("one"), &options)
            .unwrap();
        let mut two = pod("two");
        two["spec"]["containers"] =
            json!([{"name": "c", "image": "i"}, {"name": "d", "image": "i"}]);
        two["spec"]["nodeName"] = json!("node-0");
        cluster.create(&place("pods"), &two, &options).unwrap();
        let ask = |name: &str, container: Option<&str>| {
            let options = LogOptions {
                container: container.map(str::to_owned),
                ..LogOptions::default()
            };
            cluster
                .subresources()
                .log_target(&place("pods"), name, &options)
        };
        assert_eq!(ask("one", None).unwrap(), None);
        assert_eq!(ask("two", Some("d")).unwrap().unwrap().container, "d");
        assert_eq!(
            ask("two", None).unwrap_err().to_string(),
            "a container name must be specified for pod two, choose one of: [c d]"
        );
        assert_eq!(
            ask("one", Some("z")).unwrap_err().to_string(),
            "container z is not valid for pod one"
        );
        let exec = |name: &str| {
            cluster
                .subresources()
                .exec_target(&place("pods"), name, "exec", Some("c"))
        };
        assert_eq!(
            exec("one").unwrap_err().to_string(),
            "pod one does not have a host assigned"
        );
        assert_eq!(exec("two").unwrap().node, "node-0");
    }

    #[test]
    fn invalid_log_options_are_rejected() {
        let both = LogOptions {
            tail_lines: Some(-1),
            since_seconds: Some(5),
            since_time: Some("2026-01-01T00:00:00Z".to_owned()),
            ..LogOptions::default()
        };
        let texts: Vec<String> = problems(&both).iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "tailLines: Invalid value: -1: must be greater than or equal to 0",
                "[]: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified",
            ]
        );
    }
}
