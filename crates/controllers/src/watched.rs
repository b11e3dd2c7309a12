//! The kinds that controllers work on.

use crate::kinds::Kind;
use crate::kinds::kind::{SCALE, find_by_api_version};

/// A kind that the registry holds; each name used is asked for by a test of its user.
pub fn known(api_version: &str, kind: &str) -> &'static Kind {
    find_by_api_version(api_version, kind).unwrap_or(&SCALE)
}

/// Pods.
pub fn pods() -> &'static Kind {
    known("v1", "Pod")
}

/// Nodes.
pub fn nodes() -> &'static Kind {
    known("v1", "Node")
}

/// Claims of volumes.
pub fn claims() -> &'static Kind {
    known("v1", "PersistentVolumeClaim")
}

/// Replication controllers.
pub fn replication_controllers() -> &'static Kind {
    known("v1", "ReplicationController")
}

/// Replica sets.
pub fn replica_sets() -> &'static Kind {
    known("apps/v1", "ReplicaSet")
}

/// Deployments.
pub fn deployments() -> &'static Kind {
    known("apps/v1", "Deployment")
}

/// Stateful sets.
pub fn stateful_sets() -> &'static Kind {
    known("apps/v1", "StatefulSet")
}

/// Daemon sets.
pub fn daemon_sets() -> &'static Kind {
    known("apps/v1", "DaemonSet")
}

/// Revisions of stateful and daemon sets.
pub fn revisions() -> &'static Kind {
    known("apps/v1", "ControllerRevision")
}

/// Jobs.
pub fn jobs() -> &'static Kind {
    known("batch/v1", "Job")
}

/// Cron jobs.
pub fn cron_jobs() -> &'static Kind {
    known("batch/v1", "CronJob")
}

/// Returns the kinds that decide on admission: a change of one of them may admit an object that was
/// rejected.
pub fn gates() -> [&'static Kind; 3] {
    [
        known("v1", "ResourceQuota"),
        known("v1", "LimitRange"),
        known("v1", "ServiceAccount"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_in_the_registry() {
        let kinds = [
            pods(),
            nodes(),
            claims(),
            replication_controllers(),
            replica_sets(),
            deployments(),
            stateful_sets(),
            daemon_sets(),
            revisions(),
            jobs(),
            cron_jobs(),
        ];
        assert!(kinds.into_iter().chain(gates()).all(|k| k.kind != "Scale"));
    }
}
