//! ResourcePoolStatusRequest: its row in discovery and its hooks.

use crate::kind::{Kind, Subresource};

/// ResourcePoolStatusRequest at `resource.k8s.io/v1alpha3`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("resource.k8s.io", "v1alpha3", "ResourcePoolStatusRequest"),
    ("resourcepoolstatusrequests", "resourcepoolstatusrequest"),
)
.subresources(&[Subresource::status(
    "resource.k8s.io",
    "v1alpha3",
    "ResourcePoolStatusRequest",
)])
.unpreferred()
.unserved();
