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

/// Validates the spec of a ResourceClaim or of a claim template.
pub(crate) fn claim_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let path = path.child("devices");
    let devices = field(spec, "devices");
    let requests = list(devices, "requests");
    let at = path.child("requests");
    if requests.len() > MOST {
        errors.too_many(&at, requests.len(), MOST);
    }
    for (index, item) in requests.iter().enumerate() {
        request(&at.index(index), item, errors);
    }
    // Like upstream, validate each item of the list before uniqueness.
    let mut names = BTreeSet::new();
    for (index, item) in requests.iter().enumerate() {
        let name = text(item, "name");
        if !names.insert(name.to_owned()) {
            errors.duplicate(&at.index(index), &go::quoted(name));
        }
    }
    for item in requests {
        let inner = list(item, "firstAvailable").iter();
        // A constraint may name a single alternative, or a request with all of its alternatives.
        names.extend(inner.map(|sub| format!("{}/{}", text(item, "name"), text(sub, "name"))));
    }
    let at = path.child("constraints");
    for (index, item) in list(devices, "constraints").iter().enumerate() {
        constraint(&at.index(index), item, &names, errors);
    }
    let at = path.child("config");
    for (index, item) in list(devices, "config").iter().enumerate() {
        let path = at.index(index);
        request_names(&path.child("requests"), item, &names, errors);
        configuration(&path, item, errors);
    }
}

/// Validates the driver configuration in a claim or a DeviceClass.
pub(crate) fn configuration(path: &Path<'_>, item: &Value, errors: &mut Errors) {
    let (path, opaque) = (path.child("opaque"), field(item, "opaque"));
    if opaque.is_null() {
        return errors.required(&path, "");
    }
    if required_text(&path, opaque, "driver", errors) {
        csi_driver_name(&path.child("driver"), text(opaque, "driver"), errors);
    }
    // Only the driver understands the parameters, so nothing else can be checked.
    if !has(opaque, "parameters") {
        errors.required(&path.child("parameters"), "");
    }
}

/// Validates the request names in a constraint or configuration of a claim.
fn request_names(
    path: &Path<'_>,
    holder: &Value,
    requests: &BTreeSet<String>,
    errors: &mut Errors,
) {
    for (index, name) in texts(holder, "requests").enumerate() {
        if !requests.contains(name) {
            let detail = "must be the name of a request in the claim or the name of a request and a \
                          subrequest separated by '/'";
            errors.invalid_shown(&path.index(index), &go::quoted(name), detail);
        }
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
    if alternatives.len() > MOST_ALTERNATIVES {
        errors.too_many(&path, alternatives.len(), MOST_ALTERNATIVES);
    }
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
    let count = len(holder, "selectors");
    if count > MOST {
        errors.too_many(&path, count, MOST);
    }
    for (index, selector) in list(holder, "selectors").iter().enumerate() {
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
