//! The reconciler: looks at each autoscaler every 15 seconds.

use std::collections::BTreeMap;

use jiff::SignedDuration;

use super::behavior::{self, Memory};
use super::measure::{Proposal, Scene, Unknown};
use crate::api::json::{Value, json};
use crate::api::selector::LabelSelector;
use crate::controllers::kinds::known;
use crate::kinds::condition::{self, Said};
use crate::kinds::kind::split_api_version;
use crate::kinds::moment;
use crate::kinds::tree::{field, int, list, opt_int, text};
use crate::kinds::{Kind, find_by_api_version};
use crate::runtime::{
    Cache, Change, Controller, Deed, Key, Note, Object, Plan, Sync, Watch, Write,
};

/// How often an autoscaler looks.
pub(super) const PERIOD: SignedDuration = SignedDuration::from_secs(15);

fn autoscalers() -> &'static Kind {
    known("autoscaling/v2", "HorizontalPodAutoscaler")
}

/// Scales workloads by what their Pods use.
#[derive(Debug, Default)]
pub struct Autoscaler {
    memory: BTreeMap<String, Memory>,
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
        let pods = Watch::new(known("v1", "Pod"), move |change, cache| {
            let used = change.before.is_some() && change.differs("/metadata/annotations");
            if used {
                within(change, cache)
            } else {
                Vec::new()
            }
        });
        let own = Watch::new(autoscalers(), |change, _| {
            let asked = change.differs("/spec") || change.differs("/metadata/annotations");
            let own = change.after.iter().filter(|_| asked);
            own.map(|h| h.key().clone()).collect()
        });
        let targets = [
            ("apps/v1", "Deployment"),
            ("apps/v1", "ReplicaSet"),
            ("apps/v1", "StatefulSet"),
            ("v1", "ReplicationController"),
        ];
        let mut watches = vec![own, pods];
        watches.extend(targets.map(|(group, kind)| {
            Watch::new(known(group, kind), move |change, cache| {
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

    fn observe(&mut self, change: &Change, _: &Cache) {
        if let (Some(gone), None) = (&change.before, &change.after) {
            self.memory.remove(gone.uid());
        }
    }

    fn past(&self, cache: &Cache) -> Vec<&'static Kind> {
        let any = cache.list(autoscalers(), "").next();
        any.map(Object::kind).into_iter().collect()
    }

    fn remember(&mut self, deed: &Deed<'_>) {
        if deed.object.kind().kind == autoscalers().kind {
            let uid = deed.object.uid().to_owned();
            self.memory.entry(uid).or_default().take(deed);
        }
    }

    fn plan(&mut self, sync: &Sync<'_>) -> Plan {
        let found = sync.cache.by_key(autoscalers(), sync.key);
        let Some(hpa) = found.filter(|h| !h.is_terminating() && sync.refused.is_empty()) else {
            return Plan::done();
        };
        let mut look = Look {
            hpa,
            sync,
            conditions: condition::of(hpa),
            metrics: Value::Null,
            measured: None,
            plan: Plan::done(),
            soon: false,
        };
        let none = Memory::default();
        look.run(self.memory.get(hpa.uid()).unwrap_or(&none));
        match look.soon {
            true => look.plan.look_again(PERIOD),
            false => look.plan.look_again_idle(PERIOD),
        }
        look.plan
    }
}

/// One look at one autoscaler.
struct Look<'a, 's> {
    hpa: &'a Object,
    sync: &'a Sync<'s>,
    conditions: Vec<Value>,
    /// What the status says of the metrics: nothing where they were not looked at.
    metrics: Value,
    /// What the metrics want.
    measured: Option<i64>,
    plan: Plan,
    /// Whether the next look is likely to change something.
    soon: bool,
}

impl Look<'_, '_> {
    fn say(&mut self, kind: &str, status: bool, reason: &str, message: &str) {
        let said = Said {
            kind,
            status: if status { "True" } else { "False" },
            reason,
            message,
        };
        condition::set(&mut self.conditions, said, self.sync.now);
    }

    fn run(&mut self, memory: &Memory) {
        let spec = field(self.hpa, "spec");
        let reference = field(spec, "scaleTargetRef");
        let kind = find_by_api_version(text(reference, "apiVersion"), text(reference, "kind"));
        let name = text(reference, "name");
        let target = kind.and_then(|kind| self.sync.cache.get(kind, self.hpa.namespace(), name));
        let Some(target) = target.cloned() else {
            self.no_target(kind, reference);
            return;
        };
        self.say(
            "AbleToScale",
            true,
            "SucceededGetScale",
            "the HPA controller was able to get the target's current scale",
        );
        let current = opt_int(field(&target, "spec"), "replicas").unwrap_or(1);
        let (min, max) = (
            opt_int(spec, "minReplicas").unwrap_or(1),
            int(spec, "maxReplicas"),
        );
        let (wanted, why) = match current {
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
                Some(wanted) => wanted,
                None => {
                    self.finish(
                        current,
                        int(field(self.hpa, "status"), "desiredReplicas"),
                        false,
                    );
                    return;
                }
            },
        };
        if wanted == current {
            self.finish(current, current, false);
            return;
        }
        self.rescale(&target, (current, wanted), &why);
        self.finish(current, wanted, true);
    }

    fn no_target(&mut self, kind: Option<&'static Kind>, reference: &Value) {
        let resource = kind.map_or_else(
            || {
                let (group, _) = split_api_version(text(reference, "apiVersion"));
                format!("{}s.{group}", text(reference, "kind").to_lowercase())
            },
            Kind::qualified_resource,
        );
        let why = format!("{resource} \"{}\" not found", text(reference, "name"));
        let message =
            format!("the HPA controller was unable to get the target's current scale: {why}");
        let old = condition::find(self.hpa, "AbleToScale").map_or("", |c| text(c, "message"));
        if old != message {
            self.plan
                .notes
                .push(Note::warning(self.hpa, "FailedGetScale", why));
        }
        self.say("AbleToScale", false, "FailedGetScale", &message);
        let status = field(self.hpa, "status");
        let (current, desired) = (
            int(status, "currentReplicas"),
            int(status, "desiredReplicas"),
        );
        self.metrics = field(status, "currentMetrics").clone();
        self.finish(current, desired, false);
    }

    fn rescale(&mut self, target: &Object, (from, to): (i64, i64), why: &str) {
        let rule = format!("rescale: from {from} to {to}, {why}");
        let message = format!("New size: {to}; reason: {why}");
        let refused = format!("{message}; error: {{error}}");
        let write = Write::merge(target, json!({"spec": {"replicas": to}}), rule)
            .telling(Note::normal(self.hpa, "SuccessfulRescale", message))
            .telling_failure(Note::warning(self.hpa, "FailedRescale", refused));
        self.plan.changes.push(write);
        let message = format!("the HPA controller was able to update the target scale to {to}");
        self.say("AbleToScale", true, "SucceededRescale", &message);
        self.soon = true;
    }

    /// What the metrics want, within what is allowed; none where no metric says anything.
    fn measured(
        &mut self,
        target: &Object,
        current: i64,
        memory: &Memory,
    ) -> Option<(i64, String)> {
        let spec = field(self.hpa, "spec");
        let selector = selector(target);
        let pods = self
            .sync
            .cache
            .selected(known("v1", "Pod"), self.hpa.namespace(), &selector);
        if let Some(message) = self.ambiguous(&selector, target) {
            self.warn("AmbiguousSelector", &message);
            self.warn("FailedComputeMetricsReplicas", &message);
            self.say("ScalingActive", false, "AmbiguousSelector", &message);
            return None;
        }
        let scene = Scene {
            pods: &pods,
            namespace: self.hpa.namespace(),
            hpa: self.hpa,
            replicas: current,
            now: self.sync.now,
            tolerance: Scene::tolerances(self.hpa),
        };
        let metrics = list(spec, "metrics");
        let all: Vec<Result<Proposal, Unknown>> =
            metrics.iter().map(|m| scene.propose(m)).collect();
        // One that could not be had keeps its place, so that the status reads as the spec does.
        let told = |one: &Result<Proposal, Unknown>| match one {
            Ok(proposal) => proposal.status.clone(),
            Err(_) => json!({"type": ""}),
        };
        self.metrics = all.iter().map(told).collect();
        // The first of those that want the most.
        let mut best: Option<&Proposal> = None;
        for proposal in all.iter().flatten() {
            if best.is_none_or(|b| proposal.replicas > b.replicas) {
                best = Some(proposal);
            }
        }
        let all_known = all.iter().all(Result::is_ok);
        // What is not known might want more: then nothing shrinks.
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
        let why = match best.replicas > current {
            true => format!("{} above target", best.metric),
            false => "All metrics below target".to_owned(),
        };
        self.measured = Some(best.replicas);
        let allowed = behavior::allowed(spec, memory, (current, best.replicas), self.sync.now);
        self.say("AbleToScale", true, allowed.able.0, allowed.able.1);
        let (limited, reason, message) = &allowed.limited;
        self.say("ScalingLimited", *limited, reason, message);
        self.soon |= allowed.replicas != best.replicas
            && !matches!(*reason, "TooManyReplicas" | "TooFewReplicas");
        Some((allowed.replicas, why))
    }

    /// Says that no number can be told, and why.
    fn no_metrics(&mut self, all: &[Result<Proposal, Unknown>]) {
        if let Some(first) = all.iter().find_map(|one| one.as_ref().err()) {
            let message = format!(
                "the HPA was unable to compute the replica count: {}",
                first.message
            );
            self.say("ScalingActive", false, first.reason, &message);
        }
    }

    /// Tells of metrics that could not be had, each time that this is news.
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
        if !news && stands {
            return;
        }
        for unknown in &bad {
            let message = unknown.message.as_str();
            self.plan
                .notes
                .push(Note::warning(self.hpa, unknown.reason, message));
        }
        if !usable {
            let message = format!(
                "invalid metrics ({} invalid out of {}), first error is: {}",
                bad.len(),
                all.len(),
                first.short
            );
            let note = Note::warning(self.hpa, "FailedComputeMetricsReplicas", message);
            self.plan.notes.push(note);
        }
    }

    /// Tells of a problem that was not there before.
    fn warn(&mut self, reason: &str, message: &str) {
        let old = condition::find(self.hpa, "ScalingActive");
        let known =
            old.is_some_and(|c| text(c, "status") == "False" && self.conditions.contains(c));
        if !known {
            self.plan
                .notes
                .push(Note::warning(self.hpa, reason, message));
        }
    }

    /// Why it cannot be told whose Pods these are.
    fn ambiguous(&self, selector: &LabelSelector, target: &Object) -> Option<String> {
        let all = self.sync.cache.list(autoscalers(), self.hpa.namespace());
        let same = all.filter(|hpa| {
            let reference = field(field(hpa, "spec"), "scaleTargetRef");
            text(reference, "kind") == target.kind().kind
                && text(reference, "name") == target.name()
        });
        let names: Vec<String> = same.map(|h| h.key().to_string()).collect();
        (names.len() > 1).then(|| {
            format!(
                "pods by selector {selector} are controlled by multiple HPAs: [{}]",
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
            true => json!(moment::text(self.sync.now)),
            false => field(old, "lastScaleTime").clone(),
        };
        if !last.is_null() {
            status["lastScaleTime"] = last;
        }
        let rule = behavior::rule(self.measured, desired, current);
        self.plan
            .status
            .extend(Write::status(self.hpa, status, rule));
    }
}

/// The Pods of a target.
fn selector(target: &Object) -> LabelSelector {
    let own = field(target, "spec").get("selector");
    let read = match target.kind().kind {
        "ReplicationController" => LabelSelector::from_labels(own),
        _ => LabelSelector::from_object(own),
    };
    read.unwrap_or(LabelSelector::nothing())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::stand::{Stand, content};

    /// A deployment of `current` ready Pods, each with these annotations and asking for 100m.
    fn stand(current: i64, annotations: &Value, spec: Value) -> Stand<Autoscaler> {
        let mut stand = Stand::new(Autoscaler::default());
        stand.put(
            "apps/v1",
            "Deployment",
            json!({"metadata": {"name": "shop"}, "spec": {
                "replicas": current, "selector": {"matchLabels": {"app": "shop"}},
            }}),
        );
        for number in 0..current {
            stand.put("v1", "Pod", json!({
                "metadata": {"name": format!("p{number}"), "labels": {"app": "shop"}, "annotations": annotations},
                "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "100m"}}}]},
                "status": {"phase": "Running", "startTime": "2026-01-02T11:00:00Z", "conditions": [
                    {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-02T11:00:01Z"},
                ]},
            }));
        }
        let mut hpa = json!({"metadata": {"name": "h"}, "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "shop"},
            "minReplicas": 1, "maxReplicas": 10,
            "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {
                "type": "Utilization", "averageUtilization": 50,
            }}}],
        }});
        crate::api::patch::merge::apply(&mut hpa, &json!({"spec": spec}));
        stand.put("autoscaling/v2", "HorizontalPodAutoscaler", hpa);
        stand
    }

    fn outcome(plan: &Plan) -> (Option<i64>, Vec<String>, Vec<String>) {
        let scaled = plan
            .changes
            .first()
            .map(|w| content(w)["spec"]["replicas"].as_i64().unwrap());
        let status = &content(&plan.status[0])["status"];
        let reasons = list(status, "conditions")
            .iter()
            .map(|c| text(c, "reason").to_owned());
        let told = plan.changes.iter().flat_map(|w| &w.done);
        let told = told.chain(&plan.notes).map(|n| n.message.clone());
        (scaled, reasons.collect(), told.collect())
    }

    #[test]
    fn replicas_follow_the_use_of_cpu() {
        let utilization = "cpu resource utilization (percentage of request) above target";
        for (current, cpu, scaled, reasons, told) in [
            (
                2,
                "100m",
                Some(4),
                ["SucceededRescale", "ValidMetricFound", "DesiredWithinRange"],
                utilization,
            ),
            (
                2,
                "52m",
                None,
                ["ReadyForNewScale", "ValidMetricFound", "DesiredWithinRange"],
                "",
            ),
            (
                4,
                "10m",
                None,
                [
                    "ScaleDownStabilized",
                    "ValidMetricFound",
                    "DesiredWithinRange",
                ],
                "",
            ),
            (
                3,
                "500m",
                Some(6),
                ["SucceededRescale", "ValidMetricFound", "ScaleUpLimit"],
                utilization,
            ),
        ] {
            let mut stand = stand(current, &json!({"ctl.dev/cpu-usage": cpu}), json!({}));
            let plan = stand.plan("default", "h");
            let (got, conditions, events) = outcome(&plan);
            assert_eq!(
                (got, conditions.as_slice()),
                (scaled, &reasons.map(str::to_owned)[..]),
                "{cpu}"
            );
            match scaled {
                Some(to) => assert_eq!(events, [format!("New size: {to}; reason: {told}")]),
                None => assert_eq!(events, [""; 0]),
            }
        }
    }

    #[test]
    fn what_was_there_at_the_start_stays_for_five_minutes() {
        let mut stand = stand(4, &json!({"ctl.dev/cpu-usage": "10m"}), json!({}));
        let start = stand.now;
        for (seconds, scaled) in [(0, None), (299, None), (300, Some(1))] {
            stand.now = start + jiff::SignedDuration::from_secs(seconds);
            let plan = stand.plan("default", "h");
            stand.done(&plan);
            let rescale = plan.changes.first();
            let got = rescale.map(|w| content(w)["spec"]["replicas"].as_i64().unwrap());
            assert_eq!(got, scaled, "after {seconds} s");
            if let Some(rescale) = rescale {
                let told = rescale.done.first().map(|note| &*note.message);
                assert_eq!(told, Some("New size: 1; reason: All metrics below target"));
            }
        }
    }

    #[test]
    fn bounds_come_before_metrics() {
        let (scaled, reasons, told) =
            outcome(&stand(3, &json!({}), json!({"minReplicas": 5})).plan("default", "h"));
        assert_eq!(
            (scaled, reasons.as_slice()),
            (Some(5), &["SucceededRescale".to_owned()][..])
        );
        assert_eq!(
            told,
            ["New size: 5; reason: Current number of replicas below Spec.MinReplicas"]
        );
        let (scaled, ..) =
            outcome(&stand(3, &json!({}), json!({"maxReplicas": 2})).plan("default", "h"));
        assert_eq!(scaled, Some(2));
        let (scaled, reasons, _) = outcome(&stand(0, &json!({}), json!({})).plan("default", "h"));
        assert_eq!((scaled, reasons[1].as_str()), (None, "ScalingDisabled"));
    }

    #[test]
    fn without_metrics_it_says_so_once() {
        let mut stand = stand(2, &json!({}), json!({}));
        let plan = stand.plan("default", "h");
        let why = "failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics \
                   from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)";
        let told: Vec<_> = plan
            .notes
            .iter()
            .map(|n| (n.reason.as_str(), n.message.clone()))
            .collect();
        assert_eq!(
            told,
            [
                ("FailedGetResourceMetric", why.to_owned()),
                (
                    "FailedComputeMetricsReplicas",
                    format!(
                        "invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: {why}"
                    )
                ),
            ]
        );
        assert_eq!((plan.again, plan.again_idle), (None, Some(PERIOD)));
        let hpa = content(&plan.status[0]).clone();
        stand.put("autoscaling/v2", "HorizontalPodAutoscaler", hpa);
        let again = stand.plan("default", "h");
        assert_eq!((again.notes.len(), again.status.len()), (0, 0));
    }

    #[test]
    fn a_metric_that_cannot_be_had_keeps_its_place_and_is_told_of_once() {
        let metrics = json!([
            {"type": "Pods", "pods": {"metric": {"name": "qps"}, "target": {"averageValue": "10"}}},
            {"type": "Resource", "resource": {"name": "cpu", "target": {"averageUtilization": 50}}},
        ]);
        let used = json!({"ctl.dev/cpu-usage": "50m"});
        let mut stand = stand(2, &used, json!({"metrics": metrics}));
        let plan = stand.plan("default", "h");
        let (scaled, reasons, told) = outcome(&plan);
        assert_eq!((scaled, reasons[1].as_str()), (None, "ValidMetricFound"));
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(
            told[0].starts_with("unable to get metric qps: "),
            "{told:?}"
        );
        let hpa = content(&plan.status[0]).clone();
        let seen = list(&hpa["status"], "currentMetrics");
        assert_eq!(
            (&seen[0], text(&seen[1], "type")),
            (&json!({"type": ""}), "Resource")
        );
        stand.put("autoscaling/v2", "HorizontalPodAutoscaler", hpa);
        let again = stand.plan("default", "h");
        assert_eq!((again.notes.len(), again.status.len()), (0, 0));
    }

    #[test]
    fn a_target_that_is_not_there_is_told_of() {
        let mut stand = Stand::new(Autoscaler::default());
        stand.put("autoscaling/v2", "HorizontalPodAutoscaler", json!({"metadata": {"name": "h"}, "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "no"}, "maxReplicas": 3,
        }}));
        let (_, reasons, told) = outcome(&stand.plan("default", "h"));
        assert_eq!(
            (reasons[0].as_str(), told[0].as_str()),
            ("FailedGetScale", "deployments.apps \"no\" not found")
        );
    }

    #[test]
    fn other_metrics_count_too() {
        let pods = json!([{"type": "Pods", "pods": {"metric": {"name": "qps"}, "target": {"averageValue": "10"}}}]);
        let (scaled, ..) = outcome(
            &stand(
                2,
                &json!({"ctl.dev/metric.qps": "15"}),
                json!({"metrics": pods}),
            )
            .plan("default", "h"),
        );
        assert_eq!(scaled, Some(3));
        let external = json!([{"type": "External", "external": {"metric": {"name": "queue"}, "target": {"averageValue": "30"}}}]);
        let mut stand = stand(2, &json!({}), json!({"metrics": external}));
        let hpa = stand.cache.get(autoscalers(), "default", "h").unwrap();
        let mut hpa = hpa.to_value();
        hpa["metadata"]["annotations"] = json!({"ctl.dev/metric.queue": "100"});
        stand.put("autoscaling/v2", "HorizontalPodAutoscaler", hpa);
        assert_eq!(outcome(&stand.plan("default", "h")).0, Some(4));
    }
}
