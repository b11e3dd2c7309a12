//! The defaults of a StorageClass.

use crate::api::json::Value;
use crate::tree::set_default;

/// Sets the defaults of a StorageClass.
pub(crate) fn apply(object: &mut Value) {
    set_default(object, "reclaimPolicy", "Delete");
    set_default(object, "volumeBindingMode", "Immediate");
}
