//! IP addresses and address ranges, and Kubernetes' error messages about them.
//!
//! Each check returns a list of error messages, which is empty if the input is well-formed.

use std::net::IpAddr;

/// The error for an address such as `010.0.0.1`.
pub const LEADING_ZEROS: &str = "must not have leading 0s";

/// Checks an IP address. `strict` rejects spellings that programs parse differently.
pub fn ip(text: &str, strict: bool) -> Vec<String> {
    if let Ok(address) = text.parse::<IpAddr>() {
        // Some programs take `::ffff:10.0.0.1` for the IPv4 address 10.0.0.1, others for a distinct address.
        return match strict && is_mapped(address) {
            true => vec!["must not be an IPv4-mapped IPv6 address".to_owned()],
            false => Vec::new(),
        };
    }
    // Go's old parser read numbers with leading zeros as decimal, other parsers read them as octal. Kubernetes
    // therefore reports them with an error of their own.
    if without_leading_zeros(text).is_some_and(|plain| plain.parse::<IpAddr>().is_ok()) {
        return vec![LEADING_ZEROS.to_owned()];
    }
    vec!["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)".to_owned()]
}

fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(v6) if v6.to_ipv4_mapped().is_some())
}

fn without_leading_zeros(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split('.').collect();
    let plain = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if parts.len() != 4 || !parts.iter().all(plain) {
        return None;
    }
    // A part of zeros only stays zero.
    let stripped = parts.iter().map(|p| match p.trim_start_matches('0') {
        "" => "0",
        rest => rest,
    });
    Some(stripped.collect::<Vec<_>>().join("."))
}

/// Parses an address range such as `10.0.0.0/8` into its address and prefix length.
pub fn parse_cidr(text: &str) -> Option<(IpAddr, u32)> {
    let (address, length) = text.split_once('/')?;
    let address: IpAddr = address.parse().ok()?;
    // `u32::from_str` accepts a plus sign, which a prefix length must not have.
    let length: u32 = length
        .strip_prefix('+')
        .is_none()
        .then(|| length.parse().ok())??;
    let bits = if address.is_ipv4() { 32 } else { 128 };
    (length <= bits).then_some((address, length))
}

/// Returns the bits of an address, left-aligned in 128.
pub fn address_bits(address: IpAddr) -> u128 {
    match address {
        // Left-aligned so that masks of both families are computed the same way.
        IpAddr::V4(v4) => u128::from(v4.to_bits()) << 96,
        IpAddr::V6(v6) => v6.to_bits(),
    }
}

/// Returns the bits that a prefix of `length` leaves to hosts.
pub fn host_mask(length: u32) -> u128 {
    // A shift by the full width overflows; a prefix of 128 bits leaves no host bits.
    u128::MAX.checked_shr(length).unwrap_or(0)
}

/// Checks an address range. `strict` rejects host bits.
pub fn cidr(text: &str, strict: bool) -> Vec<String> {
    // Go's old parser accepted leading zeros here as well.
    let plain = text.split_once('/').map(|(address, length)| {
        let plain = without_leading_zeros(address).unwrap_or_else(|| address.to_owned());
        (
            plain != address || length.len() > 1 && length.starts_with('0'),
            format!("{plain}/{length}"),
        )
    });
    let parsed = plain.and_then(|(has_zeros, plain)| Some((has_zeros, parse_cidr(&plain)?)));
    let Some((has_zeros, (address, length))) = parsed else {
        return vec!["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)".to_owned()];
    };
    if strict && has_zeros {
        return vec!["must not have leading 0s in IP or prefix length".to_owned()];
    }
    if strict && is_mapped(address) {
        return vec!["must not have an IPv4-mapped IPv6 address".to_owned()];
    }
    let full = if address.is_ipv4() { 96 } else { 0 };
    let hosts = host_mask(length) >> full << full;
    if strict && address_bits(address) & hosts != 0 {
        return vec!["must not have bits set beyond the prefix length".to_owned()];
    }
    Vec::new()
}

/// Checks a CIDR in a field that is newer than the strict check: only the canonical notation is valid.
pub fn canonical_cidr(text: &str) -> Vec<String> {
    let problems = cidr(text, true);
    if !problems.is_empty() {
        return problems;
    }
    let canonical = parse_cidr(text).map(|(address, length)| format!("{address}/{length}"));
    let other = canonical.filter(|canonical| canonical != text);
    let problem = |canonical| format!("must be in canonical form ({canonical:?})");
    other.map(problem).into_iter().collect()
}

/// Returns the error for an address that other nodes cannot reach, such as a loopback or link-local one.
pub fn special_address(text: &str) -> Option<String> {
    let address: IpAddr = text.parse().ok()?;
    let kind = match address {
        a if a.is_unspecified() => return Some(format!("may not be unspecified ({text})")),
        a if a.is_loopback() => "loopback range (127.0.0.0/8, ::1/128)",
        IpAddr::V4(v4) if v4.is_link_local() => "link-local range (169.254.0.0/16, fe80::/10)",
        // `Ipv6Addr` has no stable method for fe80::/10.
        IpAddr::V6(v6) if v6.segments()[0] & 0xffc0 == 0xfe80 => {
            "link-local range (169.254.0.0/16, fe80::/10)"
        }
        IpAddr::V4(v4) if v4.octets()[0] == 224 && v4.octets()[1..3] == [0, 0] => {
            "link-local multicast range (224.0.0.0/24, ff02::/10)"
        }
        IpAddr::V6(v6) if v6.segments()[0] == 0xff02 => {
            "link-local multicast range (224.0.0.0/24, ff02::/10)"
        }
        _ => return None,
    };
    Some(format!("may not be in the {kind}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ip_addresses_and_cidr_ranges_are_validated() {
        assert!(ip("10.0.0.1", true).is_empty());
        assert_eq!(ip("010.1.1.1", true), ["must not have leading 0s"]);
        assert!(cidr("10.0.0.0/8", true).is_empty());
        assert_eq!(cidr("10.0.0.1/8", true).len(), 1);
        assert!(cidr("10.0.0.1/8", false).is_empty());
        assert!(cidr("2001:db8::/64", true).is_empty());
        assert_eq!(cidr("x", false).len(), 1);
        for text in ["010.0.0.0/8", "10.0.0.0/08"] {
            assert_eq!(
                cidr(text, true),
                ["must not have leading 0s in IP or prefix length"]
            );
        }
        let mapped = ["must not have an IPv4-mapped IPv6 address"];
        assert_eq!(cidr("::ffff:1.2.3.0/120", true), mapped);
        assert_eq!(cidr("10.0.0.0/+8", true), cidr("x", true));
        assert!(canonical_cidr("fd00::/64").is_empty());
        assert_eq!(
            canonical_cidr("FD00:0::/64"),
            ["must be in canonical form (\"fd00::/64\")"]
        );
        for (address, told) in [
            ("10.0.0.1", None),
            ("0.0.0.0", Some("may not be unspecified (0.0.0.0)")),
            ("::", Some("may not be unspecified (::)")),
            (
                "127.0.0.1",
                Some("may not be in the loopback range (127.0.0.0/8, ::1/128)"),
            ),
        ] {
            assert_eq!(special_address(address).as_deref(), told);
        }
    }
}
