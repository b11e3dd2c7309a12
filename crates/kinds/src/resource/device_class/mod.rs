//! DeviceClass: its row in discovery and its hooks.

mod validate;

use crate::hooks::Generation;
use crate::kind::{Column, Kind};

/// DeviceClass at `resource.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("resource.k8s.io", "v1", "DeviceClass"),
    ("deviceclasses", "deviceclass"),
)
.columns(&[Column::NAME, Column::AGE])
.generation(Generation::Content)
.rules(validate::create, validate::update);

/// DeviceClass at `resource.k8s.io/v1beta2`.
pub(crate) const V1BETA2: Kind = KIND.also_at("v1beta2").unserved();

/// DeviceClass at `resource.k8s.io/v1beta1`.
pub(crate) const V1BETA1: Kind = KIND.also_at("v1beta1").unserved();
