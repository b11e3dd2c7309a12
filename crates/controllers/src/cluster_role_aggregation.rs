//! ClusterRoles that aggregate the rules of others.
//!
//! Rules:
//! - `aggregate`: the rules of a role with an `aggregationRule` follow the roles that it selects.

use super::watched;
use super::workload::numbered;
use crate::api::json::{Value, json};
use crate::api::selector::LabelSelector;
use crate::cluster::Part;
use crate::kinds::tree::{at, list};
use crate::runtime::{Controller, Object, Plan, PlannedWrite, ReconcileContext, Watch};

/// Aggregates cluster roles.
#[derive(Debug, Default)]
pub(crate) struct ClusterRoles;

impl Controller for ClusterRoles {
    fn name(&self) -> &'static str {
        "clusterrole-aggregation"
    }

    fn component(&self) -> &'static str {
        "clusterrole-aggregation-controller"
    }

    fn field_manager(&self) -> &'static str {
        self.component()
    }

    fn watches(&self) -> Vec<Watch> {
        let kind = watched::cluster_roles();
        // Any role may be part of any aggregate, and there are few aggregates.
        vec![Watch::new(kind, move |_, cache| {
            let sums = cache
                .list(kind, "")
                .filter(|role| selectors(role).is_some());
            sums.map(|role| role.key().clone()).collect()
        })]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let kind = watched::cluster_roles();
        let found = context.cache.by_key(kind, context.key);
        let Some((role, selectors)) = found.and_then(|role| Some((role, selectors(role)?))) else {
            return plan;
        };
        let mut rules: Vec<Value> = Vec::new();
        for selector in &selectors {
            let parts = context.cache.selected(kind, "", selector);
            // A role that selects itself would never lose a rule again.
            for part in parts.into_iter().filter(|part| part.name() != role.name()) {
                for rule in list(part, "rules") {
                    if !rules.contains(rule) {
                        rules.push(rule.clone());
                    }
                }
            }
        }
        if list(role, "rules") != rules {
            let rule = format!("aggregate: {}", numbered(rules.len(), "rule", "rules"));
            let fields = match rules.is_empty() {
                // An empty configuration gives up the ownership of the rules.
                true => json!({}),
                false => json!({"rules": rules}),
            };
            plan.changes
                .push(PlannedWrite::apply(role, Part::Whole, &fields, rule));
        }
        plan
    }
}

fn selectors(role: &Object) -> Option<Vec<LabelSelector>> {
    let aggregation = at(role, &["aggregationRule"]);
    if aggregation.is_null() {
        return None;
    }
    let read = |s: &Value| LabelSelector::from_object(Some(s)).ok();
    Some(
        list(aggregation, "clusterRoleSelectors")
            .iter()
            .filter_map(read)
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Place, WriteOptions};
    use crate::harness::{ControllerHarness, content};
    use crate::testing::World;

    #[test]
    fn aggregated_rules_belong_to_the_controller() {
        let world = World::new();
        let cluster = &world.scratch.cluster;
        let place = Place::new(watched::cluster_roles(), "");
        let options = WriteOptions::default();
        let sum = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": {"name": "sum"}, "rules": [], "aggregationRule": {
                "clusterRoleSelectors": [{"matchLabels": {"part": "yes"}}]}});
        let part = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": {"name": "part", "labels": {"part": "yes"}},
            "rules": [{"verbs": ["get"], "resources": ["pods"], "apiGroups": [""]}]});
        for role in [&sum, &part] {
            cluster.create(&place, role, &options).unwrap();
        }
        world.settled();
        let made = cluster.get(&place, "sum").unwrap();
        assert_eq!(made["rules"], part["rules"]);
        let managers = made["metadata"]["managedFields"].as_array().unwrap();
        let own = managers
            .iter()
            .find(|entry| entry["operation"] == "Apply")
            .unwrap();
        assert_eq!(own["manager"], "clusterrole-aggregation-controller");
        assert_eq!(own["fieldsV1"], json!({"f:rules": {}}));
    }

    #[test]
    fn aggregated_role_contains_each_rule_once() {
        let mut harness = ControllerHarness::new(ClusterRoles);
        let group = "rbac.authorization.k8s.io/v1";
        let rule = |verb: &str| json!({"verbs": [verb], "resources": ["pods"], "apiGroups": [""]});
        harness.put(
            group,
            "ClusterRole",
            json!({"metadata": {"name": "sum"}, "rules": [], "aggregationRule": {
                "clusterRoleSelectors": [{"matchLabels": {"part": "yes"}}],
            }}),
        );
        for (name, rules) in [
            ("b", json!([rule("get")])),
            ("a", json!([rule("list"), rule("get")])),
        ] {
            let role =
                json!({"metadata": {"name": name, "labels": {"part": "yes"}}, "rules": rules});
            let role = harness.put(group, "ClusterRole", role);
            assert_eq!(harness.keys(&role).len(), 1);
        }
        let plan = harness.plan("", "sum");
        assert_eq!(
            content(&plan.changes[0])["rules"],
            json!([rule("list"), rule("get")])
        );
        assert_eq!(harness.plan("", "a"), Plan::done());
    }
}
