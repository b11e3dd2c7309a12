//! Proxied requests: to a port of a Pod or Service, or to the kubelet of a node, which is fake.
//!
//! Must not know: connections.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::metrics::gauge::ConstGauge;

use super::page::PROMETHEUS;
use super::read::TREE;
use super::{Call, Reply, Response, no_resource};
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::cluster::{ApiError, Described, ListOptions, Place, exposed};
use crate::kinds::fake;
use crate::kinds::tree::{as_text, at, field, int, list, text};

/// The port of a Pod or Service if the request does not contain one.
const PORT: i64 = 80;

/// A request that is forwarded to an address on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proxied {
    /// The address: `HOST:PORT`.
    pub(crate) address: String,
    /// The path and query to send to the address.
    pub(crate) target: String,
}

/// The target of a proxied request: `NAME`, `NAME:PORT` or `SCHEME:NAME:PORT`.
#[derive(Debug, PartialEq, Eq)]
struct ProxyTarget<'a> {
    name: &'a str,
    port: &'a str,
}

/// Parses a target. The scheme has no effect, because forwarded requests always use HTTP.
fn named(name: &str) -> Option<ProxyTarget<'_>> {
    // Object names cannot contain a colon, so the split is unambiguous.
    match name.split(':').collect::<Vec<_>>().as_slice() {
        [name] => Some(ProxyTarget { name, port: "" }),
        [name, port] | ["http" | "", name, port] => Some(ProxyTarget { name, port }),
        _ => None,
    }
}

impl<'c> Call<'c, '_> {
    /// Returns true if the request must be proxied.
    pub(super) fn is_proxied(&self) -> bool {
        let target = &self.target;
        target.subresource == "proxy" && target.kind.subresource("proxy").is_some()
    }

    /// Returns the address for a proxied request, or the response of a fake node.
    pub(super) fn proxied(&self) -> Result<Reply<'c>, ApiError> {
        let target = self.behind();
        let kind = self.target.kind;
        let named = named(self.name()).ok_or_else(|| {
            let why = format!("invalid {} request {:?}", kind.singular, self.name());
            Status::bad_request(why)
        })?;
        let path = target.split('?').next().unwrap_or_default();
        let options = self.connecting("proxy", json!({"path": path}))?;
        // An admission webhook may change the path of the request.
        let target = format!("{}{}", text(&options, "path"), &target[path.len()..]);
        // Read first, because a missing object gets a 404 even if its port is invalid.
        let object = self.cluster.get(&self.place(), named.name)?;
        let address = match kind.is_pod() {
            _ if kind.hosts_pods() => return Ok(Reply::Whole(self.on_node(&object, &target)?)),
            true => self.port_of_pod(&object, named.port),
            false => self.port_of_service(&object, named.port)?,
        };
        let address = address.map_err(|why| unavailable(&why))?;
        Ok(Reply::Proxy(Proxied { address, target }))
    }

    /// Returns the path after `proxy` without decoding it, with the query.
    fn behind(&self) -> String {
        let (path, query) = self
            .request
            .path
            .split_once('?')
            .unwrap_or((self.request.path, ""));
        // The number of segments up to and including `proxy`: fewer for a node than for a namespaced object.
        let words = if self.target.namespace.is_empty() {
            5
        } else {
            7
        };
        // Counts segments rather than searching for `proxy`, because an object may have this name. Escapes stay
        // unchanged.
        let mut rest = path.trim_start_matches('/');
        for _ in 0..words {
            rest = rest
                .split_once('/')
                .map_or("", |(_, rest)| rest.trim_start_matches('/'));
        }
        match query {
            "" => format!("/{rest}"),
            query => format!("/{rest}?{query}"),
        }
    }

    fn port_of_pod(&self, pod: &Value, port: &str) -> Result<String, String> {
        let containers = list(field(pod, "spec"), "containers").iter();
        let mut ports = containers.flat_map(|own| list(own, "ports"));
        let number = match (port, port.parse::<u16>()) {
            // The API server also uses the first declared port.
            ("", _) => ports.next().map_or(PORT, |own| int(own, "containerPort")),
            (_, Ok(number)) => number.into(),
            (name, Err(_)) => {
                let own = ports.find(|own| text(own, "name") == name);
                own.map_or(0, |own| int(own, "containerPort"))
            }
        };
        // The error for a running Pod in which no process listens on the port.
        let refused = || {
            let address = text(field(pod, "status"), "podIP");
            format!(
                "error trying to reach service: dial tcp {address}:{number}: connect: connection refused"
            )
        };
        let nodes = self.request.nodes.ok_or_else(refused)?;
        let number = u16::try_from(number).map_err(|_| refused())?;
        nodes.forward(pod, number).map_err(|_| refused())
    }

    /// Returns the address for a Service: its own, or that of one of its Pods.
    fn port_of_service(
        &self,
        service: &Value,
        port: &str,
    ) -> Result<Result<String, String>, ApiError> {
        let name = text(field(service, "metadata"), "name");
        let spec = field(service, "spec");
        let ports = list(spec, "ports");
        let is_meant = |own: &&Value| {
            port.is_empty() || text(own, "name") == port || int(own, "port").to_string() == port
        };
        // A client may refer to a port by name or by number.
        let Some(own) = ports.iter().find(is_meant) else {
            let why = format!("no service port {port:?} found for service {name:?}");
            return Ok(Err(why));
        };
        if let Some(address) = fake::forward(service, int(own, "port")) {
            return Ok(fake::check_loopback(address));
        }
        let selector = field(spec, "selector").as_object().into_iter().flatten();
        let labels = selector.map(|(key, value)| format!("{key}={}", as_text(value)));
        let labels = labels.collect::<Vec<_>>().join(",");
        let none = format!("no endpoints available for service {name:?}");
        // A Service without a selector has external endpoints, which do not exist here.
        if labels.is_empty() {
            return Ok(Err(none));
        }
        // The port of the Pods; if it is a name, it can have another number in each Pod.
        let target = field(own, "targetPort");
        let wanted = match (target.as_i64(), as_text(target)) {
            (Some(0), _) | (None, "") => int(own, "port").to_string(),
            (Some(number), _) => number.to_string(),
            (None, name) => name.to_owned(),
        };
        let options = ListOptions {
            labels,
            ..ListOptions::default()
        };
        let pods = self.selected(&self.pods()?, &options, TREE)?.items;
        let running = pods
            .iter()
            .filter(|pod| text(field(pod, "status"), "phase") == "Running");
        let mut addresses = running.map(|pod| self.port_of_pod(pod, &wanted));
        // Uses the first Pod that can be reached.
        let first = addresses.next().unwrap_or(Err(none));
        Ok(first.or_else(|why| addresses.find_map(Result::ok).ok_or(why)))
    }

    fn pods(&self) -> Result<Place, Status> {
        let pods = crate::kinds::find("", "v1", "Pod").ok_or_else(no_resource)?;
        Ok(Place::new(pods, &self.target.namespace))
    }

    /// Returns the response of a fake node's kubelet.
    fn on_node(&self, node: &Value, target: &str) -> Result<Response, ApiError> {
        let path = target.split('?').next().unwrap_or_default();
        let words: Vec<&str> = path.split('/').filter(|word| !word.is_empty()).collect();
        let name = text(field(node, "metadata"), "name");
        // Here a node can only be changed through the API.
        if self.request.method != "GET" {
            return Ok(Response::text(405, "Method Not Allowed\n"));
        }
        // A closure, because a health check does not need the Pods.
        let pods = || {
            let options = ListOptions {
                fields: format!("spec.nodeName={name}"),
                ..ListOptions::default()
            };
            Ok::<_, ApiError>(self.selected(&self.pods()?, &options, TREE + 1)?.items)
        };
        Ok(match words.as_slice() {
            ["healthz"] => Response::text(200, "ok"),
            ["pods"] => {
                let list = json!({
                    "kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": pods()?,
                });
                Response::object(200, list, Vec::new())
            }
            // The values that programs read; a fake node has no other settings.
            ["configz"] => {
                let spec = json!({
                    "kind": "KubeletConfiguration", "apiVersion": "kubelet.config.k8s.io/v1beta1",
                    "clusterDomain": "cluster.local", "maxPods": 110,
                });
                Response::object(200, json!({"kubeletconfig": spec}), Vec::new())
            }
            ["metrics"] => Response {
                media: PROMETHEUS,
                ..Response::text(200, exposed(Kubelet::new(&pods()?)))
            },
            ["stats", "summary"] => Response::object(200, summary(name, &pods()?), Vec::new()),
            ["containerLogs", namespace, pod, container] => {
                let mut options = self.log_options()?;
                options.container = Some((*container).to_owned());
                let place = Place::new(self.pods()?.kind, namespace);
                let subresources = self.cluster.subresources();
                match subresources.log_target(&place, pod, &options)? {
                    None => Response::text(200, ""),
                    Some(found) => {
                        let text = self.nodes()?.log(self.cluster, &found, &options)?;
                        Response::text(200, text)
                    }
                }
            }
            _ => Response::text(404, "404 page not found\n"),
        })
    }
}

fn unavailable(why: &str) -> Status {
    Status {
        code: 503,
        reason: "ServiceUnavailable",
        ..Status::bad_request(why)
    }
}

/// Returns the running containers of the Pods.
fn running(pods: &[Value]) -> impl Iterator<Item = &Value> {
    let statuses = pods
        .iter()
        .flat_map(|pod| list(field(pod, "status"), "containerStatuses"));
    statuses.filter(|status| !at(status, &["state", "running"]).is_null())
}

/// The metrics of a kubelet.
#[derive(Debug)]
struct Kubelet {
    pods: usize,
    containers: usize,
}

impl Kubelet {
    fn new(pods: &[Value]) -> Self {
        let is_running = |pod: &&Value| at(pod, &["status", "phase"]).as_str() == Some("Running");
        Self {
            pods: pods.iter().filter(is_running).count(),
            containers: running(pods).count(),
        }
    }
}

impl Collector for Kubelet {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut count = |name, help, count: usize| {
            let (none, gauge) = ([("", ""); 0], ConstGauge::new(count));
            Described { name, help }.encode(&mut encoder, [(none, gauge)])
        };
        let pods = "Number of pods that have a running pod sandbox";
        count("kubelet_running_pods", pods, self.pods)?;
        let containers = "Number of containers currently running";
        count("kubelet_running_containers", containers, self.containers)
    }
}

/// Returns the resource usage of a node's Pods, which annotations declare.
fn summary(node: &str, pods: &[Value]) -> Value {
    let cpu = |pod: &Value, container: &str| {
        let used = fake::usage(pod, container, "cpu");
        used.map_or(0, |used| used.milli().saturating_mul(1_000_000))
    };
    let memory = |pod: &Value, container: &str| {
        fake::usage(pod, container, "memory").map_or(0, |used| used.ceil())
    };
    let of_pod = |pod: &Value| {
        let metadata = field(pod, "metadata");
        let containers = list(field(pod, "spec"), "containers").iter().map(|own| {
            let name = text(own, "name");
            json!({
                "name": name,
                "cpu": {"usageNanoCores": cpu(pod, name)},
                "memory": {"workingSetBytes": memory(pod, name)},
            })
        });
        json!({
            "podRef": {
                "name": text(metadata, "name"), "namespace": text(metadata, "namespace"),
                "uid": text(metadata, "uid"),
            },
            "containers": containers.collect::<Vec<_>>(),
        })
    };
    json!({
        "node": {"nodeName": node},
        "pods": pods.iter().map(of_pod).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_port_and_a_scheme() {
        let of = |name, port| Some(ProxyTarget { name, port });
        assert_eq!(named("web"), of("web", ""));
        assert_eq!(named("web:http"), of("web", "http"));
        assert_eq!(named("http:web:80"), of("web", "80"));
        assert_eq!(named(":web:80"), of("web", "80"));
        assert_eq!(named("https:web:80"), None);
        assert_eq!(named("a:b:c:d"), None);
    }
}
