//! Migrates a directory to the current format.
//!
//! The live objects are written again as a generation of the journal in the current format, synced and published like
//! any compaction; only then is `.ctl/format` changed, by a rename. Earlier generations stay as the history, in their
//! original format. If the process is killed at any point, the directory has the old format or the new one, and the
//! next command continues from there.

use super::files::FileStore;
use super::interface::Result;
use super::layout::{DOT, FORMAT, STAGING};
use super::settings::{FORMAT_VERSION, Format};
use crate::sys::fs;

impl FileStore {
    /// Writes the directory in the current format.
    pub(crate) fn write_anew(&self, rewrite: bool) -> Result<(u32, bool)> {
        let mut exclusive = self.exclusive(self.options.patience)?;
        let found = Format::read(&*self.fs)?;
        let before = found.as_ref().map_or(1, |f| f.format);
        // The file is written once at creation; without it the directory counts as format 1.
        if before == FORMAT_VERSION && found.is_some() && !rewrite {
            return Ok((before, false));
        }
        // Compacting is the migration: live objects are written in the new format, synced and
        // published.
        let keep = self.settings.get().history;
        exclusive.journal.compact(keep)?;
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
        self.change_settings(&mut |settings| settings.format = FORMAT_VERSION)?;
        Ok((before, true))
    }
}
