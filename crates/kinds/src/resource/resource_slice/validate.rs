//! The rules of a ResourceSlice.

use crate::api::json::{Value, json};
use crate::resource::validate::unique;
use crate::tree::{entries, field, flag, has, int, len, list, text};
use crate::validate::common::required_text;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::pod::affinity::node_selector;
use crate::validate::pod::remote::csi_driver_name;
use crate::validate::{go, meta, names};

/// The maximum number of devices in a slice; the second applies if a device has taints or uses counters.
const MOST_DEVICES: usize = 128;
const MOST_ADVANCED: usize = 64;
/// The maximum number of attributes and capacities of a device, counted together.
const MOST_PROPERTIES: usize = 32;
const POOL_NAME_MAX: usize = 253;

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
    if required_text(&path, spec, "driver", errors) {
        csi_driver_name(&path.child("driver"), text(spec, "driver"), errors);
    }
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
    let places = places(&path, spec, &["allNodes", "perDeviceNodeSelection"], errors);
    one_place(&path, &places, PLACES, true, errors);
    if has(spec, "sharedCounters") && has(spec, "devices") {
        let detail = "only one of `sharedCounters` or `devices` is allowed";
        errors.invalid_shown(&path, "\"\"", detail);
    }
    devices(&path.child("devices"), spec, errors);
}

fn pool(path: &Path<'_>, pool: &Value, errors: &mut Errors) {
    let name = text(pool, "name");
    if required_text(path, pool, "name", errors) {
        let path = path.child("name");
        if name.len() > POOL_NAME_MAX {
            errors.too_long(&path, POOL_NAME_MAX);
        }
        // Drivers may name a pool by several parts, such as a node and a zone.
        for part in name.split('/') {
            errors.invalid_each(&path, part, names::dns1123_subdomain(part));
        }
    }
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

/// Validates the location of devices: a node name, a node selector, or one of `flags`. Returns the fields that are
/// set.
fn places<'a>(
    path: &Path<'_>,
    holder: &Value,
    flags: &[&'a str],
    errors: &mut Errors,
) -> Vec<&'a str> {
    let mut set = Vec::new();
    let node = text(holder, "nodeName");
    if !node.is_empty() {
        set.push("nodeName");
        let wrong = names::dns1123_subdomain(node);
        errors.invalid_each(&path.child("nodeName"), node, wrong);
    }
    if has(holder, "nodeSelector") {
        set.push("nodeSelector");
        let path = path.child("nodeSelector");
        node_selector(&path, field(holder, "nodeSelector"), errors);
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

fn devices(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let all = list(spec, "devices");
    let advanced = |device: &Value| len(device, "taints") + len(device, "consumesCounters") > 0;
    // Devices with taints or counters are larger, so fewer are allowed.
    let most = match all.iter().any(advanced) {
        true => MOST_ADVANCED,
        false => MOST_DEVICES,
    };
    if all.len() > most {
        errors.too_many(path, all.len(), most);
    }
    for (index, item) in all.iter().enumerate() {
        let placed = flag(spec, "perDeviceNodeSelection");
        device(&path.index(index), item, placed, errors);
    }
    unique(path, all.iter().map(|item| text(item, "name")), errors);
}

fn device(path: &Path<'_>, device: &Value, placed: bool, errors: &mut Errors) {
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
    for (name, attribute) in entries(device, "attributes") {
        let values = attribute.as_object().map_or(0, |map| map.len());
        if values == 0 {
            let detail = "exactly one value must be specified";
            errors.required(&attributes.key(name), detail);
        }
    }
    let own = ["nodeName", "nodeSelector", "allNodes"];
    if placed {
        const PLACE: &str = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when \
            `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
        let set = places(path, device, &["allNodes"], errors);
        one_place(path, &set, PLACE, false, errors);
    } else if own.iter().any(|name| has(device, name)) {
        let detail = "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to \
            true in the ResourceSlice spec";
        errors.invalid(path, &Value::Null, detail);
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
                "spec.devices[1].attributes[x]: Required value: exactly one value must be specified",
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
}
