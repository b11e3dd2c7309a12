//! The annotations that set the AppArmor profiles of containers before there was a field.

use crate::api::json::{Value, json};
use crate::tree::{at, ensure, field, has, items, set, text};

/// Returns the key of the annotation for a container.
pub(crate) fn annotation(container: &str) -> String {
    format!("container.apparmor.security.beta.kubernetes.io/{container}")
}

/// Returns the profile that the value of an annotation stands for.
pub(crate) fn profile(annotation: &str) -> Option<Value> {
    match annotation {
        "unconfined" => Some(json!({"type": "Unconfined"})),
        "runtime/default" => Some(json!({"type": "RuntimeDefault"})),
        other => {
            let name = other.strip_prefix("localhost/")?;
            let named = !name.is_empty() && name.trim() == name && name.len() <= 4095;
            named.then(|| json!({"type": "Localhost", "localhostProfile": name}))
        }
    }
}

/// Copies the annotations of a new Pod to the fields of its containers.
pub(crate) fn to_fields(pod: &mut Value) {
    // AppArmor exists only on Linux, and validation rejects the field in Pods for Windows.
    if text(at(pod, &["spec", "os"]), "name") == "windows" {
        return;
    }
    let annotations = at(pod, &["metadata", "annotations"]).clone();
    let of_pod = at(pod, &["spec", "securityContext", "appArmorProfile"]).clone();
    let spec = ensure(pod, "spec");
    for kind in ["initContainers", "containers", "ephemeralContainers"] {
        for container in items(spec, kind) {
            let annotation = annotation(text(container, "name"));
            let own = field(container, "securityContext");
            let Some(profile) = profile(text(&annotations, &annotation)) else {
                continue;
            };
            // The field takes precedence over the annotation. A profile that the container inherits from the Pod is
            // not repeated.
            if !has(own, "appArmorProfile") && profile != of_pod {
                set(
                    ensure(container, "securityContext"),
                    "appArmorProfile",
                    profile,
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_apparmor_annotation_sets_the_profile_field() {
        let key = annotation("a");
        let made = |annotation: &str| {
            let mut pod =
                json!({"metadata": {"annotations": {}}, "spec": {"containers": [{"name": "a"}]}});
            set(&mut pod["metadata"]["annotations"], &key, annotation);
            to_fields(&mut pod);
            pod["spec"]["containers"][0]["securityContext"]["appArmorProfile"].clone()
        };
        assert_eq!(made("runtime/default"), json!({"type": "RuntimeDefault"}));
        assert_eq!(made("unconfined"), json!({"type": "Unconfined"}));
        let local = json!({"type": "Localhost", "localhostProfile": "web"});
        assert_eq!(made("localhost/web"), local);
        for wrong in ["localhost/", "other", ""] {
            assert!(made(wrong).is_null(), "{wrong}");
        }
    }

    #[test]
    fn apparmor_field_takes_precedence_over_the_annotation() {
        let mut pod = json!({
            "metadata": {"annotations": {annotation("a"): "unconfined", annotation("b"): "runtime/default"}},
            "spec": {
                "securityContext": {"appArmorProfile": {"type": "RuntimeDefault"}},
                "containers": [
                    {"name": "a", "securityContext": {"appArmorProfile": {"type": "RuntimeDefault"}}},
                    {"name": "b"},
                ],
            },
        });
        let before = pod.clone();
        to_fields(&mut pod);
        assert_eq!(pod, before);
    }
}
