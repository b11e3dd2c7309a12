//! Finding the line and column of a field, by reading the chunk again and following the path.

use super::compose::Composer;
use super::error::Mark;

/// One step of a field path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStep {
    /// The entry of a map with this key.
    Key(String),
    /// The item of a list, from 0.
    Index(usize),
}

/// Follows one path through a document while it is read.
pub(super) struct Track<'t> {
    path: &'t [PathStep],
    /// How many steps lead to the node that is being read.
    matched: usize,
    /// How deep the reader is in nodes off the path.
    off: usize,
    pub(super) found: Option<Mark>,
}

impl<'t> Track<'t> {
    /// Starts at the root, which is the empty path.
    pub(super) fn new(path: &'t [PathStep]) -> Self {
        Self {
            path,
            matched: 0,
            off: 0,
            found: None,
        }
    }

    fn enter(&mut self, fits: bool, mark: Mark) -> bool {
        if self.off > 0 || !fits {
            self.off += 1;
            return false;
        }
        self.matched += 1;
        if self.matched == self.path.len() {
            self.found = Some(mark);
        }
        true
    }

    fn next(&self) -> Option<&PathStep> {
        self.path.get(self.matched)
    }
}

impl Composer<'_, '_> {
    /// Enters an entry of a map. The answer goes to [`Self::track_leave`].
    pub(super) fn track_key(&mut self, key: &str, mark: Mark) -> bool {
        let Some(track) = &mut self.track else {
            return false;
        };
        let fits = matches!(track.next(), Some(PathStep::Key(wanted)) if wanted == key);
        track.enter(fits, mark)
    }

    /// Enters an item of a list.
    pub(super) fn track_index(&mut self, index: usize, mark: Mark) -> bool {
        let Some(track) = &mut self.track else {
            return false;
        };
        let fits = track.next() == Some(&PathStep::Index(index));
        track.enter(fits, mark)
    }

    /// Enters a node that no path leads to.
    pub(super) fn track_hidden(&mut self) -> bool {
        let Some(track) = &mut self.track else {
            return false;
        };
        track.enter(false, Mark::default())
    }

    /// Leaves what was entered last.
    pub(super) fn track_leave(&mut self, matched: bool) {
        let Some(track) = &mut self.track else { return };
        if matched {
            track.matched -= 1;
        } else {
            track.off -= 1;
        }
    }
}
