//! The rules for writes to the subresources of a Namespace.

use crate::api::json::Value;
use crate::api::names;
use crate::api::status::Cause;
use crate::tree::{field, texts};
use crate::validate::errors::Errors;
use crate::validate::meta;
use crate::validate::path::Path;

/// Returns the validation errors of a write to a Namespace's `/finalize`.
pub fn finalize(namespace: &Value, old: &Value) -> Vec<Cause> {
    let mut errors = Errors::default();
    meta::before_update(namespace, old, &mut errors);
    let path = Path::root("spec");
    let path = path.child("finalizers");
    let spec = field(namespace, "spec");
    for (index, name) in texts(spec, "finalizers").enumerate() {
        let path = path.index(index);
        errors.invalid_each(&path, name, names::qualified_name(name));
        meta::standard_finalizer(&path, name, &mut errors);
    }
    errors.into_causes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn namespace_finalizer_must_be_standard_or_qualified() {
        let old = json!({"metadata": {"name": "n"}});
        let with = |name: &str| json!({"metadata": {"name": "n"}, "spec": {"finalizers": [name]}});
        assert!(finalize(&with("kubernetes"), &old).is_empty());
        assert!(finalize(&with("a.b/c"), &old).is_empty());
        assert_eq!(finalize(&with("mine"), &old).len(), 1);
    }
}
