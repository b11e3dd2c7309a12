//! The annotations that identify a rollout.

/// The annotation with the revision number of a Deployment or ReplicaSet.
pub const REVISION: &str = "deployment.kubernetes.io/revision";

/// The annotation with the reason for a revision.
pub const CHANGE_CAUSE: &str = "kubernetes.io/change-cause";
