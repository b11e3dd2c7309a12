//! StatefulSets: Pods with stable names, created and replaced in order.
//!
//! Rules:
//! - `adopt`, `release`: Pods follow the selector; ControllerRevisions are adopted.
//! - `revision`, `history`: each template is kept as a ControllerRevision.
//! - `claim`: the claims of a Pod are created before it.
//! - `retention`: the owner references of the claims follow the retention policy.
//! - `create`: the Pod of an ordinal is missing.
//! - `identify`: the label with the Pod's name was changed; it is restored.
//! - `replace`: a Pod has ended; it is deleted, so that a new one can take its name.
//! - `scale-down`: the ordinal of a Pod is no longer desired; the highest is deleted first.
//! - `update`: a Pod has an old template; the highest is deleted first, the next one when its successor is
//!   available.
//! - `status`: counters and revisions.
//!
//! With OrderedReady each step waits for the Pods before it; with Parallel creation and deletion do not.

mod pod;
mod status;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use super::revisions::{History, LiveRevisions, Revision};
use super::workload::{
    adopt_first, claim_if, facts, is_available, is_over, numbered, phase, requeue_when_available,
    selector_of, selects, start_slowly,
};
use super::{views, watched};
use crate::api::json::{Value, json};
use crate::kinds::tree::{field, int};
use crate::runtime::{Controller, EventNote, Object, Plan, PlannedWrite, ReconcileContext, Watch};

/// The label with a Pod's revision.
pub(super) const REVISION: &str = "controller-revision-hash";
/// The label with a Pod's name.
const POD_NAME: &str = "statefulset.kubernetes.io/pod-name";
/// The label with a Pod's ordinal.
const POD_INDEX: &str = "apps.kubernetes.io/pod-index";
/// The label of a revision's hash.
const HASH: &str = "controller.kubernetes.io/hash";

/// The controller of StatefulSets.
pub(crate) struct StatefulSets;

impl Controller for StatefulSets {
    fn name(&self) -> &'static str {
        "statefulset"
    }

    fn component(&self) -> &'static str {
        "statefulset-controller"
    }

    fn watches(&self) -> Vec<Watch> {
        vec![
            Watch::own(watched::stateful_sets()),
            Watch::adoptable(watched::pods(), watched::stateful_sets(), selects),
            Watch::adoptable(watched::revisions(), watched::stateful_sets(), selects),
            // Claims are read but do not trigger: a missing one is created together with its Pod.
            Watch::cached(watched::claims()),
        ]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let Some(set) = context.cache.by_key(watched::stateful_sets(), context.key) else {
            return Plan::done();
        };
        // As in Kubernetes, a Pod belongs to the set only if its name is the set's with an ordinal: others have
        // the labels by chance.
        let is_member = |pod: &Object| ordinal(set, pod).is_some();
        let selector = selector_of(set);
        let claimed = claim_if(set, watched::pods(), &selector, &is_member, context.cache);
        let mut reconcile = Reconcile::new(set, &claimed.own, context);
        reconcile.plan.changes = claimed.writes;
        if !set.is_terminating() {
            reconcile.plan.changes.append(&mut reconcile.history.writes);
            reconcile.step();
            reconcile.clean_up();
        }
        let mut plan = reconcile.into_plan();
        adopt_first(&mut plan);
        plan
    }
}

/// One reconcile of a StatefulSet.
pub(super) struct Reconcile<'a> {
    set: &'a Object,
    context: &'a ReconcileContext<'a>,
    history: History<'a>,
    current: Revision,
    /// The desired ordinals with their Pods.
    slots: BTreeMap<i64, Option<&'a Object>>,
    /// Pods of other ordinals, the highest first.
    condemned: Vec<&'a Object>,
    pods: Vec<&'a Object>,
    /// True if a Pod was deleted for a successor of the new template.
    updating: bool,
    plan: Plan,
}

/// Returns the ordinal of a Pod of a set.
fn ordinal(set: &Object, pod: &Object) -> Option<i64> {
    // `web-1` belongs to `web`, `web-1-0` does not; the ordinal is an int32 without a sign.
    let rest = pod.name().strip_prefix(set.name())?.strip_prefix('-')?;
    let digits = rest.bytes().all(|b| b.is_ascii_digit());
    rest.parse::<i32>().ok().filter(|_| digits).map(i64::from)
}

impl<'a> Reconcile<'a> {
    fn new(set: &'a Object, own: &[&'a Object], context: &'a ReconcileContext<'a>) -> Self {
        let view = views::workload(set);
        let first = view.first_ordinal();
        let count = view.desired_replicas();
        let mut slots: BTreeMap<i64, Option<&Object>> =
            (first..first + count).map(|n| (n, None)).collect();
        let mut condemned = Vec::new();
        for pod in own {
            let Some(number) = ordinal(set, pod) else {
                continue;
            };
            match slots.get_mut(&number) {
                Some(slot) => *slot = Some(*pod),
                None => condemned.push(*pod),
            }
        }
        // Pods go in the reverse order of their ordinals.
        condemned.sort_by_key(|pod| std::cmp::Reverse(ordinal(set, pod)));
        let history = History::read(set, HASH, context.cache);
        let name = view.current_revision();
        let current = history
            .named(name, HASH)
            .unwrap_or_else(|| history.update.clone());
        Self {
            set,
            context,
            history,
            current,
            slots,
            condemned,
            pods: own.to_vec(),
            updating: false,
            plan: Plan::done(),
        }
    }

    fn view(&self) -> views::Workload<'a> {
        views::workload(self.set)
    }

    fn in_order(&self) -> bool {
        self.view().pod_management_policy() != "Parallel"
    }

    /// Returns true if a Pod runs, is ready for long enough and is not terminating.
    fn is_healthy(&self, pod: &Object) -> bool {
        let min_ready = self.view().min_ready_seconds();
        phase(pod) == "Running"
            && !pod.is_terminating()
            && is_available(pod, min_ready, self.context.now)
    }

    fn step(&mut self) {
        // An update starts only if each ordinal has a Pod and no Pod is in excess.
        if self.fill() || self.shrink() {
            return;
        }
        self.update();
    }

    /// Creates missing Pods; returns true if later steps must wait.
    fn fill(&mut self) -> bool {
        let in_order = self.in_order();
        let mut creations = Vec::new();
        let mut wait = false;
        let refused = self.context.refused.iter();
        let mut refused = refused.filter(|f| f.rule.starts_with(pod::CLAIM));
        for (number, slot) in self.slots.clone() {
            match slot {
                None => {
                    let cache = self.context.cache;
                    let note = pod::without_claims(self.set, number, cache, &mut refused);
                    self.plan.events.extend(note);
                    creations.extend(self.creation(number));
                    wait = in_order;
                }
                Some(pod) if is_over(pod) => {
                    if !pod.is_terminating() {
                        let write = self.deletion(pod, "replace: it has ended".to_owned());
                        self.plan.changes.push(write);
                    }
                    wait = in_order;
                }
                Some(pod) => {
                    if phase(pod) == "Pending" && !pod.is_terminating() {
                        // Claims that were deleted while it waited for its start.
                        creations.extend(pod::claims(self.set, number, self.context.cache));
                    }
                    // In order, a Pod and its claims are left alone until those before it are available, and it is itself.
                    match in_order && !self.is_healthy(pod) {
                        true => wait = true,
                        false => self.enforce(pod, number),
                    }
                }
            }
            if wait {
                break;
            }
        }
        if !in_order {
            start_slowly(&mut creations);
        }
        self.plan.changes.append(&mut creations);
        wait
    }

    /// Restores the labels by which a Pod is known, and the owners of its claims.
    fn enforce(&mut self, pod: &Object, number: i64) {
        if pod.is_terminating() {
            return;
        }
        let mut writes = pod::claim_owners(self.set, pod, false, self.context.cache);
        if pod.label(POD_NAME) != pod.name() {
            let labels = json!({POD_NAME: pod.name(), POD_INDEX: number.to_string()});
            let rule = "identify: the label with its name was changed";
            writes.push(PlannedWrite::merge(
                pod,
                json!({"metadata": {"labels": labels}}),
                rule,
            ));
        }
        // Upstream updates the Pod together with its claims.
        if let Some(last) = writes.pop() {
            writes.push(last.with_event(pod::updated(self.set, number)));
        }
        self.plan.changes.extend(writes);
    }

    /// Returns the Pod of an ordinal and its claims.
    fn creation(&mut self, number: i64) -> Vec<PlannedWrite> {
        if let Some(claim) = pod::leaving_claim(self.set, number, self.context.cache) {
            let (set, why) = (self.set.name(), format!("pvc {claim} is being deleted"));
            let message =
                format!("Create Pod {set}-{number} in StatefulSet {set} failed error: {why}");
            let note = EventNote::warning(self.set, "FailedCreate", message);
            self.plan.events.push(note);
            self.plan.error = Some(why);
            return Vec::new();
        }
        let revision = self.revision_for(number);
        let mut writes = pod::claims(self.set, number, self.context.cache);
        let pod = pod::of(self.set, number, revision);
        let write = pod::creation(self.set, pod, number, self.context.cache);
        writes.push(write.in_wave(2));
        writes
    }

    /// Returns the revision for an ordinal: below the partition it is the current one.
    fn revision_for(&self, number: i64) -> &Revision {
        let view = self.view();
        // As upstream, the partition counts from `ordinals.start`, not from 0. Without parameters, the first Pods keep
        // the current revision, as many as have it.
        let kept = match view.rolling_update().is_null() {
            true => int(field(self.set, "status"), "currentReplicas"),
            false => view.partition(),
        };
        let first_updated = view.first_ordinal() + kept;
        if view.update_strategy() == "RollingUpdate" && number < first_updated {
            &self.current
        } else {
            &self.history.update
        }
    }

    fn deletion(&self, pod: &Object, rule: String) -> PlannedWrite {
        let (name, set) = (pod.name(), self.set.name());
        let done = format!("Delete Pod {name} in StatefulSet {set} successful");
        let failed = format!("Delete Pod {name} in StatefulSet {set} failed error: {{error}}");
        PlannedWrite::delete(pod, rule)
            .with_event(EventNote::normal(self.set, "SuccessfulDelete", done))
            .with_failure_event(EventNote::warning(self.set, "FailedDelete", failed))
    }

    /// Deletes surplus Pods; returns true if later steps must wait.
    fn shrink(&mut self) -> bool {
        let in_order = self.in_order();
        let slots = self.slots.values().flatten().copied();
        let lowest = self.condemned.iter().rev().copied();
        let unhealthy = slots.chain(lowest).find(|pod| !self.is_healthy(pod));
        // If a Pod were deleted before it owned its claims, they would remain.
        let claims: Vec<_> = self
            .condemned
            .iter()
            .flat_map(|pod| pod::claim_owners(self.set, pod, true, self.context.cache))
            // Before the Pod is deleted, or the garbage collector would not find the claim's owner.
            .map(|write| write.in_wave(1))
            .collect();
        let wave = if claims.is_empty() { 0 } else { 2 };
        self.plan.changes.extend(claims);
        for pod in self.condemned.clone() {
            if pod.is_terminating() {
                if in_order {
                    return true;
                }
                continue;
            }
            let first = unhealthy.is_some_and(|u| u.uid() == pod.uid());
            if in_order && !first && !self.is_healthy(pod) {
                return true;
            }
            let wanted = self.slots.len();
            let rule = format!("scale-down: desired {wanted}, the ordinal is too high");
            let write = self.deletion(pod, rule).in_wave(wave);
            self.plan.changes.push(write);
            if in_order {
                return true;
            }
        }
        false
    }

    /// Deletes the highest Pod of an old revision, once those above it are back.
    fn update(&mut self) {
        let view = self.view();
        if view.update_strategy() == "OnDelete" {
            return;
        }
        let partition = view.first_ordinal() + view.partition();
        let wanted = self.history.update.name.clone();
        for (number, slot) in self.slots.iter().rev() {
            let Some(pod) = slot.filter(|_| *number >= partition) else {
                return;
            };
            if pod.label(REVISION) != wanted && !pod.is_terminating() {
                // The next reconcile replaces an ended Pod anyway, with the new revision.
                if is_over(pod) {
                    return;
                }
                let rule = format!("update: the update revision is {wanted}");
                let write = self.deletion(pod, rule);
                self.plan.changes.push(write);
                self.updating = true;
                return;
            }
            if !self.is_healthy(pod) {
                return;
            }
        }
    }

    fn clean_up(&mut self) {
        let mut live: BTreeSet<String> = self
            .pods
            .iter()
            .map(|p| p.label(REVISION).to_owned())
            .collect();
        // Below a partition, new Pods have the current revision, even if no Pod has it at the moment.
        live.insert(self.current.name.clone());
        let limit = self.view().revision_history_limit().unwrap_or(10);
        let writes = self.history.clean_up(limit, &live, LiveRevisions::Extra);
        self.plan.changes.extend(writes);
    }

    fn into_plan(mut self) -> Plan {
        let status = self.status();
        let rule = format!(
            "status: {}",
            numbered(self.pods.len(), "Pod exists", "Pods exist")
        );
        // As upstream, the controller compares only the fields that it sets: a condition of another writer stays until one
        // of them changes.
        let mut stored = field(self.set, "status").clone();
        if let Some(fields) = stored.as_object_mut() {
            fields.remove("conditions");
        }
        if stored != status {
            self.plan
                .status
                .extend(PlannedWrite::status(self.set, status, rule));
        }
        let min_ready = self.view().min_ready_seconds();
        let pods = self.pods.iter().copied();
        let lives = pods.map(|pod| facts(pod).life);
        requeue_when_available(&mut self.plan, lives, min_ready, self.context.now);
        self.plan
    }
}

/// Returns the claim templates of a set.
fn claim_templates(set: &Object) -> &[Value] {
    views::workload(set).claim_templates()
}
