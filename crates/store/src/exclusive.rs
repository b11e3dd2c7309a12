//! Operations under the lock: recovery, commits, and writing the YAML tree.
//!
//! [`Exclusive`] is the lock as a value: everything that writes is a method of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::{ArcMutexGuard, RawMutex};

use super::append::{Change, Note};
use super::dot::{make_directories, open_or_create};
use super::error::{StoreError, one_line};
use super::files::FileStore;
use super::group::Group;
use super::head::Head;
use super::import_reports::{HAND_EDIT, Reports};
use super::interface::{Batch, Cause, Committed, Op, Result, Stored, View};
use super::journal::{Journal, bodies, entries, stored};
use super::key::{Key, Range};
use super::layout::{COMMENTS, DOT, HOLDER, MAX_FILE, SETTINGS};
use super::prepared::{LARGE, Prepared};
use super::recover::Opened;
use super::removal;
use super::revision::Revision;
use super::rules;
use super::scan::{self, Suspect};
use super::seen::{FileFacts, Slot};
use super::segment::Segment;
use super::tree::Tree;
use crate::sys::fs::{self, Access, FileKind, Fs, LockGuard, Stat};

/// The number of times that a decision is repeated because hand edits were imported.
const MAX_ROUNDS: usize = 5;

/// The outcome of an attempt to run a transaction.
pub(crate) enum Transacted {
    /// It ran to its end.
    Done(Option<Committed>),
    /// It affects objects with hand edits that must be read without the lock first.
    Unread(Vec<Suspect>),
}

/// The journal of the process, for one thread at a time.
pub(crate) type JournalGuard = ArcMutexGuard<RawMutex, Journal>;

/// The store under its lock.
pub(crate) struct Exclusive<'s> {
    pub(crate) store: &'s FileStore,
    pub(crate) journal: JournalGuard,
    /// Edits that were read and handled, by the fingerprint of their text: they may be discarded when they are swapped
    /// out.
    pub(crate) judged: BTreeMap<String, u64>,
    /// Objects whose missing file was noticed: it may be written again.
    pub(crate) gone: BTreeSet<String>,
    /// Edits that were read before the lock was taken.
    pub(crate) prepared: Prepared,
    /// True if any object's file has comments.
    pub(crate) commented: bool,
    /// The time that a journal which is being begun will start at.
    pub(crate) beginning: Option<Timestamp>,
    /// The knowledge about the files on disk.
    pub(crate) seen: Mutex<FileFacts<'s>>,
    /// The journal's file that was checked when the lock was taken.
    pub(crate) reading: OnceLock<Arc<Segment>>,
    /// True once the reserve for removals on a full disk was found.
    pub(crate) has_reserve: AtomicBool,
    /// True if nothing has to be cleaned up so far.
    pub(crate) is_tidy: bool,
    /// The `.ctl` that is in use.
    pub(crate) dot: Option<Stat>,
    /// The transactions that share the next sync.
    pub(crate) group: Group,
    pub(crate) lock: Box<dyn LockGuard>,
    /// Behind the lock: fields are dropped in their order.
    pub(crate) reports: Reports<'s>,
}

impl<'s> Exclusive<'s> {
    /// Makes the journal and the tree whole, as every writer does first. One that `inherits` begins with a group if other
    /// processes have left records.
    pub(crate) fn begin(
        store: &'s FileStore,
        mut journal: JournalGuard,
        lock: Box<dyn LockGuard>,
        inherits: bool,
    ) -> Result<Self> {
        let kept = journal.seen_file.take();
        let seen = FileFacts::new(&*store.fs, &journal.boot).for_a_writer(kept);
        let mut this = Self {
            store,
            journal,
            seen: Mutex::new(seen),
            judged: BTreeMap::new(),
            gone: BTreeSet::new(),
            prepared: Prepared::default(),
            commented: false,
            beginning: None,
            reading: OnceLock::new(),
            has_reserve: AtomicBool::new(false),
            is_tidy: false,
            dot: None,
            group: Group::default(),
            lock,
            reports: Reports::new(&store.options),
        };
        // Pinned before anything is read: everything under this lock must use this `.ctl`, even if it is moved away.
        this.dot = store.fs.pin(DOT).or_else(|e| match e.is_not_found() {
            true => Ok(None),
            false => Err(e),
        })?;
        if this.dot.is_none() {
            // A process that waited while the cluster was deleted must not create it again.
            removal::refuse_half_deleted(&*store.fs, &store.options.place())?;
            if store.fs.stat(SETTINGS)?.is_none() {
                return Err(StoreError::NoCluster(store.options.place()));
            }
            this.journal.forget();
            make_directories(&*store.fs)?;
            this.dot = store.fs.pin(DOT)?;
        }
        let undisturbed = this.sign()?;
        // One `stat` determines if comments have to be added at all. Only a writer creates the first one.
        this.commented = match undisturbed {
            true => store.commented.load(Ordering::Relaxed),
            false => store.fs.stat(COMMENTS)?.is_some(),
        };
        let fs = Arc::clone(&store.fs);
        let mut check = |found: Revision| scan::refuse_newer_tree(&*fs, found);
        store.sharing.note_others(!undisturbed);
        let mut opened = this.journal.recover(undisturbed, inherits, &mut check)?;
        // The lock holds the file that was just checked; a commit checks it again.
        if let Some((segment, _)) = &this.journal.checked {
            let _ = this.reading.set(Arc::clone(segment));
        }
        if matches!(opened, Opened::Clean | Opened::Adopted) && !this.tree_is_whole()? {
            // A recovery died before the tree was whole.
            opened = Opened::Rebooted;
            this.settle_group()?;
        }
        match opened {
            Opened::Nothing => this.adopt_whole_tree()?,
            // These three cannot trust any fact about a file: each file is compared with its
            // object.
            Opened::Rebooted | Opened::Copied | Opened::HeadLost => this.make_tree_whole()?,
            Opened::Clean | Opened::Adopted => {}
        }
        // No other store has written since this one's last lock, which left nothing to clean up.
        if !(undisturbed && opened == Opened::Clean) {
            this.sweep(opened)?;
        }
        // A settle that writes every file once at its end (`holds_tree`) delays the tree on purpose.
        let behind = this.head()?.projected != this.head()?.offset;
        // No file shows what may still be lost.
        let behind = behind && !this.is_open();
        this.is_tidy = true;
        if behind && !store.holds_tree() && this.tree_is_whole()? {
            this.show_pending();
        }
        if !undisturbed || store.has_held.load(Ordering::Relaxed) {
            this.release_held(opened)?;
        }
        let has_reserve = undisturbed && store.has_reserve.load(Ordering::Relaxed);
        this.has_reserve.store(has_reserve, Ordering::Relaxed);
        // A missing reserve only matters on a full disk; this writer may be the one that frees space.
        let _ = this.keep_reserve();
        Ok(this)
    }

    /// Writes the holder of the lock, for waiting processes. Returns true if no other store held it since this one left
    /// nothing to clean up.
    fn sign(&mut self) -> Result<bool> {
        let line = self.store.signature();
        let was_tidy = self.store.is_tidy.swap(false, Ordering::Relaxed);
        let named = self.fs().quick_stat(HOLDER)?.map(|named| named.inode);
        let kept = self.journal.holder_file.take();
        let opened = match kept.filter(|(_, inode)| Some(*inode) == named) {
            Some((file, _)) => Ok(file),
            None => open_or_create(self.fs(), HOLDER),
        };
        let signed = opened.and_then(|file| {
            let found = fs::read_range(file.as_ref(), 0, line.len())?;
            // The old line is overwritten in place, never truncated, so that a waiter that reads it meanwhile gets a
            // whole line.
            let is_own = found == *line;
            if !is_own {
                file.write_at(line, 0)?;
            }
            self.journal.holder_file = named.map(|inode| (file, inode));
            Ok(is_own)
        });
        match signed {
            // A full disk must not stop this step.
            Err(e) if e.is_full() => Ok(false),
            signed => Ok(signed? && was_tidy),
        }
    }

    /// Records that this lock leaves nothing for the next one to clean up.
    pub(crate) fn leave_tidy(&mut self) {
        let kept = self.seen().take_file();
        self.journal.seen_file = kept;
        self.store.is_tidy.store(self.is_tidy, Ordering::Relaxed);
        let has_reserve = self.has_reserve.load(Ordering::Relaxed);
        self.store.has_reserve.store(has_reserve, Ordering::Relaxed);
        self.store
            .commented
            .store(self.commented, Ordering::Relaxed);
    }

    pub(crate) fn fs(&self) -> &'s dyn Fs {
        &*self.store.fs
    }

    pub(crate) fn tree(&self) -> Tree<'s> {
        Tree {
            fs: self.fs(),
            commented: self.commented,
            fine_times: &self.store.fine_times,
        }
    }

    /// Returns the facts about files, which know a file of ours by its stat.
    pub(crate) fn seen(&self) -> MutexGuard<'_, FileFacts<'s>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes facts about files down.
    pub(crate) fn note(&self, facts: &[Slot], removed: &[&str]) {
        self.store.unlocked.files.keep(facts);
        self.seen().write(facts, removed, self.journal.index.count);
    }

    pub(crate) fn head(&self) -> Result<&Head> {
        let missing = || StoreError::Refused("the journal is not open".to_owned());
        self.journal.head.as_ref().ok_or_else(missing)
    }

    /// Returns the file of the current generation, opened once for each lock.
    pub(crate) fn segment(&self) -> Result<Arc<Segment>> {
        let generation = self.head()?.generation;
        if let Some(segment) = self.reading.get()
            && segment.generation == generation
        {
            return Ok(Arc::clone(segment));
        }
        let opened = Segment::open(self.fs(), generation, Access::Read)?;
        Ok(Arc::new(opened))
    }

    /// Runs a decision and commits its batch, after importing hand edits of the affected objects.
    pub(crate) fn transact(
        &mut self,
        cause: &Cause,
        decide: &mut dyn FnMut(&(dyn View + Sync)) -> Result<Option<Batch>>,
    ) -> Result<Transacted> {
        // An import changes the state of the decision, so it is made again. The number of rounds is bounded, because an
        // editor that saves all the time must not hold the lock forever.
        for round in 1.. {
            let Some(batch) = decide(&*self)? else {
                return Ok(Transacted::Done(None));
            };
            rules::check_limits(&batch)?;
            let mut suspects = Vec::new();
            for op in &batch.ops {
                let expected = self.journal.expected();
                let mut seen = self.seen();
                suspects.extend(scan::suspect(self.fs(), expected, &mut seen, &op.key)?);
            }
            // Parsing megabytes of YAML under the lock would stop every other writer. The caller parses without the
            // lock and retries.
            if !self.prepared.is_done() && suspects.iter().any(|s| self.is_large(s)) {
                return Ok(Transacted::Unread(suspects));
            }
            // An edit is imported on a durable state, because its file may be removed as soon as it is committed.
            if !suspects.is_empty() {
                self.settle_group()?;
            }
            // In the last round the commit proceeds; the exchange of names still finds the edit and keeps it.
            if suspects.is_empty() || round == MAX_ROUNDS || self.import(&suspects)? == 0 {
                return Ok(Transacted::Done(Some(self.commit_in_group(cause, &batch)?)));
            }
        }
        Ok(Transacted::Done(None))
    }

    /// Returns true if a file is too large to be parsed while others wait for the lock.
    fn is_large(&self, suspect: &Suspect) -> bool {
        let stat = self.fs().stat(&suspect.path).ok().flatten();
        stat.is_some_and(|stat| {
            stat.kind == FileKind::File && (LARGE + 1..=MAX_FILE).contains(&stat.size)
        })
    }

    /// Commits a batch and shows it, without waiting for others.
    pub(crate) fn commit(&mut self, cause: &Cause, batch: &Batch) -> Result<Committed> {
        self.settle_group()?;
        self.commit_in_group(cause, batch)
    }

    /// Commits a batch, or leaves its sync and its files to the end of the group.
    fn commit_in_group(&mut self, cause: &Cause, batch: &Batch) -> Result<Committed> {
        let head = self.head()?.clone();
        let find = |key: &Key| self.journal.index.get(key.as_str()).map(|e| e.revision);
        rules::check(batch, head.epoch, &find)?;
        let changed = self.real_changes(&batch.ops)?;
        let clock = self.store.settings.get().clock;
        let (time, moved) = rules::time_of(batch, clock, self.store.time_after(head.time));
        let epoch = rules::epoch_of(batch, head.epoch, head.revision);
        let mut revisions = vec![None; batch.ops.len()];
        // As in Kubernetes, an update that changes nothing creates no new `resourceVersion` and triggers no watch
        // event.
        if changed.is_empty() && !batch.lead && !moved && !batch.marks {
            return Ok(Committed {
                revision: head.revision,
                revisions,
                epoch,
                time: head.time,
            });
        }
        let note = Note {
            time,
            writer: &cause.writer,
            trigger: cause.trigger.as_ref().map(|change| change.revision),
            rule: &cause.rule,
            epoch,
        };
        let changes: Vec<Change<'_>> = changed
            .iter()
            .map(|i| &batch.ops[*i])
            .map(|op| Change {
                key: op.key.as_str(),
                json: op.json.as_deref(),
                why: op.why.as_ref(),
            })
            .collect();
        debug_assert!(
            self.dot.is_some(),
            "a commit without the `.ctl` that the lock was taken for"
        );
        let first = self.append(&note, &changes)?;
        for (revision, index) in (first..).zip(&changed) {
            revisions[*index] = Some(revision);
        }
        if !self.is_open() {
            // An imported edit is shown at once, because only this lock has the facts of its file.
            self.show_committed(cause.writer == HAND_EDIT)
                .map_err(StoreError::OutcomeUnknown)?;
        }
        let revision = first + changes.len() as u64 - 1;
        Ok(Committed {
            revision,
            revisions,
            epoch,
            time,
        })
    }

    /// Shows the commit in the tree, unless that is delayed. Returns an error if the journal does not exist any more.
    pub(crate) fn show_committed(&mut self, at_once: bool) -> fs::Result<()> {
        let committed = self.journal.head.clone();
        let keep = self.store.settings.get().history;
        // An index or a base record that is ahead of the tree would hide what is still to be shown.
        let waits =
            self.store.holds_tree() && !self.journal.compaction_is_due(keep, true) && !at_once;
        if waits || !self.show_pending() {
            // The tree shows the commit in every other case, so it survives a journal that was
            // moved away.
            self.check_still_there(committed.as_ref())?;
        }
        // The simulated file systems of tests replay the order of their calls; they have no path.
        if waits && !self.commented && self.store.options.path.is_some() {
            let head = committed.iter();
            head.for_each(|head| self.store.ahead.note(&self.store.fs, head));
        }
        if !waits {
            self.maintain();
        }
        Ok(())
    }

    /// Returns the changes of a batch that change something.
    fn real_changes(&self, ops: &[Op]) -> Result<Vec<usize>> {
        let mut segment = None;
        let mut changed = Vec::new();
        for (index, op) in ops.iter().enumerate() {
            let same = match (self.journal.index.get(op.key.as_str()), &op.json) {
                (None, None) => true,
                (Some(entry), Some(json)) => {
                    // Length and checksum first: nearly every write changes the object, and then no
                    // byte of the old version is read.
                    let alike =
                        entry.length as usize == json.len() && entry.crc == crc32c::crc32c(json);
                    if alike && segment.is_none() {
                        segment = Some(self.segment()?);
                    }
                    match &segment {
                        Some(segment) if alike => *Journal::body(segment, &entry)? == **json,
                        _ => false,
                    }
                }
                _ => false,
            };
            if !same {
                changed.push(index);
            }
        }
        Ok(changed)
    }

    /// Checks that the journal still exists. A commit that is not shown is only in the journal: if that was moved away or
    /// removed meanwhile, the commit must not be acknowledged.
    fn check_still_there(&self, committed: Option<&Head>) -> fs::Result<()> {
        // The chain as well as the offset, because two journals can have the same length.
        let end = |head: &Head| (head.inode, head.chain, head.offset);
        let same = |found: Head| Some(end(&found)) == committed.map(end);
        let place = |stat: Stat| (stat.device, stat.inode);
        let there = self.fs().stat(DOT)?.map(place) == self.dot.map(place);
        // An unreadable head does not mean that it is a different one.
        let is_same = || {
            let found = self.journal.read_head();
            found.map_or(true, |found| found.is_some_and(same))
        };
        if there && is_same() {
            return Ok(());
        }
        let gone = std::io::Error::other("the journal was moved away or removed while in use");
        Err(fs::FsError::new("read", super::layout::HEAD, gone))
    }

    pub(crate) fn say_not_shown(&self, error: &dyn std::error::Error) {
        let chain = one_line(error);
        // The commit is durable, so this is a remark and no error.
        self.store.say(&format!(
            "YAML files not updated ({chain}); the next command continues"
        ));
    }

    /// Writes the index and begins a new generation when it is time. Failures wait for next time.
    pub(crate) fn maintain(&mut self) {
        // Compaction makes its own checkpoint, if one is due.
        let keep = self.store.settings.get().history;
        if self.journal.compaction_is_due(keep, false) {
            if let Err(e) = self.journal.compact(keep) {
                self.is_tidy = false;
                self.store
                    .say(&format!("the journal was not compacted: {}", one_line(&e)));
            }
        } else if self.journal.checkpoint_is_due() {
            self.journal.write_checkpoint();
        }
    }
}

impl FileStore {
    /// Takes the lock and makes everything whole.
    pub(crate) fn exclusive(&self, patience: Option<Duration>) -> Result<Exclusive<'_>> {
        self.exclusive_for(patience, false)
    }

    /// Takes the lock for a transaction, which `inherits` what other processes have left.
    pub(crate) fn exclusive_for(
        &self,
        patience: Option<Duration>,
        inherits: bool,
    ) -> Result<Exclusive<'_>> {
        self.check_writable()?;
        // The lock first, which may take long: other threads continue to read meanwhile.
        let lock = self.take_lock(patience)?;
        // The journal's mutex second and always in this order: a thread that holds it never waits for the lock of
        // another process.
        let journal = match self.journal.try_lock_arc() {
            Some(journal) => journal,
            None => self.sharing.in_need_of(|| self.journal.lock_arc()),
        };
        Exclusive::begin(self, journal, lock, inherits)
    }
}

impl View for Exclusive<'_> {
    fn revision(&self) -> Revision {
        self.journal.head.as_ref().map_or(0, |h| h.revision)
    }

    fn now(&self) -> Timestamp {
        // A cluster that is just being created has no last commit; its clock starts at the newest time in the tree.
        let before = self.beginning.unwrap_or(Timestamp::UNIX_EPOCH);
        let last = self.journal.head.as_ref().map_or(before, |h| h.time);
        self.store.time_after(last)
    }

    fn epoch(&self) -> u64 {
        self.journal.head.as_ref().map_or(0, |h| h.epoch)
    }

    fn get(&self, key: &Key) -> Result<Option<Stored>> {
        let Some(entry) = self.journal.index.get(key.as_str()) else {
            return Ok(None);
        };
        let last = self.journal.last_body.as_ref();
        let place = (self.head()?.generation, entry.offset);
        // The object that was written last is often the next one to change.
        let json = match last.filter(|last| last.place == place) {
            Some(last) => Arc::clone(&last.json),
            None => Journal::body(&*self.segment()?, &entry)?,
        };
        Ok(Some(Stored {
            key: key.clone(),
            revision: entry.revision,
            json,
        }))
    }

    fn revision_of(&self, key: &Key) -> Result<Option<Revision>> {
        Ok(self.journal.index.get(key.as_str()).map(|e| e.revision))
    }

    fn list(&self, range: &Range) -> Result<Vec<Stored>> {
        let (keys, entries) = entries(&self.journal, range)?;
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        Ok(stored(keys, &entries, bodies(&*self.segment()?, &entries)?))
    }
}
