//! The cost of a full disk: nothing for a passing shortage, otherwise history from its oldest end, only as much as one
//! commit needs.

use std::sync::atomic::Ordering;

use super::append::{Change, Note};
use super::error::{StoreError, one_line};
use super::exclusive::Exclusive;
use super::history::oldest_kept;
use super::interface::Result;
use super::layout::{RESERVE, generation_path};
use super::retention::Retention;
use super::revision::Revision;
use crate::sys::fs::{self, FsError};

/// Space kept for deleting objects on a full disk.
const RESERVE_SIZE: usize = 64 << 10;

/// The most that a record takes for each object in addition to the object itself.
const RECORD_ROOM: usize = 1 << 10;

/// Space beyond the need of a commit, for the blocks that files are rounded up to. If the disk stays full after this
/// much was freed, another process uses the space or something else is short.
const SLACK: u64 = 256 << 10;

/// A commit that is to be appended.
type Commit<'a> = (&'a Note<'a>, &'a [Change<'a>]);

impl Exclusive<'_> {
    /// Appends a commit. On a full disk it makes room if that is possible, the cheapest way first:
    /// another attempt, the reserve (for removals alone), old history.
    pub(super) fn append(&mut self, note: &Note<'_>, changes: &[Change<'_>]) -> Result<Revision> {
        let commit = (note, changes);
        let removes = changes.iter().all(|c| c.json.is_none());
        // A group does not handle a full disk: its members then retry one by one.
        if self.group.defers && (removes || self.keep_reserve().is_ok()) {
            return self.append_to_group(note, changes);
        }
        self.settle_group()?;
        if let Ok(first) = self.attempt(commit, removes)? {
            return Ok(first);
        }
        // The files that are staged ahead can be written again.
        self.store.ahead.give_up(self.fs());
        if removes {
            // Given back for removals alone: they are the way out of a full disk.
            self.give_up_reserve();
        }
        // A second attempt even without the reserve, because space may have been freed meanwhile.
        let failure = match self.attempt(commit, removes)? {
            Ok(first) => return Ok(first),
            Err(full) => full,
        };
        let before = oldest_kept(&self.journal)?;
        let appended = self.append_over_history(commit, removes, failure);
        let kept = oldest_kept(&self.journal)?;
        if kept > before {
            // Reported only when history was removed, not for each attempt.
            let text = "the disk is full: history before revision";
            self.store
                .say(&format!("{text} {kept} was removed to free space"));
        }
        appended
    }

    /// Tries to append; the inner error is a full disk, after which nothing is left in the journal.
    ///
    /// Without a reserve the disk was full before: the remaining space then belongs to removals.
    fn attempt(
        &mut self,
        (note, changes): Commit<'_>,
        removes: bool,
    ) -> Result<std::result::Result<Revision, FsError>> {
        if !removes && let Err(full) = self.keep_reserve() {
            return Ok(Err(full));
        }
        // `NotApplied`, so nothing of it is in the journal and another attempt cannot apply it twice.
        match self.journal.append(note, changes) {
            Err(StoreError::NotApplied(e)) if e.is_full() => {
                self.journal.refresh()?;
                Ok(Err(e))
            }
            answer => answer.map(Ok),
        }
    }

    /// Removes one old generation after the other, oldest first, until the commit fits; then, if most of the current
    /// one is outdated, begins a new one.
    fn append_over_history(
        &mut self,
        commit: Commit<'_>,
        removes: bool,
        mut failure: FsError,
    ) -> Result<Revision> {
        let bytes = |c: &Change<'_>| RECORD_ROOM + c.key.len() + c.json.map_or(0, <[u8]>::len);
        let needed: usize = commit.1.iter().map(bytes).sum::<usize>() + RESERVE_SIZE;
        let enough = needed as u64 + SLACK;
        // Never the current one, which has the live objects.
        let current = self.head()?.generation;
        let mut freed = 0;
        for generation in self.journal.generations()? {
            // Removing a file does not help against a limit on the size of another one.
            let helps = failure.kind() != std::io::ErrorKind::FileTooLarge && freed < enough;
            if generation >= current || !helps {
                break;
            }
            let path = generation_path(generation);
            freed += self.fs().stat(&path)?.map_or(0, |stat| stat.size);
            self.fs().unlink(&path)?;
            match self.attempt(commit, removes)? {
                Ok(first) => return Ok(first),
                Err(full) => failure = full,
            }
        }
        if !self.shed_current_history() {
            return Err(StoreError::NotApplied(failure));
        }
        match self.attempt(commit, removes)? {
            Ok(first) => Ok(first),
            Err(full) => Err(StoreError::NotApplied(full)),
        }
    }

    /// Begins a generation with only the live objects if most of the current one is outdated, and removes that; returns
    /// true if it did. The reserve provides the space.
    fn shed_current_history(&mut self) -> bool {
        let Some(head) = self.journal.head.clone() else {
            return false;
        };
        // A generation that is mostly live frees nothing and needs its own size while it is copied.
        if head.offset < self.journal.index.live_bytes.saturating_mul(2) + 4096 {
            return false;
        }
        // The new generation is written before the old one is removed, so it needs space now.
        self.give_up_reserve();
        if self.journal.compact(Retention::Size(0)).is_err() {
            return false;
        }
        match self.fs().unlink(&generation_path(head.generation)) {
            Ok(()) => true,
            Err(e) => {
                self.store.say(&one_line(&e));
                false
            }
        }
    }

    fn give_up_reserve(&self) {
        self.has_reserve.store(false, Ordering::Relaxed);
        let _ = self.fs().unlink(RESERVE);
    }

    /// Keeps some space in reserve for a full disk. An error means that the disk is full: then only removals may use
    /// space; otherwise they would lack it when they need it.
    pub(crate) fn keep_reserve(&self) -> fs::Result<()> {
        // Only the holder of the lock makes it and takes it away.
        if self.has_reserve.load(Ordering::Relaxed) {
            return Ok(());
        }
        if !matches!(self.fs().stat(RESERVE), Ok(None)) {
            self.has_reserve.store(true, Ordering::Relaxed);
            return Ok(());
        }
        let written = self
            .fs()
            .create(RESERVE)
            // Real bytes, because a sparse file reserves nothing.
            .and_then(|file| file.write_at(&vec![0x2e; RESERVE_SIZE], 0));
        match written {
            Err(e) => {
                // A partly written reserve looks like a complete one at the next `stat`.
                let _ = self.fs().unlink(RESERVE);
                if e.is_full() { Err(e) } else { Ok(()) }
            }
            Ok(()) => Ok(()),
        }
    }
}
