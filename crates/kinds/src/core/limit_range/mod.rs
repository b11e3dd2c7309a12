//! LimitRange: its row in discovery and its hooks.

mod defaults;
mod validate;

use crate::kind::{Column, Kind};

/// LimitRange at `v1`.
pub(crate) const KIND: Kind =
    Kind::namespaced(("", "v1", "LimitRange"), ("limitranges", "limitrange"))
        .short_names(&["limits"])
        .columns(&[Column::NAME, Column::new("Created At", "date", "", 0)])
        .defaults(defaults::apply)
        .rules(validate::create, validate::update)
        .created_by_update();
