//! The warnings about an Ingress.

use crate::api::json::Value;
use crate::tree::{field, has};

/// The annotation that selected the class of an Ingress before there was `ingressClassName`.
pub(super) const CLASS: &str = "kubernetes.io/ingress.class";

/// Adds the warning for an Ingress that selects its class by the annotation.
pub(super) fn collect(object: &Value, warnings: &mut Vec<String>) {
    let annotations = field(field(object, "metadata"), "annotations");
    if has(annotations, CLASS) && !has(field(object, "spec"), "ingressClassName") {
        warnings.push(format!(
            "annotation \"{CLASS}\" is deprecated, please use 'spec.ingressClassName' instead"
        ));
    }
}
