//! DeviceTaintRule: its row in discovery and its hooks.

use crate::kind::{Kind, Subresource};

/// DeviceTaintRule at `resource.k8s.io/v1beta2`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("resource.k8s.io", "v1beta2", "DeviceTaintRule"),
    ("devicetaintrules", "devicetaintrule"),
)
.subresources(&[Subresource::status(
    "resource.k8s.io",
    "v1beta2",
    "DeviceTaintRule",
)])
.unpreferred()
.unserved();

/// DeviceTaintRule at `resource.k8s.io/v1alpha3`.
pub(crate) const V1ALPHA3: Kind =
    KIND.also_at("v1alpha3")
        .unserved()
        .subresources(&[Subresource::status(
            "resource.k8s.io",
            "v1alpha3",
            "DeviceTaintRule",
        )]);
