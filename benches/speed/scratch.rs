//! Where the measurements write.
//!
//! Nothing is removed before the end of the run: a file system may be slower to make files where many
//! were removed (ext4 without a journal passes by every inode that was freed within minutes), and who
//! measures after others would pay for what they left.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ctl::sys::clock::Stopwatch;

static ROOT: Mutex<Option<tempfile::TempDir>> = Mutex::new(None);

/// A new directory, there until the end.
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

/// Removes all of them.
pub(crate) fn remove() {
    let mut root = ROOT.lock().unwrap_or_else(PoisonError::into_inner);
    *root = None;
}

/// How long the file system takes to make a file of 2.5 KB, one by one, without a sync.
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
