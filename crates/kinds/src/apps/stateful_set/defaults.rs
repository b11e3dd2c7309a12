//! The defaults of a StatefulSet.

use crate::api::json::Value;
use crate::defaults::claim;
use crate::defaults::workload::template;
use crate::tree::{ensure, has, items, set, set_default, text};

/// Sets the defaults of a StatefulSet and its claim templates.
pub(crate) fn apply(object: &mut Value) {
    let spec = ensure(object, "spec");
    template(spec);
    set_default(spec, "podManagementPolicy", "OrderedReady");
    set_default(spec, "replicas", 1);
    set_default(spec, "revisionHistoryLimit", 10);
    let strategy = ensure(spec, "updateStrategy");
    // The partition gets a default only if the strategy had no type.
    if text(strategy, "type").is_empty() {
        set(strategy, "type", "RollingUpdate");
        ensure(strategy, "rollingUpdate");
    }
    if text(strategy, "type") == "RollingUpdate" && has(strategy, "rollingUpdate") {
        set_default(ensure(strategy, "rollingUpdate"), "partition", 0);
    }
    let retention = ensure(spec, "persistentVolumeClaimRetentionPolicy");
    set_default(retention, "whenDeleted", "Retain");
    set_default(retention, "whenScaled", "Retain");
    for claim in items(spec, "volumeClaimTemplates") {
        claim::persistent_volume_claim(claim);
        // Upstream's claim templates are whole objects, so these two fields are written.
        set_default(claim, "apiVersion", "v1");
        set_default(claim, "kind", "PersistentVolumeClaim");
    }
}

#[cfg(test)]
mod tests {
    use super::apply;
    use crate::api::json::{Value, json};

    #[test]
    fn explicit_update_strategy_type_gets_no_default_partition() {
        let made = |strategy: Value| {
            let mut set = json!({"spec": {"updateStrategy": strategy}});
            apply(&mut set);
            set["spec"]["updateStrategy"].clone()
        };
        let rolling = json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 0}});
        assert_eq!(made(Value::Null), rolling);
        assert_eq!(made(json!({})), rolling);
        let named = json!({"type": "RollingUpdate"});
        assert_eq!(made(named.clone()), named);
        let part = json!({"type": "RollingUpdate", "rollingUpdate": {}});
        assert_eq!(made(part), rolling);
        assert_eq!(
            made(json!({"type": "OnDelete"})),
            json!({"type": "OnDelete"})
        );
    }
}
