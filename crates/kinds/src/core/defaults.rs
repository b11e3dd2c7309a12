//! The defaults that the kinds of this group share.

use crate::api::json::{Map, Value};
use crate::tree::{ensure, entries, set_default};

pub(crate) fn fill(item: &mut Value, to: &str, from: &str) {
    let source: Map = entries(item, from)
        .map(|(key, value)| (key.to_owned(), value.clone()))
        .collect();
    if !source.is_empty() {
        let target = ensure(item, to);
        source
            .into_iter()
            .for_each(|(key, value)| set_default(target, &key, value));
    }
}
