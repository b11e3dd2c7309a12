//! The resources of a container in the downward API.

use super::find::Find;
use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::kinds::tree::{at, field, list, text};

/// Returns the value of a `resourceFieldRef` in multiples of its divisor; `own` is the container that contains the
/// reference.
pub(super) fn referenced(
    reference: &Value,
    own: &Value,
    pod: &Value,
    find: &Find<'_>,
) -> Option<String> {
    let named = text(reference, "containerName");
    let container = match named {
        "" => own,
        named => ["containers", "initContainers"]
            .iter()
            .flat_map(|lists| list(field(pod, "spec"), lists))
            .find(|container| text(container, "name") == named)?,
    };
    let (side, resource) = text(reference, "resource").split_once('.')?;
    let given = quantity(at(container, &["resources", side, resource]));
    let value = given.or_else(|| match side {
        // A container without a limit may use everything its node has.
        "limits" if !resource.starts_with("hugepages-") => {
            let node = find("nodes", "", text(field(pod, "spec"), "nodeName"))?;
            quantity(at(&node, &["status", "allocatable", resource]))
        }
        _ => None,
    });
    let amount = |value: &Quantity| match resource {
        "cpu" => value.milli(),
        _ => value.ceil(),
    };
    let divisor = quantity(field(reference, "divisor"));
    // Rounds up, so that a program never sees less than one CPU.
    let unit = divisor.map_or(0, |divisor| amount(&divisor));
    let unit = match (unit, resource) {
        (1.., _) => unit,
        (_, "cpu") => 1000,
        _ => 1,
    };
    let amount = value.map_or(0, |value| amount(&value));
    Some((amount as f64 / unit as f64).ceil().to_string())
}

fn quantity(value: &Value) -> Option<Quantity> {
    match value {
        Value::String(text) => Quantity::parse(text).ok(),
        value => Some(Quantity::from_int(value.as_i64()?)),
    }
}
