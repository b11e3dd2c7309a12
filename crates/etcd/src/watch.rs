//! A watch: a stream of changes.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;

use crate::channel::Call;
use crate::error::{EtcdError, Result};
use crate::message::{Watched, watch_progress};
use crate::sys::net::within;

/// A watch of a range. Dropping it ends the watch.
///
/// ```no_run
/// use std::time::Duration;
///
/// use ctl_etcd::{Client, Event, KeyRange, Watch, Watched};
///
/// # let client = Client::new(&["127.0.0.1:2379".to_owned()], None)?;
/// let mut watch: Watch = client.watch(&KeyRange::prefix(b"/registry/pods/"), 0)?;
/// while let Some(Watched { events, .. }) = watch.next(Duration::from_secs(10))? {
///     for Event { deleted, kv, .. } in events {
///         println!("{} {}", if deleted { "-" } else { "+" }, String::from_utf8_lossy(&kv.key));
///     }
/// }
/// # Ok::<(), ctl_etcd::EtcdError>(())
/// ```
pub struct Watch {
    // Must be dropped before the runtime.
    call: Call,
    runtime: Arc<Runtime>,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}

impl Watch {
    pub(crate) const PATH: &'static str = "/etcdserverpb.Watch/Watch";

    pub(crate) fn new(runtime: Arc<Runtime>, call: Call) -> Self {
        Self { call, runtime }
    }

    /// Returns the next message, or `None` if none arrives in time. After an error, the watch has ended.
    ///
    /// # Errors
    /// [`EtcdError::Compacted`] with the oldest available revision, or [`EtcdError::Lost`] if the stream ends.
    pub fn next(&mut self, timeout: Duration) -> Result<Option<Watched>> {
        let call = &mut self.call;
        let message = self
            .runtime
            .block_on(async { within(timeout, call.next(Self::PATH)).await });
        let Ok(message) = message else {
            // If part of a message has arrived, it stays in the buffer of the call.
            return Ok(None);
        };
        let ended = || EtcdError::Lost("the watch has ended".to_owned());
        let message = message?.ok_or_else(ended)?;
        let watched = Watched::parse(&message).map_err(|()| EtcdError::Malformed(Self::PATH))?;
        // etcd cancels a watch that starts too early and returns the earliest possible start.
        match (watched.canceled, watched.compacted) {
            (false, _) => Ok(Some(watched)),
            (true, 0) => Err(EtcdError::Lost(format!(
                "the watch has ended: {}",
                watched.reason
            ))),
            (true, oldest) => Err(EtcdError::Compacted(Some(oldest))),
        }
    }

    /// Requests a message without changes, which tells how far the watch has advanced.
    ///
    /// # Errors
    /// Returns an error if the stream has ended.
    pub fn request_progress(&mut self) -> Result<()> {
        self.call.send(&watch_progress())
    }
}
