//! Finds the line and column of a field by reading the chunk again along the field's path.

use super::compose::Composer;
use super::error::Mark;

/// One step of a field path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PathStep {
    /// The entry of a map with this key.
    Key(String),
    /// The item of a list at this index.
    Index(usize),
}

/// A key or item of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    /// The parent node; `None` at the top.
    pub(super) parent: Option<usize>,
    pub(super) step: PathStep,
    /// The position of the key or dash.
    pub(super) mark: Mark,
}

/// The positions that the reader records.
pub(super) enum Track<'t> {
    /// The position of one path.
    Find(Find<'t>),
    /// All keys and items.
    List(List),
}

/// All keys and items, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct List {
    pub(super) nodes: Vec<Node>,
    /// The current node and its ancestors.
    open: Vec<usize>,
    /// The number of open nodes without a path.
    hidden: usize,
}

/// Follows one path through a document while reading it.
pub(super) struct Find<'t> {
    path: &'t [PathStep],
    /// The number of steps matched so far.
    matched: usize,
    /// The number of open nodes that are off the path.
    off: usize,
    pub(super) found: Option<Mark>,
}

impl<'t> Find<'t> {
    /// Starts at the root, whose path is empty.
    pub(super) fn new(path: &'t [PathStep]) -> Self {
        Self {
            path,
            matched: 0,
            off: 0,
            found: None,
        }
    }

    fn enter(&mut self, fits: bool, mark: Mark) -> bool {
        // Nothing below a wrong step can match, so only its depth is tracked.
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

impl List {
    fn enter(&mut self, step: PathStep, mark: Mark) -> bool {
        if self.hidden > 0 {
            self.hidden += 1;
            return false;
        }
        let parent = self.open.last().copied();
        self.open.push(self.nodes.len());
        self.nodes.push(Node { parent, step, mark });
        true
    }
}

impl Composer<'_, '_> {
    /// Enters a map entry. The result must be passed to [`Self::track_leave`].
    pub(super) fn track_key(&mut self, key: &str, mark: Mark) -> bool {
        match &mut self.track {
            None => false,
            Some(Track::List(list)) => list.enter(PathStep::Key(key.to_owned()), mark),
            Some(Track::Find(find)) => {
                let fits = matches!(find.next(), Some(PathStep::Key(wanted)) if wanted == key);
                find.enter(fits, mark)
            }
        }
    }

    /// Enters a list item, given the positions of its content and of its dash.
    pub(super) fn track_index(&mut self, index: usize, mark: Mark, dash: Mark) -> bool {
        match &mut self.track {
            None => false,
            Some(Track::List(list)) => list.enter(PathStep::Index(index), dash),
            Some(Track::Find(find)) => {
                let fits = find.next() == Some(&PathStep::Index(index));
                find.enter(fits, mark)
            }
        }
    }

    /// Enters a node without a path.
    pub(super) fn track_hidden(&mut self) -> bool {
        match &mut self.track {
            None => false,
            Some(Track::List(list)) => {
                list.hidden += 1;
                false
            }
            Some(Track::Find(find)) => find.enter(false, Mark::default()),
        }
    }

    /// Leaves the node that was entered last.
    pub(super) fn track_leave(&mut self, matched: bool) {
        match (&mut self.track, matched) {
            (None, _) => {}
            (Some(Track::List(list)), true) => drop(list.open.pop()),
            (Some(Track::List(list)), false) => list.hidden -= 1,
            (Some(Track::Find(find)), true) => find.matched -= 1,
            (Some(Track::Find(find)), false) => find.off -= 1,
        }
    }
}
