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

fn parse_ip(text: &str) -> Option<IpAddr> {
    // As in Kubernetes' library, an IPv4-mapped IPv6 address is invalid.
    text.parse().ok().filter(|address| !is_mapped(*address))
}

fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(v6) if v6.to_ipv4_mapped().is_some())
}

fn parse_range(text: &str) -> Option<(IpAddr, u32)> {
    parse_cidr(text).filter(|(address, _)| !is_mapped(*address))
}

fn of_text(name: &str, text: &str) -> Option<Outcome> {
    Some(match name {
        "ip" => {
            let wrong = || {
                format!(
                    "IP Address {text:?} parse error during conversion from string: not an address"
                )
            };
            parse_ip(text).map(Value::Ip).ok_or_else(wrong)
        }
        "isIP" => Ok(Value::Bool(parse_ip(text).is_some())),
        "ip.isCanonical" => match parse_ip(text) {
            Some(address) => Ok(Value::Bool(address.to_string() == text)),
            None => Err(format!(
                "IP Address {text:?} parse error during conversion from string: not an address"
            )),
        },
        "cidr" => {
            let wrong =
                || format!("network address parse error during conversion from string: {text:?}");
            parse_range(text)
                .map(|(a, n)| Value::Cidr(a, n))
                .ok_or_else(wrong)
        }
        "isCIDR" => Ok(Value::Bool(parse_range(text).is_some())),
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
            Some(inner) => (inner, u32::MAX),
            None => return of_text("ip", text),
        },
        ("containsCIDR", Value::Cidr(inner, length)) => (*inner, *length),
        ("containsCIDR", Value::Text(text)) => match parse_range(text) {
            Some((inner, length)) => (inner, length),
            None => return of_text("cidr", text),
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
