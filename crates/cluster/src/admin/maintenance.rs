//! Checks, repair, and changes of the settings and of the format.

use crate::cluster::{Cluster, Result};
use crate::store::{ClockMode, Report, Settings};

impl Cluster {
    /// Changes whose time it is.
    ///
    /// # Errors
    /// Where the settings cannot be written.
    pub fn set_clock(&mut self, mode: ClockMode) -> Result<()> {
        self.change_settings(&mut |settings| settings.clock = mode)
    }

    /// Changes the settings as they are stored now.
    pub(crate) fn change_settings(&mut self, change: &mut dyn FnMut(&mut Settings)) -> Result<()> {
        self.context.settings = self.context.store.update_settings(change)?;
        Ok(())
    }

    /// Reads everything and says what is wrong.
    ///
    /// # Errors
    /// If the cluster is in no directory, or that cannot be read at all.
    pub fn fsck(&self, history: bool) -> Result<Report> {
        self.directory("fsck")?.fsck(history)
    }

    /// Brings the directory to the current format; returns the format that it had, and whether
    /// anything was written.
    ///
    /// # Errors
    /// If the cluster is in no directory, or something cannot be written.
    pub fn migrate(&mut self, rewrite: bool) -> Result<(u32, bool)> {
        let done = self.directory("migrate")?.migrate(rewrite)?;
        self.context.settings = self.context.store.settings();
        Ok(done)
    }

    /// Salvages what is good of a damaged cluster; returns what was done.
    ///
    /// # Errors
    /// If the cluster is in no directory, or nothing can be salvaged.
    pub fn repair(&self) -> Result<Vec<String>> {
        self.directory("fsck --repair")?.repair()
    }
}
