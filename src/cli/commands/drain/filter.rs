//! Sorts the Pods of a node into those to evict, those to leave alone, and those that block the drain.

use super::DrainArgs;
use crate::api::json::Value;
use crate::cli::error::CliError;
use crate::cluster::{Cluster, Place};
use crate::kinds;
use crate::kinds::tree::{at, field, flag, has, list, text};

/// The verdict on a Pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Verdict {
    goes: bool,
    warning: Option<String>,
    error: Option<String>,
}

/// The Pods of a node after sorting.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    /// The Pods to evict.
    pub(super) going: Vec<Value>,
    warnings: Vec<(String, Vec<String>)>,
    errors: Vec<(String, Vec<String>)>,
}

impl Sorted {
    /// Returns all warnings in one line; empty if there are none.
    pub(super) fn warnings(&self) -> String {
        let groups = self.warnings.iter();
        let groups = groups.map(|(message, pods)| format!("{message}: {}", pods.join(", ")));
        groups.collect::<Vec<_>>().join("; ")
    }

    /// Returns the errors that keep the node from being drained.
    pub(super) fn errors(&self) -> Vec<CliError> {
        let groups = self.errors.iter();
        let groups = groups.map(|(message, pods)| {
            let cannot = if message.starts_with("cannot delete") {
                ""
            } else {
                "cannot delete "
            };
            CliError::text(format!("{cannot}{message}: {}", pods.join(", ")))
        });
        groups.collect()
    }
}

/// Sorts the Pods of a node.
pub(super) fn sort(pods: Vec<Value>, args: &DrainArgs, cluster: &Cluster) -> Sorted {
    let mut sorted = Sorted::default();
    for pod in pods {
        let verdict = judge(&pod, args, cluster);
        let shown = shown(&pod);
        for (message, groups) in [
            (verdict.warning, &mut sorted.warnings),
            (verdict.error, &mut sorted.errors),
        ] {
            let Some(message) = message else { continue };
            // kubectl prints each message once, with all Pods that it applies to.
            match groups.iter_mut().find(|(own, _)| *own == message) {
                Some((_, pods)) => pods.push(shown.clone()),
                None => groups.push((message, vec![shown.clone()])),
            }
        }
        if verdict.goes {
            sorted.going.push(pod);
        }
    }
    sorted
}

/// Returns the name of a Pod, as in `default/web`.
pub(super) fn shown(pod: &Value) -> String {
    let metadata = field(pod, "metadata");
    format!("{}/{}", text(metadata, "namespace"), text(metadata, "name"))
}

/// Returns true if a Pod has been terminating for longer than `--skip-wait-for-delete-timeout`.
pub(super) fn is_given_up(pod: &Value, args: &DrainArgs, cluster: &Cluster) -> bool {
    let after = args.skip_wait_for_delete_timeout;
    let since = text(field(pod, "metadata"), "deletionTimestamp");
    let (Ok(since), Ok(now)) = (since.parse::<jiff::Timestamp>(), cluster.now()) else {
        return false;
    };
    after > 0 && now.duration_since(since).as_secs() > after
}

fn judge(pod: &Value, args: &DrainArgs, cluster: &Cluster) -> Verdict {
    let stays = Verdict::default();
    let ended = matches!(text(field(pod, "status"), "phase"), "Succeeded" | "Failed");
    if is_given_up(pod, args, cluster) {
        return stays;
    }
    let owner = controller(pod);
    if let Some(owner) = owner.filter(|owner| text(owner, "kind") == "DaemonSet" && !ended) {
        match daemon_set(pod, owner, cluster) {
            // With --force, Pods of a deleted DaemonSet are evicted like other Pods without a controller.
            Err(e) if e.is_not_found() && args.force => {}
            Err(e) => return refused(&e.to_string()),
            Ok(_) if args.ignore_daemonsets => {
                let warning = Some("ignoring DaemonSet-managed Pods".to_owned());
                return Verdict { warning, ..stays };
            }
            Ok(_) => {
                let text = "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)";
                return refused(text);
            }
        }
    }
    // The kubelet recreates a mirror Pod from its manifest, so an eviction would achieve nothing.
    if has(
        at(pod, &["metadata", "annotations"]),
        "kubernetes.io/config.mirror",
    ) {
        return stays;
    }
    let volumes = list(field(pod, "spec"), "volumes");
    // An emptyDir is deleted with its Pod, and only --delete-emptydir-data accepts that loss.
    let local = volumes.iter().any(|volume| has(volume, "emptyDir"));
    if local && !ended && !args.delete_emptydir_data {
        let text = "Pods with local storage (use --delete-emptydir-data to override)";
        return refused(text);
    }
    // Nothing recreates such a Pod elsewhere, so an eviction ends the workload.
    let unmanaged = owner.is_none() && !ended;
    if unmanaged && !args.force {
        let text = "cannot delete Pods that declare no controller (use --force to override)";
        return refused(text);
    }
    // Each of kubectl's filters replaces the verdict of the previous one, so only the last warning is printed.
    Verdict {
        goes: true,
        warning: unmanaged.then(|| "deleting Pods that declare no controller".to_owned()),
        error: None,
    }
}

fn refused(error: &str) -> Verdict {
    Verdict {
        error: Some(error.to_owned()),
        ..Verdict::default()
    }
}

/// Returns the controller of a Pod.
fn controller(pod: &Value) -> Option<&Value> {
    let owners = list(field(pod, "metadata"), "ownerReferences");
    owners.iter().find(|owner| flag(owner, "controller"))
}

fn daemon_set(pod: &Value, owner: &Value, cluster: &Cluster) -> Result<Value, CliError> {
    let Some(kind) = kinds::find("apps", "v1", "DaemonSet") else {
        return Err(CliError::text("there are no DaemonSets"));
    };
    let namespace = text(field(pod, "metadata"), "namespace");
    Ok(cluster.get(&Place::new(kind, namespace), text(owner, "name"))?)
}
