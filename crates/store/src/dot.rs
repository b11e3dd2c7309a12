//! Files and directories of `.ctl` that are made when they are first needed.

use super::interface::Result;
use super::layout::{DOT, FORMAT, IGNORE, JOURNAL, STAGING};
use super::settings::Format;
use crate::sys::fs::{self, Access, File, Fs};

/// Makes `.ctl` and what belongs into it.
pub(crate) fn make_directories(fs: &dyn Fs) -> Result<()> {
    for dir in [DOT, JOURNAL, STAGING] {
        fs.make_dir(dir)?;
    }
    // `git add .` in the state directory should not take the journal along.
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

/// Opens a file for writing, creating it where it is not there.
pub(crate) fn open_or_create(fs: &dyn Fs, path: &str) -> fs::Result<Box<dyn File>> {
    // Opened before it is created: nearly always it is there, and `create` refuses an existing
    // file.
    match fs.open(path, Access::Write) {
        Err(e) if e.is_not_found() => fs.create(path),
        answer => answer,
    }
}
