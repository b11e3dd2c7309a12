//! What a Service gets from the cluster: an address of 10.96.0.0/16, node ports of 30000-32767.
//!
//! What is taken is what the stored Services say; there is no allocator whose state could differ.

use std::collections::BTreeSet;

use serde_json::Value;

use super::objects;
use super::request::ApiError;
use crate::api::status::Status;
use crate::kinds::Kind;
use crate::kinds::admission::ranges::{take_address, take_port};
use crate::kinds::admission::service::{Ranges, allocate, reallocate};
use crate::store::{Range, View};

/// The addresses of Services.
pub(crate) const ADDRESSES: &str = "10.96.0.0/16";

/// The node ports.
const PORTS: std::ops::RangeInclusive<u16> = 30_000..=32_767;

/// What the stored Services have.
#[derive(Debug, Default)]
struct Taken {
    addresses: BTreeSet<String>,
    ports: BTreeSet<u16>,
}

/// Gives a Service what it has not chosen itself; `old` is what it was, where it is no new one.
pub(crate) fn give(
    view: &dyn View,
    kind: &Kind,
    object: &mut Value,
    old: Option<&Value>,
) -> Result<(), ApiError> {
    if (kind.group, kind.kind) != ("", "Service") {
        return Ok(());
    }
    let Taken { addresses, ports } = taken(view)?;
    // Where the search for something free begins: anywhere, but the same for the same Service.
    let start = crc32c::crc32c(objects::meta(object, "uid").as_bytes());
    let first_port = u16::try_from(start % 2768).unwrap_or(0);
    let (mut own_addresses, mut own_ports) = (addresses, ports);
    let mut address = |wanted: Option<&str>| {
        let given = take_address(ADDRESSES, &own_addresses, start, wanted)?;
        own_addresses.insert(given.clone());
        Ok(given)
    };
    let mut port = |wanted: u16| {
        let given = take_port(PORTS, &own_ports, first_port, wanted)?;
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
    given.map_err(|causes| {
        Status::invalid("", "Service", objects::meta(object, "name"), causes).into()
    })
}

fn taken(view: &dyn View) -> Result<Taken, ApiError> {
    let mut taken = Taken::default();
    for stored in view.list(&Range::resource("services", None))? {
        let service = objects::shown(&stored)?;
        let addresses = service["spec"]["clusterIPs"]
            .as_array()
            .into_iter()
            .flatten();
        taken
            .addresses
            .extend(addresses.filter_map(Value::as_str).map(str::to_owned));
        let ports = service["spec"]["ports"].as_array().into_iter().flatten();
        let number = |port: &Value| u16::try_from(port["nodePort"].as_u64()?).ok();
        taken.ports.extend(ports.filter_map(number));
    }
    Ok(taken)
}
