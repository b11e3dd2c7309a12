//! Bringing a directory to the current format.
//!
//! The live objects are written anew as a generation of the journal in the current format, synced
//! and published like any compaction; only then does `.ctl/format` say so, by a rename. The
//! generations before stay as the past, in the format they were written in. Killed at any point,
//! the directory is of the old format or of the new one, and the next command goes on from there.

use super::files::FileStore;
use super::interface::Result;
use super::layout::{DOT, FORMAT, STAGING};
use super::settings::{FORMAT_VERSION, Format};
use crate::sys::fs;

impl FileStore {
    /// Brings the directory to the current format; `rewrite` writes it anew even where it has it.
    /// Returns the format that it had, and whether anything was written.
    ///
    /// # Errors
    /// Where something cannot be written, or a newer program made the directory.
    pub fn migrate(&mut self, rewrite: bool) -> Result<(u32, bool)> {
        let mut exclusive = self.exclusive(self.options.patience)?;
        let found = Format::read(&*self.fs)?;
        let before = found.as_ref().map_or(1, |f| f.format);
        // The file is written once at creation; without it the directory counts as format 1.
        if before == FORMAT_VERSION && found.is_some() && !rewrite {
            return Ok((before, false));
        }
        // Compacting is the migration: live objects are written in the new format, synced and
        // published.
        exclusive.journal.compact(self.settings.history << 20)?;
        let temporary = format!("{STAGING}/index-{:016x}", self.fs.fresh());
        fs::replace(
            &*self.fs,
            FORMAT,
            &temporary,
            &Format::current().to_bytes(),
            true,
        )?;
        self.fs.sync_dir(DOT)?;
        drop(exclusive);
        let settings = super::settings::Settings {
            format: FORMAT_VERSION,
            ..self.settings.clone()
        };
        self.update_settings(|s| *s = settings)?;
        Ok((before, true))
    }
}
