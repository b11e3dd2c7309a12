//! Facts derived from a Pod spec: image tags, resource sums, the QoS class, restart rules.

pub(crate) mod apparmor;
pub mod image;
pub mod node_rules;
mod paths;
pub mod qos;
pub mod resources;
pub(crate) mod warnings;

use crate::api::json::Value;
use crate::tree::{field, list, text};

/// Returns the action of the first restart rule of a container that applies to an exit code.
pub fn restart_rule(container: &Value, code: i64) -> Option<&str> {
    let mut rules = list(container, "restartPolicyRules").iter();
    let rule = rules.find(|rule| {
        let codes = field(rule, "exitCodes");
        let mut values = list(codes, "values").iter();
        let listed = values.any(|value| value.as_i64() == Some(code));
        match text(codes, "operator") {
            "In" => listed,
            "NotIn" => !listed,
            _ => false,
        }
    });
    rule.map(|rule| text(rule, "action"))
}
