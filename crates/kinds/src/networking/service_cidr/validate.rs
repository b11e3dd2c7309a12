//! The rules of a ServiceCIDR.

use crate::api::json::Value;
use crate::tree::{field, len, list, texts};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{addresses, meta, names};

/// Validates a new ServiceCIDR.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let spec = field(object, "spec");
    let path = Path::root("spec");
    let path = path.child("cidrs");
    if len(spec, "cidrs") == 0 {
        errors.required(&path, "at least one CIDR required");
    }
    let families: Vec<bool> = texts(spec, "cidrs")
        .filter_map(addresses::parse_cidr)
        .map(|(address, _)| address.is_ipv4())
        .collect();
    if families.len() == 2 && families[0] == families[1] || families.len() > 2 {
        errors.invalid(
            &path,
            field(spec, "cidrs"),
            "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64",
        );
    }
    for (index, range) in texts(spec, "cidrs").enumerate() {
        errors.invalid_each(&path.index(index), range, addresses::cidr(range, true));
    }
}

/// Validates an update of a ServiceCIDR.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let path = Path::root("spec");
    let path = path.child("cidrs");
    let before = list(field(old, "spec"), "cidrs");
    for (index, range) in list(field(object, "spec"), "cidrs").iter().enumerate() {
        // A second family may be added later; the existing ranges have addresses in use.
        if let Some(old) = before.get(index) {
            meta::immutable(&path.index(index), range, old, errors);
        }
    }
}
