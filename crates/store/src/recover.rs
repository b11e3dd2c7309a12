//! Recovery: every writer first makes the journal whole, under the lock.
//!
//! Same boot: bytes after the head belong to a dead writer. Its fdatasync may have failed and left the pages marked
//! clean, so valid records are written again, synced and then published. New boot: everything that can be read is on
//! disk, so a torn tail is cut and the rest is published. Damage below the published end is refused, never guessed
//! around.

use std::sync::Arc;

use super::dot::open_or_create;
use super::error::StoreError;
use super::head::{HEAD_SIZE, Head};
use super::interface::Result;
use super::journal::{Journal, Tail, damaged, missing_generation};
use super::layout::{COPIED, DOT, HEAD, JOURNAL, generation_path};
use super::mutant::{self, Mutant};
use super::record::RecordKind;
use super::retention::Retention;
use super::revision::Revision;
use super::segment::{Segment, Step, Walk};
use crate::sys::fs::{self, Access, Stat};

/// The state in which the journal was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opened {
    /// As the last writer left it.
    Clean,
    /// With the tail of a dead writer, or of one that left its records, in the same boot.
    Adopted,
    /// After a reboot: the YAML tree may have lost unsynced files.
    Rebooted,
    /// In a copied directory: the YAML tree may be of another moment.
    Copied,
    /// Without a head: a new generation was begun.
    HeadLost,
    /// There was no journal.
    Nothing,
}

/// The result of scanning a generation.
struct Scanned {
    head: Head,
    size: u64,
}

impl Journal {
    /// Makes the journal whole; must be called under the lock.
    ///
    /// `undisturbed` is true if no other store held the lock since this one left nothing to clean up. `inherits` is true
    /// if records that other processes have left need not be durable yet: they are then those of `tail`.
    /// `check` is asked before a journal without a head is believed: it gets the last revision
    /// that was found, and refuses where something newer was seen elsewhere.
    pub(crate) fn recover(
        &mut self,
        undisturbed: bool,
        inherits: bool,
        check: &mut dyn FnMut(Revision) -> Result<()>,
    ) -> Result<Opened> {
        if self.tail.is_some() {
            // Inherited under a lock that ended with an error.
            self.forget();
        }
        let checked = self.checked.take();
        let head = match self.read_own_head()? {
            Some(head) => Some(head),
            None => self.read_head()?,
        };
        // Within one boot the page cache is intact, so a head written after its sync is exact. After a reboot the head
        // itself may be newer or older than the data on the disk.
        if let Some(head) = &head
            && (head.boot == self.boot || mutant::is(Mutant::TrustHeadAcrossBoot))
            && let Some(opened) = self.recover_same_boot(head, undisturbed, inherits, checked)?
        {
            return Ok(opened);
        }
        self.recover_by_scan(head, check)
    }

    /// Reads the head through a file that stays open to be written; `None` if that is of no use.
    fn read_own_head(&mut self) -> Result<Option<Head>> {
        // Kept open, because a writer reads and writes the head for each commit.
        let kept = self.head_file.take();
        let named = self.fs.quick_stat(HEAD)?;
        let inode = named.map_or(0, |named| named.inode);
        let file = match kept.filter(|(_, known)| *known == inode) {
            Some((file, _)) => file,
            None => match self.fs.open(HEAD, Access::Write) {
                Ok(file) => file,
                // Missing or read-only: the long way distinguishes these.
                Err(_) => return Ok(None),
            },
        };
        let bytes = fs::read_range(file.as_ref(), 0, HEAD_SIZE)?;
        let head = self.unlocked.head.decoded(bytes);
        self.head_file = Some((file, inode));
        Ok(head)
    }

    /// Opens the file of a generation, or returns the one that is open if the path still leads to it.
    fn segment_of(
        &self,
        head: &Head,
        checked: Option<(Arc<Segment>, u64)>,
    ) -> Result<(Arc<Segment>, Stat)> {
        let checked = checked.filter(|(segment, inode)| {
            segment.takes_records_of(head.generation) && *inode == head.inode
        });
        if let Some((segment, inode)) = checked
            && let Some(stat) = self.fs.quick_stat(&segment.path)?
            && stat.inode == inode
        {
            return Ok((segment, stat));
        }
        let segment = match Segment::open(&*self.fs, head.generation, Access::Write) {
            Ok(segment) => segment,
            Err(e) if e.is_not_found() => return Err(missing_generation(head)),
            // Readers on read-only media recover too, as long as nothing has to be written.
            Err(e) if e.is_read_only() => Segment::open(&*self.fs, head.generation, Access::Read)?,
            Err(e) => return Err(e.into()),
        };
        let stat = segment.file.stat()?;
        Ok((Arc::new(segment), stat))
    }

    /// Recovers the short way: the head is exact. Returns `None` if it is not.
    fn recover_same_boot(
        &mut self,
        head: &Head,
        undisturbed: bool,
        inherits: bool,
        checked: Option<(Arc<Segment>, u64)>,
    ) -> Result<Option<Opened>> {
        // Killed between the rename and the head of a compaction. This store is alive, and leaves
        // nothing behind without knowing it.
        if !undisturbed
            && self
                .fs
                .stat(&generation_path(head.generation + 1))?
                .is_some()
        {
            return Ok(None);
        }
        let (segment, stat) = self.segment_of(head, checked)?;
        // Another inode indicates a copied or restored directory: its journal may be older than its head, so the short
        // way is not safe.
        if stat.inode != head.inode {
            return Ok(None);
        }
        if stat.size < head.offset {
            // Published bytes were synced before they were published. If they are missing, the disk lost them, and any
            // repair would be a guess.
            let reason = "the file ends before what was published";
            return Err(damaged(&segment.path, stat.size, reason, head.revision));
        }
        if self.head.as_ref() != Some(head) {
            self.catch_up(&segment, head)?;
        }
        if stat.size == head.offset {
            self.checked = Some((segment, head.inode));
            return Ok(Some(Opened::Clean));
        }
        self.adopt_tail(&segment, head.clone(), stat.size, inherits)?;
        Ok(Some(Opened::Adopted))
    }

    /// Publishes the valid records after `head` and cuts the rest; or inherits them, if that is wanted and nothing has
    /// to be cut.
    fn adopt_tail(
        &mut self,
        segment: &Arc<Segment>,
        mut head: Head,
        size: u64,
        inherits: bool,
    ) -> Result<()> {
        // From the published end with the published chain: a stale record of an earlier life of
        // these bytes does not continue the chain.
        debug_assert!(size > head.offset, "no tail behind {head:?}");
        let before = head.clone();
        let published = head.offset;
        let mut walk = Walk::from(segment.file.as_ref(), head.offset, head.chain, size);
        while let Step::Record(found) = walk.step()? {
            advance(&mut head, &found);
            self.apply(&found, head.projected);
        }
        if inherits && head.offset == size && segment.takes_records_of(head.generation) {
            self.checked = Some((Arc::clone(segment), head.inode));
            self.tail = Some(Tail {
                segment: Arc::clone(segment),
                published: before,
                inherited: size,
            });
            self.head = Some(head);
            return Ok(());
        }
        if head.offset > published && !mutant::is(Mutant::NoResyncOfTail) {
            if !mutant::is(Mutant::NoRewriteOfTail) && !mutant::is(Mutant::NoUndoNoRewrite) {
                // Rewriting makes the pages dirty again; only then does the sync below reach the
                // disk.
                let written = segment.write_again(published, head.offset);
                written.map_err(StoreError::NotApplied)?;
            }
            // Readers trust the head without a sync of their own, so the records that it covers must be durable.
            segment.file.sync_data().map_err(StoreError::NotApplied)?;
        }
        // The chained checksum would end the journal here as well. The cut keeps the property by which the next writer
        // recognizes a clean journal: the file ends at the head's offset.
        if size > head.offset && !mutant::is(Mutant::NoTruncate) {
            segment.file.truncate(head.offset)?;
        }
        self.publish(head)
    }

    /// The long way: the last generation is read whole.
    fn recover_by_scan(
        &mut self,
        head: Option<Head>,
        check: &mut dyn FnMut(Revision) -> Result<()>,
    ) -> Result<Opened> {
        let Some(generation) = self.generations()?.pop() else {
            return match head {
                Some(head) => Err(missing_generation(&head)),
                None => Ok(Opened::Nothing),
            };
        };
        // Everything that was known belongs to a head that is not believed any more.
        self.forget();
        let segment = Segment::open(&*self.fs, generation, Access::Write).or_else(|e| {
            match e.is_read_only() {
                true => Segment::open(&*self.fs, generation, Access::Read),
                false => Err(e),
            }
        })?;
        let scanned = self.scan(&segment)?;
        // Compared only within a generation: a compaction that died before its head gives a new inode without any copy.
        let copied = head
            .as_ref()
            .is_some_and(|h| h.generation == generation && h.inode != scanned.head.inode);
        refuse_what_is_missing(head.as_ref(), &scanned, &segment, copied)?;
        let same_boot = head.as_ref().is_some_and(|h| h.boot == self.boot);
        if head.is_none() {
            // Without a head there is no lower bound for the loss. The YAML files may prove that a newer commit
            // existed.
            check(scanned.head.revision)?;
        }
        // Within a boot but without an exact head, pages may be marked clean although an fsync failed. Another process
        // wrote a copy completely, so it needs no rewrite.
        let rewrite = same_boot && !copied && !mutant::is(Mutant::NoRewriteOfTail)
            || mutant::is(Mutant::RewriteFromZero);
        if rewrite {
            let written = segment.write_again(0, scanned.head.offset);
            written.map_err(StoreError::NotApplied)?;
        }
        if !mutant::is(Mutant::NoResyncOfTail) {
            segment.file.sync_data().map_err(StoreError::NotApplied)?;
            // The name of the generation may be as young as its content: a compaction dies between
            // its rename and the sync of the directory.
            self.fs.sync_dir(JOURNAL)?;
        }
        if scanned.size > scanned.head.offset && !mutant::is(Mutant::NoTruncate) {
            segment.file.truncate(scanned.head.offset)?;
        }
        if copied {
            // With the new head nothing else distinguishes a copy from the original.
            open_or_create(&*self.fs, COPIED)?;
            self.fs.sync_dir(DOT)?;
        }
        self.publish(Head {
            // Nothing is known of the YAML tree after a reboot: it is never synced, so every file
            // counts as not shown.
            projected: 0,
            ..scanned.head
        })?;
        if head.is_none() {
            // Without a head, it is unknown if a failed fsync left clean pages: begin a generation whose every byte is
            // written and synced now.
            self.compact(Retention::Size(u64::MAX))?;
            self.fs.sync_dir(DOT)?;
            return Ok(Opened::HeadLost);
        }
        self.remove_old_generations(Retention::Size(u64::MAX))?;
        Ok(if copied {
            Opened::Copied
        } else {
            Opened::Rebooted
        })
    }

    /// Returns the head at the beginning of a generation.
    pub(crate) fn first_head(&self, generation: u64, inode: u64) -> Head {
        Head {
            boot: self.boot.clone(),
            generation,
            inode,
            offset: 0,
            projected: 0,
            chain: super::record::Chain::start(0),
            revision: 0,
            epoch: 0,
            time: jiff::Timestamp::UNIX_EPOCH,
        }
    }

    /// Reads a generation's valid chain from its base.
    fn scan(&mut self, segment: &Segment) -> Result<Scanned> {
        let stat = segment.file.stat()?;
        let mut head = self.first_head(segment.generation, stat.inode);
        let mut base_is_whole = false;
        let mut walk = Walk::whole(segment.file.as_ref(), stat.size);
        while let Step::Record(found) = walk.step()? {
            // A base record after commits, or a commit before the base is complete, cannot be from ctl: the chain ends
            // here.
            if (found.kind == RecordKind::Base) == base_is_whole {
                break;
            }
            base_is_whole |= found.kind == RecordKind::Base && found.meta.more != Some(true);
            advance(&mut head, &found);
            // Zero: no file is assumed to show anything.
            self.apply(&found, 0);
        }
        if !base_is_whole {
            let reason = "a generation must start with its base";
            return Err(damaged(&segment.path, head.offset, reason, 0));
        }
        Ok(Scanned {
            head,
            size: stat.size,
        })
    }

    /// Reads the journal's valid chain if nothing can be written or published.
    pub(crate) fn read_without_publishing(&mut self) -> Result<(Segment, Head)> {
        let found = self.read_head()?;
        let Some(generation) = self.generations()?.pop() else {
            return Err(StoreError::NoCluster(
                "a directory that cannot be written".to_owned(),
            ));
        };
        self.forget();
        let segment = Segment::open(&*self.fs, generation, Access::Read)?;
        let scanned = self.scan(&segment)?;
        // A new inode of another generation is not a copy, but then nothing is compared below either.
        let copied = found
            .as_ref()
            .is_some_and(|h| h.inode != scanned.head.inode);
        refuse_what_is_missing(found.as_ref(), &scanned, &segment, copied)?;
        // Nothing can be written, so no file is waiting to be shown.
        self.unprojected.clear();
        self.head = Some(scanned.head.clone());
        Ok((segment, scanned.head))
    }

    /// Writes the head file: from here on it is visible to others.
    pub(crate) fn publish(&mut self, head: Head) -> Result<()> {
        debug_assert_eq!(
            Head::decode(&head.encode()).as_ref(),
            Some(&head),
            "a head that does not read back leaves a journal without one"
        );
        assert!(
            head.projected <= head.offset,
            "no file shows what is not published: {head:?}"
        );
        if let Some(before) = &self.head {
            assert!(
                head.generation > before.generation
                    || head.generation == before.generation
                        && head.offset >= before.offset
                        && head.revision >= before.revision
                        && head.chain.seq >= before.chain.seq,
                "a head never goes back: {head:?} after {before:?}"
            );
        }
        // A partly failed write leaves an unreadable head. This process must not continue with the old one.
        self.head = None;
        // A lock publishes twice: the commit, and that its files are shown.
        let (file, inode) = match self.head_file.take() {
            Some(kept) => kept,
            None => {
                let file = open_or_create(&*self.fs, HEAD)?;
                let inode = file.stat()?.inode;
                (file, inode)
            }
        };
        // One write at offset 0 with a checksum: a reader gets a whole head or a torn one, and retries. It needs no
        // sync, because a scan recovers a lost head.
        let bytes = head.encode();
        file.write_at(&bytes, 0)?;
        self.unlocked.head.remember(bytes, &head);
        self.head_file = Some((file, inode));
        self.head = Some(head);
        Ok(())
    }
}

/// Moves a head past a record.
pub(crate) fn advance(head: &mut Head, found: &super::segment::FoundRecord<'_>) {
    debug_assert!(
        found.start == head.offset && found.end > found.start && found.chain.seq > head.chain.seq,
        "the chain continues at the head: {head:?}, record at {}",
        found.start
    );
    head.offset = found.end;
    head.chain = found.chain;
    head.revision = found.revision_after();
    head.epoch = found.meta.epoch;
    head.time = found.meta.time;
}

/// Rejects a journal that lacks published records: the head is a lower bound, even from another
/// boot.
fn refuse_what_is_missing(
    head: Option<&Head>,
    scanned: &Scanned,
    segment: &Segment,
    copied: bool,
) -> Result<()> {
    let Some(head) = head else { return Ok(()) };
    if head.generation > segment.generation {
        return Err(missing_generation(head));
    }
    let short = head.generation == segment.generation && scanned.head.offset < head.offset;
    // A copy made while a writer ran may contain an older journal than its head; a copy with bad bytes is damaged like
    // any other.
    let older_copy = copied && scanned.size == scanned.head.offset;
    if short && !older_copy {
        let reason = "what was published cannot be read";
        return Err(damaged(
            &segment.path,
            scanned.head.offset,
            reason,
            scanned.head.revision,
        ));
    }
    Ok(())
}
