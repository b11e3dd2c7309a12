//! Gadget: its row in discovery and its hooks.

mod cells;
mod defaults;
mod strategy;
mod validate;
mod warnings;

use crate::hooks::Generation;
use crate::kind::{Column, Kind, Subresource};

/// Gadget at `example.dev/v1`.
pub(crate) const KIND: Kind =
    Kind::namespaced(("example.dev", "v1", "Gadget"), ("gadgets", "gadget"))
        .short_names(&["gd"])
        .subresources(&[Subresource::status("example.dev", "v1", "Gadget")])
        .fields(include_str!("fields.tsv"))
        .table(
            &[
                Column::NAME,
                Column::integer("Size"),
                Column::text("Phase"),
                Column::AGE,
            ],
            cells::row,
        )
        .defaults(defaults::apply)
        .rules(validate::create, validate::update)
        .warnings(warnings::collect)
        .generation(Generation::Content)
        .prepare_create(strategy::prepare_create);
