//! ConfigMap: its row in discovery and its hooks.

mod cells;
mod validate;

use crate::admission::quota;
use crate::kind::{Column, Kind};

/// ConfigMap at `v1`.
pub(crate) const KIND: Kind =
    Kind::namespaced(("", "v1", "ConfigMap"), ("configmaps", "configmap"))
        .short_names(&["cm"])
        .table(
            &[Column::NAME, Column::text("Data"), Column::AGE],
            cells::row,
        )
        .rules(validate::create, validate::update)
        .key_reference("configMapKeyRef")
        .quota_usage(|_, used| quota::count(used, "configmaps"));
