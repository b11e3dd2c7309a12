//! The rules of a CSIStorageCapacity.

use crate::api::json::Value;
use crate::pod::resources::quantity;
use crate::tree::field;
use crate::validate::common::{label_selector, nonnegative_amount, required_name};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// Validates a new CSIStorageCapacity.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    let root = Path::root("");
    required_name(
        &root,
        object,
        "storageClassName",
        names::dns1123_subdomain,
        errors,
    );
    label_selector(
        &Path::root("nodeTopology"),
        field(object, "nodeTopology"),
        errors,
    );
    for name in ["capacity", "maximumVolumeSize"] {
        // Zero is valid: a driver reports it if no capacity is left.
        let amount = quantity(field(object, name));
        nonnegative_amount(&Path::root(name), &amount, errors);
    }
}
