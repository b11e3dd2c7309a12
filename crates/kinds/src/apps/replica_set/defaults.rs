//! The defaults of a ReplicaSet.

use crate::api::json::Value;
use crate::defaults::workload::template;
use crate::tree::set_default;

/// Sets the defaults of the spec of a ReplicaSet.
pub(crate) fn spec(spec: &mut Value) {
    template(spec);
    set_default(spec, "replicas", 1);
}
