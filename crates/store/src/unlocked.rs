//! The state that readers use without the journal's mutex, which a group of commits holds for the length of its sync.
//!
//! With it, and with reads that stay on the thread of their connection, a GET over 16 connections takes 60 us of the
//! server's processor time instead of 182 us, and a create 637 us instead of 937 us: 23,211 GETs and 1,465 creates are
//! served in a second instead of 8,836 and 846 (medians of release builds that took turns).
//!
//! Guarantees: everything here is read from the published head, or stays true whatever is committed later.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::{Mutex, RwLock};

use super::head::{HEAD_SIZE, Head};
use super::index::Entry;
use super::interface::Result;
use super::layout::HEAD;
use super::revision::Revision;
use super::seen::{Slot, fingerprint};
use crate::sys::fs::{self, Access, File, Fs, Stat};

/// A torn read of the head is tried again this often.
const HEAD_READS: usize = 20;

/// The resources are counted in this many groups. Two in one group cost a reader a look, and never a wrong result.
const GROUPS: usize = 256;

/// The most files that are remembered: 56 bytes for each.
const MOST_FILES: usize = 4096;

/// The shared state of a store and its journal.
pub(crate) struct Unlocked {
    pub(crate) head: HeadFile,
    pub(crate) changes: Changes,
    pub(crate) files: KnownFiles,
    /// The directories whose files were all found to be those of their objects, with the state of these files.
    pub(crate) directories: Mutex<HashMap<String, u64>>,
}

impl Unlocked {
    pub(crate) fn new(fs: Arc<dyn Fs>) -> Self {
        Self {
            head: HeadFile::new(fs),
            changes: Changes::default(),
            files: KnownFiles::default(),
            directories: Mutex::default(),
        }
    }
}

impl std::fmt::Debug for Unlocked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Unlocked").finish_non_exhaustive()
    }
}

/// `.ctl/head`, which stays open.
///
/// An open causes a notification, which would wake this process for each of its own reads.
pub(crate) struct HeadFile {
    fs: Arc<dyn Fs>,
    open: RwLock<Option<OpenHead>>,
    /// The last content with its meaning: one commit reads the file eight times. Decoding it each time took 4.5 % of the
    /// instructions of a simulated hour with Jobs; reading it takes 1 % now.
    last: Mutex<Option<(Vec<u8>, Head)>>,
}

struct OpenHead {
    file: Box<dyn File>,
    /// Its device and inode. Read by the second read of the file, so that a command that reads once pays nothing.
    place: OnceLock<(u64, u64)>,
}

impl OpenHead {
    /// Returns true if the path still leads to this file.
    fn is_at(&self, named: &Stat) -> bool {
        let place = |stat: &Stat| (stat.device, stat.inode);
        if self.place.get().is_none()
            && let Ok(stat) = self.file.stat()
        {
            let _ = self.place.set(place(&stat));
        }
        self.place.get() == Some(&place(named))
    }
}

impl HeadFile {
    pub(crate) fn new(fs: Arc<dyn Fs>) -> Self {
        Self {
            fs,
            open: RwLock::default(),
            last: Mutex::default(),
        }
    }

    /// Reads the head; `None` if it is missing or incomplete.
    pub(crate) fn read(&self) -> Result<Option<Head>> {
        // Bounded: a head that stays unreadable is damage, and recovery deals with it.
        for attempt in 0..HEAD_READS {
            let Some(bytes) = self.bytes()? else {
                return Ok(None);
            };
            if let Some(head) = self.decoded(bytes) {
                return Ok(Some(head));
            }
            // A writer may be in the middle of its single write.
            if attempt > 2 {
                std::thread::yield_now();
            }
        }
        Ok(None)
    }

    /// Returns the meaning of the file's content; `None` if it is incomplete.
    pub(crate) fn decoded(&self, bytes: Vec<u8>) -> Option<Head> {
        let mut last = self.last.lock();
        if let Some((known, head)) = &*last
            && *known == bytes
        {
            return Some(head.clone());
        }
        let head = Head::decode(&bytes)?;
        *last = Some((bytes, head.clone()));
        Some(head)
    }

    /// Remembers the meaning of the content that this process writes, which its next read need not decode: that took
    /// 1.0 % of the instructions of a simulated hour with 120 Jobs.
    pub(crate) fn remember(&self, bytes: Vec<u8>, head: &Head) {
        *self.last.lock() = Some((bytes, head.clone()));
    }

    fn bytes(&self) -> Result<Option<Vec<u8>>> {
        // Compared by path for each read: another `.ctl` may have been put in the place of this one.
        if let Some(open) = &*self.open.read()
            && let Ok(Some(named)) = self.fs.quick_stat(HEAD)
            && open.is_at(&named)
        {
            return Ok(Some(fs::read_range(open.file.as_ref(), 0, HEAD_SIZE)?));
        }
        let file = match self.fs.open(HEAD, Access::Read) {
            Ok(file) => file,
            // A directory without a head is normal before the first commit, and after a user removed it.
            Err(e) if e.is_not_found() => return Ok(None),
            Err(e) => return Err(e.into()),
        };
        let bytes = fs::read_range(file.as_ref(), 0, HEAD_SIZE)?;
        let place = OnceLock::new();
        *self.open.write() = Some(OpenHead { file, place });
        Ok(Some(bytes))
    }
}

/// The changes that the index contains.
pub(crate) struct Changes {
    /// The state up to which the index contains all records; `None` if it contains none.
    covered: Mutex<Option<Head>>,
    /// How often the index was read again, perhaps with changes that were not counted.
    resets: AtomicU64,
    /// The last change of each group of resources.
    last: Box<[AtomicU64]>,
}

impl Default for Changes {
    fn default() -> Self {
        Self {
            covered: Mutex::default(),
            resets: AtomicU64::new(0),
            last: std::iter::repeat_with(AtomicU64::default)
                .take(GROUPS)
                .collect(),
        }
    }
}

impl Changes {
    /// Notes that the index contains all records up to a head.
    ///
    /// Must follow [`Changes::note`] for these records. They may be unpublished; if they are taken back, the index is
    /// read again.
    pub(crate) fn cover(&self, head: &Head) {
        let mut covered = self.covered.lock();
        if covered.as_ref() != Some(head) {
            *covered = Some(head.clone());
        }
    }

    /// Notes that the index is read again.
    pub(crate) fn reset(&self) {
        let mut covered = self.covered.lock();
        *covered = None;
        self.resets.fetch_add(1, Ordering::AcqRel);
    }

    /// Notes a change of an object.
    pub(crate) fn note(&self, key: &str, revision: Revision) {
        self.group(key).store(revision, Ordering::Release);
    }

    /// Returns true if the index contains all that a published head covers.
    pub(crate) fn contain(&self, head: &Head) -> bool {
        let covered = self.covered.lock();
        // One generation of one boot only grows, so a shorter head of it is a part.
        covered.as_ref().is_some_and(|covered| {
            (covered.generation, covered.inode) == (head.generation, head.inode)
                && covered.boot == head.boot
                && covered.offset >= head.offset
                && covered.revision >= head.revision
        })
    }

    /// Returns two numbers of which one changes with each change of a resource.
    pub(crate) fn of(&self, key: &str) -> [u64; 2] {
        let last = self.group(key).load(Ordering::Acquire);
        [self.resets.load(Ordering::Acquire), last]
    }

    /// Returns the last change of the resource of a key, or of a range of keys.
    fn group(&self, key: &str) -> &AtomicU64 {
        let resource = key.split('/').next().unwrap_or_default();
        let group = fingerprint(resource.as_bytes()) % self.last.len() as u64;
        &self.last[usize::try_from(group).unwrap_or_default()]
    }
}

/// Files that this process has written, or has found to be ctl's own.
///
/// A fact about a file is true until the next boot ([`Slot`]), so none is ever removed because of a commit.
#[derive(Debug, Default)]
pub(crate) struct KnownFiles(Mutex<HashMap<u64, Slot>>);

impl KnownFiles {
    pub(crate) fn keep(&self, facts: &[Slot]) {
        let mut known = self.0.lock();
        if known.len() + facts.len() > MOST_FILES {
            known.clear();
        }
        let facts = facts.iter().filter(|fact| fact.is_settled());
        known.extend(facts.take(MOST_FILES).map(|fact| (fact.key(), *fact)));
    }

    /// Returns true if a file is known to show this version of an object.
    pub(crate) fn show(&self, key: &str, entry: &Entry, stat: &Stat) -> bool {
        let known = self.0.lock();
        let fact = known.get(&fingerprint(key.as_bytes()));
        fact.is_some_and(|fact| fact.is_of(entry) && fact.proves(stat))
    }

    /// Returns true if a file is known to show any version of an object, so that it is not a hand edit.
    pub(crate) fn contain(&self, key: &str, stat: &Stat) -> bool {
        let known = self.0.lock();
        let fact = known.get(&fingerprint(key.as_bytes()));
        fact.is_some_and(|fact| fact.proves(stat))
    }
}
