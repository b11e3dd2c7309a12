//! The related objects that a description needs, and the texts for missing values.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::api::json::Value;

pub(super) const NONE: &str = "<none>";
pub(super) const UNSET: &str = "<unset>";

/// Related objects that a description needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The events about the object.
    Events,
    /// The Pods of its namespace.
    Pods,
    /// The Pods of its namespace, or the error that is printed instead.
    PodsOrError,
    /// The Pods of its node that have not ended, of all namespaces.
    PodsOfNode,
    /// The ReplicaSets of its namespace.
    ReplicaSets,
    /// The EndpointSlices of its namespace.
    EndpointSlices,
    /// The Services of its namespace.
    Services,
    /// The ResourceQuotas in the described namespace.
    Quotas,
    /// The LimitRanges in the described namespace.
    LimitRanges,
    /// The Lease of the described node.
    Lease,
    /// The ResourceSlices of the described node.
    ResourceSlices,
}

/// The related objects of a description.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_print::describe::{Need, Related, describe, needs};
/// use jiff::tz::TimeZone;
///
/// let node = json!({"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": "blue"}, "status": {"phase": "Active"}});
/// // The caller reads the objects that a description needs.
/// let has_quotas = needs("", "Namespace").iter().any(|need| matches!(need, Need::Quotas));
/// assert!(has_quotas);
/// let related = Related::at("2026-01-02T12:00:00Z".parse()?, TimeZone::UTC);
/// assert!(describe(&node, &related).starts_with("Name:         blue\n"));
/// # Ok::<(), jiff::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Related {
    /// Events about the object; `None` if they are not shown.
    pub events: Option<Vec<Value>>,
    /// Pods.
    pub pods: Vec<Value>,
    /// ReplicaSets.
    pub replica_sets: Vec<Value>,
    /// EndpointSlices.
    pub endpoint_slices: Vec<Value>,
    /// Services.
    pub services: Vec<Value>,
    /// ResourceQuotas.
    pub quotas: Vec<Value>,
    /// LimitRanges.
    pub limit_ranges: Vec<Value>,
    /// The Lease, or the error that kubectl prints instead.
    pub lease: Result<Value, String>,
    /// ResourceSlices.
    pub resource_slices: Vec<Value>,
    /// The needs that the user may not read, with the errors.
    pub refused: Vec<(Need, String)>,
    /// The cluster's time.
    pub now: Timestamp,
    /// The reader's time zone.
    pub zone: TimeZone,
}

impl Related {
    /// Returns no related objects, only the time.
    pub fn at(now: Timestamp, zone: TimeZone) -> Self {
        Self {
            events: None,
            pods: Vec::new(),
            replica_sets: Vec::new(),
            endpoint_slices: Vec::new(),
            services: Vec::new(),
            quotas: Vec::new(),
            limit_ranges: Vec::new(),
            lease: Err(String::new()),
            resource_slices: Vec::new(),
            refused: Vec::new(),
            now,
            zone,
        }
    }

    /// Returns the error of a need that the user may not read.
    pub(super) fn refusal(&self, need: Need) -> Option<&str> {
        let found = self.refused.iter().find(|(refused, _)| *refused == need);
        found.map(|(_, why)| why.as_str())
    }
}
