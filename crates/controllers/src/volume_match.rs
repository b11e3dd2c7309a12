//! Matches volumes and claims.

use crate::api::json::Value;
use crate::api::selector::LabelSelector;
use crate::kinds::pod::resources::quantity;
use crate::kinds::tree::{at, field, has, text, texts};
use crate::views;

/// Returns true if a volume is free and will do for a claim.
pub(crate) fn fits(volume: &Value, claim: &Value) -> bool {
    if is_for(volume, claim) {
        // An administrator reserves a volume by name, whatever its class and labels.
        return !is_terminating(volume) && holds(volume, claim);
    }
    let phase = views::volume(volume).phase();
    // A volume that was just created has no phase yet.
    let free =
        !has(at(volume, &["spec"]), "claimRef") && matches!(phase, "Available" | "Pending" | "");
    free && suits(volume, claim)
}

fn is_terminating(volume: &Value) -> bool {
    has(field(volume, "metadata"), "deletionTimestamp")
}

/// Returns true if a volume names a claim as its own.
pub(crate) fn is_for(volume: &Value, claim: &Value) -> bool {
    let reference = views::volume(volume).claim();
    let meta = field(claim, "metadata");
    let uid = text(reference, "uid");
    text(reference, "name") == text(meta, "name")
        && !text(meta, "name").is_empty()
        && text(reference, "namespace") == text(meta, "namespace")
        // Without a uid any claim of that name may take the volume; with one, a recreated claim may not.
        && (uid.is_empty() || uid == text(meta, "uid"))
}

/// Returns true if a volume meets the requirements of a claim.
fn suits(volume: &Value, claim: &Value) -> bool {
    let selector = match at(claim, &["spec", "selector"]) {
        Value::Null => LabelSelector::everything(),
        // An invalid selector must not bind data at random.
        selector => LabelSelector::from_object(Some(selector)).unwrap_or(LabelSelector::nothing()),
    };
    why_not(volume, claim).is_none() && selector.matches_object(volume)
}

/// Returns true if a volume has the size and the modes that a claim requests.
fn holds(volume: &Value, claim: &Value) -> bool {
    is_large_enough(volume, claim) && unfit_mode(volume, claim).is_none()
}

fn is_large_enough(volume: &Value, claim: &Value) -> bool {
    let request = quantity(at(claim, &["spec", "resources", "requests", "storage"]));
    quantity(at(volume, &["spec", "capacity", "storage"])) >= request
}

fn unfit_mode(volume: &Value, claim: &Value) -> Option<&'static str> {
    let (has_spec, wants) = (field(volume, "spec"), field(claim, "spec"));
    let mode = |spec| match text(spec, "volumeMode") {
        "" => "Filesystem",
        mode => mode,
    };
    if mode(has_spec) != mode(wants) {
        return Some("incompatible volumeMode");
    }
    let modes: Vec<&str> = texts(has_spec, "accessModes").collect();
    let has_all = texts(wants, "accessModes").all(|mode| modes.contains(&mode));
    (!has_all).then_some("incompatible accessMode")
}

/// Returns the first reason why a volume does not match the claim that names it, in the controller's words and order.
pub(crate) fn why_not(volume: &Value, claim: &Value) -> Option<String> {
    let (has_spec, wants) = (field(volume, "spec"), field(claim, "spec"));
    let differs = |name| text(has_spec, name) != text(wants, name);
    let class = views::claim(claim).storage_class_name();
    let why = match () {
        () if is_terminating(volume) => {
            let name = text(field(volume, "metadata"), "name");
            return Some(format!("the volume is marked for deletion {name:?}"));
        }
        () if !is_large_enough(volume, claim) => "requested PV is too small",
        () if views::volume(volume).storage_class_name() != class => {
            "storageClassName does not match"
        }
        () if differs("volumeAttributesClassName") => "volumeAttributesClassName does not match",
        () => unfit_mode(volume, claim)?,
    };
    Some(why.to_owned())
}

/// Returns the error about a claim that has the name of a Pod's ephemeral volume and is another one.
pub(crate) fn not_for(namespace: &str, pod: &str, claim: &str) -> String {
    format!("PVC {namespace}/{claim} was not created for pod {namespace}/{pod} (pod is not owner)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn volume_matches_claim_by_class_modes_size_and_labels() {
        let claim = json!({"metadata": {"name": "c", "namespace": "a", "uid": "u"}, "spec": {
            "storageClassName": "s", "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
        }});
        let good = json!({"metadata": {"labels": {"x": "y"}}, "status": {"phase": "Available"}, "spec": {
            "storageClassName": "s", "accessModes": ["ReadWriteOnce", "ReadOnlyMany"],
            "capacity": {"storage": "2Gi"},
        }});
        assert!(fits(&good, &claim));
        for (pointer, value) in [
            ("/spec/storageClassName", json!("t")),
            ("/spec/accessModes", json!(["ReadOnlyMany"])),
            ("/spec/capacity", json!({"storage": "500Mi"})),
            ("/spec/claimRef", json!({"name": "d", "namespace": "a"})),
            ("/spec/volumeMode", json!("Block")),
            ("/status/phase", json!("Released")),
            ("/metadata/deletionTimestamp", json!("x")),
        ] {
            let mut bad = good.clone();
            crate::api::patch::json::apply(
                &mut bad,
                &json!([{"op": "add", "path": pointer, "value": value}]),
            )
            .unwrap();
            assert!(!fits(&bad, &claim), "{pointer}");
        }
        let mut own = good.clone();
        own["spec"]["claimRef"] = json!({"name": "c", "namespace": "a", "uid": "u"});
        own["status"]["phase"] = json!("Bound");
        assert!(fits(&own, &claim));
        // The former annotation counts instead of the field.
        let mut old = claim.clone();
        let class = "volume.beta.kubernetes.io/storage-class";
        old["metadata"]["annotations"] = json!({class: "t"});
        assert!(!fits(&good, &old));
        let mut choosy = claim;
        choosy["spec"]["selector"] = json!({"matchLabels": {"x": "z"}});
        assert!(!fits(&good, &choosy));
        // A volume that names the claim is its own, in spite of the labels and of the class.
        own["spec"]["storageClassName"] = json!("t");
        assert!(fits(&own, &choosy));
        own["spec"]["capacity"] = json!({"storage": "500Mi"});
        assert!(!fits(&own, &choosy));
    }

    #[test]
    fn first_reason_against_a_named_volume_is_given() {
        let claim = json!({"spec": {"storageClassName": "s", "volumeAttributesClassName": "fast", "volumeMode": "Block",
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "2Gi"}}}});
        let mut volume = json!({"metadata": {"name": "v", "deletionTimestamp": "x"}, "spec": {
            "storageClassName": "t", "accessModes": ["ReadOnlyMany"], "capacity": {"storage": "1Gi"}}});
        for (pointer, value, why) in [
            (
                "/metadata/deletionTimestamp",
                json!(null),
                "the volume is marked for deletion \"v\"",
            ),
            (
                "/spec/capacity",
                json!({"storage": "2Gi"}),
                "requested PV is too small",
            ),
            (
                "/spec/storageClassName",
                json!("s"),
                "storageClassName does not match",
            ),
            (
                "/spec/volumeAttributesClassName",
                json!("fast"),
                "volumeAttributesClassName does not match",
            ),
            (
                "/spec/volumeMode",
                json!("Block"),
                "incompatible volumeMode",
            ),
            (
                "/spec/accessModes",
                json!(["ReadWriteOnce"]),
                "incompatible accessMode",
            ),
        ] {
            assert_eq!(why_not(&volume, &claim).as_deref(), Some(why));
            let mended = json!([{"op": "add", "path": pointer, "value": value}]);
            crate::api::patch::json::apply(&mut volume, &mended).unwrap();
        }
        assert_eq!(why_not(&volume, &claim), None);
    }
}
