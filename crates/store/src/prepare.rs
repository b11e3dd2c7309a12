//! Reads hand edits before the lock is taken, because parsing a large file under the lock would delay waiting processes
//! noticeably.
//!
//! The result is a hint. Under the lock a file is read again, and the parsed tree is used only if the bytes are the
//! same.

use std::time::Duration;

use super::files::FileStore;
use super::layout::MAX_FILE;
use super::prepared::Prepared;
use super::scan::Suspect;
use crate::api::yaml::{self, Mode};
use crate::sys::fs::{self, FileKind, Fs};

/// Without information about writers, a file of this age counts as finished.
pub(crate) const SETTLED: Duration = Duration::from_millis(100);

/// The most text to prepare, so that an import of very many files does not hold all of their trees twice.
const MOST: u64 = 16 << 20;

impl FileStore {
    /// Reads and parses the files of suspects, and waits for those that may be about to return.
    pub(crate) fn prepare(&self, suspects: &[Suspect]) -> Prepared {
        let fs = &*self.fs;
        let mut prepared = Prepared {
            is_done: true,
            ..Prepared::default()
        };
        // Memory is bounded; the rest is parsed under the lock or left for the next import.
        let mut left = MOST;
        let mut young = false;
        for Suspect { path, .. } in suspects {
            // Read errors are reported under the lock.
            let stat = fs.stat(path).ok().flatten();
            match stat {
                None => young |= changed_just_now(fs, path),
                // A file larger than the remaining space is skipped, and smaller ones after it may still fit.
                Some(stat) if stat.kind == FileKind::File && stat.size <= left => {
                    if let Ok(text) = fs::read_all(fs, path, MAX_FILE) {
                        left -= stat.size;
                        let parsed = yaml::parse_one(&text, Mode::Strict);
                        prepared.files.insert(path.clone(), (text, parsed));
                    }
                }
                Some(_) => {}
            }
        }
        // Without the lock, so waiting here delays no other process.
        if young {
            fs.pause(SETTLED);
        }
        // Asked again after the pause: a name that is back was being replaced.
        let missing = suspects.iter().map(|suspect| &suspect.path);
        let missing = missing.filter(|path| matches!(fs.stat(path), Ok(None)));
        prepared.missing = missing.cloned().collect();
        prepared
    }
}

/// Returns true if a name in the directory of this file was added or removed a moment ago.
fn changed_just_now(fs: &dyn Fs, path: &str) -> bool {
    let (directory, _) = path.rsplit_once('/').unwrap_or((".", ""));
    let stat = fs.stat(directory).ok().flatten();
    stat.is_some_and(|stat| {
        let age = fs.wall_clock().duration_since(stat.modified);
        age.unsigned_abs() < SETTLED
    })
}
