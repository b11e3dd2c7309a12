//! The ranges of cluster addresses and node ports.

use std::net::{IpAddr, Ipv4Addr};
use std::ops::RangeInclusive;

use crate::validate::addresses::parse_cidr;

/// The error for an address outside of the range.
const FOREIGN: &str = "the provided network does not match the current range";

/// The error for a range without a free value.
const FULL: &str = "range is full";

/// Allocates the requested address of an IPv4 range, or the first free one from `start` on.
///
/// Never allocates the network address and the last address.
///
/// # Errors
/// Returns an error if the requested address is not available or no address is left.
pub fn take_address(
    cidr: &str,
    taken: &dyn Fn(&str) -> bool,
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
        return match (inside, taken(wanted)) {
            (false, _) => Err(FOREIGN.to_owned()),
            (true, true) => Err("provided IP is already allocated".to_owned()),
            (true, false) => Ok(wanted.to_owned()),
        };
    }
    let usable = size.saturating_sub(2);
    // Use the lower band last: it is meant for Services that choose their address (KEP-3070).
    let low = static_band(size, 16, 256);
    let high = usable - low.min(usable);
    let dynamic = (0..high).map(|step| low + (u64::from(start) + step) % high);
    dynamic
        .chain(0..low.min(usable))
        .map(|offset| first + 1 + offset)
        .filter_map(|number| u32::try_from(number).ok())
        .map(|bits| Ipv4Addr::from_bits(bits).to_string())
        .find(|address| !taken(address))
        .ok_or_else(|| FULL.to_owned())
}

/// Allocates an address from the first range that has it, as [`take_address`] does.
///
/// # Errors
/// Returns an error if the requested address is not available or no range has an address left.
pub fn take_address_of(
    cidrs: &[String],
    taken: &dyn Fn(&str) -> bool,
    start: u32,
    wanted: Option<&str>,
) -> Result<String, String> {
    let none = if wanted.is_some() { FOREIGN } else { FULL };
    let mut refused = none.to_owned();
    for cidr in cidrs {
        match take_address(cidr, taken, start, wanted) {
            Err(why) if why == none => {}
            // If a range contains the address, report the reason of that range.
            Err(why) => refused = why,
            given => return given,
        }
    }
    Err(refused)
}

/// Allocates the requested node port, or the first free one from `start` on if it is 0.
///
/// # Errors
/// Returns an error if the requested port is not available or no port is left.
pub fn take_port(
    range: RangeInclusive<u16>,
    taken: &dyn Fn(u16) -> bool,
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
        port if taken(port) => {
            return Err("provided port is already allocated".to_owned());
        }
        port => return Ok(port),
    }
    let size = u64::from(last - first) + 1;
    // As for addresses, leave the lower band to explicit choices (KEP-3668).
    let low = static_band(size, 32, 128);
    let high = size - low.min(size);
    let dynamic = (0..high).map(|step| low + (u64::from(start) + step) % high);
    dynamic
        .chain(0..low.min(size))
        .filter_map(|offset| u16::try_from(offset).ok())
        .map(|offset| first + offset)
        .find(|port| !taken(*port))
        .ok_or_else(|| FULL.to_owned())
}

/// Returns the size of the band at the start of a range that is reserved for explicit choices.
fn static_band(size: u64, part: u64, most: u64) -> u64 {
    const LEAST: u64 = 16;
    if size <= LEAST {
        0
    } else {
        (size / part).clamp(LEAST, most)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn addresses_are_allocated_once_and_within_the_range() {
        let range = "10.96.0.0/29";
        let mut all = BTreeSet::new();
        for _ in 0..6 {
            let address = take_address(range, &|a| all.contains(a), 4, None).unwrap();
            assert!(all.insert(address));
        }
        let taken = |address: &str| all.contains(address);
        assert!(!taken("10.96.0.0") && !taken("10.96.0.7"));
        assert!(take_address(range, &taken, 0, None).is_err());
        let wanted = take_address(range, &taken, 0, Some("10.96.0.3"));
        assert_eq!(wanted.unwrap_err(), "provided IP is already allocated");
        assert!(take_address(range, &taken, 0, Some("10.97.0.1")).is_err());
    }

    #[test]
    fn addresses_come_from_the_first_range_that_has_one() {
        let ranges = ["10.96.0.0/30", "10.100.0.0/24"].map(str::to_owned);
        let give = |taken: &[&str], wanted| {
            take_address_of(&ranges, &|address| taken.contains(&address), 0, wanted)
        };
        assert_eq!(give(&[], None).unwrap(), "10.96.0.1");
        let full = ["10.96.0.1", "10.96.0.2"];
        assert!(give(&full, None).unwrap().starts_with("10.100.0."));
        assert_eq!(give(&full, Some("10.100.0.5")).unwrap(), "10.100.0.5");
        assert_eq!(
            give(&full, Some("10.96.0.1")).unwrap_err(),
            "provided IP is already allocated"
        );
        assert_eq!(give(&[], Some("10.1.0.1")).unwrap_err(), FOREIGN);
    }

    #[test]
    fn static_band_of_a_range_is_allocated_last() {
        let free = |_: &str| false;
        for start in [0, 7, 65_279] {
            let given = take_address("10.96.0.0/16", &free, start, None).unwrap();
            let bits = given.parse::<Ipv4Addr>().unwrap().to_bits() & 0xffff;
            assert!(bits > 256 && bits < 65_535, "{given}");
        }
        let high = |address: &str| !address.starts_with("10.96.0.");
        assert!(
            take_address("10.96.0.0/16", &high, 0, None)
                .unwrap()
                .starts_with("10.96.0.")
        );
        assert!(take_port(30_000..=32_767, &|_| false, 0, 0).unwrap() >= 30_086);
        assert_eq!(
            take_port(30_000..=32_767, &|port| port > 30_000, 0, 0),
            Ok(30_000)
        );
    }

    #[test]
    fn ports_are_allocated_once_and_within_the_range() {
        let taken = |port: u16| [30000, 30002].contains(&port);
        assert_eq!(take_port(30000..=30003, &taken, 2, 0), Ok(30003));
        assert_eq!(take_port(30000..=30003, &taken, 0, 30001), Ok(30001));
        assert!(take_port(30000..=30003, &taken, 0, 30000).is_err());
        assert!(take_port(30000..=30003, &taken, 0, 80).is_err());
    }
}
