//! The defaults of a ReplicaSet.

use crate::api::json::Value;
use crate::defaults::workload::template;
use crate::tree::{ensure, set_default};

/// Sets the defaults of a ReplicaSet.
pub(crate) fn apply(object: &mut Value) {
    let spec = ensure(object, "spec");
    template(spec);
    set_default(spec, "replicas", 1);
}
