//! The rules that kinds of this group share.

use crate::api::json::Value;
use crate::tree::text;
use crate::validate::common::required_text;
use crate::validate::errors::Errors;
use crate::validate::names;
use crate::validate::path::Path;

/// Validates the name of a driver: like a label key, in any case.
pub(crate) fn provisioner(path: &Path<'_>, holder: &Value, name: &str, errors: &mut Errors) {
    if required_text(path, holder, name, errors) {
        let value = text(holder, name);
        let wrong = names::qualified_name(&value.to_lowercase());
        errors.invalid_each(&path.child(name), value, wrong);
    }
}
