//! VolumeAttributesClasses: a class stays while a claim or a volume names it.
//!
//! Rules:
//! - `protect`: a class lacks the finalizer; it is added.
//! - `unprotect`: the class is deleted, and no claim or volume names it; the finalizer is removed.

use super::{claims, volumes};
use crate::api::json::json;
use crate::kinds::tree::{field, text};
use crate::runtime::{
    Change, Controller, Key, Object, Plan, PlannedWrite, ReconcileContext, Watch,
};
use crate::{views, watched};

const FINALIZER: &str = "kubernetes.io/vac-protection";

/// Maintains VolumeAttributesClasses.
#[derive(Debug)]
pub(crate) struct AttributesClasses;

impl Controller for AttributesClasses {
    fn name(&self) -> &'static str {
        "volumeattributesclass-protection"
    }

    fn component(&self) -> &'static str {
        "volumeattributesclass-protection-controller"
    }

    fn watches(&self) -> Vec<Watch> {
        // Only a claim or volume that stops naming a class can release it.
        let released = |change: &Change, _: &_| -> Vec<Key> {
            let named = |object: &Option<Object>| object.as_ref().map_or_else(Vec::new, classes_of);
            let (mut before, after) = (named(&change.before), named(&change.after));
            before.retain(|name| !after.contains(name));
            before.iter().map(|name| Key::new("", name)).collect()
        };
        vec![
            Watch::own(watched::attributes_classes()),
            Watch::new(claims(), released),
            Watch::new(volumes(), released),
        ]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let (mut plan, cache) = (Plan::done(), context.cache);
        let Some(class) = cache.by_key(watched::attributes_classes(), context.key) else {
            return plan;
        };
        let has_it = class.has_finalizer(FINALIZER);
        let names_it = |object: &Object| classes_of(object).iter().any(|name| name == class.name());
        let (finalizers, rule) = match class.is_terminating() {
            false if !has_it => {
                let mut all = views::meta(class).finalizers().to_vec();
                all.push(json!(FINALIZER));
                (
                    json!(all),
                    "protect: the class lacks the finalizer vac-protection",
                )
            }
            true if has_it
                && !cache.list(claims(), "").any(names_it)
                && !cache.list(volumes(), "").any(names_it) =>
            {
                let left = views::meta(class).finalizers_without(FINALIZER);
                (json!(left), "unprotect: no claim or volume names the class")
            }
            _ => return plan,
        };
        let patch = json!({"metadata": {"finalizers": finalizers}});
        plan.changes.push(PlannedWrite::merge(class, patch, rule));
        plan
    }
}

/// Returns the classes that a claim or volume names: the requested one, the current one, and the one that its volume is
/// changed to.
fn classes_of(object: &Object) -> Vec<String> {
    let name = "volumeAttributesClassName";
    let status = field(object, "status");
    let target = text(
        field(status, "modifyVolumeStatus"),
        "targetVolumeAttributesClassName",
    );
    let all = [
        text(field(object, "spec"), name),
        text(status, "currentVolumeAttributesClassName"),
        target,
    ];
    let mut all: Vec<String> = all.map(str::to_owned).into();
    all.retain(|name| !name.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::Value;
    use crate::harness::{ControllerHarness, lines};

    fn deleted() -> Value {
        json!({"metadata": {"name": "gold", "finalizers": [FINALIZER],
            "deletionTimestamp": "2026-01-02T12:00:00Z"}})
    }

    #[test]
    fn class_stays_while_a_claim_or_volume_names_it() {
        let unprotect = "patch volumeattributesclasses gold: unprotect";
        for (kind, user, wanted) in [
            ("PersistentVolume", json!({}), &[unprotect][..]),
            (
                "PersistentVolume",
                json!({"spec": {"volumeAttributesClassName": "gold"}}),
                &[],
            ),
            (
                "PersistentVolumeClaim",
                json!({"spec": {"volumeAttributesClassName": "gold"}}),
                &[],
            ),
            (
                "PersistentVolumeClaim",
                json!({"status": {"currentVolumeAttributesClassName": "gold"}}),
                &[],
            ),
            (
                "PersistentVolumeClaim",
                json!({"status": {"modifyVolumeStatus": {"targetVolumeAttributesClassName": "gold"}}}),
                &[],
            ),
        ] {
            let mut harness = ControllerHarness::new(AttributesClasses);
            harness.put("storage.k8s.io/v1", "VolumeAttributesClass", deleted());
            let mut user = user.clone();
            user["metadata"] = json!({"name": "u"});
            harness.put("v1", kind, user);
            assert_eq!(lines(&harness.plan("", "gold")), wanted);
        }
    }

    #[test]
    fn class_without_the_finalizer_gets_it() {
        let mut harness = ControllerHarness::new(AttributesClasses);
        let class = json!({"metadata": {"name": "gold"}});
        harness.put("storage.k8s.io/v1", "VolumeAttributesClass", class);
        let plan = harness.plan("", "gold");
        assert_eq!(
            lines(&plan),
            ["patch volumeattributesclasses gold: protect"]
        );
    }
}
