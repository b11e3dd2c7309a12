//! The annotations that control simulated nodes and Pods. Users and `ctl fault` set them; the fake kubelet and the
//! controllers of nodes and usage read them. An annotation of a Pod applies to all its containers, or with the suffix
//! `.NAME` to that container alone.

use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::tree::{at, text};

/// The time that a container takes to start: `5s`.
pub const START_DELAY: &str = "ctl.dev/start-delay";
/// The time from the start of a container until it is ready: `10s`.
pub const READY_DELAY: &str = "ctl.dev/ready-delay";
/// The result of readiness probes: `false` keeps a container unready.
pub const READY: &str = "ctl.dev/ready";
/// The exit code of each run of a container.
pub const EXIT_CODE: &str = "ctl.dev/exit-code";
/// The time after which a container exits: `30s`.
pub const EXIT_AFTER: &str = "ctl.dev/exit-after";
/// The time after which a container is killed because it is out of memory: `20s`.
pub const OOM: &str = "ctl.dev/oom-after";
/// A crash, as `CODE@RESTARTS`. It ends once the container has been restarted that many times.
pub const CRASH: &str = "ctl.dev/crash";
/// The reason why the image cannot be pulled: `not-found`, `invalid` or `never`; `ok` if it can.
pub const IMAGE: &str = "ctl.dev/image";
/// The reason why the container cannot be created: the message of `CreateContainerConfigError`.
pub const CREATE_ERROR: &str = "ctl.dev/create-error";
/// The result of liveness probes: `fail` kills the container when the probe gives up.
pub const LIVENESS: &str = "ctl.dev/liveness";
/// The time that a deleted Pod takes to stop, at most its grace period: `3s`.
pub const STOP_DELAY: &str = "ctl.dev/stop-delay";
/// The lines that a container writes to its log.
pub const LOGS: &str = "ctl.dev/logs";
/// The output of commands run by `exec`: a list of `command`, `output`, `error`, `exitCode` and `delay`.
pub const EXEC: &str = "ctl.dev/exec";
/// The files of a container by path: those given, and those that commands have written.
pub const FILES: &str = "ctl.dev/files";
/// The `HOST:PORT` on this machine to which a port of a Pod or Service is forwarded; with the suffix `.PORT`, for
/// that port alone.
pub const FORWARD: &str = "ctl.dev/forward";
/// Evicts the Pod; the value is the message.
pub const EVICT: &str = "ctl.dev/evict";
/// The CPU that a Pod or container uses: `250m`.
pub const CPU_USAGE: &str = "ctl.dev/cpu-usage";
/// The memory that a Pod or container uses: `64Mi`.
pub const MEMORY_USAGE: &str = "ctl.dev/memory-usage";
/// The prefix of custom metrics of a Pod: `ctl.dev/metric.qps: "12"`.
pub const METRIC: &str = "ctl.dev/metric.";

/// On a node: the time at which the heartbeats of its kubelet stopped.
pub const NODE_DOWN: &str = "ctl.dev/node-down";
/// On a node: the reason why its kubelet reports that it is not ready.
pub const NODE_NOT_READY: &str = "ctl.dev/node-not-ready";
/// On a node: the extra time that its containers take to start.
pub const NODE_SLOW: &str = "ctl.dev/node-slow";
/// On a node: `true` if its kubelet reports not only failures but also ordinary starts and stops of containers.
pub const NODE_EVENTS: &str = "ctl.dev/node-events";

/// Returns the value of an annotation, or an empty string if it is absent.
pub fn annotation<'a>(object: &'a Value, name: &str) -> &'a str {
    text(at(object, &["metadata", "annotations"]), name)
}

/// Returns the value of an annotation for a container. The annotation for that container takes precedence over that
/// for the Pod.
pub fn for_container<'a>(pod: &'a Value, name: &str, container: &str) -> Option<&'a str> {
    let annotations = at(pod, &["metadata", "annotations"]).as_object()?;
    let own = annotations.get(&format!("{name}.{container}"));
    own.or_else(|| annotations.get(name))?.as_str()
}

/// Returns the address to which an object forwards a port.
pub fn forward(object: &Value, port: i64) -> Option<&str> {
    let own = annotation(object, &format!("{FORWARD}.{port}"));
    let address = match own {
        "" => annotation(object, FORWARD),
        own => own,
    };
    (!address.is_empty()).then_some(address)
}

/// Checks that an address is a `HOST:PORT` on this machine. Users with write access to Pods must not reach other
/// machines through it.
///
/// # Errors
/// Returns the reason if it is not.
pub fn check_loopback(address: &str) -> Result<String, String> {
    let named = address.strip_prefix("localhost:");
    let is_name = named.is_some_and(|port| port.parse::<u16>().is_ok());
    let numbers = address.parse::<std::net::SocketAddr>();
    match is_name || numbers.is_ok_and(|numbers| numbers.ip().is_loopback()) {
        true => Ok(address.to_owned()),
        false => Err(format!(
            "annotation {FORWARD}: {address:?} is not a HOST:PORT of this machine, such as 127.0.0.1:8080"
        )),
    }
}

/// Returns the usage of a resource (`cpu` or `memory`) that a Pod declares for a container.
pub fn usage(pod: &Value, container: &str, resource: &str) -> Option<Quantity> {
    let name = match resource {
        "cpu" => CPU_USAGE,
        "memory" => MEMORY_USAGE,
        _ => return None,
    };
    Quantity::parse(for_container(pod, name, container)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn a_containers_own_annotation_takes_precedence() {
        let pod = json!({"metadata": {"annotations": {
            "ctl.dev/cpu-usage": "1", "ctl.dev/cpu-usage.side": "20m",
        }}});
        let of = |container| usage(&pod, container, "cpu").map(|q| q.to_string());
        assert_eq!(of("main").as_deref(), Some("1"));
        assert_eq!(of("side").as_deref(), Some("20m"));
        assert_eq!(usage(&pod, "main", "memory"), None);
        assert_eq!(annotation(&pod, "ctl.dev/ready"), "");
    }

    #[test]
    fn a_port_is_forwarded_to_this_machine_only() {
        let pod = json!({"metadata": {"annotations": {
            "ctl.dev/forward": "127.0.0.1:9000", "ctl.dev/forward.81": "localhost:9001",
        }}});
        assert_eq!(forward(&pod, 80), Some("127.0.0.1:9000"));
        assert_eq!(forward(&pod, 81), Some("localhost:9001"));
        assert_eq!(forward(&json!({}), 80), None);
        for (address, is_near) in [
            ("127.0.0.1:80", true),
            ("127.9.9.9:80", true),
            ("[::1]:80", true),
            ("localhost:80", true),
            ("localhost", false),
            ("localhost:99999", false),
            ("10.0.0.1:80", false),
            ("0.0.0.0:80", false),
            ("localhost.evil.com:80", false),
            ("", false),
        ] {
            assert_eq!(check_loopback(address).is_ok(), is_near, "{address}");
        }
    }
}
