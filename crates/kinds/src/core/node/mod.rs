//! Node: its row in discovery and its hooks.

mod cells;
mod defaults;
mod strategy;
mod validate;
mod warnings;

use crate::kind::{Column, Kind, Subresource};

/// Node at `v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(("", "v1", "Node"), ("nodes", "node"))
    .short_names(&["no"])
    .hosting_pods()
    .subresources(&[
        Subresource::new(
            "proxy",
            "",
            "v1",
            "NodeProxyOptions",
            &["create", "delete", "get", "patch", "update"],
        ),
        Subresource::status("", "v1", "Node"),
    ])
    .field_selectors(&["metadata.name", "spec.unschedulable"])
    .table(
        &[
            Column::NAME,
            Column::text("Status"),
            Column::text("Roles"),
            Column::AGE,
            Column::text("Version"),
            Column::wide("Internal-IP"),
            Column::wide("External-IP"),
            Column::wide("OS-Image"),
            Column::wide("Kernel-Version"),
            Column::wide("Container-Runtime"),
        ],
        cells::row,
    )
    .defaults(defaults::apply)
    .rules(validate::create, validate::update)
    .warnings(warnings::collect)
    .status_rules(validate::update)
    // The configuration of kubelets by the API was removed.
    .gated(&[&["spec", "configSource"], &["status", "config"]])
    // A kubelet registers its node together with the capacity and conditions.
    .with_own_status()
    .admit(strategy::admit)
    .selector_values(strategy::selector_value)
    // Pods have addresses in the node's range, so a restored node keeps it.
    .assigned(|_, _| &["podCIDR", "podCIDRs", "providerID"]);
