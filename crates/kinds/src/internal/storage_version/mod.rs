//! StorageVersion: its row in discovery and its hooks.

use crate::kind::{Kind, Subresource};
use crate::strategy::SPEC_AND_METADATA;

/// StorageVersion at `internal.apiserver.k8s.io/v1alpha1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("internal.apiserver.k8s.io", "v1alpha1", "StorageVersion"),
    ("storageversions", "storageversion"),
)
.subresources(&[Subresource::status(
    "internal.apiserver.k8s.io",
    "v1alpha1",
    "StorageVersion",
)])
.unserved()
.conditional()
.reset_fields(&[("status", SPEC_AND_METADATA)]);
