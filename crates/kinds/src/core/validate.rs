//! The rules that the kinds of this group share.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::api::json::Value;
use crate::tree::{as_text, field, flag};
use crate::validate::errors::Errors;
use crate::validate::path::Path;

// etcd limits a request to 1.5 MiB. Upstream leaves room for the rest of the object.
pub(crate) const MAX_DATA: usize = 1024 * 1024;
const IMMUTABLE: &str = "field is immutable when `immutable` is set";

pub(crate) fn immutable_data(object: &Value, old: &Value, names: &[&str], errors: &mut Errors) {
    if !flag(old, "immutable") {
        return;
    }
    // Kubelets stop watching immutable data, so they would miss the change.
    if !flag(object, "immutable") {
        errors.forbidden(&Path::root("immutable"), IMMUTABLE);
    }
    for name in names {
        if field(object, name) != field(old, name) {
            errors.forbidden(&Path::root(name), IMMUTABLE);
        }
    }
}

pub(crate) fn decoded(value: &Value) -> Vec<u8> {
    STANDARD.decode(as_text(value)).unwrap_or_default()
}
