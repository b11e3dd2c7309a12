//! Computes the proposals of an autoscaler's metrics.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::api::quantity::Quantity;
use crate::api::selector;
use crate::kinds::condition;
use crate::kinds::fake;
use crate::kinds::moment;
use crate::kinds::pod::resources::{of_pod, quantity};
use crate::kinds::tree::{at, field, opt_int, text};
use crate::runtime::Object;
use crate::views;

/// The distance of a metric from its target below which nothing is scaled.
const TOLERANCE: f64 = 0.1;
/// The seconds during which the CPU of a starting Pod is ignored.
const STARTING: i64 = 300;
/// A Pod that became unready within these seconds after its start has never been ready.
const READY_DELAY: i64 = 30;

/// The reason why there is no average.
const NONE_MEASURED: &str = "did not receive metrics for targeted pods (pods might be unready)";

/// The proposal of a metric.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Proposal {
    pub(super) replicas: i64,
    /// The metric, as the reason of a rescaling names it.
    pub(super) metric: String,
    /// The metric as the status shows it.
    pub(super) status: Value,
}

/// The reason why a metric yields no proposal.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unknown {
    pub(super) reason: &'static str,
    pub(super) message: String,
    /// The short name of the first of several errors.
    pub(super) short: String,
}

/// The Pods of a target, with its desired and current replicas.
pub(super) struct Scene<'a> {
    pub(super) pods: &'a [&'a Object],
    pub(super) namespace: &'a str,
    pub(super) hpa: &'a Object,
    pub(super) replicas: i64,
    /// The current number of replicas, by the status of the target.
    pub(super) there: i64,
    /// True if any Pod of the cluster reports usage. Without one there is no metrics API.
    pub(super) metered: bool,
    pub(super) now: Timestamp,
    /// The tolerances above and below the target.
    pub(super) tolerance: (f64, f64),
}

impl Scene<'_> {
    /// Returns the tolerances of the behavior.
    pub(super) fn tolerances(hpa: &Value) -> (f64, f64) {
        let of = |direction: &str| {
            // `HPAConfigurableTolerance`: each direction has its own tolerance, and 10 % is the flag's default.
            let given = at(hpa, &["spec", "behavior", direction, "tolerance"]);
            match given.is_null() {
                true => TOLERANCE,
                false => quantity(given).to_f64(),
            }
        };
        (of("scaleUp"), of("scaleDown"))
    }

    /// Returns the proposal of one metric.
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
        let asked = ResourceMetric {
            name: text(source, "name"),
            container,
            target: field(source, "target"),
        };
        self.have_metrics(&asked)?;
        let groups = self.groups(asked.name, &|pod| usage(pod, asked.name, container));
        let measured = groups.measured.as_slice();
        if measured.is_empty() {
            return Err(asked.unknown(NONE_MEASURED));
        }
        let requests = self.requests(&asked)?;
        // A utilization is a share of the requests, so there is none if they are all zero.
        if asked.utilization().is_some() && measured.iter().all(|i| requests[*i] == 0) {
            return Err(asked.unknown("no metrics returned matched known pods"));
        }
        let usage = |i: &usize| usage(self.pods[*i], asked.name, container);
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

    /// Checks that there are metrics of these Pods, and of the container if one is named.
    fn have_metrics(&self, asked: &ResourceMetric<'_>) -> Result<(), Unknown> {
        let name = asked.name;
        let refuse = |why: &str| {
            Err(asked.unknown(&format!("unable to get metrics for resource {name}: {why}")))
        };
        // A cluster in which no Pod reports usage behaves like one without metrics-server, error text included.
        if !self.metered {
            return refuse(
                "unable to fetch metrics from resource metrics API: the server could not find the \
                 requested resource (get pods.metrics.k8s.io)",
            );
        }
        let metered = || self.pods.iter().filter(|pod| is_metered(pod));
        if metered().next().is_none() {
            return refuse("no metrics returned from resource metrics API");
        }
        let Some(container) = asked.container else {
            return Ok(());
        };
        let has = |pod: &Object| running(pod).any(|c| text(c, "name") == container);
        match metered().find(|pod| !has(pod)) {
            Some(without) => refuse(&format!(
                "failed to get container metrics: container {container} not present in metrics for pod {}",
                without.key()
            )),
            None => Ok(()),
        }
    }

    /// Returns the request of each Pod for a resource; a percentage target requires one for all Pods.
    fn requests(&self, asked: &ResourceMetric<'_>) -> Result<Vec<i64>, Unknown> {
        let known = |pod: &&Object| match request(pod, asked.name, asked.container) {
            // One Pod without a request makes a percentage meaningless; an average value needs no requests.
            Err(why) if asked.utilization().is_some() => Err(asked.unknown(&why)),
            request => Ok(request.unwrap_or(0)),
        };
        self.pods.iter().map(known).collect()
    }

    /// Returns the number of replicas for a ratio, with unknown usage assumed so that it changes least.
    fn replicas_by(
        &self,
        ratio: f64,
        groups: &Groups,
        used: i64,
        each: &dyn Fn(usize, bool) -> i64,
        ratio_of: &dyn Fn(&[usize], i64) -> f64,
    ) -> i64 {
        let measured = i64::try_from(groups.measured.len()).unwrap_or(0);
        // Unready Pods only damp scaling up: they would lower the average as soon as they start.
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
            // Upstream's damping: a Pod without metrics counts as fully used when scaling down and as idle when
            // scaling up.
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
        // Assumptions must not reverse the direction.
        match again < 1.0 && wanted > self.replicas || again > 1.0 && wanted < self.replicas {
            true => self.replicas,
            false => wanted,
        }
    }

    fn within(&self, ratio: f64) -> bool {
        let (up, down) = self.tolerance;
        ratio >= 1.0 - down && ratio <= 1.0 + up
    }

    fn groups(&self, name: &str, used: &dyn Fn(&Object) -> Option<i64>) -> Groups {
        let mut groups = Groups::default();
        for (index, pod) in self.pods.iter().enumerate() {
            let phase = views::pod(pod).phase();
            match used(pod) {
                // Such Pods neither serve load nor count as missing, so they change nothing.
                _ if pod.is_terminating() || phase == "Failed" => {}
                _ if phase == "Pending" => groups.unready.push(index),
                // A Pod that has succeeded reports nothing any more.
                _ if phase == "Succeeded" => groups.missing.push(index),
                None => groups.missing.push(index),
                Some(_) if name == "cpu" && self.is_unready(pod) => groups.unready.push(index),
                Some(_) => groups.measured.push(index),
            }
        }
        groups
    }

    /// Returns true if the CPU usage of a Pod is not meaningful yet.
    fn is_unready(&self, pod: &Object) -> bool {
        let status = field(pod, "status");
        // Usage of CPU while a Pod starts would trigger scaling; other resources are reported from the start.
        let (Some(ready), Some(start)) = (
            condition::find(pod, "Ready"),
            moment::read(field(status, "startTime")),
        ) else {
            return true;
        };
        if views::condition(ready).status() != "False" {
            return false;
        }
        // A Pod that was ready before and is not ready now counts with its usage; one that never was ready does not.
        let never_ready = || {
            let changed = views::condition(ready).since();
            changed.is_none_or(|changed| moment::since(start, changed).as_secs() < READY_DELAY)
        };
        moment::since(start, self.now).as_secs() < STARTING || never_ready()
    }

    fn of_pods(&self, source: &Value) -> Result<Proposal, Unknown> {
        let metric = text(field(source, "metric"), "name");
        let name = format!("{}{metric}", fake::METRIC);
        let of = |pod: &Object| {
            let said = Quantity::parse(fake::annotation(pod, &name)).ok();
            said.map(|quantity| quantity.milli())
        };
        let unknown = |message: String| Unknown {
            reason: "FailedGetPodsMetric",
            short: format!("failed to get pods metric value: {message}"),
            message,
        };
        if !self.pods.iter().any(|pod| of(pod).is_some()) {
            return Err(unknown(format!(
                "unable to get metric {metric}: unable to fetch metrics from custom metrics API: no custom \
                 metrics API (custom.metrics.k8s.io) registered"
            )));
        }
        let groups = self.groups("", &of);
        let measured = groups.measured.as_slice();
        if measured.is_empty() {
            return Err(unknown(NONE_MEASURED.to_owned()));
        }
        let wanted = thousandths(at(source, &["target", "averageValue"]));
        let used: i64 = measured.iter().filter_map(|i| of(self.pods[*i])).sum();
        let ratio_of = |pods: &[usize], used: i64| average(pods, used) as f64 / wanted as f64;
        let each = |_: usize, full: bool| if full { wanted } else { 0 };
        let ratio = ratio_of(measured, used);
        let mut status = json!({"metric": identity(source)});
        status["current"] = json!({"averageValue": amount(average(measured, used))});
        Ok(Proposal {
            replicas: self.replicas_by(ratio, &groups, used, &each, &ratio_of),
            metric: format!("pods metric {metric}"),
            status: json!({"type": "Pods", "pods": status}),
        })
    }

    fn of_object(&self, source: &Value) -> Result<Proposal, Unknown> {
        let metric = text(field(source, "metric"), "name");
        let object = field(source, "describedObject");
        let (kind, name) = (text(object, "kind"), text(object, "name"));
        let target = field(source, "target");
        let average = !field(target, "averageValue").is_null();
        let unknown = |message: String| {
            let which = match average {
                true => format!("failed to get {metric} object metric: "),
                false => String::new(),
            };
            Unknown {
                reason: "FailedGetObjectMetric",
                short: format!("failed to get object metric value: {which}{message}"),
                message,
            }
        };
        let Some(value) = self.told(metric) else {
            return Err(unknown(format!(
                "unable to get metric {metric}: {kind} on {} {name}/unable to fetch metrics from custom \
                 metrics API: no custom metrics API (custom.metrics.k8s.io) registered",
                self.namespace
            )));
        };
        let (replicas, current) = self.by_value(value, target).map_err(unknown)?;
        let mut status = json!({"describedObject": object, "current": current});
        status["metric"] = identity(source);
        // As upstream, an average per Pod is reported under the name of an external metric.
        let called = match average {
            true => external_name(source),
            false => format!("{kind} metric {metric}"),
        };
        Ok(Proposal {
            replicas,
            metric: called,
            status: json!({"type": "Object", "object": status}),
        })
    }

    fn external(&self, source: &Value) -> Result<Proposal, Unknown> {
        let metric = text(field(source, "metric"), "name");
        let target = field(source, "target");
        let unknown = |message: String| {
            let which = match field(target, "averageValue").is_null() {
                true => format!("failed to get external metric {metric}"),
                false => format!("failed to get {metric} external metric"),
            };
            Unknown {
                reason: "FailedGetExternalMetric",
                short: format!("failed to get {metric} external metric value: {which}: {message}"),
                message,
            }
        };
        let Some(value) = self.told(metric) else {
            return Err(unknown(format!(
                "unable to get external metric {}/{metric}/{}: unable to fetch metrics from external metrics \
                 API: the server could not find the requested resource (get {metric}.external.metrics.k8s.io)",
                self.namespace,
                selector_text(source)
            )));
        };
        let (replicas, current) = self.by_value(value, target).map_err(unknown)?;
        let mut status = json!({"current": current});
        status["metric"] = identity(source);
        Ok(Proposal {
            replicas,
            metric: external_name(source),
            status: json!({"type": "External", "external": status}),
        })
    }

    /// Returns an object or external metric from an annotation of the autoscaler.
    fn told(&self, metric: &str) -> Option<i64> {
        let said = fake::annotation(self.hpa, &format!("{}{metric}", fake::METRIC)).to_owned();
        Quantity::parse(&said).ok().map(|q| q.milli())
    }

    /// Returns the proposal for a single value: by its ratio to the target, or by each Pod's share.
    fn by_value(&self, value: i64, target: &Value) -> Result<(i64, Value), String> {
        let average = field(target, "averageValue");
        if average.is_null() {
            let ratio = value as f64 / quantity(field(target, "value")).milli().max(1) as f64;
            return Ok((self.by_ratio(ratio)?, json!({"value": amount(value)})));
        }
        let each = quantity(average).milli().max(1);
        let ratio = value as f64 / (each as f64 * self.there as f64);
        let replicas = match self.within(ratio) {
            true => self.there,
            false => (value as f64 / each as f64).ceil() as i64,
        };
        let average = (value as f64 / self.there.max(1) as f64).ceil() as i64;
        Ok((replicas, json!({"averageValue": amount(average)})))
    }

    fn by_ratio(&self, ratio: f64) -> Result<i64, String> {
        if self.within(ratio) {
            return Ok(self.replicas);
        }
        if self.pods.is_empty() {
            return Err(
                "unable to calculate ready pods: no pods returned by selector while calculating replica count"
                    .to_owned(),
            );
        }
        let ready = |pod: &&&Object| {
            views::pod(pod).phase() == "Running" && condition::is_true(pod, "Ready")
        };
        let ready = self.pods.iter().filter(ready).count();
        Ok((ratio * ready as f64).ceil() as i64)
    }
}

/// A metric of a resource.
struct ResourceMetric<'a> {
    name: &'a str,
    container: Option<&'a str>,
    target: &'a Value,
}

impl ResourceMetric<'_> {
    /// Returns the target as a percentage of the request, if it is one.
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
            short: match self.container {
                Some(container) => format!(
                    "failed to get {container} container metric value: failed to get {name} {what}: {why}"
                ),
                None => format!(
                    "failed to get {name} resource metric value: failed to get {name} {what}: {why}"
                ),
            },
        }
    }

    /// Returns the ratio of usage to the target.
    fn ratio(&self, pods: &[usize], used: i64, requests: &[i64]) -> f64 {
        match self.utilization() {
            Some(wanted) => percent(pods, used, requests) as f64 / wanted.max(1) as f64,
            None => average(pods, used) as f64 / self.average() as f64,
        }
    }

    /// Returns the usage assumed for a Pod without data, so that missing data never scales down.
    fn full(&self, request: i64) -> i64 {
        match self.utilization() {
            Some(wanted) => request * wanted.max(100) / 100,
            None => self.average(),
        }
    }

    fn metric(&self) -> String {
        let name = self.name;
        let of_container = self.container.map_or("", |_| "container ");
        match self.utilization() {
            Some(_) => {
                format!("{name} {of_container}resource utilization (percentage of request)")
            }
            None => format!("{name} resource"),
        }
    }

    fn status(&self, measured: &[usize], used: i64, requests: &[i64]) -> Value {
        let mut current = json!({"averageValue": amount(average(measured, used))});
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

/// Returns the average usage of these Pods.
fn average(pods: &[usize], used: i64) -> i64 {
    used / i64::try_from(pods.len()).unwrap_or(1).max(1)
}

fn percent(pods: &[usize], used: i64, requests: &[i64]) -> i64 {
    let asked: i64 = pods.iter().map(|i| requests[*i]).sum();
    used * 100 / asked.max(1)
}

/// Pods by the state of their metrics.
#[derive(Debug, Default)]
struct Groups {
    measured: Vec<usize>,
    missing: Vec<usize>,
    unready: Vec<usize>,
}

/// Returns the containers that a running Pod has: sidecars last.
fn running(pod: &Value) -> impl Iterator<Item = &Value> {
    let view = views::pod(pod);
    let sidecars = view.init_containers().iter();
    let sidecars = sidecars.filter(|c| text(c, "restartPolicy") == "Always");
    view.containers().iter().chain(sidecars)
}

/// Returns true if a Pod reports the usage of any resource.
pub(super) fn is_metered(pod: &Value) -> bool {
    let annotations = views::meta(pod).annotations().as_object();
    let mut names = annotations.into_iter().flatten().map(|(name, _)| name);
    names.any(|name| name.starts_with(fake::CPU_USAGE) || name.starts_with(fake::MEMORY_USAGE))
}

/// Returns the usage of a Pod: thousandths of CPU, or units of memory times a thousand. None if a
/// container reports no usage.
fn usage(pod: &Value, resource: &str, container: Option<&str>) -> Option<i64> {
    let mut sum = None;
    for c in running(pod) {
        let name = text(c, "name");
        if container.is_none_or(|wanted| wanted == name) {
            let used = fake::usage(pod, name, resource)?.milli();
            sum = Some(sum.unwrap_or(0) + used);
        }
    }
    sum
}

/// Returns the request of a Pod, or the reason why it is unknown: a Pod-level request replaces
/// those of its containers.
fn request(pod: &Object, resource: &str, container: Option<&str>) -> Result<i64, String> {
    let spec = field(pod, "spec");
    let own = at(spec, &["resources", "requests"]);
    if container.is_none() && own.as_object().is_some_and(|own| !own.is_empty()) {
        let missing = || {
            format!(
                "missing pod-level request for {resource} in Pod {}",
                pod.name()
            )
        };
        let asked = of_pod(spec, "requests").get(resource).copied();
        return asked.map(|asked| asked.milli()).ok_or_else(missing);
    }
    let mut sum = None;
    for c in running(pod) {
        let name = text(c, "name");
        if container.is_none_or(|wanted| wanted == name) {
            let asked = at(c, &["resources", "requests", resource]);
            if asked.is_null() {
                let pod = pod.name();
                return Err(format!(
                    "missing request for {resource} in container {name} of Pod {pod}"
                ));
            }
            sum = Some(sum.unwrap_or(0) + quantity(asked).milli());
        }
    }
    let missing = || {
        let container = container.unwrap_or_default();
        format!("container {container} not found in Pod {}", pod.name())
    };
    sum.ok_or_else(missing)
}

/// Returns an amount in thousandths, at least one.
fn thousandths(value: &Value) -> i64 {
    quantity(value).milli().max(1)
}

/// Returns an amount of thousandths as a quantity.
fn amount(thousandths: i64) -> String {
    let text = format!("{thousandths}m");
    Quantity::parse(&text).map_or(text, |q| q.to_string())
}

/// Returns the metric as the status names it.
fn identity(source: &Value) -> Value {
    let metric = field(source, "metric");
    let mut identity = json!({"name": text(metric, "name")});
    if let Some(selector) = metric.get("selector") {
        identity["selector"] = selector.clone();
    }
    identity
}

/// Returns the name of an external metric.
fn external_name(source: &Value) -> String {
    let name = text(field(source, "metric"), "name");
    format!("external metric {name}({})", selector_text(source))
}

/// Returns the selector of a metric; `nil` without one.
fn selector_text(source: &Value) -> String {
    let selector = field(field(source, "metric"), "selector");
    match selector.is_null() {
        true => "nil".to_owned(),
        false => selector::in_go(selector),
    }
}
