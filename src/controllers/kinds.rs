//! The kinds that controllers work on.

use crate::kinds::Kind;
use crate::kinds::kind::{SCALE, find};

/// A kind that the registry holds (a test asks for each).
fn known(group: &str, kind: &str) -> &'static Kind {
    find(group, "v1", kind).unwrap_or(&SCALE)
}

/// Pods.
pub fn pods() -> &'static Kind {
    known("", "Pod")
}

/// Nodes.
pub fn nodes() -> &'static Kind {
    known("", "Node")
}

/// Claims of volumes.
pub fn claims() -> &'static Kind {
    known("", "PersistentVolumeClaim")
}

/// Replication controllers.
pub fn replication_controllers() -> &'static Kind {
    known("", "ReplicationController")
}

/// Replica sets.
pub fn replica_sets() -> &'static Kind {
    known("apps", "ReplicaSet")
}

/// Deployments.
pub fn deployments() -> &'static Kind {
    known("apps", "Deployment")
}

/// Stateful sets.
pub fn stateful_sets() -> &'static Kind {
    known("apps", "StatefulSet")
}

/// Daemon sets.
pub fn daemon_sets() -> &'static Kind {
    known("apps", "DaemonSet")
}

/// Revisions of stateful and daemon sets.
pub fn revisions() -> &'static Kind {
    known("apps", "ControllerRevision")
}

/// Jobs.
pub fn jobs() -> &'static Kind {
    known("batch", "Job")
}

/// Cron jobs.
pub fn cron_jobs() -> &'static Kind {
    known("batch", "CronJob")
}

/// What decides on admission: a change of one of these may let in what was refused.
pub fn gates() -> [&'static Kind; 3] {
    [
        known("", "ResourceQuota"),
        known("", "LimitRange"),
        known("", "ServiceAccount"),
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
