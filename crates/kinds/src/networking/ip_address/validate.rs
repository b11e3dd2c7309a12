//! The rules of an IPAddress.

use std::net::IpAddr;

use crate::api::json::Value;
use crate::tree::{field, text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{addresses, meta, names};

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

/// Returns the errors of a name that is not an IP address in canonical form. Each address has only one spelling,
/// because the existence of the object reserves it.
fn ip_name(name: &str) -> Vec<String> {
    let wrong = addresses::ip(name, true);
    let canonical = name.parse::<IpAddr>().map(|address| address.to_string());
    match canonical {
        Ok(canonical) if wrong.is_empty() && canonical != name => {
            vec![format!("must be in canonical form ({canonical:?})")]
        }
        _ => wrong,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_only_spelling_of_an_address() {
        for (name, wrong) in [
            ("10.0.0.1", ""),
            ("2001:db8::1", ""),
            ("2001:DB8::1", "must be in canonical form (\"2001:db8::1\")"),
            (
                "x",
                "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
            ),
            ("010.0.0.1", "must not have leading 0s"),
        ] {
            let wrong: Vec<&str> = Some(wrong)
                .filter(|wrong| !wrong.is_empty())
                .into_iter()
                .collect();
            assert_eq!(ip_name(name), wrong, "{name}");
        }
    }
}
