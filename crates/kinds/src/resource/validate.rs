//! The rules that the kinds of this group share.

use std::collections::BTreeSet;

use super::formats::driver_data;
use super::selector::Selector;
use super::tolerations::tolerations;
use crate::api::json::{Value, json};
use crate::tree::{as_text, field, has, int, len, list, text, texts};
use crate::validate::common::{required_name, required_text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::pod::remote::csi_driver_name;
use crate::validate::{go, names};

/// The maximum number of requests, constraints, configurations and selectors.
pub(crate) const MOST: usize = 32;
const MOST_ALTERNATIVES: usize = 8;
const POOL_NAME_MAX: usize = 253;
/// The maximum length of the name of an attribute or capacity without its domain.
const IDENTIFIER_MAX: usize = 32;
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
    driver_data(&path, opaque, "parameters", errors);
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
    let own = limited(path, holder, "requests", MOST, errors);
    for (index, name) in own.iter().enumerate() {
        request_name(&path.index(index), as_text(name), requests, errors);
    }
    unique(path, own.iter().map(as_text), errors);
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
    for (index, alternative) in alternatives.iter().enumerate() {
        let path = path.index(index);
        required_name(&path, alternative, "name", names::dns1123_label, errors);
        device_request(&path, alternative, errors);
    }
    let names = alternatives.iter().map(|item| text(item, "name"));
    unique(&path, names, errors);
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
    tolerations(path, request, errors);
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
    // Upstream validates only the first of the two.
    let Some(name) = ["matchAttribute", "distinctAttribute"]
        .into_iter()
        .find(|name| has(constraint, name))
    else {
        let detail = "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but multiple fields are set";
        return errors.required(path, detail);
    };
    let (path, attribute) = (path.child(name), text(constraint, name));
    property_name(&path, attribute, errors);
    if !attribute.contains('/') {
        let detail = "a fully qualified name must be a domain and a name separated by a slash";
        errors.invalid_shown(&path, &go::quoted(attribute), detail);
    }
}

/// Validates the name of an attribute or capacity: an identifier, which may follow a domain and a slash.
pub(crate) fn property_name(path: &Path<'_>, name: &str, errors: &mut Errors) {
    // Upstream does not check names with several slashes.
    let (domain, id) = match name.split_once('/') {
        Some((_, id)) if id.contains('/') => return,
        Some((domain, id)) => (Some(domain), id),
        None => (None, name),
    };
    match domain {
        Some("") => errors.invalid(path, &json!(""), "the domain must not be empty"),
        Some(domain) => csi_driver_name(path, domain, errors),
        None => {}
    }
    if id.is_empty() && domain.is_some() {
        return errors.invalid(path, &json!(""), "the name must not be empty");
    }
    if id.len() > IDENTIFIER_MAX {
        errors.too_long(path, IDENTIFIER_MAX);
    }
    errors.invalid_each(path, id, names::c_identifier(id));
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
    fn a_constraint_has_a_qualified_attribute() {
        let told = |spec: Value| {
            let mut errors = Errors::default();
            let devices = json!({"devices": {"requests": [], "constraints": [spec]}});
            claim_spec(&Path::root("spec"), &devices, &mut errors);
            let causes = errors.into_causes();
            causes.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let path = "spec.devices.constraints[0]";
        assert_eq!(told(json!({"distinctAttribute": "a.b/c"})), [""; 0]);
        assert_eq!(
            told(json!({})),
            [format!(
                "{path}: Required value: exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but \
                 multiple fields are set"
            )]
        );
        assert_eq!(
            told(json!({"matchAttribute": "a.b/", "distinctAttribute": "x"})),
            [format!(
                "{path}.matchAttribute: Invalid value: \"\": the name must not be empty"
            )]
        );
        assert_eq!(
            told(json!({"matchAttribute": "c"})),
            [format!(
                "{path}.matchAttribute: Invalid value: \"c\": a fully qualified name must be a domain and a name \
                 separated by a slash"
            )]
        );
    }

    #[test]
    fn alternatives_are_compared_after_their_rules() {
        let alternative = json!({"name": "a", "deviceClassName": "c", "allocationMode": "All"});
        let mut wrong = alternative.clone();
        wrong["tolerations"] = json!([{"operator": "In"}]);
        let request = json!({"name": "r", "firstAvailable": [alternative, alternative, wrong]});
        let mut errors = Errors::default();
        super::request(&Path::root("x"), &request, &mut errors);
        let causes = errors.into_causes();
        let told: Vec<String> = causes.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "x.firstAvailable[2].tolerations[0].operator: Unsupported value: \"In\": supported values: \
                 \"Equal\", \"Exists\"",
                "x.firstAvailable[1]: Duplicate value: \"a\"",
                "x.firstAvailable[2]: Duplicate value: \"a\"",
            ]
        );
    }

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
