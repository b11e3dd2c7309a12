//! The cells of a kind's table, as the API server prints them for `kubectl get`.

mod custom;
mod described;
mod fast_read;
pub(crate) mod format;
pub(crate) mod load_balancer;
pub(crate) mod omit;
pub(crate) mod path;
pub(crate) mod workload;

use crate::api::json::{Value, json};
use jiff::Timestamp;

pub use custom::custom;
pub use described::descriptions;
pub use fast_read::read_fields;
pub use format::{age, label_selector, labels};
pub use omit::{EVERYTHING, NOTHING, OmittedFields};

use super::kind::Kind;
use super::tree::{field, text};

/// Returns the cells of an object, in the order of the kind's columns: strings, numbers and booleans.
///
/// The object must be canonical, with its defaults set. Ages are counted up to `now`.
pub fn cells(kind: &Kind, object: &Value, now: Timestamp) -> Vec<Value> {
    if let Some(kind) = kind.custom {
        return custom(&kind.columns, object, now);
    }
    match kind.hooks.cells {
        Some(cells) => cells(object, now),
        None => kind
            .columns
            .iter()
            .map(|c| plain(c.name, object, now))
            .collect(),
    }
}

/// Returns a cell of a kind without a printer of its own.
fn plain(column: &str, object: &Value, now: Timestamp) -> Value {
    match column {
        "Name" => name(object),
        // The default table converter of kube-apiserver shows the time itself rather than an age.
        "Created At" => field(field(object, "metadata"), "creationTimestamp").clone(),
        "Age" => json!(age(object, now)),
        _ => json!(""),
    }
}

/// Returns the cell with the name of an object.
pub fn name(object: &Value) -> Value {
    json!(text(field(object, "metadata"), "name"))
}
