//! Processes that have a file of the tree open for writing.

use crate::sys::fs::{Access, Fs};

/// Returns true if some process can write to the file at `path`; false if the file cannot be
/// opened.
pub(crate) fn is_written(fs: &dyn Fs, path: &str) -> bool {
    let Ok(file) = fs.open(path, Access::Read) else {
        return false;
    };
    let known = file.is_written();
    let asked = || fs.open_for_writing(&file.stat().ok()?);
    // The lease decides if the file system has leases. Only otherwise all processes are checked, by a walk through
    // `/proc`.
    known.or_else(asked) == Some(true)
}
