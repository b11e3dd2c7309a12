//! Waits for the turn to settle a cluster.

use std::time::Duration;

use super::context::Context;
use super::error::CliError;
use crate::cluster::{Cluster, Turn};
use crate::runtime::Stop;
use crate::sys::clock::Stopwatch;
use crate::sys::signal;

/// The wait after which a message says which process has the turn.
const PATIENCE: Duration = Duration::from_secs(2);

/// The interval between attempts.
const LOOK: Duration = Duration::from_millis(50);

/// Takes the turn as soon as no other process has it. Returns `None` after the timeout or a request to stop.
pub(crate) fn take(
    cluster: &Cluster,
    context: &Context,
    most: Option<Duration>,
    stop: Stop<'_>,
) -> Result<Option<Turn>, CliError> {
    let (waited, mut told) = (Stopwatch::start(), false);
    loop {
        if let Some(turn) = cluster.election().try_turn()? {
            return Ok(Some(turn));
        }
        let elapsed = waited.elapsed();
        if stop() || most.is_some_and(|most| elapsed >= most) {
            return Ok(None);
        }
        // Most turns take milliseconds; only a long wait needs an explanation.
        if elapsed >= PATIENCE && !std::mem::replace(&mut told, true) {
            let who = cluster.election().whose_turn();
            context
                .ui
                .note(&format!("waiting for {who} to settle the cluster"));
        }
        signal::sleep(LOOK);
    }
}
