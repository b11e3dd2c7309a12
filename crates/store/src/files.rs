//! The store on a directory: opening, locking, reading.
//!
//! Reads take no lock and never wait. They check the files of the objects that they read (one stat each) and import
//! hand edits first if the lock is free.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use super::access::{EDIT_PATIENCE, check_writable, is_read_only, lock_directory};
use super::dot::make_directories;
use super::error::StoreError;
use super::faults::Faults;
use super::group::Line;
use super::head::Head;
use super::interface::{Listing, Result, Stored, VisitEvent};
use super::journal::{self, Journal, Published, bodies, each_body, stored};
use super::key::{Key, Range};
use super::layout::{DOT, SETTINGS};
use super::options::Options;
use super::revision::Revision;
use super::scan;
use super::segment::Segment;
use super::settings::{ClockMode, CurrentSettings, Format, Rights, Settings};
use super::sharing::Sharing;
use super::stage_ahead::StageAhead;
use super::unlocked::Unlocked;
use super::wakeup::Wakeup;
use crate::sys::fs::{Fs, LockGuard, Stat};
use crate::sys::host;

/// The number of times that a read recovers the journal before it fails: others may break it meanwhile.
const RECOVERIES: usize = 5;

/// A range of this many objects is read and compared with its files by two threads.
const WORTH_A_THREAD: usize = 1000;

/// A cluster's state in a directory.
#[derive(Debug)]
pub struct FileStore {
    pub(crate) fs: Arc<dyn Fs>,
    pub(crate) options: Options,
    pub(crate) settings: CurrentSettings,
    rights: Rights,
    is_new: bool,
    /// Its guard may move to another thread, which a guard of the standard library may not.
    pub(crate) journal: Arc<parking_lot::Mutex<Journal>>,
    /// The line that identifies the holder of the lock, and its store.
    signature: OnceLock<Vec<u8>>,
    /// True if the last lock of this store left nothing to clean up.
    pub(crate) is_tidy: AtomicBool,
    /// True if files may wait for the editors that have them open.
    pub(crate) has_held: AtomicBool,
    /// True if any object's file had comments in the last lock of this store.
    pub(crate) commented: AtomicBool,
    /// See [`Tree::fine_times`](super::tree::Tree).
    pub(crate) fine_times: AtomicBool,
    /// True if the last lock of this store found the reserve for a full disk.
    pub(crate) has_reserve: AtomicBool,
    /// True once this user was found to be the owner of the directory.
    is_owner: AtomicBool,
    /// The transactions of this process that wait for the lock.
    pub(crate) line: Line,
    pub(crate) wakeup: Wakeup,
    /// The last message that must not be repeated directly.
    told: Mutex<String>,
    /// True if the YAML tree waits until [`Directory::show_held`](crate::Directory::show_held).
    pub(crate) held: AtomicBool,
    /// The files that are staged before that.
    pub(crate) ahead: StageAhead,
    pub(crate) faults: Mutex<Faults>,
    /// The state that readers use without `journal`.
    pub(crate) unlocked: Arc<Unlocked>,
    /// The experience with syncs that are shared with other processes.
    pub(crate) sharing: Arc<Sharing>,
}

/// A reader's snapshot: the published state and the file with the objects.
pub(crate) struct Reading<'s> {
    pub(crate) journal: parking_lot::MutexGuard<'s, Journal>,
    pub(crate) segment: Arc<Segment>,
    pub(crate) head: Head,
}

impl FileStore {
    /// Opens the cluster in a directory.
    ///
    /// # Errors
    /// The cluster does not exist, or may not be used here.
    pub fn open(fs: Arc<dyn Fs>, options: Options) -> Result<Self> {
        // The rights are checked first: a newer program's directory must not be changed, not even by a recovery.
        let rights = Format::check(&*fs)?;
        // The stat before the content: settings that change in between are loaded again at the next check.
        let seen = fs.stat(SETTINGS)?;
        let Some(settings) = Settings::load(&*fs)? else {
            return Err(StoreError::NoCluster(options.place()));
        };
        settings.check_finished(&options.place())?;
        Self::with_settings(fs, options, settings, seen, rights)
    }

    /// Opens the cluster in a directory, and creates one with these settings if it is missing.
    ///
    /// # Errors
    /// The cluster cannot be created or may not be used here.
    pub fn open_or_create(fs: Arc<dyn Fs>, options: Options, settings: Settings) -> Result<Self> {
        let rights = Format::check(&*fs)?;
        let seen = fs.stat(SETTINGS)?;
        let (settings, known) = match Settings::load(&*fs)? {
            Some(found) => (found, true),
            None => (settings, false),
        };
        if known {
            settings.check_finished(&options.place())?;
        }
        let mut store = Self::with_settings(fs, options, settings, seen, rights)?;
        if !known || store.fs.stat(DOT)?.is_none() {
            store.create()?;
        }
        Ok(store)
    }

    fn with_settings(
        fs: Arc<dyn Fs>,
        options: Options,
        settings: Settings,
        seen: Option<Stat>,
        rights: Rights,
    ) -> Result<Self> {
        let medium = fs.medium()?;
        // `flock` on NFS or SMB may be local to each machine, so two writers could both hold it.
        if let Some(network) = medium.network
            && !options.allow_network
        {
            return Err(StoreError::Forbidden(format!(
                "the state directory is on {network}, where locks and renames cannot be trusted; \
                 use a local directory, or --allow-network-fs if nobody else uses this one"
            )));
        }
        let journal = Journal::new(Arc::clone(&fs));
        let unlocked = Arc::clone(&journal.unlocked);
        let sharing = Arc::clone(&journal.sharing);
        let journal = Arc::new(parking_lot::Mutex::new(journal));
        let faults = Faults::new(&settings, seen);
        Ok(Self {
            fs,
            options,
            settings: CurrentSettings::new(settings),
            faults: Mutex::new(faults),
            rights,
            is_new: false,
            journal,
            signature: OnceLock::new(),
            is_tidy: AtomicBool::new(false),
            has_held: AtomicBool::new(false),
            commented: AtomicBool::new(false),
            fine_times: AtomicBool::new(false),
            has_reserve: AtomicBool::new(false),
            is_owner: AtomicBool::new(false),
            line: Line::default(),
            wakeup: Wakeup::default(),
            told: Mutex::default(),
            held: AtomicBool::new(false),
            ahead: StageAhead::default(),
            unlocked,
            sharing,
        })
    }

    /// Returns true if this call created the cluster.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Changes the settings, under the lock.
    pub(crate) fn change_settings(
        &self,
        change: &mut dyn FnMut(&mut Settings),
    ) -> Result<Arc<Settings>> {
        let exclusive = self.exclusive(self.options.patience)?;
        // Others may have changed them since this process read them.
        let known = Settings::load(&*self.fs)?;
        let mut settings = known.unwrap_or_else(|| (*self.settings.get()).clone());
        change(&mut settings);
        settings.save(&*self.fs)?;
        drop(exclusive);
        Ok(self.settings.set(settings))
    }

    fn create(&mut self) -> Result<()> {
        self.check_writable()?;
        let lock = self.take_lock(self.options.patience)?;
        super::removal::refuse_half_deleted(&*self.fs, &self.options.place())?;
        make_directories(&*self.fs)?;
        match Settings::load(&*self.fs)? {
            // Another process was faster: its cluster is used.
            Some(found) => drop(self.settings.set(found)),
            None => {
                self.settings.get().save(&*self.fs)?;
                self.is_new = true;
            }
        }
        drop(lock);
        // The first commit makes the journal; only then is the new directory made durable.
        self.exclusive(self.options.patience)?;
        // Synced at the end: from here on the new cluster survives a power cut.
        self.fs.sync_dir(DOT)?;
        self.fs.sync_dir(".")?;
        Ok(())
    }

    /// Returns the time of a commit made now, given the time of the last one.
    pub(crate) fn time_after(&self, last: Timestamp) -> Timestamp {
        match self.settings.get().clock {
            // A virtual cluster's time is the time of its last record, so that a replay uses the same times.
            ClockMode::Virtual => last,
            ClockMode::System => self.options.clock.now(),
        }
    }

    pub(crate) fn holds_tree(&self) -> bool {
        self.held.load(Ordering::Relaxed)
    }

    pub(crate) fn say(&self, text: &str) {
        (self.options.notice)(text);
    }

    /// Reports a lasting condition once instead of at every check.
    pub(crate) fn say_once(&self, text: String) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if *told != text {
            self.say(&text);
            *told = text;
        }
    }

    /// Refuses writes that would be wrong.
    pub(crate) fn check_writable(&self) -> Result<()> {
        if self.is_owner.load(Ordering::Relaxed) {
            return Ok(());
        }
        check_writable(&*self.fs, self.rights)?;
        self.is_owner.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Returns the line that this store writes when it takes the lock.
    pub(crate) fn signature(&self) -> &[u8] {
        self.signature.get_or_init(|| {
            let command: String = self.options.command.chars().take(150).collect();
            let mut line = format!("{} {}", host::pid(), command.replace('\n', " ")).into_bytes();
            line.resize(line.len().max(200), b' ');
            // Process ids are reused, and processes in different containers may have the same id at the same time.
            line.extend(format!("\n{:016x}\n", self.fs.fresh()).into_bytes());
            line
        })
    }

    /// Takes the directory's lock.
    pub(crate) fn take_lock(&self, patience: Option<Duration>) -> Result<Box<dyn LockGuard>> {
        lock_directory(&*self.fs, &self.options, patience)
    }

    /// Returns the published state, recovered first if necessary and possible.
    pub(crate) fn reading(&self) -> Result<Reading<'_>> {
        let mut recovered = 0;
        // Bounded: each round requires another compaction between two reads of this one.
        for _ in 0..100 {
            let mut journal = self.journal.lock();
            match journal.refresh()? {
                Published::Exact(head) => {
                    match journal.segment_to_read(&head) {
                        Ok(segment) => {
                            return Ok(Reading {
                                journal,
                                segment,
                                head,
                            });
                        }
                        // A compaction removed the generation after the head was read: begin again
                        // with the new head.
                        Err(e) if e.is_not_found() => continue,
                        Err(e) => return Err(e.into()),
                    }
                }
                Published::Nothing if self.fs.stat(SETTINGS)?.is_none() => {
                    return Err(StoreError::NoCluster(self.options.place()));
                }
                Published::NeedsRecovery | Published::Nothing => {
                    // The writer's path locks the mutex as well.
                    drop(journal);
                    recovered += 1;
                    // Each one may write a generation, and a recovery that does not help at once never will.
                    if recovered > RECOVERIES {
                        let text = "the journal cannot be read after its repair";
                        return Err(StoreError::Refused(text.to_owned()));
                    }
                    match self.exclusive(self.options.patience) {
                        // Every writer starts with a recovery, so taking and releasing the lock is enough.
                        Ok(exclusive) => drop(exclusive),
                        // On read-only media the journal is read up to its last valid record and nothing is published.
                        Err(e) if is_read_only(&e) => return self.reading_unpublished(),
                        Err(e) => return Err(e),
                    }
                }
            }
        }
        Err(StoreError::Refused(
            "the journal changes faster than it can be read".to_owned(),
        ))
    }

    /// Returns the state of the journal's valid chain, if nothing can be written.
    fn reading_unpublished(&self) -> Result<Reading<'_>> {
        let mut journal = self.journal.lock();
        let (segment, head) = journal.read_without_publishing()?;
        Ok(Reading {
            journal,
            segment: Arc::new(segment),
            head,
        })
    }

    /// Imports hand edits of `range` if there are some and the lock is free; returns true if anything may have changed.
    pub(crate) fn import_edits(&self, range: &Range) -> Result<bool> {
        self.import_held()?;
        // The reading ends before the import, which takes the lock and then the journal's mutex.
        let suspects = {
            let reading = self.reading()?;
            scan::suspects(&*self.fs, reading.journal.expected(), range)?
        };
        self.import(&suspects)
    }

    pub(crate) fn import(&self, suspects: &[scan::Suspect]) -> Result<bool> {
        if suspects.is_empty() {
            return Ok(false);
        }
        let imported = self.try_import(suspects, Some(EDIT_PATIENCE))?;
        Ok(imported.is_some_and(|n| n > 0))
    }

    /// Imports edits and returns the number of changed objects; `None` if the lock was not free in time.
    pub(crate) fn try_import(
        &self,
        suspects: &[scan::Suspect],
        patience: Option<Duration>,
    ) -> Result<Option<usize>> {
        // Parsed before the lock is taken: a large file takes long enough to be felt by others.
        let prepared = self.prepare(suspects);
        match self.exclusive(patience) {
            Ok(mut exclusive) => {
                exclusive.prepared = prepared;
                exclusive.import(suspects).map(Some)
            }
            // A reader does not retry: the state without the edit is a correct result, and the next check imports the
            // edit.
            Err(StoreError::Busy { .. }) => Ok(None),
            Err(e) if is_read_only(&e) => Ok(Some(0)),
            Err(e) => Err(e),
        }
    }

    /// Reads one object.
    pub(crate) fn read_one(&self, key: &Key) -> Result<Option<Stored>> {
        self.import_held()?;
        let reading = self.reading()?;
        let suspect = scan::check_file(&*self.fs, reading.journal.expected(), key)?;
        self.after_import(reading, suspect.as_slice())?.get(key)
    }

    /// Imports edits, and returns the state after them. The reading ends before the import, which takes the lock and
    /// then the journal's mutex.
    fn after_import<'s>(
        &'s self,
        reading: Reading<'s>,
        suspects: &[scan::Suspect],
    ) -> Result<Reading<'s>> {
        if suspects.is_empty() {
            return Ok(reading);
        }
        drop(reading);
        self.import(suspects)?;
        self.reading()
    }

    /// Reads a range.
    pub(crate) fn read_range(&self, range: &Range) -> Result<Listing> {
        self.import_held()?;
        let reading = self.reading()?;
        let (keys, entries) = journal::entries(&reading.journal, range)?;
        // The search takes 24 ms for 10,000 files, during which another thread reads the objects.
        let (bodies_read, suspects) = self.with_suspects(&reading, range, entries.len(), || {
            bodies(&reading.segment, &entries)
        })?;
        if suspects.is_empty() {
            return Ok(Listing {
                revision: reading.head.revision,
                items: stored(keys, &entries, bodies_read),
            });
        }
        let reading = self.after_import(reading, &suspects)?;
        let revision = reading.head.revision;
        let (keys, entries) = journal::entries(&reading.journal, range)?;
        let segment = reading.segment;
        // The segment stays readable without the mutex: published bytes never change, and an
        // unlinked file lives until it is closed.
        drop(reading.journal);
        let items = stored(keys, &entries, bodies(&segment, &entries)?);
        Ok(Listing { revision, items })
    }

    /// Reads a range's objects, and searches for hand edits of them meanwhile.
    fn with_suspects<T>(
        &self,
        reading: &Reading<'_>,
        range: &Range,
        count: usize,
        read: impl FnOnce() -> Result<T>,
    ) -> Result<(T, Vec<scan::Suspect>)> {
        let (fs, expected) = (&*self.fs, reading.journal.expected());
        // Below a thousand objects the thread costs more than the scan. The two are independent: one stats files, one
        // reads the journal.
        if count < WORTH_A_THREAD {
            let suspects = scan::suspects(fs, expected, range)?;
            return Ok((read()?, suspects));
        }
        std::thread::scope(|scope| {
            let scan = scope.spawn(|| scan::suspects(fs, expected, range));
            let read = read()?;
            let suspects = scan.join().unwrap_or_else(|_| {
                let why = "the search for hand edits failed";
                Err(StoreError::Refused(why.to_owned()))
            });
            Ok((read, suspects?))
        })
    }

    /// Passes a range's objects to `take` one by one; checks for hand edits meanwhile, and starts again if there were
    /// some.
    pub(crate) fn show_range(
        &self,
        range: &Range,
        take: &mut dyn FnMut(VisitEvent<'_>),
    ) -> Result<Revision> {
        self.import_held()?;
        let reading = self.reading()?;
        let revision = reading.head.revision;
        let (keys, entries) = journal::entries(&reading.journal, range)?;
        let ((), suspects) = self.with_suspects(&reading, range, entries.len(), || {
            each_body(&reading.segment, &entries, &mut |at, json| {
                take(VisitEvent::Object(&keys[at], entries[at].revision, json));
            })
        })?;
        drop(reading);
        if suspects.is_empty() {
            return Ok(revision);
        }
        self.import(&suspects)?;
        // The caller discards its objects: a list must not contain objects of two revisions.
        take(VisitEvent::Again);
        let reading = self.reading()?;
        let (keys, entries) = journal::entries(&reading.journal, range)?;
        each_body(&reading.segment, &entries, &mut |at, json| {
            take(VisitEvent::Object(&keys[at], entries[at].revision, json));
        })?;
        Ok(reading.head.revision)
    }
}

impl Reading<'_> {
    fn get(&self, key: &Key) -> Result<Option<Stored>> {
        let Some(entry) = self.journal.index.get(key.as_str()) else {
            return Ok(None);
        };
        let json = Journal::body(&self.segment, &entry)?;
        Ok(Some(Stored {
            key: key.clone(),
            revision: entry.revision,
            json,
        }))
    }
}
