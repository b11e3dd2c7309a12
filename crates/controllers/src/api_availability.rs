//! The availability of the API groups that a Service serves. Only reports it: no request is proxied to them.

use crate::api::json::json;
use crate::kinds::condition::{self, NewCondition};
use crate::runtime::{Cache, Change, Key, Object, Plan, PlannedWrite, ReconcileContext, Watch};
use crate::{views, watched};

/// The label of an EndpointSlice that names its Service.
const SERVICE: &str = "kubernetes.io/service-name";

/// The reason and the message of a condition.
type Explanation = (&'static str, String);

/// Returns the watches that enqueue an APIService when it or its Service changes.
pub(crate) fn watches() -> Vec<Watch> {
    let own = Watch::new(watched::api_services(), |change: &Change, _: &Cache| {
        let own = change.after.iter();
        own.filter(|api| !views::api_service(api).is_local())
            .map(|api| api.key().clone())
            .collect()
    });
    let within = |change: &Change, cache: &Cache| -> Vec<Key> {
        let namespace = change.object().map_or("", Object::namespace);
        // Few clusters have more than two of them, so each is looked at again.
        cache
            .list(watched::api_services(), "")
            .filter(|api| views::api_service(api).namespace() == namespace)
            .map(|api| api.key().clone())
            .collect()
    };
    vec![
        own,
        Watch::new(watched::services(), within),
        Watch::new(watched::endpoint_slices(), within),
    ]
}

/// Returns the plan for an APIService by a rule: its condition `Available`.
pub(crate) fn plan(context: &ReconcileContext<'_>, rule: &str) -> Plan {
    let mut plan = Plan::done();
    let found = context.cache.by_key(watched::api_services(), context.key);
    let remote = |api: &&Object| !views::api_service(api).is_local() && !api.is_terminating();
    let Some(api) = found.filter(remote) else {
        return plan;
    };
    let (reason, message) = explain(api, context.cache);
    let said = NewCondition {
        kind: "Available",
        status: "False",
        reason,
        message: &message,
    };
    let mut conditions = condition::of(api);
    if condition::set(&mut conditions, said, context.now) {
        let status = json!({"conditions": conditions});
        plan.status.extend(PlannedWrite::status(api, status, rule));
    }
    plan
}

/// Returns the first reason why the API server cannot reach an API, in the order of its checks.
fn explain(api: &Object, cache: &Cache) -> Explanation {
    let api = views::api_service(api);
    let (name, namespace, port) = (api.name(), api.namespace(), api.port());
    let at = format!("service/{name} in {namespace:?}");
    let Some(found) = cache.get(watched::services(), namespace, name) else {
        return ("ServiceNotFound", format!("{at} is not present"));
    };
    let service = views::service(found);
    if service.kind() == "ClusterIP" {
        let mut ports = service.ports().iter().map(views::port);
        let Some(open) = ports.find(|own| own.number() == port) else {
            return (
                "ServicePortError",
                format!("{at} is not listening on port {port}"),
            );
        };
        let slices = cache.list(watched::endpoint_slices(), namespace);
        let mut slices = slices
            .filter(|slice| slice.label(SERVICE) == name)
            .peekable();
        if slices.peek().is_none() {
            let why = format!("cannot find endpointslices for {at}");
            return ("EndpointsNotFound", why);
        }
        let open = open.name();
        let serves = |slice: &Object| {
            let mut ports = views::slice_ports(slice).iter().map(views::port);
            let mut endpoints = views::endpoints(slice).iter().map(views::endpoint);
            ports.any(|port| port.name() == open) && endpoints.any(|endpoint| endpoint.may_serve())
        };
        if !slices.any(serves) {
            let why = format!("endpointslices for {at} have no addresses with port name {open:?}");
            return ("MissingEndpoints", why);
        }
    }
    let address = format!("{}:{port}", service.cluster_ip());
    let url = format!("https://{address}/apis/{}/{}", api.group(), api.version());
    let error = format!("Get {url:?}: dial tcp {address}: connect: connection refused");
    let why = format!("failing or missing response from {url}: {error}");
    ("FailedDiscoveryCheck", why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::World;

    #[test]
    fn an_api_is_as_available_as_its_service() {
        let world = World::new();
        let api = json!({"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
            "metadata": {"name": "v1.foo.example.com"}, "spec": {"group": "foo.example.com", "version": "v1",
            "groupPriorityMinimum": 100, "versionPriority": 100, "insecureSkipTLSVerify": true,
            "service": {"name": "s", "namespace": "default", "port": 443}}});
        world.create(watched::api_services(), &api);
        let told = || {
            world.settled();
            let api = world.get(watched::api_services(), "v1.foo.example.com");
            let condition = &api["status"]["conditions"][0];
            assert_eq!(condition["status"], "False");
            let said = |name: &str| condition[name].as_str().unwrap_or_default().to_owned();
            format!("{}: {}", said("reason"), said("message"))
        };
        assert_eq!(
            told(),
            "ServiceNotFound: service/s in \"default\" is not present"
        );
        let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
            "spec": {"selector": {"app": "s"}, "ports": [{"port": 80}]}});
        world.create(watched::services(), &service);
        let port = "ServicePortError: service/s in \"default\" is not listening on port 443";
        assert_eq!(told(), port);
        world.patch(
            watched::services(),
            "s",
            json!({"spec": {"ports": [{"port": 443}]}}),
        );
        assert_eq!(
            told(),
            "MissingEndpoints: endpointslices for service/s in \"default\" have no addresses with port name \"\""
        );
    }
}
