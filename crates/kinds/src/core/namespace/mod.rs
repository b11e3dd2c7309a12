//! Namespace: its row in discovery and its hooks.

mod cells;
mod defaults;
mod deletion;
pub(crate) mod paths;
mod strategy;
mod validate;

use crate::kind::{Column, Kind, Subresource};

/// Namespace at `v1`.
pub(crate) const KIND: Kind =
    Kind::cluster_wide(("", "v1", "Namespace"), ("namespaces", "namespace"))
        .short_names(&["ns"])
        .holding_objects()
        // Namespaces have no `deletecollection`: they are deleted one by one, because each deletion removes all
        // objects in a namespace.
        .verbs(&[
            "create", "delete", "get", "list", "patch", "update", "watch",
        ])
        .subresources(&[
            Subresource::new("finalize", "", "v1", "Namespace", &["update"]),
            Subresource::status("", "v1", "Namespace"),
        ])
        .field_selectors(&["metadata.name", "status.phase"])
        .table(
            &[Column::NAME, Column::text("Status"), Column::AGE],
            cells::row,
        )
        .defaults(defaults::apply)
        .rules(validate::create, validate::update)
        .status_rules(validate::status)
        .prepare_status(strategy::prepare_status)
        .prepare_create(strategy::prepare_create)
        .prepare_update(strategy::prepare_update)
        .deletion(deletion::delete, deletion::waits)
        .protecting(
            &["default", "kube-system", "kube-public"],
            "this namespace may not be deleted",
        );
