//! The rules of a ResourceSlice.

use std::borrow::Cow;

use crate::api::json::{Value, json};
use crate::resource::request_policy::request_policy;
use crate::resource::tolerations::EFFECTS;
use crate::resource::validate::{binding_conditions, driver, pool_name, property_name, unique};
use crate::tree::{entries, field, flag, has, int, len, list, text};
use crate::validate::common::{required_name, required_one_of};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::pod::affinity::node_selector;
use crate::validate::{go, meta, names};

/// The maximum number of devices in a slice; the second applies if a device has taints or uses counters.
const MOST_DEVICES: usize = 128;
const MOST_ADVANCED: usize = 64;
/// The maximum number of attributes and capacities of a device, counted together.
const MOST_PROPERTIES: usize = 32;
/// The maximum length of a text attribute.
const VALUE_MAX: usize = 64;
/// The maximum length of the names of attributes and capacities in paths.
const LONGEST_KEY: usize = 96;
const MOST_TAINTS: usize = 16;
/// The maximum number of counter sets of a slice, of those that a device uses, and of counters in a set.
const MOST_SETS: usize = 8;
const MOST_USED_SETS: usize = 2;
const MOST_COUNTERS: usize = 32;

const PLACES: &str =
    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

/// Validates a new ResourceSlice.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    slice_spec(object, &Value::Null, errors);
}

/// Validates an update of a ResourceSlice.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    slice_spec(object, old, errors);
}

fn slice_spec(object: &Value, old: &Value, errors: &mut Errors) {
    let (path, spec, before) = (
        Path::root("spec"),
        field(object, "spec"),
        field(old, "spec"),
    );
    driver(&path, spec, errors);
    let (at, named) = (path.child("pool"), field(spec, "pool"));
    pool(&at, named, errors);
    if !before.is_null() {
        let was = field(field(before, "pool"), "name");
        meta::immutable(&at.child("name"), field(named, "name"), was, errors);
        for name in ["driver", "nodeName"] {
            let (new, was) = (field(spec, name), field(before, name));
            meta::immutable(&path.child(name), new, was, errors);
        }
    }
    let flags = ["allNodes", "perDeviceNodeSelection"];
    let empty = "must be either unset or set to a non-empty string";
    let places = places(&path, spec, &flags, empty, errors);
    one_place(&path, &places, PLACES, true, errors);
    if has(spec, "sharedCounters") && has(spec, "devices") {
        let detail = "only one of `sharedCounters` or `devices` is allowed";
        errors.invalid_shown(&path, "\"\"", detail);
    }
    devices(&path.child("devices"), spec, before, errors);
    let sets = list(spec, "sharedCounters");
    counter_sets(
        &path.child("sharedCounters"),
        sets,
        "name",
        MOST_SETS,
        errors,
    );
}

/// Validates sets of counters. `key` is the field with the name of a set.
fn counter_sets(path: &Path<'_>, all: &[Value], key: &str, most: usize, errors: &mut Errors) {
    if all.len() > most {
        return errors.too_many(path, all.len(), most);
    }
    for (index, set) in all.iter().enumerate() {
        let path = path.index(index);
        required_name(&path, set, key, names::dns1123_label, errors);
        let path = path.child("counters");
        match len(set, "counters") {
            0 => errors.required(&path, ""),
            count if count > MOST_COUNTERS => errors.too_many(&path, count, MOST_COUNTERS),
            _ => {
                for (name, _) in entries(set, "counters") {
                    let shown = shortened(name, 63);
                    errors.invalid_each(&path.key(&shown), name, names::dns1123_label(name));
                }
            }
        }
    }
    unique(path, all.iter().map(|set| text(set, key)), errors);
}

fn pool(path: &Path<'_>, pool: &Value, errors: &mut Errors) {
    pool_name(path, pool, "name", errors);
    let count = int(pool, "resourceSliceCount");
    if count <= 0 {
        let detail = "must be greater than zero";
        errors.invalid(&path.child("resourceSliceCount"), &json!(count), detail);
    }
    let generation = int(pool, "generation");
    if generation < 0 {
        let detail = "must be greater than or equal to zero";
        errors.invalid(&path.child("generation"), &json!(generation), detail);
    }
}

/// Validates the location of devices: a node name, a node selector, or one of `flags`. `empty` is the error about an
/// empty node name. Returns the fields that are set.
fn places<'a>(
    path: &Path<'_>,
    holder: &Value,
    flags: &[&'a str],
    empty: &str,
    errors: &mut Errors,
) -> Vec<&'a str> {
    let mut set = Vec::new();
    let node = text(holder, "nodeName");
    if !node.is_empty() {
        set.push("nodeName");
        let wrong = names::dns1123_subdomain(node);
        errors.invalid_each(&path.child("nodeName"), node, wrong);
    } else if has(holder, "nodeName") {
        errors.invalid_shown(&path.child("nodeName"), "\"\"", empty);
    }
    if has(holder, "nodeSelector") {
        set.push("nodeSelector");
        let path = path.child("nodeSelector");
        let selector = field(holder, "nodeSelector");
        node_selector(&path, selector, errors);
        let terms = list(selector, "nodeSelectorTerms");
        // A slice has only one term, so that those of several slices can be merged.
        if flags.len() > 1 && terms.len() != 1 {
            let shown = go::shown_list("NodeSelectorTerm", terms);
            let detail = "must have exactly one node selector term";
            errors.invalid_shown(&path.child("nodeSelectorTerms"), &shown, detail);
        }
    }
    for name in flags.iter().filter(|name| has(holder, name)) {
        match flag(holder, name) {
            true => set.push(name),
            false => {
                let detail = "must be either unset or set to true";
                errors.invalid(&path.child(name), &json!(false), detail);
            }
        }
    }
    set
}

/// Requires exactly one location field.
fn one_place(path: &Path<'_>, set: &[&str], detail: &str, says_many: bool, errors: &mut Errors) {
    match set {
        [] => errors.required(path, detail),
        [_] => {}
        many => {
            let many: Vec<String> = many.iter().map(|name| format!("`{name}`")).collect();
            let shown = go::quoted(&format!("{{{}}}", many.join(", ")));
            let more = match says_many {
                true => ", but multiple fields are set",
                false => "",
            };
            errors.invalid_shown(path, &shown, &format!("{detail}{more}"));
        }
    }
}

fn devices(path: &Path<'_>, spec: &Value, before: &Value, errors: &mut Errors) {
    let all = list(spec, "devices");
    let advanced = |device: &Value| len(device, "taints") + len(device, "consumesCounters") > 0;
    // Devices with taints or counters are larger, so fewer are allowed.
    let most = match all.iter().any(advanced) {
        true => MOST_ADVANCED,
        false => MOST_DEVICES,
    };
    if all.len() > most {
        return errors.too_many(path, all.len(), most);
    }
    for (index, item) in all.iter().enumerate() {
        let placed = flag(spec, "perDeviceNodeSelection");
        let (path, name) = (path.index(index), text(item, "name"));
        device(&path, item, errors);
        let mut others = list(before, "devices").iter();
        let old = others.find(|other| text(other, "name") == name);
        // Taints that were stored earlier may follow older rules.
        if old.is_none_or(|old| field(old, "taints") != field(item, "taints")) {
            taints(&path.child("taints"), list(item, "taints"), errors);
        }
        use_of_device(&path, item, placed, errors);
    }
    unique(path, all.iter().map(|item| text(item, "name")), errors);
}

/// Validates the name of a device, and its attributes and capacities.
fn device(path: &Path<'_>, device: &Value, errors: &mut Errors) {
    let name = text(device, "name");
    errors.invalid_each(&path.child("name"), name, names::dns1123_label(name));
    let count = len(device, "attributes") + len(device, "capacity");
    if count > MOST_PROPERTIES {
        let detail = format!(
            "the total number of attributes and capacities must not exceed {MOST_PROPERTIES}"
        );
        errors.invalid(path, &json!(count), &detail);
    }
    let attributes = path.child("attributes");
    for (name, value) in entries(device, "attributes") {
        let shown = shortened(name, LONGEST_KEY);
        attribute(&attributes.key(&shown), name, value, errors);
    }
    let capacities = path.child("capacity");
    for (name, capacity) in entries(device, "capacity") {
        let shown = shortened(name, LONGEST_KEY);
        let path = capacities.key(&shown);
        property_name(&path, name, errors);
        match flag(device, "allowMultipleAllocations") {
            true => request_policy(&path, capacity, errors),
            false if has(capacity, "requestPolicy") => {
                let detail = "allowMultipleAllocations must be true";
                errors.forbidden(&path.child("requestPolicy"), detail);
            }
            false => {}
        }
    }
}

/// Returns a text without its middle if it is longer than `most`.
fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let (bytes, rest) = (text.as_bytes(), most - 3);
    let parts = [&bytes[..rest.div_ceil(2)], &bytes[bytes.len() - rest / 2..]];
    Cow::Owned(parts.map(String::from_utf8_lossy).join("..."))
}

/// Validates the counters that a device uses, its location, and its conditions.
fn use_of_device(path: &Path<'_>, device: &Value, placed: bool, errors: &mut Errors) {
    let used = list(device, "consumesCounters");
    counter_sets(
        &path.child("consumesCounters"),
        used,
        "counterSet",
        MOST_USED_SETS,
        errors,
    );
    let own = ["nodeName", "nodeSelector", "allNodes"];
    if placed {
        const PLACE: &str = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when \
            `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
        let set = places(path, device, &["allNodes"], "must not be empty", errors);
        one_place(path, &set, PLACE, false, errors);
    } else if own.iter().any(|name| has(device, name)) {
        let detail = "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to \
            true in the ResourceSlice spec";
        errors.invalid(path, &Value::Null, detail);
    }
    binding_conditions(path, device, errors);
}

fn attribute(path: &Path<'_>, name: &str, attribute: &Value, errors: &mut Errors) {
    property_name(path, name, errors);
    let version = text(attribute, "version");
    if has(attribute, "version") && !is_version(version) {
        let detail = "must be a string compatible with semver.org spec 2.0.0";
        errors.invalid(&path.child("version"), &json!(version), detail);
    }
    for name in ["string", "version"] {
        if text(attribute, name).len() > VALUE_MAX {
            errors.too_long(&path.child(name), VALUE_MAX);
        }
    }
    let detail = "exactly one value must be specified";
    match attribute.as_object().map_or(0, |map| map.len()) {
        0 => errors.invalid_shown(path, "\"\"", detail),
        1 => {}
        _ => {
            let shown = go::shown_as("DeviceAttribute", attribute);
            errors.invalid_shown(path, &shown, detail);
        }
    }
}

/// Returns true for a semantic version, whose numbers have no leading zeros.
fn is_version(text: &str) -> bool {
    let split = |text: &str, mark: char| match text.split_once(mark) {
        Some((text, rest)) => (text.to_owned(), Some(rest.to_owned())),
        None => (text.to_owned(), None),
    };
    let (text, build) = split(text, '+');
    let (core, pre) = split(&text, '-');
    let has_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let is_number = |part: &str| part == "0" || has_digits(part) && !part.starts_with('0');
    let is_part = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    let is_pre = |part: &str| is_part(part) && (is_number(part) || !has_digits(part));
    core.split('.').count() == 3
        && core.split('.').all(|part| is_part(part) && is_number(part))
        && pre.is_none_or(|pre| pre.split('.').all(is_pre))
        && build.is_none_or(|build| build.split('.').all(is_part))
}

fn taints(path: &Path<'_>, all: &[Value], errors: &mut Errors) {
    if all.len() > MOST_TAINTS {
        return errors.too_many(path, all.len(), MOST_TAINTS);
    }
    for (index, taint) in all.iter().enumerate() {
        let path = path.index(index);
        let (key, value) = (text(taint, "key"), text(taint, "value"));
        errors.invalid_each(&path.child("key"), key, names::qualified_name(key));
        errors.invalid_each(&path.child("value"), value, names::label_value(value));
        required_one_of(&path, taint, "effect", EFFECTS, errors);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(spec: Value) -> Vec<String> {
        let mut errors = Errors::default();
        slice_spec(&json!({"spec": spec}), &Value::Null, &mut errors);
        let causes = errors.into_causes();
        causes.iter().map(ToString::to_string).collect()
    }

    fn slice(place: Value, devices: Value) -> Value {
        let mut spec = json!({"driver": "a.b", "pool": {"name": "p", "resourceSliceCount": 1}, "devices": devices});
        for (name, value) in place.as_object().unwrap() {
            crate::tree::set(&mut spec, name, value.clone());
        }
        spec
    }

    #[test]
    fn a_slice_is_in_one_place() {
        let node = json!({"nodeName": "n"});
        let devices = json!([{"name": "gpu", "attributes": {"model": {"string": "x"}}}]);
        assert_eq!(told(slice(node, devices)), [""; 0]);
        assert_eq!(
            told(slice(json!({"nodeName": "n", "allNodes": true}), json!([]))),
            [format!(
                "spec: Invalid value: \"{{`nodeName`, `allNodes`}}\": {PLACES}, but multiple fields are set"
            )]
        );
        let mut nowhere = slice(json!({"allNodes": false}), json!([]));
        nowhere["pool"] = json!({"name": "P", "generation": -1});
        let found = told(nowhere);
        assert!(
            found[0].starts_with(
                "spec.pool.name: Invalid value: \"P\": a lowercase RFC 1123 subdomain"
            )
        );
        assert_eq!(
            found[1..],
            [
                "spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero"
                    .to_owned(),
                "spec.pool.generation: Invalid value: -1: must be greater than or equal to zero"
                    .to_owned(),
                "spec.allNodes: Invalid value: false: must be either unset or set to true"
                    .to_owned(),
                format!("spec: Required value: {PLACES}"),
            ]
        );
    }

    #[test]
    fn a_device_has_its_own_name_and_place() {
        let place = json!({"perDeviceNodeSelection": true});
        let found = told(slice(
            place,
            json!([{"name": "a", "nodeName": "n"}, {"name": "a", "attributes": {"x": {}}}]),
        ));
        assert_eq!(
            found,
            [
                "spec.devices[1].attributes[x]: Invalid value: \"\": exactly one value must be specified",
                "spec.devices[1]: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when \
                 `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
                "spec.devices[1]: Duplicate value: \"a\"",
            ]
        );
        let found = told(slice(
            json!({"nodeName": "n"}),
            json!([{"name": "a", "nodeName": "n"}]),
        ));
        assert!(
            found[0].starts_with(
                "spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and"
            )
        );
    }

    #[test]
    fn parts_of_a_device_follow_their_rules() {
        let node = json!({"nodeName": "n"});
        let device = json!({"name": "a",
            "attributes": {"1x": {"bool": true}, "a.b/x": {"string": "x".repeat(65)}, "v": {"version": "1.02.3"}},
            "capacity": {"memory": {"value": "1Gi", "requestPolicy": {}}},
            "taints": [{"key": "a b", "effect": "Never"}],
            "consumesCounters": [{"counterSet": "s", "counters": {}}, {"counterSet": "s", "counters": {"A": {}}}],
            "bindingConditions": ["ready"]});
        let found = told(slice(node.clone(), json!([device])));
        let wanted = [
            "attributes[1x]: Invalid value: \"1x\": a valid C identifier must start with alphabetic",
            "attributes[a.b/x].string: Too long: may not be more than 64 bytes",
            "attributes[v].version: Invalid value: \"1.02.3\": must be a string compatible with semver.org spec",
            "capacity[memory].requestPolicy: Forbidden: allowMultipleAllocations must be true",
            "taints[0].key: Invalid value: \"a b\": name part must consist of",
            "taints[0].effect: Unsupported value: \"Never\": supported values: \"NoExecute\", \"NoSchedule\", \"None\"",
            "consumesCounters[0].counters: Required value",
            "consumesCounters[1].counters[A]: Invalid value: \"A\": a lowercase RFC 1123 label",
            "consumesCounters[1]: Duplicate value: \"s\"",
            "bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use",
        ];
        assert_eq!(found.len(), wanted.len(), "{found:#?}");
        for (found, wanted) in found.iter().zip(wanted) {
            let wanted = format!("spec.devices[0].{wanted}");
            assert!(found.starts_with(&wanted), "{found}");
        }
        let mut shared = slice(node, Value::Null);
        shared.as_object_mut().unwrap().remove("devices");
        shared["sharedCounters"] = json!([{"name": "s", "counters": {"memory": {"value": "1Gi"}}}]);
        assert_eq!(told(shared), [""; 0]);
    }

    #[test]
    fn places_are_named_and_selected_once() {
        let devices = || json!([]);
        let found = told(slice(json!({"nodeName": "", "allNodes": true}), devices()));
        let wanted =
            "spec.nodeName: Invalid value: \"\": must be either unset or set to a non-empty string";
        assert_eq!(found, [wanted]);
        let term = json!({"matchExpressions": [{"key": "a", "operator": "Exists"}]});
        let selector = json!({"nodeSelector": {"nodeSelectorTerms": [term, term]}});
        let found = told(slice(selector, devices()));
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(found[0].starts_with("spec.nodeSelector.nodeSelectorTerms: Invalid value: ["));
        assert!(found[0].ends_with(": must have exactly one node selector term"));
    }

    #[test]
    fn stored_taints_are_not_validated_again() {
        let spec = |value: &str| {
            let device = json!({"name": "a", "taints": [{"key": "k", "value": value}]});
            json!({"spec": slice(json!({"nodeName": "n"}), json!([device]))})
        };
        for (old, count) in [("x", 0), ("y", 1)] {
            let mut errors = Errors::default();
            slice_spec(&spec("x"), &spec(old), &mut errors);
            assert_eq!(errors.len(), count, "{old}");
        }
    }

    #[test]
    fn long_keys_are_shortened() {
        assert_eq!(shortened("abc", 16), "abc");
        assert_eq!(shortened("0123456789abcdefghij", 16), "0123456...efghij");
    }

    #[test]
    fn versions_are_semantic() {
        for version in ["1.2.3", "0.0.0", "1.0.0-alpha.1+build.01", "1.0.0-0a.x-y"] {
            assert!(is_version(version), "{version}");
        }
        for version in [
            "",
            "1.2",
            "1.2.3.4",
            "1.2.x",
            "01.2.3",
            "1.2.3-01",
            "1.2.3-",
            "1.2.3+a_b",
            "v1.2.3",
        ] {
            assert!(!is_version(version), "{version}");
        }
    }
}
