//! The texts of objects' files, which identify the files that ctl wrote.

use std::collections::HashMap;

use super::history::Versions;
use super::index::Entry;
use super::interface::Result;
use super::journal::Journal;
use super::key::Key;
use super::revision::Revision;
use super::segment::Segment;
use super::tree::{Tree, Version, is_ours, plain};
use crate::sys::fs::{Access, Stat};

/// Every retained version of every object.
pub(crate) struct RetainedVersions<'f> {
    tree: Tree<'f>,
    versions: Versions,
    segments: HashMap<u64, Segment>,
}

impl<'f> RetainedVersions<'f> {
    /// Reads the whole history.
    pub(crate) fn read(journal: &Journal, tree: Tree<'f>) -> Result<Self> {
        let versions = super::history::all_versions(journal)?;
        let mut segments = HashMap::new();
        for generation in journal.generations()? {
            // A generation that cannot be opened makes its texts foreign: they are kept, never discarded.
            if let Ok(segment) = Segment::open(&*journal.fs, generation, Access::Read) {
                segments.insert(generation, segment);
            }
        }
        Ok(Self {
            tree,
            versions,
            segments,
        })
    }

    /// Returns the key of the object that changed at a revision.
    pub(crate) fn key_at(&self, revision: Revision) -> Option<&str> {
        let changed =
            |all: &[super::history::KeptVersion]| all.iter().any(|v| v.revision == revision);
        let found = self.versions.iter().find(|(_, all)| changed(all));
        found.map(|(key, _)| key.as_str())
    }

    /// Returns true if a version of an object is retained.
    pub(crate) fn knows(&self, key: &str, revision: Revision) -> bool {
        let all = self.versions.get(key).map_or(&[][..], Vec::as_slice);
        all.iter().any(|v| v.revision == revision)
    }

    /// Returns true if the last known change of an object removed it.
    pub(crate) fn is_removed(&self, key: &str) -> bool {
        let last = self.versions.get(key).and_then(|all| all.last());
        last.is_some_and(|version| version.entry.is_none())
    }

    /// Returns the possible texts of a version's file: with and without the object's comments, which may have been
    /// added or removed since. Empty if the version is not retained.
    fn text(&self, key: &str, generation: u64, entry: &Entry) -> Vec<Vec<u8>> {
        let segment = self.segments.get(&generation);
        let Some(json) = segment.and_then(|segment| Journal::body(segment, entry).ok()) else {
            return Vec::new();
        };
        // Both texts, with comments and without, because comments may have been added or removed since.
        let mut texts = vec![plain(&json, entry.revision)];
        if self.tree.commented
            && let Ok(key) = Key::parse(key)
        {
            texts.extend(self.tree.render(&key, Version::from_entry(entry, &json)));
        }
        texts
    }

    fn texts<'p>(
        &'p self,
        key: &'p str,
        wanted: impl Fn(Revision) -> bool + 'p,
    ) -> impl Iterator<Item = Vec<u8>> + 'p {
        let all = self.versions.get(key).map_or(&[][..], Vec::as_slice);
        let newest_first = all.iter().rev().filter(move |v| wanted(v.revision));
        let kept = newest_first.filter_map(|v| Some((v.generation, v.entry?)));
        kept.flat_map(move |(generation, entry)| self.text(key, generation, &entry))
    }

    /// Returns true if a file equals the one written for some version of an object.
    pub(crate) fn has_text(&self, key: &str, bytes: &[u8]) -> bool {
        let said = revisions_in(bytes);
        // The revisions in the file narrow the search to a few versions.
        self.texts(key, move |revision| said.contains(&revision))
            .any(|text| text == bytes)
    }

    /// Returns true if a file is the remainder of the one written at a revision, after a power cut or a kill.
    pub(crate) fn is_part_of(&self, key: &str, revision: Revision, bytes: &[u8]) -> bool {
        self.texts(key, move |r| r == revision)
            .any(|text| is_rest_of(bytes, &text))
    }

    /// Returns true if a file is the remainder of ctl's own after a power cut: it has the time that ctl set, because
    /// names and times reach the medium in order, and no other content. The time alone proves nothing, because an
    /// editor may keep it.
    pub(crate) fn is_torn(&self, key: &str, stat: &Stat, bytes: &[u8]) -> bool {
        let stat = *stat;
        self.texts(key, move |revision| is_ours(&stat, revision))
            .any(|text| is_rest_of(bytes, &text))
    }
}

/// Returns true if `bytes` is a prefix of `text` in which any byte may be zero.
fn is_rest_of(bytes: &[u8], text: &[u8]) -> bool {
    // Zeros are blocks that were allocated and never written.
    bytes.len() <= text.len() && bytes.iter().zip(text).all(|(b, t)| b == t || *b == 0)
}

/// Returns the revisions that a file may contain; data of the object may look like one.
fn revisions_in(bytes: &[u8]) -> Vec<Revision> {
    let text = String::from_utf8_lossy(bytes);
    let number = |line: &str| {
        let value = line.trim_start().strip_prefix("resourceVersion:")?;
        value.trim().trim_matches(['"', '\'']).parse().ok()
    };
    text.lines().filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncated_or_zeroed_text_is_recognized_as_its_remainder() {
        let text = b"a: 1\nb: 2\n";
        assert!(is_rest_of(b"", text) && is_rest_of(b"a: 1\n", text));
        assert!(is_rest_of(b"\0\0\0\0\0b: 2\n", text) && is_rest_of(text, text));
        assert!(!is_rest_of(b"a: 2\n", text) && !is_rest_of(b"a: 1\nb: 2\nc", text));
    }

    #[test]
    fn revisions_are_read_from_whole_and_broken_files() {
        let text = b"data:\n  resourceVersion: \"4\"\nmetadata:\n  resourceVersion: \"7\"\n bad";
        assert_eq!(revisions_in(text), [4, 7]);
    }
}
