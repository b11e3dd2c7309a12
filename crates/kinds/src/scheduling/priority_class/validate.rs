//! The rules of a PriorityClass.

use crate::api::json::Value;
use crate::tree::{field, flag, has, text};
use crate::validate::common::required_one_of;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// Validates a new PriorityClass.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    const MAX: i64 = 1_000_000_000;
    meta::create(object, false, names::dns1123_subdomain, errors);
    let name = text(field(object, "metadata"), "name");
    let value = field(object, "value").as_i64().unwrap_or(0);
    if name.starts_with("system-") {
        if let Some(wrong) = unknown_system_class(object, name, value) {
            let metadata = Path::root("metadata");
            let detail = format!(
                "priority class names with 'system-' prefix are reserved for system use only. error: {wrong}"
            );
            errors.forbidden(&metadata.child("name"), &detail);
        }
    // `HighestUserDefinablePriority`: the range above it is reserved for Pods on which the cluster itself depends.
    } else if value > MAX {
        let detail = format!("maximum allowed value of a user defined priority is {MAX}");
        errors.forbidden(&Path::root("value"), &detail);
    }
    let policies = &["PreemptLowerPriority", "Never"];
    let root = Path::root("");
    if has(object, "preemptionPolicy") {
        required_one_of(&root, object, "preemptionPolicy", policies, errors);
    }
}

/// Returns why a class is none of those that every cluster has.
fn unknown_system_class(class: &Value, name: &str, value: i64) -> Option<String> {
    const SYSTEM: [(&str, i64); 2] = [
        ("system-node-critical", 2_000_001_000),
        ("system-cluster-critical", 2_000_000_000),
    ];
    match SYSTEM.iter().find(|(known, _)| *known == name) {
        None => Some(format!("{name} is not a known system priority class")),
        Some((_, own)) if *own != value => {
            Some(format!("value of {name} PriorityClass must be {own}"))
        }
        Some(_) if flag(class, "globalDefault") => Some(format!(
            "globalDefault of {name} PriorityClass must be false"
        )),
        Some(_) => None,
    }
}

/// Validates an update of a PriorityClass.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    // Pods copy the value on creation, so a change would give one class two meanings.
    if field(object, "value") != field(old, "value") {
        errors.forbidden(&Path::root("value"), "may not be changed in an update.");
    }
    let policy = |object| field(object, "preemptionPolicy");
    meta::immutable(
        &Path::root("preemptionPolicy"),
        policy(object),
        policy(old),
        errors,
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn classes_of_the_system_have_their_values() {
        let told = |name: &str, value: i64, default: bool| {
            let class =
                json!({"metadata": {"name": name}, "value": value, "globalDefault": default});
            let mut errors = Errors::default();
            create(&class, &mut errors);
            let causes = errors.into_causes();
            causes.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let wrong = |why: &str| {
            vec![format!(
                "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use \
                 only. error: {why}"
            )]
        };
        let node = "system-node-critical";
        assert_eq!(told(node, 2_000_001_000, false), [""; 0]);
        assert_eq!(
            told(node, 7, false),
            wrong("value of system-node-critical PriorityClass must be 2000001000")
        );
        assert_eq!(
            told(node, 2_000_001_000, true),
            wrong("globalDefault of system-node-critical PriorityClass must be false")
        );
        assert_eq!(
            told("system-x", 7, false),
            wrong("system-x is not a known system priority class")
        );
    }
}
