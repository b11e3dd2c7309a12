//! Which processes lead: each has a file that it touches, watched by those who stand by.
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

use super::files::FileStore;
use super::interface::Result;
use super::journal::open_or_create;
use super::layout::{DOT, LEADER};
use crate::sys::clock::Stopwatch;
use crate::sys::fs::{self, Fs, LockGuard};
use crate::sys::lock::LockError;

/// The longest such file that is read.
const MAX_SIZE: u64 = 4096;

/// How often a leader touches the file in the time after which it counts as dead.
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

    /// One of so many parts, counted from 0.
    pub fn part(own: u32, of: u32) -> Self {
        Self { own, of }
    }

    /// The file of its leader.
    fn path(self) -> String {
        match self {
            Self::WHOLE => LEADER.to_owned(),
            Self { own, of } => format!("{LEADER}-{own}-of-{of}"),
        }
    }

    fn of_file(name: &str) -> Option<Self> {
        let (_, whole) = LEADER.rsplit_once('/')?;
        let part = name.strip_prefix(whole)?;
        if part.is_empty() {
            return Some(Self::WHOLE);
        }
        let (own, of) = part.strip_prefix('-')?.split_once("-of-")?;
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
    stop: Arc<AtomicBool>,
    lost: Arc<AtomicBool>,
    epoch: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

/// One who waits to lead.
#[derive(Debug)]
pub struct Candidate {
    lease: Duration,
    share: Share,
    seen: BTreeMap<Share, (Beat, Stopwatch)>,
}

/// The content of the leader file: the holder, its heartbeat counter, and the epoch it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Beat {
    holder: u64,
    count: u64,
    epoch: u64,
}

impl Beat {
    fn read(fs: &dyn Fs, share: Share) -> Result<Option<Self>> {
        let bytes = match fs::read_all(fs, &share.path(), MAX_SIZE) {
            Ok(bytes) => bytes,
            Err(e) if e.is_not_found() => return Ok(None),
            Err(e) => return Err(e.into()),
        };
        let text = String::from_utf8_lossy(&bytes);
        // Words that are not hexadecimal make it no beat: the file counts as empty.
        let mut words = text
            .split_whitespace()
            .map(|w| u64::from_str_radix(w, 16).ok());
        let beat = words.next().flatten().zip(words.next().flatten());
        let epoch = words.next().flatten().unwrap_or(0);
        // A released lead has no holder.
        Ok(beat
            .map(|(holder, count)| Self {
                holder,
                count,
                epoch,
            })
            .filter(|beat| beat.holder != 0))
    }

    /// Everybody who leads something.
    fn all(fs: &dyn Fs) -> Result<Vec<(Share, Self)>> {
        let mut all = Vec::new();
        for entry in fs.list(DOT)? {
            if let Some(share) = Share::of_file(&entry.name) {
                all.extend(Self::read(fs, share)?.map(|beat| (share, beat)));
            }
        }
        Ok(all)
    }

    fn write(self, fs: &dyn Fs, share: Share) -> Result<()> {
        let Self {
            holder,
            count,
            epoch,
        } = self;
        let line = format!("{holder:016x} {count:016x} {epoch:016x}\n");
        // In place and without a sync: after a power cut nobody leads anyway.
        Ok(open_or_create(fs, &share.path())?.write_at(line.as_bytes(), 0)?)
    }
}

/// The turn of one who brings the cluster to rest and begins no second epoch meanwhile; it ends with the value, or
/// with the process, however that ends.
pub struct Turn {
    _lock: Option<Box<dyn LockGuard>>,
}

impl FileStore {
    /// Takes the turn if nobody else has it.
    ///
    /// It is the lock of the machine's own directory, which the kernel takes back from whoever dies: one that was
    /// killed is waited for by nobody.
    ///
    /// # Errors
    /// Where the directory may not be written.
    pub fn try_turn(&self) -> Result<Option<Turn>> {
        self.check_writable()?;
        // A lock of the kernel and no file: a killed process cannot leave it behind.
        match self.fs.try_lock_dir(DOT) {
            Ok(lock) => Ok(Some(Turn { _lock: Some(lock) })),
            Err(LockError::Busy) => Ok(None),
            // A tree without a memory: the first commit makes it.
            Err(LockError::Io(e)) if e.kind() == ErrorKind::NotFound => {
                Ok(Some(Turn { _lock: None }))
            }
            Err(LockError::Io(e)) => Err(fs::FsError::new("lock", DOT, e).into()),
        }
    }

    /// Whose turn it is, for messages.
    pub fn whose_turn(&self) -> String {
        let known = self.fs.dir_locker(DOT);
        known.unwrap_or_else(|| "another process".to_owned())
    }

    /// Returns the leader and its heartbeat counter, if there is a leader. A live leader changes
    /// the counter all the time.
    ///
    /// # Errors
    /// Where the directory cannot be read.
    pub fn heartbeat(&self) -> Result<Option<(u64, u64)>> {
        let beats = Beat::all(&*self.fs)?.into_iter();
        // Combined into one number: whoever waits only asks if anything moved.
        Ok(beats
            .map(|(_, beat)| (beat.holder, beat.count))
            .reduce(|one, two| (one.0 ^ two.0, one.1.wrapping_add(two.1))))
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

    /// Takes the lead where nobody has it, or a lead that does not go with it.
    ///
    /// # Errors
    /// Where the directory cannot be read or written.
    pub fn try_lead(&mut self, store: &FileStore) -> Result<Option<Leadership>> {
        let fs = &*store.fs;
        let mut found = Beat::all(fs)?;
        // Leaders of other shards of the same division are no obstacle.
        found.retain(|(share, _)| !share.goes_with(self.share));
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
            Beat::default().write(fs, share)?;
        }
        let own = Beat {
            // Never zero, which means that nobody holds it.
            holder: store.fs.fresh() | 1,
            ..Beat::default()
        };
        own.write(fs, self.share)?;
        let pause = self.lease / BEATS;
        let lead = Leadership::start(Arc::clone(&store.fs), self.share, own, pause);
        Ok(Some(lead))
    }
}

impl Leadership {
    fn start(fs: Arc<dyn Fs>, share: Share, own: Beat, pause: Duration) -> Self {
        let (stop, lost) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let epoch = Arc::<AtomicU64>::default();
        let (stopped, losing) = (Arc::clone(&stop), Arc::clone(&lost));
        let began = Arc::clone(&epoch);
        let thread = std::thread::spawn(move || {
            let mut own = own;
            while !stopped.load(Ordering::Relaxed) {
                std::thread::park_timeout(pause);
                // Somebody else's name in the file is the sign of a lost lead, however long this
                // thread slept.
                let stands = Beat::all(&*fs).map(|all| Self::stands(share, own, &all));
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
                if beat.write(&*fs, share).is_err() {
                    losing.store(true, Ordering::Relaxed);
                    return;
                }
            }
        });
        Self {
            share,
            stop,
            lost,
            epoch,
            thread: Some(thread),
        }
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
    /// Where the directory cannot be read.
    pub fn shares(&self, store: &FileStore, epoch: u64) -> Result<bool> {
        let all = Beat::all(&*store.fs)?;
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
        let first = Candidate::new(lease, Share::WHOLE)
            .try_lead(&store)
            .unwrap()
            .unwrap();
        let mut second = Candidate::new(lease, Share::WHOLE);
        let since = Stopwatch::start();
        while since.elapsed() < lease * 3 {
            assert!(second.try_lead(&store).unwrap().is_none());
            std::thread::sleep(lease / 10);
        }
        assert!(!first.is_lost());
        drop(first);
        assert!(second.try_lead(&store).unwrap().is_some());
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
        dead.write(&*store.fs, Share::WHOLE).unwrap();
        let mut next = Candidate::new(lease, Share::WHOLE);
        assert!(next.try_lead(&store).unwrap().is_none());
        std::thread::sleep(lease * 2);
        let lead = next.try_lead(&store).unwrap().unwrap();
        dead.write(&*store.fs, Share::WHOLE).unwrap();
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
        let lead = |share| Candidate::new(lease, share).try_lead(&store).unwrap();
        let one = lead(Share::part(0, 2)).unwrap();
        let two = lead(Share::part(1, 2)).unwrap();
        assert!(lead(Share::part(1, 2)).is_none());
        assert!(lead(Share::part(0, 3)).is_none());
        let mut whole = Candidate::new(lease, Share::WHOLE);
        assert!(whole.try_lead(&store).unwrap().is_none());
        two.writes_under(12);
        let since = Stopwatch::start();
        while !one.shares(&store, 12).unwrap() && since.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(lease / 10);
        }
        assert!(one.shares(&store, 12).unwrap() && !one.shares(&store, 13).unwrap());
        assert!(!two.shares(&store, 12).unwrap(), "its own is no other's");
        let (first, again) = (store.heartbeat().unwrap(), lease * 2);
        std::thread::sleep(again);
        assert_ne!(store.heartbeat().unwrap(), first);
        assert!(!one.is_lost() && !two.is_lost());
        drop((one, two));
        assert_eq!(store.heartbeat().unwrap(), None);
        let whole = whole.try_lead(&store).unwrap();
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
