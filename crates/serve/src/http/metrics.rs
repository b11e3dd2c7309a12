//! The server's metrics, with the real API server's names.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::histogram::Histogram;

use super::route::Route;
use crate::cluster::{Described, exposed};

/// The upper bounds of the latency buckets in seconds, as in the real API server.
const BOUNDS: [f64; 23] = [
    0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0,
    10.0, 15.0, 20.0, 30.0, 45.0, 60.0,
];

/// The maximum number of series. Clients can invent paths, and each path would be a series.
const MOST: usize = 5000;

/// The prefix of the media types for server-side apply.
const APPLY: &str = "application/apply-patch";

/// The verb and the resource of a request, as labels in the real API server's order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, EncodeLabelSet)]
pub(super) struct Subject {
    component: &'static str,
    dry_run: &'static str,
    group: String,
    resource: String,
    scope: &'static str,
    subresource: String,
    verb: &'static str,
    version: String,
}

/// The labels of a request with a response.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, EncodeLabelSet)]
struct Responded {
    code: u16,
    #[prometheus(flatten)]
    subject: Subject,
}

/// The labels of a watch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, EncodeLabelSet)]
struct Watched {
    group: String,
    resource: String,
    version: String,
}

#[derive(Debug, Default)]
struct Counted {
    requests: BTreeMap<Responded, u64>,
    latencies: BTreeMap<Subject, Histogram>,
    /// The number of active watches by subject.
    watchers: BTreeMap<Watched, usize>,
}

/// The counters of a server.
#[derive(Clone, Debug, Default)]
pub(super) struct Metrics(Arc<Mutex<Counted>>);

/// Counts as an active watch until it is dropped.
pub(super) struct Watching<'m> {
    metrics: &'m Metrics,
    watched: Watched,
}

impl Drop for Watching<'_> {
    fn drop(&mut self) {
        let mut counted = self.metrics.counted();
        if let Some(count) = counted.watchers.get_mut(&self.watched) {
            *count -= 1;
            // Removes the series of the last watch; otherwise, a client could accumulate series.
            if *count == 0 {
                counted.watchers.remove(&self.watched);
            }
        }
    }
}

/// Current values.
#[derive(Clone, Copy, Debug)]
pub(super) struct CurrentValues {
    pub(super) reads: usize,
    pub(super) writes: usize,
    pub(super) watches: usize,
    pub(super) connections: usize,
    pub(super) memory: usize,
}

impl Subject {
    /// Returns the subject of a request.
    pub(super) fn from_route(route: &Route<'_>, content_type: &str) -> Self {
        let scope = match (route.resource, route.is_named(), route.namespace) {
            ("", ..) => "",
            (_, true, _) => "resource",
            (_, false, "") => "cluster",
            (_, false, _) => "namespace",
        };
        // The name is omitted, because a series per Pod would have no limit.
        Self {
            component: "apiserver",
            dry_run: route.dry_run,
            group: route.group.to_owned(),
            resource: route.resource.to_owned(),
            scope,
            subresource: route.subresource.to_owned(),
            verb: match (route.subresource, route.counted_as()) {
                // Connections to containers, whatever the method.
                ("attach" | "exec" | "portforward" | "proxy", _) => "CONNECT",
                (_, "PATCH") if content_type.starts_with(APPLY) => "APPLY",
                (_, verb) => verb,
            },
            version: route.version.to_owned(),
        }
    }
}

impl Metrics {
    /// Counts a request, with its duration unless the client determined that.
    pub(super) fn count(&self, subject: Subject, code: u16, took: Option<Duration>) {
        let mut counted = self.counted();
        let key = Responded { code, subject };
        // Existing series are still counted, so that a client that invents paths does not affect them.
        if counted.requests.len() >= MOST && !counted.requests.contains_key(&key) {
            return;
        }
        if let Some(took) = took {
            let latency = counted.latencies.entry(key.subject.clone());
            let latency = latency.or_insert_with(|| Histogram::new(BOUNDS));
            latency.observe(took.as_secs_f64());
        }
        *counted.requests.entry(key).or_default() += 1;
    }

    /// Counts an active watch until the returned value is dropped.
    pub(super) fn watching(&self, subject: &Subject) -> Watching<'_> {
        let watched = Watched {
            group: subject.group.clone(),
            resource: subject.resource.clone(),
            version: subject.version.clone(),
        };
        let mut counted = self.counted();
        // Counted here rather than by the permits, which do not know the subject.
        *counted.watchers.entry(watched.clone()).or_default() += 1;
        Watching {
            metrics: self,
            watched,
        }
    }

    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns all metrics in text format.
    pub(super) fn text(&self, now: CurrentValues) -> String {
        let counts = self.clone();
        exposed(Scrape { counts, now })
    }
}

/// The metrics of a server at one point in time.
#[derive(Debug)]
struct Scrape {
    counts: Metrics,
    now: CurrentValues,
}

impl Collector for Scrape {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let out = &mut encoder;
        let described = |name, help| Described { name, help };
        let counted = self.counts.counted();
        let requests = counted.requests.iter();
        described("apiserver_request", "Requests by verb, resource and code.").encode(
            out,
            requests.map(|(labels, count)| (labels.clone(), ConstCounter::new(*count))),
        )?;
        let latencies = counted.latencies.iter();
        described("apiserver_request_duration_seconds", "Response latency.").encode(
            out,
            latencies.map(|(labels, latency)| (labels.clone(), latency.clone())),
        )?;
        let watchers = counted.watchers.iter();
        described(
            "apiserver_registered_watchers",
            "Open watches, by resource.",
        )
        .encode(
            out,
            watchers.map(|(labels, count)| (labels.clone(), ConstGauge::new(*count))),
        )?;
        // Unlocked, so that requests can be counted while the rest is written.
        drop(counted);
        let kinds = [("mutating", self.now.writes), ("readOnly", self.now.reads)];
        described(
            "apiserver_current_inflight_requests",
            "Requests being handled, by kind.",
        )
        .encode(
            out,
            kinds.map(|(kind, count)| ([("request_kind", kind)], ConstGauge::new(count))),
        )?;
        for (name, help, value) in [
            ("ctl_serve_watches", "Open watches.", self.now.watches),
            (
                "ctl_serve_connections",
                "Open connections.",
                self.now.connections,
            ),
            (
                "ctl_serve_reserved_bytes",
                "Memory reserved for clients.",
                self.now.memory,
            ),
        ] {
            let no_labels = [("", ""); 0];
            described(name, help).encode(out, [(no_labels, ConstGauge::new(value))])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(method: &str, target: &str) -> Subject {
        Subject::from_route(&Route::new(method, target), "")
    }

    #[test]
    fn metric_labels_follow_the_request_path() {
        for (method, target, expected) in [
            (
                "GET",
                "/api/v1/namespaces/a/pods?limit=5",
                "/v1 pods  namespace LIST",
            ),
            ("GET", "/api/v1/pods?watch=1", "/v1 pods  cluster WATCH"),
            (
                "GET",
                "/api/v1/namespaces/a",
                "/v1 namespaces  resource GET",
            ),
            (
                "PUT",
                "/api/v1/namespaces/a/finalize",
                "/v1 namespaces finalize resource PUT",
            ),
            (
                "POST",
                "/api/v1/namespaces/a/pods/b/eviction",
                "/v1 pods eviction resource POST",
            ),
            (
                "DELETE",
                "/apis/apps/v1/namespaces/a/deployments",
                "apps/v1 deployments  namespace DELETECOLLECTION",
            ),
            ("GET", "/readyz", "/    GET"),
            ("BREW", "/", "/    OTHER"),
        ] {
            let is = about(method, target);
            let said = format!(
                "{}/{} {} {} {} {}",
                is.group, is.version, is.resource, is.subresource, is.scope, is.verb
            );
            assert_eq!(said, expected, "{method} {target}");
        }
    }

    #[test]
    fn connections_and_applies_have_verbs_of_their_own() {
        let pod = "/api/v1/namespaces/a/pods/b";
        let verb = |method: &str, target: &str, content_type: &str| {
            Subject::from_route(&Route::new(method, target), content_type).verb
        };
        assert_eq!(
            verb("GET", &format!("{pod}/exec?command=ls"), ""),
            "CONNECT"
        );
        assert_eq!(verb("POST", &format!("{pod}/proxy/x"), ""), "CONNECT");
        assert_eq!(verb("GET", &format!("{pod}/log"), ""), "GET");
        assert_eq!(verb("PATCH", pod, "application/apply-patch+yaml"), "APPLY");
        assert_eq!(verb("PATCH", pod, "application/merge-patch+json"), "PATCH");
    }

    #[test]
    fn prometheus_metrics_have_bounded_cardinality() {
        let metrics = Metrics::default();
        let list = || about("GET", "/api/v1/pods");
        metrics.count(list(), 200, Some(Duration::from_millis(30)));
        metrics.count(list(), 200, Some(Duration::from_millis(2)));
        metrics.count(about("GET", "/api/v1/pods?watch=1"), 200, None);
        let now = CurrentValues {
            reads: 1,
            writes: 6,
            watches: 2,
            connections: 3,
            memory: 4,
        };
        let text = metrics.text(now);
        let labels = "component=\"apiserver\",dry_run=\"\",group=\"\",resource=\"pods\",scope=\"cluster\",subresource=\"\",verb=\"LIST\",version=\"v1\"";
        for line in [
            format!("apiserver_request_total{{code=\"200\",{labels}}} 2\n"),
            format!("apiserver_request_duration_seconds_bucket{{{labels},le=\"0.005\"}} 1\n"),
            format!("apiserver_request_duration_seconds_bucket{{{labels},le=\"1\"}} 2\n"),
            format!("apiserver_request_duration_seconds_bucket{{{labels},le=\"+Inf\"}} 2\n"),
            format!("apiserver_request_duration_seconds_sum{{{labels}}} 0.032\n"),
            "apiserver_current_inflight_requests{request_kind=\"mutating\"} 6\n".to_owned(),
            "apiserver_current_inflight_requests{request_kind=\"readOnly\"} 1\n".to_owned(),
            "ctl_serve_watches 2\n".to_owned(),
        ] {
            assert!(text.contains(&line), "{line}{text}");
        }
        assert_eq!(text.matches("_count{").count(), 1);
        let pods = "apiserver_registered_watchers{group=\"\",resource=\"pods\",version=\"v1\"}";
        let watch = about("GET", "/api/v1/pods?watch=1");
        let (one, other) = (metrics.watching(&watch), metrics.watching(&watch));
        assert!(metrics.text(now).contains(&format!("{pods} 2\n")));
        drop(one);
        assert!(metrics.text(now).contains(&format!("{pods} 1\n")));
        drop(other);
        assert!(!metrics.text(now).contains(pods));
        for n in 0..MOST * 2 {
            metrics.count(about("GET", &format!("/api/v1/made\"up{n}")), 404, None);
        }
        let text = metrics.text(now);
        assert!(text.lines().count() < MOST + 100);
        assert!(text.contains("resource=\"made\\\"up0\""));
    }
}
