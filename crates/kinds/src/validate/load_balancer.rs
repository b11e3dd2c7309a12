//! The ingress points of load balancers.

use std::net::IpAddr;

use crate::api::json::Value;
use crate::tree::text;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{addresses, go, names};

/// Validates an ingress point of a load balancer in the status of a Service or an Ingress.
pub(crate) fn balancer_point(path: &Path<'_>, point: &Value, errors: &mut Errors) {
    let (ip, host) = (text(point, "ip"), text(point, "hostname"));
    if !ip.is_empty() {
        errors.invalid_each(&path.child("ip"), ip, addresses::ip(ip, true));
    }
    if !host.is_empty() {
        let path = path.child("hostname");
        errors.invalid_each(&path, host, names::dns1123_subdomain(host));
        // This check is explicit because an IPv4 address is also a valid DNS name.
        if host.parse::<IpAddr>().is_ok() {
            errors.invalid_shown(
                &path,
                &go::quoted(host),
                "must be a DNS name, not an IP address",
            );
        }
    }
}
