//! The rules that the kinds of this group share.

use crate::api::json::Value;
use crate::tree::{as_text, entries, len, text};
use crate::validate::common::required_text;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, names};

const MOST_PARAMETERS: usize = 512;
const PARAMETER_BYTES: usize = 256 * 1024;

/// Validates the name of a provisioner or driver: like a label key, but upper case is allowed.
pub(crate) fn provisioner(path: &Path<'_>, holder: &Value, name: &str, errors: &mut Errors) {
    if required_text(path, holder, name, errors) {
        let value = text(holder, name);
        let wrong = names::qualified_name(&value.to_lowercase());
        errors.invalid_each(&path.child(name), value, wrong);
    }
}

/// Validates the parameters of a class.
pub(crate) fn parameters(object: &Value, errors: &mut Errors) {
    let path = Path::root("parameters");
    if len(object, "parameters") > MOST_PARAMETERS {
        return errors.too_long(&path, MOST_PARAMETERS);
    }
    let mut size = 0;
    for (key, value) in entries(object, "parameters") {
        if key.is_empty() {
            errors.invalid_shown(&path, &go::quoted(key), "field can not be empty.");
        }
        size += key.len() + as_text(value).len();
    }
    // etcd limits the size of an object, and each volume of the class copies the parameters.
    if size > PARAMETER_BYTES {
        errors.too_long(&path, PARAMETER_BYTES);
    }
}
