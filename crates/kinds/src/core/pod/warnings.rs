//! The warnings about a Pod.

use crate::api::json::Value;
use crate::pod::warnings::{OLD_APPARMOR, pod};
use crate::validate::Path;
use crate::warnings::name;

/// Adds the warnings for a Pod: for a name that is not a host name, and for deprecated fields.
pub(super) fn collect(object: &Value, warnings: &mut Vec<String>) {
    name(object, "the Pod's hostname", warnings);
    pod(&Path::root(""), object, warnings);
    // Upstream adds these while it prepares the Pod, before it looks for all others.
    warnings.sort_by_key(|warning| !warning.ends_with(OLD_APPARMOR));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn warnings_about_annotations_for_apparmor_come_first() {
        let key = "container.apparmor.security.beta.kubernetes.io/a";
        let annotations = json!({key: "unconfined"});
        let pod = json!({"metadata": {"name": "p", "annotations": annotations},
            "spec": {"nodeSelector": {"beta.kubernetes.io/os": "linux"}, "containers": [{"name": "a"}]}});
        let mut warnings = Vec::new();
        collect(&pod, &mut warnings);
        let about = |name: &str| format!("metadata.annotations[{name}]: ");
        assert!(warnings[0].starts_with(&about(key)), "{warnings:?}");
        assert!(
            warnings[1].starts_with("spec.nodeSelector["),
            "{warnings:?}"
        );
    }
}
