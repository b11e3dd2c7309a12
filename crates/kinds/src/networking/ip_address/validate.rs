//! The rules of an IPAddress.

use std::net::IpAddr;

use crate::api::json::Value;
use crate::tree::{field, text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// Validates a new IPAddress.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, ip_name, errors);
    let spec = Path::root("spec");
    let path = spec.child("parentRef");
    let parent = field(field(object, "spec"), "parentRef");
    if parent.is_null() {
        return errors.required(&path, "");
    }
    let group = text(parent, "group");
    if !group.is_empty() {
        errors.invalid_each(&path.child("group"), group, names::dns1123_subdomain(group));
    }
    for (name, required) in [("resource", true), ("name", true), ("namespace", false)] {
        let value = text(parent, name);
        let path = path.child(name);
        match (value, required) {
            ("", true) => errors.required(&path, ""),
            ("", false) => {}
            (value, _) => errors.invalid_each(&path, value, names::path_segment(value)),
        }
    }
}

/// Validates an update of an IPAddress.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let spec = Path::root("spec");
    let parent = |object| field(field(object, "spec"), "parentRef");
    // Another parent means another allocation, which needs its own object.
    meta::immutable(
        &spec.child("parentRef"),
        parent(object),
        parent(old),
        errors,
    );
}

/// Returns the errors of a name that is not an IP address in canonical form.
fn ip_name(name: &str) -> Vec<String> {
    match name.parse::<IpAddr>() {
        // Each address has only one spelling, because the existence of the object reserves it.
        Ok(address) if address.to_string() == name => Vec::new(),
        Ok(_) => vec!["must be a canonical format IP address".to_owned()],
        Err(_) => vec!["must be a valid IP address".to_owned()],
    }
}
