//! Which processes lead: each has a heartbeat, watched by those who stand by.
//!
//! One leads the whole, or several a part each. This only keeps leaders from getting in each other's way. That a
//! leader who was asleep writes nothing is the epoch's doing, which every commit checks. Leaders of
//! parts share an epoch: one that was fenced by another's beginning goes on under the new one.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use super::beats::{Beat, Beats, FileBeats};
use super::division::Division;
use super::files::FileStore;
use super::interface::Result;
use super::layout::{DOT, LEADER};
use crate::sys::clock::Stopwatch;
use crate::sys::fs::{self, LockGuard};
use crate::sys::lock::LockError;

/// How often a leader beats in the time after which it counts as dead.
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

    /// The share of one of many hosts that divide the namespaces among themselves.
    pub(crate) fn host(number: u32) -> Self {
        // No configured division has `u32::MAX` shares, so the share of a host conflicts with every configured one but with
        // no other host.
        Self {
            own: number,
            of: u32::MAX,
        }
    }

    /// One of so many parts, counted from 0.
    pub fn part(own: u32, of: u32) -> Self {
        Self { own, of }
    }

    /// The file of its leader.
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

    /// The name of its leader's key.
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
    beats: Arc<dyn Beats>,
    stop: Arc<AtomicBool>,
    lost: Arc<AtomicBool>,
    epoch: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
    division: Option<Arc<dyn Division>>,
}

/// One who waits to lead.
///
/// ```
/// use std::time::Duration;
///
/// use ctl_store::{Beats, Candidate, Election, Leadership, Share, Turn};
///
/// /// Leads every namespace, if nobody else does.
/// fn lead(election: &dyn Election) -> ctl_store::Result<Option<Leadership>> {
///     let mut candidate = Candidate::new(Duration::from_secs(5), Share::WHOLE);
///     let Some(turn) = election.try_turn()? else {
///         println!("{} is running the controllers", election.whose_turn());
///         return Ok(None);
///     };
///     let turn: Turn = turn; // held while this process runs the controllers
///     drop(turn);
///     election.try_lead(&mut candidate)
/// }
///
/// /// Counts the leaders that have ever written a beat.
/// fn leaders(beats: &dyn Beats) -> ctl_store::Result<usize> {
///     Ok(beats.all()?.into_iter().filter(|(_, beat): &(Share, ctl_store::Beat)| beat.count > 0).count())
/// }
/// ```
#[derive(Debug)]
pub struct Candidate {
    lease: Duration,
    share: Share,
    seen: BTreeMap<Share, (Beat, Stopwatch)>,
}

/// The turn of one who brings the cluster to rest and begins no second epoch meanwhile; it ends with the value, or
/// with the process, however that ends.
pub struct Turn {
    _lock: Option<Box<dyn LockGuard>>,
}

impl Turn {
    /// A turn that lasts as long as a lock.
    pub(crate) fn under(lock: Option<Box<dyn LockGuard>>) -> Self {
        Self { _lock: lock }
    }
}

/// The leadership of a cluster's controllers, and the turn to settle it.
pub trait Election: Send + Sync {
    /// The heartbeats of the leaders.
    fn beats(&self) -> Arc<dyn Beats>;

    /// Takes the turn to begin an epoch if nobody else has it. Whoever dies gives it back.
    ///
    /// # Errors
    /// If the store cannot be written.
    fn try_turn(&self) -> Result<Option<Turn>>;

    /// Names whose turn it is, for messages.
    fn whose_turn(&self) -> String;

    /// Takes the lead where nobody has it, or a lead that does not go with it.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    fn try_lead(&self, candidate: &mut Candidate) -> Result<Option<Leadership>> {
        candidate.try_lead(self.beats())
    }

    /// Returns the leader and its heartbeat counter, if there is a leader. A live leader changes
    /// the counter all the time.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn heartbeat(&self) -> Result<Option<(u64, u64)>> {
        let kept = self.beats();
        let beats = kept.all()?.into_iter();
        // Combined into one number: whoever waits only asks if anything moved.
        let sum = beats
            .map(|(_, beat)| (beat.holder, beat.count))
            .reduce(|one, two| (one.0 ^ two.0, one.1.wrapping_add(two.1)));
        // A record that ends by itself proves that its leader is alive, so every look shows another count.
        let moves = kept.end_by_themselves();
        Ok(sum.map(|(holder, count)| (holder, if moves { kept.fresh() } else { count })))
    }
}

impl Election for FileStore {
    fn beats(&self) -> Arc<dyn Beats> {
        Arc::new(FileBeats(Arc::clone(&self.fs)))
    }

    /// Takes the lock of the machine's own directory.
    fn try_turn(&self) -> Result<Option<Turn>> {
        self.check_writable()?;
        // A lock of the kernel and no file: a killed process cannot leave it behind.
        match self.fs.try_lock_dir(DOT) {
            Ok(lock) => Ok(Some(Turn::under(Some(lock)))),
            Err(LockError::Busy) => Ok(None),
            // A tree without a memory: the first commit makes it.
            Err(LockError::Io(e)) if e.kind() == ErrorKind::NotFound => Ok(Some(Turn::under(None))),
            Err(LockError::Io(e)) => Err(fs::FsError::new("lock", DOT, e).into()),
        }
    }

    fn whose_turn(&self) -> String {
        let known = self.fs.dir_locker(DOT);
        known.unwrap_or_else(|| "another process".to_owned())
    }
}

impl Candidate {
    /// One who takes a leader for dead that was not heard of for so long.
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

    pub(crate) fn try_lead(&mut self, beats: Arc<dyn Beats>) -> Result<Option<Leadership>> {
        let mut found = beats.all()?;
        // Leaders of other shards of the same division are no obstacle.
        found.retain(|(share, _)| !share.goes_with(self.share));
        // Its end is the store's to declare, by one clock for all.
        if beats.end_by_themselves() && !found.is_empty() {
            return Ok(None);
        }
        // A beat that changed is alive; only unchanged ones go on ageing.
        self.seen
            .retain(|share, (beat, _)| found.contains(&(*share, *beat)));
        for (share, beat) in &found {
            // Measured by this process's own monotonic clock, as client-go does: wall clocks of two
            // processes need not agree.
            let new = || (*beat, Stopwatch::start());
            self.seen.entry(*share).or_insert_with(new);
        }
        // Waiting for a full lease after the last change is what keeps two from leading; the epoch
        // fences off the rest.
        if self
            .seen
            .values()
            .any(|(_, since)| since.elapsed() < self.lease)
        {
            return Ok(None);
        }
        self.seen.clear();
        for (share, _) in found {
            // It is dead, and shall not be taken for one who contends.
            beats.write(share, Beat::default(), self.lease)?;
        }
        let own = Beat {
            // Never zero, which means that nobody holds it.
            holder: beats.fresh() | 1,
            ..Beat::default()
        };
        beats.write(self.share, own, self.lease)?;
        Ok(Some(Leadership::start(beats, self.share, own, self.lease)))
    }
}

impl Leadership {
    fn start(beats: Arc<dyn Beats>, share: Share, own: Beat, lease: Duration) -> Self {
        let pause = lease / BEATS;
        let (stop, lost) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let epoch = Arc::<AtomicU64>::default();
        let (stopped, losing) = (Arc::clone(&stop), Arc::clone(&lost));
        let began = Arc::clone(&epoch);
        let heard = Arc::clone(&beats);
        let thread = std::thread::spawn(move || {
            let mut own = own;
            loop {
                // A stop before this line left its token, so the wait ends at once.
                std::thread::park_timeout(pause);
                // Somebody else's name in the file is the sign of a lost lead, however long this
                // thread slept.
                let stands = beats.all().map(|all| Self::stands(share, own, &all));
                // An unreadable directory counts as lost: two leaders are worse than none.
                if !stands.unwrap_or(false) {
                    losing.store(true, Ordering::Relaxed);
                    return;
                }
                own.count += 1;
                own.epoch = began.load(Ordering::Relaxed);
                // The last beat gives the lead back, so that the next one need not wait for the
                // lease.
                let last = stopped.load(Ordering::Relaxed);
                let beat = if last { Beat::default() } else { own };
                // A lead that cannot be renewed runs out for the others, so it ends here too.
                if beats.write(share, beat, lease).is_err() {
                    losing.store(true, Ordering::Relaxed);
                    return;
                }
                // Only behind the beat that gives the lead back: a stop that came during an ordinary beat waits for one more.
                if last {
                    return;
                }
            }
        });
        Self {
            share,
            beats: heard,
            stop,
            lost,
            epoch,
            thread: Some(thread),
            division: None,
        }
    }

    /// Adds the shares that the leader has as one of many hosts.
    pub(crate) fn divided(mut self, division: Arc<dyn Division>) -> Self {
        self.division = Some(division);
        self
    }

    /// The word by which others than its thread end the lead.
    pub(crate) fn lost_flag(&self) -> Arc<AtomicBool> {
        // A refused commit knows earlier than the next beat.
        Arc::clone(&self.lost)
    }

    /// The shares that it has as one of many hosts, if the store divides the namespaces.
    pub fn division(&self) -> Option<&dyn Division> {
        self.division.as_deref()
    }

    /// Returns the epoch after a fence that other hosts write under. A host that comes later joins it, since its own key fences it
    /// off; every other leader has to begin an epoch, for its predecessor may only be asleep.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn joined_epoch(&self, fenced: u64) -> Result<Option<u64>> {
        if self.division.is_none() {
            return Ok(None);
        }
        let all = self.beats.all()?;
        let kin = all.iter().filter(|(share, _)| share.goes_with(self.share));
        // A host that is about to be fenced itself still has the epoch from before.
        let epoch = kin.map(|(_, beat)| beat.epoch).max();
        Ok(epoch.filter(|epoch| *epoch > fenced))
    }

    /// Returns true if one who leads does so still. Of two who began at the same moment what does
    /// not go together, the one with the lower number gives way.
    fn stands(share: Share, own: Beat, all: &[(Share, Beat)]) -> bool {
        let held = |(other, beat): &(Share, Beat)| *other == share && beat.holder == own.holder;
        let contends = |(other, beat): &(Share, Beat)| {
            // A rule that both compute alike from the same files, without another exchange.
            *other != share && !other.goes_with(share) && beat.holder > own.holder
        };
        all.iter().any(held) && !all.iter().any(contends)
    }

    /// Returns true if somebody else leads now.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// Says under which epoch it writes.
    pub fn writes_under(&self, epoch: u64) {
        self.epoch.store(epoch, Ordering::Relaxed);
        // Written at once and not with the next beat: another shard's leader may ask for it now.
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }

    /// Returns true if an epoch was begun, or is written under, by the leader of another part: then
    /// it is this one's too.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn shares(&self, epoch: u64) -> Result<bool> {
        let all = self.beats.all()?;
        let mut kin = all.iter().filter(|(share, _)| share.goes_with(self.share));
        Ok(kin.any(|(_, beat)| beat.epoch == epoch))
    }
}

impl Drop for Leadership {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // Waits for the last beat: a process that ends right behind would leave a lead without
            // a leader.
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
    fn one_leads_and_the_next_follows_when_it_ends() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        let lease = Duration::from_millis(200);
        let mut candidate = Candidate::new(lease, Share::WHOLE);
        let first = store.try_lead(&mut candidate).unwrap().unwrap();
        let mut second = Candidate::new(lease, Share::WHOLE);
        let since = Stopwatch::start();
        while since.elapsed() < lease * 3 {
            assert!(store.try_lead(&mut second).unwrap().is_none());
            std::thread::sleep(lease / 10);
        }
        assert!(!first.is_lost());
        drop(first);
        assert!(store.try_lead(&mut second).unwrap().is_some());
    }

    #[test]
    fn a_lead_that_ends_during_a_beat_is_given_back() {
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
    fn a_leader_that_is_not_heard_of_loses_the_lead() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        let lease = Duration::from_millis(100);
        // One that was killed: its last word stands there for ever.
        let dead = Beat {
            holder: 7,
            count: 3,
            epoch: 1,
        };
        store.beats().write(Share::WHOLE, dead, lease).unwrap();
        let mut next = Candidate::new(lease, Share::WHOLE);
        assert!(store.try_lead(&mut next).unwrap().is_none());
        std::thread::sleep(lease * 2);
        let lead = store.try_lead(&mut next).unwrap().unwrap();
        store.beats().write(Share::WHOLE, dead, lease).unwrap();
        let since = Stopwatch::start();
        while !lead.is_lost() && since.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(lease / 10);
        }
        assert!(lead.is_lost());
    }

    #[test]
    fn parts_are_led_side_by_side_and_the_whole_by_nobody_beside_them() {
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
    fn of_two_that_began_at_once_what_does_not_go_together_one_gives_way() {
        let beat = |holder| Beat {
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
        assert!(!stands(part, 8), "somebody else has it");
        assert!(!stands(Share::part(1, 2), 1), "the whole came before it");
    }

    #[test]
    fn the_files_of_leaders_are_told_by_their_names() {
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
