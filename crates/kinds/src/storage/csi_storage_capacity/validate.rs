//! The rules of a CSIStorageCapacity.

use crate::api::json::Value;
use crate::pod::resources::quantity;
use crate::tree::{field, text};
use crate::validate::common::{label_selector, nonnegative_amount, shown_selector};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// Validates a new CSIStorageCapacity.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    label_selector(
        &Path::root("nodeTopology"),
        field(object, "nodeTopology"),
        errors,
    );
    // The scheduler looks up capacities by their class.
    let class = text(object, "storageClassName");
    let wrong = names::dns1123_subdomain(class);
    errors.invalid_each(&Path::root("storageClassName"), class, wrong);
    for name in ["capacity", "maximumVolumeSize"] {
        // Zero is valid: a driver reports it if no capacity is left.
        let amount = quantity(field(object, name));
        nonnegative_amount(&Path::root(name), &amount, errors);
    }
}

/// Validates an update of a CSIStorageCapacity.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    // The driver reported the capacity for exactly this class and topology.
    let topology = field(object, "nodeTopology");
    if topology != field(old, "nodeTopology") {
        let shown = shown_selector(topology);
        errors.invalid_shown(&Path::root("nodeTopology"), &shown, "field is immutable");
    }
    let class = |object| field(object, "storageClassName");
    meta::immutable(
        &Path::root("storageClassName"),
        class(object),
        class(old),
        errors,
    );
}
