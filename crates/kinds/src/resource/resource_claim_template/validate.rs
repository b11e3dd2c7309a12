//! The rules of a ResourceClaimTemplate.

use crate::api::json::Value;
use crate::resource::validate::claim_spec;
use crate::tree::field;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

/// Validates a new ResourceClaimTemplate.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    meta::of_template(&path.child("metadata"), field(spec, "metadata"), errors);
    claim_spec(&path.child("spec"), field(spec, "spec"), errors);
}

/// Validates an update of a ResourceClaimTemplate.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let spec = field(object, "spec");
    if spec != field(old, "spec") {
        let shown = go::shown_as("ResourceClaimTemplateSpec", spec);
        errors.invalid_shown(&Path::root("spec"), &shown, "field is immutable");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn a_template_has_only_labels_and_annotations() {
        let metadata = json!({"labels": {"a": "b"}, "generateName": "x-", "finalizers": ["a.b/c"]});
        let object = json!({"metadata": {"name": "t", "namespace": "default"},
            "spec": {"metadata": metadata, "spec": {}}});
        let mut errors = Errors::default();
        create(&object, &mut errors);
        let causes = errors.into_causes();
        let told: Vec<String> = causes.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "spec.metadata.generateName: Forbidden: cannot be set",
                "spec.metadata.finalizers: Forbidden: cannot be set",
            ]
        );
    }
}
