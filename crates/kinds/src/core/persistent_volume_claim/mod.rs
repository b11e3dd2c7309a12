//! PersistentVolumeClaim: its row in discovery and its hooks.

mod cells;
mod quota;
mod strategy;
mod validate;
mod warnings;

use crate::admission::classes;
use crate::hooks::DefaultClass;
use crate::kind::{Column, Kind, Subresource};

/// PersistentVolumeClaim at `v1`.
pub(crate) const KIND: Kind = Kind::namespaced(
    ("", "v1", "PersistentVolumeClaim"),
    ("persistentvolumeclaims", "persistentvolumeclaim"),
)
.short_names(&["pvc"])
.subresources(&[Subresource::status("", "v1", "PersistentVolumeClaim")])
.table(
    &[
        Column::NAME,
        Column::text("Status"),
        Column::text("Volume"),
        Column::text("Capacity"),
        Column::text("Access Modes"),
        Column::text("StorageClass"),
        Column::text("VolumeAttributesClass"),
        Column::AGE,
        Column::wide("VolumeMode"),
    ],
    cells::row,
)
.defaults(crate::defaults::claim::persistent_volume_claim)
.rules(validate::create, validate::update)
.status_rules(validate::status)
.prepare_create(strategy::prepare_create)
.prepare_update(strategy::data_sources)
.admit(strategy::admit)
.warnings(warnings::collect)
.quota_usage(quota::usage)
.quota_scopes(quota::is_in)
.counted_again()
.growing_by_class()
.limits(quota::check_limits)
// The binder sets the field once, and the volume refers back to the claim, so a restored claim stays bound.
.assigned(|_, _| &["volumeName"])
.with_default_class(&DefaultClass {
    resource: "storageclasses.storage.k8s.io",
    wants: classes::wants_storage_class,
    set: classes::set_storage_class,
});
