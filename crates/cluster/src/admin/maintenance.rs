//! Checks, repair, and changes of the settings and of the format.

use crate::cluster::{Cluster, Result};
use crate::store::{ClockMode, Report};

impl Cluster {
    /// Changes whose time it is.
    ///
    /// # Errors
    /// Where the settings cannot be written.
    pub fn set_clock(&mut self, mode: ClockMode) -> Result<()> {
        self.context
            .store
            .update_settings(|settings| settings.clock = mode)
    }

    /// Reads everything and says what is wrong.
    ///
    /// # Errors
    /// Where the directory cannot be read at all.
    pub fn fsck(&self, history: bool) -> Result<Report> {
        self.context.store.fsck(history)
    }

    /// Brings the directory to the current format; returns the format that it had, and whether
    /// anything was written.
    ///
    /// # Errors
    /// Where something cannot be written.
    pub fn migrate(&mut self, rewrite: bool) -> Result<(u32, bool)> {
        self.context.store.migrate(rewrite)
    }

    /// Salvages what is good of a damaged cluster; returns what was done.
    ///
    /// # Errors
    /// Where nothing can be salvaged.
    pub fn repair(&self) -> Result<Vec<String>> {
        self.context.store.repair()
    }
}
