//! The order of ports in EndpointSlices and Endpoints. Kubernetes sorts them by a hash of Go's text for the struct, so the
//! order is neither that of the Service nor that of the names.

use super::views::{Port, port};
use crate::api::json::Value;

/// Sorts the ports of an EndpointSlice.
pub(crate) fn of_slice(ports: &mut [Value]) {
    sort(ports, |port| {
        format!(
            "(v1.EndpointPort){{Name:(*string){} Protocol:(*v1.Protocol){} Port:(*int32){} AppProtocol:(*string){}}}",
            port.name(),
            port.protocol(),
            port.number(),
            app_protocol(port)
        )
    });
}

/// Sorts the ports of a subset of Endpoints.
pub(crate) fn of_subset(ports: &mut [Value]) {
    sort(ports, |port| {
        format!(
            "(v1.EndpointPort){{Name:(string){} Port:(int32){} Protocol:(v1.Protocol){} AppProtocol:(*string){}}}",
            port.name(),
            port.number(),
            port.protocol(),
            app_protocol(port)
        )
    });
}

fn sort(ports: &mut [Value], shown: impl Fn(Port<'_>) -> String) {
    // Most Services have one port, and the Pods of a large one are all asked for theirs.
    if ports.len() > 1 {
        ports.sort_by_cached_key(|value| fnv1a_128(shown(port(value)).as_bytes()));
    }
}

fn app_protocol(port: Port<'_>) -> &str {
    match port.app_protocol() {
        "" => "<nil>",
        protocol => protocol,
    }
}

/// Returns the FNV-1a hash of 128 bits, which replaced MD5 in Kubernetes 1.35.
fn fnv1a_128(bytes: &[u8]) -> u128 {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;
    bytes.iter().fold(
        0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128,
        |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn names(ports: &[(&str, i64)], sort: fn(&mut [Value])) -> Vec<String> {
        let made =
            |(name, number): &(&str, i64)| json!({"name": name, "port": number, "protocol": "TCP"});
        let mut ports: Vec<Value> = ports.iter().map(made).collect();
        sort(&mut ports);
        ports.iter().map(|p| port(p).name().to_owned()).collect()
    }

    #[test]
    fn ports_have_the_order_of_their_hashes() {
        let web = [("http", 80), ("https", 443)];
        assert_eq!(names(&web, of_slice), ["https", "http"]);
        assert_eq!(names(&web, of_subset), ["http", "https"]);
        let letters = [("a", 80), ("b", 81)];
        assert_eq!(names(&letters, of_slice), ["b", "a"]);
        assert_eq!(names(&letters, of_subset), ["b", "a"]);
        let measured = [("http", 80), ("https", 443), ("metrics", 1936)];
        assert_eq!(names(&measured, of_subset), ["metrics", "http", "https"]);
    }

    #[test]
    fn ports_of_cluster_dns_have_the_order_that_clusters_show() {
        let made = |name: &str, protocol: &str, number: i64| json!({"name": name, "protocol": protocol, "port": number});
        let mut ports = vec![
            made("metrics", "TCP", 9153),
            made("dns-tcp", "TCP", 53),
            made("dns", "UDP", 53),
        ];
        let numbers =
            |ports: &[Value]| -> Vec<i64> { ports.iter().map(|p| port(p).number()).collect() };
        of_slice(&mut ports);
        assert_eq!(numbers(&ports), [53, 53, 9153]);
        of_subset(&mut ports);
        assert_eq!(numbers(&ports), [9153, 53, 53]);
    }
}
