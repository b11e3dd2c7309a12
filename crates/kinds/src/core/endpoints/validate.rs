//! The rules of an Endpoints object.

use std::net::IpAddr;

use crate::api::json::Value;
use crate::tree::{has, int, len, list, text};
use crate::validate::common::{optional_name, port_number, required_name, required_one_of};
use crate::validate::endpoint::PROTOCOLS;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{addresses, go, meta, names};

/// Validates a new Endpoints object.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    let path = Path::root("subsets");
    for (index, subset) in list(object, "subsets").iter().enumerate() {
        self::subset(&path.index(index), subset, errors);
    }
}

/// Validates an update of an Endpoints object.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    create(object, errors);
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
            optional_name(&path, address, "nodeName", names::dns1123_subdomain, errors);
            // Go's old parser accepts leading zeros, which the first check rejects.
            let is_read = |text: &str| addresses::ip(text, true) == [addresses::LEADING_ZEROS];
            let special = match ip.parse::<IpAddr>() {
                Err(_) if is_read(ip) => None,
                Ok(_) => addresses::special_address(ip),
                // Upstream validates the address twice, so a malformed address has two errors.
                Err(_) => Some("must be a valid IP address".to_owned()),
            };
            if let Some(detail) = special {
                errors.invalid_shown(&path.child("ip"), &go::quoted(ip), &detail);
            }
        }
    }
    let (ports, all) = (path.child("ports"), list(subset, "ports"));
    for (index, port) in all.iter().enumerate() {
        let path = ports.index(index);
        match (text(port, "name"), all.len() > 1) {
            // A single port needs no name, but several must be distinguishable.
            ("", false) => {}
            _ => required_name(&path, port, "name", names::dns1123_label, errors),
        }
        port_number(&path.child("port"), int(port, "port"), errors);
        required_one_of(&path, port, "protocol", PROTOCOLS, errors);
        if has(port, "appProtocol") {
            let protocol = text(port, "appProtocol");
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
    fn the_protocol_of_an_application_is_a_name() {
        let told = |protocol: &str| {
            let port = json!({"port": 80, "protocol": "TCP", "appProtocol": protocol});
            let subset = json!({"addresses": [{"ip": "192.0.2.1"}], "ports": [port]});
            let object = json!({"metadata": {"name": "e", "namespace": "d"}, "subsets": [subset]});
            let mut errors = Errors::default();
            create(&object, &mut errors);
            let causes = errors.into_causes();
            causes.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(told("example.com/a"), [""; 0]);
        let wrong = told("a b");
        assert_eq!(wrong.len(), 1);
        assert!(wrong[0].starts_with("subsets[0].ports[0].appProtocol: Invalid value: \"a b\""));
    }
}
