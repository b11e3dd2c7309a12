//! The whole reconciler, evaluation by evaluation.

use jiff::SignedDuration;

use super::controller::{Autoscaler, PERIOD};
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::harness::{ControllerHarness, content};
use crate::kinds::tree::{at, list, text};
use crate::runtime::{Change, Controller, Failure, Key, Object, Plan, ReconcileContext, Seed};
use crate::watched;

/// Returns a deployment of `current` ready Pods, each with these annotations and asking for 100m.
fn harness(current: i64, annotations: &Value, spec: Value) -> ControllerHarness<Autoscaler> {
    let mut harness = ControllerHarness::new(Autoscaler::default());
    harness.put(
        "apps/v1",
        "Deployment",
        json!({"metadata": {"name": "shop"}, "spec": {
            "replicas": current, "selector": {"matchLabels": {"app": "shop"}},
        }}),
    );
    for number in 0..current {
        harness.put("v1", "Pod", json!({
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
    harness.put("autoscaling/v2", "HorizontalPodAutoscaler", hpa);
    harness.now += PERIOD;
    harness
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
    let told = plan.changes.iter().flat_map(|w| &w.on_success);
    let told = told.chain(&plan.events).map(|n| n.message.clone());
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
        let mut harness = harness(current, &json!({"ctl.dev/cpu-usage": cpu}), json!({}));
        let plan = harness.plan("default", "h");
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
fn the_initial_replicas_stay_for_five_minutes() {
    let mut harness = harness(4, &json!({"ctl.dev/cpu-usage": "10m"}), json!({}));
    let start = harness.now;
    for (seconds, scaled) in [(0, None), (299, None), (300, Some(1))] {
        harness.now = start + jiff::SignedDuration::from_secs(seconds);
        let plan = harness.plan("default", "h");
        harness.done(&plan);
        let rescale = plan.changes.first();
        let got = rescale.map(|w| content(w)["spec"]["replicas"].as_i64().unwrap());
        assert_eq!(got, scaled, "after {seconds} s");
        if let Some(rescale) = rescale {
            let told = rescale.on_success.first().map(|note| &*note.message);
            assert_eq!(told, Some("New size: 1; reason: All metrics below target"));
        }
    }
}

#[test]
fn replica_bounds_take_precedence_over_metrics() {
    let (scaled, reasons, told) =
        outcome(&harness(3, &json!({}), json!({"minReplicas": 5})).plan("default", "h"));
    assert_eq!(
        (scaled, reasons.as_slice()),
        (Some(5), &["SucceededRescale".to_owned()][..])
    );
    assert_eq!(
        told,
        ["New size: 5; reason: Current number of replicas below Spec.MinReplicas"]
    );
    let (scaled, ..) =
        outcome(&harness(3, &json!({}), json!({"maxReplicas": 2})).plan("default", "h"));
    assert_eq!(scaled, Some(2));
    let (scaled, reasons, _) = outcome(&harness(0, &json!({}), json!({})).plan("default", "h"));
    assert_eq!((scaled, reasons[1].as_str()), (None, "ScalingDisabled"));
}

#[test]
fn missing_metrics_are_reported_once() {
    let mut harness = harness(2, &json!({}), json!({}));
    let plan = harness.plan("default", "h");
    let why = "failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics \
               from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)";
    let told: Vec<_> = plan
        .events
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
    assert_eq!(
        (plan.requeue_after, plan.idle_requeue_after),
        (None, Some(PERIOD))
    );
    let hpa = content(&plan.status[0]).clone();
    harness.put("autoscaling/v2", "HorizontalPodAutoscaler", hpa);
    let again = harness.plan("default", "h");
    assert_eq!((again.events.len(), again.status.len()), (0, 0));
}

#[test]
fn unavailable_metric_keeps_its_index_and_is_reported_once() {
    let metrics = json!([
        {"type": "Pods", "pods": {"metric": {"name": "qps"}, "target": {"averageValue": "10"}}},
        {"type": "Resource", "resource": {"name": "cpu", "target": {"averageUtilization": 50}}},
    ]);
    let used = json!({"ctl.dev/cpu-usage": "50m"});
    let mut harness = harness(2, &used, json!({"metrics": metrics}));
    let plan = harness.plan("default", "h");
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
    harness.put("autoscaling/v2", "HorizontalPodAutoscaler", hpa);
    let again = harness.plan("default", "h");
    assert_eq!((again.events.len(), again.status.len()), (0, 0));
}

#[test]
fn a_missing_target_is_reported() {
    let mut harness = ControllerHarness::new(Autoscaler::default());
    harness.put("autoscaling/v2", "HorizontalPodAutoscaler", json!({"metadata": {"name": "h"}, "spec": {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "no"}, "maxReplicas": 3,
    }}));
    harness.now += PERIOD;
    let (_, reasons, told) = outcome(&harness.plan("default", "h"));
    assert_eq!(
        (reasons[0].as_str(), told[0].as_str()),
        ("FailedGetScale", "deployments.apps \"no\" not found")
    );
    // Between two periods, nothing is news.
    let told = |harness: &mut ControllerHarness<Autoscaler>, seconds: i64| {
        let plan = harness.plan("default", "h");
        harness.done(&plan);
        harness.now += jiff::SignedDuration::from_secs(seconds);
        plan.events.len()
    };
    let all = [5, 10, 15, 15].map(|seconds| told(&mut harness, seconds));
    assert_eq!(all, [1, 0, 1, 1]);
}

#[test]
fn pod_and_external_metrics_scale_the_target() {
    let pods = json!([{"type": "Pods", "pods": {"metric": {"name": "qps"}, "target": {"averageValue": "10"}}}]);
    let (scaled, ..) = outcome(
        &harness(
            2,
            &json!({"ctl.dev/metric.qps": "15"}),
            json!({"metrics": pods}),
        )
        .plan("default", "h"),
    );
    assert_eq!(scaled, Some(3));
    let external = json!([{"type": "External", "external": {"metric": {"name": "queue"}, "target": {"averageValue": "30"}}}]);
    let mut harness = harness(2, &json!({}), json!({"metrics": external}));
    let hpa = harness
        .cache
        .get(watched::autoscalers(), "default", "h")
        .unwrap();
    let mut hpa = hpa.to_value();
    hpa["metadata"]["annotations"] = json!({"ctl.dev/metric.queue": "100"});
    harness.put("autoscaling/v2", "HorizontalPodAutoscaler", hpa);
    assert_eq!(outcome(&harness.plan("default", "h")).0, Some(4));
}

/// Returns the plan made after the scale update was refused.
fn refused(harness: &mut ControllerHarness<Autoscaler>, failures: u32) -> Plan {
    let refused = [Failure {
        rule: "rescale: from 2 to 4".to_owned(),
        index: Some(0),
        status: Status::bad_request("no way"),
    }];
    harness.controller.plan(&ReconcileContext {
        key: &Key::new("default", "h"),
        cache: &harness.cache,
        now: harness.now,
        failures,
        refused: &refused,
        seed: Seed(7),
        pods: harness.mode,
        identity: crate::harness::identity(),
    })
}

#[test]
fn the_status_reports_a_refused_rescale() {
    let mut harness = harness(2, &json!({"ctl.dev/cpu-usage": "100m"}), json!({}));
    let plan = harness.plan("default", "h");
    let told = plan.changes[0].on_failure.as_ref().unwrap();
    assert_eq!(told.reason, "FailedRescale");
    let why = "cpu resource utilization (percentage of request) above target";
    assert_eq!(
        told.message,
        format!("New size: 4; reason: {why}; error: {{error}}")
    );
    let second = refused(&mut harness, 1);
    assert!(
        second.changes.is_empty() && second.events.is_empty(),
        "{second:?}"
    );
    let status = &content(&second.status[0])["status"];
    let able = &status["conditions"][0];
    assert_eq!(
        (
            text(able, "type"),
            text(able, "status"),
            text(able, "reason")
        ),
        ("AbleToScale", "False", "FailedUpdateScale")
    );
    assert_eq!(
        text(able, "message"),
        "the HPA controller was unable to update the target scale: no way"
    );
    assert_eq!(
        (
            &status["currentReplicas"],
            &status["desiredReplicas"],
            &status["lastScaleTime"]
        ),
        (&json!(2), &json!(0), &Value::Null)
    );
    assert_eq!(list(status, "currentMetrics").len(), 1);
    // The write is retried, but the cluster is settled meanwhile.
    assert_eq!(
        (second.requeue_after, second.idle_requeue_after),
        (None, Some(PERIOD))
    );
}

/// Sets the number of replicas in the status of the deployment.
fn there(harness: &mut ControllerHarness<Autoscaler>, replicas: i64) {
    let target = harness.cache.get(watched::deployments(), "default", "shop");
    let mut target = target.unwrap().to_value();
    target["status"] = json!({"replicas": replicas});
    harness.put("apps/v1", "Deployment", target);
}

#[test]
fn external_average_value_is_divided_by_existing_pods() {
    let metrics = json!([{"type": "External", "external": {
        "metric": {"name": "queue"}, "target": {"averageValue": "30"},
    }}]);
    // Four are desired and three run: an average of 60 is enough for two, 90 for three.
    for (queue, scaled, average) in [
        ("90", Some(3), "30"),
        ("110", None, "36667m"),
        ("60", None, "20"),
    ] {
        let mut harness = harness(4, &json!({}), json!({"metrics": metrics}));
        there(&mut harness, 3);
        let hpa = watched::autoscalers();
        let mut hpa = harness.cache.get(hpa, "default", "h").unwrap().to_value();
        hpa["metadata"]["annotations"] = json!({"ctl.dev/metric.queue": queue});
        harness.put("autoscaling/v2", "HorizontalPodAutoscaler", hpa);
        let plan = harness.plan("default", "h");
        let status = &content(&plan.status[0])["status"];
        let current = at(
            &status["currentMetrics"][0],
            &["external", "current", "averageValue"],
        );
        assert_eq!(current, &json!(average), "{queue}");
        let to = plan
            .changes
            .first()
            .map(|w| content(w)["spec"]["replicas"].as_i64().unwrap());
        // Scaling down waits for five minutes.
        assert_eq!(to.or(scaled), scaled, "{queue}: {:?}", plan.changes);
    }
}

/// Returns the reason why the only metric of an autoscaler is unavailable.
fn why(harness: &mut ControllerHarness<Autoscaler>) -> (String, String) {
    let plan = harness.plan("default", "h");
    let of = |reason: &str| {
        let note = plan.events.iter().find(|n| n.reason.starts_with(reason));
        note.map(|n| n.message.clone()).unwrap_or_default()
    };
    (of("FailedGet"), of("FailedComputeMetricsReplicas"))
}

#[test]
fn reasons_for_unavailable_usage_have_kubernetes_texts() {
    let container = |name: &str| {
        json!([{"type": "ContainerResource", "containerResource": {
            "name": "cpu", "container": name, "target": {"averageUtilization": 50},
        }}])
    };
    let used = json!({"ctl.dev/cpu-usage": "50m"});
    let mut none = harness(1, &json!({}), json!({}));
    none.put(
        "v1",
        "Pod",
        json!({"metadata": {"name": "other", "annotations": used}}),
    );
    let mut only_memory = harness(1, &json!({"ctl.dev/memory-usage": "1Mi"}), json!({}));
    let mut other_container = harness(1, &used, json!({"metrics": container("x")}));
    let mut unready = harness(0, &used, json!({"minReplicas": 0}));
    unready.put(
        "v1",
        "Pod",
        json!({
            "metadata": {"name": "p", "labels": {"app": "shop"}, "annotations": used},
            "spec": {"containers": [{"name": "c"}]}, "status": {"phase": "Pending"},
        }),
    );
    let usage = "failed to get cpu utilization: ";
    for (harness, what, first, told) in [
        (
            &mut none,
            "cpu resource",
            usage,
            "unable to get metrics for resource cpu: no metrics returned from resource metrics API",
        ),
        (
            &mut only_memory,
            "cpu resource",
            usage,
            "did not receive metrics for targeted pods (pods might be unready)",
        ),
        (
            &mut other_container,
            "x container",
            usage,
            "unable to get metrics for resource cpu: failed to get container metrics: container x not \
             present in metrics for pod default/p0",
        ),
        (
            &mut unready,
            "cpu resource",
            usage,
            "did not receive metrics for targeted pods (pods might be unready)",
        ),
    ] {
        let (get, compute) = why(harness);
        assert_eq!(get, format!("{first}{told}"));
        assert_eq!(
            compute,
            format!(
                "invalid metrics (1 invalid out of 1), first error is: failed to get {what} metric value: {first}{told}"
            )
        );
    }
}

#[test]
fn utilization_includes_sidecar_and_pod_level_requests() {
    let pod = |spec: Value| {
        json!({
            "metadata": {"name": "p0", "labels": {"app": "shop"}, "annotations": {"ctl.dev/cpu-usage": "50m"}},
            "spec": spec,
            "status": {"phase": "Running", "startTime": "2026-01-02T11:00:00Z", "conditions": [
                {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-02T11:00:01Z"},
            ]},
        })
    };
    let cpu = |cpu: &str| json!({"requests": {"cpu": cpu}});
    let sidecar = json!({
        "containers": [{"name": "c", "resources": cpu("100m")}],
        "initContainers": [
            {"name": "setup", "resources": cpu("900m")},
            {"name": "side", "restartPolicy": "Always", "resources": cpu("25m")},
        ],
    });
    let level = json!({"containers": [{"name": "c"}], "resources": cpu("40m")});
    for (spec, utilization) in [(sidecar, 80), (level, 125)] {
        let mut harness = harness(1, &json!({}), json!({}));
        harness.put("v1", "Pod", pod(spec));
        let plan = harness.plan("default", "h");
        let status = &content(&plan.status[0])["status"];
        let current = at(&status["currentMetrics"][0], &["resource", "current"]);
        assert_eq!(
            current["averageUtilization"],
            json!(utilization),
            "{status}"
        );
    }
}

#[test]
fn unscalable_target_is_reported_with_the_api_server_error() {
    for (api_version, kind, why) in [
        (
            "apps/v1",
            "Nothing",
            "no matches for kind \"Nothing\" in group \"apps\"",
        ),
        (
            "apps/v1",
            "DaemonSet",
            "the server could not find the requested resource",
        ),
        (
            "apps/v1beta1",
            "Deployment",
            "deployments.apps \"no\" not found",
        ),
    ] {
        let mut harness = ControllerHarness::new(Autoscaler::default());
        harness.put("autoscaling/v2", "HorizontalPodAutoscaler", json!({"metadata": {"name": "h"}, "spec": {
            "scaleTargetRef": {"apiVersion": api_version, "kind": kind, "name": "no"}, "maxReplicas": 3,
        }}));
        harness.now += PERIOD;
        assert_eq!(harness.plan("default", "h").events[0].message, why);
    }
}

#[test]
fn pod_becoming_ready_requeues_after_one_period() {
    let mut harness = harness(1, &json!({"ctl.dev/cpu-usage": "10m"}), json!({}));
    let before = harness.cache.get(watched::pods(), "default", "p0").cloned();
    let watches = harness.controller.watches();
    let led = |harness: &ControllerHarness<Autoscaler>, change: &Change| -> Vec<SignedDuration> {
        let of_pods = watches
            .iter()
            .filter(|w| w.kind.is_some_and(|k| k.kind == "Pod"));
        let leads = of_pods.filter(|w| !(w.keys)(change, &harness.cache).is_empty());
        leads.map(|w| w.delay).collect()
    };
    let mut unready = before.clone().unwrap().to_value();
    unready["status"]["conditions"][0]["status"] = json!("False");
    let unready = Some(harness.put("v1", "Pod", unready));
    let change = |before: &Option<Object>, after: &Option<Object>| Change {
        before: before.clone(),
        after: after.clone(),
    };
    assert_eq!(led(&harness, &change(&unready, &before)), [PERIOD]);
    assert_eq!(led(&harness, &change(&before, &unready)), []);
    assert_eq!(led(&harness, &change(&before, &before)), []);
}

#[test]
fn a_new_autoscaler_is_evaluated_after_one_period() {
    let mut harness = harness(2, &json!({"ctl.dev/cpu-usage": "100m"}), json!({}));
    let created = harness.now - PERIOD;
    for (seconds, left) in [(0, 15), (14, 1)] {
        harness.now = created + SignedDuration::from_secs(seconds);
        let plan = harness.plan("default", "h");
        assert!(plan.is_empty(), "after {seconds} s: {plan:?}");
        assert_eq!(plan.requeue_after, Some(SignedDuration::from_secs(left)));
    }
    harness.now = created + PERIOD;
    assert_eq!(outcome(&harness.plan("default", "h")).0, Some(4));
}

#[test]
fn next_evaluation_after_a_rescale_is_one_period_later() {
    let mut harness = harness(2, &json!({"ctl.dev/cpu-usage": "100m"}), json!({}));
    let plan = harness.plan("default", "h");
    assert_eq!(outcome(&plan).0, Some(4));
    harness.done(&plan);
    harness.now += SignedDuration::from_secs(5);
    let soon = harness.plan("default", "h");
    assert!(soon.is_empty());
    assert_eq!(soon.requeue_after, Some(SignedDuration::from_secs(10)));
    harness.now += SignedDuration::from_secs(10);
    assert_eq!(outcome(&harness.plan("default", "h")).0, Some(4));
}
