//! The users of the components of a cluster, as webhooks, policies and the audit log see them.
//!
//! Rights do not depend on them: components are parts of this program, and their requests are those of the
//! administrator.

use std::sync::OnceLock;

use crate::api::json::Value;
use crate::kinds::admission::User;
use crate::kinds::tree::{at, field, text};
use crate::request::{Request, Verb};

/// The writer of the events of all controllers.
const EVENTS: &str = "events";

/// The service accounts of controllers, as kubeadm lets the controller manager use them, by the names of the
/// controllers here and by the components in their events.
const ACCOUNTS: [(&str, &[&str]); 31] = [
    (
        "certificate-controller",
        &["csr-signing", "csr-cleaner", "csrsigning", "csrcleaner"],
    ),
    (
        "clusterrole-aggregation-controller",
        &["clusterrole-aggregation"],
    ),
    ("cronjob-controller", &["cronjob", "cronjob-controller"]),
    (
        "daemon-set-controller",
        &["daemonset", "daemonset-controller"],
    ),
    (
        "deployment-controller",
        &["deployment", "deployment-controller"],
    ),
    (
        "disruption-controller",
        &["disruption", "controllermanager"],
    ),
    ("endpoint-controller", &["endpoints", "endpoint-controller"]),
    (
        "endpointslice-controller",
        &["endpointslice", "endpoint-slice-controller"],
    ),
    (
        "endpointslicemirroring-controller",
        &[
            "endpointslice-mirroring",
            "endpoint-slice-mirroring-controller",
        ],
    ),
    (
        "ephemeral-volume-controller",
        &["ephemeral-volume", "ephemeral_volume"],
    ),
    (
        "generic-garbage-collector",
        &["garbage-collector", "garbage-collector-controller"],
    ),
    (
        "horizontal-pod-autoscaler",
        &["horizontalpodautoscaler", "horizontal-pod-autoscaler"],
    ),
    ("job-controller", &["job", "job-controller"]),
    (
        "namespace-controller",
        &["namespace", "namespace-controller"],
    ),
    (
        "node-controller",
        &[
            "node-lifecycle",
            "taint-eviction",
            "node-controller",
            "taint-eviction-controller",
        ],
    ),
    (
        "persistent-volume-binder",
        &[
            "persistentvolume-binder",
            "persistentvolume",
            "persistentvolume-controller",
        ],
    ),
    (
        "pod-garbage-collector",
        &["pod-gc", "pod-garbage-collector"],
    ),
    (
        "replicaset-controller",
        &["replicaset", "replicaset-controller"],
    ),
    (
        "replication-controller",
        &["replicationcontroller", "replication-controller"],
    ),
    (
        "resource-claim-controller",
        &["resourceclaim", "resourceclaim-template", "resource_claim"],
    ),
    (
        "resourcequota-controller",
        &["resourcequota", "resourcequota-controller"],
    ),
    ("root-ca-cert-publisher", &["root-ca"]),
    ("service-account-controller", &["serviceaccount"]),
    (
        "service-cidrs-controller",
        &["service-cidr", "service-cidr-controller"],
    ),
    ("service-controller", &["service-lb", "service-controller"]),
    (
        "statefulset-controller",
        &["statefulset", "statefulset-controller"],
    ),
    (
        "tokens-controller",
        &["serviceaccount-token", "tokens-controller"],
    ),
    ("ttl-after-finished-controller", &["ttl-after-finished"]),
    (
        "validatingadmissionpolicy-status-controller",
        &["validatingadmissionpolicy-status"],
    ),
    (
        "volumeattributesclass-protection-controller",
        &["volumeattributesclass-protection"],
    ),
    ("ingress-controller", &["ingress", "ingress-controller"]),
];

/// The user of a component, after the first request for it. Most requests are never asked, and carry a pointer only.
pub(crate) type ComponentUser = OnceLock<Option<Box<User>>>;

/// The user of a component, created at its first use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Component<'a> {
    /// The name of the controller, or the program.
    pub(crate) writer: &'a str,
    pub(crate) request: &'a Request,
    pub(crate) shown: &'a ComponentUser,
}

impl<'a> Component<'a> {
    /// Returns the user; `None` if the writer is not a component.
    pub(crate) fn user(&self) -> Option<&'a User> {
        let make = || user(self.writer, self.request).map(Box::new);
        self.shown.get_or_init(make).as_deref()
    }
}

/// Returns the user of a component that sends a request; `None` if the writer is none.
pub(crate) fn user(writer: &str, request: &Request) -> Option<User> {
    let event = match (writer, &request.verb) {
        (EVENTS, Verb::Create(event) | Verb::Update(_, event)) => Some(event),
        _ => None,
    };
    // All events are written together, each for the component that it names.
    let component = match event {
        Some(event) => match text(event, "reportingComponent") {
            "" => text(field(event, "source"), "component"),
            own => own,
        },
        None => writer,
    };
    match component {
        "kubelet" | "kubelet-node" | "kubelet-stages" => {
            let name = format!("system:node:{}", node(event, request)?);
            Some(made(name, &["system:nodes"]))
        }
        "scheduler" | "default-scheduler" => Some(made("system:kube-scheduler".to_owned(), &[])),
        "kubernetes-service"
        | "event-ttl"
        | "ipallocator-repair"
        | "ipallocator-repair-controller" => {
            Some(made("system:apiserver".to_owned(), &["system:masters"]))
        }
        component => {
            let mut accounts = ACCOUNTS.iter();
            let (account, _) = accounts.find(|(_, names)| names.contains(&component))?;
            let name = format!("system:serviceaccount:kube-system:{account}");
            let groups = [
                "system:serviceaccounts",
                "system:serviceaccounts:kube-system",
            ];
            Some(made(name, &groups))
        }
    }
}

fn made(name: String, groups: &[&str]) -> User {
    let groups = groups.iter().chain(&["system:authenticated"]);
    User {
        name,
        groups: groups.map(|group| (*group).to_owned()).collect(),
        ..User::default()
    }
}

/// Returns the node whose kubelet sends a request.
fn node(event: Option<&Value>, request: &Request) -> Option<String> {
    if let Some(event) = event {
        return Some(text(field(event, "source"), "host").to_owned());
    }
    // The object as the controller has read it, because a patch of the status does not name the node.
    let seen = request.options.seen.as_ref().map(|(_, object)| object);
    let own = match &request.verb {
        Verb::Create(object) | Verb::Update(_, object) => Some(object),
        _ => None,
    };
    match request.place.kind.is_pod() {
        true => {
            let nodes = seen.into_iter().chain(own);
            let named =
                nodes.map(|pod| at(pod, &["spec", "nodeName"]).as_str().unwrap_or_default());
            named
                .into_iter()
                .find(|name| !name.is_empty())
                .map(str::to_owned)
        }
        // Nodes and their leases.
        false => Some(request.name.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::request::part::Part;
    use crate::testing::place;

    #[test]
    fn components_have_the_users_of_a_real_cluster() {
        let pods = place("pods");
        let status = Verb::Update(Part::Status, json!({"spec": {"nodeName": "n1"}}));
        let pod = Request::new(pods.clone(), "p", status);
        let node = Request::new(place("nodes"), "n2", Verb::Get(Part::Whole));
        let event = |source: Value| {
            let event = json!({"metadata": {"name": "e"}, "source": source,
                "reportingComponent": source["component"]});
            Request::create(place("events"), event)
        };
        let account = |name: &str| Some(format!("system:serviceaccount:kube-system:{name}"));
        for (writer, request, expected) in [
            ("replicaset", &pod, account("replicaset-controller")),
            ("job", &pod, account("job-controller")),
            ("scheduler", &pod, Some("system:kube-scheduler".to_owned())),
            ("kubelet", &pod, Some("system:node:n1".to_owned())),
            ("kubelet-node", &node, Some("system:node:n2".to_owned())),
            ("ctl apply -f x.yaml", &pod, None),
            (
                "events",
                &event(json!({"component": "kubelet", "host": "n3"})),
                Some("system:node:n3".to_owned()),
            ),
            (
                "events",
                &event(json!({"component": "deployment-controller"})),
                account("deployment-controller"),
            ),
        ] {
            let user = user(writer, request);
            assert_eq!(user.map(|user| user.name), expected, "{writer}");
        }
        let kubelet = user("kubelet", &pod).unwrap();
        assert_eq!(kubelet.groups, ["system:nodes", "system:authenticated"]);
    }
}
