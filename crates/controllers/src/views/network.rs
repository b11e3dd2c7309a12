//! Services.

use crate::api::json::Value;
use crate::kinds::tree::{field, flag, list, text};

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
