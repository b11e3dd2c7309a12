//! The related objects that a description needs, and the texts for missing values.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::api::json::Value;

pub(super) const NONE: &str = "<none>";
pub(super) const UNSET: &str = "<unset>";

/// A kind of related objects that a description needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelatedKind {
    /// The events about the object.
    Events,
    /// The Pods in the object's namespace.
    Pods,
    /// The Pods in the object's namespace, or the error to print instead.
    PodsOrError,
    /// The Pods on the node that have not ended, in all namespaces.
    PodsOfNode,
    /// The ReplicaSets in the object's namespace.
    ReplicaSets,
    /// The EndpointSlices in the object's namespace.
    EndpointSlices,
    /// The Services in the object's namespace.
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
/// use ctl_print::describe::{RelatedKind, Related, describe, needs};
/// use jiff::tz::TimeZone;
///
/// let node = json!({
///     "kind": "Namespace", "apiVersion": "v1", "metadata": {"name": "blue"}, "status": {"phase": "Active"},
/// });
/// // The caller reads the objects that the description needs.
/// let has_quotas = needs("", "Namespace").iter().any(|need| matches!(need, RelatedKind::Quotas));
/// assert!(has_quotas);
/// let related = Related::at("2026-01-02T12:00:00Z".parse()?, TimeZone::UTC);
/// assert!(describe(&node, &related).starts_with("Name:         blue\n"));
/// # Ok::<(), jiff::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Related {
    /// The events about the object; `None` if they are hidden.
    pub events: Option<Vec<Value>>,
    /// The Pods.
    pub pods: Vec<Value>,
    /// The ReplicaSets.
    pub replica_sets: Vec<Value>,
    /// The EndpointSlices.
    pub endpoint_slices: Vec<Value>,
    /// The Services.
    pub services: Vec<Value>,
    /// The ResourceQuotas.
    pub quotas: Vec<Value>,
    /// The LimitRanges.
    pub limit_ranges: Vec<Value>,
    /// The Lease, or the error that kubectl prints instead.
    pub lease: Result<Value, String>,
    /// The ResourceSlices.
    pub resource_slices: Vec<Value>,
    /// The kinds of objects that the user may not read, with the errors.
    pub refused: Vec<(RelatedKind, String)>,
    /// The cluster's time.
    pub now: Timestamp,
    /// The reader's time zone.
    pub zone: TimeZone,
}

impl Related {
    /// Returns an empty set of related objects at this time.
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

    /// Returns the error if the user may not read these objects.
    pub(super) fn refusal(&self, need: RelatedKind) -> Option<&str> {
        let found = self.refused.iter().find(|(refused, _)| *refused == need);
        found.map(|(_, why)| why.as_str())
    }
}
