//! Computes how `auth reconcile` changes a role or a binding.

use crate::api::json::{Map, Value, json};
use crate::kinds::rbac;
use crate::kinds::tree::{field, list, text};

/// The operation to perform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Operation {
    /// Nothing.
    #[default]
    Nothing,
    Create,
    Update,
    /// Deletes and recreates the binding, because the role of a binding is immutable.
    Recreate,
}

impl Operation {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Create => "create",
            Self::Update => "update",
            Self::Recreate => "recreate",
        }
    }
}

/// The reconciled object, and the differences that led to it.
#[derive(Debug, Default)]
pub(super) struct Reconciled {
    pub(super) object: Value,
    pub(super) operation: Operation,
    pub(super) missing: Vec<Value>,
    pub(super) extra: Vec<Value>,
    /// The uid of the object to delete first, if the object is recreated.
    pub(super) replaces: String,
    /// True if the object opted out of reconciliation.
    pub(super) protected: bool,
}

/// Computes the object that has the rules of `wanted` and, if `remove` is true, no others.
pub(super) fn reconcile(wanted: &Value, existing: Option<&Value>, remove: bool) -> Reconciled {
    let parts = parts_of(wanted);
    let Some(existing) = existing else {
        return Reconciled {
            object: wanted.clone(),
            operation: Operation::Create,
            // Everything is missing from a new object, and kubectl lists it under "missing rules added".
            missing: list(wanted, parts).to_vec(),
            ..Reconciled::default()
        };
    };
    let auto = &existing["metadata"]["annotations"]["rbac.authorization.kubernetes.io/autoupdate"];
    let mut done = Reconciled {
        object: existing.clone(),
        // As in upstream's comparison, every other value of the annotation, even `False`, means that the object is
        // reconciled.
        protected: auto == "false",
        ..Reconciled::default()
    };
    // The API server rejects a change of `roleRef`. The binding in the file replaces the existing one entirely, because
    // its subjects were granted the old role and must not get the new one.
    if parts == "subjects" && wanted["roleRef"] != existing["roleRef"] {
        return Reconciled {
            object: wanted.clone(),
            operation: Operation::Recreate,
            replaces: text(&existing["metadata"], "uid").to_owned(),
            ..done
        };
    }
    for name in ["annotations", "labels"] {
        done.merge_metadata(wanted, name);
    }
    match parts {
        "rules" => done.rules(wanted, existing, remove),
        _ => done.subjects(wanted, existing, remove),
    }
    done
}

pub(super) fn parts_of(object: &Value) -> &'static str {
    match text(object, "kind") {
        "Role" | "ClusterRole" => "rules",
        _ => "subjects",
    }
}

impl Reconciled {
    /// Adds missing labels or annotations. Existing keys keep their values.
    fn merge_metadata(&mut self, wanted: &Value, name: &str) {
        let Some(new) = wanted["metadata"][name].as_object() else {
            return;
        };
        let old = self.object["metadata"][name].as_object();
        let mut merged: Map = new.clone();
        // The existing value wins, because reconciliation adds and must not undo an administrator's change.
        merged.extend(old.cloned().unwrap_or_default());
        if old != Some(&merged) && !merged.is_empty() {
            self.object["metadata"][name] = Value::Object(merged);
            self.operation = Operation::Update;
        }
    }

    fn rules(&mut self, wanted: &Value, existing: &Value, remove: bool) {
        let aggregated = |object: &Value| field(object, "aggregationRule").is_object();
        let (new, old) = (list(wanted, "rules"), list(existing, "rules"));
        // Rules are compared by the permissions they cover instead of by text: two rules with one verb each equal one
        // rule with both.
        self.missing = rbac::uncovered(old, new);
        // The controller for aggregated roles writes `rules`, so no rule is superfluous if both roles are aggregated.
        if !aggregated(wanted) || !aggregated(existing) {
            self.extra = rbac::uncovered(new, old);
        }
        self.take_over("rules", new, old, remove);
        match (aggregated(wanted), aggregated(existing)) {
            (true, _) => self.selectors(wanted, existing, remove),
            // This happens even without `remove`, as in kubectl, because the controller would overwrite the rules of
            // the file.
            (false, true) => {
                self.object
                    .as_object_mut()
                    .map(|o| o.remove("aggregationRule"));
                self.operation = Operation::Update;
            }
            (false, false) => {}
        }
    }

    /// Reconciles the selectors of an aggregated role.
    fn selectors(&mut self, wanted: &Value, existing: &Value, remove: bool) {
        let of = |object: &Value| {
            list(field(object, "aggregationRule"), "clusterRoleSelectors").to_vec()
        };
        let (new, old) = (of(wanted), of(existing));
        let missing = apart(&new, &old);
        let too_many = remove && !apart(&old, &new).is_empty();
        if missing.is_empty() && !too_many {
            return;
        }
        let selectors = if remove { new } else { [old, missing].concat() };
        self.object["aggregationRule"]["clusterRoleSelectors"] = json!(selectors);
        self.operation = Operation::Update;
    }

    fn subjects(&mut self, wanted: &Value, existing: &Value, remove: bool) {
        let (new, old) = (list(wanted, "subjects"), list(existing, "subjects"));
        self.missing = apart(new, old);
        self.extra = apart(old, new);
        self.take_over("subjects", new, old, remove);
    }

    fn take_over(&mut self, name: &str, new: &[Value], old: &[Value], remove: bool) {
        let all = match remove {
            // A different order of the same set is not a change and causes no write.
            true if self.missing.is_empty() && self.extra.is_empty() => return,
            true => new.to_vec(),
            false if self.missing.is_empty() => return,
            false => [old, &self.missing].concat(),
        };
        self.object[name] = json!(all);
        self.operation = Operation::Update;
    }
}

/// Returns those of `these` that are not among the others. kubectl compares without defaults, so a subject without a
/// group differs from one that the server has completed.
fn apart(these: &[Value], others: &[Value]) -> Vec<Value> {
    let mut found = Vec::new();
    for value in these {
        if !others.contains(value) && !found.contains(value) {
            found.push(value.clone());
        }
    }
    found
}

/// Returns a rule or a subject in Go's notation.
pub(super) fn shown(part: &Value) -> String {
    let fields: &[(&str, &str)] = match part.get("kind") {
        Some(_) => &[
            ("Kind", "kind"),
            ("APIGroup", "apiGroup"),
            ("Name", "name"),
            ("Namespace", "namespace"),
        ],
        None => &[
            ("Verbs", "verbs"),
            ("APIGroups", "apiGroups"),
            ("Resources", "resources"),
            ("ResourceNames", "resourceNames"),
            ("NonResourceURLs", "nonResourceURLs"),
        ],
    };
    let is_rule = part.get("kind").is_none();
    let value = |name: &str| {
        let texts: Vec<&str> = list(part, name).iter().filter_map(Value::as_str).collect();
        match is_rule {
            true => format!("[{}]", texts.join(" ")),
            false => text(part, name).to_owned(),
        }
    };
    let words: Vec<String> = fields
        .iter()
        .map(|(shown, name)| format!("{shown}:{}", value(name)))
        .collect();
    format!("{{{}}}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role(rules: Value) -> Value {
        json!({"kind": "Role", "metadata": {"name": "r"}, "rules": rules})
    }

    fn rule(verbs: &[&str]) -> Value {
        json!({"apiGroups": [""], "resources": ["pods"], "verbs": verbs})
    }

    #[test]
    fn missing_rules_are_added_to_the_role() {
        let existing = role(json!([rule(&["get"])]));
        let wanted = role(json!([rule(&["get", "list"])]));
        let done = reconcile(&wanted, Some(&existing), false);
        assert_eq!(done.operation, Operation::Update);
        assert_eq!(done.missing, [rule(&["list"])]);
        assert_eq!(
            done.object["rules"],
            json!([rule(&["get"]), rule(&["list"])])
        );
        let again = reconcile(&wanted, Some(&done.object), false);
        assert_eq!(again.operation, Operation::Nothing);
    }

    #[test]
    fn extra_rules_are_removed_only_on_request() {
        let existing = role(json!([rule(&["get", "delete"])]));
        let wanted = role(json!([rule(&["get"])]));
        let kept = reconcile(&wanted, Some(&existing), false);
        assert_eq!(kept.operation, Operation::Nothing);
        let gone = reconcile(&wanted, Some(&existing), true);
        assert_eq!(gone.extra, [rule(&["delete"])]);
        assert_eq!(gone.object["rules"], json!([rule(&["get"])]));
    }

    #[test]
    fn binding_with_a_different_role_is_recreated() {
        let subject = |name: &str| json!({"kind": "User", "name": name});
        let binding = |role: &str, name: &str| {
            json!({"kind": "RoleBinding", "metadata": {"name": "b"},
                "roleRef": {"kind": "Role", "name": role}, "subjects": [subject(name)]})
        };
        let done = reconcile(&binding("a", "ann"), Some(&binding("b", "bob")), false);
        assert_eq!(done.operation, Operation::Recreate);
        // The old subjects must not get the new role.
        assert_eq!(done.object, binding("a", "ann"));
        assert!(done.missing.is_empty() && done.extra.is_empty());
        let new = reconcile(&binding("a", "ann"), None, false);
        assert_eq!(new.operation, Operation::Create);
        assert_eq!(
            shown(&new.missing[0]),
            "{Kind:User APIGroup: Name:ann Namespace:}"
        );
        assert_eq!(
            shown(&rule(&["get", "list"])),
            "{Verbs:[get list] APIGroups:[] Resources:[pods] ResourceNames:[] NonResourceURLs:[]}"
        );
    }

    #[test]
    fn subjects_are_compared_without_defaults() {
        let binding = |subject: Value| {
            json!({"kind": "RoleBinding", "metadata": {"name": "b"}, "roleRef": {"kind": "Role", "name": "a"},
                "subjects": [subject]})
        };
        let short = json!({"kind": "User", "name": "ann"});
        let whole = json!({"kind": "User", "name": "ann", "apiGroup": "rbac.authorization.k8s.io"});
        let done = reconcile(&binding(short.clone()), Some(&binding(whole.clone())), true);
        assert_eq!(done.operation, Operation::Update);
        assert_eq!((done.missing, done.extra), (vec![short], vec![whole]));
    }

    #[test]
    fn a_repeated_subject_is_reported_once() {
        let binding = |subjects: Value| {
            json!({"kind": "RoleBinding", "metadata": {"name": "b"}, "roleRef": {"kind": "Role", "name": "a"},
                "subjects": subjects})
        };
        let [ann, bob] = ["ann", "bob"].map(|name| json!({"kind": "User", "name": name}));
        let wanted = binding(json!([bob, bob]));
        let done = reconcile(&wanted, Some(&binding(json!([ann, ann]))), true);
        assert_eq!((done.missing, done.extra), (vec![bob], vec![ann]));
        assert_eq!(done.object["subjects"], wanted["subjects"]);
    }

    #[test]
    fn a_role_that_is_no_longer_aggregated_loses_its_selectors() {
        let selector = |name: &str| json!({"matchLabels": {"a": name}});
        let aggregated = |names: &[&str]| {
            let selectors: Vec<Value> = names.iter().map(|name| selector(name)).collect();
            json!({"kind": "ClusterRole", "metadata": {"name": "r"}, "rules": [rule(&["get"])],
                "aggregationRule": {"clusterRoleSelectors": selectors}})
        };
        let done = reconcile(
            &role(json!([rule(&["get"])])),
            Some(&aggregated(&["x"])),
            false,
        );
        assert_eq!(done.operation, Operation::Update);
        assert!(done.object["aggregationRule"].is_null(), "{}", done.object);
        let done = reconcile(&aggregated(&["y"]), Some(&aggregated(&["x"])), false);
        let both = json!([selector("x"), selector("y")]);
        assert_eq!(done.object["aggregationRule"]["clusterRoleSelectors"], both);
        let done = reconcile(&aggregated(&["y"]), Some(&aggregated(&["x"])), true);
        let only = json!([selector("y")]);
        assert_eq!(done.object["aggregationRule"]["clusterRoleSelectors"], only);
        let done = reconcile(
            &aggregated(&["y"]),
            Some(&role(json!([rule(&["get"])]))),
            false,
        );
        assert_eq!(done.object["aggregationRule"]["clusterRoleSelectors"], only);
        let done = reconcile(&aggregated(&["x"]), Some(&aggregated(&["x"])), true);
        assert_eq!(done.operation, Operation::Nothing);
    }

    #[test]
    fn labels_are_added_and_existing_values_kept() {
        let mut existing = role(json!([]));
        existing["metadata"]["labels"] = json!({"a": "1"});
        let mut wanted = role(json!([]));
        wanted["metadata"]["labels"] = json!({"a": "2", "b": "3"});
        let done = reconcile(&wanted, Some(&existing), false);
        assert_eq!(done.operation, Operation::Update);
        assert_eq!(
            done.object["metadata"]["labels"],
            json!({"a": "1", "b": "3"})
        );
    }
}
