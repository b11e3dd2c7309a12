//! Rules that many kinds share: selectors, ports, numbers or percentages, quantities, enumerations.

use super::errors::Errors;
use super::path::Path;
use super::{go, meta, names};
use crate::api::int_or_percent::IntOrPercent;
use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::pod::resources::quantity;
use crate::tree::{as_text, entries, field, has, len, list, text, texts};

/// Requires one of `supported`. Accepts an empty field, which is left to other rules.
pub(crate) fn one_of(
    path: &Path<'_>,
    holder: &Value,
    name: &str,
    supported: &[&str],
    errors: &mut Errors,
) {
    let value = text(holder, name);
    if !value.is_empty() && !supported.contains(&value) {
        errors.not_supported(&path.child(name), field(holder, name), supported);
    }
}

/// Requires one of `supported`.
pub(crate) fn required_one_of(
    path: &Path<'_>,
    holder: &Value,
    name: &str,
    supported: &[&str],
    errors: &mut Errors,
) {
    match text(holder, name) {
        "" => errors.required(&path.child(name), ""),
        _ => one_of(path, holder, name, supported, errors),
    }
}

/// Requires one of `supported`; a missing value is not one of them either.
pub(crate) fn listed(
    path: &Path<'_>,
    holder: &Value,
    name: &str,
    supported: &[&str],
    errors: &mut Errors,
) {
    let value = text(holder, name);
    if !supported.contains(&value) {
        errors.not_supported_shown(&path.child(name), &go::quoted(value), supported);
    }
}

/// Requires a nonempty string; returns true if it is set.
pub(crate) fn required_text(
    path: &Path<'_>,
    holder: &Value,
    name: &str,
    errors: &mut Errors,
) -> bool {
    let empty = text(holder, name).is_empty();
    if empty {
        errors.required(&path.child(name), "");
    }
    !empty
}

/// Requires a string that follows `rule`.
pub(crate) fn required_name(
    path: &Path<'_>,
    holder: &Value,
    name: &str,
    rule: meta::NameRule,
    errors: &mut Errors,
) {
    if required_text(path, holder, name, errors) {
        optional_name(path, holder, name, rule, errors);
    }
}

/// Requires a string to follow `rule` if it is set.
pub(crate) fn optional_name(
    path: &Path<'_>,
    holder: &Value,
    name: &str,
    rule: meta::NameRule,
    errors: &mut Errors,
) {
    let value = text(holder, name);
    if !value.is_empty() {
        errors.invalid_each(&path.child(name), value, rule(value));
    }
}

/// Validates a reference to an object of any kind by group, kind and name.
pub(crate) fn typed_reference(path: &Path<'_>, reference: &Value, errors: &mut Errors) {
    let group = text(reference, "apiGroup");
    // The group is a pointer upstream: an empty group is invalid, an absent one is valid.
    if has(reference, "apiGroup") {
        let wrong = names::dns1123_subdomain(group);
        errors.invalid_each(&path.child("apiGroup"), group, wrong);
    }
    for name in ["kind", "name"] {
        match text(reference, name) {
            "" => errors.required(&path.child(name), &format!("{name} is required")),
            _ => optional_name(path, reference, name, names::path_segment, errors),
        }
    }
}

/// Validates a label selector, which may be absent.
pub(crate) fn label_selector(path: &Path<'_>, selector: &Value, errors: &mut Errors) {
    let labels = path.child("matchLabels");
    meta::labels(&labels, selector, "matchLabels", errors);
    let expressions = path.child("matchExpressions");
    for (index, expression) in list(selector, "matchExpressions").iter().enumerate() {
        let path = expressions.index(index);
        requirement_values(&path, expression, errors);
        let key = text(expression, "key");
        errors.invalid_each(&path.child("key"), key, names::qualified_name(key));
        // Except for `Exists`, upstream checks the values even for operators that take none.
        if text(expression, "operator") != "Exists" {
            let values = path.child("values");
            for (index, value) in texts(expression, "values").enumerate() {
                errors.invalid_each(&values.index(index), value, names::label_value(value));
            }
        }
    }
}

fn requirement_values(path: &Path<'_>, expression: &Value, errors: &mut Errors) {
    let values = len(expression, "values");
    match text(expression, "operator") {
        "In" | "NotIn" if values == 0 => errors.required(
            &path.child("values"),
            "must be specified when `operator` is 'In' or 'NotIn'",
        ),
        "Exists" | "DoesNotExist" if values > 0 => errors.forbidden(
            &path.child("values"),
            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        operator => errors.invalid_shown(
            &path.child("operator"),
            &go::quoted(operator),
            "not a valid selector operator",
        ),
    }
}

/// Returns true if a selector matches the labels, or `None` if the selector is malformed.
pub(crate) fn selects(selector: &Value, labels: &Value) -> Option<bool> {
    let mut matches = entries(selector, "matchLabels")
        // A null in the selector must not equal the null that stands for an absent label.
        .all(|(key, value)| !value.is_null() && field(labels, key) == value);
    for (_, value) in entries(selector, "matchLabels") {
        // `LabelSelectorAsSelector` fails for the whole selector, so a malformed part counts even after a part that
        // does not match. Do not return early.
        if !names::label_value(as_text(value)).is_empty() {
            return None;
        }
    }
    for expression in list(selector, "matchExpressions") {
        let value = field(labels, text(expression, "key"));
        let listed = list(expression, "values").contains(value);
        matches &= match text(expression, "operator") {
            "In" => !value.is_null() && listed,
            "NotIn" => value.is_null() || !listed,
            "Exists" => !value.is_null(),
            "DoesNotExist" => value.is_null(),
            _ => return None,
        };
        let filled = len(expression, "values") > 0;
        if filled != matches!(text(expression, "operator"), "In" | "NotIn") {
            return None;
        }
    }
    Some(matches)
}

/// Returns true if a selector is empty and therefore selects everything.
pub(crate) fn is_empty_selector(selector: &Value) -> bool {
    len(selector, "matchLabels") + len(selector, "matchExpressions") == 0
}

/// Returns a selector as error messages show it.
pub(crate) fn shown_selector(selector: &Value) -> String {
    go::shown_as("*LabelSelector", selector)
}

/// Validates a port: a number in range, or a name.
pub(crate) fn port_or_name(path: &Path<'_>, port: &Value, errors: &mut Errors) {
    match IntOrPercent::from_value(port) {
        Some(IntOrPercent::Text(name)) => errors.invalid_each(path, name, names::port_name(name)),
        Some(IntOrPercent::Int(number)) => port_number(path, number, errors),
        // An absent port is the zero value of Go's `IntOrString`: the number 0, which is out of range.
        None => port_number(path, 0, errors),
    }
}

/// Validates a port number.
pub(crate) fn port_number(path: &Path<'_>, number: i64, errors: &mut Errors) {
    for message in names::port_number(number) {
        errors.invalid(path, &number.into(), &message);
    }
}

/// Rejects a negative number and a malformed percentage.
pub(crate) fn int_or_percent(path: &Path<'_>, value: &Value, errors: &mut Errors) {
    match IntOrPercent::from_value(value) {
        Some(IntOrPercent::Text(text)) => errors.invalid_each(path, text, names::percent(text)),
        Some(IntOrPercent::Int(number)) => meta::nonnegative(path, number, errors),
        None => {}
    }
}

/// Rejects a percentage above 100.
pub(crate) fn at_most_all(path: &Path<'_>, value: &Value, errors: &mut Errors) {
    let percent = IntOrPercent::from_value(value).and_then(|v| v.percent());
    if percent.is_some_and(|percent| percent > 100) {
        errors.invalid(path, value, "must not be greater than 100%");
    }
}

/// Returns the number in a field that may hold a percentage: 25 for `25%`.
pub(crate) fn plain_number(value: &Value) -> i64 {
    match IntOrPercent::from_value(value) {
        Some(IntOrPercent::Int(number)) => number,
        // As in upstream's `getPercentValue`, a malformed percentage counts as 0. Another rule has already reported
        // it.
        Some(text) => text.percent().unwrap_or(0),
        None => 0,
    }
}

/// Validates the quantity of a resource: not negative, and an integer if the resource is counted in whole units.
pub(crate) fn resource_amount(path: &Path<'_>, name: &str, value: &Value, errors: &mut Errors) {
    let amount = quantity(value);
    nonnegative_amount(path, &amount, errors);
    if is_counted(name) && !amount.is_whole() {
        errors.invalid_shown(path, &shown_amount(&amount), "must be an integer");
    }
}

/// Rejects a negative quantity.
pub(crate) fn nonnegative_amount(path: &Path<'_>, amount: &Quantity, errors: &mut Errors) {
    if amount.signum() < 0 {
        errors.invalid_shown(
            path,
            &shown_amount(amount),
            "must be greater than or equal to 0",
        );
    }
}

/// Returns a quantity as error messages show it.
pub(crate) fn shown_amount(amount: &Quantity) -> String {
    format!("\"{amount}\"")
}

/// Returns true for resources that are counted in whole units.
fn is_counted(name: &str) -> bool {
    const COUNTED: &[&str] = &[
        "pods",
        "services",
        "replicationcontrollers",
        "resourcequotas",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "services.nodeports",
        "services.loadbalancers",
    ];
    COUNTED.contains(&name) || name.starts_with("count/") || is_extended(name)
}

/// Returns true if the resource is defined by Kubernetes.
pub(crate) fn is_native(name: &str) -> bool {
    // Upstream searches for the substring rather than the domain, so `node.kubernetes.io/x` is native too.
    !name.contains('/') || name.contains("kubernetes.io/")
}

/// Returns true for the name of an extended resource, such as `nvidia.com/gpu`.
pub(crate) fn is_extended(name: &str) -> bool {
    !is_native(name)
        && !name.starts_with("requests.")
        // Quotas refer to the resource as `requests.NAME`, so the name must be valid with this prefix, too.
        && names::qualified_name(&format!("requests.{name}")).is_empty()
}

/// Returns true if the requests of a resource may be lower than its limits.
pub(crate) fn may_overcommit(name: &str) -> bool {
    is_native(name) && !name.starts_with("hugepages-")
}

/// Validates the name of a resource: a standard name, or one with a domain.
pub(crate) fn resource_name(path: &Path<'_>, name: &str, errors: &mut Errors) {
    const STANDARD: &[&str] = &[
        "cpu",
        "memory",
        "ephemeral-storage",
        "requests.cpu",
        "requests.memory",
        "requests.ephemeral-storage",
        "limits.cpu",
        "limits.memory",
        "limits.ephemeral-storage",
        "pods",
        "resourcequotas",
        "services",
        "replicationcontrollers",
        "secrets",
        "persistentvolumeclaims",
        "configmaps",
        "requests.storage",
        "storage",
        "services.nodeports",
        "services.loadbalancers",
    ];
    let wrong = names::qualified_name(name);
    // A malformed name gets only the errors about its form: upstream returns before it checks for a standard name.
    let plain = wrong.is_empty() && !name.contains('/');
    errors.invalid_each(path, name, wrong);
    let standard = STANDARD.contains(&name)
        || name.starts_with("hugepages-")
        || name.starts_with("requests.hugepages-");
    if plain && !standard {
        errors.invalid_shown(
            path,
            &go::quoted(name),
            "must be a standard resource type or fully qualified",
        );
    }
}

/// Validates the name of a resource that a container can use.
pub(crate) fn container_resource_name(path: &Path<'_>, name: &str, errors: &mut Errors) {
    // An unknown name without a domain is reported twice: by the general rule and by the rule for containers.
    resource_name(path, name, errors);
    let standard =
        matches!(name, "cpu" | "memory" | "ephemeral-storage") || name.starts_with("hugepages-");
    if !name.contains('/') && !standard {
        errors.invalid_shown(
            path,
            &go::quoted(name),
            "must be a standard resource for containers",
        );
    } else if name.contains('/') && !is_native(name) && !is_extended(name) {
        errors.invalid_shown(
            path,
            &go::quoted(name),
            "doesn't follow extended resource name standard",
        );
    }
}

/// Requires a relative path that does not leave its base directory.
pub(crate) fn descending_path(path: &Path<'_>, text: &str, errors: &mut Errors) {
    if text.starts_with('/') {
        errors.invalid_shown(path, &go::quoted(text), "must be a relative path");
    }
    no_backsteps(path, text, errors);
}

/// Rejects a path that contains `..`.
pub(crate) fn no_backsteps(path: &Path<'_>, text: &str, errors: &mut Errors) {
    if has_backsteps(text) {
        errors.invalid_shown(path, &go::quoted(text), "must not contain '..'");
    }
}

/// Returns true if a path contains `..`. A backslash separates no parts, because the API server runs on Linux.
pub(crate) fn has_backsteps(path: &str) -> bool {
    path.split('/').any(|part| part == "..")
}
