//! The objects with which an API server describes itself: an APIService for each version of its groups, the priority
//! levels and FlowSchemas of its flow control.

use crate::api::json::{Value, json};
use crate::kinds::registry;

const ALL: [&str; 1] = ["*"];

/// The groups with their priorities.
const GROUPS: &[(&str, i64)] = &[
    ("", 18_000),
    ("apps", 17_800),
    ("events.k8s.io", 17_750),
    ("authentication.k8s.io", 17_700),
    ("authorization.k8s.io", 17_600),
    ("autoscaling", 17_500),
    ("batch", 17_400),
    ("certificates.k8s.io", 17_300),
    ("networking.k8s.io", 17_200),
    ("policy", 17_100),
    ("rbac.authorization.k8s.io", 17_000),
    ("storage.k8s.io", 16_800),
    ("admissionregistration.k8s.io", 16_700),
    ("apiextensions.k8s.io", 16_700),
    ("scheduling.k8s.io", 16_600),
    ("coordination.k8s.io", 16_500),
    ("node.k8s.io", 16_300),
    ("discovery.k8s.io", 16_200),
    ("flowcontrol.apiserver.k8s.io", 16_100),
    ("resource.k8s.io", 15_900),
];

/// Returns the priority of a version within its group.
fn version_priority(group: &str, version: &str) -> i64 {
    match (group, version) {
        ("", _) => 1,
        ("autoscaling", "v2") => 30,
        ("flowcontrol.apiserver.k8s.io", _) => 21,
        ("resource.k8s.io", _) => 20,
        _ => 15,
    }
}

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

/// An object with which a server registers itself, and the writer of its fields.
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
    for (group, priority) in GROUPS {
        let own = registry::all().filter(|kind| kind.group == *group && kind.served);
        let mut own: Vec<&str> = own.map(|kind| kind.version).collect();
        own.sort_unstable();
        own.dedup();
        for version in own {
            made.push(json!({
                "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
                "metadata": {
                    "name": format!("{version}.{group}"),
                    "labels": {"kube-aggregator.kubernetes.io/automanaged": "onstart"},
                },
                "spec": {
                    "group": group, "groupPriorityMinimum": priority, "version": version,
                    "versionPriority": version_priority(group, version),
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
    let leads = "leader-election";
    let masters = groups(&["system:masters"]);
    let scheduler = users(&["system:kube-scheduler"]);
    let services = groups(&["system:serviceaccounts"]);
    let by_user = "ByUser";
    let by_namespace = "ByNamespace";
    let system = all(accounts(&ALL));
    [
        schema("exempt", "exempt", 1, "", all(masters)),
        schema("probes", "exempt", 2, "", probes()),
        schema("system-leader-election", leads, 100, by_user, elections()),
        schema("endpoint-controller", own, 150, by_user, endpoints()),
        schema("workload-leader-election", leads, 200, by_user, workloads()),
        schema("system-node-high", "node-high", 400, by_user, heartbeats()),
        schema("system-nodes", "system", 500, by_user, all(nodes())),
        schema(
            "kube-controller-manager",
            own,
            800,
            by_namespace,
            all(manager()),
        ),
        schema("kube-scheduler", own, 800, by_namespace, all(scheduler)),
        schema(
            "kube-system-service-accounts",
            own,
            900,
            by_namespace,
            system,
        ),
        schema(
            "service-accounts",
            "workload-low",
            9000,
            by_user,
            all(services),
        ),
        schema(
            "global-default",
            "global-default",
            9900,
            by_user,
            all(everyone()),
        ),
        schema("catch-all", "catch-all", 10_000, by_user, all(everyone())),
    ]
    .into_iter()
}

fn everyone() -> Vec<Value> {
    groups(&["system:unauthenticated", "system:authenticated"])
}

fn nodes() -> Vec<Value> {
    groups(&["system:nodes"])
}

fn manager() -> Vec<Value> {
    users(&["system:kube-controller-manager"])
}

fn accounts(names: &[&str]) -> Vec<Value> {
    names.iter().map(|name| account(name)).collect()
}

fn probes() -> Value {
    json!({
        "subjects": everyone(),
        "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/healthz", "/readyz", "/livez"]}],
    })
}

fn elections() -> Value {
    let components = users(&["system:kube-controller-manager", "system:kube-scheduler"]);
    of([components, accounts(&ALL)].concat(), &[leases()])
}

fn endpoints() -> Value {
    let names = ["endpoint-controller", "endpointslicemirroring-controller"];
    of(
        [manager(), accounts(&names)].concat(),
        &[changes("", &["endpoints"])],
    )
}

fn workloads() -> Value {
    let rules = [changes("", &["endpoints", "configmaps"]), leases()];
    of(accounts(&ALL), &rules)
}

fn heartbeats() -> Value {
    let rules = [
        rule(&ALL, "", &["nodes", "nodes/status"], true),
        rule(&ALL, "coordination.k8s.io", &["leases"], false),
    ];
    of(nodes(), &rules)
}

fn of(subjects: Vec<Value>, rules: &[Value]) -> Value {
    json!({"subjects": subjects, "resourceRules": rules})
}

/// Returns the rule for the requests of a leader election.
fn changes(group: &str, resources: &[&str]) -> Value {
    rule(&["get", "create", "update"], group, resources, false)
}

fn leases() -> Value {
    changes("coordination.k8s.io", &["leases"])
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
