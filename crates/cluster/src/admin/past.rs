//! The past of a cluster, commit by commit. Roles say nothing about it: it is the administrator's.

use crate::cluster::{Cluster, Result};
use crate::door::only_administrator;
use crate::store::{Past, Revision, See};

impl Cluster {
    /// Shows the commits of a part of the past one by one, oldest first, without copies of the objects.
    ///
    /// # Errors
    /// If they are no longer kept, or the user is not the administrator.
    pub fn visit_history(&self, past: &Past, see: See<'_>) -> Result<()> {
        only_administrator(&self.context)?;
        self.context.store.visit_commits(past, see)
    }

    /// Returns the revision at which the history begins: later changes are all kept.
    ///
    /// # Errors
    /// If the cluster cannot be read.
    pub fn oldest(&self) -> Result<Revision> {
        self.context.store.oldest()
    }
}
