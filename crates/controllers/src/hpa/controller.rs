//! The reconciler: evaluates each autoscaler every 15 seconds.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::behavior::{self, Memory, Replicas};
use super::measure::{Proposal, Scene, Unknown, is_metered};
use crate::api::json::{Value, json};
use crate::api::selector::LabelSelector;
use crate::cluster::{Part, PatchType, ScalePaths};
use crate::kinds::condition::{self, NewCondition};
use crate::kinds::kind::split_api_version;
use crate::kinds::moment;
use crate::kinds::tree::{field, int, list, text};
use crate::kinds::{Catalogue, Kind};
use crate::runtime::{
    Cache, Change, CompletedWrite, Controller, EventNote, Index, Key, Object, Plan, PlannedWrite,
    ReconcileContext, Watch,
};
use crate::views;
use crate::watched;

/// The interval between two evaluations of an autoscaler.
pub(super) const PERIOD: SignedDuration = SignedDuration::from_secs(15);

/// The index of Pods that report usage.
const METERED: &str = "metered";

fn pod_kind() -> &'static Kind {
    watched::pods()
}

fn autoscalers() -> &'static Kind {
    watched::autoscalers()
}

/// Scales workloads by the measured usage of their Pods.
#[derive(Debug, Default)]
pub(crate) struct Autoscaler {
    memory: BTreeMap<String, Memory>,
    /// The times at which problems were last reported, or first looked for, by uid.
    told: BTreeMap<String, Timestamp>,
}

impl Controller for Autoscaler {
    fn name(&self) -> &'static str {
        "horizontalpodautoscaler"
    }

    fn component(&self) -> &'static str {
        "horizontal-pod-autoscaler"
    }

    fn watches(&self) -> Vec<Watch> {
        let within = |change: &Change, cache: &Cache| -> Vec<Key> {
            let namespace = change.object().map_or("", Object::namespace);
            cache
                .list(autoscalers(), namespace)
                .map(|h| h.key().clone())
                .collect()
        };
        let pods = Watch::new(watched::pods(), move |change, cache| {
            // Annotations of a Pod are its metrics here: a change is evaluated at once instead of at the next period.
            let used = change.before.is_some() && change.differs("/metadata/annotations");
            if used {
                within(change, cache)
            } else {
                Vec::new()
            }
        });
        let own = Watch::new(autoscalers(), |change, _| {
            // Its own status writes must not start another evaluation.
            let asked = change.differs("/spec") || change.differs("/metadata/annotations");
            let own = change.after.iter().filter(|_| asked);
            own.map(|h| h.key().clone()).collect()
        });
        // A Pod that has just become ready now counts with its usage.
        let started = Watch::new(pod_kind(), move |change, cache| {
            let ready = |pod: &Object| condition::is_true(pod, "Ready");
            let now = change.after.as_ref();
            let now = now.is_some_and(|pod| ready(pod) && is_metered(pod));
            match now && !change.before.as_ref().is_some_and(ready) {
                true => within(change, cache),
                false => Vec::new(),
            }
        });
        let mut watches = vec![own, pods, started.after(PERIOD)];
        watches.extend(watched::scalable().map(|kind| {
            Watch::new(kind, move |change, cache| {
                // A change of the target's replicas by someone else is evaluated like a new metric.
                let other = change.before.is_none() || change.differs("/spec/replicas");
                if other {
                    within(change, cache)
                } else {
                    Vec::new()
                }
            })
        }));
        watches
    }

    fn indexes(&self) -> Vec<Index> {
        vec![Index {
            kind: pod_kind(),
            name: METERED,
            reads: &["/metadata/annotations"],
            values: |pod| {
                is_metered(pod)
                    .then(|| METERED.to_owned())
                    .into_iter()
                    .collect()
            },
        }]
    }

    fn observe(&mut self, change: &Change, _: &Cache) {
        if let (Some(gone), None) = (&change.before, &change.after) {
            self.memory.remove(gone.uid());
            self.told.remove(gone.uid());
        }
    }

    fn replay_kinds(&self, cache: &Cache) -> Vec<&'static Kind> {
        // Stabilization windows need the earlier recommendations, which the history of the autoscalers' statuses
        // holds.
        let any = cache.list(autoscalers(), "").next();
        any.map(Object::kind).into_iter().collect()
    }

    fn on_written(&mut self, write: &CompletedWrite<'_>) {
        if write.object.kind().kind == autoscalers().kind {
            let uid = write.object.uid().to_owned();
            self.memory.entry(uid).or_default().take(write);
        }
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let found = context.cache.by_key(autoscalers(), context.key);
        let Some(hpa) = found.filter(|h| !h.is_terminating()) else {
            return Plan::done();
        };
        // As upstream, a new autoscaler and a scale that was just set are evaluated one period later.
        let scaled = moment::read(field(field(hpa, "status"), "lastScaleTime"));
        let acted = scaled.or_else(|| views::meta(hpa).created());
        let ago = acted.map(|at| moment::since(at, context.now));
        if let Some(ago) = ago.filter(|ago| !ago.is_negative() && *ago < PERIOD) {
            let mut plan = Plan::done();
            plan.requeue_in(PERIOD.saturating_sub(ago));
            return plan;
        }
        let mut look = Look {
            hpa,
            context,
            conditions: condition::of(hpa),
            metrics: Value::Null,
            measured: None,
            plan: Plan::done(),
            soon: false,
            again: false,
        };
        // Reconciles between two periods report only news.
        let told = self.told.entry(hpa.uid().to_owned()).or_insert(context.now);
        if context.refused.is_empty() && moment::since(*told, context.now) >= PERIOD {
            look.again = true;
            *told = context.now;
        }
        let none = Memory::default();
        look.run(self.memory.get(hpa.uid()).unwrap_or(&none));
        // A refused write is retried, but does not keep the cluster from settling.
        match look.soon && context.failures == 0 && context.refused.is_empty() {
            true => look.plan.requeue_in(PERIOD),
            false => look.plan.idle_requeue_in(PERIOD),
        }
        if !context.refused.is_empty() {
            // The events were recorded when the refused plan was made.
            look.plan.events.clear();
        }
        look.plan
    }
}

/// The scaled object, as its `/scale` shows it.
struct Target {
    object: Object,
    /// The desired number of replicas.
    desired_replicas: i64,
    /// The current number of replicas.
    current_replicas: i64,
    selector: String,
}

/// One evaluation of one autoscaler.
struct Look<'a, 's> {
    hpa: &'a Object,
    context: &'a ReconcileContext<'s>,
    conditions: Vec<Value>,
    /// The metrics for the status; null if they were not read.
    metrics: Value,
    /// The number of replicas that the metrics propose.
    measured: Option<i64>,
    plan: Plan,
    /// True if the next evaluation is likely to change something.
    soon: bool,
    /// True if a problem that was reported before is reported again.
    again: bool,
}

impl<'s> Look<'_, 's> {
    fn say(&mut self, kind: &str, status: bool, reason: &str, message: &str) {
        let said = NewCondition {
            kind,
            status: if status { "True" } else { "False" },
            reason,
            message,
        };
        condition::set(&mut self.conditions, said, self.context.now);
    }

    fn run(&mut self, memory: &Memory) {
        let view = views::autoscaler(self.hpa);
        let target = match self.target(view.target()) {
            Ok(target) => target,
            Err(why) => {
                self.no_target(&why);
                return;
            }
        };
        self.say(
            "AbleToScale",
            true,
            "SucceededGetScale",
            "the HPA controller was able to get the target's current scale",
        );
        let current = target.desired_replicas;
        let (min, max) = (view.min_replicas().unwrap_or(1), view.max_replicas());
        let (desired, why) = match current {
            // A target that was scaled to zero by hand disables the autoscaler unless `minReplicas` is 0.
            0 if min != 0 => {
                let message = "scaling is disabled since the replica count of the target is zero";
                self.say("ScalingActive", false, "ScalingDisabled", message);
                (0, String::new())
            }
            n if n > max => (
                max,
                "Current number of replicas above Spec.MaxReplicas".to_owned(),
            ),
            n if n < min => (
                min,
                "Current number of replicas below Spec.MinReplicas".to_owned(),
            ),
            n => match self.measured(&target, n, memory) {
                Some(proposal) => proposal,
                None => {
                    self.finish(
                        current,
                        views::autoscaler(self.hpa).desired_replicas(),
                        false,
                    );
                    return;
                }
            },
        };
        if desired == current {
            self.finish(current, current, false);
            return;
        }
        match self.context.refused.iter().find(|f| f.index.is_some()) {
            Some(refused) => {
                let why = &refused.status.message;
                let message =
                    format!("the HPA controller was unable to update the target scale: {why}");
                self.say("AbleToScale", false, "FailedUpdateScale", &message);
                let desired = views::autoscaler(self.hpa).desired_replicas();
                self.finish(current, desired, false);
            }
            None => {
                let replicas = Replicas { current, desired };
                self.rescale(&target, replicas, &why);
                self.finish(current, desired, true);
            }
        }
    }

    /// Returns the scale target, or the reason why it is unknown.
    fn target(&self, reference: &Value) -> Result<Target, String> {
        let (group, _) = split_api_version(text(reference, "apiVersion"));
        let (kind, name) = (text(reference, "kind"), text(reference, "name"));
        let of_cluster = self.context.cache.kinds();
        // By group and kind, as the RESTMapper does: the version in `scaleTargetRef` may be an older one.
        let found = Catalogue::new(of_cluster).find_kind(group, kind);
        let kind =
            found.ok_or_else(|| format!("no matches for kind \"{kind}\" in group \"{group}\""))?;
        let paths = ScalePaths::for_kind(kind)
            .ok_or_else(|| "the server could not find the requested resource".to_owned())?;
        let found = self.context.cache.get(kind, self.hpa.namespace(), name);
        let object = found
            .cloned()
            .ok_or_else(|| format!("{} \"{name}\" not found", kind.qualified_resource()))?;
        let scale = paths.show(&object);
        Ok(Target {
            desired_replicas: int(field(&scale, "spec"), "replicas"),
            current_replicas: int(field(&scale, "status"), "replicas"),
            selector: text(field(&scale, "status"), "selector").to_owned(),
            object,
        })
    }

    fn no_target(&mut self, why: &str) {
        let message =
            format!("the HPA controller was unable to get the target's current scale: {why}");
        let old =
            condition::find(self.hpa, "AbleToScale").map_or("", |c| views::condition(c).message());
        if old != message || self.again {
            self.plan
                .events
                .push(EventNote::warning(self.hpa, "FailedGetScale", why));
        }
        self.say("AbleToScale", false, "FailedGetScale", &message);
        let view = views::autoscaler(self.hpa);
        self.metrics = view.current_metrics().clone();
        self.finish(view.current_replicas(), view.desired_replicas(), false);
    }

    fn rescale(&mut self, target: &Target, replicas: Replicas, why: &str) {
        let (from, to) = (replicas.current, replicas.desired);
        let rule = format!("rescale: from {from} to {to}, {why}");
        let message = format!("New size: {to}; reason: {why}");
        let refused = format!("{message}; error: {{error}}");
        // Through `/scale`, whose owner in the managed fields is a separate one, and which knows a custom resource's path.
        let patch = json!({"spec": {"replicas": to}});
        let write = PlannedWrite::patch(&target.object, Part::Scale, PatchType::Merge, patch, rule)
            .with_event(EventNote::normal(self.hpa, "SuccessfulRescale", message))
            .with_failure_event(EventNote::warning(self.hpa, "FailedRescale", refused));
        self.plan.changes.push(write);
        let message = format!("the HPA controller was able to update the target scale to {to}");
        self.say("AbleToScale", true, "SucceededRescale", &message);
        self.soon = true;
    }

    /// Returns the proposal of the metrics within the bounds; none if no metric has a value.
    fn measured(
        &mut self,
        target: &Target,
        current: i64,
        memory: &Memory,
    ) -> Option<(i64, String)> {
        let spec = field(self.hpa, "spec");
        let pods = self.pods(target)?;
        let metered = || {
            let any = self
                .context
                .cache
                .indexed(pod_kind(), METERED, METERED)
                .next();
            any.is_some() || pods.iter().any(|pod| is_metered(pod))
        };
        let scene = Scene {
            pods: &pods,
            namespace: self.hpa.namespace(),
            hpa: self.hpa,
            replicas: current,
            there: target.current_replicas,
            metered: metered(),
            now: self.context.now,
            tolerance: Scene::tolerances(self.hpa),
        };
        let metrics = views::autoscaler(self.hpa).metrics();
        let all: Vec<Result<Proposal, Unknown>> =
            metrics.iter().map(|m| scene.propose(m)).collect();
        // A metric that could not be measured keeps its place, so that the status has the order of the spec.
        let told = |one: &Result<Proposal, Unknown>| match one {
            Ok(proposal) => proposal.status.clone(),
            Err(_) => json!({"type": ""}),
        };
        self.metrics = all.iter().map(told).collect();
        // The first of the metrics with the highest proposal.
        let mut best: Option<&Proposal> = None;
        for proposal in all.iter().flatten() {
            // Of several metrics the highest proposal wins.
            if best.is_none_or(|b| b.replicas == 0 || proposal.replicas > b.replicas) {
                best = Some(proposal);
            }
        }
        let all_known = all.iter().all(Result::is_ok);
        // An unknown metric might require more replicas, so nothing scales down.
        let usable = best.filter(|b| all_known || b.replicas >= current);
        if usable.is_none() {
            self.no_metrics(&all);
        }
        self.tell_unknown(&all, usable.is_some());
        let best = usable?;
        let message = format!(
            "the HPA was able to successfully calculate a replica count from {}",
            best.metric
        );
        self.say("ScalingActive", true, "ValidMetricFound", &message);
        let why = match best.replicas.cmp(&current) {
            Ordering::Greater => format!("{} above target", best.metric),
            Ordering::Less => "All metrics below target".to_owned(),
            Ordering::Equal => String::new(),
        };
        self.measured = Some(best.replicas);
        let replicas = Replicas {
            current,
            desired: best.replicas,
        };
        let allowed = behavior::allowed(spec, memory, replicas, self.context.now);
        self.say("AbleToScale", true, allowed.able.0, allowed.able.1);
        let (limited, reason, message) = &allowed.limited;
        self.say("ScalingLimited", *limited, reason, message);
        self.soon |= allowed.replicas != best.replicas
            && !matches!(*reason, "TooManyReplicas" | "TooFewReplicas");
        Some((allowed.replicas, why))
    }

    /// Returns the Pods whose usage counts, if the selector is unambiguous.
    fn pods(&mut self, target: &Target) -> Option<Vec<&'s Object>> {
        if target.selector.is_empty() {
            let message = "the HPA target's scale is missing a selector";
            self.say("ScalingActive", false, "InvalidSelector", message);
            self.warn_both("SelectorRequired", "selector is required");
            return None;
        }
        let selector = match LabelSelector::parse(&target.selector) {
            Ok(selector) => selector,
            Err(e) => {
                let message = format!(
                    "couldn't convert selector into a corresponding internal selector object: {e}"
                );
                self.say("ScalingActive", false, "InvalidSelector", &message);
                self.warn_both("InvalidSelector", &message);
                return None;
            }
        };
        let cache = self.context.cache;
        let pods = cache.selected(pod_kind(), self.hpa.namespace(), &selector);
        if let Some(message) = self.ambiguous(target).filter(|_| !pods.is_empty()) {
            self.say("ScalingActive", false, "AmbiguousSelector", &message);
            self.warn_both("AmbiguousSelector", &message);
            return None;
        }
        Some(pods)
    }

    /// Reports that no number of replicas could be computed, and the reason.
    fn no_metrics(&mut self, all: &[Result<Proposal, Unknown>]) {
        if let Some(first) = all.iter().find_map(|one| one.as_ref().err()) {
            let message = format!(
                "the HPA was unable to compute the replica count: {}",
                first.message
            );
            self.say("ScalingActive", false, first.reason, &message);
        }
    }

    /// Reports metrics that could not be read, in each period and each time that this is news.
    fn tell_unknown(&mut self, all: &[Result<Proposal, Unknown>], usable: bool) {
        let bad: Vec<&Unknown> = all.iter().filter_map(|one| one.as_ref().err()).collect();
        let Some(first) = bad.first() else {
            return;
        };
        let before = list(field(self.hpa, "status"), "currentMetrics");
        let was_bad = |at: usize| before.get(at).is_some_and(|m| text(m, "type").is_empty());
        let places = all.iter().enumerate();
        let news = places
            .filter(|(_, one)| one.is_err())
            .any(|(at, _)| !was_bad(at));
        let said = condition::find(self.hpa, "ScalingActive");
        let stands = said.is_some_and(|c| usable || self.conditions.contains(c));
        if !news && stands && !self.again {
            return;
        }
        for unknown in &bad {
            let message = unknown.message.as_str();
            self.plan
                .events
                .push(EventNote::warning(self.hpa, unknown.reason, message));
        }
        if !usable {
            let message = format!(
                "invalid metrics ({} invalid out of {}), first error is: {}",
                bad.len(),
                all.len(),
                first.short
            );
            let note = EventNote::warning(self.hpa, "FailedComputeMetricsReplicas", message);
            self.plan.events.push(note);
        }
    }

    /// Reports a problem with the selector, in each period and if it is new.
    fn warn_both(&mut self, reason: &str, message: &str) {
        let old = condition::find(self.hpa, "ScalingActive");
        let known = old.is_some_and(|c| {
            views::condition(c).status() == "False" && self.conditions.contains(c)
        });
        if !known || self.again {
            for reason in [reason, "FailedComputeMetricsReplicas"] {
                let note = EventNote::warning(self.hpa, reason, message);
                self.plan.events.push(note);
            }
        }
    }

    /// Returns the message if several autoscalers select the same Pods.
    fn ambiguous(&self, target: &Target) -> Option<String> {
        let all = self.context.cache.list(autoscalers(), self.hpa.namespace());
        let same = all.filter(|hpa| {
            let reference = views::autoscaler(hpa).target();
            text(reference, "kind") == target.object.kind().kind
                && text(reference, "name") == target.object.name()
        });
        let names: Vec<String> = same.map(|h| h.key().to_string()).collect();
        (names.len() > 1).then(|| {
            format!(
                "pods by selector {} are controlled by multiple HPAs: [{}]",
                target.selector,
                names.join(" ")
            )
        })
    }

    fn finish(&mut self, current: i64, desired: i64, scaled: bool) {
        let old = field(self.hpa, "status");
        let metrics = self.metrics.take();
        let mut status = json!({
            "conditions": self.conditions, "currentReplicas": current, "desiredReplicas": desired,
            "currentMetrics": metrics,
        });
        let last = match scaled {
            true => json!(moment::text(self.context.now)),
            false => field(old, "lastScaleTime").clone(),
        };
        if !last.is_null() {
            status["lastScaleTime"] = last;
        }
        let rule = behavior::rule(self.measured, desired, current);
        self.plan
            .status
            .extend(PlannedWrite::status(self.hpa, status, rule));
    }
}
