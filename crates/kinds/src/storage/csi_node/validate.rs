//! The rules of a CSINode.

use crate::api::json::Value;
use crate::tree::{field, list};
use crate::validate::common::{required_name, required_text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// Validates a new CSINode.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let path = Path::root("spec");
    let path = path.child("drivers");
    for (index, driver) in list(field(object, "spec"), "drivers").iter().enumerate() {
        let path = path.index(index);
        required_name(&path, driver, "name", names::dns1123_subdomain, errors);
        required_text(&path, driver, "nodeID", errors);
    }
}
