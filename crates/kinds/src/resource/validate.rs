//! The rules that the kinds of this group share.

use std::collections::BTreeSet;

use super::selector::Selector;
use crate::api::json::{Value, json};
use crate::tree::{field, has, int, len, list, text, texts};
use crate::validate::common::{required_name, required_text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::pod::remote::csi_driver_name;
use crate::validate::{go, names};

/// The maximum number of requests, constraints and selectors.
const MOST: usize = 32;
const MOST_ALTERNATIVES: usize = 8;
const POOL_NAME_MAX: usize = 253;
/// The maximum number of binding conditions, and of binding failure conditions.
const MOST_CONDITIONS: usize = 4;

/// Validates the spec of a ResourceClaim or of a claim template.
pub(crate) fn claim_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let path = path.child("devices");
    let devices = field(spec, "devices");
    let at = path.child("requests");
    let requests = limited(&at, devices, "requests", MOST, errors);
    for (index, item) in requests.iter().enumerate() {
        request(&at.index(index), item, errors);
    }
    unique(&at, requests.iter().map(|item| text(item, "name")), errors);
    let names = names_of_requests(devices);
    let at = path.child("constraints");
    let constraints = limited(&at, devices, "constraints", MOST, errors);
    for (index, item) in constraints.iter().enumerate() {
        constraint(&at.index(index), item, &names, errors);
    }
    let at = path.child("config");
    let configs = limited(&at, devices, "config", MOST, errors);
    for (index, item) in configs.iter().enumerate() {
        let path = at.index(index);
        request_names(&path.child("requests"), item, &names, errors);
        configuration(&path, item, errors);
    }
}

/// Returns the items of a list, or none if there are too many, which upstream does not validate.
pub(crate) fn limited<'a>(
    path: &Path<'_>,
    holder: &'a Value,
    name: &str,
    most: usize,
    errors: &mut Errors,
) -> &'a [Value] {
    let all = list(holder, name);
    if all.len() > most {
        errors.too_many(path, all.len(), most);
        return &[];
    }
    all
}

/// Returns the names of a claim's requests, and of their alternatives.
pub(crate) fn names_of_requests(devices: &Value) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for item in list(devices, "requests") {
        let name = text(item, "name");
        names.insert(name.to_owned());
        let inner = list(item, "firstAvailable").iter();
        // A constraint may name a single alternative, or a request with all of its alternatives.
        names.extend(inner.map(|sub| format!("{name}/{}", text(sub, "name"))));
    }
    names
}

/// Validates the driver configuration in a claim, its allocation or a DeviceClass.
pub(crate) fn configuration(path: &Path<'_>, item: &Value, errors: &mut Errors) {
    let (path, opaque) = (path.child("opaque"), field(item, "opaque"));
    if opaque.is_null() {
        return errors.required(&path, "");
    }
    driver(&path, opaque, errors);
    // Only the driver understands the parameters, so nothing else can be checked.
    if !has(opaque, "parameters") {
        errors.required(&path.child("parameters"), "");
    }
}

/// Validates the name of the driver of a device.
pub(crate) fn driver(path: &Path<'_>, holder: &Value, errors: &mut Errors) {
    if required_text(path, holder, "driver", errors) {
        csi_driver_name(&path.child("driver"), text(holder, "driver"), errors);
    }
}

/// Validates the name of a pool in the field `name`.
pub(crate) fn pool_name(path: &Path<'_>, holder: &Value, name: &str, errors: &mut Errors) {
    if required_text(path, holder, name, errors) {
        let (path, pool) = (path.child(name), text(holder, name));
        if pool.len() > POOL_NAME_MAX {
            errors.too_long(&path, POOL_NAME_MAX);
        }
        // Drivers may name a pool by several parts, such as a node and a zone.
        for part in pool.split('/') {
            errors.invalid_each(&path, part, names::dns1123_subdomain(part));
        }
    }
}

/// Validates a reference to a request of a claim.
pub(crate) fn request_name(
    path: &Path<'_>,
    name: &str,
    requests: &BTreeSet<String>,
    errors: &mut Errors,
) {
    // A name with a second slash matches nothing, so its parts are not validated.
    for part in name.split('/').filter(|_| name.split('/').count() <= 2) {
        errors.invalid_each(path, part, names::dns1123_label(part));
    }
    if !requests.contains(name) {
        let detail = "must be the name of a request in the claim or the name of a request and a \
                      subrequest separated by '/'";
        errors.invalid_shown(path, &go::quoted(name), detail);
    }
}

/// Validates the request names in a constraint or configuration of a claim.
pub(crate) fn request_names(
    path: &Path<'_>,
    holder: &Value,
    requests: &BTreeSet<String>,
    errors: &mut Errors,
) {
    for (index, name) in texts(holder, "requests").enumerate() {
        request_name(&path.index(index), name, requests, errors);
    }
    unique(path, texts(holder, "requests"), errors);
}

/// Rejects names that occur twice in a list. Upstream compares them after it has validated each item.
pub(crate) fn unique<'a>(
    path: &Path<'_>,
    names: impl Iterator<Item = &'a str>,
    errors: &mut Errors,
) {
    let mut seen = BTreeSet::new();
    for (index, name) in names.enumerate() {
        if !seen.insert(name) {
            errors.duplicate(&path.index(index), &go::quoted(name));
        }
    }
}

fn request(path: &Path<'_>, request: &Value, errors: &mut Errors) {
    required_name(path, request, "name", names::dns1123_label, errors);
    let alternatives = list(request, "firstAvailable");
    // Without exactly one of the two forms, the rest cannot be checked.
    let detail = "exactly one of `exactly` or `firstAvailable` is required";
    match (has(request, "exactly"), alternatives.is_empty()) {
        (false, true) => return errors.required(path, detail),
        (true, false) => {
            let detail = format!("{detail}, but multiple fields are set");
            return errors.invalid(path, &Value::Null, &detail);
        }
        _ => {}
    }
    if has(request, "exactly") {
        return device_request(&path.child("exactly"), field(request, "exactly"), errors);
    }
    let path = path.child("firstAvailable");
    let alternatives = limited(&path, request, "firstAvailable", MOST_ALTERNATIVES, errors);
    let mut seen = BTreeSet::new();
    for (index, alternative) in alternatives.iter().enumerate() {
        let path = path.index(index);
        required_name(&path, alternative, "name", names::dns1123_label, errors);
        device_request(&path, alternative, errors);
        let name = text(alternative, "name");
        if !seen.insert(name) {
            errors.duplicate(&path, &go::quoted(name));
        }
    }
}

fn device_request(path: &Path<'_>, request: &Value, errors: &mut Errors) {
    let rule = names::dns1123_subdomain;
    required_name(path, request, "deviceClassName", rule, errors);
    selectors(path, request, errors);
    match text(request, "allocationMode") {
        "All" if has(request, "count") && int(request, "count") != 0 => {
            let detail = "must not be specified when allocationMode is 'All'";
            errors.invalid(&path.child("count"), field(request, "count"), detail);
        }
        "All" => {}
        "ExactCount" if int(request, "count") <= 0 => {
            let count = json!(int(request, "count"));
            errors.invalid(&path.child("count"), &count, "must be greater than zero");
        }
        "ExactCount" => {}
        _ => errors.not_supported(
            &path.child("allocationMode"),
            field(request, "allocationMode"),
            &["All", "ExactCount"],
        ),
    }
}

/// The maximum length of a selector's expression.
const LONGEST_EXPRESSION: usize = 10 * 1024;

/// Validates the selectors of a request or a DeviceClass.
pub(crate) fn selectors(path: &Path<'_>, holder: &Value, errors: &mut Errors) {
    let path = path.child("selectors");
    let selectors = limited(&path, holder, "selectors", MOST, errors);
    for (index, selector) in selectors.iter().enumerate() {
        let path = path.index(index);
        let path = path.child("cel");
        let cel = field(selector, "cel");
        if cel.is_null() {
            errors.required(&path, "");
        } else if required_text(&path, cel, "expression", errors) {
            let (path, expression) = (path.child("expression"), text(cel, "expression"));
            // A long expression is not compiled, because that would take long as well.
            if expression.len() > LONGEST_EXPRESSION {
                errors.too_long(&path, LONGEST_EXPRESSION);
            } else if let Err(wrong) = Selector::compile(expression) {
                errors.invalid_shown(&path, &go::quoted(expression), &wrong);
            }
        }
    }
}

fn constraint(
    path: &Path<'_>,
    constraint: &Value,
    requests: &BTreeSet<String>,
    errors: &mut Errors,
) {
    request_names(&path.child("requests"), constraint, requests, errors);
    for name in ["matchAttribute", "distinctAttribute"] {
        let attribute = text(constraint, name);
        if has(constraint, name) && !attribute.contains('/') {
            let detail = "a fully qualified name must be a domain and a name separated by a slash";
            errors.invalid_shown(&path.child(name), &go::quoted(attribute), detail);
        }
    }
}

/// Validates the conditions that a driver sets before a Pod is bound to the node of the device, or to prevent that.
pub(crate) fn binding_conditions(path: &Path<'_>, device: &Value, errors: &mut Errors) {
    let names = ["bindingConditions", "bindingFailureConditions"];
    for name in names {
        let (path, count) = (path.child(name), len(device, name));
        if count > MOST_CONDITIONS {
            errors.too_many(&path, count, MOST_CONDITIONS);
            continue;
        }
        for (index, condition) in texts(device, name).enumerate() {
            let wrong = names::qualified_name(condition);
            errors.invalid_each(&path.index(index), condition, wrong);
        }
    }
    let [good, bad] = names;
    unique(&path.child(good), texts(device, good), errors);
    unique(&path.child(bad), texts(device, bad), errors);
    for (index, condition) in texts(device, bad).enumerate() {
        if texts(device, good).any(|other| other == condition) {
            let path = path.child(bad);
            let detail = "bindingFailureConditions must not overlap with bindingConditions";
            errors.invalid(&path.index(index), &json!(condition), detail);
        }
    }
    for (name, other) in [(good, bad), (bad, good)] {
        if len(device, name) == 0 && len(device, other) > 0 {
            let detail = format!("{name} are required to use {other}");
            errors.invalid(&path.child(name), &Value::Null, &detail);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn long_selectors_are_not_compiled() {
        let long = "x".repeat(10_241);
        let holder = json!({"selectors": [{"cel": {"expression": long}}]});
        let mut errors = Errors::default();
        selectors(&Path::root("spec"), &holder, &mut errors);
        let causes = errors.into_causes();
        let wrong: Vec<String> = causes.iter().map(ToString::to_string).collect();
        let wanted = "spec.selectors[0].cel.expression: Too long: may not be more than 10240 bytes";
        assert_eq!(wrong, [wanted]);
    }
}
