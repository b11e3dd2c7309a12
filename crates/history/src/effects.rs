//! How a part of the history affected Pods and workloads.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::Timestamp;

use crate::cluster::{Cluster, HistoryQuery, RecordedChange, Result, Revision};
use crate::pod_counts::{Count, PODS, PodCounts};

/// Objects that controllers write all the time and that do not interest users.
const NOISE: &[&str] = &[
    "events/",
    "events.events.k8s.io/",
    "leases.coordination.k8s.io/",
];

/// Returns true if the object with this key is written all the time, such as an Event or a Lease.
pub fn is_noise(key: &str) -> bool {
    NOISE.iter().any(|noise| key.starts_with(noise))
}

/// The creation or deletion of a Pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodChange {
    /// The revision of the change.
    pub revision: Revision,
    /// The time of the commit.
    pub time: Timestamp,
    /// The key of the Pod.
    pub key: String,
    /// The key of its workload.
    pub workload: String,
    /// True if the Pod was created, false if it was deleted.
    pub created: bool,
    /// The rule that caused the change; for a deleted Pod, the rule of the decision to delete it.
    pub rule: String,
}

/// The Pods of a workload over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadRange {
    /// The key of the workload.
    pub key: String,
    /// The Pods at the start.
    pub before: Count,
    /// The Pods at the end.
    pub after: Count,
    /// The lowest number of ready Pods, at the start or after any commit.
    pub lowest_ready: u64,
    /// The highest number of Pods, at the start or after any commit.
    pub highest_total: u64,
}

/// The effects of all commits after a revision.
///
/// ```
/// use ctl_history::{Effects, PodChange, WorkloadRange, effects};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let Effects { pods, workloads, .. } = effects(&cluster, cluster.stored().revision()?)?;
/// for PodChange { key, workload, created, .. } in &pods {
///     println!("{} {key} of {workload}", if *created { "created" } else { "deleted" });
/// }
/// for WorkloadRange { key, lowest_ready, .. } in &workloads {
///     println!("{key} never had fewer than {lowest_ready} ready Pods");
/// }
/// # assert!(pods.is_empty() && workloads.is_empty());
/// # Ok::<(), ctl_cluster::StoreError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// The Pods that were created and deleted, oldest first.
    pub pods: Vec<PodChange>,
    /// The workloads whose Pods changed, sorted by key.
    pub workloads: Vec<WorkloadRange>,
    /// The time of the last commit that changed anything other than Events and Leases.
    pub last: Option<Timestamp>,
}

/// Returns the effects of all commits after a revision.
///
/// # Errors
/// Returns an error if the cluster cannot be read or the revision is no longer retained.
pub fn effects(cluster: &Cluster, after: Revision) -> Result<Effects> {
    let mut pod_counts = PodCounts::at(cluster, after)?;
    let start = pod_counts.counts().clone();
    let mut found = Effects::default();
    let mut ranges: BTreeMap<Arc<str>, WorkloadRange> = BTreeMap::new();
    let mut decisions = Decisions::default();
    let past = HistoryQuery {
        after,
        ..HistoryQuery::default()
    };
    cluster.stored().visit(&past, &mut |commit| {
        let mut affected: Vec<Arc<str>> = Vec::new();
        for change in &commit.changes {
            let workload = pod_counts.workload_of(change.key);
            affected.extend(pod_counts.take(change.key, change.after));
            if !is_noise(change.key) {
                found.last = Some(commit.time);
            }
            if change.key.starts_with(PODS) {
                let workload = pod_counts.workload_of(change.key).or(workload);
                found
                    .pods
                    .extend(decisions.pod(commit.time, change, workload));
            }
        }
        // Nobody can see the states within a commit, so only its end counts.
        for own in affected {
            let count = pod_counts.count(&own);
            let before = start.get(&own).copied().unwrap_or_default();
            let range = ranges.entry(own).or_insert_with_key(|key| WorkloadRange {
                key: key.to_string(),
                before,
                after: count,
                lowest_ready: before.ready,
                highest_total: before.total,
            });
            range.after = count;
            range.lowest_ready = range.lowest_ready.min(count.ready);
            range.highest_total = range.highest_total.max(count.total);
        }
        Ok(true)
    })?;
    found.workloads = ranges.into_values().collect();
    Ok(found)
}

/// The rules that caused the deletion of each terminating Pod.
#[derive(Debug, Default)]
struct Decisions(HashMap<String, String>);

impl Decisions {
    /// Returns the creation or deletion of a Pod, if the change is one.
    fn pod(
        &mut self,
        time: Timestamp,
        change: &RecordedChange<'_>,
        workload: Option<Arc<str>>,
    ) -> Option<PodChange> {
        let key = change.key.to_owned();
        let rule = change.rule.to_owned();
        let created = change.after.is_some();
        let rule = match (change.before(), change.after) {
            (None, _) => rule,
            (Some(_), Some(json)) => {
                if is_ending(json) {
                    let _ = self.0.entry(key).or_insert(rule);
                }
                return None;
            }
            // The kubelet only carries out an earlier decision.
            (Some(_), None) => self.0.remove(&key).unwrap_or(rule),
        };
        Some(PodChange {
            revision: change.revision,
            time,
            workload: workload.as_deref().unwrap_or(&key).to_owned(),
            key,
            created,
            rule,
        })
    }
}

fn is_ending(json: &[u8]) -> bool {
    const NAME: &[u8] = b"\"deletionTimestamp\"";
    json.windows(NAME.len()).any(|window| window == NAME)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::cluster::testing::{in_memory, place, pod};
    use crate::cluster::{DeleteOptions, PatchType};

    #[test]
    fn effects_report_lowest_and_highest_pod_counts() {
        let cluster = in_memory();
        let pods = place("pods");
        let ready = json!({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}});
        let create = |name: &str| {
            let _ = cluster
                .create(&pods, &pod(name), &Default::default())
                .unwrap();
            let merge = (PatchType::Merge, &ready);
            let _ = cluster
                .patch(&pods, name, merge, true, &Default::default())
                .unwrap();
        };
        let at_once = DeleteOptions {
            grace_period: Some(0),
            ..DeleteOptions::default()
        };
        create("old");
        let begin = cluster.stored().revision().unwrap();
        create("new");
        let _ = cluster.delete(&pods, "old", &at_once).unwrap();
        let found = effects(&cluster, begin).unwrap();
        let told = found.pods.iter().map(|pod| (pod.key.as_str(), pod.created));
        let told: Vec<(&str, bool)> = told.collect();
        assert_eq!(
            told,
            [("pods/default/new", true), ("pods/default/old", false)]
        );
        let ranges = found.workloads.iter().map(|own| {
            let (before, after) = (own.before.ready, own.after.ready);
            (
                own.key.as_str(),
                before,
                after,
                own.lowest_ready,
                own.highest_total,
            )
        });
        let ranges: Vec<_> = ranges.collect();
        let (new, old) = ("pods/default/new", "pods/default/old");
        assert_eq!(ranges, [(new, 0, 1, 0, 1), (old, 1, 0, 0, 1)]);
        let nothing = effects(&cluster, cluster.stored().revision().unwrap()).unwrap();
        assert_eq!(nothing, Effects::default());
    }
}
