//! Counts over time: the Pods, replicas and load of a scope at each commit.
//!
//! Must not know: how curves are drawn.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::api::json::Value;
use crate::cluster::{Key, Revision};
use crate::kinds::fake;
use crate::kinds::tree::{field, flag, list, opt_int, text};
use crate::recording::{Commit, Recording};
use crate::snapshot::{Item, Scope};

/// A quantity that changes over time.
///
/// ```
/// use ctl_cluster::testing::{in_memory, place, pod};
/// use ctl_scene::{Metric, Period, Point, Recording, Scope, points};
///
/// let cluster = in_memory();
/// cluster.create(&place("pods"), &pod("web"), &Default::default())?;
/// let scope = Scope::namespace("default");
/// let recording = Recording::read(&cluster, &scope, Period { after: 0, until: None, since: None })?;
/// let last: Option<Point> = points(&recording, &scope).pop();
/// assert_eq!(last.map(|point| point.value(Metric::Total)), Some(1.0));
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Metric {
    /// The number of ready Pods.
    Ready,
    /// The number of Pods that have not ended.
    Total,
    /// The desired replicas of the workloads.
    Desired,
    /// The CPU usage of the Pods, in millicores.
    Cpu,
    /// The memory usage of the Pods, in MiB.
    Memory,
    /// The number of waiting reconciles: a change has triggered them, but their commit is still to come.
    Queue,
    /// The cluster's time from the change that triggered a commit to that commit, in milliseconds.
    Commit,
}

impl Metric {
    /// All metrics, with their names.
    pub const ALL: [(&'static str, Self); 7] = [
        ("ready", Self::Ready),
        ("total", Self::Total),
        ("desired", Self::Desired),
        ("cpu", Self::Cpu),
        ("memory", Self::Memory),
        ("queue", Self::Queue),
        ("commit", Self::Commit),
    ];

    /// Returns the metric with this name.
    pub fn named(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(own, _)| *own == name);
        found.map(|(_, metric)| *metric)
    }

    /// Returns the name of the metric.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, own)| *own == self);
        found.map_or("", |(name, _)| name)
    }

    /// Returns the title of the metric's curve.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Ready => "ready Pods",
            Self::Total => "Pods",
            Self::Desired => "desired replicas",
            Self::Cpu => "CPU of Pods (millicores)",
            Self::Memory => "memory of Pods (MiB)",
            Self::Queue => "queue depth (reconciles)",
            Self::Commit => "commit time (ms after the cause)",
        }
    }
}

/// The indexes of the metrics that describe commits rather than objects.
const QUEUE: usize = 5;
const COMMIT: usize = 6;

/// The values of all metrics at one moment, in the order of [`Metric::ALL`].
pub type Values = [f64; Metric::ALL.len()];

/// The values after a commit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The time of the commit.
    pub time: Timestamp,
    /// The revision of the commit.
    pub revision: Revision,
    /// The values.
    pub values: Values,
}

impl Point {
    /// Returns the value of a metric.
    pub fn value(&self, metric: Metric) -> f64 {
        let place = Metric::ALL.iter().position(|(_, own)| *own == metric);
        place.map_or(0.0, |place| self.values[place])
    }
}

/// Returns the values at the start of a recording and after each of its commits.
pub fn points(recording: &Recording, scope: &Scope) -> Vec<Point> {
    let mut counts = Counts::new(scope);
    for (key, item) in &recording.start.items {
        counts.take(key, Some(item));
    }
    let mut points = vec![Point {
        time: recording.start.time,
        revision: recording.start.revision,
        values: counts.sum,
    }];
    let mut depths = depths(recording);
    points[0].values[QUEUE] = depths.next().unwrap_or(0.0);
    for (commit, depth) in recording.commits.iter().zip(depths) {
        for (key, item) in &commit.changes {
            counts.take(key, item.as_ref());
        }
        let mut values = counts.sum;
        (values[QUEUE], values[COMMIT]) = (depth, delay(commit));
        points.push(Point {
            time: commit.time,
            revision: commit.revision,
            values,
        });
    }
    if let Some(last) = points.last().filter(|last| last.time < recording.end) {
        points.push(Point {
            time: recording.end,
            ..*last
        });
    }
    points
}

/// Returns the number of waiting reconciles at the start of a recording and after each commit. The history does not
/// record the queue; it is derived from the trigger of each commit.
fn depths(recording: &Recording) -> impl Iterator<Item = f64> {
    let (start, commits) = (recording.start.revision, &recording.commits);
    let mut changes = vec![0_i32; commits.len() + 1];
    for (place, commit) in commits.iter().enumerate() {
        let Some(trigger) = commit.trigger else {
            continue;
        };
        // A trigger between two commits of the scope changed something else, so the queue is longer from the next
        // point on.
        let from = match trigger <= start {
            true => 0,
            false => commits.partition_point(|own| own.revision < trigger) + 1,
        };
        // The start is the first point, so the point of a commit is one further.
        if from <= place {
            changes[from] += 1;
            changes[place + 1] -= 1;
        }
    }
    changes.into_iter().scan(0, |depth, change| {
        *depth += change;
        Some(f64::from(*depth))
    })
}

/// Returns the milliseconds from a commit's trigger to the commit; 0 if a user made the commit.
fn delay(commit: &Commit) -> f64 {
    let waited = commit.waited.map_or(0, |waited| waited.as_millis());
    i32::try_from(waited).map_or(f64::from(i32::MAX), f64::from)
}

/// The sums over the objects of a scope. Each change of an object adds only its difference, which avoids counting ten
/// thousand Pods again at each of ten thousand commits.
struct Counts<'s> {
    scope: &'s Scope,
    sum: Values,
    own: HashMap<Key, Values>,
    /// The owner of each uid, because Pods belong to the root through a ReplicaSet.
    owners: HashMap<String, String>,
    root: Option<String>,
}

impl<'s> Counts<'s> {
    fn new(scope: &'s Scope) -> Self {
        Self {
            scope,
            sum: Values::default(),
            own: HashMap::new(),
            owners: HashMap::new(),
            root: None,
        }
    }

    fn take(&mut self, key: &Key, item: Option<&Item>) {
        // The earlier values of the object leave the sums, even if the object was deleted.
        let before = self.own.remove(key).unwrap_or_default();
        let after = item.map(|item| self.values(item)).unwrap_or_default();
        for (sum, (after, before)) in self.sum.iter_mut().zip(after.into_iter().zip(before)) {
            *sum += after - before;
        }
        if after != Values::default() {
            self.own.insert(key.clone(), after);
        }
    }

    fn values(&mut self, item: &Item) -> Values {
        let metadata = field(&item.object, "metadata");
        let uid = text(metadata, "uid");
        let owners = list(metadata, "ownerReferences");
        let controller = owners.iter().find(|owner| flag(owner, "controller"));
        if let Some(owner) = controller.or(owners.first()) {
            self.owners
                .insert(uid.to_owned(), text(owner, "uid").to_owned());
        }
        let is_root = match &self.scope.root {
            Some((kind, name)) => std::ptr::eq(item.kind, *kind) && text(metadata, "name") == name,
            None => controller.is_none(),
        };
        if is_root && self.scope.root.is_some() {
            self.root = Some(uid.to_owned());
        }
        if self.scope.root.is_some() && !is_root && !self.is_below_root(uid) {
            return Values::default();
        }
        let mut values = Values::default();
        if item.kind.is_pod() {
            let (alive, ready) = pod(item);
            let (cpu, memory) = usage(&item.object);
            values = [ready, alive, 0.0, cpu, memory, 0.0, 0.0];
        } else if is_root && let Some(replicas) = opt_int(field(&item.object, "spec"), "replicas") {
            #[expect(clippy::cast_precision_loss, reason = "no cluster has 2^52 replicas")]
            let replicas = replicas as f64;
            values[2] = replicas;
        }
        values
    }

    fn is_below_root(&self, uid: &str) -> bool {
        let mut above = self.owners.get(uid);
        // Owners may form a cycle; real chains have at most three links.
        for _ in 0..32 {
            match above {
                None => return false,
                Some(owner) if self.root.as_ref() == Some(owner) => return true,
                Some(owner) => above = self.owners.get(owner),
            }
        }
        false
    }
}

/// Returns two counts of 0 or 1: of Pods that have not ended, and of ready Pods.
fn pod(item: &Item) -> (f64, f64) {
    let phase = text(field(&item.object, "status"), "phase");
    let alive = !matches!(phase, "Succeeded" | "Failed");
    let ready = crate::kinds::condition::is_true(&item.object, "Ready");
    (
        f64::from(u8::from(alive)),
        f64::from(u8::from(alive && ready)),
    )
}

/// Returns the CPU usage in millicores and the memory usage in MiB of a running Pod.
fn usage(pod: &Value) -> (f64, f64) {
    let (mut cpu, mut memory) = (0.0, 0.0);
    // The metrics API covers only running Pods.
    if text(field(pod, "status"), "phase") != "Running" {
        return (cpu, memory);
    }
    for container in list(field(pod, "spec"), "containers") {
        let of = |what: &str| fake::usage(pod, text(container, "name"), what);
        cpu += of("cpu").map_or(0.0, |used| used.to_f64() * 1000.0);
        memory += of("memory").map_or(0.0, |used| used.to_f64() / (1024.0 * 1024.0));
    }
    (cpu, memory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::cluster::testing::place;
    use crate::cluster::{DeleteOptions, PatchType};
    use crate::recording::Period;
    use crate::testing::{owned_pod, small};

    #[test]
    fn pods_are_counted_with_the_workload_that_owns_them() {
        let cluster = small();
        let status = json!({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
            "metadata": {"annotations": {"ctl.dev/cpu-usage": "250m"}}});
        let pods = place("pods");
        let merge = (PatchType::Merge, &status);
        for part in [false, true] {
            cluster
                .patch(&pods, "web-a", merge, part, &Default::default())
                .unwrap();
        }
        owned_pod(&cluster, "other", None);
        let gone = DeleteOptions {
            grace_period: Some(0),
            ..DeleteOptions::default()
        };
        cluster.delete(&pods, "web-b", &gone).unwrap();
        let kind = crate::kinds::find("apps", "v1", "ReplicaSet").unwrap();
        let scope = Scope::object(kind, "default", "web");
        let recording = Recording::read(&cluster, &scope, Period::default()).unwrap();
        let points = points(&recording, &scope);
        let all = |metric: Metric| -> Vec<f64> { points.iter().map(|p| p.value(metric)).collect() };
        let total = all(Metric::Total);
        assert_eq!(
            (total[0], total.iter().copied().fold(0.0, f64::max)),
            (0.0, 2.0)
        );
        let last = points.last().unwrap();
        let metrics = Metric::ALL.map(|(_, metric)| last.value(metric));
        assert_eq!(metrics, [1.0, 1.0, 2.0, 250.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn the_queue_follows_from_the_triggers_of_the_commits() {
        let cluster = small();
        let scope = Scope::namespace("default");
        let mut recording = Recording::read(&cluster, &scope, Period::default()).unwrap();
        let commit = |revision, trigger, millis: Option<i64>| Commit {
            revision,
            trigger,
            waited: millis.map(jiff::SignedDuration::from_millis),
            time: recording.end,
            writer: String::new(),
            rule: String::new(),
            changes: Vec::new(),
        };
        // A user's change triggers two commits, and the second of these triggers the last one.
        let commits = vec![
            commit(11, None, None),
            commit(13, Some(11), Some(20)),
            commit(15, Some(11), Some(35)),
            commit(16, Some(15), Some(1)),
            commit(18, Some(9), None),
        ];
        (recording.start.revision, recording.commits) = (10, commits);
        let points = points(&recording, &scope);
        let all = |metric: Metric| -> Vec<f64> { points.iter().map(|p| p.value(metric)).collect() };
        assert_eq!(all(Metric::Queue), [1.0, 3.0, 2.0, 2.0, 1.0, 0.0]);
        assert_eq!(all(Metric::Commit), [0.0, 0.0, 20.0, 35.0, 1.0, 0.0]);
    }

    #[test]
    fn metric_names_round_trip() {
        assert_eq!(Metric::ALL[QUEUE].1, Metric::Queue);
        assert_eq!(Metric::ALL[COMMIT].1, Metric::Commit);
        for (name, metric) in Metric::ALL {
            assert_eq!((Metric::named(name), metric.name()), (Some(metric), name));
        }
        assert_eq!(Metric::named("odd"), None);
    }
}
