//! The rules of a ConfigMap.

use crate::api::json::Value;
use crate::core::validate::{MAX_DATA, decoded, immutable_data};
use crate::tree::{as_text, entries, field, has};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

/// Validates a new ConfigMap.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    let mut size = 0;
    let path = Path::root("data");
    for (key, value) in entries(object, "data") {
        let path = path.key(key);
        errors.invalid_each(&path, key, names::config_key(key));
        // The keys of both maps become file names in the same volume.
        if has(field(object, "binaryData"), key) {
            let detail = "duplicate of key present in binaryData";
            errors.invalid_shown(&path, &go::quoted(key), detail);
        }
        size += as_text(value).len();
    }
    let path = Path::root("binaryData");
    for (key, value) in entries(object, "binaryData") {
        errors.invalid_each(&path.key(key), key, names::config_key(key));
        size += decoded(value).len();
    }
    if size > MAX_DATA {
        // Upstream's path has a single element with an empty name, which Go prints as `[]`.
        errors.too_long(&Path::root("[]"), MAX_DATA);
    }
}

/// Validates an update of a ConfigMap.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    immutable_data(object, old, &["data", "binaryData"], errors);
    create(object, errors);
}
