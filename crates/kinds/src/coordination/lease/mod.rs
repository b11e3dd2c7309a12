//! Lease: its row in discovery and its hooks.

mod cells;
mod validate;

use crate::kind::{Column, Kind};

/// Lease at `coordination.k8s.io/v1`.
pub(crate) const KIND: Kind =
    Kind::namespaced(("coordination.k8s.io", "v1", "Lease"), ("leases", "lease"))
        .table(
            &[Column::NAME, Column::text("Holder"), Column::AGE],
            cells::row,
        )
        .rules(validate::create, validate::update)
        .created_by_update()
        // Both fields belong to the feature `CoordinatedLeaderElection`.
        .gated(&[&["spec", "strategy"], &["spec", "preferredHolder"]])
        // Without a resource version, an update could take the lease from a holder that has just renewed it.
        .conditional();
