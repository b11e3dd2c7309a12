//! The values that the cluster assigns to a Service: an address of 10.96.0.0/16 or of another ServiceCIDR, node ports
//! of 30000-32767.
//!
//! The stored Services define the used values; there is no allocator whose state could differ.

use std::collections::BTreeSet;
use std::net::IpAddr;

use crate::api::addresses::parse_cidr;
use crate::api::json::Value;
use crate::kinds::admission::ranges::{take_address_of, take_port};
use crate::kinds::admission::service::{Ranges, allocate, reallocate};
use crate::kinds::condition;
use crate::kinds::tree::{field, text, texts};
use crate::kinds::{Kind, find};
use crate::objects;
use crate::request::Place;
use crate::request::response::ApiError;
use crate::store::{Range, Stored, View};

/// The addresses of Services.
pub(crate) const ADDRESSES: &str = "10.96.0.0/16";

/// The label of an `IPAddress` that the allocator has made, and its value.
pub(crate) const MANAGED_BY: &str = "ipaddress.kubernetes.io/managed-by";
pub(crate) const ALLOCATOR: &str = "ipallocator.k8s.io";

/// The resource of the ranges, and the name of the cluster's own.
const RANGES: &str = "servicecidrs.networking.k8s.io";
const OWN: &str = "kubernetes";

/// The node ports.
const PORTS: std::ops::RangeInclusive<u16> = 30_000..=32_767;

/// The first node port that a dry run assigns, as in kube-apiserver.
const DRY_PORT: u16 = 32_769;

/// Assigns the addresses and ports that a Service has not chosen itself; `old` is its stored state, if any.
///
/// As in kube-apiserver, a dry run assigns dummies, and accepts an address that is taken and any free port.
pub(crate) fn give(
    view: &dyn View,
    kind: &Kind,
    object: &mut Value,
    old: Option<&Value>,
    dry_run: bool,
) -> Result<(), ApiError> {
    if !kind.is_addressed() {
        return Ok(());
    }
    // Services of all namespaces share the ranges.
    let services = view.list(&Range::resource("services", None))?;
    let cidrs = ready_ranges(view)?;
    // The search begins at a place that depends on the uid alone, so that a replay assigns the same.
    let start = crc32c::crc32c(objects::meta(object, "uid").as_bytes());
    let first_port = u16::try_from(start % 2768).unwrap_or(0);
    // A Service may request several ports at once, and those just assigned are not stored yet.
    let (mut own_addresses, mut own_ports) = (BTreeSet::new(), BTreeSet::<u16>::new());
    let mut address = |wanted: Option<&str>| {
        let network = cidrs.first().and_then(|cidr| cidr.split_once('/'));
        if let Some((network, _)) = network.filter(|_| dry_run && wanted.is_none()) {
            return Ok(network.to_owned());
        }
        let taken = |address: &str| {
            !dry_run
                && (own_addresses.contains(address)
                    || has_address(&services, address)
                    || is_reserved(view, address))
        };
        let given = take_address_of(&cidrs, &taken, start, wanted)?;
        own_addresses.insert(given.clone());
        Ok(given)
    };
    let mut port = |wanted: u16| {
        let taken = |port: u16| own_ports.contains(&port) || has_port(&services, port);
        let given = match wanted {
            0 if dry_run => own_ports
                .last()
                .map_or(DRY_PORT, |last| last.saturating_add(1)),
            // Numbers that are no ports are refused like those of other ranges.
            ..=29_999 if dry_run && !taken(wanted) => wanted,
            wanted => take_port(PORTS, &taken, first_port, wanted)?,
        };
        own_ports.insert(given);
        Ok(given)
    };
    let mut ranges = Ranges {
        address: &mut address,
        port: &mut port,
    };
    let given = match old {
        None => allocate(object, &mut ranges),
        Some(old) => reallocate(object, old, &mut ranges),
    };
    given?;
    Ok(())
}

/// Returns the ranges from which addresses are assigned, the cluster's own first.
fn ready_ranges(view: &dyn View) -> Result<Vec<String>, ApiError> {
    let stored = view.list(&Range::resource(RANGES, None))?;
    let ranges: Vec<Value> = stored
        .iter()
        .map(objects::shown)
        .collect::<Result<_, _>>()?;
    let (own, others): (Vec<_>, Vec<_>) = ranges
        .iter()
        .partition(|range| objects::meta(range, "name") == OWN);
    let mut cidrs = Vec::new();
    // A cluster from before it had such an object has the range, too.
    if own.is_empty() {
        cidrs.push(ADDRESSES.to_owned());
    }
    for range in own.into_iter().chain(others).filter(|r| is_ready(r)) {
        let all = texts(field(range, "spec"), "cidrs");
        let usable = all.filter(|cidr| matches!(parse_cidr(cidr), Some((IpAddr::V4(_), _))));
        cidrs.extend(usable.map(str::to_owned));
    }
    Ok(cidrs)
}

/// Returns true if addresses of a range may be assigned. Before its controller has seen it, they may.
fn is_ready(range: &Value) -> bool {
    let ready = condition::find(range, "Ready");
    let ends = !range["metadata"]["deletionTimestamp"].is_null();
    !ends && ready.is_none_or(|ready| text(ready, "status") == "True")
}

fn has_address(services: &[Stored], address: &str) -> bool {
    let has = |service: &Value| {
        let own = service["spec"]["clusterIPs"].as_array();
        own.into_iter().flatten().any(|own| own == address)
    };
    says(services, &format!("\"{address}\""), &has)
}

/// Returns true if a user has reserved an address. An `IPAddress` of the allocator without a Service is what remained
/// of one.
fn is_reserved(view: &dyn View, address: &str) -> bool {
    let Some(kind) = find("networking.k8s.io", "v1", "IPAddress") else {
        return false;
    };
    let key = objects::key(&Place::new(kind, ""), address);
    let stored = key.ok().and_then(|key| view.get(&key).ok().flatten());
    let record = stored.and_then(|stored| objects::shown(&stored).ok());
    record.is_some_and(|record| {
        let labels = field(field(&record, "metadata"), "labels");
        text(labels, MANAGED_BY) != ALLOCATOR
    })
}

fn has_port(services: &[Stored], port: u16) -> bool {
    let has = |service: &Value| {
        let ports = service["spec"]["ports"].as_array();
        let health = service["spec"]["healthCheckNodePort"] == port;
        health
            || ports
                .into_iter()
                .flatten()
                .any(|own| own["nodePort"] == port)
    };
    says(services, &format!("odePort\":{port}"), &has)
}

/// Returns true if one of the Services passes a test. Only those whose bytes contain the words are parsed: of many
/// thousand Services hardly one.
fn says(services: &[Stored], words: &str, has: &dyn Fn(&Value) -> bool) -> bool {
    services
        .iter()
        .filter(|stored| std::str::from_utf8(&stored.json).is_ok_and(|text| text.contains(words)))
        .any(|stored| objects::shown(stored).is_ok_and(|service| has(&service)))
}
