//! Services, and the ports of their endpoints.

use crate::api::json::Value;
use crate::kinds::tree::{field, flag, int, list, text};

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

/// Returns the IP of an address of Endpoints.
pub(crate) fn ip(address: &Value) -> &str {
    text(address, "ip")
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
