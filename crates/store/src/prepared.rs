//! Hand edits that were parsed before the lock was taken.

use std::collections::{HashMap, HashSet};

use crate::api::json::Value;
use crate::api::yaml::{self, Mode, YamlError};

/// A file of this size is parsed in less than a millisecond: under the lock too, if need be.
pub(crate) const LARGE: u64 = 64 << 10;

/// The outcome of parsing a file: no document, one, or an error with its position.
pub(crate) type Parsed = Result<Option<Value>, YamlError>;

/// Edits that were read without the lock.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    pub(crate) files: HashMap<String, (Vec<u8>, Parsed)>,
    /// True if the files were prepared, even if none could be read.
    pub(crate) is_done: bool,
    /// Files that were missing for long enough not to be in the middle of being replaced.
    pub(crate) missing: HashSet<String>,
}

impl Prepared {
    /// Returns the parsed file, if its content is still the same; otherwise parses it now.
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

    /// Returns true if all possible files were prepared.
    pub(crate) fn is_done(&self) -> bool {
        self.is_done
    }

    /// Returns true if a file was missing for a while before the lock was taken.
    pub(crate) fn was_missing(&self, path: &str) -> bool {
        self.missing.contains(path)
    }
}
