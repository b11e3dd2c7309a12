//! Waits for the lock for settling a cluster.

use std::time::Duration;

use super::context::Context;
use super::error::CliError;
use crate::cluster::{Cluster, SettleLock};
use crate::runtime::Stop;
use crate::sys::clock::Stopwatch;
use crate::sys::signal;

/// The wait after which a message says which process has the lock.
const PATIENCE: Duration = Duration::from_secs(2);

/// The interval between attempts.
const LOOK: Duration = Duration::from_millis(50);

/// Acquires the lock as soon as no other process has it. Returns `None` after the timeout or a request to stop.
pub(crate) fn acquire(
    cluster: &Cluster,
    context: &Context,
    most: Option<Duration>,
    stop: Stop<'_>,
) -> Result<Option<SettleLock>, CliError> {
    let (waited, mut told) = (Stopwatch::start(), false);
    loop {
        if let Some(lock) = cluster.election().try_settle_lock()? {
            return Ok(Some(lock));
        }
        let elapsed = waited.elapsed();
        if stop() || most.is_some_and(|most| elapsed >= most) {
            return Ok(None);
        }
        // Most processes hold the lock for milliseconds; only a long wait needs an explanation.
        if elapsed >= PATIENCE && !std::mem::replace(&mut told, true) {
            let who = cluster.election().settle_lock_holder();
            context
                .ui
                .note(&format!("waiting for {who} to settle the cluster"));
        }
        signal::sleep(LOOK);
    }
}
