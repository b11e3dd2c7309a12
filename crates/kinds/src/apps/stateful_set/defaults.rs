//! The defaults of a StatefulSet.

use crate::api::json::Value;
use crate::defaults::claim;
use crate::defaults::workload::template;
use crate::tree::{ensure, items, set_default, text};

/// A StatefulSet and the claims it makes.
pub(crate) fn apply(object: &mut Value) {
    let spec = ensure(object, "spec");
    template(spec);
    set_default(spec, "podManagementPolicy", "OrderedReady");
    set_default(spec, "replicas", 1);
    set_default(spec, "revisionHistoryLimit", 10);
    let strategy = ensure(spec, "updateStrategy");
    set_default(strategy, "type", "RollingUpdate");
    if text(strategy, "type") == "RollingUpdate" {
        set_default(ensure(strategy, "rollingUpdate"), "partition", 0);
    }
    let retention = ensure(spec, "persistentVolumeClaimRetentionPolicy");
    set_default(retention, "whenDeleted", "Retain");
    set_default(retention, "whenScaled", "Retain");
    for claim in items(spec, "volumeClaimTemplates") {
        claim::persistent_volume_claim(claim);
        // Upstream's claim templates are whole objects, and these two fields are written out.
        set_default(claim, "apiVersion", "v1");
        set_default(claim, "kind", "PersistentVolumeClaim");
    }
}
