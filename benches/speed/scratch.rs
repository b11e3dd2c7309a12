//! The directories of the measurements.
//!
//! They are removed at the end of the run, because a file system may create files more slowly after many removals (ext4
//! without a journal skips every inode freed within minutes), which would distort later measurements. The removal at the end
//! of one run would distort the next one; therefore each directory is placed far from the earlier ones.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};

use ctl::sys::clock::Stopwatch;

static ROOT: Mutex<Option<tempfile::TempDir>> = Mutex::new(None);

/// A new directory, which exists until the end of the run.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        let mut root = ROOT.lock().unwrap_or_else(PoisonError::into_inner);
        let root = root.get_or_insert_with(|| {
            let root = tempfile::tempdir().unwrap();
            spread(root.path());
            root
        });
        let dir = tempfile::Builder::new().tempdir_in(root.path()).unwrap();
        Self(dir.keep())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

/// Asks the file system to spread the directories in this one over the disk (`chattr +T`). ext4 otherwise creates their
/// files where those of the previous run were removed: 16 connections made 300 to 2,000 durable creates a second there,
/// and 3,400 to 4,700 elsewhere on the same disk.
fn spread(dir: &Path) {
    let dir = File::open(dir).unwrap();
    let spread =
        ioctl_getflags(&dir).and_then(|flags| ioctl_setflags(&dir, flags | IFlags::TOPDIR));
    if let Err(error) = spread {
        // File systems other than ext4 do not have the flag, and do not need it.
        println!("The directories of this run are not spread over the disk: {error}.");
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
