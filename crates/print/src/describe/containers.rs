//! The containers of Pods and Pod templates.

use super::meta::{or_none, plain, time, true_or_false};
use super::related::Related;
use super::writer::Writer;
use crate::api::go::quoted;
use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::kinds::pod::resources::{quantity, resource_list};
use crate::kinds::tree::{at, entries, field, flag, has, int, len, list, text, texts};

/// Writes a list of containers. For a Pod, but not for a template, `of` is the object, and statuses are shown.
pub(super) fn containers(
    w: &mut Writer,
    title: &str,
    containers: &[Value],
    statuses: &[Value],
    of: Option<(&Value, &Related)>,
    space: &str,
) {
    let none = if containers.is_empty() { " <none>" } else { "" };
    w.line(0, format!("{space}{title}:{none}"));
    for container in containers {
        let name = text(container, "name");
        // Matched by name, because the kubelet reports statuses in a different order.
        let status = statuses.iter().find(|status| text(status, "name") == name);
        let indent = if space.is_empty() { "" } else { " " };
        w.line(1, format!("{indent}{name}:"));
        basics(w, container, status);
        command(w, container);
        if let (Some(status), Some((_, related))) = (status, of) {
            state(w, status, related);
        }
        resources(w, field(container, "resources"), 2);
        for (title, name) in [
            ("Liveness", "livenessProbe"),
            ("Readiness", "readinessProbe"),
            ("Startup", "startupProbe"),
        ] {
            if has(container, name) {
                w.field(2, title, probe(field(container, name)));
            }
        }
        environment(w, container, of.map(|(pod, _)| pod));
        mounts(w, container);
    }
}

fn basics(w: &mut Writer, container: &Value, status: Option<&Value>) {
    if let Some(status) = status {
        w.field(2, "Container ID", text(status, "containerID"));
    }
    w.field(2, "Image", text(container, "image"));
    if let Some(status) = status {
        w.field(2, "Image ID", text(status, "imageID"));
    }
    for (name, key) in [("Port", "containerPort"), ("Host Port", "hostPort")] {
        let ports = ports(container, key);
        // As in kubectl, the text decides on the plural: the name of a port cannot contain a comma.
        match ports.contains(',') {
            true => w.field(2, &format!("{name}s"), ports),
            false => w.field(2, name, or_none(&ports)),
        }
    }
    let profile = at(container, &["securityContext", "seccompProfile"]);
    if !profile.is_null() {
        w.field(2, "SeccompProfile", text(profile, "type"));
        if text(profile, "type") == "Localhost" {
            w.field(3, "LocalhostProfile", text(profile, "localhostProfile"));
        }
    }
}

fn ports(container: &Value, key: &str) -> String {
    let port = |port: &Value| {
        let number = format!("{}/{}", int(port, key), text(port, "protocol"));
        match text(port, "name") {
            "" => number,
            name => format!("{number} ({name})"),
        }
    };
    let all: Vec<String> = list(container, "ports").iter().map(port).collect();
    all.join(", ")
}

fn command(w: &mut Writer, container: &Value) {
    for (title, name) in [("Command:", "command"), ("Args:", "args")] {
        if len(container, name) > 0 {
            w.line(2, title);
        }
        // A script after `sh -c` keeps its line breaks, one row per line.
        for line in texts(container, name).flat_map(|word| word.split('\n')) {
            w.line(3, line);
        }
    }
}

fn state(w: &mut Writer, status: &Value, related: &Related) {
    one_state(w, "State", field(status, "state"), related);
    let last = field(status, "lastState");
    // kubectl ignores any last state other than a terminated one, which explains a restart.
    if has(last, "terminated") {
        one_state(w, "Last State", last, related);
    }
    w.field(2, "Ready", true_or_false(flag(status, "ready")));
    w.field(2, "Restart Count", int(status, "restartCount"));
}

fn one_state(w: &mut Writer, title: &str, state: &Value, related: &Related) {
    if has(state, "running") {
        w.field(2, title, "Running");
        let started = at(state, &["running", "startedAt"]);
        return w.field(3, "Started", time(started, related));
    }
    let ended = field(state, "terminated");
    // By the API's definition, a container without any state is waiting.
    if ended.is_null() {
        w.field(2, title, "Waiting");
        let reason = text(field(state, "waiting"), "reason");
        if !reason.is_empty() {
            w.field(3, "Reason", reason);
        }
        return;
    }
    w.field(2, title, "Terminated");
    for (title, name) in [("Reason", "reason"), ("Message", "message")] {
        if !text(ended, name).is_empty() {
            w.field(3, title, text(ended, name));
        }
    }
    w.field(3, "Exit Code", int(ended, "exitCode"));
    if int(ended, "signal") > 0 {
        w.field(3, "Signal", int(ended, "signal"));
    }
    w.field(3, "Started", time(field(ended, "startedAt"), related));
    w.field(3, "Finished", time(field(ended, "finishedAt"), related));
}

/// Writes the limits and requests.
pub(super) fn resources(w: &mut Writer, resources: &Value, level: usize) {
    for (title, name) in [("Limits:", "limits"), ("Requests:", "requests")] {
        if len(resources, name) > 0 {
            w.line(level, title);
        }
        for (resource, amount) in entries(resources, name) {
            w.field(level + 1, resource, quantity(amount));
        }
    }
}

/// Formats a probe on one line.
fn probe(probe: &Value) -> String {
    let attributes = format!(
        "delay={}s timeout={}s period={}s #success={} #failure={}",
        int(probe, "initialDelaySeconds"),
        int(probe, "timeoutSeconds"),
        int(probe, "periodSeconds"),
        int(probe, "successThreshold"),
        int(probe, "failureThreshold")
    );
    let action = if has(probe, "exec") {
        let words: Vec<&str> = texts(field(probe, "exec"), "command").collect();
        format!("exec [{}]", words.join(" "))
    } else if has(probe, "httpGet") {
        format!("http-get {}", url(field(probe, "httpGet")))
    } else if has(probe, "tcpSocket") {
        let socket = field(probe, "tcpSocket");
        format!(
            "tcp-socket {}:{}",
            text(socket, "host"),
            plain(field(socket, "port"))
        )
    } else if has(probe, "grpc") {
        let grpc = field(probe, "grpc");
        format!("grpc <pod>:{} {}", int(grpc, "port"), text(grpc, "service"))
    } else {
        "unknown".to_owned()
    };
    format!("{action} {attributes}")
}

fn url(get: &Value) -> String {
    let host = text(get, "host");
    // A host with a colon is an IPv6 address, which needs brackets in a URL.
    let host = if host.contains(':') {
        format!("[{host}]")
    } else {
        host.to_owned()
    };
    let mut path = String::new();
    for byte in text(get, "path").bytes() {
        match byte {
            // The bytes that Go's `url.URL` does not escape in a path.
            b'!' | b'$' | b'&'..=b';' | b'=' | b'@' | b'_' | b'~' => path.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => path.push(char::from(byte)),
            byte => path.push_str(&format!("%{byte:02X}")),
        }
    }
    let slash = if path.is_empty() || path.starts_with('/') {
        ""
    } else {
        "/"
    };
    let scheme = text(get, "scheme").to_lowercase();
    format!(
        "{scheme}://{host}:{}{slash}{path}",
        plain(field(get, "port"))
    )
}

fn environment(w: &mut Writer, container: &Value, pod: Option<&Value>) {
    if len(container, "envFrom") > 0 {
        w.line(2, "Environment Variables from:");
    }
    for source in list(container, "envFrom") {
        let (kind, reference) = match has(source, "configMapRef") {
            true => ("ConfigMap", field(source, "configMapRef")),
            false => ("Secret", field(source, "secretRef")),
        };
        let prefix = match text(source, "prefix") {
            "" => String::new(),
            prefix => format!(" with prefix '{prefix}'"),
        };
        let (name, optional) = (text(reference, "name"), flag(reference, "optional"));
        w.line(3, format!("{name}\t{kind}{prefix}\tOptional: {optional}"));
    }
    let none = if len(container, "env") == 0 {
        "\t<none>"
    } else {
        ""
    };
    w.line(2, format!("Environment:{none}"));
    for variable in list(container, "env") {
        one_variable(w, container, variable, pod);
    }
}

fn one_variable(w: &mut Writer, container: &Value, variable: &Value, pod: Option<&Value>) {
    let name = text(variable, "name");
    let from = field(variable, "valueFrom");
    // Continuation lines have an empty title, so that all lines of a value are in one column.
    if from.is_null() {
        for (at, line) in text(variable, "value").split('\n').enumerate() {
            let title = if at == 0 {
                format!("{name}:")
            } else {
                String::new()
            };
            w.line(3, format!("{title}\t{line}"));
        }
        return;
    }
    let key = |reference: &Value, kind: &str| {
        let optional = flag(reference, "optional");
        format!(
            "<set to the key '{}' {kind} '{}'>\tOptional: {optional}",
            text(reference, "key"),
            text(reference, "name")
        )
    };
    let value = if has(from, "fieldRef") {
        let reference = field(from, "fieldRef");
        let path = text(reference, "fieldPath");
        // A template has no Pod whose fields could be read, so its variables show only the path.
        let value = pod.map(|pod| pod_field(pod, path)).unwrap_or_default();
        format!("{value} ({}:{path})", text(reference, "apiVersion"))
    } else if has(from, "resourceFieldRef") {
        let reference = field(from, "resourceFieldRef");
        let resource = text(reference, "resource");
        let value = resource_value(container, reference);
        // Without a limit, the kubelet passes the node's allocatable amount; kubectl prints that text instead of 0.
        let is_open = value == "0" && matches!(resource, "limits.cpu" | "limits.memory");
        let value = if is_open {
            "node allocatable"
        } else {
            value.as_str()
        };
        format!("{value} ({resource})")
    } else if has(from, "secretKeyRef") {
        key(field(from, "secretKeyRef"), "in secret")
    } else if has(from, "configMapKeyRef") {
        key(field(from, "configMapKeyRef"), "of config map")
    } else {
        return;
    };
    w.field(3, name, value);
}

/// Returns the value that kubectl resolves for a variable from a Pod field.
fn pod_field<'p>(pod: &'p Value, path: &str) -> &'p str {
    let metadata = field(pod, "metadata");
    match path {
        "metadata.name" => text(metadata, "name"),
        "metadata.namespace" => text(metadata, "namespace"),
        // kubectl resolves no other field of a Pod, so labels and the status stay empty, too.
        _ => "",
    }
}

/// Returns the amount for a variable, in units of its divisor, rounded up.
fn resource_value(container: &Value, reference: &Value) -> String {
    let resource = text(reference, "resource");
    let Some((which, name)) = resource.split_once('.') else {
        return String::new();
    };
    let amounts = resource_list(field(container, "resources"), which);
    let amount = amounts.get(name).copied().unwrap_or(Quantity::ZERO);
    let divisor = quantity(field(reference, "divisor"));
    // CPU is divided in thousandths, because `limits.cpu` is often combined with the divisor `1m`.
    let (amount, divisor) = match name {
        "cpu" => (amount.milli(), divisor.milli()),
        _ => (amount.ceil(), divisor.ceil()),
    };
    // The API server leaves a missing divisor at 0, which means 1.
    let divisor = match (divisor, name) {
        (0, "cpu") => 1000,
        (0, _) => 1,
        (divisor, _) => divisor,
    };
    let whole = amount.div_euclid(divisor) + i64::from(amount.rem_euclid(divisor) != 0);
    whole.to_string()
}

fn mounts(w: &mut Writer, container: &Value) {
    let mut mounts: Vec<&Value> = list(container, "volumeMounts").iter().collect();
    let none = if mounts.is_empty() { "\t<none>" } else { "" };
    w.line(2, format!("Mounts:{none}"));
    // kubectl sorts mounts by path, so nested mounts follow the directory that contains them.
    mounts.sort_by_cached_key(|mount| text(mount, "mountPath").to_owned());
    for mount in mounts {
        let mut flags = if flag(mount, "readOnly") { "ro" } else { "rw" }.to_owned();
        if !text(mount, "subPath").is_empty() {
            flags.push_str(&format!(",path={}", quoted(text(mount, "subPath"))));
        }
        w.line(
            3,
            format!(
                "{} from {} ({flags})",
                text(mount, "mountPath"),
                text(mount, "name")
            ),
        );
    }
    let mut devices: Vec<&Value> = list(container, "volumeDevices").iter().collect();
    if !devices.is_empty() {
        // As in kubectl, the title is the one for mounts: "Devices:" shows `<none>` if the container has no mounts.
        w.line(2, format!("Devices:{none}"));
    }
    devices.sort_by_cached_key(|device| text(device, "devicePath").to_owned());
    for device in devices {
        w.line(
            3,
            format!(
                "{} from {}",
                text(device, "devicePath"),
                text(device, "name")
            ),
        );
    }
}
