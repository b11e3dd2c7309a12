//! The annotations that identify a rollout.

/// The number of a Deployment's or ReplicaSet's revision.
pub const REVISION: &str = "deployment.kubernetes.io/revision";

/// The annotation with the reason for a revision.
pub const CHANGE_CAUSE: &str = "kubernetes.io/change-cause";
