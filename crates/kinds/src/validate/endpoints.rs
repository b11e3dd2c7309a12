//! Endpoints and endpoint slices: where the Pods of a service are.

use std::collections::BTreeSet;
use std::net::IpAddr;

use super::common::{one_of, optional_name, port_number, required_name, required_one_of};
use super::errors::Errors;
use super::path::Path;
use super::{addresses, go, meta, names};
use crate::api::json::Value;
use crate::tree::{field, has, int, len, list, text, texts};

const PROTOCOLS: &[&str] = &["SCTP", "TCP", "UDP"];
const MAX_ENDPOINTS: usize = 1000;
const MAX_ADDRESSES: usize = 100;

/// A new Endpoints object.
pub(super) fn endpoints(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    let path = Path::root("subsets");
    for (index, subset) in list(object, "subsets").iter().enumerate() {
        self::subset(&path.index(index), subset, errors);
    }
}

/// An update of an Endpoints object.
pub(super) fn endpoints_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    endpoints(object, errors);
}

fn subset(path: &Path<'_>, subset: &Value, errors: &mut Errors) {
    if len(subset, "addresses") + len(subset, "notReadyAddresses") == 0 {
        errors.required(path, "must specify `addresses` or `notReadyAddresses`");
    }
    for name in ["addresses", "notReadyAddresses"] {
        let path = path.child(name);
        for (index, address) in list(subset, name).iter().enumerate() {
            let path = path.index(index);
            let ip = text(address, "ip");
            errors.invalid_each(&path.child("ip"), ip, addresses::ip(ip, true));
            optional_name(&path, address, "hostname", names::dns1123_label, errors);
            let special = match ip.parse::<IpAddr>() {
                Ok(_) => addresses::special_address(ip),
                Err(_) => Some("must be a valid IP address"),
            };
            if let Some(detail) = special {
                errors.invalid_shown(&path.child("ip"), &go::quoted(ip), detail);
            }
        }
    }
    let (ports, all) = (path.child("ports"), list(subset, "ports"));
    for (index, port) in all.iter().enumerate() {
        let path = ports.index(index);
        match (text(port, "name"), all.len() > 1) {
            ("", false) => {}
            _ => required_name(&path, port, "name", names::dns1123_label, errors),
        }
        port_number(&path.child("port"), int(port, "port"), errors);
        required_one_of(&path, port, "protocol", PROTOCOLS, errors);
    }
}

/// A new EndpointSlice.
pub(super) fn slice(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    let types = &["FQDN", "IPv4", "IPv6"];
    let root = Path::root("");
    required_one_of(&root, object, "addressType", types, errors);
    slice_endpoints(object, errors);
    slice_ports(object, errors);
}

/// An update of an EndpointSlice.
pub(super) fn slice_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
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

fn addresses(path: &Path<'_>, endpoint: &Value, kind: &str, errors: &mut Errors) {
    let count = len(endpoint, "addresses");
    if count == 0 {
        errors.required(path, "must contain at least 1 address");
    } else if count > MAX_ADDRESSES {
        return errors.too_many(path, count, MAX_ADDRESSES);
    }
    for (index, address) in texts(endpoint, "addresses").enumerate() {
        let at = path.index(index);
        if kind == "FQDN" {
            errors.invalid_each(&at, address, names::dns1123_subdomain(address));
            continue;
        }
        let wrong = addresses::ip(address, true);
        let valid = wrong.is_empty();
        errors.invalid_each(&at, address, wrong);
        let v4 = address.parse::<IpAddr>().is_ok_and(|ip| ip.is_ipv4());
        if valid && v4 != (kind == "IPv4") && matches!(kind, "IPv4" | "IPv6") {
            let detail = format!("must be an {kind} address");
            errors.invalid_shown(path, &go::quoted(address), &detail);
        }
        if let Some(detail) = addresses::special_address(address).filter(|_| valid) {
            errors.invalid_shown(&at, &go::quoted(address), detail);
        }
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
