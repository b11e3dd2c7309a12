//! Services, their addresses, and the ports of their endpoints.

use std::net::IpAddr;

use crate::api::addresses::{address_bits, host_mask, parse_cidr};
use crate::api::json::Value;
use crate::kinds::Kind;
use crate::kinds::tree::{at, field, flag, int, list, text, texts};

/// A Service.
#[derive(Clone, Copy)]
pub(crate) struct Service<'a>(&'a Value);

/// Reads a Service.
pub(crate) fn service(object: &Value) -> Service<'_> {
    Service(object)
}

impl<'a> Service<'a> {
    /// Returns the type, such as `ClusterIP`.
    pub(crate) fn kind(self) -> &'a str {
        text(field(self.0, "spec"), "type")
    }

    /// Returns the cluster IP; the text `None` for a headless Service.
    pub(crate) fn cluster_ip(self) -> &'a str {
        text(field(self.0, "spec"), "clusterIP")
    }

    /// Returns the cluster IPs of all families; the text `None` for a headless Service.
    pub(crate) fn cluster_ips(self) -> impl Iterator<Item = &'a str> {
        texts(field(self.0, "spec"), "clusterIPs")
    }

    /// Returns the ports.
    pub(crate) fn ports(self) -> &'a [Value] {
        list(field(self.0, "spec"), "ports")
    }

    /// Returns true if Pods count as ready even if they are not.
    pub(crate) fn publishes_not_ready(self) -> bool {
        flag(field(self.0, "spec"), "publishNotReadyAddresses")
    }

    /// Returns the load balancer implementation; empty for the default one.
    pub(crate) fn load_balancer_class(self) -> &'a str {
        text(field(self.0, "spec"), "loadBalancerClass")
    }

    /// Returns the requested address of the load balancer.
    pub(crate) fn load_balancer_ip(self) -> &'a str {
        text(field(self.0, "spec"), "loadBalancerIP")
    }

    /// Returns the preference for near endpoints.
    pub(crate) fn traffic_distribution(self) -> &'a str {
        text(field(self.0, "spec"), "trafficDistribution")
    }
}

/// A range of a ServiceCIDR: an address and the length of its prefix.
pub(crate) struct AddressRange(IpAddr, u32);

/// Returns the ranges of a ServiceCIDR.
pub(crate) fn address_ranges(object: &Value) -> impl Iterator<Item = AddressRange> {
    let all = texts(field(object, "spec"), "cidrs").filter_map(parse_cidr);
    all.map(|(address, length)| AddressRange(address, length))
}

impl AddressRange {
    /// Returns true if the allocator may assign an address from this range.
    pub(crate) fn assigns(&self, address: IpAddr) -> bool {
        let Self(own, length) = *self;
        let (hosts, bits) = (host_mask(length), address_bits(address));
        let host = bits & hosts;
        // The address of the network and the broadcast address of IPv4 stay free.
        let is_broadcast = address.is_ipv4() && host == hosts >> 96 << 96;
        own.is_ipv4() == address.is_ipv4()
            && address_bits(own) & !hosts == bits & !hosts
            && host != 0
            && !is_broadcast
    }
}

/// The object that an IPAddress belongs to.
#[derive(Clone, Copy)]
pub(crate) struct AddressParent<'a>(&'a Value);

/// Reads the object that an IPAddress belongs to.
pub(crate) fn address_parent(record: &Value) -> AddressParent<'_> {
    AddressParent(at(record, &["spec", "parentRef"]))
}

impl<'a> AddressParent<'a> {
    /// Returns the API group.
    pub(crate) fn group(self) -> &'a str {
        text(self.0, "group")
    }

    /// Returns the resource, such as `services`.
    pub(crate) fn resource(self) -> &'a str {
        text(self.0, "resource")
    }

    /// Returns the namespace.
    pub(crate) fn namespace(self) -> &'a str {
        text(self.0, "namespace")
    }

    /// Returns the name.
    pub(crate) fn name(self) -> &'a str {
        text(self.0, "name")
    }

    /// Returns true if it is an object of this kind.
    pub(crate) fn refers_to(self, kind: &Kind) -> bool {
        self.group() == kind.group && self.resource() == kind.plural
    }
}

/// An address of Endpoints.
#[derive(Clone, Copy)]
pub(crate) struct Address<'a>(&'a Value);

/// Reads an address of Endpoints.
pub(crate) fn address(value: &Value) -> Address<'_> {
    Address(value)
}

impl<'a> Address<'a> {
    /// Returns the address.
    pub(crate) fn ip(self) -> &'a str {
        text(self.0, "ip")
    }

    /// Returns the name of the node of the Pod.
    pub(crate) fn node_name(self) -> &'a str {
        text(self.0, "nodeName")
    }

    /// Returns the host name of the Pod within its service.
    pub(crate) fn hostname(self) -> &'a str {
        text(self.0, "hostname")
    }

    /// Returns the reference to the Pod.
    pub(crate) fn target(self) -> &'a Value {
        field(self.0, "targetRef")
    }
}

/// A port of Endpoints or of an EndpointSlice.
#[derive(Clone, Copy)]
pub(crate) struct Port<'a>(&'a Value);

/// Reads a port of Endpoints or of an EndpointSlice.
pub(crate) fn port(value: &Value) -> Port<'_> {
    Port(value)
}

impl<'a> Port<'a> {
    /// Returns the name; empty if the only port of a Service has none.
    pub(crate) fn name(self) -> &'a str {
        text(self.0, "name")
    }

    /// Returns the number.
    pub(crate) fn number(self) -> i64 {
        int(self.0, "port")
    }

    /// Returns the protocol, such as `TCP`.
    pub(crate) fn protocol(self) -> &'a str {
        text(self.0, "protocol")
    }

    /// Returns the protocol of the application; empty for none.
    pub(crate) fn app_protocol(self) -> &'a str {
        text(self.0, "appProtocol")
    }
}

/// Returns the ports of an EndpointSlice.
pub(crate) fn slice_ports(slice: &Value) -> &[Value] {
    list(slice, "ports")
}

/// Returns the endpoints of an EndpointSlice.
pub(crate) fn endpoints(slice: &Value) -> &[Value] {
    list(slice, "endpoints")
}

/// An endpoint of an EndpointSlice.
#[derive(Clone, Copy)]
pub(crate) struct Endpoint<'a>(&'a Value);

/// Reads an endpoint of an EndpointSlice.
pub(crate) fn endpoint(value: &Value) -> Endpoint<'_> {
    Endpoint(value)
}

impl<'a> Endpoint<'a> {
    /// Returns true if it gets traffic.
    pub(crate) fn is_ready(self) -> bool {
        flag(field(self.0, "conditions"), "ready")
    }

    /// Returns true unless it is known to serve nothing.
    pub(crate) fn may_serve(self) -> bool {
        let serving = field(field(self.0, "conditions"), "serving");
        serving.as_bool() != Some(false)
    }

    /// Returns the zone of its node; empty if that is not known.
    pub(crate) fn zone(self) -> &'a str {
        text(self.0, "zone")
    }

    /// Returns true if it is meant for the traffic of some zones or nodes.
    pub(crate) fn is_hinted(self) -> bool {
        !field(self.0, "hints").is_null()
    }

    /// Returns the first zone whose traffic it is meant for.
    pub(crate) fn hinted_zone(self) -> Option<&'a str> {
        let zones = list(field(self.0, "hints"), "forZones");
        zones.first().map(|zone| text(zone, "name"))
    }
}

/// An APIService.
#[derive(Clone, Copy)]
pub(crate) struct ApiService<'a>(&'a Value);

/// Reads an APIService.
pub(crate) fn api_service(object: &Value) -> ApiService<'_> {
    ApiService(field(object, "spec"))
}

impl<'a> ApiService<'a> {
    /// Returns true if the API server serves the API itself.
    pub(crate) fn is_local(self) -> bool {
        field(self.0, "service").is_null()
    }

    /// Returns the namespace of its Service.
    pub(crate) fn namespace(self) -> &'a str {
        text(field(self.0, "service"), "namespace")
    }

    /// Returns the name of its Service.
    pub(crate) fn name(self) -> &'a str {
        text(field(self.0, "service"), "name")
    }

    /// Returns the port of its Service.
    pub(crate) fn port(self) -> i64 {
        int(field(self.0, "service"), "port")
    }

    /// Returns the API group.
    pub(crate) fn group(self) -> &'a str {
        text(self.0, "group")
    }

    /// Returns the version of the group.
    pub(crate) fn version(self) -> &'a str {
        text(self.0, "version")
    }
}
