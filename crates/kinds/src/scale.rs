//! The kind of `/scale`, which is in no list of kinds.

use jiff::Timestamp;

use super::columns::{age, name};
use super::hooks::Hooks;
use super::kind::{Column, Kind};
use super::tree::field;
use crate::api::json::{Value, json};

/// The kind of `/scale`. Its columns are the same for all scalable kinds.
///
/// ```
/// use ctl_kinds::scale::SCALE;
///
/// assert_eq!((SCALE.api_version(), SCALE.kind), ("autoscaling/v1".to_owned(), "Scale"));
/// ```
pub const SCALE: Kind = Kind {
    hooks: Hooks {
        cells: Some(cells),
        ..Hooks::NONE
    },
    ..Kind::body("autoscaling", "v1", "Scale").columns(&[
        Column::NAME,
        Column::integer("Desired"),
        Column::integer("Available"),
        Column::AGE,
    ])
};

fn cells(scale: &Value, now: Timestamp) -> Vec<Value> {
    // The wire format omits a zero in `spec`.
    let count = |part: &str| json!(field(field(scale, part), "replicas").as_i64().unwrap_or(0));
    vec![
        name(scale),
        count("spec"),
        count("status"),
        json!(age(scale, now)),
    ]
}
