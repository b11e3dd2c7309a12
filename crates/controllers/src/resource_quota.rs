//! ResourceQuotas: the current usage of the limited resources.
//!
//! Rules:
//! - `usage`: the status contains the usage of the objects that the quota counts.

use super::workload::numbered;
use super::{views, watched};
use crate::api::json::{Map, json};
use crate::api::quantity::Quantity;
use crate::kinds::admission::quota::{counts, covers, is_counted, usage};
use crate::kinds::pod::resources::resource_list;
use crate::kinds::tree::{field, has};
use crate::kinds::{Kind, registry};
use crate::runtime::{
    Cache, Change, Controller, Key, Object, Plan, PlannedWrite, ReconcileContext, Watch,
};

/// Maintains the status of quotas.
#[derive(Debug, Default)]
pub(crate) struct ResourceQuotas;

impl Controller for ResourceQuotas {
    fn name(&self) -> &'static str {
        "resourcequota"
    }

    fn component(&self) -> &'static str {
        "resourcequota-controller"
    }

    fn watches(&self) -> Vec<Watch> {
        vec![
            Watch::own(watched::resource_quotas()),
            // A quota may count any kind by `count/RESOURCE.GROUP`.
            Watch::every(counted),
            Watch::new(watched::definitions(), counting),
        ]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let found = context
            .cache
            .by_key(watched::resource_quotas(), context.key);
        let Some(quota) = found.filter(|q| !q.is_terminating()) else {
            return Plan::done();
        };
        let mut plan = Plan::done();
        let hard = resource_list(field(quota, "spec"), "hard");
        let is_resource = |resource: &str| {
            let is_named = |kind: &&Kind| kind.qualified_resource() == resource;
            // A resource may have no objects yet, and so be absent from the cache.
            if let Some(kind) = registry::all().find(is_named) {
                return counts(kind);
            }
            let definition = context.cache.get(watched::definitions(), "", resource);
            definition.is_some_and(|d| views::defines_namespaced(d))
        };
        let mut used: Vec<(&str, Quantity)> = hard
            .keys()
            .filter(|name| is_counted(name, is_resource))
            .map(|name| (name.as_str(), Quantity::ZERO))
            .collect();
        // Recomputed from the objects rather than adjusted, so that a sum that admission got wrong repairs itself.
        for kind in context.cache.kinds() {
            for object in context.cache.list(kind, quota.namespace()) {
                if !kind.namespaced || !covers(quota, kind, object) {
                    continue;
                }
                for (name, amount) in usage(kind, object) {
                    if let Some((_, sum)) = used.iter_mut().find(|(n, _)| *n == name) {
                        sum.add(&amount);
                    }
                }
            }
        }
        let shown = |(name, amount): (&str, Quantity)| (name.to_owned(), json!(amount.to_string()));
        let hard: Map = hard.iter().map(|(n, a)| shown((n, *a))).collect();
        let used: Map = used.into_iter().map(shown).collect();
        if hard.is_empty() && field(quota, "status").as_object().is_none_or(Map::is_empty) {
            return plan;
        }
        let status = json!({"hard": hard, "used": used});
        let rule = format!(
            "usage: of {}",
            numbered(hard.len(), "limited resource", "limited resources")
        );
        plan.status
            .extend(PlannedWrite::status(quota, status, rule));
        plan
    }
}

/// Returns the quotas that limit the objects of a definition.
fn counting(change: &Change, cache: &Cache) -> Vec<Key> {
    // An existing definition defines the same resource after each change.
    let Some(definition) = change.object().filter(|_| !is_update(change)) else {
        return Vec::new();
    };
    let name = format!("count/{}", definition.name());
    let quotas = cache.list(watched::resource_quotas(), "");
    let limits = |quota: &&Object| has(views::limits(quota), &name);
    quotas.filter(limits).map(|q| q.key().clone()).collect()
}

/// Returns the quotas of the namespace if a change concerns them: an object was created or deleted, or counts
/// differently.
fn counted(change: &Change, cache: &Cache) -> Vec<Key> {
    let Some(object) = change.object().filter(|o| !o.namespace().is_empty()) else {
        return Vec::new();
    };
    let quotas = cache.list(watched::resource_quotas(), object.namespace());
    let keys: Vec<Key> = quotas.map(|q| q.key().clone()).collect();
    let counts = |o: &Option<Object>| o.as_ref().map(|o| usage(o.kind(), o));
    // Most updates are Pod status, which no quota counts.
    if keys.is_empty() || is_update(change) && counts(&change.before) == counts(&change.after) {
        return Vec::new();
    }
    keys
}

fn is_update(change: &Change) -> bool {
    change.before.is_some() && change.after.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::Value;
    use crate::harness::{ControllerHarness, content};

    fn quota(hard: Value) -> Value {
        json!({"metadata": {"name": "caps"}, "spec": {"hard": hard}})
    }

    fn pod(name: &str, cpu: &str, phase: &str) -> Value {
        json!({"metadata": {"name": name}, "status": {"phase": phase}, "spec": {"containers": [
            {"resources": {"requests": {"cpu": cpu}}},
        ]}})
    }

    #[test]
    fn quota_status_sums_the_usage_in_its_namespace() {
        let mut harness = ControllerHarness::new(ResourceQuotas);
        harness.put("v1", "ResourceQuota", quota(json!({
            "pods": "3", "requests.cpu": "1", "count/deployments.apps": 2, "services": "1", "configmaps": "10",
            "count/ships.example.com": 1, "example.com/gpu": 2,
        })));
        harness.put("v1", "Pod", pod("a", "600m", "Running"));
        harness.put("v1", "Pod", pod("b", "600m", "Running"));
        harness.put("v1", "Pod", pod("over", "600m", "Succeeded"));
        harness.put("apps/v1", "Deployment", json!({"metadata": {"name": "d"}}));
        harness.put(
            "v1",
            "ConfigMap",
            json!({"metadata": {"name": "far", "namespace": "other"}}),
        );
        let plan = harness.plan("default", "caps");
        assert_eq!(
            content(&plan.status[0])["status"],
            json!({
                "hard": {"configmaps": "10", "count/deployments.apps": "2", "count/ships.example.com": "1",
                    "example.com/gpu": "2", "pods": "3", "requests.cpu": "1", "services": "1"},
                "used": {"configmaps": "0", "count/deployments.apps": "1", "pods": "2", "requests.cpu": "1200m", "services": "0"},
            })
        );
    }

    #[test]
    fn only_changes_of_counted_usage_are_queued() {
        let mut harness = ControllerHarness::new(ResourceQuotas);
        let alone = harness.put("v1", "Pod", pod("a", "1", "Pending"));
        assert_eq!(harness.keys(&alone), []);
        harness.put("v1", "ResourceQuota", quota(json!({"pods": "3"})));
        assert_eq!(harness.keys(&alone).len(), 1);
        let mut change = Change {
            before: Some(alone.clone()),
            after: Some(harness.put("v1", "Pod", pod("a", "1", "Running"))),
        };
        assert_eq!(counted(&change, &harness.cache), []);
        change.after = Some(harness.put("v1", "Pod", pod("a", "1", "Failed")));
        assert_eq!(counted(&change, &harness.cache).len(), 1);
    }
}
