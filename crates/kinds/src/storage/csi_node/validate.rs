//! The rules of a CSINode.

use std::collections::BTreeSet;

use crate::api::json::Value;
use crate::tree::{field, int, list, take, text, texts};
use crate::validate::common::required_text;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::pod::remote::csi_driver_name;
use crate::validate::{go, meta, names};

const NODE_ID_MAX: usize = 256;

/// Validates a new CSINode.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let path = Path::root("spec");
    let path = path.child("drivers");
    let mut known = BTreeSet::new();
    for (index, driver) in drivers(object).iter().enumerate() {
        let path = path.index(index);
        let name = text(driver, "name");
        if required_text(&path, driver, "name", errors) {
            csi_driver_name(&path.child("name"), name, errors);
        }
        required_text(&path, driver, "nodeID", errors);
        let id = text(driver, "nodeID");
        // The CSI specification sets this limit.
        if id.len() > NODE_ID_MAX {
            let detail = format!("must be {NODE_ID_MAX} characters or less");
            errors.invalid_shown(&path.child("nodeID"), &go::quoted(id), &detail);
        }
        // Zero is valid: the node accepts no volumes of the driver.
        let count = int(field(driver, "allocatable"), "count");
        meta::nonnegative(&path.child("allocatable").child("count"), count, errors);
        if !known.insert(name) {
            errors.duplicate(&path.child("name"), &go::quoted(name));
        }
        topology_keys(&path, driver, errors);
    }
}

fn drivers(object: &Value) -> &[Value] {
    list(field(object, "spec"), "drivers")
}

/// Validates the topology keys of a driver. Upstream reports their errors at the driver.
fn topology_keys(path: &Path<'_>, driver: &Value, errors: &mut Errors) {
    let mut known = BTreeSet::new();
    for key in texts(driver, "topologyKeys") {
        if key.is_empty() {
            errors.required(path, "");
        }
        if !known.insert(key) {
            errors.duplicate(path, &go::quoted(key));
        }
        errors.invalid_each(path, key, names::qualified_name(key));
    }
}

/// Validates an update of a CSINode.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    create(object, errors);
    let path = Path::root("spec");
    let path = path.child("drivers");
    // Of a registered driver, only the number of volumes that fit may change. For other changes, it must register
    // again.
    for before in drivers(old) {
        let same = |driver: &&Value| text(driver, "name") == text(before, "name");
        for driver in drivers(object).iter().filter(same) {
            let driver = without_limit(driver);
            if driver != without_limit(before) {
                let shown = go::shown_as("CSINodeDriver", &driver);
                errors.invalid_shown(&path, &shown, "field is immutable");
            }
        }
    }
}

fn without_limit(driver: &Value) -> Value {
    let mut driver = driver.clone();
    drop(take(&mut driver, "allocatable"));
    driver
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn node(driver: Value) -> Value {
        json!({"metadata": {"name": "n"}, "spec": {"drivers": [driver]}})
    }

    fn told(new: &Value, old: &Value) -> Vec<String> {
        let mut errors = Errors::default();
        update(new, old, &mut errors);
        let causes = errors.into_causes();
        causes.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_driver_changes_its_count_only() {
        let driver = |id: &str, count: i64| {
            node(json!({"name": "a.b", "nodeID": id, "allocatable": {"count": count}}))
        };
        assert_eq!(told(&driver("x", 2), &driver("x", 1)), [""; 0]);
        assert_eq!(
            told(&driver("y", 1), &driver("x", 1)),
            [
                "spec.drivers: Invalid value: {\"Name\":\"a.b\",\"NodeID\":\"y\",\"TopologyKeys\":null,\
                 \"Allocatable\":null}: field is immutable"
            ]
        );
    }

    #[test]
    fn drivers_and_keys_are_named_once() {
        let mut twice = node(json!({"name": "a.b", "nodeID": "x", "topologyKeys": ["k", "k", ""]}));
        let first = twice["spec"]["drivers"][0].clone();
        twice["spec"]["drivers"] =
            json!([first, {"name": "a.b", "nodeID": "x", "allocatable": {"count": -1}}]);
        let found = told(&twice, &json!({}));
        assert_eq!(found[0], "spec.drivers[0]: Duplicate value: \"k\"");
        assert_eq!(found[1], "spec.drivers[0]: Required value");
        assert!(found[2].starts_with("spec.drivers[0]: Invalid value: \"\": name part must"));
        assert_eq!(
            found[found.len() - 2..],
            [
                "spec.drivers[1].allocatable.count: Invalid value: -1: must be greater than or equal to 0",
                "spec.drivers[1].name: Duplicate value: \"a.b\"",
            ]
        );
    }
}
