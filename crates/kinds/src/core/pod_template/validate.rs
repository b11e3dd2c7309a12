//! The rules of a PodTemplate.

use crate::api::json::Value;
use crate::tree::field;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::workload::template;
use crate::validate::{meta, names};

/// Validates a new PodTemplate.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    template(&Path::root("template"), field(object, "template"), errors);
}

/// Validates an update of a PodTemplate.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    template(&Path::root("template"), field(object, "template"), errors);
}
