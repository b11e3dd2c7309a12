//! The rules of a DeviceClass.

use crate::api::json::Value;
use crate::resource::validate::{MOST, configuration, limited, selectors};
use crate::tree::{field, has, text};
use crate::validate::common::is_extended;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

/// Validates a new DeviceClass.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    class_spec(object, errors);
}

fn class_spec(object: &Value, errors: &mut Errors) {
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    selectors(&path, spec, errors);
    let at = path.child("config");
    let configs = limited(&at, spec, "config", MOST, errors);
    for (index, item) in configs.iter().enumerate() {
        configuration(&at.index(index), item, errors);
    }
    let name = text(spec, "extendedResourceName");
    if has(spec, "extendedResourceName") && !is_extended(name) {
        let detail = "must be a valid extended resource name";
        let path = path.child("extendedResourceName");
        errors.invalid_shown(&path, &go::quoted(name), detail);
    }
}

/// Validates an update of a DeviceClass.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    class_spec(object, errors);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn a_class_may_stand_for_an_extended_resource() {
        let told = |name: &str| {
            let mut errors = Errors::default();
            class_spec(
                &json!({"spec": {"extendedResourceName": name}}),
                &mut errors,
            );
            errors
                .into_causes()
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(told("example.com/gpu"), [""; 0]);
        assert_eq!(
            told("gpu"),
            [
                "spec.extendedResourceName: Invalid value: \"gpu\": must be a valid extended resource name"
            ]
        );
    }
}
