//! Event: its row in discovery and its hooks.

pub(crate) mod cells;
pub(crate) mod convert;
pub(crate) mod selectors;
pub(crate) mod validate;

use crate::hooks::Dependents;
use crate::kind::{Column, Kind};

/// Event at `v1`.
pub(crate) const KIND: Kind = Kind::namespaced(("", "v1", "Event"), ("events", "event"))
    .short_names(&["ev"])
    .field_selectors(&[
        "metadata.name",
        "metadata.namespace",
        "involvedObject.kind",
        "involvedObject.namespace",
        "involvedObject.name",
        "involvedObject.uid",
        "involvedObject.apiVersion",
        "involvedObject.resourceVersion",
        "involvedObject.fieldPath",
        "reason",
        "reportingComponent",
        "source",
        "type",
    ])
    .table(
        &[
            Column::text("Last Seen"),
            Column::text("Type"),
            Column::text("Reason"),
            Column::text("Object"),
            Column::wide("Subobject"),
            Column::wide("Source"),
            Column::text("Message"),
            Column::wide("First Seen"),
            Column::wide("Count"),
            // The name of an event has no meaning, so upstream shows it only in wide tables.
            Column::new("Name", "string", "name", 1),
        ],
        cells::row,
    )
    .rules(validate::create, validate::update)
    .created_by_update()
    .uncounted()
    // An event cannot own anything.
    .dependents(Dependents::Ignored)
    .convert(convert::convert)
    .selector_values(selectors::value);
