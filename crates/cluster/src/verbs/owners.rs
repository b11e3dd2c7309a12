//! Owner references that a request repeats.

use std::collections::HashSet;

use crate::api::json::Value;
use crate::kinds::tree::{field, len, list, set, text};

/// The end of the first clause of the warning about a created or replaced object.
pub(crate) const SENT: &str = "";
/// The end of the first clause of the warning about a patched object, which is looked at after admission.
pub(crate) const PATCHED: &str = " after mutating admission happens";

/// Removes repeated owner references of an object; returns the warning about them.
pub(crate) fn deduplicate(object: &mut Value, when: &str) -> Option<String> {
    // Most objects have one owner at most, and then nothing needs to be compared.
    if len(field(object, "metadata"), "ownerReferences") < 2 {
        return None;
    }
    let mut known = HashSet::new();
    let (kept, repeated): (Vec<Value>, Vec<Value>) =
        list(field(object, "metadata"), "ownerReferences")
            .iter()
            .cloned()
            .partition(|reference| known.insert(reference.clone()));
    if repeated.is_empty() {
        return None;
    }
    let uids: Vec<&str> = repeated.iter().map(|own| text(own, "uid")).collect();
    let warning = format!(
        ".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner references in 1.20+, and \
         may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
        uids.join(", ")
    );
    set(&mut object["metadata"], "ownerReferences", kept);
    Some(warning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn only_equal_references_are_repeated() {
        let own =
            |name: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": "u"});
        let mut object = json!({"metadata": {"ownerReferences": [own("a"), own("b")]}});
        assert_eq!(deduplicate(&mut object, SENT), None);
        object["metadata"]["ownerReferences"] = json!([own("a"), own("b"), own("a"), own("a")]);
        let warning = deduplicate(&mut object, PATCHED).unwrap();
        assert!(
            warning
                .starts_with(".metadata.ownerReferences contains duplicate entries after mutating"),
            "{warning}"
        );
        assert!(warning.ends_with("UID(s) observed: u, u"), "{warning}");
        assert_eq!(
            list(&object["metadata"], "ownerReferences"),
            [own("a"), own("b")]
        );
    }
}
