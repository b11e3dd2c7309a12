//! The rules of an EndpointSlice.

use std::collections::BTreeSet;

use crate::api::json::Value;
use crate::tree::{field, has, list, text};
use crate::validate::common::{one_of, optional_name, required_one_of};
use crate::validate::endpoint::{PROTOCOLS, addresses};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

const MAX_ENDPOINTS: usize = 1000;

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
    // Stored endpoints may predate a stricter rule, which must not block other updates.
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
        // Nothing else about such a list is reported, which bounds the size of the response.
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
        optional_name(&path, endpoint, "hostname", names::dns1123_label, errors);
        optional_name(
            &path,
            endpoint,
            "nodeName",
            names::dns1123_subdomain,
            errors,
        );
    }
}

fn slice_ports(object: &Value, errors: &mut Errors) {
    let path = Path::root("ports");
    let mut seen = BTreeSet::new();
    for (index, port) in list(object, "ports").iter().enumerate() {
        let path = path.index(index);
        let name = text(port, "name");
        if !name.is_empty() {
            errors.invalid_each(&path.child("name"), name, names::dns1123_label(name));
        }
        // An unnamed port has the empty name, which is allowed once.
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
