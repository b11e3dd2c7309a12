//! Files and directories of `.ctl` that are made when they are first needed.

use super::interface::Result;
use super::layout::{DOT, FORMAT, IGNORE, JOURNAL, STAGING};
use super::settings::Format;
use crate::sys::fs::{self, Access, File, Fs};

/// Creates `.ctl` and its content.
pub(crate) fn make_directories(fs: &dyn Fs) -> Result<()> {
    for dir in [DOT, JOURNAL, STAGING] {
        fs.make_dir(dir)?;
    }
    // `git add .` in the state directory should not include the journal.
    if fs.stat(IGNORE)?.is_none() {
        open_or_create(fs, IGNORE)?.write_at(b"*\n", 0)?;
    }
    // Synced: a directory without this file counts as one of the first format.
    if fs.stat(FORMAT)?.is_none() {
        let temporary = format!("{STAGING}/index-{:016x}", fs.fresh());
        fs::replace(fs, FORMAT, &temporary, &Format::current().to_bytes(), true)?;
    }
    Ok(())
}

/// Opens a file for writing, and creates it if it is missing.
pub(crate) fn open_or_create(fs: &dyn Fs, path: &str) -> fs::Result<Box<dyn File>> {
    // Opened before it is created: it nearly always exists, and `create` rejects an existing file.
    match fs.open(path, Access::Write) {
        Err(e) if e.is_not_found() => fs.create(path),
        answer => answer,
    }
}
