//! The QoS class of a Pod.

use super::resources::quantity;
use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::tree::{field, has, list};

/// The resources that decide on the class.
const COUNTED: [&str; 2] = ["cpu", "memory"];

/// The sum of each of these resources.
type Sums = [Quantity; COUNTED.len()];

const NOTHING: Sums = [Quantity::ZERO; COUNTED.len()];

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
    let (mut requests, mut limits) = (NOTHING, NOTHING);
    let mut all_limited = true;
    for part in parts {
        // Check each container: equal sums could hide a container without limits.
        all_limited &= sum_up(&mut limits, field(part, "limits")) == COUNTED.len();
        sum_up(&mut requests, field(part, "requests"));
    }
    match () {
        () if requests == NOTHING && limits == NOTHING => "BestEffort",
        () if all_limited && requests == limits => "Guaranteed",
        () => "Burstable",
    }
}

/// Adds the CPU and memory above zero, and returns how many of the two there are.
// Without maps by name, which took 1 % of the creation of a Pod.
fn sum_up(sums: &mut Sums, part: &Value) -> usize {
    let mut found = 0;
    for (sum, name) in sums.iter_mut().zip(COUNTED) {
        let amount = quantity(field(part, name));
        if amount.signum() > 0 {
            sum.add(&amount);
            found += 1;
        }
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
