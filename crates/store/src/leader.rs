//! The leading processes: each has a heartbeat, which standbys watch.
//!
//! One process leads the whole cluster, or several lead a part each. Heartbeats only keep leaders from interfering with
//! each other. The epoch, which every commit checks, ensures that a stalled leader writes nothing. Leaders of parts
//! share an epoch: one that was fenced off because another started continues under the new one.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use super::division::Division;
use super::files::FileStore;
use super::heartbeats::{FileHeartbeats, Heartbeat, Heartbeats};
use super::interface::Result;
use super::layout::{DOT, LEADER};
use crate::sys::clock::Stopwatch;
use crate::sys::fs::{self, LockGuard};
use crate::sys::lock::LockError;

/// The number of heartbeats in the time after which a leader counts as dead.
const BEATS: u32 = 4;

/// A leader's share: the whole cluster, or one of several shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    own: u32,
    of: u32,
}

impl Share {
    /// All there is.
    pub const WHOLE: Self = Self { own: 0, of: 1 };

    /// Returns the share of one of many hosts that divide the namespaces.
    pub(crate) fn host(number: u32) -> Self {
        // No configured division has `u32::MAX` shares, so the share of a host conflicts with every configured one but
        // with no other host.
        Self {
            own: number,
            of: u32::MAX,
        }
    }

    /// Returns one of `of` parts, counted from 0.
    pub fn part(own: u32, of: u32) -> Self {
        Self { own, of }
    }

    /// Returns the file of its leader.
    pub(crate) fn path(self) -> String {
        match self {
            Self::WHOLE => LEADER.to_owned(),
            Self { own, of } => format!("{LEADER}-{own}-of-{of}"),
        }
    }

    pub(crate) fn of_file(name: &str) -> Option<Self> {
        let (_, whole) = LEADER.rsplit_once('/')?;
        let part = name.strip_prefix(whole)?;
        if part.is_empty() {
            return Some(Self::WHOLE);
        }
        let (own, of) = part.strip_prefix('-')?.split_once("-of-")?;
        Some(Self::part(own.parse().ok()?, of.parse().ok()?))
    }

    /// Returns the name of its leader's key.
    pub(crate) fn key(self) -> String {
        format!("{}-of-{}", self.own, self.of)
    }

    pub(crate) fn of_key(name: &str) -> Option<Self> {
        let (own, of) = name.split_once("-of-")?;
        Some(Self::part(own.parse().ok()?, of.parse().ok()?))
    }

    /// Returns true if both may be led at the same time, by different processes.
    fn goes_with(self, other: Self) -> bool {
        self.of == other.of && self.own != other.own
    }
}

/// The lead of this process; it ends with the value.
#[derive(Debug)]
pub struct Leadership {
    share: Share,
    heartbeats: Arc<dyn Heartbeats>,
    stop: Arc<AtomicBool>,
    lost: Arc<AtomicBool>,
    epoch: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
    division: Option<Arc<dyn Division>>,
}

/// A process that waits to lead.
///
/// ```
/// use std::time::Duration;
///
/// use ctl_store::{Heartbeats, Candidate, Election, Leadership, Share, SettleLock};
///
/// /// Leads every namespace, if nobody else does.
/// fn lead(election: &dyn Election) -> ctl_store::Result<Option<Leadership>> {
///     let mut candidate = Candidate::new(Duration::from_secs(5), Share::WHOLE);
///     let Some(lock) = election.try_settle_lock()? else {
///         println!("{} is running the controllers", election.settle_lock_holder());
///         return Ok(None);
///     };
///     let lock: SettleLock = lock; // held while this process runs the controllers
///     drop(lock);
///     election.try_lead(&mut candidate)
/// }
///
/// /// Counts the leaders that have ever written a beat.
/// fn leaders(heartbeats: &dyn Heartbeats) -> ctl_store::Result<usize> {
///     Ok(heartbeats.all()?.into_iter().filter(|(_, beat): &(Share, ctl_store::Heartbeat)| beat.count > 0).count())
/// }
/// ```
#[derive(Debug)]
pub struct Candidate {
    lease: Duration,
    share: Share,
    seen: BTreeMap<Share, (Heartbeat, Stopwatch)>,
}

/// The lock that a process holds while it settles the cluster and begins no second epoch; it ends with the value, or
/// with the process, however that ends.
pub struct SettleLock {
    _lock: Option<Box<dyn LockGuard>>,
}

impl SettleLock {
    /// Returns the settle lock that lasts as long as a lock of the store.
    pub(crate) fn under(lock: Option<Box<dyn LockGuard>>) -> Self {
        Self { _lock: lock }
    }
}

/// The leadership of a cluster's controllers, and the lock for settling it.
pub trait Election: Send + Sync {
    /// Returns the heartbeats of the leaders.
    fn heartbeats(&self) -> Arc<dyn Heartbeats>;

    /// Acquires the lock for beginning an epoch if no other process has it. It is released if the process dies.
    ///
    /// # Errors
    /// The store cannot be written.
    fn try_settle_lock(&self) -> Result<Option<SettleLock>>;

    /// Names the holder of the settle lock, for messages.
    fn settle_lock_holder(&self) -> String;

    /// Takes the lead if no other process has it, or has a conflicting one.
    ///
    /// # Errors
    /// The store cannot be read or written.
    fn try_lead(&self, candidate: &mut Candidate) -> Result<Option<Leadership>> {
        candidate.try_lead(self.heartbeats())
    }

    /// Returns the leader and its heartbeat counter, if there is a leader. A live leader changes
    /// the counter all the time.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn heartbeat(&self) -> Result<Option<(u64, u64)>> {
        let kept = self.heartbeats();
        let heartbeats = kept.all()?.into_iter();
        // Combined into one number, because a standby only checks for changes.
        let sum = heartbeats
            .map(|(_, beat)| (beat.holder, beat.count))
            .reduce(|one, two| (one.0 ^ two.0, one.1.wrapping_add(two.1)));
        // A record with a lease proves that its leader is alive, so every check returns a new count.
        let moves = kept.end_by_themselves();
        Ok(sum.map(|(holder, count)| (holder, if moves { kept.fresh() } else { count })))
    }
}

impl Election for FileStore {
    fn heartbeats(&self) -> Arc<dyn Heartbeats> {
        Arc::new(FileHeartbeats(Arc::clone(&self.fs)))
    }

    /// Takes the lock of the machine's own directory.
    fn try_settle_lock(&self) -> Result<Option<SettleLock>> {
        self.check_writable()?;
        // A kernel lock instead of a file, because a killed process cannot leave it behind.
        match self.fs.try_lock_dir(DOT) {
            Ok(lock) => Ok(Some(SettleLock::under(Some(lock)))),
            Err(LockError::Busy) => Ok(None),
            // A tree without a memory: the first commit makes it.
            Err(LockError::Io(e)) if e.kind() == ErrorKind::NotFound => {
                Ok(Some(SettleLock::under(None)))
            }
            Err(LockError::Io(e)) => Err(fs::FsError::new("lock", DOT, e).into()),
        }
    }

    fn settle_lock_holder(&self) -> String {
        let known = self.fs.dir_locker(DOT);
        known.unwrap_or_else(|| "another process".to_owned())
    }
}

impl Candidate {
    /// Creates a candidate that considers a leader dead after this lease without a heartbeat.
    pub fn new(lease: Duration, share: Share) -> Self {
        Self {
            lease,
            share,
            seen: BTreeMap::new(),
        }
    }

    pub(crate) fn share(&self) -> Share {
        self.share
    }

    pub(crate) fn lease(&self) -> Duration {
        self.lease
    }

    pub(crate) fn try_lead(
        &mut self,
        heartbeats: Arc<dyn Heartbeats>,
    ) -> Result<Option<Leadership>> {
        let mut found = heartbeats.all()?;
        // Leaders of other shards of the same division are no obstacle.
        found.retain(|(share, _)| !share.goes_with(self.share));
        // The store ends the lease, by one clock for all processes.
        if heartbeats.end_by_themselves() && !found.is_empty() {
            return Ok(None);
        }
        // A heartbeat that changed is alive; only unchanged ones continue to age.
        self.seen
            .retain(|share, (beat, _)| found.contains(&(*share, *beat)));
        for (share, beat) in &found {
            // Measured by this process's own monotonic clock, as client-go does: wall clocks of two
            // processes need not agree.
            let new = || (*beat, Stopwatch::start());
            self.seen.entry(*share).or_insert_with(new);
        }
        // Waiting for a full lease after the last change prevents two leaders; the epoch fences off the rest.
        if self
            .seen
            .values()
            .any(|(_, since)| since.elapsed() < self.lease)
        {
            return Ok(None);
        }
        self.seen.clear();
        for (share, _) in found {
            // It is dead, and must not count as a contender.
            heartbeats.write(share, Heartbeat::default(), self.lease)?;
        }
        let own = Heartbeat {
            // Never zero, which means that there is no holder.
            holder: heartbeats.fresh() | 1,
            ..Heartbeat::default()
        };
        heartbeats.write(self.share, own, self.lease)?;
        Ok(Some(Leadership::start(
            heartbeats, self.share, own, self.lease,
        )))
    }
}

impl Leadership {
    fn start(
        heartbeats: Arc<dyn Heartbeats>,
        share: Share,
        own: Heartbeat,
        lease: Duration,
    ) -> Self {
        let pause = lease / BEATS;
        let (stop, lost) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let epoch = Arc::<AtomicU64>::default();
        let (stopped, losing) = (Arc::clone(&stop), Arc::clone(&lost));
        let began = Arc::clone(&epoch);
        let heard = Arc::clone(&heartbeats);
        let thread = std::thread::spawn(move || {
            let mut own = own;
            loop {
                // A stop before this line left its token, so the wait ends at once.
                std::thread::park_timeout(pause);
                // Another process' name in the file means that the lead is lost, however long this thread slept.
                let stands = heartbeats.all().map(|all| Self::stands(share, own, &all));
                // An unreadable directory counts as lost: two leaders are worse than none.
                if !stands.unwrap_or(false) {
                    losing.store(true, Ordering::Relaxed);
                    return;
                }
                own.count += 1;
                own.epoch = began.load(Ordering::Relaxed);
                // The last heartbeat releases the lead, so that the next leader need not wait for the lease.
                let last = stopped.load(Ordering::Relaxed);
                let beat = if last { Heartbeat::default() } else { own };
                // A lead that cannot be renewed runs out for the others, so it ends here too.
                if heartbeats.write(share, beat, lease).is_err() {
                    losing.store(true, Ordering::Relaxed);
                    return;
                }
                // Only after the heartbeat that releases the lead: a stop during an ordinary heartbeat waits for one
                // more.
                if last {
                    return;
                }
            }
        });
        Self {
            share,
            heartbeats: heard,
            stop,
            lost,
            epoch,
            thread: Some(thread),
            division: None,
        }
    }

    /// Adds the shares of one of many hosts to the lead.
    pub(crate) fn divided(mut self, division: Arc<dyn Division>) -> Self {
        self.division = Some(division);
        self
    }

    /// Returns the flag by which other threads end the lead.
    pub(crate) fn lost_flag(&self) -> Arc<AtomicBool> {
        // A rejected commit detects the loss earlier than the next heartbeat.
        Arc::clone(&self.lost)
    }

    /// Returns the shares of one of many hosts, if the store divides the namespaces.
    pub fn division(&self) -> Option<&dyn Division> {
        self.division.as_deref()
    }

    /// Returns the epoch after a fence that other hosts write under. A later host joins it, because its own key fences
    /// it off; every other leader must begin an epoch, because its predecessor may only be stalled.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn joined_epoch(&self, fenced: u64) -> Result<Option<u64>> {
        if self.division.is_none() {
            return Ok(None);
        }
        let all = self.heartbeats.all()?;
        let kin = all.iter().filter(|(share, _)| share.goes_with(self.share));
        // A host that is about to be fenced itself still has the epoch from before.
        let epoch = kin.map(|(_, beat)| beat.epoch).max();
        Ok(epoch.filter(|epoch| *epoch > fenced))
    }

    /// Returns true if a leader still leads. If two conflicting leaders started at the same time, the one with the
    /// lower number gives way.
    fn stands(share: Share, own: Heartbeat, all: &[(Share, Heartbeat)]) -> bool {
        let held =
            |(other, beat): &(Share, Heartbeat)| *other == share && beat.holder == own.holder;
        let contends = |(other, beat): &(Share, Heartbeat)| {
            // Both compute the same result from the same files, without another exchange.
            *other != share && !other.goes_with(share) && beat.holder > own.holder
        };
        all.iter().any(held) && !all.iter().any(contends)
    }

    /// Returns true if another process leads now.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// Says under which epoch it writes.
    pub fn writes_under(&self, epoch: u64) {
        self.epoch.store(epoch, Ordering::Relaxed);
        // Written at once instead of with the next heartbeat, because another shard's leader may read it now.
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }

    /// Returns true if the leader of another part began an epoch, or writes under it: then this leader may use it too.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn shares(&self, epoch: u64) -> Result<bool> {
        let all = self.heartbeats.all()?;
        let mut kin = all.iter().filter(|(share, _)| share.goes_with(self.share));
        Ok(kin.any(|(_, beat)| beat.epoch == epoch))
    }
}

impl Drop for Leadership {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // Waits for the last heartbeat: otherwise a process that ends directly afterwards would leave a lead
            // without a leader.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::entropy::Seed;
    use crate::sys::real_fs::RealFs;
    use crate::{Options, Settings};

    fn store(dir: &std::path::Path) -> FileStore {
        let fs = Arc::new(RealFs::open(dir).unwrap());
        FileStore::open_or_create(fs, Options::default(), Settings::new(Seed(1))).unwrap()
    }

    #[test]
    fn next_candidate_leads_after_the_leader_ends() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        // A busy machine may delay a heartbeat by some hundred milliseconds.
        let lease = Duration::from_secs(2);
        let mut candidate = Candidate::new(lease, Share::WHOLE);
        let first = store.try_lead(&mut candidate).unwrap().unwrap();
        let mut second = Candidate::new(lease, Share::WHOLE);
        let since = Stopwatch::start();
        while since.elapsed() < lease * 3 / 2 {
            assert!(store.try_lead(&mut second).unwrap().is_none());
            std::thread::sleep(lease / 10);
        }
        assert!(!first.is_lost());
        drop(first);
        assert!(store.try_lead(&mut second).unwrap().is_some());
    }

    #[test]
    fn leadership_dropped_during_a_heartbeat_is_released() {
        let store =
            crate::MemoryStore::new(crate::sys::clock::Clock::System, Settings::new(Seed(1)));
        for _ in 0..2000 {
            let mut candidate = Candidate::new(Duration::from_secs(30), Share::WHOLE);
            let lead = store.try_lead(&mut candidate).unwrap().unwrap();
            lead.writes_under(1);
            drop(lead);
            assert_eq!(store.heartbeat().unwrap(), None);
        }
    }

    #[test]
    fn silent_leader_is_replaced_and_overwritten_lead_is_lost() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        let lease = Duration::from_millis(100);
        // A leader that was killed: its last heartbeat stays forever.
        let dead = Heartbeat {
            holder: 7,
            count: 3,
            epoch: 1,
        };
        store.heartbeats().write(Share::WHOLE, dead, lease).unwrap();
        let mut next = Candidate::new(lease, Share::WHOLE);
        assert!(store.try_lead(&mut next).unwrap().is_none());
        std::thread::sleep(lease * 2);
        let lead = store.try_lead(&mut next).unwrap().unwrap();
        store.heartbeats().write(Share::WHOLE, dead, lease).unwrap();
        let since = Stopwatch::start();
        while !lead.is_lost() && since.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(lease / 10);
        }
        assert!(lead.is_lost());
    }

    #[test]
    fn parts_have_separate_leaders_and_exclude_a_whole_leader() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        let lease = Duration::from_millis(200);
        let lead = |share| store.try_lead(&mut Candidate::new(lease, share)).unwrap();
        let one = lead(Share::part(0, 2)).unwrap();
        let two = lead(Share::part(1, 2)).unwrap();
        assert!(lead(Share::part(1, 2)).is_none());
        assert!(lead(Share::part(0, 3)).is_none());
        let mut whole = Candidate::new(lease, Share::WHOLE);
        assert!(store.try_lead(&mut whole).unwrap().is_none());
        two.writes_under(12);
        let since = Stopwatch::start();
        while !one.shares(12).unwrap() && since.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(lease / 10);
        }
        assert!(one.shares(12).unwrap() && !one.shares(13).unwrap());
        assert!(!two.shares(12).unwrap(), "its own is no other's");
        let (first, again) = (store.heartbeat().unwrap(), lease * 2);
        std::thread::sleep(again);
        assert_ne!(store.heartbeat().unwrap(), first);
        assert!(!one.is_lost() && !two.is_lost());
        drop((one, two));
        assert_eq!(store.heartbeat().unwrap(), None);
        let whole = store.try_lead(&mut whole).unwrap();
        assert!(whole.is_some() && lead(Share::part(0, 2)).is_none());
    }

    #[test]
    fn only_one_of_two_simultaneous_conflicting_leaders_stays() {
        let beat = |holder| Heartbeat {
            holder,
            count: 1,
            epoch: 0,
        };
        let (whole, part) = (Share::WHOLE, Share::part(0, 2));
        let all = [
            (whole, beat(5)),
            (part, beat(9)),
            (Share::part(1, 2), beat(1)),
        ];
        let stands = |share, holder| Leadership::stands(share, beat(holder), &all);
        assert!(!stands(whole, 5));
        assert!(stands(part, 9));
        assert!(!stands(part, 8), "another process leads it");
        assert!(
            !stands(Share::part(1, 2), 1),
            "a leader of the whole started earlier"
        );
    }

    #[test]
    fn the_files_of_leaders_are_recognized_by_their_names() {
        for share in [Share::WHOLE, Share::part(0, 2), Share::part(11, 12)] {
            let path = share.path();
            let (_, name) = path.rsplit_once('/').unwrap();
            assert_eq!(Share::of_file(name), Some(share));
        }
        for other in ["leaders", "leader-1", "leader-a-of-b", "head"] {
            assert_eq!(Share::of_file(other), None, "{other}");
        }
    }
}
