//! Reading hand edits before the lock is taken: parsing a large file takes long enough to be felt by
//! those who wait for the lock.
//!
//! What is prepared is a hint. Under the lock a file is read again, and the parsed tree counts only
//! if the bytes are the same.

use std::collections::{HashMap, HashSet};

use super::adopt::SETTLED;
use super::files::FileStore;
use super::scan::Suspect;
use super::tree::MAX_FILE;
use crate::api::json::Value;
use crate::api::yaml::{self, Mode, YamlError};
use crate::sys::fs::{self, FileKind, Fs};

/// A file of this size is parsed in less than a millisecond: under the lock too, if need be.
pub(crate) const LARGE: u64 = 64 << 10;

/// So much text is prepared at most: an import of very many files does not hold all of their trees
/// twice.
const MOST: u64 = 16 << 20;

/// The outcome of parsing a file: no document, one, or an error with its place.
pub(crate) type Parsed = Result<Option<Value>, YamlError>;

/// Edits that were read without the lock.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    files: HashMap<String, (Vec<u8>, Parsed)>,
    /// True if the files were prepared, even if none could be read.
    is_done: bool,
    /// Files that were missing for long enough not to be in the middle of being replaced.
    missing: HashSet<String>,
}

impl Prepared {
    /// The file as it was parsed, if its content is still the same; parsed now if not.
    pub(crate) fn parse(&self, path: &str, bytes: &[u8]) -> Parsed {
        match self.files.get(path) {
            Some((text, parsed)) if text == bytes => parsed.clone(),
            _ => yaml::parse_one(bytes, Mode::Strict),
        }
    }

    /// Returns true if a file is too large to be parsed under the lock.
    pub(crate) fn is_unparsed(&self, path: &str, bytes: &[u8]) -> bool {
        let is_there = || self.files.get(path).is_some_and(|(text, _)| text == bytes);
        bytes.len() as u64 > LARGE && !is_there()
    }

    /// Returns true if files were prepared as far as possible.
    pub(crate) fn is_done(&self) -> bool {
        self.is_done
    }

    /// Returns true if a file was missing for a while before the lock was taken.
    pub(crate) fn was_missing(&self, path: &str) -> bool {
        self.missing.contains(path)
    }
}

impl FileStore {
    /// Reads and parses the files of suspects, and waits for those that may be on their way back.
    pub(crate) fn prepare(&self, suspects: &[Suspect]) -> Prepared {
        let fs = &*self.fs;
        let mut prepared = Prepared {
            is_done: true,
            ..Prepared::default()
        };
        // Memory is bounded; what does not fit is parsed under the lock or left for the next
        // import.
        let mut left = MOST;
        let mut young = false;
        for Suspect { path, .. } in suspects {
            // What cannot be read is told under the lock.
            let stat = fs.stat(path).ok().flatten();
            match stat {
                None => young |= changed_just_now(fs, path),
                // A file larger than what is left is skipped, and smaller ones behind it still fit.
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
        // Without the lock: waiting here costs nobody anything.
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

/// Returns true if a name in the directory of this file came or went a moment ago.
fn changed_just_now(fs: &dyn Fs, path: &str) -> bool {
    let (directory, _) = path.rsplit_once('/').unwrap_or((".", ""));
    let stat = fs.stat(directory).ok().flatten();
    stat.is_some_and(|stat| {
        let age = fs.wall_clock().duration_since(stat.modified);
        age.unsigned_abs() < SETTLED
    })
}
