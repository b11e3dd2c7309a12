//! IP addresses and CIDRs.

use std::net::IpAddr;

use crate::api::addresses::{address_bits, host_mask, parse_cidr};
use crate::value::{Outcome, Value};

pub(super) fn call(name: &str, args: &[Value]) -> Option<Outcome> {
    match args {
        [Value::Text(text)] => of_text(name, text),
        [Value::Ip(address)] => of_address(name, *address),
        [Value::Cidr(address, length)] => of_range(name, *address, *length),
        [Value::Cidr(address, length), other] => within(name, *address, *length, other),
        _ => None,
    }
}

fn parse_ip(text: &str) -> Result<IpAddr, String> {
    match text.parse() {
        // As in Kubernetes' library, an IPv4-mapped IPv6 address is invalid.
        Ok(address) if is_mapped(address) => Err(mapped(text)),
        Ok(address) => Ok(address),
        Err(_) if has_zone(text) => Err(format!(
            "IP address {text:?} with zone value is not allowed"
        )),
        Err(_) => Err(format!(
            "IP Address {text:?} parse error during conversion from string: {}",
            reason(text)
        )),
    }
}

fn has_zone(text: &str) -> bool {
    let parts = text.split_once('%');
    parts.is_some_and(|(address, zone)| {
        !zone.is_empty() && address.contains(':') && address.parse::<IpAddr>().is_ok()
    })
}

fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(v6) if v6.to_ipv4_mapped().is_some())
}

fn mapped(text: &str) -> String {
    format!("IPv4-mapped IPv6 address {text:?} is not allowed")
}

fn parse_range(text: &str) -> Result<(IpAddr, u32), String> {
    const FAILED: &str = "network address parse error during conversion from string";
    match parse_cidr(text) {
        Some((address, _)) if is_mapped(address) => {
            return Err(format!("{FAILED}: {}", mapped(text)));
        }
        Some(range) => return Ok(range),
        None => {}
    }
    // Go reads the address before it checks the length.
    let why = match text.rsplit_once('/') {
        None => "no '/'".to_owned(),
        Some((address, _)) if address.parse::<IpAddr>().is_err() => reason(address),
        Some((_, length)) if length.parse::<i32>().is_err() => {
            format!("bad bits after slash: {length:?}")
        }
        Some(_) => "prefix length out of range".to_owned(),
    };
    // Like upstream, which says it twice.
    Err(format!(
        "{FAILED}: {FAILED}: netip.ParsePrefix({text:?}): {why}"
    ))
}

/// Returns the error of Go's parser about an address.
fn reason(text: &str) -> String {
    let (why, rest) = match text.chars().find(|c| matches!(c, '.' | ':' | '%')) {
        Some('.') => v4_reason(text),
        Some(':') => v6_reason(text),
        Some(_) => ("missing IPv6 address", ""),
        None => ("unable to parse IP", ""),
    };
    match rest {
        "" => format!("ParseAddr({text:?}): {why}"),
        rest => format!("ParseAddr({text:?}): {why} (at {rest:?})"),
    }
}

/// Returns the reason why an address is invalid, and the text at which it is, if Go shows that.
fn v4_reason(text: &str) -> (&'static str, &str) {
    let (mut value, mut digits, mut dots) = (0, 0, 0);
    for (at, c) in text.char_indices() {
        match (c, c.to_digit(10)) {
            (_, Some(_)) if digits == 1 && value == 0 => {
                return ("IPv4 field has octet with leading zero", "");
            }
            (_, Some(digit)) => {
                (value, digits) = (value * 10 + digit, digits + 1);
                if value > 255 {
                    return ("IPv4 field has value >255", "");
                }
            }
            ('.', _) if digits == 0 || at + 1 == text.len() => {
                return ("IPv4 field must have at least one digit", &text[at..]);
            }
            ('.', _) if dots == 3 => return ("IPv4 address too long", ""),
            ('.', _) => (value, digits, dots) = (0, 0, dots + 1),
            _ => return ("unexpected character", &text[at..]),
        }
    }
    ("IPv4 address too short", "")
}

/// As [`v4_reason`], for IPv6.
fn v6_reason(text: &str) -> (&'static str, &str) {
    let mut rest = text;
    // A zone may contain any characters, so it is cut off first.
    if let Some((address, zone)) = text.split_once('%') {
        if zone.is_empty() {
            return ("zone must be a non-empty string", "");
        }
        rest = address;
    }
    let mut short = rest.starts_with("::");
    rest = rest.strip_prefix("::").unwrap_or(rest);
    let mut fields = 0;
    // Two colons stand for all fields that are missing, so fewer than eight may follow.
    while fields < 8 {
        let end = rest.find(|c: char| !c.is_ascii_hexdigit());
        let (digits, after) = rest.split_at(end.unwrap_or(rest.len()));
        match (digits.len(), after.chars().next()) {
            (0, _) => {
                let why = "each colon-separated field must have at least one digit";
                return (why, rest);
            }
            (1..=4, Some('.')) if !short && fields != 6 => {
                let why = "embedded IPv4 address must replace the final 2 fields of the address";
                return (why, rest);
            }
            (1..=4, Some('.')) => return v4_reason(rest),
            (1..=4, Some(':')) if after.len() == 1 => {
                return ("colon must be followed by more characters", after);
            }
            (1..=4, Some(':')) => rest = &after[1..],
            (1..=4, Some(_)) => return ("unexpected character, want colon", after),
            (1..=4, None) => rest = "",
            _ => return ("each group must have 4 or less digits", rest),
        }
        fields += 1;
        if rest.starts_with(':') {
            if short {
                return ("multiple :: in address", rest);
            }
            short = true;
            rest = &rest[1..];
        }
        if rest.is_empty() {
            break;
        }
    }
    match (rest, fields) {
        ("", 8) => ("the :: must expand to at least one field of zeros", ""),
        ("", _) => ("address string too short", ""),
        (rest, _) => ("trailing garbage after address", rest),
    }
}

fn of_text(name: &str, text: &str) -> Option<Outcome> {
    Some(match name {
        "ip" => parse_ip(text).map(Value::Ip),
        "isIP" => Ok(Value::Bool(parse_ip(text).is_ok())),
        "ip.isCanonical" => parse_ip(text).map(|address| Value::Bool(address.to_string() == text)),
        "cidr" => parse_range(text).map(|(a, n)| Value::Cidr(a, n)),
        "isCIDR" => Ok(Value::Bool(parse_range(text).is_ok())),
        _ => return None,
    })
}

fn of_address(name: &str, address: IpAddr) -> Option<Outcome> {
    let link_local_multicast = match address {
        IpAddr::V4(v4) => v4.octets()[..3] == [224, 0, 0],
        IpAddr::V6(v6) => v6.segments()[0] & 0xff0f == 0xff02,
    };
    let link_local_unicast = match address {
        IpAddr::V4(v4) => v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_unicast_link_local(),
    };
    let broadcast = matches!(address, IpAddr::V4(v4) if v4.is_broadcast());
    Some(Ok(match name {
        "family" => Value::Int(if address.is_ipv4() { 4 } else { 6 }),
        "isUnspecified" => Value::Bool(address.is_unspecified()),
        "isLoopback" => Value::Bool(address.is_loopback()),
        "isLinkLocalMulticast" => Value::Bool(link_local_multicast),
        "isLinkLocalUnicast" => Value::Bool(link_local_unicast),
        "isGlobalUnicast" => {
            let special = address.is_unspecified() || address.is_loopback() || broadcast;
            Value::Bool(!special && !address.is_multicast() && !link_local_unicast)
        }
        _ => return None,
    }))
}

fn masked(address: IpAddr, length: u32) -> IpAddr {
    let bits = address_bits(address) & !host_mask(length);
    match address {
        // An IPv4 address is in the upper 32 of the 128 bits.
        IpAddr::V4(_) => IpAddr::V4(u32::try_from(bits >> 96).unwrap_or(0).into()),
        IpAddr::V6(_) => IpAddr::V6(bits.into()),
    }
}

fn of_range(name: &str, address: IpAddr, length: u32) -> Option<Outcome> {
    Some(Ok(match name {
        "ip" => Value::Ip(address),
        "masked" => Value::Cidr(masked(address, length), length),
        "prefixLength" => Value::Int(i64::from(length)),
        _ => return None,
    }))
}

fn within(name: &str, address: IpAddr, length: u32, other: &Value) -> Option<Outcome> {
    let (inner, inner_length) = match (name, other) {
        // An address is treated as a CIDR whose prefix is longer than any other.
        ("containsIP", Value::Ip(inner)) => (*inner, u32::MAX),
        ("containsIP", Value::Text(text)) => match parse_ip(text) {
            Ok(inner) => (inner, u32::MAX),
            // Like upstream, without the reason.
            Err(_) => return None,
        },
        ("containsCIDR", Value::Cidr(inner, length)) => (*inner, *length),
        ("containsCIDR", Value::Text(text)) => match parse_range(text) {
            Ok(range) => range,
            Err(wrong) => return Some(Err(wrong)),
        },
        _ => return None,
    };
    // A CIDR never contains one of the other address family.
    let same_family = address.is_ipv4() == inner.is_ipv4();
    let same_network = masked(inner, length) == masked(address, length);
    Some(Ok(Value::Bool(
        same_family && same_network && inner_length >= length,
    )))
}
