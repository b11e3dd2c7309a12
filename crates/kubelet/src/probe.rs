//! Determines which probes of a container fail.
//!
//! A probe fails if an annotation says so, if its command fails, or if it connects to a port that nothing in the Pod
//! opens. Probes of unknown programs pass. Must not know: when a Pod is reconciled.

use super::outcome::{self, Role, Subject};
use super::script;
use crate::api::json::Value;
use crate::cluster::PodMode;
use crate::kinds::fake;
use crate::kinds::tree::{at, field, list, opt_int, text, texts};

/// The probes in order of precedence: no other probe runs until the startup probe has passed.
const PROBES: [(&str, &str); 3] = [
    ("startupProbe", "Startup"),
    ("livenessProbe", "Liveness"),
    ("readinessProbe", "Readiness"),
];

/// Servers whose images open a single port unless they are given a command.
const SERVERS: [(&str, i64); 10] = [
    ("caddy", 80),
    ("httpd", 80),
    ("mariadb", 3306),
    ("memcached", 11211),
    ("mongo", 27017),
    ("mysql", 3306),
    ("nginx", 80),
    ("postgres", 5432),
    ("rabbitmq", 5672),
    ("redis", 6379),
];

/// A probe that fails while its container is running.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failing {
    /// `Startup`, `Liveness` or `Readiness`.
    pub kind: &'static str,
    /// When the first failure occurs, in seconds after the start of the container.
    pub first: f64,
    /// The number of seconds between attempts.
    pub every: f64,
    /// The number of failures after which the container is killed; `None` if it never is.
    pub tries: Option<i64>,
    /// The message of the event that reports the failure.
    pub message: String,
}

impl Failing {
    /// Returns when the container is killed, in seconds after its start.
    pub(crate) fn kills(&self) -> Option<f64> {
        let more = (self.tries? - 1).max(0);
        Some(self.first + more as f64 * self.every)
    }
}

/// The result of a probe.
#[derive(Clone, Debug, PartialEq)]
enum Verdict {
    Passes,
    /// Fails from this many seconds after the start of the container on.
    Fails {
        from: f64,
        output: String,
    },
    /// Cannot be executed.
    Errs(String),
}

impl Verdict {
    fn fails(output: impl Into<String>) -> Self {
        Self::Fails {
            from: 0.0,
            output: output.into(),
        }
    }
}

/// Returns the probes of a container that fail.
pub(crate) fn failing<'a>(
    of: &Subject<'_>,
    told: &dyn Fn(&str) -> Option<&'a str>,
) -> Vec<Failing> {
    let mut all = Vec::new();
    // In seconds after the start of the container. A probe begins after its delay, and after the startup probe.
    let mut begins = 0.0_f64;
    for (name, kind) in PROBES {
        let Some(probe) = of.container.get(name).filter(|p| !p.is_null()) else {
            continue;
        };
        let verdict = match (kind, told(fake::LIVENESS), told(fake::READY)) {
            ("Liveness", Some("fail"), _) | ("Readiness", _, Some("false")) => Verdict::fails(""),
            ("Liveness", Some("ok"), _) | ("Readiness", _, Some("true")) => Verdict::Passes,
            // With `--pods running`, only annotations count.
            _ if of.mode == PodMode::Running => Verdict::Passes,
            _ => verdict(of, probe),
        };
        // The API's defaults, for Pods that were stored without them.
        let number = |name, default| opt_int(probe, name).unwrap_or(default) as f64;
        // With a period of zero, the next attempt would never come.
        let every = number("periodSeconds", 10).max(1.0);
        let delay = number("initialDelaySeconds", 0).max(begins);
        let tries = opt_int(probe, "failureThreshold").unwrap_or(3);
        let (from, tries, message) = match verdict {
            Verdict::Passes => {
                // The other probes wait for it, however short their own delays are.
                if kind == "Startup" {
                    begins = outcome::first_success(probe);
                }
                continue;
            }
            Verdict::Fails { from, output } => {
                // A container that is merely not ready is left running.
                let kills = (kind != "Readiness").then_some(tries);
                (from, kills, format!("{kind} probe failed: {output}"))
            }
            Verdict::Errs(error) => {
                // As upstream, an error is not a result, so it does not kill the container.
                let state = "probe errored and resulted in unknown state";
                (0.0, None, format!("{kind} {state}: {error}"))
            }
        };
        // A file that the command removes later is missed at the next attempt.
        let missed = ((from - delay) / every).ceil().max(0.0);
        all.push(Failing {
            kind,
            first: delay + missed * every,
            every,
            tries,
            message,
        });
        // While the startup probe fails, no other probe runs.
        if kind == "Startup" {
            break;
        }
    }
    all
}

fn verdict(of: &Subject<'_>, probe: &Value) -> Verdict {
    if let Some(exec) = probe.get("exec") {
        return of_command(of, exec, opt_int(probe, "timeoutSeconds").unwrap_or(1));
    }
    let handlers = ["httpGet", "tcpSocket", "grpc"];
    let found = handlers
        .iter()
        .find_map(|name| Some((*name, probe.get(name)?)));
    let Some((name, handler)) = found else {
        return Verdict::Passes;
    };
    // A probe of another host says nothing about the Pod's ports.
    if !matches!(text(handler, "host"), "" | "localhost" | "127.0.0.1") {
        return Verdict::Passes;
    }
    let port = match port(of.container, field(handler, "port")) {
        Ok(port) => port,
        Err(error) => return Verdict::Errs(error),
    };
    // The forward annotation declares the port to be open.
    if fake::forward(of.pod, port).is_some() || is_open(of.pod, port) {
        return Verdict::Passes;
    }
    let address = format!("{}:{port}", of.address);
    let refused = format!("dial tcp {address}: connect: connection refused");
    Verdict::fails(match name {
        "httpGet" => {
            let scheme = text(handler, "scheme").to_ascii_lowercase();
            let scheme = if scheme.is_empty() { "http" } else { &scheme };
            let path = text(handler, "path").trim_start_matches('/');
            format!("Get \"{scheme}://{address}/{path}\": {refused}")
        }
        "tcpSocket" => refused,
        _ => {
            // This client waits for a connection rather than reporting that it was refused.
            let timeout = opt_int(probe, "timeoutSeconds").unwrap_or(1);
            format!(
                "timeout: failed to connect service \"{address}\" within {timeout}s: context deadline exceeded"
            )
        }
    })
}

/// Returns the number of the port that a probe names.
fn port(container: &Value, port: &Value) -> Result<i64, String> {
    let Some(name) = port.as_str() else {
        return Ok(port.as_i64().unwrap_or_default());
    };
    let mut ports = list(container, "ports").iter();
    let named = ports.find(|p| text(p, "name") == name);
    let number = named.and_then(|p| opt_int(p, "containerPort"));
    // As upstream, a number in quotes is tried last, and its error is the one reported.
    number
        .or_else(|| name.parse().ok())
        .ok_or_else(|| format!("strconv.Atoi: parsing \"{name}\": invalid syntax"))
}

/// Returns true if any container of a Pod opens a port, or if that is unknown.
fn is_open(pod: &Value, port: i64) -> bool {
    let spec = field(pod, "spec");
    // All containers of a Pod share one network.
    let sidecars = list(spec, "initContainers").iter();
    let sidecars = sidecars.filter(|c| Role::of_init(c) == Role::Sidecar);
    let mut all = list(spec, "containers").iter().chain(sidecars);
    all.any(|container| {
        let mut declared = list(container, "ports").iter();
        declared.any(|p| {
            opt_int(p, "containerPort") == Some(port) && matches!(text(p, "protocol"), "" | "TCP")
        }) || opened(container, pod).is_none_or(|only| only == Some(port))
    })
}

/// Returns the only port that a container opens without declaring it; `None` if the program is unknown.
fn opened(container: &Value, pod: &Value) -> Option<Option<i64>> {
    let image = outcome::repository(text(container, "image"));
    let has_words = texts(container, "command")
        .chain(texts(container, "args"))
        .next()
        .is_some();
    // A container with a command may run anything, whatever its image.
    let server = SERVERS.iter().find(|(name, _)| *name == image);
    match server.filter(|_| !has_words) {
        Some((_, port)) => Some(Some(*port)),
        // Shells and commands that are known to end serve nothing, and neither does the pause image.
        None => {
            let serves_nothing = image == "pause" && !has_words
                || outcome::is_shell(container)
                || outcome::command(container, pod).is_some();
            serves_nothing.then_some(None)
        }
    }
}

fn of_command(of: &Subject<'_>, exec: &Value, timeout: i64) -> Verdict {
    let words: Vec<&str> = texts(exec, "command").collect();
    // More is known about the files of a fake container than about the outcome of `cat`.
    if let Some(missing) = missing_file(of, &words) {
        return missing;
    }
    let variables = outcome::variables(of.container, of.pod);
    let own: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    match script::run(&own, variables) {
        Some(run) if run.code.is_none() || run.seconds > timeout as f64 => Verdict::fails(format!(
            "command timed out: \"{}\" timed out after {timeout}s",
            words.join(" ")
        )),
        Some(run) if run.code != Some(0) => Verdict::fails(run.lines.join("\n")),
        _ => Verdict::Passes,
    }
}

/// Returns how a probe fails if it reads a file that the container's command removes or never creates.
fn missing_file(of: &Subject<'_>, words: &[&str]) -> Option<Verdict> {
    let (path, output) = match words {
        [cat, path] if script::base(cat) == "cat" => (
            *path,
            format!("cat: can't open '{path}': No such file or directory\n"),
        ),
        [ls, path] if script::base(ls) == "ls" => {
            (*path, format!("ls: {path}: No such file or directory\n"))
        }
        [test, "-e" | "-f", path] if script::base(test) == "test" => (*path, String::new()),
        _ => return None,
    };
    // Of all directories, only this one is empty in every image, unless a volume is mounted there.
    let mounts = list(of.container, "volumeMounts").iter();
    let is_mounted = |mount: &Value| path.starts_with(text(mount, "mountPath"));
    if !path.starts_with("/tmp/") || mounts.clone().any(is_mounted) {
        return None;
    }
    let name = text(of.container, "name");
    if fake::for_container(of.pod, fake::FILES, name).is_some_and(|files| files.contains(path)) {
        return None;
    }
    let run = outcome::command(of.container, of.pod)?;
    // The last change counts, because a removed file may be created again.
    let last = run.files.iter().rfind(|file| file.path == path);
    match last {
        Some(last) if last.is_there => None,
        Some(last) => Some(Verdict::Fails {
            from: last.at,
            output,
        }),
        None => Some(Verdict::fails(output)),
    }
}

/// Returns how many seconds a deleted Pod takes to end: the time of its hooks and annotation, limited by the grace
/// period.
pub(crate) fn stop_delay(pod: &Value, mode: PodMode) -> f64 {
    let told = |container: &Value| {
        let name = text(container, "name");
        let told = fake::for_container(pod, fake::STOP_DELAY, name);
        told.and_then(crate::kinds::moment::duration).unwrap_or(0.0)
    };
    let delays = running(pod).into_iter().map(|container| {
        let hook = hook(container, pod, mode).map_or(0.0, |(seconds, _)| seconds);
        hook + told(container)
    });
    // Applies even without a running container: volumes may be holding up the Pod.
    let of_pod = told(&Value::Null);
    let grace = opt_int(field(pod, "metadata"), "deletionGracePeriodSeconds");
    delays
        .fold(of_pod, f64::max)
        .min(grace.unwrap_or(30) as f64)
}

/// Returns the running containers of a Pod.
pub(crate) fn running(pod: &Value) -> Vec<&Value> {
    let status = field(pod, "status");
    let lists = ["initContainerStatuses", "containerStatuses"];
    let statuses = lists.iter().flat_map(|name| list(status, name));
    let running = statuses.filter(|s| !at(s, &["state", "running"]).is_null());
    let names: Vec<&str> = running.map(|s| text(s, "name")).collect();
    let spec = field(pod, "spec");
    let all = ["initContainers", "containers"];
    let all = all.iter().flat_map(|name| list(spec, name));
    all.filter(|c| names.contains(&text(c, "name"))).collect()
}

/// Returns how many seconds a container's `preStop` hook takes, and true if it succeeds; `None` without a hook.
pub(crate) fn hook(container: &Value, pod: &Value, mode: PodMode) -> Option<(f64, bool)> {
    let hook = at(container, &["lifecycle", "preStop"]);
    if hook.is_null() || mode == PodMode::Running {
        return None;
    }
    if let Some(seconds) = opt_int(field(hook, "sleep"), "seconds") {
        return Some((seconds as f64, true));
    }
    let words = texts(field(hook, "exec"), "command").map(str::to_owned);
    let words: Vec<String> = words.collect();
    let run = script::run(&words, outcome::variables(container, pod));
    // A hook that is not understood takes no time, as a request to the container would.
    Some(run.map_or((0.0, true), |run| {
        (run.seconds, run.code.is_none_or(|code| code == 0))
    }))
}
