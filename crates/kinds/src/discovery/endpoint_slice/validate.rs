//! The rules of an EndpointSlice.

use std::collections::BTreeSet;

use crate::api::json::Value;
use crate::tree::{field, has, len, list, text};
use crate::validate::common::{one_of, optional_name, required_one_of};
use crate::validate::endpoint::{PROTOCOLS, addresses};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

const MAX_ENDPOINTS: usize = 1000;
const MAX_PORTS: usize = 20_000;
const MAX_LABELS: usize = 16;
const MAX_HINTS: usize = 8;

/// Validates a new EndpointSlice.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    let types = &["FQDN", "IPv4", "IPv6"];
    let root = Path::root("");
    required_one_of(&root, object, "addressType", types, errors);
    slice_endpoints(object, errors);
    slice_ports(object, errors);
}

/// Validates an update of an EndpointSlice.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    // Stored endpoints may violate newer rules, which must not block other updates.
    if field(object, "endpoints") != field(old, "endpoints") {
        slice_endpoints(object, errors);
    }
    slice_ports(object, errors);
    let kind = |object| field(object, "addressType");
    meta::immutable(&Path::root("addressType"), kind(object), kind(old), errors);
}

fn slice_endpoints(object: &Value, errors: &mut Errors) {
    let path = Path::root("endpoints");
    let all = list(object, "endpoints");
    if all.len() > MAX_ENDPOINTS {
        // Report nothing else about such a list, to bound the size of the response.
        return errors.too_many(&path, all.len(), MAX_ENDPOINTS);
    }
    for (index, endpoint) in all.iter().enumerate() {
        let path = path.index(index);
        addresses(
            &path.child("addresses"),
            endpoint,
            text(object, "addressType"),
            errors,
        );
        optional_name(
            &path,
            endpoint,
            "nodeName",
            names::dns1123_subdomain,
            errors,
        );
        let topology = path.child("deprecatedTopology");
        let count = len(endpoint, "deprecatedTopology");
        if count > MAX_LABELS {
            errors.too_many(&topology, count, MAX_LABELS);
        }
        meta::labels(&topology, endpoint, "deprecatedTopology", errors);
        optional_name(&path, endpoint, "hostname", names::dns1123_label, errors);
        hints(&path.child("hints"), field(endpoint, "hints"), errors);
    }
}

/// Validates the hints: the zones and nodes that should use an endpoint.
fn hints(path: &Path<'_>, hints: &Value, errors: &mut Errors) {
    for name in ["forZones", "forNodes"] {
        if len(hints, name) > MAX_HINTS {
            // Upstream checks nothing else if there are too many hints.
            return errors.too_many(&path.child(name), len(hints, name), MAX_HINTS);
        }
    }
    let rules: [(&str, meta::NameRule); 2] = [
        ("forZones", names::label_value),
        ("forNodes", names::dns1123_subdomain),
    ];
    for (name, rule) in rules {
        let path = path.child(name);
        let mut seen = BTreeSet::new();
        for (index, hint) in list(hints, name).iter().enumerate() {
            let path = path.index(index);
            let (path, name) = (path.child("name"), text(hint, "name"));
            if !seen.insert(name) {
                errors.duplicate(&path, &go::quoted(name));
            }
            errors.invalid_each(&path, name, rule(name));
        }
    }
}

fn slice_ports(object: &Value, errors: &mut Errors) {
    let path = Path::root("ports");
    let count = len(object, "ports");
    if count > MAX_PORTS {
        return errors.too_many(&path, count, MAX_PORTS);
    }
    let mut seen = BTreeSet::new();
    for (index, port) in list(object, "ports").iter().enumerate() {
        let path = path.index(index);
        let name = text(port, "name");
        if !name.is_empty() {
            errors.invalid_each(&path.child("name"), name, names::dns1123_label(name));
        }
        // The name of an unnamed port is empty, which is allowed once.
        if !seen.insert(name) {
            errors.duplicate(&path.child("name"), &go::quoted(name));
        }
        one_of(&path, port, "protocol", PROTOCOLS, errors);
        let protocol = text(port, "appProtocol");
        if has(port, "appProtocol") {
            let wrong = names::qualified_name(protocol);
            errors.invalid_each(&path.child("appProtocol"), protocol, wrong);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn a_zone_is_hinted_at_once() {
        let mut errors = Errors::default();
        let zones = json!({"forZones": [{"name": "a"}, {"name": "a"}, {"name": "b c"}], "forNodes": [{"name": "N"}]});
        hints(&Path::root("hints"), &zones, &mut errors);
        let causes = errors.into_causes();
        let told: Vec<String> = causes.iter().map(ToString::to_string).collect();
        assert_eq!(told[0], "hints.forZones[1].name: Duplicate value: \"a\"");
        assert!(
            told[1].starts_with(
                "hints.forZones[2].name: Invalid value: \"b c\": a valid label must be"
            )
        );
        assert!(told[2].starts_with(
            "hints.forNodes[0].name: Invalid value: \"N\": a lowercase RFC 1123 subdomain"
        ));
    }
}
