//! LeaseCandidate: its row in discovery and its hooks.

use crate::kind::Kind;

/// LeaseCandidate at `coordination.k8s.io/v1beta1`.
pub(crate) const KIND: Kind = Kind::namespaced(
    ("coordination.k8s.io", "v1beta1", "LeaseCandidate"),
    ("leasecandidates", "leasecandidate"),
)
.unpreferred()
.unserved()
.created_by_update()
.conditional();

/// LeaseCandidate at `coordination.k8s.io/v1alpha2`.
pub(crate) const V1ALPHA2: Kind = KIND.also_at("v1alpha2").unserved();
