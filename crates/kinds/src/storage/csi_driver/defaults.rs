//! The defaults of a CSIDriver.

use crate::api::json::{Value, json};
use crate::tree::{ensure, set_default};

/// Sets the defaults of a CSIDriver.
pub(crate) fn apply(object: &mut Value) {
    let spec = ensure(object, "spec");
    set_default(spec, "attachRequired", true);
    set_default(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
    for name in [
        "podInfoOnMount",
        "requiresRepublish",
        "seLinuxMount",
        "storageCapacity",
    ] {
        set_default(spec, name, false);
    }
    set_default(spec, "volumeLifecycleModes", json!(["Persistent"]));
}
