//! ComponentStatus: its row in discovery and its hooks.

mod cells;

use crate::api::json::{Value, json};
use crate::kind::{Column, Kind};

/// ComponentStatus at `v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("", "v1", "ComponentStatus"),
    ("componentstatuses", "componentstatus"),
)
.short_names(&["cs"])
.verbs(&["get", "list"])
.table(
    &[
        Column::NAME,
        Column::text("Status"),
        Column::text("Message"),
        Column::text("Error"),
    ],
    cells::row,
)
.synthetic(components)
.deprecated("v1 ComponentStatus is deprecated in v1.19+");

/// Returns the components of the control plane. They are healthy by definition: without them, nothing would respond
/// to the request.
fn components() -> Vec<Value> {
    let healthy = |name: &str| {
        json!({
            "apiVersion": "v1", "kind": "ComponentStatus", "metadata": {"name": name},
            "conditions": [{"type": "Healthy", "status": "True", "message": "ok"}],
        })
    };
    ["scheduler", "controller-manager", "etcd-0"]
        .into_iter()
        .map(healthy)
        .collect()
}
