//! The heartbeats of leaders: one small record per share of a cluster.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::dot::open_or_create;
use super::interface::Result;
use super::layout::DOT;
use super::leader::Share;
use crate::sys::fs::{self, Fs};

/// The longest file of a heartbeat that is read.
const MAX_SIZE: u64 = 4096;

/// A heartbeat: the holder, its counter, and the epoch it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heartbeat {
    /// The leader; zero is a released lead.
    pub holder: u64,
    /// Changes with every beat.
    pub count: u64,
    /// The epoch that the leader writes under.
    pub epoch: u64,
}

/// The storage of the leaders' heartbeats.
pub trait Heartbeats: fmt::Debug + Send + Sync {
    /// Returns all leaders.
    ///
    /// # Errors
    /// The heartbeats cannot be read.
    fn all(&self) -> Result<Vec<(Share, Heartbeat)>>;

    /// Replaces the heartbeat of a share, which is valid for a lease. It need not survive a power cut: no process leads
    /// then.
    ///
    /// # Errors
    /// It cannot be written.
    fn write(&self, share: Share, beat: Heartbeat, lease: Duration) -> Result<()>;

    /// Returns true if a heartbeat vanishes when its lease is over. A reader then need not watch it change.
    fn end_by_themselves(&self) -> bool {
        false
    }

    /// Returns a unique number.
    fn fresh(&self) -> u64;
}

/// Heartbeats as files next to the journal.
#[derive(Debug)]
pub(crate) struct FileHeartbeats(pub(crate) Arc<dyn Fs>);

impl FileHeartbeats {
    fn read(&self, share: Share) -> Result<Option<Heartbeat>> {
        let bytes = match fs::read_all(&*self.0, &share.path(), MAX_SIZE) {
            Ok(bytes) => bytes,
            Err(e) if e.is_not_found() => return Ok(None),
            Err(e) => return Err(e.into()),
        };
        let text = String::from_utf8_lossy(&bytes);
        // A word that is not hexadecimal is not a heartbeat: the file counts as empty.
        let mut words = text
            .split_whitespace()
            .map(|w| u64::from_str_radix(w, 16).ok());
        let beat = words.next().flatten().zip(words.next().flatten());
        let epoch = words.next().flatten().unwrap_or(0);
        // A released lead has no holder.
        Ok(beat
            .map(|(holder, count)| Heartbeat {
                holder,
                count,
                epoch,
            })
            .filter(|beat| beat.holder != 0))
    }
}

impl Heartbeats for FileHeartbeats {
    fn all(&self) -> Result<Vec<(Share, Heartbeat)>> {
        let mut all = Vec::new();
        for entry in self.0.list(DOT)? {
            if let Some(share) = Share::of_file(&entry.name) {
                all.extend(self.read(share)?.map(|beat| (share, beat)));
            }
        }
        Ok(all)
    }

    fn write(&self, share: Share, beat: Heartbeat, _lease: Duration) -> Result<()> {
        let Heartbeat {
            holder,
            count,
            epoch,
        } = beat;
        let line = format!("{holder:016x} {count:016x} {epoch:016x}\n");
        // In place and without a sync: after a power cut no process leads anyway.
        Ok(open_or_create(&*self.0, &share.path())?.write_at(line.as_bytes(), 0)?)
    }

    fn fresh(&self) -> u64 {
        self.0.fresh()
    }
}

/// Heartbeats of the threads of one process.
#[derive(Debug, Default)]
pub(crate) struct MemoryHeartbeats {
    heartbeats: Mutex<BTreeMap<Share, Heartbeat>>,
    drawn: AtomicU64,
}

impl Heartbeats for MemoryHeartbeats {
    fn all(&self) -> Result<Vec<(Share, Heartbeat)>> {
        let heartbeats = self
            .heartbeats
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Ok(heartbeats
            .iter()
            .map(|(share, beat)| (*share, *beat))
            .collect())
    }

    fn write(&self, share: Share, beat: Heartbeat, _lease: Duration) -> Result<()> {
        let mut heartbeats = self
            .heartbeats
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match beat.holder {
            // A released lead has no heartbeat, because `all` lists only leaders.
            0 => drop(heartbeats.remove(&share)),
            _ => drop(heartbeats.insert(share, beat)),
        }
        Ok(())
    }

    fn fresh(&self) -> u64 {
        // Counted and not random. Steps of two: a candidate sets the lowest bit.
        self.drawn.fetch_add(2, Ordering::Relaxed) + 2
    }
}
