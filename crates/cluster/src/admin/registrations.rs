//! The objects with which an API server describes itself: an APIService for each version of its groups, the priority
//! levels and FlowSchemas of its flow control.

use crate::api::json::{Value, json};
use crate::kinds::registry;

const ALL: [&str; 1] = ["*"];

/// The priority of a group, and those of its versions that differ from the usual one.
const GROUPS: &[(&str, i64, &[(&str, i64)])] = &[
    ("", 18_000, &[("v1", 1)]),
    ("apps", 17_800, &[]),
    ("events.k8s.io", 17_750, &[]),
    ("authentication.k8s.io", 17_700, &[]),
    ("authorization.k8s.io", 17_600, &[]),
    ("autoscaling", 17_500, &[("v2", 30)]),
    ("batch", 17_400, &[]),
    ("certificates.k8s.io", 17_300, &[]),
    ("networking.k8s.io", 17_200, &[]),
    ("policy", 17_100, &[]),
    ("rbac.authorization.k8s.io", 17_000, &[]),
    ("storage.k8s.io", 16_800, &[]),
    ("admissionregistration.k8s.io", 16_700, &[]),
    ("apiextensions.k8s.io", 16_700, &[]),
    ("scheduling.k8s.io", 16_600, &[]),
    ("coordination.k8s.io", 16_500, &[]),
    ("node.k8s.io", 16_300, &[]),
    ("discovery.k8s.io", 16_200, &[]),
    ("flowcontrol.apiserver.k8s.io", 16_100, &[("v1", 21)]),
    ("resource.k8s.io", 15_900, &[("v1", 20)]),
];

/// The usual priority of a version.
const VERSION: i64 = 15;

/// A priority level that limits requests: its shares, the part that it lends, and its queues if it has some.
struct Level {
    name: &'static str,
    shares: i64,
    lends: i64,
    queues: Option<[i64; 2]>,
}

/// Returns a level; its queues are their number and the size of a hand.
const fn level(name: &'static str, shares: i64, lends: i64, queues: Option<[i64; 2]>) -> Level {
    Level {
        name,
        shares,
        lends,
        queues,
    }
}

const LEVELS: &[Level] = &[
    level("catch-all", 5, 0, None),
    level("global-default", 20, 50, Some([128, 6])),
    level("leader-election", 10, 0, Some([16, 4])),
    level("node-high", 40, 25, Some([64, 6])),
    level("system", 30, 33, Some([64, 6])),
    level("workload-high", 40, 50, Some([128, 6])),
    level("workload-low", 100, 90, Some([128, 6])),
];

/// An object that a server makes of itself, with the writer of its fields.
///
/// ```
/// use ctl_cluster::{Registration, registrations};
///
/// let apps = |own: &Registration| own.object["metadata"]["name"] == "v1.apps";
/// let apps = registrations().into_iter().find(apps).unwrap();
/// assert_eq!(apps.object["spec"]["groupPriorityMinimum"], 17_800);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Registration {
    /// The field manager.
    pub manager: &'static str,
    /// The object.
    pub object: Value,
}

/// Returns the objects with which an API server describes itself.
pub fn registrations() -> Vec<Registration> {
    let flow = levels().chain(schemas()).map(|object| Registration {
        manager: "api-priority-and-fairness-config-producer-v1",
        object,
    });
    let services = services().into_iter().map(|object| Registration {
        manager: "kube-apiserver",
        object,
    });
    flow.chain(services).collect()
}

fn services() -> Vec<Value> {
    let mut made: Vec<Value> = Vec::new();
    for (group, priority, versions) in GROUPS {
        let own = registry::all().filter(|kind| kind.group == *group && kind.served);
        let mut own: Vec<&str> = own.map(|kind| kind.version).collect();
        own.sort_unstable();
        own.dedup();
        for version in own {
            let special = versions.iter().find(|(name, _)| *name == version);
            made.push(json!({
                "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
                "metadata": {
                    "name": format!("{version}.{group}"),
                    "labels": {"kube-aggregator.kubernetes.io/automanaged": "onstart"},
                },
                "spec": {
                    "group": group, "groupPriorityMinimum": priority, "version": version,
                    "versionPriority": special.map_or(VERSION, |(_, priority)| *priority),
                },
            }));
        }
    }
    made
}

fn flow_control(kind: &str, name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": kind,
        "metadata": {"name": name, "annotations": {"apf.kubernetes.io/autoupdate-spec": "true"}},
        "spec": spec,
    })
}

fn levels() -> impl Iterator<Item = Value> {
    const KIND: &str = "PriorityLevelConfiguration";
    let exempt = json!({
        "type": "Exempt", "exempt": {"lendablePercent": 0, "nominalConcurrencyShares": 0},
    });
    let limited = LEVELS.iter().map(|level| {
        let response = match level.queues {
            None => json!({"type": "Reject"}),
            Some([queues, hand]) => json!({
                "type": "Queue",
                "queuing": {"queues": queues, "handSize": hand, "queueLengthLimit": 50},
            }),
        };
        let limited = json!({
            "lendablePercent": level.lends, "limitResponse": response,
            "nominalConcurrencyShares": level.shares,
        });
        let spec = json!({"type": "Limited", "limited": limited});
        flow_control(KIND, level.name, spec)
    });
    std::iter::once(flow_control(KIND, "exempt", exempt)).chain(limited)
}

fn schemas() -> impl Iterator<Item = Value> {
    let own = "workload-high";
    let everyone = || groups(&["system:unauthenticated", "system:authenticated"]);
    let nodes = || groups(&["system:nodes"]);
    let accounts = |names: &[&str]| -> Vec<Value> { names.iter().map(|n| account(n)).collect() };
    let leads = |resources: &[&str], group: &str| {
        let verbs = ["get", "create", "update"];
        rule(&verbs, group, resources, false)
    };
    let leases = || leads(&["leases"], "coordination.k8s.io");
    let components = users(&["system:kube-controller-manager", "system:kube-scheduler"]);
    let manager = || users(&["system:kube-controller-manager"]);
    let probes = json!({
        "subjects": everyone(),
        "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/healthz", "/readyz", "/livez"]}],
    });
    let of = |subjects: Vec<Value>, rules: Vec<Value>| json!({"subjects": subjects, "resourceRules": rules});
    let elections = of([components, accounts(&ALL)].concat(), vec![leases()]);
    let endpoints = of(
        [
            manager(),
            accounts(&["endpoint-controller", "endpointslicemirroring-controller"]),
        ]
        .concat(),
        vec![leads(&["endpoints"], "")],
    );
    let workloads = of(
        accounts(&ALL),
        vec![leads(&["endpoints", "configmaps"], ""), leases()],
    );
    let of_nodes = of(
        nodes(),
        vec![
            rule(&ALL, "", &["nodes", "nodes/status"], true),
            rule(&ALL, "coordination.k8s.io", &["leases"], false),
        ],
    );
    let scheduler = users(&["system:kube-scheduler"]);
    [
        schema("exempt", "exempt", 1, "", all(groups(&["system:masters"]))),
        schema("probes", "exempt", 2, "", probes),
        schema(
            "system-leader-election",
            "leader-election",
            100,
            "ByUser",
            elections,
        ),
        schema("endpoint-controller", own, 150, "ByUser", endpoints),
        schema(
            "workload-leader-election",
            "leader-election",
            200,
            "ByUser",
            workloads,
        ),
        schema("system-node-high", "node-high", 400, "ByUser", of_nodes),
        schema("system-nodes", "system", 500, "ByUser", all(nodes())),
        schema(
            "kube-controller-manager",
            own,
            800,
            "ByNamespace",
            all(manager()),
        ),
        schema("kube-scheduler", own, 800, "ByNamespace", all(scheduler)),
        schema(
            "kube-system-service-accounts",
            own,
            900,
            "ByNamespace",
            all(accounts(&ALL)),
        ),
        schema(
            "service-accounts",
            "workload-low",
            9000,
            "ByUser",
            all(groups(&["system:serviceaccounts"])),
        ),
        schema(
            "global-default",
            "global-default",
            9900,
            "ByUser",
            all(everyone()),
        ),
        schema("catch-all", "catch-all", 10_000, "ByUser", all(everyone())),
    ]
    .into_iter()
}

fn schema(name: &str, level: &str, precedence: i64, by: &str, rules: Value) -> Value {
    let mut spec = json!({
        "matchingPrecedence": precedence, "priorityLevelConfiguration": {"name": level},
        "rules": [rules],
    });
    if !by.is_empty() {
        spec["distinguisherMethod"] = json!({"type": by});
    }
    flow_control("FlowSchema", name, spec)
}

/// Returns the rules that match every request of some subjects.
fn all(subjects: Vec<Value>) -> Value {
    json!({
        "subjects": subjects,
        "resourceRules": [rule(&ALL, "*", &ALL, true)],
        "nonResourceRules": [{"verbs": ALL, "nonResourceURLs": ALL}],
    })
}

fn rule(verbs: &[&str], group: &str, resources: &[&str], cluster: bool) -> Value {
    let mut rule = json!({
        "verbs": verbs, "apiGroups": [group], "resources": resources, "namespaces": ALL,
    });
    if cluster {
        rule["clusterScope"] = json!(true);
    }
    rule
}

fn groups(names: &[&str]) -> Vec<Value> {
    let subject = |name: &&str| json!({"kind": "Group", "group": {"name": name}});
    names.iter().map(subject).collect()
}

fn users(names: &[&str]) -> Vec<Value> {
    let subject = |name: &&str| json!({"kind": "User", "user": {"name": name}});
    names.iter().map(subject).collect()
}

fn account(name: &str) -> Value {
    json!({"kind": "ServiceAccount", "serviceAccount": {"name": name, "namespace": "kube-system"}})
}
