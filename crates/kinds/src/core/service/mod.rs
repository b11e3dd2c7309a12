//! Service: its row in discovery and its hooks.

mod cells;
mod defaults;
mod quota;
mod strategy;
mod validate;
mod warnings;

pub(crate) use validate::cluster_ips;

use crate::client::PodSelector;
use crate::kind::{Column, Kind, Subresource};

/// Service at `v1`.
pub(crate) const KIND: Kind = Kind::namespaced(("", "v1", "Service"), ("services", "service"))
    .short_names(&["svc"])
    .categories(&["all"])
    .subresources(&[
        Subresource::new(
            "proxy",
            "",
            "v1",
            "ServiceProxyOptions",
            &["create", "delete", "get", "patch", "update"],
        ),
        Subresource::status("", "v1", "Service"),
    ])
    .field_selectors(&[
        "metadata.name",
        "metadata.namespace",
        "spec.clusterIP",
        "spec.type",
    ])
    .table(
        &[
            Column::NAME,
            Column::text("Type"),
            Column::text("Cluster-IP"),
            Column::text("External-IP"),
            Column::text("Port(s)"),
            Column::AGE,
            Column::wide("Selector"),
        ],
        cells::row,
    )
    .defaults(defaults::apply)
    .rules(validate::create, validate::update)
    // If there is no selector, another program writes the endpoints.
    .pod_selector(PodSelector::OptionalLabels)
    .exposable()
    .status_rules(validate::status)
    .created_by_update()
    .warnings(warnings::collect)
    .prepare_create(strategy::prepare_create)
    .prepare_update(strategy::prepare_update)
    .quota_usage(quota::usage)
    .counted_again()
    .assigned(strategy::assigned)
    .addressed();
