//! The state of a transaction with the changes of its steps so far.
//!
//! The state below does not change during the transaction, so everything is read once: a thousand Pods of one namespace
//! would look up its account, its quotas and its limits a thousand times. All reads are recorded, for decisions that
//! are made ahead of others.

use std::cell::RefCell;
use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::store::{Key, Op, Range, Revision, StoreError, Stored, View};

/// The longest list that is cached.
// Longer lists are read again, because a commit in a namespace of 10,000 Pods must not hold a copy of each.
const KEPT: usize = 4096;

/// A state with changes on top.
pub(crate) struct Overlay<'v> {
    base: &'v (dyn View + Sync),
    /// The number of earlier changes whose content is unknown here.
    ahead: u64,
    /// By the text of the key, so that a range is a range here too.
    changed: BTreeMap<String, (Key, Option<Stored>)>,
    objects: RefCell<BTreeMap<Key, Option<Stored>>>,
    lists: RefCell<BTreeMap<String, Vec<Stored>>>,
    /// Objects of which only the revision was read.
    revisions: RefCell<Vec<Key>>,
    /// Every range that was listed.
    ranges: RefCell<Vec<Range>>,
}

impl<'v> Overlay<'v> {
    /// Creates the state after `changes` changes, assuming that none of them affects an object that will be read here.
    pub(crate) fn after(base: &'v (dyn View + Sync), changes: usize) -> Self {
        Self {
            base,
            ahead: changes as u64,
            changed: BTreeMap::new(),
            objects: RefCell::default(),
            lists: RefCell::default(),
            revisions: RefCell::default(),
            ranges: RefCell::default(),
        }
    }

    /// Returns true if the other state changes anything that was read here.
    pub(crate) fn looked_at_changes_of(&self, other: &Self) -> bool {
        let (objects, revisions) = (self.objects.borrow(), self.revisions.borrow());
        let ranges = self.ranges.borrow();
        let mut keys = objects.keys().chain(revisions.iter());
        let listed = |key: &String| ranges.iter().any(|range| range.contains(key));
        keys.any(|key| other.changed.contains_key(key.as_str()))
            || (!ranges.is_empty() && other.changed.keys().any(listed))
    }

    /// Adds the changes of the state that follows this one.
    pub(crate) fn take_over(&mut self, later: Self) {
        self.changed.extend(later.changed);
    }

    /// Adds a change.
    pub(crate) fn change(&mut self, op: &Op) {
        // The store numbers the operations of a commit one by one, so each revision is known before the commit.
        let revision = self.revision() + 1;
        let stored = op.json.as_ref().map(|json| Stored {
            key: op.key.clone(),
            revision,
            json: json.clone(),
        });
        self.changed
            .insert(op.key.as_str().to_owned(), (op.key.clone(), stored));
    }

    fn listed(&self, range: &Range) -> Result<Vec<Stored>, StoreError> {
        if let Some(items) = self.lists.borrow().get(range.as_str()) {
            return Ok(items.clone());
        }
        let items = self.base.list(range)?;
        self.ranges.borrow_mut().push(range.clone());
        if items.len() <= KEPT {
            let kept = items.clone();
            self.lists
                .borrow_mut()
                .insert(range.as_str().to_owned(), kept);
        }
        Ok(items)
    }
}

impl View for Overlay<'_> {
    fn revision(&self) -> Revision {
        self.base.revision() + self.ahead + self.changed.len() as u64
    }

    fn now(&self) -> Timestamp {
        self.base.now()
    }

    fn epoch(&self) -> u64 {
        self.base.epoch()
    }

    fn draws_from(&self) -> u64 {
        self.base.draws_from() + self.ahead + self.changed.len() as u64
    }

    fn most_objects(&self) -> usize {
        self.base.most_objects()
    }

    fn most_bytes(&self) -> usize {
        self.base.most_bytes()
    }

    fn get(&self, key: &Key) -> Result<Option<Stored>, StoreError> {
        if let Some((_, changed)) = self.changed.get(key.as_str()) {
            return Ok(changed.clone());
        }
        if let Some(known) = self.objects.borrow().get(key) {
            return Ok(known.clone());
        }
        let found = self.base.get(key)?;
        self.objects.borrow_mut().insert(key.clone(), found.clone());
        Ok(found)
    }

    fn revision_of(&self, key: &Key) -> Result<Option<Revision>, StoreError> {
        let revision = |known: &Option<Stored>| known.as_ref().map(|stored| stored.revision);
        if let Some((_, changed)) = self.changed.get(key.as_str()) {
            return Ok(revision(changed));
        }
        if let Some(known) = self.objects.borrow().get(key) {
            return Ok(revision(known));
        }
        // Recorded, because a decision made ahead depends on it as much as on a body.
        self.revisions.borrow_mut().push(key.clone());
        self.base.revision_of(key)
    }

    fn list(&self, range: &Range) -> Result<Vec<Stored>, StoreError> {
        let mut items = self.listed(range)?;
        let own = self.changed.range(range.as_str().to_owned()..);
        let mut own = own.take_while(|(key, _)| range.contains(key)).peekable();
        // The usual case: this commit changed nothing in the range.
        if own.peek().is_none() {
            return Ok(items);
        }
        items.retain(|stored| !self.changed.contains_key(stored.key.as_str()));
        items.extend(own.filter_map(|(_, (_, stored))| stored.clone()));
        // Callers rely on the store's order, in which an overlaid object may have any position.
        items.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(items)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;
    use crate::store::Expect;

    /// Two objects, and the number of reads.
    #[derive(Default)]
    struct Base(AtomicUsize);

    fn stored(name: &str) -> Stored {
        Stored {
            key: Key::new("pods", Some("a"), name).unwrap(),
            revision: 1,
            json: name.as_bytes().into(),
        }
    }

    impl View for Base {
        fn revision(&self) -> Revision {
            7
        }

        fn now(&self) -> Timestamp {
            Timestamp::UNIX_EPOCH
        }

        fn epoch(&self) -> u64 {
            0
        }

        fn get(&self, key: &Key) -> Result<Option<Stored>, StoreError> {
            self.0.fetch_add(1, Relaxed);
            Ok((key.name() == "one").then(|| stored("one")))
        }

        fn list(&self, _: &Range) -> Result<Vec<Stored>, StoreError> {
            self.0.fetch_add(1, Relaxed);
            Ok(vec![stored("one"), stored("two")])
        }
    }

    fn names(view: &dyn View) -> Vec<String> {
        let items = view.list(&Range::resource("pods", Some("a"))).unwrap();
        items
            .iter()
            .map(|item| item.key.name().to_owned())
            .collect()
    }

    #[test]
    fn the_state_is_read_once_and_changes_are_visible() {
        let base = Base::default();
        let mut overlay = Overlay::after(&base, 0);
        for _ in 0..3 {
            assert_eq!(names(&overlay), ["one", "two"]);
            assert!(overlay.get(&stored("one").key).unwrap().is_some());
            assert!(overlay.get(&stored("new").key).unwrap().is_none());
        }
        assert_eq!(base.0.load(Relaxed), 3);
        overlay.change(&Op::put(stored("new").key, b"new".to_vec(), Expect::Any));
        overlay.change(&Op::delete(stored("one").key, Expect::Any));
        // Another namespace that sorts directly after this one.
        let other = Key::new("pods", Some("b"), "x").unwrap();
        overlay.change(&Op::put(other, b"x".to_vec(), Expect::Any));
        assert_eq!(names(&overlay), ["new", "two"]);
        assert!(overlay.get(&stored("one").key).unwrap().is_none());
        assert!(overlay.get(&stored("new").key).unwrap().is_some());
        assert_eq!((overlay.revision(), base.0.load(Relaxed)), (10, 3));
    }
}
