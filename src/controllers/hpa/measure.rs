//! What the metrics of an autoscaler propose.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::api::quantity::Quantity;
use crate::kinds::condition;
use crate::kinds::fake;
use crate::kinds::moment;
use crate::kinds::pod::resources::quantity;
use crate::kinds::tree::{at, field, list, opt_int, text};
use crate::runtime::Object;

/// How far from its target a metric may be before anything is done.
const TOLERANCE: f64 = 0.1;
/// For so long the CPU of a starting Pod says nothing.
const STARTING: i64 = 300;
/// A Pod that became unready so soon after its start has never been ready.
const READY_DELAY: i64 = 30;

/// What a metric proposes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Proposal {
    pub(super) replicas: i64,
    /// The metric, as the reason of a rescaling names it.
    pub(super) metric: String,
    /// As the status shows it.
    pub(super) status: Value,
}

/// Why a metric says nothing.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unknown {
    pub(super) reason: &'static str,
    pub(super) message: String,
    /// What the first of several errors is called.
    pub(super) short: String,
}

/// The Pods of a target, and how many there should be.
pub(super) struct Scene<'a> {
    pub(super) pods: &'a [&'a Object],
    pub(super) namespace: &'a str,
    pub(super) hpa: &'a Object,
    pub(super) replicas: i64,
    pub(super) now: Timestamp,
    /// How far usage may be above and below its target before anything is done.
    pub(super) tolerance: (f64, f64),
}

impl Scene<'_> {
    /// The tolerances that the behaviour gives.
    pub(super) fn tolerances(hpa: &Value) -> (f64, f64) {
        let of = |direction: &str| {
            let given = at(hpa, &["spec", "behavior", direction, "tolerance"]);
            match given.is_null() {
                true => TOLERANCE,
                false => quantity(given).to_f64(),
            }
        };
        (of("scaleUp"), of("scaleDown"))
    }

    /// What one metric proposes.
    pub(super) fn propose(&self, metric: &Value) -> Result<Proposal, Unknown> {
        match text(metric, "type") {
            "Resource" => self.resource(field(metric, "resource"), None),
            "ContainerResource" => {
                let source = field(metric, "containerResource");
                self.resource(source, Some(text(source, "container")))
            }
            "Pods" => self.of_pods(field(metric, "pods")),
            "Object" => self.of_object(field(metric, "object")),
            "External" => self.external(field(metric, "external")),
            other => Err(Unknown {
                reason: "InvalidMetricSourceType",
                message: format!("unknown metric source type \"{other}\""),
                short: format!("unknown metric source type \"{other}\""),
            }),
        }
    }

    fn resource(&self, source: &Value, container: Option<&str>) -> Result<Proposal, Unknown> {
        let asked = Asked {
            name: text(source, "name"),
            container,
            target: field(source, "target"),
        };
        let requests = self.requests(&asked)?;
        let groups = self.groups(asked.name, container);
        let measured = groups.measured.as_slice();
        if measured.is_empty() {
            let why = "did not receive metrics for targeted pods (pods might be unready)";
            return Err(asked.unknown(why));
        }
        let usage = |i: &usize| self.usage(self.pods[*i], asked.name, container);
        let used: i64 = measured.iter().filter_map(usage).sum();
        let ratio_of = |pods: &[usize], used: i64| asked.ratio(pods, used, &requests);
        let each = |i: usize, full: bool| if full { asked.full(requests[i]) } else { 0 };
        let ratio = ratio_of(measured, used);
        let replicas = self.replicas_by(ratio, &groups, used, &each, &ratio_of);
        let status = asked.status(measured, used, &requests);
        Ok(Proposal {
            replicas,
            metric: asked.metric(),
            status,
        })
    }

    /// What each Pod asks for of a resource; where there is a percentage of it, all must ask.
    fn requests(&self, asked: &Asked<'_>) -> Result<Vec<i64>, Unknown> {
        let (name, container) = (asked.name, asked.container);
        let used = |pod: &&Object| self.usage(pod, name, container).is_some();
        if !self.pods.iter().any(used) {
            return Err(asked.unknown(&format!(
                "unable to get metrics for resource {name}: unable to fetch metrics from resource \
                 metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)"
            )));
        }
        let mut requests = Vec::new();
        for pod in self.pods {
            match request(pod, name, container) {
                Err(missing) if asked.utilization().is_some() => {
                    return Err(asked.unknown(&format!(
                        "missing request for {name} in container {missing} of Pod {}",
                        pod.name()
                    )));
                }
                request => requests.push(request.unwrap_or(0)),
            }
        }
        Ok(requests)
    }

    /// The number for a ratio, with what is not known taken as what changes least.
    fn replicas_by(
        &self,
        ratio: f64,
        groups: &Groups,
        used: i64,
        each: &dyn Fn(usize, bool) -> i64,
        ratio_of: &dyn Fn(&[usize], i64) -> f64,
    ) -> i64 {
        let measured = i64::try_from(groups.measured.len()).unwrap_or(0);
        let unsure = !groups.unready.is_empty() && ratio > 1.0 || !groups.missing.is_empty();
        if !unsure {
            return match self.within(ratio) {
                true => self.replicas,
                false => (ratio * measured as f64).ceil() as i64,
            };
        }
        let mut pods = groups.measured.clone();
        let mut used = used;
        for pod in &groups.missing {
            pods.push(*pod);
            used += each(*pod, ratio < 1.0);
        }
        if ratio > 1.0 {
            pods.extend(&groups.unready);
        }
        let again = ratio_of(&pods, used);
        let flipped = (ratio < 1.0) != (again < 1.0);
        if self.within(again) || flipped {
            return self.replicas;
        }
        let wanted = (again * pods.len() as f64).ceil() as i64;
        // What is only assumed must not turn the direction round.
        match again < 1.0 && wanted > self.replicas || again > 1.0 && wanted < self.replicas {
            true => self.replicas,
            false => wanted,
        }
    }

    fn within(&self, ratio: f64) -> bool {
        let (up, down) = self.tolerance;
        ratio >= 1.0 - down && ratio <= 1.0 + up
    }

    fn groups(&self, name: &str, container: Option<&str>) -> Groups {
        let mut groups = Groups::default();
        for (index, pod) in self.pods.iter().enumerate() {
            if matches!(text(field(pod, "status"), "phase"), "Failed" | "Succeeded")
                || pod.is_terminating()
            {
                continue;
            }
            match self.usage(pod, name, container) {
                _ if self.is_unready(pod, name) => groups.unready.push(index),
                None => groups.missing.push(index),
                Some(_) => groups.measured.push(index),
            }
        }
        groups
    }

    fn is_unready(&self, pod: &Object, name: &str) -> bool {
        let status = field(pod, "status");
        if text(status, "phase") == "Pending" {
            return true;
        }
        if name != "cpu" {
            return false;
        }
        let ready = condition::is_true(pod, "Ready");
        let Some(start) = moment::read(field(status, "startTime")) else {
            return true;
        };
        let age = moment::since(start, self.now).as_secs();
        let changed = condition::find(pod, "Ready")
            .and_then(|c| moment::read(field(c, "lastTransitionTime")));
        let Some(changed) = changed else { return true };
        match age < STARTING {
            true => !ready,
            false => !ready && moment::since(start, changed).as_secs() < READY_DELAY,
        }
    }

    /// What a Pod uses: thousandths of CPU, or units of memory times a thousand.
    fn usage(&self, pod: &Value, resource: &str, container: Option<&str>) -> Option<i64> {
        let mut sum = None;
        for c in list(field(pod, "spec"), "containers") {
            let name = text(c, "name");
            if container.is_none_or(|wanted| wanted == name) {
                let used = fake::usage(pod, name, resource)?.milli();
                sum = Some(sum.unwrap_or(0) + used);
            }
        }
        sum
    }

    fn of_pods(&self, source: &Value) -> Result<Proposal, Unknown> {
        let metric = text(field(source, "metric"), "name");
        let name = format!("{}{metric}", fake::METRIC);
        let values = self
            .pods
            .iter()
            .filter_map(|pod| Quantity::parse(fake::annotation(pod, &name)).ok());
        let values: Vec<i64> = values.map(|q| q.milli()).collect();
        if values.is_empty() {
            let message = format!(
                "unable to get metric {metric}: unable to fetch metrics from custom metrics API: no custom \
                 metrics API (custom.metrics.k8s.io) registered"
            );
            return Err(Unknown {
                reason: "FailedGetPodsMetric",
                short: format!("failed to get pods metric value: {message}"),
                message,
            });
        }
        let count = i64::try_from(values.len()).unwrap_or(1);
        let average = values.iter().sum::<i64>() / count;
        let wanted = quantity(at(source, &["target", "averageValue"]))
            .milli()
            .max(1);
        let ratio = average as f64 / wanted as f64;
        let replicas = match self.within(ratio) {
            true => self.replicas,
            false => (ratio * count as f64).ceil() as i64,
        };
        Ok(Proposal {
            replicas,
            metric: format!("pods metric {metric}"),
            status: json!({"type": "Pods", "pods": {
                "metric": {"name": metric}, "current": {"averageValue": amount("cpu", average)},
            }}),
        })
    }

    fn of_object(&self, source: &Value) -> Result<Proposal, Unknown> {
        let metric = text(field(source, "metric"), "name");
        let object = field(source, "describedObject");
        let (kind, name) = (text(object, "kind"), text(object, "name"));
        let why = "unable to fetch metrics from custom metrics API: no custom metrics API \
                   (custom.metrics.k8s.io) registered";
        let unknown = || Unknown {
            reason: "FailedGetObjectMetric",
            message: format!(
                "unable to get metric {metric}: {kind} on {} {name}/{why}",
                self.namespace
            ),
            short: format!(
                "failed to get object metric value: unable to get metric {metric}: {kind} on {} {name}/{why}",
                self.namespace
            ),
        };
        let value = self.told(metric).ok_or_else(unknown)?;
        let (replicas, current) = self.by_value(value, field(source, "target"));
        Ok(Proposal {
            replicas,
            metric: format!("{kind} metric {metric}"),
            status: json!({"type": "Object", "object": {
                "metric": {"name": metric}, "describedObject": object, "current": current,
            }}),
        })
    }

    fn external(&self, source: &Value) -> Result<Proposal, Unknown> {
        let metric = text(field(source, "metric"), "name");
        let namespace = self.namespace;
        let message = format!(
            "unable to get external metric {namespace}/{metric}/nil: unable to fetch metrics from external \
             metrics API: the server could not find the requested resource (get {metric}.external.metrics.k8s.io)"
        );
        let value = self.told(metric).ok_or_else(|| Unknown {
            reason: "FailedGetExternalMetric",
            short: format!("failed to get external metric {metric}: {message}"),
            message,
        })?;
        let (replicas, current) = self.by_value(value, field(source, "target"));
        Ok(Proposal {
            replicas,
            metric: format!("external metric {metric}(nil)"),
            status: json!({"type": "External", "external": {"metric": {"name": metric}, "current": current}}),
        })
    }

    /// A metric of something else, as an annotation of the autoscaler says it.
    fn told(&self, metric: &str) -> Option<i64> {
        let said = fake::annotation(self.hpa, &format!("{}{metric}", fake::METRIC)).to_owned();
        Quantity::parse(&said).ok().map(|q| q.milli())
    }

    fn by_value(&self, value: i64, target: &Value) -> (i64, Value) {
        let ready = self
            .pods
            .iter()
            .filter(|p| condition::is_true(p, "Ready"))
            .count();
        let average = field(target, "averageValue");
        if average.is_null() {
            let ratio = value as f64 / quantity(field(target, "value")).milli().max(1) as f64;
            let replicas = match self.within(ratio) {
                true => self.replicas,
                false => (ratio * ready as f64).ceil() as i64,
            };
            return (replicas, json!({"value": amount("cpu", value)}));
        }
        let each = quantity(average).milli().max(1);
        let ratio = value as f64 / (each * self.replicas.max(1)) as f64;
        let replicas = match self.within(ratio) {
            true => self.replicas,
            false => (value as f64 / each as f64).ceil() as i64,
        };
        (
            replicas,
            json!({"averageValue": amount("cpu", value / self.replicas.max(1))}),
        )
    }
}

/// A metric of a resource.
struct Asked<'a> {
    name: &'a str,
    container: Option<&'a str>,
    target: &'a Value,
}

impl Asked<'_> {
    /// The percentage of the request that is wanted, if one is.
    fn utilization(&self) -> Option<i64> {
        opt_int(self.target, "averageUtilization")
    }

    fn average(&self) -> i64 {
        thousandths(field(self.target, "averageValue"))
    }

    fn unknown(&self, why: &str) -> Unknown {
        let name = self.name;
        let what = if self.utilization().is_some() {
            "utilization"
        } else {
            "usage"
        };
        Unknown {
            reason: match self.container {
                Some(_) => "FailedGetContainerResourceMetric",
                None => "FailedGetResourceMetric",
            },
            message: format!("failed to get {name} {what}: {why}"),
            short: format!(
                "failed to get {name} resource metric value: failed to get {name} {what}: {why}"
            ),
        }
    }

    /// What is used of what is wanted.
    fn ratio(&self, pods: &[usize], used: i64, requests: &[i64]) -> f64 {
        match self.utilization() {
            Some(wanted) => percent(pods, used, requests) as f64 / wanted.max(1) as f64,
            None => {
                let count = i64::try_from(pods.len()).unwrap_or(1);
                used as f64 / (self.average() * count).max(1) as f64
            }
        }
    }

    /// What a Pod counts as using where nobody knows and it must not lead to fewer.
    fn full(&self, request: i64) -> i64 {
        match self.utilization() {
            Some(wanted) => request * wanted.max(100) / 100,
            None => self.average(),
        }
    }

    fn metric(&self) -> String {
        let name = self.name;
        let what = match self.utilization() {
            Some(_) => "utilization (percentage of request)",
            None => "usage",
        };
        match self.container {
            Some(container) => format!("{name} container resource {what} of container {container}"),
            None => format!("{name} resource {what}"),
        }
    }

    fn status(&self, measured: &[usize], used: i64, requests: &[i64]) -> Value {
        let count = i64::try_from(measured.len()).unwrap_or(1).max(1);
        let mut current = json!({"averageValue": amount(self.name, used / count)});
        if self.utilization().is_some() {
            current["averageUtilization"] = json!(percent(measured, used, requests));
        }
        let mut status = json!({"name": self.name, "current": current});
        match self.container {
            Some(container) => {
                status["container"] = json!(container);
                json!({"type": "ContainerResource", "containerResource": status})
            }
            None => json!({"type": "Resource", "resource": status}),
        }
    }
}

fn percent(pods: &[usize], used: i64, requests: &[i64]) -> i64 {
    let asked: i64 = pods.iter().map(|i| requests[*i]).sum();
    used * 100 / asked.max(1)
}

/// Pods by what is known of them.
#[derive(Debug, Default)]
struct Groups {
    measured: Vec<usize>,
    missing: Vec<usize>,
    unready: Vec<usize>,
}

/// What a Pod asks for; the container that says nothing.
fn request(pod: &Object, resource: &str, container: Option<&str>) -> Result<i64, String> {
    let mut sum = 0;
    for c in list(field(pod, "spec"), "containers") {
        let name = text(c, "name");
        if container.is_none_or(|wanted| wanted == name) {
            let asked = at(c, &["resources", "requests", resource]);
            if asked.is_null() {
                return Err(name.to_owned());
            }
            sum += quantity(asked).milli();
        }
    }
    Ok(sum)
}

/// An amount in thousandths, at least one.
fn thousandths(value: &Value) -> i64 {
    quantity(value).milli().max(1)
}

/// An amount of thousandths as a quantity: memory in whole units.
fn amount(resource: &str, thousandths: i64) -> String {
    let text = match resource {
        "memory" => format!("{}", thousandths / 1000),
        _ => format!("{thousandths}m"),
    };
    Quantity::parse(&text).map_or(text, |q| q.to_string())
}
