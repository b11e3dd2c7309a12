//! Secret: its row in discovery and its hooks.

mod cells;
mod defaults;
mod validate;
mod warnings;

use crate::admission::quota;
use crate::kind::{Column, Kind};

/// Secret at `v1`.
pub(crate) const KIND: Kind = Kind::namespaced(("", "v1", "Secret"), ("secrets", "secret"))
    .field_selectors(&["metadata.name", "metadata.namespace", "type"])
    .table(
        &[
            Column::NAME,
            Column::text("Type"),
            Column::text("Data"),
            Column::AGE,
        ],
        cells::row,
    )
    .defaults(defaults::apply)
    .rules(validate::create, validate::update)
    .warnings(warnings::collect)
    // `kubectl set env --from=secret/NAME` writes references with this name.
    .key_reference("secretKeyRef")
    .quota_usage(|_, used| quota::count(used, "secrets"))
    .confidential();
