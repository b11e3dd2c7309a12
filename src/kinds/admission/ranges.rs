//! The ranges that cluster addresses and node ports are taken from.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};
use std::ops::RangeInclusive;

use crate::kinds::validate::addresses::parse_cidr;

/// Takes the wanted address of an IPv4 range, or the first free one from `start` on.
///
/// The network's own address and the last one are never given.
///
/// # Errors
/// Why the wanted address cannot be had, or that none is left.
pub fn take_address(
    cidr: &str,
    taken: &BTreeSet<String>,
    start: u32,
    wanted: Option<&str>,
) -> Result<String, String> {
    let Some((IpAddr::V4(network), length)) = parse_cidr(cidr) else {
        return Err(format!("{cidr} is not an IPv4 range"));
    };
    let size = 1_u64 << (32 - length);
    let first = u64::from(network.to_bits());
    if let Some(wanted) = wanted {
        let number = wanted
            .parse::<Ipv4Addr>()
            .ok()
            .map(|ip| u64::from(ip.to_bits()));
        let inside = number.is_some_and(|n| n > first && n < first + size - 1);
        return match (inside, taken.contains(wanted)) {
            (false, _) => Err("the provided network does not match the current range".to_owned()),
            (true, true) => Err("provided IP is already allocated".to_owned()),
            (true, false) => Ok(wanted.to_owned()),
        };
    }
    let usable = size.saturating_sub(2);
    (0..usable)
        .map(|step| first + 1 + (u64::from(start) + step) % usable)
        .filter_map(|number| u32::try_from(number).ok())
        .map(|bits| Ipv4Addr::from_bits(bits).to_string())
        .find(|address| !taken.contains(address))
        .ok_or_else(|| "range is full".to_owned())
}

/// Takes the wanted node port (0 for any): any is the first free one from `start` on.
///
/// # Errors
/// Why the wanted port cannot be had, or that none is left.
pub fn take_port(
    range: RangeInclusive<u16>,
    taken: &BTreeSet<u16>,
    start: u16,
    wanted: u16,
) -> Result<u16, String> {
    let (first, last) = (*range.start(), *range.end());
    match wanted {
        0 => {}
        port if !range.contains(&port) => {
            return Err(format!(
                "provided port is not in the valid range. The range of valid ports is {first}-{last}"
            ));
        }
        port if taken.contains(&port) => {
            return Err("provided port is already allocated".to_owned());
        }
        port => return Ok(port),
    }
    let size = u32::from(last - first) + 1;
    (0..size)
        .filter_map(|step| u16::try_from((u32::from(start) + step) % size).ok())
        .map(|offset| first + offset)
        .find(|port| !taken.contains(port))
        .ok_or_else(|| "range is full".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_once_and_within_the_range() {
        let range = "10.96.0.0/29";
        let mut taken = BTreeSet::new();
        for _ in 0..6 {
            let address = take_address(range, &taken, 4, None).unwrap();
            assert!(taken.insert(address));
        }
        assert!(!taken.contains("10.96.0.0") && !taken.contains("10.96.0.7"));
        assert!(take_address(range, &taken, 0, None).is_err());
        let wanted = take_address(range, &taken, 0, Some("10.96.0.3"));
        assert_eq!(wanted.unwrap_err(), "provided IP is already allocated");
        assert!(take_address(range, &taken, 0, Some("10.97.0.1")).is_err());
    }

    #[test]
    fn ports_are_taken_once_and_within_the_range() {
        let taken = BTreeSet::from([30000, 30002]);
        assert_eq!(take_port(30000..=30003, &taken, 2, 0), Ok(30003));
        assert_eq!(take_port(30000..=30003, &taken, 0, 30001), Ok(30001));
        assert!(take_port(30000..=30003, &taken, 0, 30000).is_err());
        assert!(take_port(30000..=30003, &taken, 0, 80).is_err());
    }
}
