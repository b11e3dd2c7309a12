//! The addresses of Endpoints and EndpointSlices.

use std::net::IpAddr;

use crate::api::json::Value;
use crate::tree::{len, texts};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{addresses, go, names};

pub(crate) const PROTOCOLS: &[&str] = &["SCTP", "TCP", "UDP"];
const MAX_ADDRESSES: usize = 100;

pub(crate) fn addresses(path: &Path<'_>, endpoint: &Value, kind: &str, errors: &mut Errors) {
    let count = len(endpoint, "addresses");
    if count == 0 {
        errors.required(path, "must contain at least 1 address");
    } else if count > MAX_ADDRESSES {
        // The addresses of such a list are not checked one by one, which bounds the response.
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
        // Loopback and link-local addresses mean a different machine on every node.
        if let Some(detail) = addresses::special_address(address).filter(|_| valid) {
            errors.invalid_shown(&at, &go::quoted(address), &detail);
        }
    }
}
