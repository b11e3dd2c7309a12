//! Tests of the metrics APIs in a cluster whose objects declare values.

use super::super::{Body, respond};
use super::*;
use crate::cluster::testing::{in_memory, place, pod};
use crate::cluster::{Part, WriteOptions, administrator};

fn metered() -> Cluster {
    let cluster = in_memory();
    let options = WriteOptions::default();
    let mut web = pod("web");
    web["metadata"]["labels"] = json!({"app": "web"});
    web["metadata"]["annotations"] = json!({
        "ctl.dev/cpu-usage": "250m", "ctl.dev/memory-usage": "64Mi", "ctl.dev/metric.qps": "12",
    });
    let mut made = cluster
        .create(&place("pods"), &web, &options)
        .unwrap()
        .object;
    made["status"] = json!({"phase": "Running"});
    let pods = place("pods");
    let _ = cluster
        .replace(&pods, "web", &made, Part::Status, &options)
        .unwrap();
    let scaler = json!({
        "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "annotations": {
            "ctl.dev/metric.queue": "30", "ctl.dev/metric.hits": "1500m",
        }},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "maxReplicas": 3, "metrics": [
                {"type": "External", "external": {
                    "metric": {"name": "queue", "selector": {"matchLabels": {"of": "mail"}}},
                    "target": {"type": "Value", "value": "10"},
                }},
                {"type": "Object", "object": {
                    "describedObject": {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "name": "main"},
                    "metric": {"name": "hits", "selector": {"matchLabels": {"verb": "GET"}}}, "target": {"type": "Value", "value": "1"},
                }},
            ],
        },
    });
    let scalers = place("horizontalpodautoscalers");
    let _ = cluster.create(&scalers, &scaler, &options).unwrap();
    cluster
}

fn got(cluster: &Cluster, path: &str) -> (u16, Value) {
    let response = respond(cluster, &Request::get(path, administrator()));
    match response.body {
        Body::Object(object) => (response.code, object),
        Body::Text(text) => (response.code, json!(text)),
        other => panic!("{other:?}"),
    }
}

/// Returns the items of a list of resources.
fn resources(list: &Value) -> Vec<&Value> {
    let all = list["resources"].as_array().unwrap();
    all.iter().map(|resource| &resource["name"]).collect()
}

#[test]
fn metrics_apis_return_404_without_declared_values() {
    let cluster = in_memory();
    for group in [RESOURCE, CUSTOM, EXTERNAL] {
        assert_eq!(got(&cluster, &format!("/apis/{group}")).0, 404, "{group}");
    }
    assert_eq!(got(&cluster, "/apis/metrics.k8s.io/v1beta1/nodes").0, 404);
    let (_, groups) = got(&cluster, "/apis");
    assert!(!groups.to_string().contains("metrics.k8s.io"));
}

#[test]
fn usage_is_listed_selected_and_found_by_name() {
    let cluster = metered();
    let (code, all) = got(&cluster, "/apis/metrics.k8s.io/v1beta1/pods");
    assert_eq!((code, &all["kind"]), (200, &json!("PodMetricsList")));
    let usage = json!([{"name": "c", "usage": {"cpu": "250m", "memory": "64Mi"}}]);
    assert_eq!(all["items"][0]["containers"], usage);
    let own = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods";
    for (query, count) in [("", 1), ("?labelSelector=app%3Dother", 0)] {
        let (_, list) = got(&cluster, &format!("{own}{query}"));
        assert_eq!(list["items"].as_array().unwrap().len(), count, "{query}");
    }
    assert_eq!(
        got(&cluster, &format!("{own}/web")).1["metadata"]["name"],
        "web"
    );
    let (code, refused) = got(&cluster, &format!("{own}/none"));
    let message = "podmetrics.metrics.k8s.io \"default/none\" not found";
    assert_eq!((code, &refused["message"]), (404, &json!(message)));
    let (code, _) = got(&cluster, "/apis/metrics.k8s.io/v1beta1/nodes");
    assert_eq!(code, 200);
    let (_, list) = got(&cluster, "/apis/metrics.k8s.io/v1beta1");
    assert_eq!(resources(&list), ["nodes", "pods"]);
}

#[test]
fn custom_metrics_include_pods_and_described_objects() {
    let cluster = metered();
    let of = |below: &str| got(&cluster, &format!("/apis/custom.metrics.k8s.io/{below}"));
    let (code, list) = of("v1beta2/namespaces/default/pods/*/qps?labelSelector=app%3Dweb");
    assert_eq!((code, &list["kind"]), (200, &json!("MetricValueList")));
    assert_eq!(
        list["items"],
        json!([{
            "describedObject": {"apiVersion": "v1", "kind": "Pod", "namespace": "default", "name": "web"},
            "metric": {"name": "qps", "selector": null},
            "timestamp": "2026-01-01T00:00:00Z", "value": "12",
        }])
    );
    let (_, old) = of("v1beta1/namespaces/default/pods/web/qps");
    assert_eq!(old["items"][0]["metricName"], "qps");
    let (_, hits) = of("v1beta2/namespaces/default/ingresses.networking.k8s.io/main/hits");
    assert_eq!(hits["items"][0]["value"], "1500m");
    // This selects by the metric's own labels rather than those of the objects.
    let hits = "v1beta2/namespaces/default/ingresses.networking.k8s.io/main/hits";
    for (selector, code) in [
        ("verb%3DGET", 200),
        ("verb+in+(GET,PUT)", 200),
        ("verb%3DPUT", 404),
        ("verb%3D%3D%3D", 400),
    ] {
        let (found, list) = of(&format!("{hits}?metricLabelSelector={selector}"));
        assert_eq!(found, code, "{selector}: {list}");
    }
    let (_, list) = of(&format!("{hits}?metricLabelSelector=verb%3DGET"));
    let selector = &list["items"][0]["metric"]["selector"];
    assert_eq!(selector, &json!({"matchLabels": {"verb": "GET"}}));
    let (code, _) = of("v1beta2/namespaces/default/pods/web/qps?metricLabelSelector=verb");
    assert_eq!(code, 404);
    let (code, refused) = of("v1beta2/namespaces/default/pods/*/none");
    let message = "the server could not find the metric none for pods";
    assert_eq!((code, &refused["message"]), (404, &json!(message)));
    let (_, list) = of("v1beta2");
    assert_eq!(
        resources(&list),
        ["ingresses.networking.k8s.io/hits", "pods/qps"]
    );
}

#[test]
fn external_metrics_come_from_autoscaler_annotations() {
    let cluster = metered();
    let path = "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue";
    let (code, list) = got(&cluster, path);
    assert_eq!(
        (code, &list["kind"]),
        (200, &json!("ExternalMetricValueList"))
    );
    let item = &list["items"][0];
    assert_eq!(
        (&item["value"], &item["metricLabels"]),
        (&json!("30"), &json!({"of": "mail"}))
    );
    let (_, none) = got(&cluster, &format!("{path}?labelSelector=of%3Dodd"));
    assert_eq!(none["items"], json!([]));
    let all = Request {
        accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        ..Request::get("/apis", administrator())
    };
    let Body::Object(all) = respond(&cluster, &all).body else {
        panic!("no object");
    };
    for group in [RESOURCE, CUSTOM, EXTERNAL] {
        let named = |item: &&Value| item["metadata"]["name"] == group;
        assert!(
            all["items"].as_array().unwrap().iter().any(|i| named(&i)),
            "{group}"
        );
    }
}
