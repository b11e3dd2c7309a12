//! Selects nodes for a Pod by name, labels and taints only.
//!
//! The scheduler checks these rules first. For the Pods of DaemonSets they are the only ones, since each
//! node gets a Pod of its own whether or not there is room.

use std::collections::BTreeMap;

use crate::api::json::Value;
use crate::api::selector::{Operator, Requirement};
use crate::kinds::tree::{at, entries, field, list, text, texts};
use crate::runtime::Object;
use crate::views;

/// The node requirements in a Pod's spec.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NodeRules {
    selector: Vec<(String, String)>,
    /// Alternatives, if there are any.
    terms: Option<Vec<NodeTerm>>,
    tolerations: Vec<Taint>,
}

impl NodeRules {
    /// Reads a Pod's spec.
    pub(super) fn read(spec: &Value) -> Self {
        let required = "requiredDuringSchedulingIgnoredDuringExecution";
        let terms = at(spec, &["affinity", "nodeAffinity", required]);
        let terms = list(terms, "nodeSelectorTerms");
        Self {
            selector: entries(spec, "nodeSelector")
                .map(|(k, v)| (k.to_owned(), v.as_str().unwrap_or_default().to_owned()))
                .collect(),
            // No terms means no requirement, while a term without expressions matches no node.
            terms: (!terms.is_empty()).then(|| terms.iter().map(NodeTerm::read).collect()),
            tolerations: list(spec, "tolerations").iter().map(Taint::read).collect(),
        }
    }

    /// Returns true if a taint is tolerated.
    pub(super) fn tolerates(&self, taint: &Taint) -> bool {
        self.tolerations.iter().any(|t| t.tolerates(taint))
    }

    /// Returns true if a node's labels match the requirements.
    pub(super) fn accepts(&self, name: &str, labels: &BTreeMap<String, String>) -> bool {
        let has = |(key, value): &(String, String)| labels.get(key) == Some(value);
        self.selector.iter().all(has)
            && self
                .terms
                .as_ref()
                .is_none_or(|terms| terms.iter().any(|t| t.matches(name, labels)))
    }

    /// Returns the named nodes if every alternative names some.
    pub(super) fn named(&self) -> Option<Vec<&str>> {
        let mut names = Vec::new();
        for term in self.terms.as_ref()? {
            // Terms are alternatives: one that names no node allows any, so the names limit nothing then.
            names.extend(term.named()?.iter().map(String::as_str));
        }
        Some(names)
    }
}

/// The part of a Pod's spec that picks nodes.
pub(super) struct Fit {
    node: String,
    rules: NodeRules,
}

impl Fit {
    /// Reads a Pod's spec.
    pub(super) fn of(spec: &Value) -> Self {
        Self {
            node: text(spec, "nodeName").to_owned(),
            rules: NodeRules::read(spec),
        }
    }

    /// Returns true if the Pod may start on a node, and true if it may stay if it is there.
    pub(super) fn on(&self, node: &Object) -> (bool, bool) {
        let labels = entries(field(node, "metadata"), "labels")
            .map(|(k, v)| (k.to_owned(), v.as_str().unwrap_or_default().to_owned()))
            .collect();
        // The two results of the DaemonSet controller: NoSchedule keeps new Pods away, and only NoExecute ends running
        // ones.
        let other = !self.node.is_empty() && self.node != node.name();
        if other || !self.rules.accepts(node.name(), &labels) {
            return (false, false);
        }
        let taints = views::node(node).taints().iter().map(Taint::read);
        let repelling: Vec<Taint> = taints.filter(|t| !self.rules.tolerates(t)).collect();
        let has = |effect: &str| repelling.iter().any(|t| t.effect == effect);
        (!has("NoSchedule") && !has("NoExecute"), !has("NoExecute"))
    }
}

/// One of several alternative node selector terms; all of its requirements must be met.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct NodeTerm {
    labels: Vec<Requirement>,
    names: Vec<Requirement>,
}

impl NodeTerm {
    /// Parses a node selector term; an empty one matches no node.
    pub(super) fn read(term: &Value) -> Self {
        let requirements = |name| {
            let all = list(term, name).iter();
            all.filter_map(requirement).collect()
        };
        Self {
            labels: requirements("matchExpressions"),
            names: requirements("matchFields"),
        }
    }

    /// Returns true if a node meets the term.
    pub(super) fn matches(&self, name: &str, labels: &BTreeMap<String, String>) -> bool {
        // `all` returns true for no expressions, but in Kubernetes an empty term matches no node.
        let some = !self.labels.is_empty() || !self.names.is_empty();
        let label = |r: &Requirement| r.matches(labels.get(r.key()).map(String::as_str));
        some && self.labels.iter().all(label) && self.names.iter().all(|r| r.matches(Some(name)))
    }

    /// Returns the nodes that it names, if it does.
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
    // The name of the field is no label key, but has the same syntax.
    Requirement::new(text(expression, "key"), operator, values).ok()
}

/// A taint, or a toleration if it has an operator.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Taint {
    pub(super) key: String,
    pub(super) value: String,
    pub(super) effect: String,
    operator: String,
}

impl Taint {
    pub(super) fn read(taint: &Value) -> Self {
        let text = |name| text(taint, name).to_owned();
        Self {
            key: text("key"),
            value: text("value"),
            effect: text("effect"),
            operator: text("operator"),
        }
    }

    /// Returns the taint that a cordoned node counts as having.
    pub(super) fn cordon() -> Self {
        Self {
            key: "node.kubernetes.io/unschedulable".to_owned(),
            value: String::new(),
            effect: "NoSchedule".to_owned(),
            operator: String::new(),
        }
    }

    /// Returns true if this, read as a toleration, covers a taint.
    pub(super) fn tolerates(&self, taint: &Self) -> bool {
        let number = |text: &str| text.parse::<i64>().ok();
        let compared = || number(&taint.value).zip(number(&self.value));
        (self.effect.is_empty() || self.effect == taint.effect)
            // An empty effect tolerates every effect, an empty key with Exists every taint.
            && (self.key.is_empty() && self.operator == "Exists" || self.key == taint.key)
            && match self.operator.as_str() {
                "Exists" => true,
                "Lt" => compared().is_some_and(|(is, bound)| is < bound),
                "Gt" => compared().is_some_and(|(is, bound)| is > bound),
                _ => self.value == taint.value,
            }
    }
}
