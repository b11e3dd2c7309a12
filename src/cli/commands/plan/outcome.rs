//! The result of a plan as values.

use jiff::{SignedDuration, Timestamp};

use crate::api::changes::Difference;
use crate::api::json::{Value, from_bytes, json};
use crate::cli::error::CliError;
use crate::cluster::{Cluster, Revision};
use crate::history::{
    Blocker, ChangeKind, Effects, PodChange, WorkloadRange, between_as, blockers, effects,
    fields_between, is_noise,
};
use crate::runtime::{self, Stuck};

/// An object that the change created, deleted or updated.
#[derive(Debug)]
pub(super) struct Changed {
    pub(super) key: String,
    pub(super) action: ChangeKind,
    /// The fields that differ, of an updated object.
    pub(super) fields: Vec<Difference>,
}

/// The effects of a change.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) effects: Effects,
    pub(super) changed: Vec<Changed>,
    pub(super) blockers: Vec<Blocker>,
    /// Objects that were already stuck before the change.
    pub(super) before: Vec<Blocker>,
    /// One round of changes that would repeat forever.
    pub(super) cycle: Vec<String>,
    /// True if the limit of real time ended the run.
    pub(super) timed_out: bool,
    /// The output of the command.
    pub(super) said: String,
    pub(super) begin: Timestamp,
}

impl Plan {
    /// Computes the effects of all commits after a revision.
    pub(super) fn read(
        cluster: &Cluster,
        since: Revision,
        begin: Timestamp,
        unfinished: &runtime::Outcome,
        end: runtime::Outcome,
        said: String,
    ) -> Result<Self, CliError> {
        let known = stuck_of(unfinished);
        // Objects that were stuck before are not an effect of the change: a plan on a cluster with a broken Pod can
        // still settle.
        let is_known = |one: &Stuck| {
            let is_it = |own: &Stuck| own.object == one.object && own.alike == one.alike;
            !one.is_of_controllers() && known.iter().any(is_it)
        };
        let (before, new): (Vec<Stuck>, Vec<Stuck>) =
            stuck_of(&end).iter().cloned().partition(is_known);
        let timed_out = new.iter().any(Stuck::is_of_controllers);
        let cycle = match end {
            runtime::Outcome::Oscillating(cycle) => cycle,
            _ => Vec::new(),
        };
        let now = cluster.stored().revision()?;
        let found = between_as(cluster, since, now, &|key| !is_noise(key), changed)?;
        Ok(Self {
            effects: effects(cluster, since)?,
            changed: found.into_iter().flatten().collect(),
            blockers: blockers(&new),
            before: blockers(&before),
            cycle,
            timed_out,
            said,
            begin,
        })
    }

    /// Returns true if the cluster settles in the desired state, or at least in its previous state.
    pub(super) fn settles(&self) -> bool {
        self.blockers.is_empty() && self.cycle.is_empty()
    }

    /// Returns true if the change has any effect.
    pub(super) fn has_changes(&self) -> bool {
        !self.changed.is_empty() || !self.effects.pods.is_empty()
    }

    /// Returns the simulated time from the change to its last effect.
    pub(super) fn duration(&self) -> SignedDuration {
        let last = self.effects.last.unwrap_or(self.begin);
        self.after(last)
    }

    /// Returns the time from the change to a moment.
    pub(super) fn after(&self, time: Timestamp) -> SignedDuration {
        // Timestamps of Kubernetes have whole seconds.
        SignedDuration::from_secs(time.duration_since(self.begin).as_secs())
    }

    /// Returns the plan as JSON or YAML output.
    pub(super) fn data(&self) -> Value {
        let outcome = match (self.cycle.is_empty(), self.blockers.is_empty()) {
            // Oscillation comes first because it may be the cause of the stuck objects.
            (false, _) => "oscillating",
            (true, false) => "stuck",
            (true, true) => "settled",
        };
        let pod = |pod: &PodChange| {
            let change = if pod.created { "created" } else { "removed" };
            json!({"time": pod.time.to_string(), "seconds": self.after(pod.time).as_secs(),
                "change": change, "pod": pod.key.as_str(), "workload": pod.workload.as_str(),
                "reason": pod.rule.as_str()})
        };
        let workload = |own: &WorkloadRange| {
            json!({"workload": own.key.as_str(),
                "before": json!({"ready": own.before.ready, "total": own.before.total}),
                "after": json!({"ready": own.after.ready, "total": own.after.total}),
                "lowestReady": own.lowest_ready, "highestTotal": own.highest_total})
        };
        let blocker = |own: &Blocker| {
            json!({"cause": own.cause.as_str(), "objects": own.objects.clone(),
                "waiting": own.waiting.clone()})
        };
        let changed = |own: &Changed| {
            let fields = own.fields.iter().map(|field| {
                json!({"path": field.path.as_str(), "before": field.before.clone(),
                    "after": field.after.clone()})
            });
            json!({"object": own.key.as_str(), "change": own.action.participle(),
                "fields": fields.collect::<Vec<_>>()})
        };
        let all = |values: &mut dyn Iterator<Item = Value>| values.collect::<Vec<_>>();
        json!({
            "outcome": outcome,
            "timedOut": self.timed_out,
            "changes": self.has_changes(),
            "seconds": self.duration().as_secs(),
            "pods": all(&mut self.effects.pods.iter().map(pod)),
            "workloads": all(&mut self.effects.workloads.iter().map(workload)),
            "blockers": all(&mut self.blockers.iter().map(blocker)),
            "blockersBefore": all(&mut self.before.iter().map(blocker)),
            "cycle": self.cycle.clone(),
            "diff": all(&mut self.changed.iter().map(changed)),
        })
    }
}

fn stuck_of(outcome: &runtime::Outcome) -> &[Stuck] {
    match outcome {
        runtime::Outcome::Stuck(all) => all,
        _ => &[],
    }
}

/// Returns the difference between two versions of an object; none if only timestamps differ.
fn changed(key: String, before: Option<&[u8]>, after: Option<&[u8]>) -> Option<Changed> {
    let (action, fields) = match (before, after) {
        (None, _) => (ChangeKind::Created, Vec::new()),
        (_, None) => (ChangeKind::Deleted, Vec::new()),
        (Some(before), Some(after)) => {
            // The largest part of most objects is managedFields, which a plan never shows, so parsing skips it.
            let read = |json| from_bytes(json, &["metadata", "managedFields"]).unwrap_or_default();
            let mut fields = fields_between(&key, &read(before), &read(after));
            // Timestamps change with every simulated second and say nothing about the change.
            fields.retain(|field| !field.path.ends_with("Time"));
            (ChangeKind::Updated, fields)
        }
    };
    let differs = action != ChangeKind::Updated || !fields.is_empty();
    differs.then(|| Changed {
        key,
        action,
        fields,
    })
}
