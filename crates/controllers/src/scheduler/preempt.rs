//! Preemption: the Pods of lower priority that would have to be deleted, and the node with the lowest cost.

use std::sync::Arc;

use super::filter::{self, DryRun, Prepared};
use super::message::Diagnosis;
use super::pod_info::PodInfo;
use super::refusal::Refusal;
use super::state::Node;
use super::world::World;
use crate::api::json::Value;
use crate::api::selector::LabelSelector;
use crate::kinds::tree::{field, has, int};
use crate::views;
use crate::watched;

/// A node with enough room after preemption, and its victims.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) node: String,
    pub(super) victims: Vec<Arc<PodInfo>>,
    /// The number of victims that a disruption budget protects.
    violations: usize,
}

/// The effect of a failure on the node for which a Pod is nominated.
pub(super) enum Nomination {
    /// Nothing changes.
    Stays,
    /// No node would have room, so an earlier nomination ends.
    Ends,
    /// This node has room after preemption.
    Becomes(Room),
}

/// The reason why no Pod is preempted, as the second half of the message.
#[derive(Debug)]
pub(super) struct NoRoom {
    pub(super) why: String,
    /// True if the Pod may not preempt others now, whatever the nodes contain.
    waits: bool,
}

impl NoRoom {
    fn waits(why: &str) -> Self {
        Self {
            why: why.to_owned(),
            waits: true,
        }
    }

    /// Returns the effect on the node for which the Pod is nominated.
    pub(super) fn nomination(&self) -> Nomination {
        match self.waits {
            true => Nomination::Stays,
            false => Nomination::Ends,
        }
    }
}

/// Returns the Pods nominated for a node.
pub(super) type Coming<'a> = &'a dyn Fn(&str) -> Vec<Arc<PodInfo>>;

/// The nominations that preemption must respect.
#[derive(Clone, Copy)]
pub(super) struct Nominations<'a> {
    /// The node that the Pod is nominated for; empty if it is not.
    pub(super) node: &'a str,
    /// The Pods of no lower priority that are nominated for a node.
    pub(super) coming: Coming<'a>,
}

/// Finds the node with the lowest cost of preemption.
///
/// # Errors
/// The reason why there is none.
pub(super) fn room(
    pod_info: &PodInfo,
    refusals: &[(String, Refusal)],
    prepared: &Prepared,
    nominations: Nominations<'_>,
    world: &World<'_>,
) -> Result<Room, NoRoom> {
    if !pod_info.preempts {
        return Err(NoRoom::waits("not eligible due to preemptionPolicy=Never."));
    }
    // A node that became unsuitable for good is not worth waiting for.
    let is_lost = |name: &str| {
        refusals
            .iter()
            .any(|(node, refusal)| node == name && !refusal.might)
    };
    if let Some(node) = world.state.node(nominations.node)
        && !is_lost(nominations.node)
    {
        // Victims of the previous attempt are still terminating. A second preemption would evict more Pods than
        // needed.
        let leaving = |p: &&Arc<PodInfo>| p.preempted && p.priority < pod_info.priority;
        if node.pods.values().any(|p| leaving(&p)) {
            let why = "not eligible due to a terminating pod on the nominated node.";
            return Err(NoRoom::waits(why));
        }
    }
    let mut diagnosis = Diagnosis::for_nodes(refusals.len());
    let mut rooms = Vec::new();
    for (name, refusal) in refusals {
        // A final refusal (name, labels, taints, affinity) applies however many Pods leave the node.
        let node = world.state.node(name).filter(|_| refusal.might);
        match node.map(|node| on_node(pod_info, node, prepared, &(nominations.coming)(name), world))
        {
            None => diagnosis.add("Preemption is not helpful for scheduling"),
            Some(Ok(room)) => rooms.push(room),
            Some(Err(refusal)) => refusal.reasons.iter().for_each(|why| diagnosis.add(why)),
        }
    }
    rooms.into_iter().min_by_key(cost).ok_or_else(|| NoRoom {
        why: diagnosis.text(),
        waits: false,
    })
}

/// Returns the sort key: fewest violations, lowest highest priority, lowest sum, fewest Pods, latest start.
fn cost(
    room: &Room,
) -> (
    usize,
    i64,
    i128,
    usize,
    std::cmp::Reverse<Option<jiff::Timestamp>>,
) {
    let priorities = || room.victims.iter().map(|v| v.priority);
    let highest = priorities().max().unwrap_or(i64::MIN);
    // Upstream's offset makes every summand positive, so that several victims of negative priority do not look
    // cheaper than one.
    let sum = priorities().map(|p| i128::from(p) + (1 << 31)).sum();
    let first = room.victims.iter().filter(|v| v.priority == highest);
    let started = first.filter_map(|v| v.since).min();
    (
        room.violations,
        highest,
        sum,
        room.victims.len(),
        std::cmp::Reverse(started),
    )
}

/// # Errors
/// The reasons why preemption on the node cannot help.
fn on_node(
    pod_info: &PodInfo,
    node: &Node,
    prepared: &Prepared,
    coming: &[Arc<PodInfo>],
    world: &World<'_>,
) -> Result<Room, Refusal> {
    let mut lower: Vec<Arc<PodInfo>> = node
        .pods
        .values()
        .filter(|p| p.priority < pod_info.priority)
        .cloned()
        .collect();
    let refusal = |evicted: &[Arc<PodInfo>]| {
        let dry_run = DryRun {
            evicted,
            nominated: coming,
        };
        filter::refusal(pod_info, node, prepared, dry_run, world)
    };
    if lower.is_empty() {
        let why = "No preemption victims found for incoming pod";
        return Err(Refusal::for_good(why));
    }
    // If the Pod does not fit even without all Pods of lower priority, the message names the reason that remains.
    if let Some(refusal) = refusal(&lower) {
        return Err(refusal);
    }
    // More important Pods are reprieved first, and those protected by a budget before all others. A Pod that has not
    // started counts as the youngest.
    lower.sort_by_key(|p| (-p.priority, p.since.is_none(), p.since));
    let mut budgets = budgets(world);
    let (kept, free): (Vec<_>, Vec<_>) = lower
        .iter()
        .cloned()
        .partition(|p| violates(p, &mut budgets));
    // Starts without any of them and adds Pods back one at a time, so that the set of victims is minimal.
    let mut gone = lower;
    let mut violations = 0;
    for (pods, of_budget) in [(kept, true), (free, false)] {
        for pod in pods {
            let without: Vec<_> = gone.iter().filter(|g| g.uid != pod.uid).cloned().collect();
            match refusal(&without) {
                None => gone = without,
                Some(_) => violations += usize::from(of_budget),
            }
        }
    }
    Ok(Room {
        node: node.name.clone(),
        victims: gone,
        violations,
    })
}

struct Budget<'a> {
    namespace: String,
    selector: LabelSelector,
    allowed: i64,
    /// The Pods that the API server is evicting, by name.
    disrupted: &'a Value,
}

fn budgets<'a>(world: &World<'a>) -> Vec<Budget<'a>> {
    let all = world.objects(watched::disruption_budgets(), "");
    let read = |pdb: &'a crate::runtime::Object| {
        let status = views::status(pdb);
        Some(Budget {
            namespace: pdb.namespace().to_owned(),
            selector: LabelSelector::from_object(Some(views::workload(pdb).selector())).ok()?,
            allowed: int(status, "disruptionsAllowed"),
            disrupted: field(status, "disruptedPods"),
        })
    };
    // Unlike an eviction, preemption ignores budgets with an empty selector.
    all.filter_map(read)
        .filter(|budget| !budget.selector.is_everything())
        .collect()
}

/// Returns true if a budget protects a Pod. Each Pod uses up one allowed disruption of its budgets.
fn violates(pod: &PodInfo, budgets: &mut [Budget<'_>]) -> bool {
    let mut violated = false;
    for budget in budgets {
        let is_own = budget.namespace == pod.namespace && pod.selected(&budget.selector);
        // A Pod that is being evicted was counted when the eviction was granted.
        if is_own && !has(budget.disrupted, &pod.name) {
            // Victims of one preemption share the allowance of their budget.
            budget.allowed -= 1;
            violated |= budget.allowed < 0;
        }
    }
    violated
}
