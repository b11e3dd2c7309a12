//! The table cells of a NetworkPolicy.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::{age, label_selector};
use crate::columns::name;
use crate::tree::at;

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let selector = at(object, &["spec", "podSelector"]);
    vec![
        name(object),
        json!(label_selector(selector)),
        json!(age(object, now)),
    ]
}
