//! Leadership of the controllers, and the clock that the leader moves.

use std::sync::Arc;

use jiff::Timestamp;

use crate::cluster::{Cluster, Result};
use crate::store::{Batch, Candidate, Cause, Leadership, Revision, SettleLock};

/// The leadership of a cluster's controllers.
///
/// ```
/// use std::time::Duration;
///
/// use ctl_cluster::{Candidate, Cluster, ControllerLead, Leadership, Share, StoreError};
///
/// /// Leads the controllers of all namespaces, unless another process does.
/// fn lead(cluster: &Cluster) -> Result<Option<Leadership>, StoreError> {
///     let election: ControllerLead<'_> = cluster.election();
///     election.try_lead(&mut Candidate::new(Duration::from_secs(5), Share::WHOLE))
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ControllerLead<'c>(&'c Cluster);

impl Cluster {
    /// Returns the leadership of the controllers.
    pub fn election(&self) -> ControllerLead<'_> {
        ControllerLead(self)
    }
}

impl ControllerLead<'_> {
    /// Becomes the leader of the controllers unless another process leads.
    ///
    /// # Errors
    /// Fails if the directory cannot be read or written.
    pub fn try_lead(&self, candidate: &mut Candidate) -> Result<Option<Leadership>> {
        self.0.context.store.election().try_lead(candidate)
    }

    /// Acquires the lock for beginning an epoch if no other process has it.
    ///
    /// # Errors
    /// Fails if the directory cannot be read or may not be written.
    pub fn try_settle_lock(&self) -> Result<Option<SettleLock>> {
        self.0.context.store.election().try_settle_lock()
    }

    /// Returns the names of the controllers that are paused, as any process may have changed them by now.
    pub fn paused(&self) -> Arc<[String]> {
        self.0.context.store.paused()
    }

    /// Describes the process that has the settle lock, for messages.
    pub fn settle_lock_holder(&self) -> String {
        self.0.context.store.election().settle_lock_holder()
    }

    /// Returns the leader of the controllers and its heartbeat counter, if there is a leader.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub fn heartbeat(&self) -> Result<Option<(u64, u64)>> {
        self.0.context.store.election().heartbeat()
    }

    /// Moves the clock of a virtual cluster forward; returns the cluster's revision and time.
    ///
    /// # Errors
    /// Fails if nothing can be written.
    pub fn move_clock(
        &self,
        writer: &str,
        rule: &str,
        epoch: Option<u64>,
        to: Timestamp,
    ) -> Result<(Revision, Timestamp)> {
        let batch = Batch {
            epoch,
            at: Some(to),
            ..Batch::default()
        };
        let done = self
            .0
            .context
            .store
            .commit(&Cause::new(writer, rule), batch)?;
        Ok((done.revision, done.time))
    }

    /// Begins a new leader's epoch, which fences off all earlier ones; returns it.
    ///
    /// # Errors
    /// Fails if nothing can be written.
    pub fn lead(&self) -> Result<u64> {
        let batch = Batch {
            // The new epoch is a separate record: a commit of an earlier leader fails from this point in the journal
            // on, whatever state that process is in.
            lead: true,
            ..Batch::default()
        };
        Ok(self
            .0
            .context
            .store
            .commit(&Cause::new(self.0.context.writer.clone(), "lead"), batch)?
            .epoch)
    }
}
