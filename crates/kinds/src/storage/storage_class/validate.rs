//! The rules of a StorageClass.

use crate::api::json::{Value, json};
use crate::storage::validate::provisioner;
use crate::tree::{entries, field, len, list, text};
use crate::validate::common::one_of;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// Validates a new StorageClass.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let root = Path::root("");
    provisioner(&root, object, "provisioner", errors);
    if entries(object, "parameters").any(|(key, _)| key.is_empty()) {
        let path = Path::root("parameters");
        errors.invalid(&path, &json!(""), "field can not be empty.");
    }
    one_of(
        &root,
        object,
        "reclaimPolicy",
        &["Delete", "Retain"],
        errors,
    );
    let modes = &["Immediate", "WaitForFirstConsumer"];
    one_of(&root, object, "volumeBindingMode", modes, errors);
    let topologies = Path::root("allowedTopologies");
    for (index, term) in list(object, "allowedTopologies").iter().enumerate() {
        let term_path = topologies.index(index);
        let expressions = term_path.child("matchLabelExpressions");
        for (index, expression) in list(term, "matchLabelExpressions").iter().enumerate() {
            let path = expressions.index(index);
            if len(expression, "values") == 0 {
                errors.required(&path.child("values"), "");
            }
            let key = text(expression, "key");
            errors.invalid_each(&path.child("key"), key, names::qualified_name(key));
        }
    }
}

/// Validates an update of a StorageClass.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    // Volumes that exist were made with these parameters; a class for others needs another name.
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
