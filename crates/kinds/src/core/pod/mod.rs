//! Pod: its row in discovery and its hooks.

mod admission;
mod cells;
mod defaults;
mod deletion;
pub(crate) mod paths;
mod quota;
mod scheduling_gates;
mod secrets;
mod selectors;
mod strategy;
mod subresource;
mod update;
mod validate;
mod warnings;

use crate::hooks::{Generation, WarnedUpdates};
use crate::kind::{Column, Kind, Subresource};

/// Pod at `v1`.
pub(crate) const KIND: Kind = Kind::namespaced(("", "v1", "Pod"), ("pods", "pod"))
    .short_names(&["po"])
    .categories(&["all"])
    .subresources(&[
        Subresource::new("attach", "", "v1", "PodAttachOptions", &["create", "get"]),
        Subresource::new("binding", "", "v1", "Binding", &["create"]),
        Subresource::new(
            "ephemeralcontainers",
            "",
            "v1",
            "Pod",
            &["get", "patch", "update"],
        ),
        Subresource::new("eviction", "policy", "v1", "Eviction", &["create"]),
        Subresource::new("exec", "", "v1", "PodExecOptions", &["create", "get"]),
        Subresource::new("log", "", "v1", "Pod", &["get"]),
        Subresource::new(
            "portforward",
            "",
            "v1",
            "PodPortForwardOptions",
            &["create", "get"],
        ),
        Subresource::new(
            "proxy",
            "",
            "v1",
            "PodProxyOptions",
            &["create", "delete", "get", "patch", "update"],
        ),
        Subresource::new("resize", "", "v1", "Pod", &["get", "patch", "update"]),
        Subresource::status("", "v1", "Pod"),
    ])
    .field_selectors(&[
        "metadata.name",
        "metadata.namespace",
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "spec.hostNetwork",
        "status.phase",
        "status.podIP",
        "status.podIPs",
        "status.nominatedNodeName",
    ])
    .table(
        &[
            Column::NAME,
            Column::text("Ready"),
            Column::text("Status"),
            Column::text("Restarts"),
            Column::AGE,
            Column::wide("IP"),
            Column::wide("Node"),
            Column::wide("Nominated Node"),
            Column::wide("Readiness Gates"),
        ],
        cells::row,
    )
    .spec_defaults(defaults::spec)
    .defaults(defaults::status)
    .rules(validate::create, update::update)
    .status_rules(update::status)
    .generation(Generation::Content)
    // A status update contains a whole Pod, but must not change these fields.
    .reset_fields(&[(
        "status",
        &[
            &["metadata", "deletionTimestamp"],
            &["metadata", "ownerReferences"],
            &["spec"],
        ],
    )])
    // The path is empty because the object itself is the Pod.
    .pod_template(&[])
    .exposable()
    .prepare_create(strategy::prepare_create)
    .prepare_update(strategy::prepare_update)
    .prepare_status(strategy::prepare_status)
    .admit(admission::admit)
    .admit_update(admission::admit_update)
    .warnings(warnings::collect)
    .warned_updates(WarnedUpdates::Never)
    .selector_values(selectors::value)
    .omitted_fields(&selectors::OMITTED)
    .quota_usage(quota::usage)
    .quota_scopes(quota::is_in)
    .counted_again()
    .limits(quota::check_limits)
    .grace(deletion::grace)
    // A binding cannot be undone, so a restored Pod stays on its current node.
    .assigned(|_, _| &["nodeName"]);
