//! External addresses for Services of the type LoadBalancer and for Ingresses.
//!
//! It does not run with `--pods running`: such a cluster has no cloud provider, so these Services wait forever.
//!
//! Rules:
//! - `address`: an address is assigned.
//! - `no-address`: the Service no longer has the type LoadBalancer; its address is removed.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;

use super::{views, watched};
use crate::api::json::{Value, json};
use crate::cluster::PodMode;
use crate::kinds::Kind;
use crate::kinds::tree::{at, field, list, text};
use crate::runtime::{
    Cache, Controller, EventNote, Object, Plan, PlannedWrite, ReconcileContext, Watch,
};

/// The addresses: a range reserved for documentation.
// TEST-NET-3 is reserved for documentation, so a leaked address reaches no real machine.
const FIRST: u32 = u32::from_be_bytes([203, 0, 113, 1]);
const LAST: u32 = u32::from_be_bytes([203, 0, 113, 254]);

/// Gives services addresses.
#[derive(Debug, Default)]
pub(crate) struct LoadBalancers;

/// Gives ingresses addresses.
#[derive(Debug, Default)]
pub(crate) struct Ingresses;

fn services() -> &'static Kind {
    watched::services()
}

fn ingresses() -> &'static Kind {
    watched::ingresses()
}

fn given(object: &Value) -> Vec<&str> {
    let all = list(at(object, &["status", "loadBalancer"]), "ingress");
    all.iter().map(|i| text(i, "ip")).collect()
}

/// Returns the requested address if it is free, else the lowest free one.
fn free(cache: &Cache, wanted: &str) -> Option<String> {
    let used: BTreeSet<String> = [services(), ingresses()]
        .iter()
        .flat_map(|kind| cache.list(kind, ""))
        .flat_map(|o| given(o).into_iter().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    // `spec.loadBalancerIP` is only a preference: a provider that cannot honor it assigns another address.
    if !wanted.is_empty() && !used.contains(wanted) {
        return Some(wanted.to_owned());
    }
    let mut all = (FIRST..=LAST).map(|n| Ipv4Addr::from(n).to_string());
    all.find(|address| !used.contains(address))
}

fn with_address(object: &Object, address: Option<&str>, rule: String) -> Option<PlannedWrite> {
    let mut status = field(object, "status").clone();
    if !status.is_object() {
        status = json!({});
    }
    status["loadBalancer"] = match address {
        Some(address) if object.kind().is_addressed() => {
            // Services default `ipMode` to VIP; the ingress type has no such field.
            json!({"ingress": [{"ip": address, "ipMode": "VIP"}]})
        }
        Some(address) => json!({"ingress": [{"ip": address}]}),
        None => json!({}),
    };
    PlannedWrite::status(object, status, rule)
}

impl Controller for LoadBalancers {
    fn name(&self) -> &'static str {
        "service-lb"
    }

    fn component(&self) -> &'static str {
        "service-controller"
    }

    fn is_divided(&self) -> bool {
        // Two processes could assign the same address.
        false
    }

    fn watches(&self) -> Vec<Watch> {
        vec![Watch::own(services()), Watch::cached(ingresses())]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let Some(service) = context.cache.by_key(services(), context.key) else {
            return plan;
        };
        let view = views::service(service);
        // A class hands the Service to another implementation.
        let ours = view.kind() == "LoadBalancer" && view.load_balancer_class().is_empty();
        let has = !given(service).is_empty();
        if ours && !has && context.pods == PodMode::Default && !service.is_terminating() {
            if let Some(address) = free(context.cache, view.load_balancer_ip()) {
                let rule = format!("address: {address}");
                plan.status
                    .extend(with_address(service, Some(&address), rule));
                plan.events.push(EventNote::normal(
                    service,
                    "EnsuredLoadBalancer",
                    "Ensured load balancer",
                ));
            }
        } else if !ours && has && view.load_balancer_class().is_empty() {
            let rule = "no-address: the type is not LoadBalancer".to_owned();
            plan.status.extend(with_address(service, None, rule));
        }
        plan
    }
}

impl Controller for Ingresses {
    fn name(&self) -> &'static str {
        "ingress"
    }

    fn component(&self) -> &'static str {
        "ingress-controller"
    }

    fn is_divided(&self) -> bool {
        // Two processes could assign the same address.
        false
    }

    fn watches(&self) -> Vec<Watch> {
        let classes = watched::ingress_classes();
        let by_class = Watch::new(classes, |change, cache| {
            let name = change.object().map_or("", Object::name).to_owned();
            let all = cache.list(ingresses(), "");
            let of_class = all.filter(|i| text(field(i, "spec"), "ingressClassName") == name);
            of_class.map(|i| i.key().clone()).collect()
        });
        vec![Watch::own(ingresses()), by_class, Watch::cached(services())]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let Some(ingress) = context.cache.by_key(ingresses(), context.key) else {
            return plan;
        };
        let class = text(field(ingress, "spec"), "ingressClassName");
        let classes = watched::ingress_classes();
        // An Ingress without an existing class waits for one, as it does on a real cluster without a controller for
        // it.
        let served = context.cache.get(classes, "", class).is_some();
        let wants = served && given(ingress).is_empty() && !ingress.is_terminating();
        if wants
            && context.pods == PodMode::Default
            && let Some(address) = free(context.cache, "")
        {
            let rule = format!("address: {address} from IngressClass {class}");
            plan.status
                .extend(with_address(ingress, Some(&address), rule));
        }
        plan
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{ControllerHarness, content};

    fn balancer(name: &str) -> Value {
        json!({"metadata": {"name": name}, "spec": {"type": "LoadBalancer"}, "status": {"loadBalancer": {}}})
    }

    #[test]
    fn load_balancers_get_unique_addresses_except_in_running_mode() {
        let mut harness = ControllerHarness::new(LoadBalancers);
        harness.put("v1", "Service", balancer("a"));
        let plan = harness.plan("default", "a");
        let made = content(&plan.status[0]).clone();
        assert_eq!(given(&made), ["203.0.113.1"]);
        harness.put("v1", "Service", made);
        assert_eq!(harness.plan("default", "a"), Plan::done());
        let mut own = balancer("b");
        own["spec"]["loadBalancerIP"] = json!("203.0.113.77");
        harness.put("v1", "Service", own);
        assert_eq!(
            given(content(&harness.plan("default", "b").status[0])),
            ["203.0.113.77"]
        );
        harness.put("v1", "Service", balancer("c"));
        assert_eq!(
            given(content(&harness.plan("default", "c").status[0])),
            ["203.0.113.2"]
        );
        harness.mode = PodMode::Running;
        assert_eq!(harness.plan("default", "c"), Plan::done());
    }

    #[test]
    fn service_changed_to_cluster_ip_loses_its_address() {
        let mut harness = ControllerHarness::new(LoadBalancers);
        let mut service = balancer("a");
        service["spec"]["type"] = json!("ClusterIP");
        service["status"] = json!({"loadBalancer": {"ingress": [{"ip": "203.0.113.1"}]}});
        harness.put("v1", "Service", service);
        assert!(given(content(&harness.plan("default", "a").status[0])).is_empty());
    }

    #[test]
    fn ingresses_of_an_existing_class_get_an_address() {
        let mut harness = ControllerHarness::new(Ingresses);
        harness.put(
            "networking.k8s.io/v1",
            "Ingress",
            json!({"metadata": {"name": "i"}, "spec": {"ingressClassName": "c"}}),
        );
        assert_eq!(harness.plan("default", "i"), Plan::done());
        harness.put(
            "networking.k8s.io/v1",
            "IngressClass",
            json!({"metadata": {"name": "c"}}),
        );
        assert_eq!(
            given(content(&harness.plan("default", "i").status[0])),
            ["203.0.113.1"]
        );
    }
}
