//! The metrics APIs, which separate servers provide in a real cluster: `metrics.k8s.io`, `custom.metrics.k8s.io` and
//! `external.metrics.k8s.io`.
//!
//! Each API exists only if an object declares a value for it, with the annotations that the autoscaler also uses.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::errors::not_allowed;
use super::path::Resolution;
use super::query::{Query, unescaped};
use super::{Call, Request, Response};
use crate::api::json::{Value, json};
use crate::api::selector::{LabelSelector, Operator};
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
pub(super) struct MetricsApis {
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
    // In the order of their objects: the API guarantees no order, but this one is stable.
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
    /// The labels of the described object or of the external metric.
    labels: Value,
    /// The custom metric's own labels.
    metric_labels: Value,
}

/// The selectors of a request.
#[derive(Debug)]
struct Selectors {
    /// Selects described objects or external metrics.
    objects: LabelSelector,
    /// Selects custom metrics by their own labels.
    metrics: LabelSelector,
}

impl Selectors {
    fn from_query(query: &Query) -> Result<Self, Status> {
        let parsed = |name: &str| {
            LabelSelector::parse(query.text(name)).map_err(|e| Status::bad_request(e.to_string()))
        };
        Ok(Self {
            objects: parsed("labelSelector")?,
            metrics: parsed("metricLabelSelector")?,
        })
    }
}

/// The samples that a path selects.
#[derive(Debug, PartialEq)]
struct MetricQuery {
    group: &'static str,
    version: String,
    namespace: String,
    resource: String,
    name: String,
    metric: String,
}

impl MetricsApis {
    /// Returns the values that a request for this path needs; empty for any other path.
    pub(super) fn at(cluster: &Cluster, kinds: &Catalogue, path: &str) -> Result<Self, ApiError> {
        let words = words(path);
        let mut words = words.iter().map(String::as_str);
        // Only discovery and these groups need the Pods, so other requests must not read them.
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
                metric_labels: Value::Null,
            });
            // A Pod without usage may still have custom metrics.
            return self.custom.samples.extend(samples);
        }
        let known =
            |(_, used): &(Value, PodUsage)| used.namespace == namespace && used.name == name;
        // A Pod that declares both CPU and memory is found twice.
        if !self.pods.iter().any(known)
            && let Some(used) = PodUsage::from_pod(&pod)
        {
            self.pods.push((pod, used));
        }
    }

    /// Adds the object and external metrics of an autoscaler, which declares their values on itself.
    fn add_scaler(&mut self, kinds: &Catalogue, scaler: &Value) {
        let namespace = text(field(scaler, "metadata"), "namespace");
        let metrics = list(field(scaler, "spec"), "metrics");
        for (metric, value) in usage::declared(scaler) {
            let sample = |resource: String, object: Value| Sample {
                resource,
                namespace: namespace.to_owned(),
                metric: metric.to_owned(),
                value: value.to_string(),
                object,
                labels: Value::Null,
                metric_labels: Value::Null,
            };
            // The annotation does not say which type a metric has, so the spec determines the API.
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
                    let labels = at(object, &["metric", "selector", "matchLabels"]);
                    self.custom.samples.push(Sample {
                        metric_labels: labels.clone(),
                        ..sample(resource, described)
                    });
                }
                if named(external) {
                    let labels = at(external, &["metric", "selector", "matchLabels"]);
                    self.external.samples.push(Sample {
                        labels: labels.clone(),
                        ..sample(String::new(), Value::Null)
                    });
                }
            }
        }
    }

    /// Adds the kinds of `metrics.k8s.io` if any Pod reports usage.
    pub(super) fn serve(&self, kinds: Arc<Catalogue>) -> Arc<Catalogue> {
        match self.pods.is_empty() {
            // Without any usage, the API does not exist, as in a cluster without metrics-server.
            true => kinds,
            false => Arc::new(kinds.with(&[&NODE_METRICS, &POD_METRICS])),
        }
    }

    /// Returns true if objects of this kind are computed here.
    pub(super) fn has(&self, kind: &'static Kind) -> bool {
        [&POD_METRICS, &NODE_METRICS]
            .iter()
            .any(|own| std::ptr::eq(*own, kind))
    }

    /// Returns the groups that have any metrics.
    pub(super) fn groups(&self) -> impl Iterator<Item = &Group> {
        let groups = [&self.custom, &self.external].into_iter();
        groups.filter(|group| !group.samples.is_empty())
    }

    /// Returns the group with this name, if it has metrics.
    pub(super) fn group(&self, name: &str) -> Option<&Group> {
        self.groups().find(|group| group.name == name)
    }

    /// Returns the discovery document at a path, if its resources are metrics.
    pub(super) fn find(&self, path: &str) -> Option<Resolution> {
        let words = words(path);
        let [_, name, version] = words.as_slice() else {
            return None;
        };
        let group = self.group(name)?;
        // As for other groups, a version that is not served leads to a `Status` rather than an unknown path.
        let served = group.versions.contains(&version.as_str());
        Some(match served {
            true => Resolution::Discovery(words),
            false => Resolution::NoResource,
        })
    }

    /// Responds to a request for the values of a metric; returns `None` for any other path.
    pub(super) fn answer(
        &self,
        cluster: &Cluster,
        request: &Request<'_>,
        query: &Query,
    ) -> Result<Option<Response>, ApiError> {
        let Some(asked) = MetricQuery::parse(request.route()) else {
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
            // Comes after authorization, because a 405 would reveal which metrics exist.
            return Err(not_allowed().into());
        }
        let selectors = Selectors::from_query(query)?;
        let now = usage::moment(cluster.now()?);
        let found = group
            .samples
            .iter()
            .filter(|sample| asked.wants(sample, &selectors));
        let items: Vec<Value> = found
            .map(|sample| sample.object(&asked.version, &now, &selectors.metrics))
            .collect();
        // As in the adapters, external metrics without a match lead to an empty list.
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

impl MetricQuery {
    fn parse(path: &str) -> Option<Self> {
        let words = words(path);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ["apis", group, version, rest @ ..] = words.as_slice() else {
            return None;
        };
        let (group, [namespace, resource, name, metric]) = match (*group, rest) {
            // Metrics of a namespace itself, whose name the path already contains.
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

    /// Returns the resource as roles name it.
    fn resource(&self) -> String {
        match self.resource.as_str() {
            "" => self.metric.clone(),
            "namespaces" => "metrics".to_owned(),
            resource => format!("{resource}/{}", self.metric),
        }
    }

    fn access<'a>(&'a self, resource: &'a str) -> AccessAttributes<'a> {
        // For an external metric, the resource is the metric in the path, and a GET of the collection is a list.
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

    fn wants(&self, sample: &Sample, selectors: &Selectors) -> bool {
        let labels = &selectors.objects;
        let own = |name: &str| sample.labels.get(name).and_then(Value::as_str);
        let of_metric = |name: &str| sample.metric_labels.get(name).and_then(Value::as_str);
        // Evaluated lazily, because most samples belong to other metrics.
        let named = || match self.name.as_str() {
            "" => true,
            // Selects everything that matches the selector, which does not apply to a single name.
            "*" => labels.matches(own),
            name => text(&sample.object, "name") == name,
        };
        let selected = || self.group == CUSTOM || labels.matches(own);
        (&sample.resource, &sample.metric) == (&self.resource, &self.metric)
            && sample.namespace == self.namespace
            && named()
            && selected()
            && selectors.metrics.matches(of_metric)
    }

    /// Returns the adapters' error for a metric that nothing declares.
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
        // The adapters' error has no details.
        status.details = None;
        status
    }
}

impl Sample {
    fn object(&self, version: &str, now: &str, asked: &LabelSelector) -> Value {
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
        // The selector in the request, which the adapters return.
        let selector = match asked.is_everything() {
            true => Value::Null,
            false => object_of(asked),
        };
        match version {
            // `v1beta1` has separate fields for the name and the selector.
            "v1beta1" => {
                out["metricName"] = json!(self.metric);
                out["selector"] = selector;
            }
            _ => out["metric"] = json!({"name": self.metric, "selector": selector}),
        }
        out
    }

    /// Returns the names of the metric in discovery, with and without the resource.
    fn names(&self) -> (String, String) {
        match self.resource.as_str() {
            "" => (self.metric.clone(), String::new()),
            resource => (resource.to_owned(), self.metric.clone()),
        }
    }
}

/// Converts a selector to its object form.
fn object_of(selector: &LabelSelector) -> Value {
    let (mut labels, mut expressions) = (json!({}), Vec::new());
    for requirement in selector.requirements() {
        let (key, values) = (requirement.key(), requirement.values());
        let operator = match requirement.operator() {
            Operator::Equals | Operator::DoubleEquals => {
                labels[key] = json!(values.first());
                continue;
            }
            Operator::In => "In",
            // The object form has no operator for `!=`.
            Operator::NotEquals | Operator::NotIn => "NotIn",
            Operator::Exists => "Exists",
            Operator::DoesNotExist => "DoesNotExist",
            // The object form cannot express these, and the adapters reject them.
            Operator::GreaterThan | Operator::LessThan => continue,
        };
        let mut expression = json!({"key": key, "operator": operator});
        if !values.is_empty() {
            expression["values"] = json!(values);
        }
        expressions.push(expression);
    }
    let mut object = json!({});
    if labels.as_object().is_some_and(|labels| !labels.is_empty()) {
        object["matchLabels"] = labels;
    }
    if !expressions.is_empty() {
        object["matchExpressions"] = json!(expressions);
    }
    object
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

    /// Returns the group with its versions and their resources.
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
            // Collected, because the macro needs a value rather than an iterator.
            let resources: Vec<Value> = resources.collect();
            json!({"version": version, "freshness": "Current", "resources": resources})
        });
        json!({
            "metadata": {"name": self.name, "creationTimestamp": null},
            "versions": versions.collect::<Vec<_>>(),
        })
    }

    /// Returns the distinct metrics by resource. An external metric is a resource that has none.
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
    /// Returns the samples that match the selectors in the request.
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
            // metrics-server's message contains the kind, and the namespace together with the name.
            let resource = format!("{}.{}", kind.kind.to_ascii_lowercase(), kind.group);
            let name = match self.target.namespace.as_str() {
                "" => self.name().to_owned(),
                namespace => format!("{namespace}/{}", self.name()),
            };
            Status::not_found(&resource, &name).into()
        })
    }

    fn samples(&self) -> Result<Vec<Value>, ApiError> {
        let (now, pods) = (self.cluster.now()?, &self.metrics_apis.pods);
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
        // Every node has a sample, because kubelets report idle nodes, too.
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
mod tests;
