//! Logs of containers for requests of the API.

use crate::cluster::{ApiError, Cluster, LogOptions, LogTarget};
use crate::kubelet::logs;

/// Returns the log of a container as the fake kubelet computes it.
pub(crate) fn read(
    cluster: &Cluster,
    target: &LogTarget,
    options: &LogOptions,
) -> Result<String, ApiError> {
    let (mode, now) = (cluster.settings().pods, cluster.now()?);
    Ok(logs::read(
        &target.pod,
        &target.container,
        mode,
        options,
        now,
    )?)
}
