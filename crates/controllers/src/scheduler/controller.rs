//! The reconciler: a single key represents all waiting Pods.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::failure::{Failed, status_patch, unscheduled};
use super::filter::{self, Hopeless, Prepared};
use super::message::{self, Diagnosis};
use super::openings::{self, OpeningKinds, Openings};
use super::pod_info::{Needs, PodInfo, Spread};
use super::preempt::Nomination;
use super::refusal::Refusal;
use super::state::State;
use super::verdicts::Verdicts;
use super::world::World;
use super::{devices, preempt, score, spread};
use crate::api::json::{Text, json};
use crate::kinds::Kind;
use crate::kinds::condition::{self, NewCondition};
use crate::kinds::tree::text;
use crate::runtime::{
    Cache, Change, Controller, EventNote, Key, Object, Plan, PlannedWrite, ReconcileContext, Watch,
};
use crate::views;
use crate::watched;

const NAME: &str = "default-scheduler";

/// The time after which a Pod without a node is tried again although nothing changed.
const FLUSH: SignedDuration = SignedDuration::from_mins(5);

/// The most Pods that one plan places, to bound its memory.
const MOST: usize = 1000;

/// Finds nodes for Pods.
///
/// ```
/// use ctl_controllers::Scheduler;
/// use ctl_runtime::{Config, Manager, Until};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// // Only Pods are scheduled; no other controller runs.
/// let scheduler = Box::new(Scheduler::default());
/// let mut manager = Manager::new(&cluster, vec![scheduler], &|_| Config::default());
/// manager.load()?;
/// let outcome = manager.settle(&Until::default(), &|| false)?;
/// assert_eq!(outcome, ctl_runtime::Outcome::Settled);
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Debug, Default)]
pub struct Scheduler {
    state: State,
    waiting: BTreeMap<Key, Object>,
    /// The changes that may make room for a Pod without a node.
    openings: Openings,
    /// The last failed attempt for each waiting Pod.
    tried: HashMap<Text, Tried>,
    verdicts: Verdicts,
    /// The Pods that the last plan binds, by the place of the binding in its changes.
    binding: HashMap<usize, Object>,
}

/// Returns the kinds besides Pods whose changes may make room for a waiting Pod.
fn waking() -> impl Iterator<Item = &'static Kind> {
    let volumes = openings::about_volumes().into_iter();
    let devices = openings::about_devices();
    std::iter::once(watched::nodes())
        .chain(volumes)
        .chain(devices)
}

/// A failed attempt.
#[derive(Clone, Copy, Debug)]
struct Tried {
    /// The number of openings that it knew.
    openings: u64,
    /// The openings that it waits for.
    helps: OpeningKinds,
    /// The time at which the failure was reported, or first noticed by this process.
    told: Timestamp,
}

impl Tried {
    /// Returns true if the failure is to be reported again.
    fn is_stale(&self, now: Timestamp) -> bool {
        now.duration_since(self.told) >= FLUSH
    }
}

/// The outcome for a Pod.
enum Outcome {
    Bound(String),
    /// Claims that are to be bound for a node first.
    Prepare(String),
    Failed(Failed),
}

impl Controller for Scheduler {
    fn name(&self) -> &'static str {
        "scheduler"
    }

    fn component(&self) -> &'static str {
        NAME
    }

    fn field_manager(&self) -> &'static str {
        "kube-scheduler"
    }

    fn is_divided(&self) -> bool {
        // Two schedulers could assign the same resources of a node.
        false
    }

    fn watches(&self) -> Vec<Watch> {
        // All waiting Pods share one key, because the placement of one affects the others: priorities, nominated nodes,
        // spreading.
        let at_once = |_: &Change, _: &Cache| vec![Key::all()];
        let read = [
            watched::services(),
            watched::namespaces(),
            watched::replication_controllers(),
            watched::replica_sets(),
            watched::stateful_sets(),
            watched::disruption_budgets(),
        ];
        let pods = Watch::new(watched::pods(), |change, _| match concerns(change) {
            true => vec![Key::all()],
            false => Vec::new(),
        });
        // Pods come first: `stuck` uses the kind of the first watch.
        let mut watches = vec![pods];
        watches.extend(waking().map(|kind| Watch::new(kind, at_once)));
        watches.extend(read.map(Watch::cached));
        watches
    }

    // The condition is the only trace that kube-scheduler leaves on a Pod without a node, so `settle` reads it too.
    fn stuck(&self, object: &Object, _: &Cache) -> Option<String> {
        let scheduled = condition::find(object, "PodScheduled")?;
        let reason = text(scheduled, "reason");
        (text(scheduled, "status") == "False" && reason == "Unschedulable")
            .then(|| format!("{reason}: {}", text(scheduled, "message")))
    }

    fn observe(&mut self, change: &Change, _: &Cache) {
        let Some(object) = change.object() else {
            return;
        };
        let is_pod = object.kind().is_pod();
        let waits = change.after.as_ref();
        match waits.filter(|pod| is_pod && is_waiting(pod)) {
            Some(pod) => {
                self.waiting.insert(pod.key().clone(), pod.clone());
                if has_other_needs(change) {
                    self.tried.remove(object.uid());
                }
            }
            None => {
                if is_pod {
                    self.waiting.remove(object.key());
                    self.tried.remove(object.uid());
                }
                self.openings.add(OpeningKinds::of_change(change));
            }
        }
        self.state.observe(change);
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        self.state.begin();
        // A refused binding leaves the overlay of this plan wrong, so nothing is planned on it; the retry begins with
        // all Pods.
        if !context.refused.is_empty() {
            self.tried.clear();
            return self.unbound(context);
        }
        let mut due: Vec<Object> = self
            .waiting
            .values()
            // A Pod that failed is only tried again after something made room, or after five minutes: kube-scheduler's
            // unschedulable queue works the same way.
            .filter(|pod| {
                let tried = self.tried.get(pod.uid());
                let opened = |t: &Tried| self.openings.any_since(t.openings, t.helps);
                tried.is_none_or(|t| opened(t) || t.is_stale(context.now))
            })
            .filter(|pod| devices::are_ready(pod, context.cache))
            .cloned()
            .collect();
        let priority = |pod: &Object| views::pod(pod).priority();
        let age = |pod: &Object| pod.meta("creationTimestamp").to_owned();
        // The queue order of kube-scheduler's PrioritySort: priority first, then age; the revision decides within one
        // second.
        due.sort_by_cached_key(|pod| (-priority(pod), age(pod), pod.revision()));
        let (all, mut others) = (due.len(), 0);
        // A Pod whose volumes are prepared is nominated, and stays due until they exist. Such Pods cost little, and if
        // they counted, the Pods behind them would never have their turn.
        due.retain(|pod| {
            let is_nominated = !views::pod(pod).nominated_node_name().is_empty();
            others += usize::from(!is_nominated);
            is_nominated || others <= MOST
        });
        let partial = due.len() < all;
        let nominated = nominated(&self.waiting, &mut self.state);
        let mut look = Look {
            nodes: self.state.known().map(|node| node.at).collect(),
            world: World::new(&mut self.state, context.cache),
            verdicts: &mut self.verdicts,
            nominated,
            usual: None,
            victims: BTreeSet::new(),
            again: false,
            binding: HashMap::new(),
            plan: Plan::done(),
            context,
        };
        for pod in due {
            let pod_info = look.world.state.pod_info(&pod);
            let old = self.tried.remove(&pod_info.uid);
            look.again = old.is_some_and(|tried| tried.is_stale(context.now));
            let told = old
                .filter(|_| !look.again)
                .map_or(context.now, |old| old.told);
            if let Some(helps) = look.take(&pod, &pod_info) {
                let tried = Tried {
                    openings: self.openings.count,
                    helps,
                    told,
                };
                self.tried.insert(pod_info.uid.clone(), tried);
            }
        }
        self.binding = look.binding;
        let mut plan = look.plan;
        // A stale failure that stays is that of a Pod that waits for something else.
        let fresh = self.tried.values().filter(|t| !t.is_stale(context.now));
        if let Some(told) = fresh.map(|tried| tried.told).min() {
            plan.idle_requeue_in(FLUSH.saturating_sub(context.now.duration_since(told)));
        }
        if partial {
            plan.partial = true;
            plan.requeue_in(SignedDuration::ZERO);
        }
        plan
    }
}

impl Scheduler {
    /// Returns the plan after refused bindings: the Pods say why they have no node.
    fn unbound(&self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        plan.error = Some("a Pod could not be bound".to_owned());
        for failure in context.refused {
            let pod = failure.index.and_then(|index| self.binding.get(&index));
            // The Pod may have a node meanwhile, or be gone.
            let is_behind = matches!(failure.status.reason, "Conflict" | "NotFound");
            let Some(pod) = pod.filter(|_| !is_behind) else {
                continue;
            };
            let message = refused_binding(&failure.status.message);
            let said = NewCondition {
                kind: "PodScheduled",
                status: "False",
                reason: "SchedulerError",
                message: &message,
            };
            if let (Some(condition), true) = unscheduled(pod, said, context.now) {
                // Only the Pod that could not be bound: if just the response was lost, it has a node.
                let patch = json!({
                    "metadata": {"resourceVersion": pod.revision().to_string()},
                    "status": {"conditions": [condition]},
                });
                let write = PlannedWrite::patch_status(pod, patch, failure.rule.clone());
                plan.status.push(write);
            }
        }
        plan
    }
}

/// Returns kube-scheduler's text for a binding that the API server refuses.
fn refused_binding(error: &str) -> String {
    format!("running Bind plugin \"DefaultBinder\": {error}")
}

/// Returns true if a change of a Pod can lead to a Pod's placing.
fn concerns(change: &Change) -> bool {
    let waits = |o: &Option<Object>| o.as_ref().is_some_and(is_waiting);
    let (waited, waits) = (waits(&change.before), waits(&change.after));
    let runs = |o: &Option<Object>| o.as_ref().is_some_and(|pod| !views::pod(pod).has_ended());
    let ran = !waited && runs(&change.before);
    let made_room = ran && (waits || !runs(&change.after));
    let placed = waited && !waits;
    // Claims made from a template are named in the status, and the Pod cannot be placed before that.
    let claimed = || change.differs("/status/resourceClaimStatuses");
    // A change of the status alone, such as the PodScheduled condition of a waiting Pod, must not start another round.
    let runs_on = |pod: &Object| views::pod(pod).is_scheduled() && !views::pod(pod).has_ended();
    let counts = waits || change.after.as_ref().is_some_and(runs_on);
    let fresh = || change.before.is_none() || has_other_needs(change);
    made_room || placed || counts && fresh() || waits && claimed()
}

/// Returns true if a Pod may require another place, or other Pods because of it: affinity and spreading depend on
/// labels, and the room on a node on requests.
fn has_other_needs(change: &Change) -> bool {
    change.differs("/spec") || change.differs("/metadata/labels")
}

/// Filters a node with the Pods that are nominated to run on it.
fn with_nominated(pods: &[Arc<PodInfo>]) -> filter::DryRun<'_> {
    filter::DryRun {
        evicted: &[],
        nominated: pods,
    }
}

/// Returns true if a Pod waits for this scheduler.
fn is_waiting(pod: &Object) -> bool {
    let view = views::pod(pod);
    // Pods that name another scheduler are left to it, and gated Pods are not in the queue yet.
    let ours = || matches!(view.scheduler_name(), "" | NAME);
    let unbound = !pod.is_terminating() && view.node_name().is_empty();
    unbound && ours() && !view.has_ended() && !view.is_gated()
}

/// Returns the Pods for which room was made, by the node.
fn nominated(
    waiting: &BTreeMap<Key, Object>,
    state: &mut State,
) -> HashMap<String, Vec<Arc<PodInfo>>> {
    let mut by_node: HashMap<String, Vec<Arc<PodInfo>>> = HashMap::new();
    for pod in waiting.values() {
        let node = views::pod(pod).nominated_node_name();
        if !node.is_empty() {
            by_node
                .entry(node.to_owned())
                .or_default()
                .push(state.pod_info(pod));
        }
    }
    by_node
}

/// Returns the number of feasible nodes that are enough to choose from: all of a hundred, and of more a share that
/// shrinks with their number.
fn enough(nodes: usize) -> usize {
    // kube-scheduler's adaptive `percentageOfNodesToScore`: 50 % minus one per 125 nodes, at least 5 % and 100 nodes.
    let share = 50_usize.saturating_sub(nodes / 125).max(5);
    (nodes * share / 100).max(nodes.min(100))
}

/// Returns the nodes in the order in which they are tried. If not all are tried, each Pod starts with another one.
fn candidates<'n>(
    nodes: &'n [usize],
    pod_info: &PodInfo,
    context: &ReconcileContext<'_>,
) -> impl Iterator<Item = &'n usize> + use<'n> {
    let first = match enough(nodes.len()) < nodes.len() {
        true => {
            // kube-scheduler continues where the last Pod stopped; a draw from the seed spreads as well and is
            // independent of history.
            let drawn = context.seed.draw(&["first node", &pod_info.uid]);
            usize::from(u16::from_le_bytes([drawn[0], drawn[1]])) % nodes.len()
        }
        false => 0,
    };
    let (behind, from) = nodes.split_at(first);
    from.iter().chain(behind)
}

/// Returns the Pods of no lower priority that are nominated to a node.
fn coming(
    nominated: &HashMap<String, Vec<Arc<PodInfo>>>,
    state: &State,
    pod_info: &PodInfo,
    node: &str,
) -> Vec<Arc<PodInfo>> {
    let Some(coming) = nominated.get(node) else {
        return Vec::new();
    };
    let counts = |p: &&Arc<PodInfo>| {
        // A nominated Pod reserves room only against Pods of its own or a lower priority, and only until it is bound.
        p.uid != pod_info.uid && p.priority >= pod_info.priority && state.node_of(&p.uid).is_none()
    };
    coming.iter().filter(counts).cloned().collect()
}

/// One scheduling cycle over all Pods that are due.
pub(super) struct Look<'a, 's> {
    pub(super) world: World<'a>,
    /// The numbers of the existing nodes.
    nodes: Vec<usize>,
    verdicts: &'a mut Verdicts,
    pub(super) nominated: HashMap<String, Vec<Arc<PodInfo>>>,
    /// The default spreading of the Pods of one template, with their requirements.
    usual: Option<(String, Arc<Needs>, Rc<[Spread]>)>,
    /// The Pods that are victims already.
    pub(super) victims: BTreeSet<Text>,
    /// True if an unchanged failure of the current Pod is reported again.
    pub(super) again: bool,
    binding: HashMap<usize, Object>,
    pub(super) plan: Plan,
    pub(super) context: &'a ReconcileContext<'s>,
}

impl Look<'_, '_> {
    /// Places a Pod or plans its failure; if it failed, returns the openings that may help.
    fn take(&mut self, pod: &Object, pod_info: &Arc<PodInfo>) -> Option<OpeningKinds> {
        match self.outcome(pod, pod_info) {
            Outcome::Bound(node) => {
                self.bind(pod, pod_info, &node);
                None
            }
            Outcome::Prepare(node) => {
                self.prepare(pod, pod_info, &node);
                None
            }
            Outcome::Failed(failed) => {
                let helps = failed.helps;
                self.fail(pod, pod_info, failed);
                Some(helps)
            }
        }
    }

    fn outcome(&mut self, pod: &Object, pod_info: &Arc<PodInfo>) -> Outcome {
        let nodes = self.nodes.len();
        let prepared = match Prepared::new(pod_info, &self.world) {
            Ok(prepared) => prepared,
            Err(why) => {
                let message = match why {
                    Hopeless::Volumes(why) => message::before_all_nodes(nodes, &why),
                    Hopeless::Devices(why) => message::before_all_devices(nodes, &why),
                };
                // The plugin for claims ends the attempt before preemption is considered.
                let all = OpeningKinds::ALL;
                return Outcome::Failed(Failed::unschedulable(message, Nomination::Stays, all));
            }
        };
        let usual = self.usual(pod, pod_info);
        let row = self.verdicts.of(&pod_info.needs);
        let world = &self.world;
        let coming = |node: &str| coming(&self.nominated, world.state, pod_info, node);
        let mut good = Vec::with_capacity(enough(nodes));
        // The node that a Pod is nominated for comes first, and is taken without a comparison if it fits.
        let promised = world.state.node(views::pod(pod).nominated_node_name());
        let promised = promised.filter(|node| node.known).map(|node| node.at);
        let others = candidates(&self.nodes, pod_info, self.context);
        for at in promised.iter().chain(others) {
            // Most Pods need only the verdict: reading the node itself would take longer, for it is in no cache of the
            // processor.
            let fits = row.on(*at, world.state).fits;
            let fits_with_others = || {
                let node = world.state.at(*at);
                let waiting = coming(&node.name);
                match waiting.is_empty() {
                    true => fits,
                    false => {
                        filter::alone(&pod_info.needs, node, with_nominated(&waiting)).is_none()
                    }
                }
            };
            // The cached verdict is valid without nominated Pods only.
            let fits = match self.nominated.is_empty() {
                true => fits,
                false => fits_with_others(),
            };
            if fits && !prepared.refuses(pod_info, *at, world) {
                good.push(*at);
                // More candidates would not change the result much, but scoring all of 5,000 nodes for each Pod takes
                // most of the time.
                if good.len() == enough(nodes) || promised == Some(*at) {
                    break;
                }
            }
        }
        if let Some(error) = prepared.devices.error() {
            return Outcome::Failed(Failed {
                reason: "SchedulerError",
                message: error,
                nomination: Nomination::Stays,
                helps: OpeningKinds::ALL,
            });
        }
        if let Some(best) = score::best(pod_info, &usual, &good, row, world) {
            let node = world.state.at(best).name.clone();
            return match prepared.volumes.waiting.is_empty() {
                true => Outcome::Bound(node),
                false => Outcome::Prepare(node),
            };
        }
        let refusals = candidates(&self.nodes, pod_info, self.context).filter_map(|at| {
            let node = world.state.at(*at);
            let waiting = coming(&node.name);
            let refusal =
                filter::refusal(pod_info, node, &prepared, with_nominated(&waiting), world)?;
            Some((node.name.clone(), refusal))
        });
        let refusals: Vec<_> = refusals.collect();
        self.failure(pod, pod_info, &prepared, &refusals)
    }

    /// Returns the default spreading of a Pod; Pods of one owner share the result.
    fn usual(&mut self, pod: &Object, pod_info: &PodInfo) -> Rc<[Spread]> {
        if !pod_info.needs.spread.is_empty() {
            return Rc::new([]);
        }
        let owner = pod
            .controller()
            .and_then(|o| o["uid"].as_str())
            .unwrap_or_default();
        if let Some((of, needs, usual)) = &self.usual
            && !owner.is_empty()
            && of == owner
            && Arc::ptr_eq(needs, &pod_info.needs)
        {
            return Rc::clone(usual);
        }
        let usual: Rc<[Spread]> = spread::usual(pod_info, &self.world).into();
        self.usual = Some((
            owner.to_owned(),
            Arc::clone(&pod_info.needs),
            Rc::clone(&usual),
        ));
        usual
    }

    fn failure(
        &self,
        pod: &Object,
        pod_info: &PodInfo,
        prepared: &Prepared,
        refusals: &[(String, Refusal)],
    ) -> Outcome {
        let mut diagnosis = Diagnosis::for_nodes(refusals.len());
        let reasons = || refusals.iter().flat_map(|(_, r)| &r.reasons);
        reasons().for_each(|reason| diagnosis.add(reason));
        let helps = match refusals.is_empty() {
            true => OpeningKinds::ALL,
            false => OpeningKinds::against(reasons().map(|reason| &**reason)),
        };
        let nominations = preempt::Nominations {
            node: views::pod(pod).nominated_node_name(),
            coming: &|node: &str| coming(&self.nominated, self.world.state, pod_info, node),
        };
        let refused = match preempt::room(pod_info, refusals, prepared, nominations, &self.world) {
            Ok(room) => {
                let message = message::unschedulable(&diagnosis, None);
                let nomination = Nomination::Becomes(room);
                return Outcome::Failed(Failed::unschedulable(message, nomination, helps));
            }
            Err(refused) => refused,
        };
        let preemption = message::Preemption {
            claims: prepared.devices.claimed,
            why: &refused.why,
        };
        let message = message::unschedulable(&diagnosis, Some(preemption));
        let nomination = refused.nomination();
        Outcome::Failed(Failed::unschedulable(message, nomination, helps))
    }

    fn bind(&mut self, pod: &Object, pod_info: &Arc<PodInfo>, node: &str) {
        let claims = devices::reserve(pod, pod_info, node, self.context.now, &mut self.world);
        // After the waves of the claims: a Pod must not start before it has its devices.
        let wave = if claims.is_empty() { 0 } else { 3 };
        self.plan.changes.extend(claims);
        self.world.assume(node, pod_info);
        let message = format!(
            "Successfully assigned {}/{} to {node}",
            pod_info.namespace, pod_info.name
        );
        let note = EventNote {
            action: "Binding".to_owned(),
            ..EventNote::normal(pod, "Scheduled", message)
        };
        // About the same object, whose reference is shared.
        let refused = EventNote {
            warning: true,
            reason: "FailedScheduling".to_owned(),
            message: refused_binding("{error}"),
            action: "Scheduling".to_owned(),
            ..note.clone()
        };
        let rule = format!("schedule: {node} has the highest score");
        self.binding.insert(self.plan.changes.len(), pod.clone());
        self.plan.changes.push(
            PlannedWrite::bind(pod, node, rule)
                .with_event(note)
                .with_failure_event(refused)
                .in_wave(wave),
        );
    }

    /// Assigns the node to the claims that wait for it, so that they get their volumes.
    fn prepare(&mut self, pod: &Object, pod_info: &Arc<PodInfo>, node: &str) {
        let mut nodes = self.nodes.iter().map(|at| self.world.state.at(*at));
        let Some(at) = nodes.find(|at| at.name == node) else {
            return;
        };
        let prepared = Prepared::new(pod_info, &self.world);
        let waiting = prepared.iter().flat_map(|p| &p.volumes.waiting);
        let rule = format!("select-node: node {node} for Pod {}", pod_info.name);
        let writes = waiting.filter_map(|waiting| waiting.prepared(at, rule.clone()));
        self.plan.changes.extend(writes);
        if views::pod(pod).nominated_node_name() != node {
            let rule = format!("nominate: the volumes of the Pod are prepared for {node}");
            let status = json!({"nominatedNodeName": node});
            self.plan.changes.push(status_patch(pod, status, rule));
        }
        // The Pods after it find the room on the node taken, as if it were bound.
        self.world.assume(node, pod_info);
    }
}
