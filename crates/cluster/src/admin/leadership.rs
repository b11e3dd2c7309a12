//! Leadership of the controllers, and the clock that the leader moves.

use jiff::Timestamp;

use crate::cluster::{Cluster, Result};
use crate::store::{Batch, Candidate, Cause, Leadership, Revision, Turn};

impl Cluster {
    /// Takes the lead of the controllers unless another process has it.
    ///
    /// # Errors
    /// Fails if the directory cannot be read or written.
    pub fn try_lead(&self, candidate: &mut Candidate) -> Result<Option<Leadership>> {
        self.context.store.election().try_lead(candidate)
    }

    /// Takes the turn to begin an epoch, if nobody else has it.
    ///
    /// # Errors
    /// Fails if the directory cannot be read or may not be written.
    pub fn try_turn(&self) -> Result<Option<Turn>> {
        self.context.store.election().try_turn()
    }

    /// Whose turn it is, for messages.
    pub fn whose_turn(&self) -> String {
        self.context.store.election().whose_turn()
    }

    /// Returns true if the leader of another part began an epoch, or writes under it.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub fn shares_epoch(&self, lead: &Leadership, epoch: u64) -> Result<bool> {
        lead.shares(epoch)
    }

    /// Returns the leader of the controllers and its heartbeat counter, if there is a leader.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub fn heartbeat(&self) -> Result<Option<(u64, u64)>> {
        self.context.store.election().heartbeat()
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
            .context
            .store
            .commit(&Cause::new(writer, rule), batch)?;
        Ok((done.revision, done.time))
    }

    /// Begins a new leader's epoch, which fences off every earlier one; returns it.
    ///
    /// # Errors
    /// Fails if nothing can be written.
    pub fn lead(&self) -> Result<u64> {
        let batch = Batch {
            lead: true,
            ..Batch::default()
        };
        Ok(self
            .context
            .store
            .commit(&Cause::new(self.context.writer.clone(), "lead"), batch)?
            .epoch)
    }
}
