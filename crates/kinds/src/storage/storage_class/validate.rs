//! The rules of a StorageClass.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::json::Value;
use crate::storage::validate::{parameters, provisioner};
use crate::tree::{field, len, list, text, texts};
use crate::validate::common::one_of;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

/// Validates a new StorageClass.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let root = Path::root("");
    provisioner(&root, object, "provisioner", errors);
    parameters(object, errors);
    one_of(
        &root,
        object,
        "reclaimPolicy",
        &["Delete", "Retain"],
        errors,
    );
    let modes = &["Immediate", "WaitForFirstConsumer"];
    one_of(&root, object, "volumeBindingMode", modes, errors);
    topologies(object, errors);
}

fn topologies(object: &Value, errors: &mut Errors) {
    let (path, all) = (
        Path::root("allowedTopologies"),
        list(object, "allowedTopologies"),
    );
    // Upstream's list of earlier terms starts with one empty term for each term, so an empty term repeats all of
    // these.
    let mut known = vec![BTreeMap::new(); all.len()];
    for (index, term) in all.iter().enumerate() {
        let path = path.index(index);
        let path = path.child("matchLabelExpressions");
        let expressions = self::expressions(&path, term, errors);
        for _ in known.iter().filter(|earlier| **earlier == expressions) {
            errors.duplicate(&path, &go::quoted(""));
        }
        known.push(expressions);
    }
}

/// Validates the expressions of a term and returns the values of each key.
fn expressions<'a>(
    path: &Path<'_>,
    term: &'a Value,
    errors: &mut Errors,
) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let mut found = BTreeMap::new();
    for (index, expression) in list(term, "matchLabelExpressions").iter().enumerate() {
        let path = path.index(index);
        let places = path.child("values");
        if len(expression, "values") == 0 {
            errors.required(&places, "");
        }
        // The order of the values makes no difference between two terms, so compare sets.
        let mut values = BTreeSet::new();
        for (index, value) in texts(expression, "values").enumerate() {
            if !values.insert(value) {
                errors.duplicate(&places.index(index), &go::quoted(value));
            }
        }
        let key = text(expression, "key");
        errors.invalid_each(&path.child("key"), key, names::qualified_name(key));
        if found.insert(key, values).is_some() {
            errors.duplicate(&path.child("key"), &go::quoted(key));
        }
    }
    found
}

/// Validates an update of a StorageClass.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    create(object, errors);
    meta::update(object, old, errors);
    // Existing volumes were created with these parameters; different parameters need a class with another name.
    for name in [
        "parameters",
        "provisioner",
        "reclaimPolicy",
        "volumeBindingMode",
    ] {
        meta::immutable(
            &Path::root(name),
            field(object, name),
            field(old, name),
            errors,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn told(topologies: Value) -> Vec<String> {
        let mut errors = Errors::default();
        self::topologies(&json!({"allowedTopologies": topologies}), &mut errors);
        let causes = errors.into_causes();
        causes.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn no_topology_term_key_or_value_stands_twice() {
        let term =
            |values: Value| json!({"matchLabelExpressions": [{"key": "zone", "values": values}]});
        assert_eq!(
            told(json!([term(json!(["a", "b"])), term(json!(["a"]))])),
            [""; 0]
        );
        assert_eq!(
            told(json!([
                term(json!(["a", "b", "a"])),
                term(json!(["b", "a"]))
            ])),
            [
                "allowedTopologies[0].matchLabelExpressions[0].values[2]: Duplicate value: \"a\"",
                "allowedTopologies[1].matchLabelExpressions: Duplicate value: \"\"",
            ]
        );
        let twice = json!([{"matchLabelExpressions": [{"key": "a", "values": ["x"]}, {"key": "a", "values": []}]}]);
        assert_eq!(
            told(twice),
            [
                "allowedTopologies[0].matchLabelExpressions[1].values: Required value",
                "allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: \"a\"",
            ]
        );
    }
}
