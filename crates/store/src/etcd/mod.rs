//! A store on etcd, for several machines: objects under kube-apiserver's keys, ctl's own data beside them.
//!
//! Each process has a cache of the cluster, updated by one watch. A transaction decides on the cache and is applied
//! only if nothing that it read has changed. `docs/design/0017-etcd.md` has the reasons.

mod commit;
mod compact;
mod events;
mod follow;
mod hosts;
mod keys;
mod leadership;
mod make;
mod past;
mod reads;
mod record;
#[cfg(test)]
#[path = "../../../etcd/tests/server/mod.rs"]
#[expect(
    dead_code,
    unreachable_pub,
    reason = "the tests of the client use more of it"
)]
mod server;
mod shares;

use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ctl_etcd::{Client, Compare, EtcdError, KeyRange, KeyWrite, Tls, Txn};
use jiff::Timestamp;

use self::events::EventLease;
use self::follow::{Loaded, Shared, load};
use self::keys::{Keys, SETTINGS};
use self::leadership::EtcdHeartbeats;
use self::reads::{MOST_BYTES, MOST_OBJECTS};
use super::contract::Store;
use super::error::StoreError;
use super::interface::{
    Batch, Cause, Change, Committed, Event, HistoryQuery, Listing, Result, Splits, Stored, View,
    VisitEvent,
};
use super::key::{Key, Range};
use super::leader::Election;
use super::memory::MemoryStore;
use super::memory::state::State;
use super::options::Options;
use super::revision::Revision;
use super::settings::{ApiFault, ClockMode, Settings};
use crate::sys::clock::Clock;

/// The stack of the threads that maintain the cache and the history, because objects may be deeply nested.
const STACK: usize = 8 * 1024 * 1024;

/// The number of times that a small value of ctl's own data is written again because others were faster.
const ATTEMPTS: usize = 100;

/// The address of a cluster on etcd.
#[derive(Clone, Debug)]
pub struct Members {
    /// `HOST:PORT` of each member.
    pub addresses: Vec<String>,
    /// The prefix of the keys of the cluster, such as `registry`.
    pub prefix: String,
    /// The certificates, if etcd is reached by TLS.
    pub tls: Option<Tls>,
}

/// A cluster's state on etcd.
///
/// ```no_run
/// use ctl_store::{EtcdStore, Members, Options, Settings, Store as _};
/// use ctl_sys::entropy::Seed;
///
/// let members = Members {
///     addresses: vec!["127.0.0.1:2379".to_owned()],
///     prefix: "/registry".to_owned(),
///     tls: None,
/// };
/// let store = EtcdStore::open_or_create(&members, &Options::default(), &Settings::new(Seed(1)))?;
/// println!("{} is at revision {}", store.place(), store.revision()?);
/// # Ok::<(), ctl_store::StoreError>(())
/// ```
pub struct EtcdStore {
    clock: Clock,
    place: String,
    writer_name: String,
    shared: Arc<Shared>,
    heartbeats: Arc<EtcdHeartbeats>,
    events: EventLease,
    /// Held from the second attempt of a decision on.
    writer: Mutex<()>,
    is_new: bool,
}

impl fmt::Debug for EtcdStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EtcdStore").field(&self.place).finish()
    }
}

impl Drop for EtcdStore {
    fn drop(&mut self) {
        // Not joined: it ends after its next read, and nothing depends on it.
        self.shared.stop();
    }
}

impl EtcdStore {
    /// Opens the cluster of a prefix.
    ///
    /// # Errors
    /// The cluster does not exist, or etcd cannot be reached.
    pub fn open(members: &Members, options: &Options) -> Result<Self> {
        Self::begin_with(members, options, None)
    }

    /// Opens the cluster of a prefix, or creates one with these settings.
    ///
    /// # Errors
    /// etcd cannot be reached.
    pub fn open_or_create(
        members: &Members,
        options: &Options,
        settings: &Settings,
    ) -> Result<Self> {
        Self::begin_with(members, options, Some(settings))
    }

    /// Returns true if the cluster was made by opening it.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    fn begin_with(
        members: &Members,
        options: &Options,
        settings: Option<&Settings>,
    ) -> Result<Self> {
        let client = Client::new(&members.addresses, members.tls.as_ref())?;
        let keys = Keys::new(&members.prefix);
        let place = format!("etcd://{}/{}", members.addresses.join(","), members.prefix);
        let mut is_new = false;
        let mut loaded = load(&client, &keys, 0)?;
        if loaded.is_none()
            && let Some(settings) = settings
        {
            is_new = make::make(&client, &keys, settings, options)?;
            loaded = load(&client, &keys, 0)?;
        }
        let loaded: Loaded = loaded.ok_or_else(|| StoreError::NoCluster(place.clone()))?;
        if !is_new {
            loaded.settings.check_finished(&place)?;
        }
        let shared = Arc::new(Shared::new(client, keys, loaded));
        let keepers: [fn(&Shared); 2] = [Shared::follow, Shared::keep_compact];
        for keep in keepers {
            let shared = Arc::clone(&shared);
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread
                .spawn(move || keep(&shared))
                .map_err(|e| StoreError::Etcd(EtcdError::Config(e.to_string())))?;
        }
        Ok(Self {
            clock: options.clock.clone(),
            place,
            writer_name: options.command.clone(),
            heartbeats: Arc::new(EtcdHeartbeats::new(&shared)),
            events: EventLease::default(),
            shared,
            writer: Mutex::default(),
            is_new,
        })
    }

    fn time_after(&self, last: Timestamp) -> Timestamp {
        match self.shared.known.get().clock {
            ClockMode::Virtual => last,
            ClockMode::System => self.clock.now(),
        }
    }

    /// Returns the revision and the time of the cache, brought up to date.
    fn synced(&self) -> Result<State> {
        self.shared.sync()?;
        Ok(self.shared.read(|cached| cached.state.clone()))
    }

    /// Returns the state before the changes after a revision.
    fn state_after(&self, after: Revision) -> Result<State> {
        if self.shared.read(|cached| cached.state.revision) < after {
            // Another process may have reported a commit to its client that has not arrived here yet.
            self.shared.sync()?;
        }
        let state = self.shared.read(|cached| cached.state.clone());
        if after > state.revision {
            return Err(StoreError::Future {
                asked: after,
                current: state.revision,
            });
        }
        self.shared.with_past(after)
    }

    /// Replaces a small value of ctl's own data by a computed one, unless `next` keeps it; returns the revision of a
    /// write.
    fn replace(
        &self,
        name: &str,
        next: &mut dyn FnMut(Option<Vec<u8>>) -> Result<Option<Vec<u8>>>,
    ) -> Result<Option<Revision>> {
        let client = &self.shared.client;
        let key = self.shared.keys.own(name);
        for _ in 0..ATTEMPTS {
            let found = client.range(&KeyRange::key(key.as_str()))?.kvs.pop();
            let revision = found.as_ref().map_or(0, |kv| kv.mod_revision);
            let Some(value) = next(found.map(|kv| kv.value))? else {
                return Ok(None);
            };
            let txn = Txn {
                compares: vec![Compare::mod_revision(key.as_str(), revision)],
                writes: vec![KeyWrite::put(key.as_str(), value)],
                ..Txn::default()
            };
            let done = client.txn(&txn)?;
            if done.succeeded {
                return Ok(Some(done.revision));
            }
        }
        let text = format!("other writers changed {key} {ATTEMPTS} times in a row");
        Err(StoreError::Refused(text))
    }
}

impl Store for EtcdStore {
    fn place(&self) -> String {
        self.place.clone()
    }

    fn settings(&self) -> Arc<Settings> {
        self.shared.known.get()
    }

    fn update_settings(&self, change: &mut dyn FnMut(&mut Settings)) -> Result<Arc<Settings>> {
        let written = self.replace(SETTINGS, &mut |text| {
            let mut settings = match text {
                Some(text) => Settings::of_text(&text, SETTINGS)?,
                None => (*self.shared.known.get()).clone(),
            };
            change(&mut settings);
            Ok(Some(settings.to_text().into_bytes()))
        })?;
        // The watch sets them, for this process as for all.
        self.shared.reach(written.unwrap_or(0))?;
        Ok(self.shared.known.get())
    }

    fn faults(&self) -> Arc<[ApiFault]> {
        self.shared.known.get().faults.clone().into()
    }

    fn secret(&self, name: &str, make: &mut dyn FnMut() -> Result<String>) -> Result<String> {
        let mut secret = String::new();
        self.replace(&format!("secrets/{name}"), &mut |kept| match kept {
            Some(kept) => {
                secret = String::from_utf8_lossy(&kept).into_owned();
                Ok(None)
            }
            None => {
                secret = make()?;
                Ok(Some(secret.clone().into_bytes()))
            }
        })?;
        Ok(secret)
    }

    fn draw(&self, count: u64) -> u64 {
        let mut first = 0_u64;
        // A caller that cannot reach etcd loses the count: its next command replays the same draws.
        let _ = self.replace("draws", &mut |text| {
            let text = text.unwrap_or_default();
            first = String::from_utf8_lossy(&text).parse().unwrap_or(0);
            Ok(Some(first.wrapping_add(count).to_string().into_bytes()))
        });
        first
    }

    fn revision(&self) -> Result<Revision> {
        Ok(self.synced()?.revision)
    }

    fn now(&self) -> Result<Timestamp> {
        Ok(self.moment()?.1)
    }

    fn moment(&self) -> Result<(Revision, Timestamp)> {
        let state = self.synced()?;
        Ok((state.revision, self.time_after(state.time)))
    }

    fn known_moment(&self) -> Result<(Revision, Timestamp)> {
        let (revision, time) = self.shared.read(|now| (now.state.revision, now.state.time));
        Ok((revision, self.time_after(time)))
    }

    fn get(&self, key: &Key) -> Result<Option<Stored>> {
        Ok(self.synced()?.get(key))
    }

    fn list(&self, range: &Range) -> Result<Listing> {
        let state = self.synced()?;
        Ok(Listing {
            revision: state.revision,
            items: state.list(range),
        })
    }

    fn visit(&self, range: &Range, take: &mut dyn FnMut(VisitEvent<'_>)) -> Result<Revision> {
        let state = self.synced()?;
        for (key, entry) in state.range(range) {
            take(VisitEvent::Object(key, entry.revision, &entry.json));
        }
        Ok(state.revision)
    }

    fn list_at(&self, range: &Range, revision: Revision) -> Result<Listing> {
        self.state_after(revision)?.list_at(range, revision)
    }

    fn transact(
        &self,
        cause: &Cause,
        decide: &mut dyn FnMut(&(dyn View + Sync)) -> Result<Option<Batch>>,
    ) -> Result<Option<Committed>> {
        let mut large = None;
        let done = self.decide_and_commit(cause, &mut |view| {
            large = None;
            let decided = decide(view)?;
            let size = |batch: &Batch| -> usize {
                let bytes = batch.ops.iter().filter_map(|op| op.json.as_ref());
                bytes.map(|json| json.len()).sum()
            };
            let too_large =
                |batch: &Batch| batch.ops.len() > MOST_OBJECTS || size(batch) > MOST_BYTES / 2;
            match decided {
                Some(batch) if batch.splits != Splits::Never && too_large(&batch) => {
                    large = Some(batch);
                    Ok(None)
                }
                decided => Ok(decided),
            }
        })?;
        match large {
            Some(batch) => self.commit_parts(cause, batch).map(Some),
            None => Ok(done),
        }
    }

    fn events(&self, range: &Range, after: Revision) -> Result<(Vec<Event>, Revision)> {
        let state = self.state_after(after)?;
        Ok((state.events(range, after)?, state.revision))
    }

    fn wait(&self, after: Revision, timeout: Duration) -> Result<Revision> {
        self.shared.wait(timeout, |revision, _| revision > after);
        Ok(self.shared.read(|cached| cached.state.revision))
    }

    fn is_idle(&self) -> bool {
        // A read may have to wait for another machine.
        false
    }

    fn oldest(&self) -> Result<Revision> {
        self.shared.oldest()
    }

    fn visit_history(
        &self,
        past: &HistoryQuery,
        visit: &mut dyn FnMut(Change) -> ControlFlow<()>,
    ) -> Result<()> {
        let current = self.synced()?.revision;
        self.shared
            .with_past(past.after.min(current))?
            .history(past, visit)
    }

    fn compact(&self) -> Result<()> {
        self.shared.compact()
    }

    fn fork(&self, at: Option<Revision>) -> Result<Arc<dyn Store>> {
        let state = self.synced()?;
        let state = match at {
            Some(revision) if revision != state.revision => {
                self.state_after(revision)?.back_to(revision)?
            }
            // The history up to now belongs to a copy.
            _ => self.shared.with_past(self.oldest()?)?,
        };
        let settings = (*self.shared.known.get()).clone();
        let fork = MemoryStore::with(self.clock.clone(), settings, state);
        // Both sides have equal draws: a fork repeats the original's faults.
        fork.skip_draws(self.draw(0));
        Ok(Arc::new(fork))
    }

    fn election(&self) -> &dyn Election {
        self
    }
}
