//! The past of a cluster, commit by commit. Roles say nothing about it: it is the administrator's.

use jiff::Timestamp;

use crate::cluster::{Cluster, Result};
use crate::door::only_administrator;
use crate::store::{Batch, ClockMode, Past, Revision, See};

impl Cluster {
    /// Shows the commits of a part of the past one by one, oldest first, without copies of the objects.
    ///
    /// # Errors
    /// If they are no longer kept, or the user is not the administrator.
    pub fn visit_history(&self, past: &Past, see: See<'_>) -> Result<()> {
        only_administrator(&self.context)?;
        self.context.store.visit_commits(past, see)
    }

    /// Records a commit that changes nothing: `rule` finds this point in the history again. Returns the
    /// revision.
    ///
    /// # Errors
    /// If nothing can be written, or the user is not the administrator.
    pub fn mark(&self, rule: &str) -> Result<Revision> {
        only_administrator(&self.context)?;
        let batch = Batch {
            marks: true,
            ..Batch::default()
        };
        let committed = self.context.store.commit(&self.cause(rule), batch)?;
        Ok(committed.revision)
    }

    /// Copies the cluster as it was at a revision into memory, where the clock stands still at `time`, or at
    /// the time of the revision if that is later.
    ///
    /// # Errors
    /// If the cluster cannot be read, or that revision is no longer kept.
    pub fn as_of(&self, revision: Revision, time: Timestamp) -> Result<Self> {
        let mut past = self.fork(Some(revision))?;
        // The machine's clock would show ages of today.
        past.set_clock(ClockMode::Virtual)?;
        let _ = past.move_clock("clock", "clock: a look at the past", None, time)?;
        Ok(past)
    }

    /// Returns the revision at which the history begins: later changes are all kept.
    ///
    /// # Errors
    /// If the cluster cannot be read.
    pub fn oldest(&self) -> Result<Revision> {
        self.context.store.oldest()
    }
}
