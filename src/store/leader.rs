//! Which process leads: a file that the leader touches, watched by those who stand by.
//!
//! This only keeps two leaders from getting in each other's way. That a leader who was asleep writes
//! nothing is the epoch's doing, which every commit checks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use super::files::FileStore;
use super::interface::Result;
use super::journal::open_or_create;
use super::layout::LEADER;
use crate::sys::clock::Stopwatch;
use crate::sys::fs::{self, Fs};

/// The longest such file that is read.
const MAX_SIZE: u64 = 4096;

/// How often a leader touches the file in the time after which it counts as dead.
const BEATS: u32 = 4;

/// The lead of this process; it ends with the value.
#[derive(Debug)]
pub struct Leadership {
    stop: Arc<AtomicBool>,
    lost: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// One who waits to lead.
#[derive(Debug)]
pub struct Candidate {
    lease: Duration,
    seen: Option<(Beat, Stopwatch)>,
}

/// What stands in the file: who, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Beat {
    holder: u64,
    count: u64,
}

impl Beat {
    fn read(fs: &dyn Fs) -> Result<Option<Self>> {
        let bytes = match fs::read_all(fs, LEADER, MAX_SIZE) {
            Ok(bytes) => bytes,
            Err(e) if e.is_not_found() => return Ok(None),
            Err(e) => return Err(e.into()),
        };
        let text = String::from_utf8_lossy(&bytes);
        let mut words = text
            .split_whitespace()
            .map(|w| u64::from_str_radix(w, 16).ok());
        let beat = words.next().flatten().zip(words.next().flatten());
        // A released lead has no holder.
        Ok(beat
            .map(|(holder, count)| Self { holder, count })
            .filter(|beat| beat.holder != 0))
    }

    fn write(self, fs: &dyn Fs) -> Result<()> {
        let line = format!("{:016x} {:016x}\n", self.holder, self.count);
        Ok(open_or_create(fs, LEADER)?.write_at(line.as_bytes(), 0)?)
    }
}

impl FileStore {
    /// Who leads and how often that was said; nothing where nobody does. A leader that is alive
    /// changes it all the time.
    ///
    /// # Errors
    /// Where the directory cannot be read.
    pub fn heartbeat(&self) -> Result<Option<(u64, u64)>> {
        let beat = Beat::read(&*self.fs)?;
        Ok(beat.map(|beat| (beat.holder, beat.count)))
    }
}

impl Candidate {
    /// One who takes a leader for dead that was not heard of for so long.
    pub fn new(lease: Duration) -> Self {
        Self { lease, seen: None }
    }

    /// Takes the lead where nobody has it.
    ///
    /// # Errors
    /// Where the directory cannot be read or written.
    pub fn try_lead(&mut self, store: &FileStore) -> Result<Option<Leadership>> {
        let found = Beat::read(&*store.fs)?;
        if let Some(found) = found {
            let heard = self.seen.as_ref().filter(|(beat, _)| *beat == found);
            match heard {
                None => {
                    self.seen = Some((found, Stopwatch::start()));
                    return Ok(None);
                }
                Some((_, since)) if since.elapsed() < self.lease => return Ok(None),
                Some(_) => {}
            }
        }
        self.seen = None;
        let own = Beat {
            holder: store.fs.fresh() | 1,
            count: 0,
        };
        own.write(&*store.fs)?;
        Ok(Some(Leadership::start(
            Arc::clone(&store.fs),
            own,
            self.lease / BEATS,
        )))
    }
}

impl Leadership {
    fn start(fs: Arc<dyn Fs>, own: Beat, pause: Duration) -> Self {
        let (stop, lost) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let (stopped, losing) = (Arc::clone(&stop), Arc::clone(&lost));
        let thread = std::thread::spawn(move || {
            let mut own = own;
            while !stopped.load(Ordering::Relaxed) {
                std::thread::park_timeout(pause);
                let held =
                    Beat::read(&*fs).is_ok_and(|b| b.is_some_and(|b| b.holder == own.holder));
                if !held {
                    losing.store(true, Ordering::Relaxed);
                    return;
                }
                own.count += 1;
                let last = stopped.load(Ordering::Relaxed);
                let beat = if last {
                    Beat {
                        holder: 0,
                        count: 0,
                    }
                } else {
                    own
                };
                if beat.write(&*fs).is_err() {
                    losing.store(true, Ordering::Relaxed);
                    return;
                }
            }
        });
        Self {
            stop,
            lost,
            thread: Some(thread),
        }
    }

    /// Whether somebody else leads now.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }
}

impl Drop for Leadership {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Options, Settings};
    use crate::sys::entropy::Seed;
    use crate::sys::real_fs::RealFs;

    fn store(dir: &std::path::Path) -> FileStore {
        let fs = Arc::new(RealFs::open(dir).unwrap());
        FileStore::open_or_create(fs, Options::default(), Settings::new(Seed(1))).unwrap()
    }

    #[test]
    fn one_leads_and_the_next_follows_when_it_ends() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        let lease = Duration::from_millis(200);
        let first = Candidate::new(lease).try_lead(&store).unwrap().unwrap();
        let mut second = Candidate::new(lease);
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
        };
        dead.write(&*store.fs).unwrap();
        let mut next = Candidate::new(lease);
        assert!(next.try_lead(&store).unwrap().is_none());
        std::thread::sleep(lease * 2);
        let lead = next.try_lead(&store).unwrap().unwrap();
        dead.write(&*store.fs).unwrap();
        let since = Stopwatch::start();
        while !lead.is_lost() && since.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(lease / 10);
        }
        assert!(lead.is_lost());
    }
}
