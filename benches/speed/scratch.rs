//! The directories of the measurements.
//!
//! They are removed at the end of the run, because a file system may create files more slowly after many removals (ext4
//! without a journal skips every inode freed within minutes), which would distort later measurements.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ctl::sys::clock::Stopwatch;

static ROOT: Mutex<Option<tempfile::TempDir>> = Mutex::new(None);

/// A new directory, which exists until the end of the run.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        let mut root = ROOT.lock().unwrap_or_else(PoisonError::into_inner);
        let root = root.get_or_insert_with(|| tempfile::tempdir().unwrap());
        let dir = tempfile::Builder::new().tempdir_in(root.path()).unwrap();
        Self(dir.keep())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

/// Removes all directories.
pub(crate) fn remove() {
    let mut root = ROOT.lock().unwrap_or_else(PoisonError::into_inner);
    *root = None;
}

/// Returns the time to create a file of 2.5 KB without a sync, one by one.
pub(crate) fn making_a_file() -> Duration {
    const FILES: u32 = 500;
    let dir = Scratch::new();
    let content = [b'x'; 2500];
    let stopwatch = Stopwatch::start();
    for number in 0..FILES {
        let path = dir.path().join(number.to_string());
        File::create(path).unwrap().write_all(&content).unwrap();
    }
    stopwatch.elapsed() / FILES
}
