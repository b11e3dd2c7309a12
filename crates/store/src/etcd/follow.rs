//! The cluster in this process: a cache of everything, updated by one watch.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::time::Duration;

use ctl_etcd::{Client, EtcdError, Event, KeyRange, KeyValue, KeyWrite, Watch};

use super::events::is_event;
use super::keys::{EtcdKey, HEAD, Keys, SETTINGS};
use super::record::{self, Head};
use super::shares::{Fence, HostKey, Hosts};
use crate::error::StoreError;
use crate::interface::{Cause, Result, Stored};
use crate::key::Key;
use crate::memory::Point;
use crate::memory::state::{FOR_WATCHERS, ForeignCommit, State};
use crate::revision::Revision;
use crate::settings::{CurrentSettings, Settings};
use crate::sys::clock::{Stopwatch, virtual_epoch};
use crate::sys::threads::locked;

/// The most keys of one page of a list.
pub(super) const PAGE: u64 = 2000;

/// The duration of one read of the watch; a dropped store is noticed after it.
const LOOK: Duration = Duration::from_millis(500);

/// The silence after which a watch is asked for its progress, and then is restarted.
const SILENCE: Duration = Duration::from_secs(5);

/// The time that a reader waits for the watch.
const PATIENCE: Duration = Duration::from_secs(15);

/// The pause before the next attempt to reach etcd.
const AGAIN: Duration = Duration::from_millis(200);

/// The writer of a change without a record.
const FOREIGN: &str = "kube-apiserver";

/// An object and its new value, if any.
type Changed = (Key, Option<Arc<[u8]>>);

/// The cache at one revision; a copy costs a few reference counts.
#[derive(Clone, Debug)]
pub(super) struct Cached {
    pub(super) state: State,
    /// The revision of etcd up to which everything of the cluster is in the cache.
    pub(super) seen: Revision,
    /// The revisions of the last record and of the key that every transaction compares.
    pub(super) head: Revision,
    pub(super) epoch: Revision,
    pub(super) hosts: Arc<Hosts>,
    /// Keys with values that are not objects, such as encrypted ones.
    pub(super) unreadable: Arc<BTreeSet<Key>>,
}

/// The knowledge that the threads of a process share about a cluster.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) client: Client,
    pub(super) keys: Keys,
    pub(super) known: CurrentSettings,
    /// The revision of etcd at which the cluster was made.
    pub(super) made: Revision,
    /// The condition under which this process may write under an epoch, if it is a host.
    pub(super) fence: parking_lot::Mutex<Option<Fence>>,
    /// The start of the history at the last query.
    pub(super) begin: Mutex<Revision>,
    cached: RwLock<Cached>,
    /// The revision of the store and the last one received from etcd, for waiting threads.
    told: Mutex<(Revision, Revision)>,
    news: Condvar,
    stopped: AtomicBool,
    /// Commits whose response was lost, with the revision if their record was received.
    awaited: Mutex<BTreeMap<u64, Option<Revision>>>,
}

/// The whole state of a cluster in etcd at one revision.
pub(super) struct Loaded {
    pub(super) cached: Cached,
    pub(super) settings: Settings,
    /// The revision of etcd at which the cluster was made.
    pub(super) made: Revision,
}

/// The error of a cluster without settings: one transaction wrote them with the head, so another writer has removed them.
fn lost_settings(keys: &Keys) -> StoreError {
    StoreError::Refused(format!(
        "the cluster has lost its settings: write the key {} again, or remove the keys below {}",
        keys.own(SETTINGS),
        keys.prefix()
    ))
}

/// Reads a cluster at a revision, or now if that is 0; `None` if it does not exist.
pub(super) fn load(client: &Client, keys: &Keys, at: Revision) -> Result<Option<Loaded>> {
    let (key, end) = keys.whole();
    let mut page = KeyRange {
        key,
        end,
        limit: PAGE,
        revision: at,
        ..KeyRange::default()
    };
    let (mut items, mut head, mut epoch, mut settings) = (Vec::new(), None, 0, None);
    let mut unreadable = BTreeSet::new();
    let mut host_keys = Vec::new();
    let mut last = 0;
    loop {
        let found = client.range(&page)?;
        // All pages show the revision of the first.
        if page.revision == 0 {
            page.revision = found.revision;
        }
        for kv in found.kvs {
            page.key.clone_from(&kv.key);
            let revision = kv.mod_revision;
            match keys.read(&kv.key) {
                EtcdKey::Head => head = Some(kv),
                EtcdKey::Epoch => epoch = revision,
                EtcdKey::Settings => settings = Some(kv.value),
                EtcdKey::Host(key) => host_keys.push((key, kv)),
                EtcdKey::Other => {}
                EtcdKey::Object(key) => {
                    last = last.max(revision);
                    match record::object(kv.value) {
                        Some(json) => items.push(Stored {
                            key,
                            revision,
                            json,
                        }),
                        None => drop(unreadable.insert(key)),
                    }
                }
            }
        }
        if !found.more {
            break;
        }
        page.key.push(0);
    }
    // In the order of ctl's keys, which is not that of etcd's.
    items.sort_by(|a, b| a.key.cmp(&b.key));
    let Some(head) = head else {
        return Ok(None);
    };
    let Some(settings) = settings else {
        return Err(lost_settings(keys));
    };
    let (written, told) = (head.mod_revision, Head::read(&head.value));
    let point = Point {
        revision: last.max(written),
        epoch: told.as_ref().map_or(0, |told| told.epoch),
        time: told.map_or_else(virtual_epoch, |told| told.time),
        items,
    };
    let mut state = State::at(point);
    // A fork of the cluster counts as etcd does, or it would draw other names than the original.
    state.shares = true;
    let mut cached = Cached {
        state,
        seen: page.revision,
        head: written,
        epoch,
        hosts: Arc::default(),
        unreadable: Arc::new(unreadable),
    };
    for (key, kv) in host_keys {
        cached.follow_hosts(&key, Some(&kv.value), kv.mod_revision);
    }
    Ok(Some(Loaded {
        cached,
        settings: Settings::of_text(&settings, &keys.own(SETTINGS))?,
        made: head.create_revision,
    }))
}

impl Cached {
    /// Applies the changes of one revision; returns the number of the commit and the settings if they changed.
    pub(super) fn follow(
        &mut self,
        keys: &Keys,
        revision: Revision,
        changes: Vec<Event>,
    ) -> (Option<u64>, Option<Vec<u8>>) {
        let (mut head, mut settings, mut objects) = (None, None, Vec::new());
        for Event { kv, deleted, .. } in changes {
            match keys.read(&kv.key) {
                EtcdKey::Head => {
                    self.head = revision;
                    head = Head::read(&kv.value);
                }
                EtcdKey::Epoch => self.epoch = revision,
                EtcdKey::Host(key) => {
                    let holder = (!deleted).then_some(&*kv.value);
                    self.follow_hosts(&key, holder, revision);
                }
                EtcdKey::Settings if !deleted => settings = Some(kv.value),
                EtcdKey::Object(key) => {
                    let json = (!deleted).then(|| record::object(kv.value)).flatten();
                    // A value that cannot be read hides the version before rather than to show it for current.
                    match json.is_none() && !deleted {
                        true => drop(Arc::make_mut(&mut self.unreadable).insert(key.clone())),
                        false if self.unreadable.is_empty() => {}
                        false => drop(Arc::make_mut(&mut self.unreadable).remove(&key)),
                    }
                    objects.push((key, json));
                }
                EtcdKey::Settings | EtcdKey::Other => {}
            }
        }
        let id = head.as_ref().map(|head| head.id);
        // A change of only ctl's own data is not a commit.
        if head.is_some() || !objects.is_empty() {
            let told = head.map_or_else(|| self.foreign(&objects), Head::into_commit);
            self.state.follow(revision, objects, told);
        }
        self.seen = self.seen.max(revision);
        (id, settings)
    }

    /// Applies a change of ctl's own data about hosts.
    pub(super) fn follow_hosts(&mut self, found: &HostKey, holder: Option<&[u8]>, at: Revision) {
        // Readers keep their version; changes are rare.
        let hosts = Arc::make_mut(&mut self.hosts);
        match found {
            HostKey::Host(name) => hosts.host(name.clone(), holder.is_some(), at),
            HostKey::Share(number) => {
                let name = holder.map(|name| String::from_utf8_lossy(name).into_owned());
                hosts.share(*number, name, at);
            }
        }
    }

    /// Returns the record of a commit that has none.
    fn foreign(&self, objects: &[Changed]) -> ForeignCommit {
        // kube-apiserver removes events one by one on request, which has the same result.
        let ended = objects
            .iter()
            .all(|(key, json)| json.is_none() && is_event(key));
        let cause = match ended {
            true => Cause::new("etcd", "event-ttl: the lease has ended"),
            false => Cause::new(FOREIGN, "update"),
        };
        // The time of the previous commit, because every process must return the same history.
        ForeignCommit {
            time: self.state.time,
            epoch: self.state.epoch,
            cause,
            whys: Vec::new(),
        }
    }
}

/// Collects the messages of a watch into whole revisions.
#[derive(Default)]
pub(super) struct Revisions {
    events: Vec<Event>,
}

impl Revisions {
    /// Takes a message; returns the revisions that are complete with it.
    pub(super) fn take(&mut self, events: Vec<Event>, more: bool) -> Vec<(Revision, Vec<Event>)> {
        self.events.extend(events);
        if more {
            return Vec::new();
        }
        let mut whole: Vec<(Revision, Vec<Event>)> = Vec::new();
        for event in std::mem::take(&mut self.events) {
            let revision = event.kv.mod_revision;
            match whole.last_mut() {
                Some((last, events)) if *last == revision => events.push(event),
                _ => whole.push((revision, vec![event])),
            }
        }
        whole
    }
}

impl Shared {
    pub(super) fn new(client: Client, keys: Keys, loaded: Loaded) -> Self {
        let told = (loaded.cached.state.revision, loaded.cached.seen);
        Self {
            client,
            keys,
            known: CurrentSettings::new(loaded.settings),
            made: loaded.made,
            fence: parking_lot::Mutex::default(),
            begin: Mutex::new(loaded.made),
            cached: RwLock::new(loaded.cached),
            told: Mutex::new(told),
            news: Condvar::new(),
            stopped: AtomicBool::new(false),
            awaited: Mutex::default(),
        }
    }

    /// Returns a copy of the cache, so that no lock is held while callers read it.
    pub(super) fn cached(&self) -> Cached {
        self.read(Cached::clone)
    }

    /// Looks at the cache without a copy.
    pub(super) fn read<T>(&self, look: impl FnOnce(&Cached) -> T) -> T {
        look(&self.cached.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the cache and wakes waiting threads.
    pub(super) fn write<T>(&self, change: impl FnOnce(&mut Cached) -> T) -> T {
        let (done, told) = {
            let mut cached = self.cached.write().unwrap_or_else(PoisonError::into_inner);
            let done = change(&mut cached);
            (done, (cached.state.revision, cached.seen))
        };
        // After the lock of the cache is released, so that a woken thread can read it at once.
        *locked(&self.told) = told;
        self.news.notify_all();
        done
    }

    /// Waits until a condition on the revisions of the store and of etcd is met; returns true if it is.
    pub(super) fn wait(
        &self,
        timeout: Duration,
        mut until: impl FnMut(Revision, Revision) -> bool,
    ) -> bool {
        let stopwatch = Stopwatch::start();
        let mut told = locked(&self.told);
        loop {
            let left = timeout.saturating_sub(stopwatch.elapsed());
            if until(told.0, told.1) {
                return true;
            }
            if left.is_zero() {
                return false;
            }
            let woken = self.news.wait_timeout(told, left);
            (told, _) = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until the cache has a revision of etcd at which something of the cluster changed.
    pub(super) fn reach(&self, revision: Revision) -> Result<()> {
        let behind = || {
            let text = format!("the watch of the cluster does not reach revision {revision}");
            StoreError::Etcd(EtcdError::Lost(text))
        };
        self.wait(PATIENCE, |_, seen| seen >= revision)
            .then_some(())
            .ok_or_else(behind)
    }

    /// Brings the cache to a state that was current after the call began.
    pub(super) fn sync(&self) -> Result<()> {
        // Every commit writes its record, so the last one is the target for the cache. Reading it is cheaper than
        // requesting the watch's progress.
        let found = self.client.range(&KeyRange {
            keys_only: true,
            ..KeyRange::key(self.keys.own(HEAD))
        })?;
        match found.kvs.first() {
            Some(KeyValue { mod_revision, .. }) => self.reach(*mod_revision),
            None => Err(StoreError::NoCluster(self.keys.own(""))),
        }
    }

    /// Registers a commit to be reported when it is received.
    pub(super) fn await_commit(&self, id: u64) {
        locked(&self.awaited).insert(id, None);
    }

    /// Ends the wait for a commit; returns its revision if it was received, and `None` if the watch had a gap.
    pub(super) fn awaited(&self, id: u64) -> Option<Option<Revision>> {
        locked(&self.awaited).remove(&id)
    }

    pub(super) fn stop(&self) {
        // Under the lock of the waiting threads; otherwise one could start to wait just after the signal.
        let _told = locked(&self.told);
        self.stopped.store(true, Ordering::Relaxed);
        self.news.notify_all();
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Keeps the cache until the store is dropped.
    pub(super) fn follow(&self) {
        while !self.is_stopped() {
            // Objects and ctl's own data in one watch, so that a commit arrives whole.
            let (key, end) = self.keys.whole();
            let range = KeyRange {
                key,
                end,
                ..KeyRange::default()
            };
            let after = self.read(|cached| cached.seen);
            let ended = self
                .client
                .watch(&range, after)
                .and_then(|mut watch| self.follow_one(&mut watch));
            match ended {
                // The cache is older than the history in etcd, so it is reloaded, without a history.
                Err(EtcdError::Compacted(_)) => drop(self.reload()),
                _ if self.is_stopped() => return,
                _ => {
                    // The member has no leader or does not respond. Calls may have moved on already, but a process that only
                    // watches makes none.
                    self.client.leave();
                    let _ = self.wait(AGAIN, |_, _| self.is_stopped());
                }
            }
        }
    }

    fn follow_one(&self, watch: &mut Watch) -> ctl_etcd::Result<()> {
        let (mut revisions, mut quiet, mut asked) =
            (Revisions::default(), Stopwatch::start(), false);
        while !self.is_stopped() {
            let Some(message) = watch.next(LOOK)? else {
                // A connection without a peer looks like a cluster without changes.
                match (quiet.elapsed() > SILENCE, asked) {
                    (true, false) => {
                        watch.request_progress()?;
                        (quiet, asked) = (Stopwatch::start(), true);
                    }
                    (true, true) => return Ok(()),
                    (false, _) => {}
                }
                continue;
            };
            (quiet, asked) = (Stopwatch::start(), false);
            for (revision, events) in revisions.take(message.events, message.fragment) {
                self.take(revision, events);
            }
        }
        Ok(())
    }

    /// Applies an own commit, which the watch skips when it arrives; returns false if something before it is missing.
    pub(super) fn take_own(&self, revision: Revision, writes: Vec<KeyWrite>) -> bool {
        if self.read(|cached| cached.seen + 1 != revision) {
            return false;
        }
        let event = |write: KeyWrite| Event {
            deleted: write.value.is_none(),
            kv: KeyValue {
                key: write.key,
                value: write.value.unwrap_or_default(),
                mod_revision: revision,
                ..KeyValue::default()
            },
            before: None,
        };
        // No revision is between the cache and this one, so the watch cannot have anything else to say. To wait for it
        // took 5 % of the processor time of 10,000 Pods.
        self.take(revision, writes.into_iter().map(event).collect());
        true
    }

    fn take(&self, revision: Revision, events: Vec<Event>) {
        let keep = self.known.get().history.doubled();
        self.write(|cached| {
            // The watch begins after the cache, but a lagging member may repeat changes, and own commits are in it already.
            if revision <= cached.seen {
                return;
            }
            let (id, settings) = cached.follow(&self.keys, revision, events);
            // Twice the limit, so that a long history is cut once in a while.
            cached.state.forget(keep, FOR_WATCHERS);
            // Set before the revision is published, because a writer that waits for the revision reads this entry next.
            if let Some(id) = id
                && let Some(awaited) = locked(&self.awaited).get_mut(&id)
            {
                *awaited = Some(revision);
            }
            // Settings of a newer version stay unread; opening the cluster reports them.
            if let Some(new) = settings.and_then(|text| Settings::of_text(&text, SETTINGS).ok()) {
                self.known.set(new);
            }
        });
    }

    fn reload(&self) -> Result<()> {
        if let Some(loaded) = load(&self.client, &self.keys, 0)? {
            self.known.set(loaded.settings);
            // The changes between the two states are unknown, so no commit among them can be found.
            locked(&self.awaited).clear();
            self.write(|cached| {
                // An own commit may be newer.
                if cached.seen < loaded.cached.seen {
                    *cached = loaded.cached;
                }
            });
        }
        Ok(())
    }
}
