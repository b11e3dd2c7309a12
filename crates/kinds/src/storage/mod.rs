//! The kinds of the `storage.k8s.io` API group.

pub(crate) mod csi_driver;
pub(crate) mod csi_node;
pub(crate) mod csi_storage_capacity;
pub(crate) mod storage_class;
pub(crate) mod validate;
pub(crate) mod volume_attachment;
pub(crate) mod volume_attributes_class;

use crate::kind::Kind;

/// The kinds of this group, in the order of discovery: one line for each version of a kind.
pub(crate) const KINDS: &[Kind] = &[
    csi_driver::KIND,
    csi_node::KIND,
    csi_storage_capacity::KIND,
    storage_class::KIND,
    volume_attachment::KIND,
    volume_attributes_class::KIND,
    volume_attributes_class::V1BETA1,
];
