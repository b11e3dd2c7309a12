//! The engine: applies the due stages to a Pod until none is left.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::container::Container;
use super::lifecycle_events;
use super::outcome::{self, ContainerBehavior, Role};
use super::repeats;
use super::reported_event::ReportedEvent;
use super::resize::{self, Resize, Step};
use super::scope::{Candidate, ContainerScope, FactCache, Scope};
use super::sources::Missing;
use super::stage::{Stage, StageEffect, Subject};
use super::status;
use crate::api::json::{Value, json};
use crate::api::patch::merge;
use crate::cluster::PodMode;
use crate::kinds::condition;
use crate::kinds::fake;
use crate::kinds::moment;
use crate::kinds::tree::{at, field, int, list, text};
use crate::sys::entropy::Seed;

/// The exit code of a killed container.
const KILLED: i64 = 137;

/// The number of seconds after which a deferred resize is retried.
const RESIZE_RETRY: f64 = 180.0;

/// The maximum number of stages per reconcile of a Pod; more would indicate a cycle.
const MOST_STEPS: usize = 200;

/// The environment in which a Pod is played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World<'a> {
    /// The stages, in the order in which they are tried.
    pub stages: &'a [Stage],
    /// The Pod mode of the cluster.
    pub mode: PodMode,
    /// The current time.
    pub now: Timestamp,
    /// The source of random draws.
    pub seed: Seed,
    /// The Pod's node, if it exists.
    pub node: Option<&'a Value>,
    /// The address for a Pod without one.
    pub address: &'a str,
    /// The missing sources of the Pod's volumes and environment variables.
    pub missing: Option<&'a Missing>,
    /// The decision about a resize of running containers, if the spec asks for one.
    pub resize: Option<&'a Resize>,
    /// The IDs of the images on the node; `None` if its kubelet does not report ordinary starts and ends of containers.
    pub images: Option<&'a BTreeSet<&'a str>>,
}

/// The result of playing an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PlayOutcome {
    /// The new status, if it changes.
    pub status: Option<Value>,
    /// The events to report.
    pub events: Vec<ReportedEvent>,
    /// The events that the last state repeats, if one of their times has come.
    pub repeats: Vec<ReportedEvent>,
    /// True if the object must be deleted.
    pub delete: bool,
    /// The time of the next reconcile.
    pub wake: Option<Timestamp>,
    /// True if the Pod is only waiting in an endless cycle, such as a container that fails again and again.
    pub endless: bool,
    /// The names of the stages that were applied.
    pub stages: Vec<String>,
    /// True if a probe fails; its failures follow a schedule of their own.
    pub fails: bool,
}

impl PlayOutcome {
    /// Requests a reconcile at a time, unless an earlier one has been requested.
    pub(super) fn wake_at(&mut self, at: Timestamp, endless: bool) {
        // Endless only if all timers are: a single step of progress keeps the cluster from being settled.
        self.endless = endless && (self.wake.is_none() || self.endless);
        self.wake = Some(self.wake.map_or(at, |earlier| earlier.min(at)));
    }
}

/// Applies the due stages to a Pod.
pub(crate) fn pod(pod: &Value, world: &World<'_>) -> PlayOutcome {
    let mut played = PlayOutcome::default();
    let lost = world
        .node
        .is_none_or(|node| !fake::annotation(node, fake::NODE_DOWN).is_empty());
    // A node that is down does nothing: its Pods keep their last state.
    if lost || text(field(pod, "spec"), "nodeName").is_empty() {
        return played;
    }
    let deleted = !at(pod, &["metadata", "deletionTimestamp"]).is_null();
    let ended = is_over(field(pod, "status"));
    if deleted {
        // The final deletion has already been requested; a second one would conflict. But without a grace period, a
        // Pod that finalizers hold has yet to end.
        let gone = at(pod, &["metadata", "deletionGracePeriodSeconds"]).as_i64() == Some(0);
        if !gone || is_held(pod) && !ended {
            act(pod, world, &mut played);
        }
        return played;
    }
    let is_left = world.mode == PodMode::Running && has_foreign_status(pod);
    if !ended && !is_left {
        act(pod, world, &mut played);
    }
    played
}

/// Returns true if somebody else has written the status of a started Pod. With `--pods running`, that status stays. For
/// a Pod that waits for the conditions of others, only the statuses of its containers count.
fn has_foreign_status(pod: &Value) -> bool {
    const COMPONENTS: [&str; 3] = ["kubelet", "kube-controller-manager", "kube-scheduler"];
    let writers = list(field(pod, "metadata"), "managedFields").iter();
    let mut writers = writers.filter(|entry| text(entry, "subresource") == "status");
    let is_gated = !list(field(pod, "spec"), "readinessGates").is_empty();
    let path = ["fieldsV1", "f:status", "f:containerStatuses"];
    writers.any(|entry| {
        !COMPONENTS.contains(&text(entry, "manager")) && (!is_gated || !at(entry, &path).is_null())
    }) && !list(field(pod, "status"), "containerStatuses").is_empty()
}

fn act(pod: &Value, world: &World<'_>, played: &mut PlayOutcome) {
    let mut play = PodSimulation::new(pod, world);
    let waits = play.unfilled && !play.deleted;
    // Comes before the stages, which do not run while a volume is missing.
    let next = waits
        .then(|| repeats::of_volumes(pod, world, played))
        .flatten();
    repeats::of_waiting(&play, played);
    if let Some(resize) = world.resize {
        play.resize(resize, played);
    }
    for _ in 0..MOST_STEPS {
        // Each step determines the next time; an earlier value is out of date.
        played.wake = None;
        if !play.step(played) || played.delete {
            break;
        }
    }
    if let Some(next) = next {
        played.wake_at(next, true);
    }
    if let Some(Resize::Pending { .. }) = world.resize {
        played.wake_at(moment::after(world.now, RESIZE_RETRY), true);
    }
    if world.mode == PodMode::Default {
        lifecycle_events::of_probes(&play, played);
    }
    lifecycle_events::of_deletion(&play, played);
    if played.delete && is_held(pod) && !is_over(&play.status) {
        // A deleted Pod that finalizers hold stays: their owners must first observe how it ended.
        played.delete = false;
        play.status["phase"] = json!("Failed");
        play.stop(KILLED);
        played.status = Some(play.finished());
    } else if !play.deleted {
        let status = play.finished();
        // Compared as a whole: an equal status causes neither a write nor an event.
        if &status != field(pod, "status") {
            played.status = Some(status);
        }
    }
    if played.stages.is_empty() && played.status.is_some() {
        // Accepting a Pod is the only change without a stage.
        played.stages.push("pod-accepted".to_owned());
    }
}

/// Returns true if finalizers keep a Pod from being removed.
fn is_held(pod: &Value) -> bool {
    !list(field(pod, "metadata"), "finalizers").is_empty()
}

fn is_over(status: &Value) -> bool {
    matches!(text(status, "phase"), "Succeeded" | "Failed")
}

/// A Pod being played.
pub(super) struct PodSimulation<'a> {
    pub(super) pod: &'a Value,
    pub(super) world: &'a World<'a>,
    pub(super) deleted: bool,
    status: Value,
    pub(super) containers: Vec<Container<'a>>,
    slow: f64,
    /// True if no container can start yet because a volume cannot be filled.
    pub(super) unfilled: bool,
}

impl<'a> PodSimulation<'a> {
    fn new(pod: &'a Value, world: &'a World<'a>) -> Self {
        let spec = field(pod, "spec");
        let old = field(pod, "status");
        let has_init = !list(spec, "initContainers").is_empty();
        let creating = if has_init {
            "PodInitializing"
        } else {
            "ContainerCreating"
        };
        let mut containers = Vec::new();
        for c in list(spec, "initContainers") {
            let statuses = list(old, "initContainerStatuses");
            containers.push(Container::new(
                c,
                Role::of_init(c),
                statuses,
                "PodInitializing",
            ));
        }
        for c in list(spec, "containers") {
            let statuses = list(old, "containerStatuses");
            containers.push(Container::new(c, Role::Main, statuses, creating));
        }
        for c in list(spec, "ephemeralContainers") {
            let statuses = list(old, "ephemeralContainerStatuses");
            containers.push(Container::new(c, Role::Ephemeral, statuses, creating));
        }
        // With `--pods running`, statuses are those of the recorded cluster, which has no kubelet.
        if world.mode == PodMode::Default {
            let new = containers.iter_mut().filter(|c| c.is_new());
            new.for_each(Container::list_mounts);
        }
        let slow = world
            .node
            .map_or("", |n| fake::annotation(n, fake::NODE_SLOW));
        // As in the kubelet, volumes are mounted before the first container starts, and not again for a restart.
        let lacks = world.missing.is_some_and(|m| !m.volumes.is_empty());
        let unfilled = lacks && containers.iter().all(Container::is_new);
        Self {
            unfilled,
            pod,
            world,
            deleted: !at(pod, &["metadata", "deletionTimestamp"]).is_null(),
            status: started(pod, world, unfilled),
            containers,
            slow: moment::duration(slow).unwrap_or(0.0),
        }
    }

    /// Gives running containers the resources in their specs, or reports why that is impossible.
    fn resize(&mut self, resize: &Resize, played: &mut PlayOutcome) {
        let now = self.world.now;
        match resize {
            Resize::Granted => {
                for container in &mut self.containers {
                    if resize::apply(container) {
                        container.end(&json!({"exitCode": 0}), now);
                    }
                }
                for step in [Step::Started, Step::Completed] {
                    played.events.push(resize::resize_event(self.pod, &step));
                }
            }
            Resize::Pending { reason, message } => {
                let pending = json!({"type": resize::PENDING, "status": "True", "reason": reason, "message": message});
                let known = condition::find(self.pod, resize::PENDING);
                if known
                    .is_some_and(|c| text(c, "message") == message && text(c, "reason") == *reason)
                {
                    return;
                }
                let step = Step::Pending(reason, message);
                played.events.push(resize::resize_event(self.pod, &step));
                let mut conditions = list(&self.status, "conditions").to_vec();
                conditions.push(pending);
                self.status["conditions"] = json!(conditions);
            }
        }
        played.stages.push("pod-resized".to_owned());
    }

    /// Applies one stage; returns true if there was one.
    fn step(&mut self, played: &mut PlayOutcome) -> bool {
        // The Pod comes first: a deletion or an eviction overrides the stages of its containers.
        if let Some(stage) = self.due(Subject::Pod, None, played)
            && self.apply_to_pod(stage, played)
        {
            return true;
        }
        if self.deleted || self.unfilled || is_over(&self.status) {
            return false;
        }
        let over = self.over();
        let mut applied = false;
        // In the order of the spec, which is the start order of init containers.
        for index in 0..self.containers.len() {
            let turn = self.turn(index);
            let (behavior, restarts) = (self.behavior(index), self.restarts(index));
            let of = Candidate {
                index,
                behavior: &behavior,
                turn,
                over,
            };
            while let Some(stage) = self.due(Subject::Container, Some(of), played) {
                if !self.apply_to_container(stage, of, played) {
                    break;
                }
                applied = true;
                // The behavior of a container may depend on how often it was restarted.
                let other = self.restarts(index) != restarts && self.behavior(index) != behavior;
                if other || played.stages.len() > MOST_STEPS {
                    break;
                }
            }
        }
        applied
    }

    pub(super) fn behavior(&self, index: usize) -> ContainerBehavior {
        let c = &self.containers[index];
        let mut behavior = outcome::behavior(&outcome::Subject {
            pod: self.pod,
            container: c.spec,
            role: c.role,
            restarts: self.restarts(index),
            mode: self.world.mode,
            slow: self.slow,
            address: text(&self.status, "podIP"),
        });
        if let Some(missing) = self.world.missing.filter(|_| behavior.create.is_none()) {
            behavior.create = missing.containers.get(text(c.spec, "name")).cloned();
        }
        behavior
    }

    fn restarts(&self, index: usize) -> i64 {
        int(&self.containers[index].status, "restartCount")
    }

    fn turn(&self, index: usize) -> bool {
        self.containers[..index].iter().all(|before| {
            let counts = matches!(before.role, Role::Init | Role::Sidecar);
            !counts
                || before.lets_others_begin()
                // A sidecar that has run before does not hold up the others while it restarts.
                || before.role == Role::Sidecar && !before.last_end().is_null()
        })
    }

    /// Returns true if all main containers have terminated and will not be restarted.
    fn over(&self) -> bool {
        let mut mains = self.containers.iter().filter(|c| c.role == Role::Main);
        mains.all(|c| status::over(self.pod, c))
    }

    /// Returns the time from which a container's delays count.
    fn since(&self, index: usize) -> Timestamp {
        let own = self.containers[index].since();
        own.unwrap_or_else(|| {
            // For a container that has never run, delays count from the end of those before it, or from the Pod's
            // start.
            let start = moment::read(field(&self.status, "startTime"));
            let before = self.containers[..index].iter().filter_map(Container::since);
            before.chain(start).max().unwrap_or(self.world.now)
        })
    }

    pub(super) fn scope<'s>(&'s self, of: Option<Candidate<'s>>) -> Scope<'s> {
        let deletion = moment::read(at(self.pod, &["metadata", "deletionTimestamp"]));
        let grace = int(field(self.pod, "metadata"), "deletionGracePeriodSeconds");
        let since = match (of, deletion) {
            (Some(container), _) => self.since(container.index),
            // The deletion timestamp includes the grace period, but delays count from the request.
            (None, Some(end)) => moment::after(end, -(grace as f64)),
            (None, None) => {
                moment::read(field(&self.status, "startTime")).unwrap_or(self.world.now)
            }
        };
        Scope {
            object: self.pod,
            mode: self.world.mode,
            now: self.world.now,
            since,
            container: of.map(|of| ContainerScope {
                is: &self.containers[of.index],
                behavior: of.behavior,
                turn: of.turn,
                over: of.over,
            }),
        }
    }

    /// Returns the stage that is due, if any, and records the time of the next one.
    fn due(
        &self,
        subject: Subject,
        of: Option<Candidate<'_>>,
        played: &mut PlayOutcome,
    ) -> Option<&'a Stage> {
        next_stage(self.world, subject, &self.scope(of), played)
    }

    fn apply_to_pod(&mut self, stage: &'a Stage, played: &mut PlayOutcome) -> bool {
        let before = self.status.clone();
        let scope = self.scope(None);
        let mut events = events(&scope, &stage.next, "");
        let patch = stage.next.status.as_ref().map(|patch| scope.filled(patch));
        if stage.next.delete {
            played.delete = true;
        }
        // Templates are filled in before the patch is applied, so they see the state before the change.
        if let Some(patch) = patch {
            merge::apply(&mut self.status, &patch);
        }
        if let Some(code) = stage.next.stop {
            let running = self.containers.iter().filter(|c| c.is("running"));
            events.extend(running.filter_map(|c| lifecycle_events::of_stop(self.world, c)));
            self.stop(code);
        }
        // A stage that changes nothing is no step; otherwise, it would apply forever.
        let applied = played.delete || self.status != before;
        if applied {
            played.events.extend(events);
            played.stages.push(stage.name.clone());
        }
        applied
    }

    /// Terminates the running containers.
    fn stop(&mut self, code: i64) {
        let how = json!({"exitCode": code});
        let now = self.world.now;
        let running = self.containers.iter_mut().filter(|c| c.is("running"));
        running.for_each(|c| c.end(&how, now));
    }

    fn apply_to_container(
        &mut self,
        stage: &'a Stage,
        of: Candidate<'_>,
        played: &mut PlayOutcome,
    ) -> bool {
        let (index, now) = (of.index, self.world.now);
        // Texts are filled in before the container changes, with the facts that selected the stage.
        let scope = self.scope(Some(of));
        let mut happened = events(&scope, &stage.next, &field_path(&self.containers[index]));
        let state = stage.next.state.as_ref().map(|state| scope.filled(state));
        let fields = stage
            .next
            .status
            .as_ref()
            .map(|fields| scope.filled(fields));
        let next = state
            .as_ref()
            .and_then(Value::as_object)
            .and_then(|s| s.iter().next());
        match next {
            Some((state, _)) if state == "running" => {
                happened.extend(lifecycle_events::of_start(self, of))
            }
            Some((state, why)) if state == "waiting" => {
                repeats::begin(&mut happened, why, &self.containers[index], scope.since);
                // The image is pulled before the container is created.
                if text(why, "reason") == repeats::NOT_CREATED {
                    happened.splice(0..0, lifecycle_events::of_pull(self, of));
                }
            }
            Some((state, _)) if state == "terminated" => {
                happened.extend(lifecycle_events::of_end(self, of))
            }
            _ => {}
        }
        let uid = at(self.pod, &["metadata", "uid"]).as_str().unwrap_or("");
        let container = &mut self.containers[index];
        let before = container.status.clone();
        match next {
            Some((state, _)) if state == "running" => container.run(uid, self.world.mode, now),
            Some((state, why)) if state == "waiting" => container.wait(why),
            Some((_, how)) => container.end(how, now),
            None => {}
        }
        // With `--pods running`, commands have no effect.
        if container.is("terminated") && self.world.mode == PodMode::Default {
            container.explain(self.pod);
        }
        if let Some(fields) = fields {
            merge::apply(&mut container.status, &fields);
        }
        let applied = container.status != before;
        if applied {
            played.events.extend(happened);
            played.stages.push(stage.name.clone());
        }
        applied
    }

    /// Returns the status to write.
    fn finished(mut self) -> Value {
        let said = text(&self.status, "phase");
        // A final phase stays, as in the API: a finished Pod never runs again.
        let phase = match said {
            "Succeeded" | "Failed" => said.to_owned(),
            _ => status::phase(self.pod, &self.containers).to_owned(),
        };
        let sandbox = !self.unfilled;
        let mut conditions = status::conditions(
            self.pod,
            self.world.node,
            &phase,
            sandbox,
            &self.containers,
            self.world.now,
        );
        let generation = int(field(self.pod, "metadata"), "generation");
        let before = list(field(self.pod, "status"), "conditions");
        // A stage may add conditions, such as the reason for an eviction.
        for said in list(&self.status, "conditions") {
            if !before.contains(said) {
                status::add(&mut conditions, said, generation, self.world.now);
            }
        }
        let is_pending = |c: &Value| text(c, "type") == resize::PENDING;
        let pending = conditions.iter().position(is_pending);
        let pending = pending.map(|at| conditions.remove(at));
        if let (Some(pending), Some(Resize::Pending { .. })) = (pending, self.world.resize) {
            // In its place among the conditions, so that the next status has the same order.
            let own = conditions
                .iter()
                .position(|c| text(c, "type") == status::SANDBOX);
            conditions.insert(own.unwrap_or(0), pending);
        }
        self.status["phase"] = json!(phase);
        self.status["conditions"] = json!(conditions);
        // Generation 0 means that the API server does not count generations for this Pod.
        if generation > 0 {
            self.status["observedGeneration"] = json!(generation);
        }
        for (name, wanted) in [
            ("initContainerStatuses", [Role::Init, Role::Sidecar]),
            ("containerStatuses", [Role::Main, Role::Main]),
            (
                "ephemeralContainerStatuses",
                [Role::Ephemeral, Role::Ephemeral],
            ),
        ] {
            let own = self.containers.iter().filter(|c| wanted.contains(&c.role));
            let statuses: Vec<Value> = own.map(|c| c.status.clone()).collect();
            if !statuses.is_empty() {
                self.status[name] = json!(statuses);
            }
        }
        self.status
    }
}

/// Returns the first stage of a list that applies and is due, and records the time of the next one.
pub(super) fn next_stage<'a>(
    world: &World<'a>,
    subject: Subject,
    scope: &Scope<'_>,
    played: &mut PlayOutcome,
) -> Option<&'a Stage> {
    let (mut drawn, mut asked) = (Vec::<&Stage>::new(), FactCache::default());
    for stage in world.stages.iter().filter(|s| s.subject == subject) {
        if !scope.applies(stage, &mut asked) {
            continue;
        }
        if stage.weight > 0 {
            // Stages with weights are drawn against each other once all that apply are known.
            drawn.push(stage);
            continue;
        }
        let due = scope.due(stage, world.seed);
        if due <= world.now {
            return Some(stage);
        }
        played.wake_at(due, scope.circles());
    }
    if drawn.is_empty() {
        return None;
    }
    let total: u32 = drawn.iter().map(|s| s.weight).sum();
    // Drawn by uid and restart count: a replay draws the same stage, and each restart draws again.
    let mut left = scope.draw(world.seed, "weight") * f64::from(total);
    let stage = drawn.into_iter().find(|stage| {
        left -= f64::from(stage.weight);
        left < 0.0
    })?;
    let due = scope.due(stage, world.seed);
    if due <= world.now {
        return Some(stage);
    }
    played.wake_at(due, scope.circles());
    None
}

pub(super) fn events(scope: &Scope<'_>, next: &StageEffect, field: &str) -> Vec<ReportedEvent> {
    let event = |e: &super::stage::EventTemplate| ReportedEvent {
        kind: e.kind.clone(),
        reason: e.reason.clone(),
        message: scope.filled_text(&e.message),
        field: field.to_owned(),
        repeats: None,
    };
    next.events.iter().map(event).collect()
}

pub(super) fn field_path(container: &Container<'_>) -> String {
    let list = match container.role {
        Role::Init | Role::Sidecar => "initContainers",
        Role::Main => "containers",
        Role::Ephemeral => "ephemeralContainers",
    };
    format!("spec.{list}{{{}}}", text(container.spec, "name"))
}

/// Returns the status of a Pod that the kubelet has accepted.
fn started(pod: &Value, world: &World<'_>, unfilled: bool) -> Value {
    let mut status = match field(pod, "status") {
        Value::Object(map) => Value::Object(map.clone()),
        _ => json!({}),
    };
    let host = world.node.map_or("", host_address).to_owned();
    let shares = at(pod, &["spec", "hostNetwork"]).as_bool() == Some(true);
    let address = match () {
        () if unfilled => String::new(),
        () if shares => host.clone(),
        () => world.address.to_owned(),
    };
    // Fields that another writer has set stay, and most Pods have all of them.
    let mut missing = |name: &str, value: &dyn Fn() -> Value| {
        if field(&status, name).is_null() {
            status[name] = value();
        }
    };
    missing("startTime", &|| json!(moment::text(world.now)));
    if !host.is_empty() {
        missing("hostIP", &|| json!(host));
        missing("hostIPs", &|| json!([{"ip": host}]));
    }
    if !address.is_empty() {
        missing("podIP", &|| json!(address));
        missing("podIPs", &|| json!([{"ip": address}]));
    }
    missing("qosClass", &|| json!(crate::kinds::pod::qos::class(pod)));
    status
}

/// Returns the address of a node.
pub(super) fn host_address(node: &Value) -> &str {
    let addresses = list(field(node, "status"), "addresses");
    let internal = addresses.iter().find(|a| text(a, "type") == "InternalIP");
    internal.map_or("", |a| text(a, "address"))
}
