//! `ctl why --not`: explains why an object does not meet a condition.

use std::process::ExitCode;
use std::time::Duration;

use super::super::Outcome;
use super::super::fault::faults;
use crate::api::json::{Value, json};
use crate::cli::context::Context;
use crate::cli::error::{CliError, FAILURE};
use crate::cli::fork::{everything, settle};
use crate::cli::options::StructuredOutputArgs;
use crate::cli::resource::Info;
use crate::cluster::{Cluster, Place};
use crate::history::blockers;
use crate::kinds::tree::{field, list, text};
use crate::runtime::{self, Config, Key, Manager, Stuck, Until};

/// The phases of Pods, volumes, claims and namespaces, which users also pass as conditions.
const PHASES: &[&str] = &[
    "Active",
    "Available",
    "Bound",
    "Failed",
    "Lost",
    "Pending",
    "Released",
    "Running",
    "Succeeded",
    "Terminating",
];

/// The limit on the real time that the controllers may take to show the cause.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) fn run(
    cluster: &Cluster,
    info: &Info,
    condition: &str,
    answer: &StructuredOutputArgs,
    context: &Context,
) -> Outcome {
    let object = cluster.get(&info.place(), &info.name)?;
    let shown = info.shown();
    let state = State::from_object(&object, condition);
    if state.is_met {
        let data = json!({"object": shown.as_str(), "condition": state.name, "met": true});
        answer.print(context, format_args!("{shown} is {}", state.name), &data)?;
        return Ok(ExitCode::SUCCESS);
    }
    // The manager is loaded but never runs, so nothing is written.
    let mut manager = Manager::new(cluster, everything(), &|_| Config::default());
    manager.load()?;
    let uid = text(field(&object, "metadata"), "uid");
    let stuck = below(uid, manager.stuck());
    let next = next_attempt(&mut manager, cluster, &stuck)?;
    let mut found = blockers(&stuck);
    let mut later = None;
    if found.is_empty() {
        // Only an attempt shows that a request is rejected, for example by a quota.
        let (stuck, end) = attempt(info, uid, context)?;
        found = blockers(&stuck);
        later = end.map(|object| State::from_object(&object, condition));
    }
    let is_known = state.says.is_some() || later.as_ref().is_some_and(|later| later.says.is_some());
    if !is_known && found.is_empty() {
        return Err(CliError::text(unknown(&shown, condition, &object)));
    }
    let says = state.says.clone();
    let says = says.unwrap_or_else(|| "it has no such condition yet".to_owned());
    let mut lines = vec![format!("{shown} is not {}: {says}", state.name)];
    lines.extend(found.iter().map(|blocker| format!("  {blocker}")));
    let faults: Vec<String> = injected(&object).collect();
    lines.extend(
        faults
            .iter()
            .map(|fault| format!("  injected fault: {fault}")),
    );
    lines.extend(next.map(|next| format!("  next attempt in {next:#}")));
    if lines.len() == 1 {
        lines.extend(warning(cluster, info, uid)?.map(|warning| format!("  {warning}")));
    }
    // The advice is given only if controllers have work to do; otherwise `ctl settle` would not help.
    let comes = |later: State| later.is_met || later.says != state.says;
    if lines.len() == 1 && later.is_some_and(comes) {
        lines.push(advice(cluster));
    }
    let listed = found.into_iter().map(|blocker| {
        json!({"cause": blocker.cause, "objects": blocker.objects, "waiting": blocker.waiting})
    });
    let data = json!({
        "object": shown, "condition": state.name, "met": false, "reason": says,
        "blockers": listed.collect::<Vec<Value>>(), "faults": faults,
        "nextAttempt": next.map(|next| next.to_string()),
    });
    answer.print(context, lines.join("\n"), &data)?;
    // An unmet condition is a failure, so that scripts can branch on it.
    Ok(ExitCode::from(FAILURE))
}

/// The state of an object with respect to a condition.
struct State {
    /// The name of the condition, as the object spells it.
    name: String,
    is_met: bool,
    /// The reason why it is not met, as the object reports it.
    says: Option<String>,
}

impl State {
    fn from_object(object: &Value, wanted: &str) -> Self {
        let status = field(object, "status");
        let is_it = |name: &str| name.eq_ignore_ascii_case(wanted);
        let conditions = list(status, "conditions");
        if let Some(found) = conditions.iter().find(|c| is_it(text(c, "type"))) {
            return Self {
                name: text(found, "type").to_owned(),
                is_met: text(found, "status") == "True",
                says: Some(reported(found)),
            };
        }
        let phase = text(status, "phase");
        let known = PHASES.iter().find(|phase| is_it(phase));
        if let Some(name) = known.filter(|_| !phase.is_empty()) {
            return Self {
                name: (*name).to_owned(),
                is_met: is_it(phase),
                says: Some(format!("its phase is {phase}")),
            };
        }
        // A failed Job never becomes Complete.
        let is_final = |c: &&Value| text(c, "status") == "True" && text(c, "type") == "Failed";
        let failed = conditions.iter().find(is_final);
        Self {
            name: wanted.to_owned(),
            is_met: false,
            says: failed.map(|failed| format!("Failed: {}", reported(failed))),
        }
    }
}

/// Returns the reason and the message of a condition, or its status if it has neither.
fn reported(condition: &Value) -> String {
    let parts = ["reason", "message"].map(|name| text(condition, name));
    let parts = parts.iter().copied().filter(|part| !part.is_empty());
    match parts.collect::<Vec<_>>().join(": ") {
        none if none.is_empty() => format!("its status is {}", text(condition, "status")),
        said => said,
    }
}

/// Returns the message about a condition that the object lacks.
fn unknown(shown: &str, wanted: &str, object: &Value) -> String {
    let conditions = list(field(object, "status"), "conditions").iter();
    let names: Vec<&str> = conditions.map(|c| text(c, "type")).collect();
    match names.is_empty() {
        true => format!("{shown} has no conditions"),
        false => format!(
            "{shown} has no condition {wanted:?}; its conditions are {}",
            names.join(", ")
        ),
    }
}

/// Returns the stuck objects that are an object or depend on it: it is rarely a workload itself that is stuck, but one
/// of its Pods.
fn below(uid: &str, mut stuck: Vec<Stuck>) -> Vec<Stuck> {
    stuck.retain(|one| one.uid == uid || one.owners.iter().any(|owner| owner == uid));
    stuck
}

/// Settles a copy of the cluster in memory. Returns what is stuck below an object there, and the object.
fn attempt(
    info: &Info,
    uid: &str,
    context: &Context,
) -> Result<(Vec<Stuck>, Option<Value>), CliError> {
    let cluster = context.open_as_administrator()?;
    let (revision, now) = cluster.stored().moment()?;
    let fork = cluster.stored().as_of(revision, now)?;
    let until = Until {
        timeout: Some(PATIENCE),
        ..Until::default()
    };
    let stuck = match settle(&fork, &until, &|| false)? {
        runtime::Outcome::Stuck(all) => below(uid, all),
        _ => Vec::new(),
    };
    Ok((stuck, fork.get(&info.place(), &info.name).ok()))
}

/// Returns the faults that an object's annotations inject.
fn injected(object: &Value) -> impl Iterator<Item = String> {
    faults(object).map(|(name, value)| {
        let name = name.trim_start_matches("ctl.dev/");
        format!("{name} = {}", value.as_str().unwrap_or_default())
    })
}

/// Returns the reason and the message of the last Warning event about an object.
fn warning(cluster: &Cluster, info: &Info, uid: &str) -> Result<Option<String>, CliError> {
    let namespace = match info.kind.namespaced {
        true => info.namespace.as_str(),
        false => "default",
    };
    let place = Place::new(cluster.kind("events")?, namespace);
    let is_own = |event: &Value| {
        text(event, "type") == "Warning" && text(field(event, "involvedObject"), "uid") == uid
    };
    let events = cluster.list(&place, &is_own, None)?.items;
    let last = events
        .iter()
        .max_by_key(|event| text(event, "lastTimestamp"));
    Ok(last.map(reported))
}

/// Returns the command that lets the controllers do their pending work.
fn advice(cluster: &Cluster) -> String {
    let paused = cluster.election().paused();
    match paused.is_empty() {
        true => "  no controller reports a problem: run `ctl settle`".to_owned(),
        false => format!("  paused: {}; `ctl resume` resumes them", paused.join(", ")),
    }
}

/// Returns the time of the next retry of a stuck Pod.
fn next_attempt(
    manager: &mut Manager<'_>,
    cluster: &Cluster,
    stuck: &[Stuck],
) -> Result<Option<jiff::SignedDuration>, CliError> {
    let pods = cluster.kind("pods")?;
    let keys = stuck.iter().filter_map(|one| {
        let (namespace, name) = one.object.strip_prefix("Pod ")?.split_once('/')?;
        Some(Key::new(namespace, name))
    });
    let waits = keys.filter_map(|key| manager.next_attempt(pods, &key));
    Ok(waits.min())
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn the_cause_is_named_with_the_pods_that_it_affects() {
        let shell = Shell::new();
        shell.all(&[
            "create deployment web --image=i --replicas=3",
            "set resources deployment web --requests=cpu=10000",
        ]);
        let _ = shell.run("settle");
        let said = shell.run("why deploy/web --not available");
        assert_eq!(said.code, 1, "{said:?}");
        let lines: Vec<&str> = said.out.lines().collect();
        assert!(
            lines[0].starts_with("deployment.apps/web is not Available: "),
            "{said:?}"
        );
        assert!(lines[1].starts_with("  Unschedulable: 0/"), "{said:?}");
        assert!(
            lines[1].contains("(3 objects: Pod default/web-"),
            "{said:?}"
        );
    }

    #[test]
    fn pod_in_image_backoff_shows_its_next_attempt() {
        let shell = Shell::new();
        shell.all(&["run nowhere --image=a:404"]);
        let _ = shell.run("settle --for 1m");
        let said = shell.run("why pod/nowhere --not Ready");
        assert!(said.out.contains("container nowhere: "), "{said:?}");
        assert!(said.out.contains("  next attempt in "), "{said:?}");
        let data: crate::api::json::Value =
            serde_json::from_str(&shell.run("why pod/nowhere --not Ready -o json").out).unwrap();
        assert_eq!(data["met"], false);
        assert!(data["nextAttempt"].as_str().is_some(), "{data}");
    }

    #[test]
    fn met_condition_exits_with_0() {
        let shell = Shell::new();
        shell.all(&["run good --image=a", "settle"]);
        assert_eq!(shell.out("why pod/good --not Ready"), "pod/good is Ready\n");
        shell.refuses(&[
            (
                "why pod/good --not Odd",
                "pod/good has no condition \"Odd\"; its conditions are PodReadyToStartContainers, Initialized, \
                 Ready, ContainersReady, PodScheduled",
            ),
            (
                "why configmap/kube-root-ca.crt --not Ready",
                "configmap/kube-root-ca.crt has no conditions",
            ),
        ]);
        assert_eq!(
            shell.out("why pod/good --not running"),
            "pod/good is Running\n"
        );
    }

    fn says(shell: &Shell, line: &str) -> String {
        let said = shell.run(line);
        assert_eq!((said.code, said.err.as_str()), (1, ""), "{said:?}");
        said.out
    }

    #[test]
    fn refused_requests_and_injected_faults_are_causes() {
        let shell = Shell::new();
        shell.all(&[
            "create quota q --hard=pods=0",
            "create job j --image=busybox",
        ]);
        let _ = shell.run("settle");
        let out = says(&shell, "why job/j --not Complete");
        assert!(
            out.starts_with(
                "job.batch/j is not Complete: it has no such condition yet\n  pods \"j-"
            ),
            "{out}"
        );
        assert!(out.contains("exceeded quota: q"), "{out}");
        shell.all(&["fault node node-0 --down"]);
        let _ = shell.run("settle --for 2m");
        let out = says(&shell, "why node/node-0 --not Ready");
        assert!(out.contains("\n  injected fault: node-down = "), "{out}");
        assert!(!out.contains("ctl settle"), "{out}");
    }

    #[test]
    fn the_object_itself_names_what_it_has_instead() {
        let shell = Shell::new();
        let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec:\n  backoffLimit: 0\n  template:\n    \
            metadata: {annotations: {ctl.dev/exit-code: '1'}}\n    spec: {restartPolicy: Never, containers: [{name: c, image: i}]}\n";
        let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c}\nspec:\n  accessModes: \
            [ReadWriteOnce]\n  storageClassName: nope\n  resources: {requests: {storage: 1Gi}}\n";
        shell.write("job.yaml", job);
        shell.write("claim.yaml", claim);
        shell.all(&["create -f @/job.yaml", "create -f @/claim.yaml"]);
        let out = says(&shell, "why job/j --not Complete");
        assert!(
            out.ends_with("no controller reports a problem: run `ctl settle`\n"),
            "{out}"
        );
        let _ = shell.run("settle");
        let out = says(&shell, "why job/j --not Complete");
        let failed = "job.batch/j is not Complete: Failed: BackoffLimitExceeded: Job has reached";
        assert!(out.starts_with(failed), "{out}");
        let out = says(&shell, "why pvc/c --not Bound");
        let pending =
            "persistentvolumeclaim/c is not Bound: its phase is Pending\n  ProvisioningFailed: ";
        assert!(
            out.starts_with(pending) && out.contains("\"nope\" not found"),
            "{out}"
        );
        shell.all(&["create pdb p --selector=a=b --min-available=1"]);
        let _ = shell.run("settle");
        let out = says(&shell, "why pdb/p --not DisruptionAllowed");
        assert!(
            out.starts_with(
                "poddisruptionbudget.policy/p is not DisruptionAllowed: InsufficientPods\n"
            ),
            "{out}"
        );
    }
}
