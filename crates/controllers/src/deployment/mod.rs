//! Deployments: roll their Pods from one template to the next.
//!
//! One plan does one step, as one sync of the real controller does: it creates or scales up the new
//! ReplicaSet, or scales down old ones, or updates the status. Its own writes trigger the next step.
//!
//! Rules:
//! - `adopt`, `release`: ReplicaSets follow the selector.
//! - `new-replica-set`: no ReplicaSet has this template; one is created.
//! - `annotate`: the ReplicaSet of this template gets the revision and the Deployment's annotations.
//! - `scale-up`, `scale-down`: a step of the rollout (`rolling`, `recreate`), or of a change of
//!   `spec.replicas` (`scaling`).
//! - `history`: `revisionHistoryLimit` is exceeded and no other step is due; the oldest ReplicaSets are deleted.
//! - `rollback`: an annotation requests an earlier template.
//! - `status`: counters and conditions (`status`).

mod conditions;
mod rollback;
mod rolling;
mod rollout;
mod scaling;
mod status;

#[cfg(test)]
mod tests;

use super::workload::{adopt_first, claim, condition, selector_of, selects};
use super::{views, watched};
use crate::api::json::json;
use crate::kinds::tree::int;
use crate::runtime::{
    Cache, Change, Controller, EventNote, Key, Object, Plan, PlannedWrite, Planner,
    ReconcileContext, Watch,
};
use rollout::Rollout;

/// The controller of Deployments.
pub(crate) struct Deployments;

impl Controller for Deployments {
    fn name(&self) -> &'static str {
        "deployment"
    }

    fn component(&self) -> &'static str {
        "deployment-controller"
    }

    fn watches(&self) -> Vec<Watch> {
        vec![
            Watch::own(watched::deployments()),
            Watch::adoptable(watched::replica_sets(), watched::deployments(), selects),
            Watch::new(watched::pods(), recreating),
        ]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        plan(context)
    }

    fn planner<'a>(&'a mut self, _: &[&Key], _: &Cache) -> Option<Planner<'a>> {
        Some(Box::new(plan))
    }

    fn stuck(&self, object: &Object, _: &Cache) -> Option<String> {
        lack(object)
    }
}

/// Returns the next step for a Deployment.
fn plan(context: &ReconcileContext<'_>) -> Plan {
    let Some(deployment) = context.cache.by_key(watched::deployments(), context.key) else {
        return Plan::done();
    };
    let selector = selector_of(deployment);
    // An empty selector would adopt every ReplicaSet of the namespace.
    if selector.is_everything() {
        return selects_all(deployment);
    }
    let claimed = claim(
        deployment,
        watched::replica_sets(),
        &selector,
        context.cache,
    );
    let mut rollout = Rollout::new(deployment, &claimed.own, context);
    rollout.claims = claimed.writes;
    if !deployment.is_terminating() {
        step(&mut rollout);
    }
    let mut plan = rollout.into_plan();
    adopt_first(&mut plan);
    plan
}

/// Performs the one step that is due.
fn step(rollout: &mut Rollout<'_>) {
    // Before the pause is handled, because a paused Deployment reports it in its condition.
    rollout.pause_conditions();
    if views::workload(rollout.deployment).is_paused() {
        rollout.find_new_set(false);
        rollout.scale();
        // The rollback needs a revision of the history as soon as the pause ends.
        if rollback::target_revision(rollout.deployment).is_none() {
            rollout.clean_up();
        }
        return;
    }
    // The annotation of extensions/v1beta1 still works, and scaling waits until the rollback is written.
    if rollback::target_revision(rollout.deployment).is_some() {
        return rollout.roll_back();
    }
    // A change of `replicas` is applied to all ReplicaSets in proportion before the rollout continues.
    if rollout.is_scaling_event() {
        rollout.find_new_set(false);
        rollout.scale();
        return;
    }
    if views::workload(rollout.deployment).is_recreate() {
        rollout.recreate();
    } else {
        rollout.roll();
    }
    rollout.progress();
}

/// Returns the plan for a Deployment that selects everything: a warning and no write.
fn selects_all(deployment: &Object) -> Plan {
    let text = "This deployment is selecting all pods. A non-empty selector is required.";
    let mut plan = Plan::done();
    let mut status = deployment["status"].clone();
    // Once per generation: the event must not repeat with each reconcile.
    if int(&status, "observedGeneration") < views::meta(deployment).generation() {
        status["observedGeneration"] = json!(deployment["metadata"]["generation"]);
        plan.events
            .push(EventNote::warning(deployment, "SelectingAll", text));
        plan.status.extend(PlannedWrite::status(
            deployment,
            status,
            "status: the selector is empty and would match every Pod",
        ));
    }
    plan
}

/// Returns the `Recreate` Deployment that may wait for the end of a deleted Pod.
fn recreating(change: &Change, cache: &Cache) -> Vec<Key> {
    // Recreate waits for the last old Pod; rolling updates follow the status of ReplicaSets alone.
    let ended = change
        .after
        .as_ref()
        .is_none_or(super::workload::is_over_object);
    let owner = change
        .before
        .as_ref()
        .filter(|_| ended)
        .and_then(Object::controller)
        .and_then(|owner| cache.by_uid(owner["uid"].as_str()?))
        .and_then(Object::controller)
        .and_then(|owner| cache.by_uid(owner["uid"].as_str()?));
    let recreates = |d: &&Object| views::workload(d).is_recreate();
    owner
        .filter(recreates)
        .map(|d| d.key().clone())
        .into_iter()
        .collect()
}

/// Returns the unmet condition of a Deployment.
fn lack(deployment: &Object) -> Option<String> {
    let view = views::workload(deployment);
    if view.is_paused() {
        return None;
    }
    let desired = view.replicas();
    let (current, updated) = (view.current_replicas(), view.updated_replicas());
    let available = view.available_replicas();
    if [current, updated, available].iter().all(|n| *n == desired) {
        return None;
    }
    // The most informative condition first: a deadline names the cause, missing availability only the effect.
    let told = ["Progressing", "ReplicaFailure", "Available"]
        .into_iter()
        .filter_map(|kind| condition(deployment, kind))
        .find(|c| {
            let failure = views::condition(c).kind() == "ReplicaFailure";
            (views::condition(c).status() == "True") == failure
        });
    Some(match told {
        Some(c) => format!(
            "{}: {}",
            views::condition(c).reason(),
            views::condition(c).message()
        ),
        None => format!(
            "of {desired} Pods {updated} are updated, {available} available; there are {current}"
        ),
    })
}
