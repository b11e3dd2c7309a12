//! The rules of a RuntimeClass.

use std::collections::HashSet;

use crate::api::json::Value;
use crate::tree::{entries, field, list, take};
use crate::validate::common::{container_resource_name, required_name, resource_amount};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::pod::scheduling;
use crate::validate::{go, meta, names};

/// Validates a new RuntimeClass.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let root = Path::root("");
    required_name(&root, object, "handler", names::dns1123_label, errors);
    let path = Path::root("overhead");
    // Upstream validates the overhead like the limits of a container, and its error paths show it.
    let path = path.child("limits");
    for (name, amount) in entries(field(object, "overhead"), "podFixed") {
        container_resource_name(&path.key(name), name, errors);
        resource_amount(&path.key(name), name, amount, errors);
    }
    let scheduling = field(object, "scheduling");
    let path = Path::root("scheduling");
    meta::labels(
        &path.child("nodeSelector"),
        scheduling,
        "nodeSelector",
        errors,
    );
    tolerations(&path.child("tolerations"), scheduling, errors);
}

fn tolerations(path: &Path<'_>, scheduling: &Value, errors: &mut Errors) {
    scheduling::tolerations(path, scheduling, errors);
    let mut seen = HashSet::new();
    for (index, toleration) in list(scheduling, "tolerations").iter().enumerate() {
        let mut key = toleration.clone();
        // The seconds are not part of the list's key.
        take(&mut key, "tolerationSeconds");
        if !seen.insert(key) {
            let shown = go::shown_as("Toleration", toleration);
            errors.duplicate(&path.index(index), &shown);
        }
    }
}

/// Validates an update of a RuntimeClass.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    create(object, errors);
    meta::update(object, old, errors);
    // The handler has started the running Pods of the class.
    let handler = |object| field(object, "handler");
    meta::immutable(
        &Path::root("handler"),
        handler(object),
        handler(old),
        errors,
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn a_toleration_stands_once_whatever_its_seconds() {
        let toleration = |seconds: i64| json!({"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds});
        let class = json!({"metadata": {"name": "r"}, "handler": "r",
            "scheduling": {"tolerations": [toleration(1), toleration(2)]}});
        let mut errors = Errors::default();
        create(&class, &mut errors);
        let causes = errors.into_causes();
        let told: Vec<String> = causes.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "scheduling.tolerations[1]: Duplicate value: {\"Key\":\"a\",\"Operator\":\"Exists\",\"Value\":\"\",\
                 \"Effect\":\"NoExecute\",\"TolerationSeconds\":2}"
            ]
        );
    }
}
