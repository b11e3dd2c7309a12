//! The recent changes of a cluster in memory: a follower reads them once for all watches of a process.
//!
//! Guarantees: a watch gets the changes that the store would return, or must ask the store.
//!
//! Must not know: threads, and the encodings of events.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::context::Context;
use crate::kinds::Kind;
use crate::request::response::ApiError;
use crate::store::{Event, Range, Revision, Store, StoreError};

/// The maximum size of all changes in bytes. A watch that is further behind reads the store.
const MOST: usize = 4 << 20;

/// The approximate size of a change without its object.
const OVERHEAD: usize = 256;

/// The watches for which there is something to read.
///
/// ```
/// use std::time::Duration;
///
/// use ctl_api::json::json;
/// use ctl_cluster::{Followed, Follower, Place};
///
/// # let cluster = ctl_cluster::Cluster::in_memory(
/// #     &ctl_cluster::Open::as_writer("example"),
/// #     ctl_cluster::Settings::new(ctl_sys::entropy::Seed(1)),
/// # );
/// # cluster.bootstrap()?;
/// let mut follower: Follower<'_> = cluster.feed().follower();
/// assert_eq!(follower.next(Duration::ZERO)?, Followed::Everything);
/// let maps = Place::new(cluster.kind("configmaps")?, "default");
/// cluster.create(&maps, &json!({"metadata": {"name": "a"}}), &Default::default())?;
/// let Followed::Resources(resources) = follower.next(Duration::from_secs(1))? else {
///     panic!("one resource has changed");
/// };
/// assert!(resources.contains("configmaps"));
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Followed {
    /// Watches of these resources.
    Resources(BTreeSet<String>),
    /// All watches: the changes before are not known.
    Everything,
}

/// Reads the changes of a cluster into memory, on the thread that waits for them. The memory is freed when the last one is
/// dropped.
#[derive(Debug)]
pub struct Follower<'c> {
    context: &'c Context,
    /// The revision up to which the changes were reported.
    at: Option<Position>,
}

/// A revision, and the start of followers to which it belongs.
type Position = (u64, Revision);

impl<'c> Follower<'c> {
    pub(crate) fn new(context: &'c Context) -> Self {
        context.recent.lock().followers += 1;
        Self { context, at: None }
    }

    /// Reads the next changes, after a wait for them of at most `patience`.
    ///
    /// # Errors
    /// The store cannot be read. The watches then have to ask the store themselves.
    pub fn next(&mut self, patience: Duration) -> Result<Followed, ApiError> {
        let followed = self.read(patience);
        if followed.is_err() {
            self.context.recent.lock().clear();
        }
        Ok(followed?)
    }

    fn read(&mut self, patience: Duration) -> Result<Followed, StoreError> {
        let Context { store, recent, .. } = self.context;
        if let Some((_, seen)) = self.at {
            store.wait(seen, patience)?;
        }
        recent.catch_up(&**store)?;
        let (followed, now) = recent.lock().since(self.at);
        self.at = now;
        Ok(followed)
    }
}

impl Drop for Follower<'_> {
    fn drop(&mut self) {
        let mut state = self.context.recent.lock();
        state.followers -= 1;
        if state.followers == 0 {
            state.clear();
        }
    }
}

/// The recent changes.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    state: Mutex<State>,
    /// Held by the follower that reads the store.
    reading: Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    /// The changes after the first revision and up to the second are known; `None` without a follower.
    known: Option<(Revision, Revision)>,
    /// They are in order.
    changes: VecDeque<Arc<RecentChange>>,
    /// Their approximate size.
    bytes: usize,
    /// The last change of each resource that is no longer kept.
    dropped: HashMap<String, Revision>,
    /// The number of times that the changes became unknown.
    starts: u64,
    followers: usize,
}

impl State {
    fn clear(&mut self) {
        *self = Self {
            starts: self.starts + 1,
            followers: self.followers,
            ..Self::default()
        };
    }

    /// Returns the watches with changes after a position, and the present position.
    fn since(&self, at: Option<Position>) -> (Followed, Option<Position>) {
        let now = self.known.map(|(_, until)| (self.starts, until));
        let is_known = |(starts, revision): &Position| {
            starts == &self.starts
                && self.known.is_some_and(|(from, _)| from <= *revision)
                && self.dropped.values().all(|last| last <= revision)
        };
        let Some((_, after)) = at.filter(is_known) else {
            return (Followed::Everything, now);
        };
        let mut resources = BTreeSet::new();
        for change in self.after(after) {
            let resource = change.event.key.resource();
            if !resources.contains(resource) {
                resources.insert(resource.to_owned());
            }
        }
        (Followed::Resources(resources), now)
    }

    fn after(&self, revision: Revision) -> impl Iterator<Item = &Arc<RecentChange>> {
        let first = self
            .changes
            .partition_point(|change| change.event.revision <= revision);
        self.changes.range(first..)
    }

    /// Adds all changes up to a revision.
    fn add(&mut self, events: Vec<Event>, until: Revision) {
        for event in events {
            let change = RecentChange::new(event);
            self.bytes += change.size();
            self.changes.push_back(Arc::new(change));
        }
        while self.bytes > MOST
            && let Some(oldest) = self.changes.pop_front()
        {
            self.bytes -= oldest.size();
            // Per resource, so that a busy one does not send the watches of quiet ones to the store.
            let (key, revision) = (&oldest.event.key, oldest.event.revision);
            match self.dropped.get_mut(key.resource()) {
                Some(last) => *last = revision,
                None => drop(self.dropped.insert(key.resource().to_owned(), revision)),
            }
        }
        if let Some((_, known)) = &mut self.known {
            *known = until.max(*known);
        }
    }
}

impl Recent {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a number that changes when revisions before and after may not belong to one history. A watch gets it
    /// before it reads the store.
    pub(crate) fn starts(&self) -> u64 {
        self.lock().starts
    }

    /// Reads the changes that are not known.
    fn catch_up(&self, store: &dyn Store) -> Result<(), StoreError> {
        // One at a time, so that no change is added twice.
        let _reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.lock().known;
        let Some((_, until)) = known else {
            return self.start(store);
        };
        match store.events(&Range::all(), until) {
            Ok((events, until)) => {
                self.lock().add(events, until);
                Ok(())
            }
            // Another cluster has taken the place of this one, or a compaction was faster.
            Err(StoreError::Gone { .. } | StoreError::Future { .. }) => self.start(store),
            Err(e) => Err(e),
        }
    }

    /// Restarts with the next change.
    fn start(&self, store: &dyn Store) -> Result<(), StoreError> {
        let revision = store.revision()?;
        let mut state = self.lock();
        state.clear();
        state.known = Some((revision, revision));
        Ok(())
    }

    /// Returns the changes of a resource's range after a revision, and the revision up to which they are complete;
    /// `None` if they are not known. `starts` belongs to the revision.
    pub(crate) fn after(
        &self,
        resource: &str,
        range: &Range,
        (starts, after): Position,
    ) -> Option<(Vec<Arc<RecentChange>>, Revision)> {
        let state = self.lock();
        let (from, until) = state.known?;
        let is_dropped = || {
            state
                .dropped
                .get(resource)
                .is_some_and(|last| *last > after)
        };
        if state.starts != starts || after < from || is_dropped() {
            return None;
        }
        let is_its = |change: &&Arc<RecentChange>| range.contains(change.event.key.as_str());
        let changes = state.after(after).filter(is_its).cloned().collect();
        // A watch that has read the store may be ahead of the follower.
        Some((changes, until.max(after)))
    }
}

/// A change with its encodings.
#[derive(Debug)]
pub(crate) struct RecentChange {
    pub(crate) event: Event,
    /// By the version of the kind and the name of the form.
    forms: Mutex<Vec<Form>>,
}

/// An encoding of a change.
#[derive(Debug)]
struct Form {
    kind: &'static Kind,
    name: &'static str,
    bytes: Arc<[u8]>,
}

impl RecentChange {
    fn new(event: Event) -> Self {
        Self {
            event,
            forms: Mutex::default(),
        }
    }

    /// Returns its approximate size, with one encoding.
    fn size(&self) -> usize {
        let before = self.event.before.as_ref().map_or(0, |(_, json)| json.len());
        2 * self.length() + before + OVERHEAD
    }

    /// Returns the length of the object.
    pub(crate) fn length(&self) -> usize {
        self.event.after.as_ref().map_or(0, |json| json.len())
    }

    /// Returns the encoding of a name at a version; the first time, the one that `make` returns.
    ///
    /// # Errors
    /// The errors of `make`.
    pub(crate) fn form<E>(
        &self,
        kind: &'static Kind,
        name: &'static str,
        make: impl FnOnce() -> Result<Vec<u8>, E>,
    ) -> Result<Arc<[u8]>, E> {
        // Locked while it is made, so that the other watches wait for it instead of making their own.
        let mut forms = self.forms.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |form: &&Form| std::ptr::eq(form.kind, kind) && form.name == name;
        if let Some(form) = forms.iter().find(is_it) {
            return Ok(Arc::clone(&form.bytes));
        }
        let bytes: Arc<[u8]> = make()?.into();
        forms.push(Form {
            kind,
            name,
            bytes: Arc::clone(&bytes),
        });
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Key;

    fn event(resource: &str, revision: Revision, size: usize) -> Event {
        Event {
            key: Key::new(resource, Some("default"), "a").unwrap(),
            revision,
            after: Some(vec![b'x'; size].into()),
            before: None,
            why: None,
        }
    }

    /// Returns the revisions that a watch of a resource gets after a revision.
    fn after(recent: &Recent, resource: &str, revision: Revision) -> Option<Vec<Revision>> {
        let range = Range::resource(resource, None);
        let (changes, until) = recent.after(resource, &range, (recent.starts(), revision))?;
        assert!(until >= revision);
        Some(changes.iter().map(|c| c.event.revision).collect())
    }

    /// Returns memory that knows all changes after a revision.
    fn after_revision(revision: Revision) -> Recent {
        let recent = Recent::default();
        recent.lock().known = Some((revision, revision));
        recent
    }

    #[test]
    fn a_watch_gets_the_changes_of_its_resource_if_all_are_known() {
        assert_eq!(after(&Recent::default(), "pods", 5), None, "no follower");
        let recent = after_revision(5);
        let events = vec![
            event("pods", 6, 10),
            event("nodes", 7, 10),
            event("pods", 8, 10),
        ];
        recent.lock().add(events, 9);
        assert_eq!(after(&recent, "pods", 4), None, "before the start");
        assert_eq!(after(&recent, "pods", 5), Some(vec![6, 8]));
        assert_eq!(after(&recent, "pods", 6), Some(vec![8]));
        assert_eq!(after(&recent, "secrets", 5), Some(vec![]));
        assert_eq!(after(&recent, "pods", 12), Some(vec![]), "ahead");
        let before = recent.starts();
        recent.lock().clear();
        recent.lock().known = Some((3, 3));
        let range = Range::resource("pods", None);
        assert!(recent.after("pods", &range, (before, 3)).is_none());
    }

    #[test]
    fn only_watches_of_dropped_changes_have_to_ask_the_store() {
        let recent = after_revision(0);
        recent.lock().add(vec![event("nodes", 1, 10)], 1);
        let pods = vec![event("pods", 2, MOST / 2), event("pods", 3, 10)];
        recent.lock().add(pods, 3);
        assert_eq!(after(&recent, "pods", 1), None);
        assert_eq!(after(&recent, "pods", 2), Some(vec![3]));
        assert_eq!(after(&recent, "nodes", 0), None);
        assert_eq!(after(&recent, "nodes", 1), Some(vec![]));
        assert_eq!(after(&recent, "secrets", 0), Some(vec![]));
        assert!(recent.lock().bytes < MOST);
    }

    #[test]
    fn every_follower_hears_of_every_change_and_the_last_one_frees_the_memory() {
        let cluster = crate::testing::in_memory();
        let (mut one, mut other) = (cluster.feed().follower(), cluster.feed().follower());
        for follower in [&mut one, &mut other] {
            let begun = follower.next(Duration::ZERO).unwrap();
            assert_eq!(begun, Followed::Everything);
        }
        let map = crate::api::json::json!({"metadata": {"name": "a"}});
        let maps = crate::testing::place("configmaps");
        let options = crate::request::options::WriteOptions::default();
        cluster.create(&maps, &map, &options).unwrap();
        for follower in [&mut one, &mut other] {
            let Followed::Resources(resources) = follower.next(Duration::ZERO).unwrap() else {
                panic!("the changes are known");
            };
            assert!(resources.contains("configmaps"), "{resources:?}");
            let again = follower.next(Duration::ZERO).unwrap();
            assert_eq!(again, Followed::Resources(BTreeSet::new()));
        }
        drop(one);
        assert_eq!(cluster.context.recent.lock().changes.len(), 1);
        drop(other);
        assert!(cluster.context.recent.lock().known.is_none());
    }

    #[test]
    fn a_form_is_made_once_for_each_version() {
        let pods = crate::kinds::find("", "v1", "Pod").unwrap();
        let nodes = crate::kinds::find("", "v1", "Node").unwrap();
        let change = RecentChange::new(event("pods", 1, 10));
        let form = |kind, name, text: &str| {
            let made = change.form(kind, name, || Ok::<_, ()>(text.as_bytes().to_vec()));
            String::from_utf8(made.unwrap().to_vec()).unwrap()
        };
        assert_eq!(form(pods, "json", "a"), "a");
        assert_eq!(form(pods, "json", "b"), "a");
        assert_eq!(form(pods, "binary", "c"), "c");
        assert_eq!(form(nodes, "json", "d"), "d");
        assert_eq!(change.form(pods, "other", || Err(1)), Err(1));
    }
}
