//! Event: its row in discovery and its hooks.

use crate::core::event;
use crate::hooks::Dependents;
use crate::kind::{Column, Kind};

/// Event at `events.k8s.io/v1`.
pub(crate) const KIND: Kind =
    Kind::namespaced(("events.k8s.io", "v1", "Event"), ("events", "event"))
        .short_names(&["ev"])
        .field_selectors(&[
            "metadata.name",
            "metadata.namespace",
            "regarding.kind",
            "regarding.namespace",
            "regarding.name",
            "regarding.uid",
            "regarding.apiVersion",
            "regarding.resourceVersion",
            "regarding.fieldPath",
            "reason",
            "reportingController",
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
                Column::new("Name", "string", "name", 1),
            ],
            event::cells::row,
        )
        .rules(event::validate::create, event::validate::update)
        .created_by_update()
        .uncounted()
        .dependents(Dependents::Ignored)
        // Both groups serve the same objects, which upstream stores in the core group.
        .stored_as("", "v1")
        .convert(event::convert::convert)
        .selector_values(event::selectors::value)
        .refused_as("");
