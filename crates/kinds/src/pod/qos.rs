//! The QoS class of a Pod.

use std::collections::BTreeMap;

use super::resources::{Amounts, amounts};
use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::tree::{field, has, list};

/// Returns `Guaranteed`, `Burstable` or `BestEffort`, based on the CPU and memory of a Pod.
pub fn class(pod: &Value) -> &'static str {
    let spec = field(pod, "spec");
    let parts: Vec<&Value> = match has(spec, "resources") {
        // Pod-level resources decide alone if there are any.
        true => vec![field(spec, "resources")],
        false => ["containers", "initContainers"]
            .iter()
            .flat_map(|name| list(spec, name))
            .map(|container| field(container, "resources"))
            .collect(),
    };
    let (mut requests, mut limits) = (Amounts::new(), Amounts::new());
    let mut all_limited = true;
    for part in parts {
        // Check each container: equal sums could hide a container without limits.
        all_limited &= sum_up(&mut limits, &amounts(part, "limits")) == 2;
        sum_up(&mut requests, &amounts(part, "requests"));
    }
    match () {
        () if requests.is_empty() && limits.is_empty() => "BestEffort",
        () if all_limited && requests == limits => "Guaranteed",
        () => "Burstable",
    }
}

/// Adds the CPU and memory above zero, and returns how many of the two there are.
fn sum_up(sum: &mut BTreeMap<String, Quantity>, part: &Amounts) -> usize {
    let counted = part
        .iter()
        .filter(|(name, amount)| matches!(name.as_str(), "cpu" | "memory") && amount.signum() > 0);
    let mut found = 0;
    for (name, amount) in counted {
        sum.entry(name.clone())
            .or_insert(Quantity::ZERO)
            .add(amount);
        found += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn of(resources: Value) -> &'static str {
        class(&json!({"spec": {"containers": [{"resources": resources}]}}))
    }

    #[test]
    fn qos_class_follows_requests_and_limits() {
        let full = json!({"cpu": "1", "memory": "1Gi"});
        assert_eq!(of(json!({})), "BestEffort");
        assert_eq!(of(json!({"requests": {"cpu": "1"}})), "Burstable");
        assert_eq!(of(json!({"requests": full, "limits": full})), "Guaranteed");
        assert_eq!(
            of(json!({"limits": {"ephemeral-storage": "1"}})),
            "BestEffort"
        );
    }
}
