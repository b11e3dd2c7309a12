//! Matches volumes and claims.

use crate::api::json::Value;
use crate::api::selector::LabelSelector;
use crate::kinds::pod::resources::quantity;
use crate::kinds::tree::{at, field, has, text, texts};
use crate::views;

/// Returns true if a volume is free and will do for a claim.
pub(crate) fn fits(volume: &Value, claim: &Value) -> bool {
    let terminating = has(field(volume, "metadata"), "deletionTimestamp");
    let phase = views::volume(volume).phase();
    // A volume that was just created has no phase yet.
    let free =
        !has(at(volume, &["spec"]), "claimRef") && matches!(phase, "Available" | "Pending" | "");
    !terminating && (free || is_for(volume, claim)) && suits(volume, claim)
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
pub(crate) fn suits(volume: &Value, claim: &Value) -> bool {
    let (has_spec, wants) = (field(volume, "spec"), field(claim, "spec"));
    let selector = match wants.get("selector").filter(|s| !s.is_null()) {
        Some(selector) => {
            // An invalid selector must not bind data at random.
            LabelSelector::from_object(Some(selector)).unwrap_or(LabelSelector::nothing())
        }
        None => LabelSelector::everything(),
    };
    let request = quantity(at(wants, &["resources", "requests", "storage"]));
    why_not(volume, claim).is_none()
        && selector.matches_object(volume)
        && quantity(at(has_spec, &["capacity", "storage"])) >= request
}

/// Returns the reason why a volume does not match the claim that names it, in the controller's words.
pub(crate) fn why_not(volume: &Value, claim: &Value) -> Option<&'static str> {
    let (has_spec, wants) = (field(volume, "spec"), field(claim, "spec"));
    let mode = |spec| match text(spec, "volumeMode") {
        "" => "Filesystem",
        mode => mode,
    };
    let modes: Vec<&str> = texts(has_spec, "accessModes").collect();
    match () {
        () if text(has_spec, "storageClassName") != text(wants, "storageClassName") => {
            Some("storageClassName does not match")
        }
        () if mode(has_spec) != mode(wants) => Some("incompatible volumeMode"),
        () if !texts(wants, "accessModes").all(|m| modes.contains(&m)) => {
            Some("incompatible accessMode")
        }
        () => None,
    }
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
        let mut choosy = claim;
        choosy["spec"]["selector"] = json!({"matchLabels": {"x": "z"}});
        assert!(!fits(&good, &choosy));
    }
}
