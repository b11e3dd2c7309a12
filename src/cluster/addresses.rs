//! What a Service gets from the cluster: an address of 10.96.0.0/16, node ports of 30000-32767.
//!
//! What is taken is what the stored Services say; there is no allocator whose state could differ.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;

use serde_json::Value;

use super::objects;
use super::request::ApiError;
use crate::api::status::Status;
use crate::kinds::Kind;
use crate::kinds::admission::service::{Ranges, allocate as allocate_from};
use crate::store::{Range, View};

/// The first address of the range of Services.
const FIRST: u32 = u32::from_be_bytes([10, 96, 0, 0]);
/// How many addresses it has.
const ADDRESSES: u32 = 1 << 16;
/// Addresses below this are left to those who ask for one.
const RESERVED: u32 = 256;
/// The node ports.
const PORTS: std::ops::RangeInclusive<u16> = 30_000..=32_767;

/// What the stored Services have.
#[derive(Debug, Default)]
struct Taken {
    addresses: BTreeSet<u32>,
    ports: BTreeSet<u16>,
}

/// Gives a new Service what it has not chosen itself.
pub(crate) fn allocate(view: &dyn View, kind: &Kind, object: &mut Value) -> Result<(), ApiError> {
    if (kind.group, kind.kind) != ("", "Service") {
        return Ok(());
    }
    let mut taken = taken(view)?;
    let start = start_of(objects::meta(object, "uid"));
    let mut own_ports = taken.ports.clone();
    let mut address = |wanted: Option<&str>| take_address(&mut taken.addresses, start, wanted);
    let mut port = |wanted: u16| take_port(&mut own_ports, start, wanted);
    let mut ranges = Ranges {
        address: &mut address,
        port: &mut port,
    };
    allocate_from(object, &mut ranges).map_err(|causes| {
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
        let parse = |ip: &Value| ip.as_str()?.parse::<Ipv4Addr>().ok();
        taken
            .addresses
            .extend(addresses.filter_map(parse).map(u32::from));
        let ports = service["spec"]["ports"].as_array().into_iter().flatten();
        let number = |port: &Value| u16::try_from(port["nodePort"].as_u64()?).ok();
        taken.ports.extend(ports.filter_map(number));
    }
    Ok(taken)
}

/// Where the search for something free begins: anywhere, but the same for the same Service.
fn start_of(uid: &str) -> u32 {
    crc32c::crc32c(uid.as_bytes())
}

fn take_address(
    taken: &mut BTreeSet<u32>,
    start: u32,
    wanted: Option<&str>,
) -> Result<String, String> {
    if let Some(wanted) = wanted {
        let ip: Option<u32> = wanted.parse::<Ipv4Addr>().ok().map(u32::from);
        let ip = ip.filter(|ip| (FIRST + 1..FIRST + ADDRESSES - 1).contains(ip));
        let ip = ip.ok_or("the provided network does not match the current range")?;
        if !taken.insert(ip) {
            return Err("provided IP is already allocated".to_owned());
        }
        return Ok(wanted.to_owned());
    }
    let free = ADDRESSES - RESERVED - 1;
    let candidates = (0..free).map(|n| FIRST + RESERVED + (start.wrapping_add(n)) % free);
    let found = candidates.into_iter().find(|ip| !taken.contains(ip));
    let found = found.ok_or("range is full")?;
    taken.insert(found);
    Ok(Ipv4Addr::from(found).to_string())
}

fn take_port(taken: &mut BTreeSet<u16>, start: u32, wanted: u16) -> Result<u16, String> {
    if wanted != 0 {
        if !PORTS.contains(&wanted) {
            return Err(format!(
                "provided port is not in the valid range. The range of valid ports is {}-{}",
                PORTS.start(),
                PORTS.end()
            ));
        }
        if !taken.insert(wanted) {
            return Err("provided port is already allocated".to_owned());
        }
        return Ok(wanted);
    }
    let count = PORTS.end() - PORTS.start() + 1;
    let first = u16::try_from(start % u32::from(count)).unwrap_or(0);
    let mut candidates = (0..count).map(|n| PORTS.start() + (first + n) % count);
    let found = candidates
        .find(|port| !taken.contains(port))
        .ok_or("range is full")?;
    taken.insert(found);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_ports_are_given_once() {
        let mut taken = BTreeSet::new();
        let first = take_address(&mut taken, 7, None).unwrap();
        assert_ne!(take_address(&mut taken, 7, None).unwrap(), first);
        assert!(
            take_address(&mut taken, 7, Some(&first))
                .unwrap_err()
                .contains("already")
        );
        assert_eq!(
            take_address(&mut taken, 7, Some("10.96.0.1")).unwrap(),
            "10.96.0.1"
        );
        assert!(
            take_address(&mut taken, 7, Some("10.97.0.1"))
                .unwrap_err()
                .contains("range")
        );
        let mut ports = BTreeSet::new();
        let first = take_port(&mut ports, 9, 0).unwrap();
        assert!(PORTS.contains(&first));
        assert_ne!(take_port(&mut ports, 9, 0).unwrap(), first);
        assert!(
            take_port(&mut ports, 9, first)
                .unwrap_err()
                .contains("already")
        );
        assert!(
            take_port(&mut ports, 9, 80)
                .unwrap_err()
                .contains("30000-32767")
        );
    }
}
