//! Selects nodes for a Pod by name, labels, taints and host ports.
//!
//! The scheduler checks these rules first, and a kubelet checks them for Pods that name their node. For the Pods of
//! DaemonSets there are no further rules, because each node gets its own Pod whether or not there is room.

use std::collections::BTreeMap;

use crate::api::json::Value;
use crate::api::selector::{Operator, Requirement};
use crate::tree::{at, entries, list, opt_int, text, texts};

/// The node requirements in a Pod's spec.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_kinds::pod::node_rules::{NodeRules, Taint};
///
/// let spec = json!({"nodeSelector": {"disk": "ssd"}, "tolerations": [{"key": "gpu", "operator": "Exists"}]});
/// let rules = NodeRules::read(&spec);
/// assert!(!rules.accepts("node-1", &std::collections::BTreeMap::new()));
/// assert!(rules.tolerates(&Taint::read(&json!({"key": "gpu", "effect": "NoExecute"}))));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NodeRules {
    selector: Vec<(String, String)>,
    /// Alternative terms; `None` if there is no requirement.
    terms: Option<Vec<NodeTerm>>,
    tolerations: Vec<Taint>,
}

impl NodeRules {
    /// Reads the requirements from a Pod's spec.
    pub fn read(spec: &Value) -> Self {
        let required = "requiredDuringSchedulingIgnoredDuringExecution";
        let terms = at(spec, &["affinity", "nodeAffinity", required]);
        let terms = list(terms, "nodeSelectorTerms");
        Self {
            selector: entries(spec, "nodeSelector")
                .map(|(k, v)| (k.to_owned(), v.as_str().unwrap_or_default().to_owned()))
                .collect(),
            // An empty list means no requirement, but a term without expressions matches no node.
            terms: (!terms.is_empty()).then(|| terms.iter().map(NodeTerm::read).collect()),
            tolerations: list(spec, "tolerations").iter().map(Taint::read).collect(),
        }
    }

    /// Returns true if the Pod tolerates a taint.
    pub fn tolerates(&self, taint: &Taint) -> bool {
        self.tolerations.iter().any(|t| t.tolerates(taint))
    }

    /// Returns true if a node's name and labels meet the requirements.
    pub fn accepts(&self, name: &str, labels: &BTreeMap<String, String>) -> bool {
        let has = |(key, value): &(String, String)| labels.get(key) == Some(value);
        self.selector.iter().all(has)
            && self
                .terms
                .as_ref()
                .is_none_or(|terms| terms.iter().any(|t| t.matches(name, labels)))
    }

    /// Returns the nodes that the terms name, or `None` if some term names no node.
    pub fn named(&self) -> Option<Vec<&str>> {
        let mut names = Vec::new();
        for term in self.terms.as_ref()? {
            // Terms are alternatives: if one of them names no node, it allows any node, and the names limit nothing.
            names.extend(term.named()?.iter().map(String::as_str));
        }
        Some(names)
    }
}

/// A node selector term. A node must meet all of its requirements, but only one of several terms.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_kinds::pod::node_rules::NodeTerm;
///
/// let term = NodeTerm::read(&json!({"matchExpressions": [{"key": "disk", "operator": "Exists"}]}));
/// let labels = std::collections::BTreeMap::from([("disk".to_owned(), "ssd".to_owned())]);
/// assert!(term.matches("node-1", &labels));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeTerm {
    labels: Vec<Requirement>,
    names: Vec<Requirement>,
}

impl NodeTerm {
    /// Parses a node selector term. An empty term matches no node.
    pub fn read(term: &Value) -> Self {
        let requirements = |name| {
            let all = list(term, name).iter();
            all.filter_map(requirement).collect()
        };
        Self {
            labels: requirements("matchExpressions"),
            names: requirements("matchFields"),
        }
    }

    /// Returns true if a node meets all requirements of the term.
    pub fn matches(&self, name: &str, labels: &BTreeMap<String, String>) -> bool {
        // In Kubernetes, an empty term matches no node, unlike `all` on an empty list.
        let some = !self.labels.is_empty() || !self.names.is_empty();
        let label = |r: &Requirement| r.matches(labels.get(r.key()).map(String::as_str));
        some && self.labels.iter().all(label) && self.names.iter().all(|r| r.matches(Some(name)))
    }

    /// Returns the nodes that the term names, if it does.
    fn named(&self) -> Option<&[String]> {
        let by_name = self.names.iter().find(|r| r.operator() == Operator::In)?;
        Some(by_name.values())
    }
}

fn requirement(expression: &Value) -> Option<Requirement> {
    let operator = match text(expression, "operator") {
        "In" => Operator::In,
        "NotIn" => Operator::NotIn,
        "Exists" => Operator::Exists,
        "DoesNotExist" => Operator::DoesNotExist,
        "Gt" => Operator::GreaterThan,
        "Lt" => Operator::LessThan,
        _ => return None,
    };
    let values = texts(expression, "values").map(str::to_owned).collect();
    // The name of a field is not a label key, but has the same syntax.
    Requirement::new(text(expression, "key"), operator, values).ok()
}

/// A taint; with an operator, a toleration.
#[derive(Clone, Debug, PartialEq)]
pub struct Taint {
    /// The key.
    pub key: String,
    /// The value.
    pub value: String,
    /// The effect. A toleration without an effect covers all effects.
    pub effect: String,
    operator: String,
}

impl Taint {
    /// Reads a taint of a node or a toleration of a Pod.
    pub fn read(taint: &Value) -> Self {
        let text = |name| text(taint, name).to_owned();
        Self {
            key: text("key"),
            value: text("value"),
            effect: text("effect"),
            operator: text("operator"),
        }
    }

    /// Returns the taint of a cordoned node.
    pub fn cordon() -> Self {
        Self {
            key: "node.kubernetes.io/unschedulable".to_owned(),
            value: String::new(),
            effect: "NoSchedule".to_owned(),
            operator: String::new(),
        }
    }

    /// Returns true if `self`, as a toleration, covers a taint.
    pub fn tolerates(&self, taint: &Self) -> bool {
        let number = |text: &str| text.parse::<i64>().ok();
        let compared = || number(&taint.value).zip(number(&self.value));
        (self.effect.is_empty() || self.effect == taint.effect)
            // An empty effect covers all effects, and an empty key with `Exists` covers all taints.
            && (self.key.is_empty() && self.operator == "Exists" || self.key == taint.key)
            && match self.operator.as_str() {
                "Exists" => true,
                "Lt" => compared().is_some_and(|(is, bound)| is < bound),
                "Gt" => compared().is_some_and(|(is, bound)| is > bound),
                _ => self.value == taint.value,
            }
    }
}

/// A host port that a Pod uses.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_kinds::pod::node_rules::HostPort;
///
/// let of = |ip: &str| HostPort::from_spec(&json!({"containers": [{"ports": [{"hostPort": 80, "hostIP": ip}]}]}));
/// assert!(of("")[0].clashes(&of("10.0.0.1")[0]));
/// assert!(!of("10.0.0.2")[0].clashes(&of("10.0.0.1")[0]));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HostPort {
    ip: String,
    protocol: String,
    number: i64,
}

impl HostPort {
    /// Returns the host ports in a Pod's spec.
    pub fn from_spec(spec: &Value) -> Vec<Self> {
        let sidecars = list(spec, "initContainers")
            .iter()
            // A sidecar uses its host port as long as the Pod lives. Other init containers end earlier.
            .filter(|c| text(c, "restartPolicy") == "Always");
        let containers = list(spec, "containers").iter().chain(sidecars);
        let all = containers.flat_map(|c| list(c, "ports"));
        all.filter_map(|p| {
            let number = opt_int(p, "hostPort").filter(|n| *n > 0)?;
            let protocol = text(p, "protocol");
            Some(Self {
                ip: text(p, "hostIP").to_owned(),
                protocol: if protocol.is_empty() { "TCP" } else { protocol }.to_owned(),
                number,
            })
        })
        .collect()
    }

    /// Returns true if two Pods on a node cannot both have the port.
    pub fn clashes(&self, other: &Self) -> bool {
        // The address of all interfaces clashes with every other address.
        let any = |ip: &str| ip.is_empty() || ip == "0.0.0.0";
        self.number == other.number
            && self.protocol == other.protocol
            && (self.ip == other.ip || any(&self.ip) || any(&other.ip))
    }
}
