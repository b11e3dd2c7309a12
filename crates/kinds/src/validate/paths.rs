//! The rules for writes to the paths below an object, such as `scale`.

use crate::api::json::Value;
use crate::api::status::Cause;
use crate::tree::field;
use crate::validate::errors::Errors;
use crate::validate::meta;
use crate::validate::path::Path;

/// Returns the validation errors of a `Scale`.
pub fn scale(scale: &Value) -> Vec<Cause> {
    let mut errors = Errors::default();
    let spec = field(scale, "spec");
    meta::nonnegative_field(&Path::root("spec"), spec, "replicas", &mut errors);
    errors.into_causes()
}
