//! The metrics APIs, which other servers provide on a real cluster: `metrics.k8s.io`, `custom.metrics.k8s.io` and
//! `external.metrics.k8s.io`.
//!
//! Each exists if an object declares a value for it, by the annotations that the autoscaler uses too.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::path::Found;
use super::query::{Query, unescaped};
use super::{Call, Request, Response, not_allowed};
use crate::api::json::{Value, json};
use crate::api::selector::LabelSelector;
use crate::api::status::Status;
use crate::cluster::{ApiError, Cluster, Place, Selection};
use crate::kinds::rbac::AccessAttributes;
use crate::kinds::tree::{at, field, list, text};
use crate::kinds::usage::{self, NODE_METRICS, POD_METRICS, PodUsage};
use crate::kinds::{Catalogue, Kind, fake};

const RESOURCE: &str = "metrics.k8s.io";
const CUSTOM: &str = "custom.metrics.k8s.io";
const EXTERNAL: &str = "external.metrics.k8s.io";

/// The values that objects declare.
#[derive(Debug, Default)]
pub(super) struct Measured {
    /// The Pods that report usage.
    pods: Vec<(Value, PodUsage)>,
    custom: Group,
    external: Group,
}

/// A group whose resources are metrics.
#[derive(Debug, Default)]
pub(super) struct Group {
    name: &'static str,
    versions: &'static [&'static str],
    kind: &'static str,
    // In the order of their objects: the API guarantees none, and this one is stable.
    samples: Vec<Sample>,
}

/// A value of a metric.
#[derive(Debug)]
struct Sample {
    /// The resource of the described object, such as `pods`; empty for an external metric.
    resource: String,
    namespace: String,
    metric: String,
    value: String,
    /// The described object; null for an external metric.
    object: Value,
    /// The labels of the described object, or of the external metric.
    labels: Value,
}

/// The samples that a path selects.
#[derive(Debug, PartialEq)]
struct Asked {
    group: &'static str,
    version: String,
    namespace: String,
    resource: String,
    name: String,
    metric: String,
}

impl Measured {
    /// Returns the values that a request for a path needs; none for other paths.
    pub(super) fn at(cluster: &Cluster, kinds: &Catalogue, path: &str) -> Result<Self, ApiError> {
        let words = words(path);
        let mut words = words.iter().map(String::as_str);
        // Only discovery and these groups need the Pods, which other requests must not read.
        let concerned = match (words.next(), words.next()) {
            (Some("apis"), group) => {
                group.is_none_or(|group| [RESOURCE, CUSTOM, EXTERNAL].contains(&group))
            }
            _ => false,
        };
        if !concerned {
            return Ok(Self::default());
        }
        let (mut found, feed) = (Self::default(), cluster.feed());
        found.custom = Group {
            name: CUSTOM,
            versions: &["v1beta2", "v1beta1"],
            kind: "MetricValueList",
            samples: Vec::new(),
        };
        found.external = Group {
            name: EXTERNAL,
            versions: &["v1beta1"],
            kind: "ExternalMetricValueList",
            samples: Vec::new(),
        };
        if let Some(pods) = kinds.find("", "v1", "Pod") {
            for word in [fake::CPU_USAGE, fake::MEMORY_USAGE, fake::METRIC] {
                for pod in feed.containing(&Place::new(pods, ""), word)? {
                    found.add_pod(word, pod);
                }
            }
        }
        if let Some(scalers) = kinds.find("autoscaling", "v2", "HorizontalPodAutoscaler") {
            for scaler in feed.containing(&Place::new(scalers, ""), fake::METRIC)? {
                found.add_scaler(kinds, &scaler);
            }
        }
        Ok(found)
    }

    fn add_pod(&mut self, word: &str, pod: Value) {
        let metadata = field(&pod, "metadata");
        let (namespace, name) = (text(metadata, "namespace"), text(metadata, "name"));
        if word == fake::METRIC {
            let samples = usage::declared(&pod).map(|(metric, value)| Sample {
                resource: "pods".to_owned(),
                namespace: namespace.to_owned(),
                metric: metric.to_owned(),
                value: value.to_string(),
                object: json!({"apiVersion": "v1", "kind": "Pod", "namespace": namespace, "name": name}),
                labels: field(metadata, "labels").clone(),
            });
            // A Pod without usage can still have custom metrics.
            return self.custom.samples.extend(samples);
        }
        let known =
            |(_, used): &(Value, PodUsage)| used.namespace == namespace && used.name == name;
        // A Pod with CPU and memory is found by both.
        if !self.pods.iter().any(known)
            && let Some(used) = PodUsage::of(&pod)
        {
            self.pods.push((pod, used));
        }
    }

    /// Adds the object and external metrics of an autoscaler, which declares their values itself.
    fn add_scaler(&mut self, kinds: &Catalogue, scaler: &Value) {
        let namespace = text(field(scaler, "metadata"), "namespace");
        let metrics = list(field(scaler, "spec"), "metrics");
        for (metric, value) in usage::declared(scaler) {
            let sample = |resource: String, object: Value, labels: Value| Sample {
                resource,
                namespace: namespace.to_owned(),
                metric: metric.to_owned(),
                value: value.to_string(),
                object,
                labels,
            };
            // The annotation does not contain the type of a metric, so the specification determines the APIs.
            for source in metrics {
                let (object, external) = (field(source, "object"), field(source, "external"));
                let named = |source: &Value| text(field(source, "metric"), "name") == metric;
                if named(object) {
                    let mut described = field(object, "describedObject").clone();
                    let version = text(&described, "apiVersion").to_owned();
                    let kind = kinds.find_by_api_version(&version, text(&described, "kind"));
                    let resource = kind.map(Kind::qualified_resource).unwrap_or_default();
                    // An autoscaler describes only objects in its own namespace.
                    described["namespace"] = json!(namespace);
                    self.custom
                        .samples
                        .push(sample(resource, described, Value::Null));
                }
                if named(external) {
                    let labels = at(external, &["metric", "selector", "matchLabels"]);
                    let sample = sample(String::new(), Value::Null, labels.clone());
                    self.external.samples.push(sample);
                }
            }
        }
    }

    /// Returns the kinds with those of `metrics.k8s.io` if any Pod reports usage.
    pub(super) fn serve(&self, kinds: Arc<Catalogue>) -> Arc<Catalogue> {
        match self.pods.is_empty() {
            // Without any usage, the API is missing, as in a cluster without metrics-server.
            true => kinds,
            false => Arc::new(kinds.with(&[&NODE_METRICS, &POD_METRICS])),
        }
    }

    /// Returns true if objects of a kind are computed here.
    pub(super) fn has(&self, kind: &'static Kind) -> bool {
        [&POD_METRICS, &NODE_METRICS]
            .iter()
            .any(|own| std::ptr::eq(*own, kind))
    }

    /// Returns the non-empty groups whose resources are metrics.
    pub(super) fn groups(&self) -> impl Iterator<Item = &Group> {
        let groups = [&self.custom, &self.external].into_iter();
        groups.filter(|group| !group.samples.is_empty())
    }

    /// Returns the group with a name, if it has metrics.
    pub(super) fn group(&self, name: &str) -> Option<&Group> {
        self.groups().find(|group| group.name == name)
    }

    /// Returns the discovery document of a path, if its resources are metrics.
    pub(super) fn find(&self, path: &str) -> Option<Found> {
        let words = words(path);
        let [_, name, version] = words.as_slice() else {
            return None;
        };
        let group = self.group(name)?;
        // As for other groups, an unserved version is a `Status` and not an unknown path.
        let served = group.versions.contains(&version.as_str());
        Some(match served {
            true => Found::Discovery(words),
            false => Found::NoResource,
        })
    }

    /// Responds to a request for values of a metric; returns `None` for other paths.
    pub(super) fn answer(
        &self,
        cluster: &Cluster,
        request: &Request<'_>,
        query: &Query,
    ) -> Result<Option<Response>, ApiError> {
        let Some(asked) = Asked::of(request.route()) else {
            return Ok(None);
        };
        let Some(group) = self.group(asked.group) else {
            return Ok(None);
        };
        if !group.versions.contains(&asked.version.as_str()) {
            return Ok(None);
        }
        request.authorize(cluster, &asked.access(&asked.resource()), &asked.namespace)?;
        if request.method != "GET" {
            // Authorized first, because a 405 would reveal existing metrics.
            return Err(not_allowed().into());
        }
        let labels = LabelSelector::parse(query.text("labelSelector"))
            .map_err(|e| Status::bad_request(e.to_string()))?;
        let now = usage::moment(cluster.now()?);
        let found = group
            .samples
            .iter()
            .filter(|sample| asked.wants(sample, &labels));
        let items: Vec<Value> = found
            .map(|sample| sample.object(&asked.version, &now))
            .collect();
        // As in the adapters, external metrics without a match are an empty list.
        if items.is_empty() && asked.group == CUSTOM {
            return Err(asked.unknown().into());
        }
        let list = json!({
            "apiVersion": format!("{}/{}", group.name, asked.version), "kind": group.kind,
            "metadata": {}, "items": items,
        });
        Ok(Some(Response::object(200, list, Vec::new())))
    }
}

impl Asked {
    fn of(path: &str) -> Option<Self> {
        let words = words(path);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ["apis", group, version, rest @ ..] = words.as_slice() else {
            return None;
        };
        let (group, [namespace, resource, name, metric]) = match (*group, rest) {
            // The metrics of a namespace itself, whose name is already in the path.
            (CUSTOM, ["namespaces", name, "metrics", metric]) => {
                (CUSTOM, [*name, "namespaces", name, metric])
            }
            (CUSTOM, ["namespaces", namespace, resource, name, metric]) => {
                (CUSTOM, [*namespace, resource, name, metric])
            }
            (CUSTOM, [resource, name, metric]) => (CUSTOM, ["", *resource, name, metric]),
            (EXTERNAL, ["namespaces", namespace, metric]) => {
                // An external metric belongs to no object.
                (EXTERNAL, [*namespace, "", "", metric])
            }
            _ => return None,
        };
        let [version, namespace] = [*version, namespace].map(str::to_owned);
        let [resource, name, metric] = [resource, name, metric].map(str::to_owned);
        Some(Self {
            group,
            version,
            namespace,
            resource,
            name,
            metric,
        })
    }

    /// Returns the resource, as in roles.
    fn resource(&self) -> String {
        match self.resource.as_str() {
            "" => self.metric.clone(),
            "namespaces" => "metrics".to_owned(),
            resource => format!("{resource}/{}", self.metric),
        }
    }

    fn access<'a>(&'a self, resource: &'a str) -> AccessAttributes<'a> {
        // An external metric is the resource in its path, and a GET of a collection is a list.
        let (verb, name) = match self.resource.as_str() {
            "" => ("list", ""),
            "namespaces" => ("get", self.metric.as_str()),
            _ => ("get", self.name.as_str()),
        };
        AccessAttributes::Resource {
            verb,
            group: self.group,
            resource,
            name,
        }
    }

    fn wants(&self, sample: &Sample, labels: &LabelSelector) -> bool {
        let own = |name: &str| sample.labels.get(name).and_then(Value::as_str);
        // Lazily, because most samples belong to other metrics.
        let named = || match self.name.as_str() {
            "" => true,
            // All that match the selector; it does not apply to a single name.
            "*" => labels.matches(own),
            name => text(&sample.object, "name") == name,
        };
        let selected = || self.group == CUSTOM || labels.matches(own);
        (&sample.resource, &sample.metric) == (&self.resource, &self.metric)
            && sample.namespace == self.namespace
            && named()
            && selected()
    }

    /// Returns the adapters' error for a metric without a declaration.
    fn unknown(&self) -> Status {
        let Self {
            resource,
            name,
            metric,
            ..
        } = self;
        let mut status = Status::not_found(resource, name);
        status.message = format!("the server could not find the metric {metric} for {resource}");
        if name != "*" {
            status.message += &format!(" {name}");
        }
        // The adapters create this error without details.
        status.details = None;
        status
    }
}

impl Sample {
    fn object(&self, version: &str, now: &str) -> Value {
        let mut out = json!({"timestamp": now, "value": self.value});
        if self.object.is_null() {
            out["metricName"] = json!(self.metric);
            out["metricLabels"] = match self.labels.is_null() {
                true => json!({}),
                false => self.labels.clone(),
            };
            return out;
        }
        out["describedObject"] = self.object.clone();
        match version {
            // Version v1beta1 had no selector for metrics, and so no object for name and selector.
            "v1beta1" => out["metricName"] = json!(self.metric),
            _ => out["metric"] = json!({"name": self.metric, "selector": null}),
        }
        out
    }

    /// Returns the names of the metric in discovery, with the resource and without it.
    fn names(&self) -> (String, String) {
        match self.resource.as_str() {
            "" => (self.metric.clone(), String::new()),
            resource => (resource.to_owned(), self.metric.clone()),
        }
    }
}

impl Group {
    /// Returns the group with its versions.
    pub(super) fn brief(&self) -> Value {
        let version = |version: &&str| json!({"groupVersion": format!("{}/{version}", self.name), "version": version});
        let versions: Vec<Value> = self.versions.iter().map(version).collect();
        json!({"name": self.name, "preferredVersion": versions[0], "versions": versions})
    }

    /// Returns the resources of a version.
    pub(super) fn resources(&self, version: &str) -> Value {
        let mut resources = Vec::new();
        for (resource, metrics) in self.metrics() {
            let name = |metric: &String| match metric.as_str() {
                "" => resource.clone(),
                metric => format!("{resource}/{metric}"),
            };
            resources.extend(metrics.iter().map(|metric| {
                json!({
                    "name": name(metric), "singularName": "", "namespaced": true,
                    "kind": self.kind, "verbs": ["get"],
                })
            }));
        }
        json!({
            "kind": "APIResourceList", "apiVersion": "v1",
            "groupVersion": format!("{}/{version}", self.name), "resources": resources,
        })
    }

    /// Returns the group with its versions and the resources of each.
    pub(super) fn whole(&self) -> Value {
        let versions = self.versions.iter().map(|version| {
            let is = json!({"group": self.name, "version": version, "kind": self.kind});
            let resources = self.metrics();
            let resources = resources.iter().map(|(resource, metrics)| {
                let verbs: &[&str] = match metrics[0].as_str() {
                    "" => &["get"],
                    _ => &[],
                };
                let mut out = json!({
                    "resource": resource, "responseKind": is, "scope": "Namespaced",
                    "singularResource": "", "verbs": verbs,
                });
                if verbs.is_empty() {
                    // The resource itself belongs to another group; only its metrics are here.
                    let below = metrics.iter().map(|metric| {
                        json!({"subresource": metric, "responseKind": is, "verbs": ["get"]})
                    });
                    out["subresources"] = json!(below.collect::<Vec<_>>());
                }
                out
            });
            // Collected first, because the macro needs a value and not an iterator.
            let resources: Vec<Value> = resources.collect();
            json!({"version": version, "freshness": "Current", "resources": resources})
        });
        json!({
            "metadata": {"name": self.name, "creationTimestamp": null},
            "versions": versions.collect::<Vec<_>>(),
        })
    }

    /// Returns the distinct metrics by resource. An external metric is a resource without any.
    fn metrics(&self) -> BTreeMap<String, Vec<String>> {
        let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (resource, metric) in self.samples.iter().map(Sample::names) {
            let metrics = all.entry(resource).or_default();
            if let Err(place) = metrics.binary_search(&metric) {
                metrics.insert(place, metric);
            }
        }
        all
    }
}

impl Call<'_, '_> {
    /// Returns the samples that match the selectors of the request.
    pub(super) fn measured_list(&self) -> Result<Vec<Value>, ApiError> {
        let query = &self.query;
        let (labels, fields) = (query.text("labelSelector"), query.text("fieldSelector"));
        let selection = Selection::parse(self.target.kind, labels, fields)?;
        let mut all = self.samples()?;
        all.retain(|object| selection.matches(object));
        Ok(all)
    }

    /// Returns the sample with the name in the request.
    pub(super) fn measured_one(&self) -> Result<Value, ApiError> {
        let named = |object: &Value| text(field(object, "metadata"), "name") == self.name();
        let found = self.samples()?.into_iter().find(named);
        let kind = self.target.kind;
        found.ok_or_else(|| {
            // metrics-server's message contains the kind, and the namespace with the name.
            let resource = format!("{}.{}", kind.kind.to_ascii_lowercase(), kind.group);
            let name = match self.target.namespace.as_str() {
                "" => self.name().to_owned(),
                namespace => format!("{namespace}/{}", self.name()),
            };
            Status::not_found(&resource, &name).into()
        })
    }

    fn samples(&self) -> Result<Vec<Value>, ApiError> {
        let (now, pods) = (self.cluster.now()?, &self.measured.pods);
        if !std::ptr::eq(self.target.kind, &NODE_METRICS) {
            let namespace = &self.target.namespace;
            let here = |used: &PodUsage| namespace.is_empty() || used.namespace == *namespace;
            let pods = pods.iter().filter(|(_, used)| here(used));
            return Ok(pods.map(|(pod, used)| used.object(pod, now)).collect());
        }
        let Some(kind) = self.cluster.kinds()?.find("", "v1", "Node") else {
            return Ok(Vec::new());
        };
        let used: Vec<PodUsage> = pods.iter().map(|(_, used)| used.clone()).collect();
        // Every node has a sample, because kubelets report idle nodes too.
        let nodes = self.cluster.feed().containing(&Place::new(kind, ""), "")?;
        Ok(nodes
            .iter()
            .map(|node| usage::of_node(node, &used, now))
            .collect())
    }
}

fn words(path: &str) -> Vec<String> {
    let path = unescaped(path);
    let words = path.split('/').filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
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
                        "metric": {"name": "hits"}, "target": {"type": "Value", "value": "1"},
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
        }
    }

    /// Returns the names in a list of resources.
    fn resources(list: &Value) -> Vec<&Value> {
        let all = list["resources"].as_array().unwrap();
        all.iter().map(|resource| &resource["name"]).collect()
    }

    #[test]
    fn nothing_is_served_unless_an_object_declares_a_value() {
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
    fn custom_metrics_are_those_of_pods_and_of_described_objects() {
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
    fn external_metrics_are_those_of_autoscalers() {
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
}
