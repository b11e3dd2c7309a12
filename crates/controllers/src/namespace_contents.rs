//! The objects of every namespace: the service account `default` and the cluster's CA certificate.
//!
//! Rules:
//! - `default-account`: a namespace lacks the account; it is created.
//! - `root-certificate`: a namespace lacks the certificate or has another one; it is created or replaced.

use super::watched;
use crate::api::json::json;
use crate::cluster::Place;
use crate::kinds::Kind;
use crate::kinds::tree::{at, text};
use crate::runtime::{Controller, Key, Object, Plan, PlannedWrite, ReconcileContext, Watch};

const ACCOUNT: &str = "default";
const CERTIFICATE: &str = "kube-root-ca.crt";
/// The namespace whose certificate all others copy.
const SYSTEM: &str = "kube-system";
const DESCRIPTION: &str = "Contains a CA bundle that can be used to verify the kube-apiserver when \
    using internal endpoints such as the internal service IP or kubernetes.default.svc. No other \
    usage is guaranteed across distributions of Kubernetes clusters.";

/// Makes the account of each namespace.
#[derive(Debug, Default)]
pub(crate) struct ServiceAccounts;

/// Makes the certificate of each namespace.
#[derive(Debug, Default)]
pub(crate) struct RootCertificates;

/// Namespaces themselves, and those in which an object of this name changed.
fn watches(kind: &'static Kind, name: &'static str) -> Vec<Watch> {
    let own = Watch::new(kind, move |change, _| {
        // Only the object of this name matters; other ConfigMaps and accounts change far more often.
        let object = change.object().filter(|o| o.name() == name);
        object
            .map(|o| Key::new("", o.namespace()))
            .into_iter()
            .collect()
    });
    vec![Watch::own(watched::namespaces()), own]
}

/// Returns the namespace of a key, if things can be made in it.
fn namespace<'a>(context: &ReconcileContext<'a>) -> Option<&'a Object> {
    let namespace = context.cache.by_key(watched::namespaces(), context.key)?;
    // Creating anything in a terminating namespace is forbidden and would delay its end.
    let stays = !namespace.is_terminating() && at(namespace, &["status", "phase"]) != "Terminating";
    stays.then_some(namespace)
}

impl Controller for ServiceAccounts {
    fn name(&self) -> &'static str {
        "serviceaccount"
    }

    fn component(&self) -> &'static str {
        "service-account-controller"
    }

    fn watches(&self) -> Vec<Watch> {
        watches(watched::service_accounts(), ACCOUNT)
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let kind = watched::service_accounts();
        if let Some(namespace) = namespace(context)
            && context.cache.get(kind, namespace.name(), ACCOUNT).is_none()
        {
            let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {
                "name": ACCOUNT, "namespace": namespace.name(),
            }});
            let place = Place::new(kind, namespace.name());
            plan.changes.push(PlannedWrite::create(
                place,
                account,
                "default-account: the namespace has no ServiceAccount default",
            ));
        }
        plan
    }
}

impl Controller for RootCertificates {
    fn name(&self) -> &'static str {
        "root-ca"
    }

    fn component(&self) -> &'static str {
        "root-ca-certificate-publisher"
    }

    fn watches(&self) -> Vec<Watch> {
        watches(watched::config_maps(), CERTIFICATE)
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let kind = watched::config_maps();
        let Some(namespace) = namespace(context) else {
            return plan;
        };
        let first = context.cache.get(kind, SYSTEM, CERTIFICATE);
        let bundle = first
            .map_or("", |map| text(at(map, &["data"]), "ca.crt"))
            .to_owned();
        let data = json!({"ca.crt": bundle});
        match context.cache.get(kind, namespace.name(), CERTIFICATE) {
            None => {
                let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": data, "metadata": {
                    "name": CERTIFICATE, "namespace": namespace.name(),
                    "annotations": {"kubernetes.io/description": DESCRIPTION},
                }});
                let place = Place::new(kind, namespace.name());
                plan.changes.push(PlannedWrite::create(
                    place,
                    map,
                    "root-certificate: the namespace has no kube-root-ca.crt",
                ));
            }
            // The one in kube-system is the source here, so comparing it with itself would never repair it.
            Some(map) if namespace.name() != SYSTEM && map["data"] != data => {
                let mut value = map.to_value();
                // Only the data is put back; labels and annotations that users added stay.
                value["data"] = data;
                plan.changes.push(PlannedWrite::update(
                    map,
                    value,
                    "root-certificate: its data is not the CA certificate",
                ));
            }
            Some(_) => {}
        }
        plan
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{ControllerHarness, content, lines};

    #[test]
    fn deleted_default_service_account_is_recreated() {
        let mut harness = ControllerHarness::new(ServiceAccounts);
        harness.put("v1", "Namespace", json!({"metadata": {"name": "blue"}}));
        assert_eq!(
            lines(&harness.plan("", "blue")),
            ["create serviceaccounts default: default-account"]
        );
        let account = harness.put(
            "v1",
            "ServiceAccount",
            json!({"metadata": {"name": "default", "namespace": "blue"}}),
        );
        assert_eq!(harness.plan("", "blue"), Plan::done());
        assert_eq!(harness.keys(&account), [Key::new("", "blue")]);
        harness.remove(&account);
        assert_eq!(harness.plan("", "blue").changes.len(), 1);
    }

    #[test]
    fn nothing_is_created_in_a_terminating_namespace() {
        let mut harness = ControllerHarness::new(RootCertificates);
        harness.put(
            "v1",
            "Namespace",
            json!({"metadata": {"name": "blue"}, "status": {"phase": "Terminating"}}),
        );
        assert_eq!(harness.plan("", "blue"), Plan::done());
    }

    #[test]
    fn root_certificate_is_copied_to_every_namespace() {
        let mut harness = ControllerHarness::new(RootCertificates);
        harness.put("v1", "Namespace", json!({"metadata": {"name": "blue"}}));
        harness.put("v1", "ConfigMap", json!({"metadata": {"name": CERTIFICATE, "namespace": SYSTEM}, "data": {"ca.crt": "x"}}));
        let plan = harness.plan("", "blue");
        assert_eq!(content(&plan.changes[0])["data"]["ca.crt"], "x");
        harness.put("v1", "ConfigMap", json!({"metadata": {"name": CERTIFICATE, "namespace": "blue"}, "data": {"ca.crt": "y"}}));
        assert_eq!(
            lines(&harness.plan("", "blue")),
            ["update configmaps kube-root-ca.crt: root-certificate"]
        );
    }
}
