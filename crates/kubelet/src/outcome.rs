//! The behavior of a container, determined by, in this order, faults and annotations, the image and command, the
//! probes, and the mode of the cluster. With `--pods running`, images and commands have no effect: every container
//! runs until an annotation or a user changes that. Init containers succeed, because otherwise no Pod would run.

use super::exec::variables::{self, expanded};
use super::image;
use super::probe::{self, Failing};
use super::{script, user};
use crate::api::json::Value;
use crate::cluster::PodMode;
use crate::kinds::fake;
use crate::kinds::moment::duration;
use crate::kinds::pod::restart_rule;
use crate::kinds::tree::{at, field, flag, list, opt_int, text, texts};

/// The role of a container in its Pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Runs to completion before the main containers.
    Init,
    /// An init container that keeps running.
    Sidecar,
    /// A main container of the Pod.
    Main,
    /// A container for debugging, on which nothing depends.
    Ephemeral,
}

impl Role {
    /// Returns the name of the role in facts.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::Sidecar => "sidecar",
            Self::Main => "main",
            Self::Ephemeral => "ephemeral",
        }
    }

    /// Returns the role of an init container.
    pub(crate) fn of_init(container: &Value) -> Self {
        match text(container, "restartPolicy") {
            "Always" => Self::Sidecar,
            _ => Self::Init,
        }
    }
}

/// How a container ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Exit {
    /// The exit code.
    pub code: i64,
    /// How long the container runs, in seconds.
    pub after: f64,
    /// True if the container runs out of memory.
    pub oom: bool,
}

/// The behavior of a container.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ContainerBehavior {
    /// The reason why the image cannot be pulled: `not-found`, `invalid` or `never`.
    pub image: Option<String>,
    /// The reason why the container cannot be created.
    pub create: Option<String>,
    /// How long the container takes to start, in seconds.
    pub start: f64,
    /// How the container ends; `None` if it keeps running.
    pub exit: Option<Exit>,
    /// When the startup probe has passed, in seconds after the start; `None` if it never does.
    pub started: Option<f64>,
    /// When the container is ready, in seconds after the start and at the earliest at `started`; `None` if it never
    /// is.
    pub ready: Option<f64>,
    /// The probes that fail.
    pub failing: Vec<Failing>,
}

impl ContainerBehavior {
    /// Returns the first probe that kills the container, with the seconds from the start until then.
    pub(crate) fn killer(&self) -> Option<(f64, &Failing)> {
        let killers = self.failing.iter().filter_map(|f| Some((f.kills()?, f)));
        killers.min_by(|(a, _), (b, _)| a.total_cmp(b))
    }
}

/// A container in its current state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    /// The container's Pod.
    pub pod: &'a Value,
    /// The spec of the container.
    pub container: &'a Value,
    /// The container's role in the Pod.
    pub role: Role,
    /// How often the container has been restarted.
    pub restarts: i64,
    /// The Pod mode of the cluster.
    pub mode: PodMode,
    /// The additional seconds that everything takes on the node.
    pub slow: f64,
    /// The address of the Pod.
    pub address: &'a str,
}

/// Returns the behavior of a container.
pub(crate) fn behavior(of: &Subject<'_>) -> ContainerBehavior {
    let name = text(of.container, "name");
    let told = |annotation: &str| fake::for_container(of.pod, annotation, name);
    let seconds = |annotation: &str| told(annotation).and_then(duration);
    let probe = |kind: &str| of.container.get(kind).filter(|p| !p.is_null());
    // Delays and images matter only if Pods are played in detail.
    let patient = of.mode == PodMode::Default;
    let initial = |kind: &str| match probe(kind) {
        Some(probe) if patient => first_success(probe),
        _ => 0.0,
    };
    let failing = probe::failing(of, &told);
    let fails = |kind: &str| failing.iter().any(|f| f.kind == kind);
    let never_ready = told(fake::READY) == Some("false") || fails("Readiness");
    ContainerBehavior {
        image: match told(fake::IMAGE) {
            Some("ok") => None,
            // The annotation takes precedence over the name of the image.
            Some(problem) => Some(problem.to_owned()),
            None if patient => image_problem(of.container).map(str::to_owned),
            None => None,
        },
        create: match told(fake::CREATE_ERROR) {
            None if patient => user::problem(of.pod, of.container),
            told => told.map(str::to_owned),
        },
        start: seconds(fake::START_DELAY).unwrap_or(0.0) + of.slow,
        exit: exit(of, &told),
        started: (!fails("Startup")).then(|| initial("startupProbe")),
        ready: (!never_ready)
            .then(|| seconds(fake::READY_DELAY).unwrap_or_else(|| initial("readinessProbe"))),
        failing,
    }
}

/// Returns how a container ends, from the first of these that applies: a requested crash, the annotations, the
/// command, and the default for its Pod.
fn exit<'a>(of: &Subject<'_>, told: &dyn Fn(&str) -> Option<&'a str>) -> Option<Exit> {
    let plain = |code, after| Exit {
        code,
        after,
        oom: false,
    };
    // A requested crash is for one restart count, so it overrides the usual behavior exactly once.
    if let Some(code) = told(fake::CRASH).and_then(|crash| crash_now(crash, of.restarts)) {
        return Some(plain(code, 0.0));
    }
    if let Some(after) = told(fake::OOM).and_then(duration) {
        let oom = true;
        return Some(Exit {
            oom,
            ..plain(137, after) // 128 + SIGKILL, as the runtime reports for the OOM killer.
        });
    }
    let (code, after) = (told(fake::EXIT_CODE), told(fake::EXIT_AFTER));
    if code.is_some() || after.is_some() {
        // With an exit code that is not a number, the container ends with 0 rather than never.
        let code = code.and_then(|c| c.trim().parse().ok()).unwrap_or(0);
        return Some(plain(code, after.and_then(duration).unwrap_or(0.0)));
    }
    // By default, init containers and the Pods of Jobs end, and all other containers keep running.
    let usual = (of.role == Role::Init || of.mode == PodMode::Default && is_of_job(of.pod))
        && !matches!(of.role, Role::Sidecar | Role::Ephemeral);
    if of.mode == PodMode::Default
        && let Some(run) = command(of.container, of.pod)
    {
        return run.code.map(|code| plain(code, run.seconds));
    }
    usual.then(|| plain(0, 0.0))
}

/// Images whose only entry point is a shell, so that the arguments are the command.
const NO_ENTRY_POINT: [&str; 4] = ["busybox", "alpine", "debian", "ubuntu"];

/// Returns true if the main process of a container is a shell that reads its input.
pub(crate) fn is_shell(container: &Value) -> bool {
    let words: Vec<&str> = texts(container, "command")
        .chain(texts(container, "args"))
        .collect();
    let has_no_entry_point = NO_ENTRY_POINT.contains(&repository(text(container, "image")));
    match words.as_slice() {
        [] => has_no_entry_point,
        [program, flags @ ..] => {
            let program = program.rsplit('/').next().unwrap_or(program);
            // `-c` introduces a script, and any other word is the name of a script file.
            ["sh", "ash", "bash", "dash"].contains(&program)
                && flags
                    .iter()
                    .all(|flag| flag.starts_with('-') && !flag.contains('c'))
        }
    }
}

/// Returns the outcome of a container's command, if it can be determined.
pub(super) fn command(container: &Value, pod: &Value) -> Option<script::Run> {
    let command: Vec<&str> = texts(container, "command").collect();
    let args: Vec<&str> = texts(container, "args").collect();
    let image = text(container, "image");
    let has_no_entry_point = NO_ENTRY_POINT.contains(&repository(image));
    let words = match command.is_empty() {
        false => [command, args].concat(),
        true if has_no_entry_point && !args.is_empty() => args,
        true => return None,
    };
    let variables = variables(container, pod);
    // The kubelet expands `$(NAME)` in commands before it starts the container.
    let words: Vec<String> = words
        .iter()
        .map(|word| expanded(word, &variables.known))
        .collect();
    script::run(&words, variables)
}

/// Returns the variables of a container whose values follow from its Pod.
pub(super) fn variables(container: &Value, pod: &Value) -> script::Variables {
    let nothing = |_: &str, _: &str, _: &str| None;
    let known = variables::of(pod, container, &nothing, &nothing);
    // The values that ConfigMaps and Secrets set are not looked up here.
    let is_unknown = |entry: &Value| {
        !field(entry, "valueFrom").is_null() && !known.contains_key(text(entry, "name"))
    };
    let is_partial =
        !list(container, "envFrom").is_empty() || list(container, "env").iter().any(is_unknown);
    script::Variables { known, is_partial }
}

/// Returns the last part of an image's name, without tag and digest.
pub(super) fn repository(image: &str) -> &str {
    let name = image.split('@').next().unwrap_or(image);
    let last = name.rsplit('/').next().unwrap_or(name);
    last.split(':').next().unwrap_or(last)
}

fn tag(image: &str) -> &str {
    let name = image.split('@').next().unwrap_or(image);
    let last = name.rsplit('/').next().unwrap_or(name);
    last.split_once(':').map_or("latest", |(_, tag)| tag)
}

/// Returns the problem of an image whose name says that it cannot be pulled.
fn image_problem(container: &Value) -> Option<&'static str> {
    let name = text(container, "image");
    match tag(name) {
        // An invalid name fails before any request to a registry.
        _ if !image::is_name(name) => Some("invalid"),
        "404" | "invalid" | "does-not-exist" | "non-existent" => Some("not-found"),
        _ => None,
    }
}

/// Parses `CODE@RESTARTS` and returns the code if the number of restarts matches.
fn crash_now(crash: &str, restarts: i64) -> Option<i64> {
    let (code, at) = crash.split_once('@')?;
    (at.parse::<i64>().ok()? == restarts).then(|| code.parse().ok())?
}

/// Returns true if a Pod belongs to a Job and therefore ends by default.
pub(crate) fn is_of_job(pod: &Value) -> bool {
    let owners = list(field(pod, "metadata"), "ownerReferences");
    owners
        .iter()
        .any(|o| flag(o, "controller") && text(o, "kind") == "Job")
}

/// Returns after how many seconds a passing probe reaches its success threshold.
pub(super) fn first_success(probe: &Value) -> f64 {
    let number = |name, default| opt_int(probe, name).unwrap_or(default);
    // A probe that always passes succeeds at its first run and then once per period.
    let more = (number("successThreshold", 1) - 1).max(0) * number("periodSeconds", 10);
    (number("initialDelaySeconds", 0) + more) as f64
}

/// Returns true if a terminated container is restarted, according to its restart rules, its own policy and the Pod's.
pub(crate) fn restarts(pod: &Value, container: &Value, role: Role, code: i64) -> bool {
    match role {
        Role::Sidecar => return true,
        Role::Ephemeral => return false,
        Role::Init | Role::Main => {}
    }
    // Container restart rules (KEP-5307) take precedence over policies, and each of their actions is a restart.
    if restart_rule(container, code).is_some() {
        return true;
    }
    let own = text(container, "restartPolicy");
    let policy = match own {
        "" => text(at(pod, &["spec"]), "restartPolicy"),
        own => own,
    };
    // Even with `Always`, init containers follow `OnFailure`: a success is final.
    match (policy, role) {
        ("Never", _) => false,
        ("OnFailure", _) | (_, Role::Init) => code != 0,
        _ => true,
    }
}

/// Returns the back-off before a restart, in seconds: 0 at first, then 10, doubling up to 300, and back to 0 if the
/// last run took more than ten minutes.
pub(crate) fn back_off(restarts: i64, ran: i64) -> i64 {
    match restarts {
        0 => 0,
        _ if ran > 600 => 0,
        // The kubelet's back-off starts at 10 seconds and is limited to 5 minutes (`MaxContainerBackOff`); a long run
        // resets it.
        n => (10_i64 << (n - 1).clamp(0, 5)).min(300),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn said(pod: &Value, mode: PodMode) -> ContainerBehavior {
        let of = Subject {
            pod,
            container: &pod["spec"]["containers"][0],
            role: Role::Main,
            restarts: 0,
            mode,
            slow: 0.0,
            address: "10.200.0.1",
        };
        behavior(&of)
    }

    fn job_pod(container: Value) -> Value {
        json!({
            "metadata": {"ownerReferences": [{"kind": "Job", "controller": true}]},
            "spec": {"restartPolicy": "Never", "containers": [container]},
        })
    }

    #[test]
    fn commands_see_the_variables_of_their_container() {
        let mut pod = job_pod(json!({
            "name": "c", "command": ["sh", "-c", "echo $HOSTNAME $HOME $URL; exit $(CODE)"],
            "env": [{"name": "CODE", "value": "7"}, {"name": "URL", "value": "http://$(CODE)"}],
        }));
        pod["metadata"]["name"] = json!("p");
        let run = command(&pod["spec"]["containers"][0], &pod).unwrap();
        assert_eq!(run.code, Some(7));
        assert_eq!(run.lines, ["p /root http://7"]);
    }

    #[test]
    fn exit_code_depends_on_the_job_completion_index() {
        let script = "if [ $JOB_COMPLETION_INDEX -eq 1 ]; then exit 3; fi";
        let key = "batch.kubernetes.io/job-completion-index";
        let path = format!("metadata.annotations['{key}']");
        let mut pod = job_pod(json!({
            "name": "c", "command": ["sh", "-c", script],
            "env": [{"name": "JOB_COMPLETION_INDEX", "valueFrom": {"fieldRef": {"fieldPath": path}}}],
        }));
        for (index, code) in [("0", 0), ("1", 3)] {
            pod["metadata"]["annotations"] = json!({key: index});
            assert_eq!(said(&pod, PodMode::Default).exit.unwrap().code, code);
        }
    }

    #[test]
    fn images_with_special_names_cannot_be_pulled() {
        for (image, problem) in [
            ("nginx:1.25", None),
            ("nginx:404", Some("not-found")),
            (
                "registry.example:5000/a/b:does-not-exist",
                Some("not-found"),
            ),
            ("registry.example:5000/a/b", None),
            ("nginx:", Some("invalid")),
            ("Nginx:1", Some("invalid")),
            ("nginx:UPPER:x", Some("invalid")),
        ] {
            let pod = json!({"spec": {"containers": [{"name": "c", "image": image}]}});
            assert_eq!(
                said(&pod, PodMode::Default).image.as_deref(),
                problem,
                "{image}"
            );
            assert_eq!(said(&pod, PodMode::Running).image, None, "{image}");
        }
    }

    #[test]
    fn commands_end_containers_except_in_running_mode() {
        let pod = job_pod(json!({"name": "c", "command": ["sh", "-c", "sleep 3; exit 4"]}));
        let exit = said(&pod, PodMode::Default).exit.unwrap();
        assert_eq!((exit.code, exit.after), (4, 3.0));
        assert_eq!(said(&pod, PodMode::Running).exit, None);
        let plain = job_pod(json!({"name": "c", "image": "tool:1"}));
        assert_eq!(said(&plain, PodMode::Default).exit.unwrap().code, 0);
        assert_eq!(said(&plain, PodMode::Running).exit, None);
        let args = job_pod(json!({"name": "c", "image": "busybox:1", "args": ["false"]}));
        assert_eq!(said(&args, PodMode::Default).exit.unwrap().code, 1);
        let forever = job_pod(json!({"name": "c", "command": ["sleep", "infinity"]}));
        assert_eq!(said(&forever, PodMode::Default).exit, None);
    }

    #[test]
    fn annotations_take_precedence_over_commands() {
        let mut pod = job_pod(json!({"name": "c", "command": ["true"]}));
        pod["metadata"]["annotations"] = json!({
            "ctl.dev/exit-code": "3", "ctl.dev/exit-after.c": "1m", "ctl.dev/image": "never",
            "ctl.dev/start-delay": "2s", "ctl.dev/ready": "false",
        });
        let behavior = said(&pod, PodMode::Running);
        let exit = behavior.exit.unwrap();
        assert_eq!((exit.code, exit.after), (3, 60.0));
        assert_eq!(behavior.image.as_deref(), Some("never"));
        assert_eq!((behavior.start, behavior.ready), (2.0, None));
        pod["metadata"]["annotations"] = json!({"ctl.dev/crash": "9@0"});
        assert_eq!(said(&pod, PodMode::Running).exit.unwrap().code, 9);
        pod["metadata"]["annotations"] = json!({"ctl.dev/crash": "9@1"});
        assert_eq!(said(&pod, PodMode::Running).exit, None);
        pod["metadata"]["annotations"] = json!({"ctl.dev/oom-after": "5s"});
        assert!(said(&pod, PodMode::Running).exit.unwrap().oom);
    }

    #[test]
    fn probe_timing_determines_readiness_and_liveness_failure() {
        let probe = json!({"initialDelaySeconds": 5, "periodSeconds": 3, "successThreshold": 2});
        let pod = json!({
            "metadata": {"annotations": {"ctl.dev/liveness": "fail"}},
            "spec": {"containers": [{
                "name": "c", "readinessProbe": probe, "livenessProbe": {"failureThreshold": 2},
            }]},
        });
        let behavior = said(&pod, PodMode::Default);
        let killed = behavior.killer().map(|(after, _)| after);
        assert_eq!((behavior.ready, killed), (Some(8.0), Some(10.0)));
        assert_eq!(said(&pod, PodMode::Running).ready, Some(0.0));
    }

    /// Returns the messages of a container's failing probes, with the second at which each kills the container.
    fn failures(container: Value) -> Vec<(String, Option<f64>)> {
        let pod = json!({"spec": {"restartPolicy": "Always", "containers": [container]}});
        let failing = said(&pod, PodMode::Default).failing;
        assert_eq!(said(&pod, PodMode::Running).failing, []);
        let told = failing.iter().map(|f| (f.message.clone(), f.kills()));
        told.collect()
    }

    #[test]
    fn probes_fail_by_their_command() {
        let readiness = |command: &[&str]| {
            let probe = json!({"exec": {"command": command}});
            failures(json!({"name": "c", "image": "app:1", "readinessProbe": probe}))
        };
        let message = |text: &str| vec![(text.to_owned(), None)];
        assert_eq!(readiness(&["true"]), []);
        assert_eq!(readiness(&["pg_isready"]), []);
        assert_eq!(
            readiness(&["sh", "-c", "echo no; exit 3"]),
            message("Readiness probe failed: no")
        );
        assert_eq!(
            readiness(&["sleep", "5"]),
            message("Readiness probe failed: command timed out: \"sleep 5\" timed out after 1s")
        );
        // The example in Kubernetes' documentation: the file is removed after 30 s, and three attempts later the
        // container is killed.
        let script = "touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600";
        let probe = json!({
            "exec": {"command": ["cat", "/tmp/healthy"]}, "initialDelaySeconds": 5, "periodSeconds": 5,
        });
        let container = json!({
            "name": "c", "image": "busybox", "args": ["/bin/sh", "-c", script], "livenessProbe": probe,
        });
        let output = "cat: can't open '/tmp/healthy': No such file or directory\n";
        assert_eq!(
            failures(container),
            [(format!("Liveness probe failed: {output}"), Some(40.0))]
        );
    }

    #[test]
    fn probes_of_closed_ports_fail() {
        let get = |port: Value| json!({"httpGet": {"port": port, "path": "/h", "scheme": "HTTP"}});
        let with = |image: &str, port: Value| {
            failures(json!({
                "name": "c", "image": image, "ports": [{"name": "web", "containerPort": 8080}],
                "livenessProbe": get(port),
            }))
        };
        for (image, port) in [
            ("nginx:1.25", json!(80)),
            ("nginx:1.25", json!(8080)),
            ("nginx:1.25", json!("web")),
            // Many programs have a port for probes that they do not declare.
            ("team/app", json!(8081)),
        ] {
            assert_eq!(with(image, port.clone()), [], "{image} {port}");
        }
        let refused =
            "Get \"http://10.200.0.1:81/h\": dial tcp 10.200.0.1:81: connect: connection refused";
        for image in ["nginx:1.25", "registry.k8s.io/pause:3.10", "busybox"] {
            let told = vec![(format!("Liveness probe failed: {refused}"), Some(20.0))];
            assert_eq!(with(image, json!(81)), told, "{image}");
        }
        assert_eq!(
            with("team/app", json!("health")),
            [(
                "Liveness probe errored and resulted in unknown state: strconv.Atoi: parsing \"health\": invalid syntax"
                    .to_owned(),
                None
            )]
        );
        // No other probe runs until the startup probe has passed.
        let told = failures(json!({
            "name": "c", "image": "redis:7",
            "startupProbe": {"tcpSocket": {"port": 1}, "failureThreshold": 2, "periodSeconds": 5},
            "livenessProbe": {"tcpSocket": {"port": 1}},
        }));
        let refused = "dial tcp 10.200.0.1:1: connect: connection refused";
        assert_eq!(
            told,
            [(format!("Startup probe failed: {refused}"), Some(5.0))]
        );
    }

    #[test]
    fn restarts_follow_the_policies() {
        let pod = |policy: &str| json!({"spec": {"restartPolicy": policy}});
        let c = json!({});
        for (policy, role, code, restarted) in [
            ("Always", Role::Main, 0, true),
            ("Always", Role::Init, 0, false),
            ("Always", Role::Init, 1, true),
            ("OnFailure", Role::Main, 0, false),
            ("OnFailure", Role::Main, 2, true),
            ("Never", Role::Main, 2, false),
            ("Never", Role::Init, 2, false),
            ("Never", Role::Sidecar, 0, true),
        ] {
            assert_eq!(
                restarts(&pod(policy), &c, role, code),
                restarted,
                "{policy} {role:?} {code}"
            );
        }
        let rules = json!({"restartPolicy": "Never", "restartPolicyRules": [
            {"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}},
        ]});
        assert!(restarts(&pod("Never"), &rules, Role::Main, 42));
        assert!(!restarts(&pod("Always"), &rules, Role::Main, 1));
        let all = json!({"restartPolicy": "Never", "restartPolicyRules": [
            {"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [42]}},
        ]});
        assert!(restarts(&pod("Never"), &all, Role::Main, 42));
    }

    #[test]
    fn back_off_doubles_up_to_five_minutes() {
        let waits: Vec<i64> = (0..8).map(|n| back_off(n, 0)).collect();
        assert_eq!(waits, [0, 10, 20, 40, 80, 160, 300, 300]);
        assert_eq!(back_off(5, 601), 0);
    }
}
