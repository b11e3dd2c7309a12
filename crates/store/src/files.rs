//! The store on a directory: opening, locking, reading.
//!
//! Reads take no lock and wait for nobody. They look at the files of what they read (one stat
//! each) and import hand edits first where the lock is free.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use super::admit::{Admit, PlainAdmit};
#[cfg(doc)]
use super::directory::Directory;
use super::error::StoreError;
use super::exclusive::Exclusive;
use super::faults::Faults;
use super::file_store::Bell;
use super::group::Line;
use super::head::Head;
use super::imported::Imported;
use super::index::Entry;
use super::interface::{Listing, Result, Shown, Stored};
use super::journal::{Journal, Published, bodies, each_body};
use super::key::{Key, Range};
use super::layout::{DOT, HOLDER, SETTINGS};
use super::revision::Revision;
use super::scan;
use super::segment::Segment;
use super::settings::{ClockMode, Format, Known, Rights, Settings};
use crate::sys::clock::Clock;
use crate::sys::fs::{self, Access, Fs, LockGuard, Stat};
use crate::sys::host;
use crate::sys::lock::LockError;

/// How long a read is ready to wait for the lock in order to import a hand edit.
pub(crate) const EDIT_PATIENCE: Duration = Duration::from_millis(50);

/// How often a read makes the journal whole before it gives up: others may break it meanwhile.
const RECOVERIES: usize = 5;

/// A range of so many objects is read and compared with its files by two threads.
const WORTH_A_THREAD: usize = 1000;

/// A word to the user that is no error.
pub type Notice = Arc<dyn Fn(&str) + Send + Sync>;

/// Hears of every hand edit that this process imports.
pub type OnImport = Arc<dyn Fn(&Imported) + Send + Sync>;

/// How a store is opened.
#[derive(Clone)]
pub struct Options {
    /// Where wall-clock time comes from.
    pub clock: Clock,
    /// How this process is called in messages to those who wait for it.
    pub command: String,
    /// How long to wait for the lock; `None` waits for ever.
    pub patience: Option<Duration>,
    /// Where words to the user go.
    pub notice: Notice,
    /// Where imported hand edits are reported.
    pub on_import: OnImport,
    /// Decides on hand edits.
    pub admit: Arc<dyn Admit>,
    /// True if a network file system is accepted.
    pub allow_network: bool,
    /// True if files that are missing in great numbers are removed objects.
    pub accept_deletes: bool,
    /// The directory's path, for subscriptions to changes.
    pub path: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            clock: Clock::System,
            command: "ctl".to_owned(),
            patience: None,
            notice: Arc::new(|_| ()),
            on_import: Arc::new(|_| ()),
            admit: Arc::new(PlainAdmit),
            allow_network: false,
            accept_deletes: false,
            path: None,
        }
    }
}

impl Options {
    /// The path of the directory, for people.
    pub(crate) fn place(&self) -> String {
        let path = self.path.as_ref();
        path.map_or(".".to_owned(), |path| path.display().to_string())
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("command", &self.command)
            .finish_non_exhaustive()
    }
}

/// A cluster's state in a directory.
#[derive(Debug)]
pub struct FileStore {
    pub(crate) fs: Arc<dyn Fs>,
    pub(crate) options: Options,
    pub(crate) settings: Known,
    rights: Rights,
    is_new: bool,
    /// Its guard may go to another thread, which one of the standard library may not.
    journal: Arc<parking_lot::Mutex<Journal>>,
    /// The transactions of this process that wait for the lock.
    pub(crate) line: Line,
    pub(crate) bell: Bell,
    /// The last word that is not worth being said twice in a row.
    told: Mutex<String>,
    /// True if the YAML tree waits until [`Directory::show_held`].
    pub(crate) held: AtomicBool,
    pub(crate) faults: Mutex<Faults>,
}

/// A reader's snapshot: the published state and the file that holds the objects.
pub(crate) struct Reading<'s> {
    pub(crate) journal: parking_lot::MutexGuard<'s, Journal>,
    pub(crate) segment: Segment,
    pub(crate) head: Head,
}

impl FileStore {
    /// Opens the cluster in a directory.
    ///
    /// # Errors
    /// Where there is none, or it may not be used here.
    pub fn open(fs: Arc<dyn Fs>, options: Options) -> Result<Self> {
        // The rights come first: a newer program's directory must not be touched, not even by a
        // recovery.
        let rights = Format::check(&*fs)?;
        // The stat before the content: settings that change in between are loaded again at the next
        // look.
        let seen = fs.stat(SETTINGS)?;
        let Some(settings) = Settings::load(&*fs)? else {
            return Err(StoreError::NoCluster(options.place()));
        };
        Self::with_settings(fs, options, settings, seen, rights)
    }

    /// Opens the cluster in a directory, making one with these settings where there is none.
    ///
    /// # Errors
    /// Where it cannot be made or may not be used here.
    pub fn open_or_create(fs: Arc<dyn Fs>, options: Options, settings: Settings) -> Result<Self> {
        let rights = Format::check(&*fs)?;
        let seen = fs.stat(SETTINGS)?;
        let (settings, known) = match Settings::load(&*fs)? {
            Some(found) => (found, true),
            None => (settings, false),
        };
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
        // `flock` on NFS or SMB may be local to each machine: two writers would both hold it.
        if let Some(network) = medium.network
            && !options.allow_network
        {
            return Err(StoreError::Forbidden(format!(
                "the state directory is on {network}, where locks and renames cannot be trusted; \
                 use a local directory, or --allow-network-fs if nobody else uses this one"
            )));
        }
        let journal = Arc::new(parking_lot::Mutex::new(Journal::new(Arc::clone(&fs))));
        let faults = Faults::new(&settings, seen);
        Ok(Self {
            fs,
            options,
            settings: Known::new(settings),
            faults: Mutex::new(faults),
            rights,
            is_new: false,
            journal,
            line: Line::default(),
            bell: Bell::default(),
            told: Mutex::default(),
            held: AtomicBool::new(false),
        })
    }

    /// Returns true if this call made the cluster, and nobody before it.
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
        super::exclusive::make_directories(&*self.fs)?;
        match Settings::load(&*self.fs)? {
            // Somebody else was faster: theirs is the cluster.
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

    /// The time that a commit made now would carry, given the time of the last one.
    pub(crate) fn time_after(&self, last: Timestamp) -> Timestamp {
        match self.settings.get().clock {
            // A virtual cluster's time is the time of its last record, so a replay sees the same
            // moments.
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

    /// Says something that lasts, once and not at every look.
    pub(crate) fn say_once(&self, text: String) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if *told != text {
            self.say(&text);
            *told = text;
        }
    }

    /// Refuses writes that would be wrong.
    pub(crate) fn check_writable(&self) -> Result<()> {
        check_writable(&*self.fs, self.rights)
    }

    /// Takes the directory's lock.
    pub(crate) fn take_lock(&self, patience: Option<Duration>) -> Result<Box<dyn LockGuard>> {
        lock_directory(&*self.fs, &self.options, patience)
    }

    /// Takes the lock and makes everything whole.
    pub(crate) fn exclusive(&self, patience: Option<Duration>) -> Result<Exclusive<'_>> {
        self.check_writable()?;
        // First the lock, which may take long: other threads go on reading meanwhile.
        let lock = self.take_lock(patience)?;
        // The journal's mutex second and always in this order: a thread that holds it never waits
        // for the lock of another process.
        let journal = self.journal.lock_arc();
        Exclusive::begin(self, journal, lock)
    }

    /// The published state, recovered first where that is needed and possible.
    pub(crate) fn reading(&self) -> Result<Reading<'_>> {
        let mut recovered = 0;
        // Bounded: each round needs another compaction between two reads of this one.
        for _ in 0..100 {
            let mut journal = self.journal.lock();
            match journal.refresh()? {
                Published::Exact(head) => {
                    match Segment::open(&*self.fs, head.generation, Access::Read) {
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
                    // The writer's path takes the mutex as well.
                    drop(journal);
                    recovered += 1;
                    // Each one may write a generation: what does not help at once never will.
                    if recovered > RECOVERIES {
                        let text = "the journal cannot be read after its repair";
                        return Err(StoreError::Refused(text.to_owned()));
                    }
                    match self.exclusive(self.options.patience) {
                        // Recovery is what every writer does first, so taking the lock and letting
                        // go is all there is to do.
                        Ok(exclusive) => drop(exclusive),
                        // On read-only media the journal is read up to its last valid record and
                        // nothing is published.
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

    /// Where nothing can be written: what the journal's valid chain says.
    fn reading_unpublished(&self) -> Result<Reading<'_>> {
        let mut journal = self.journal.lock();
        let (segment, head) = journal.read_without_publishing()?;
        Ok(Reading {
            journal,
            segment,
            head,
        })
    }

    /// Imports hand edits of `range` where there are some and the lock is free; returns whether
    /// anything may have changed.
    pub(crate) fn import_edits(&self, range: &Range) -> Result<bool> {
        self.import_held()?;
        // The reading ends before the import: that takes the lock, and the journal's mutex behind
        // it.
        let suspects = {
            let reading = self.reading()?;
            scan::suspects(&*self.fs, reading.journal.expected(), range)?
        };
        self.import(&suspects)
    }

    /// Imports the edits of one object.
    fn import_edit(&self, key: &Key) -> Result<bool> {
        self.import_held()?;
        let suspect = {
            let reading = self.reading()?;
            scan::look(&*self.fs, reading.journal.expected(), key)?
        };
        self.import(suspect.as_slice())
    }

    pub(crate) fn import(&self, suspects: &[scan::Suspect]) -> Result<bool> {
        if suspects.is_empty() {
            return Ok(false);
        }
        let imported = self.try_import(suspects, Some(EDIT_PATIENCE))?;
        Ok(imported.is_some_and(|n| n > 0))
    }

    /// Imports edits and returns how many objects changed; nothing if the lock was not free in time.
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
            // A reader does not insist: what the cluster has is a correct result, the edit comes
            // with the next look.
            Err(StoreError::Busy { .. }) => Ok(None),
            Err(e) if is_read_only(&e) => Ok(Some(0)),
            Err(e) => Err(e),
        }
    }

    /// Reads one object.
    pub(crate) fn read_one(&self, key: &Key) -> Result<Option<Stored>> {
        self.import_edit(key)?;
        let reading = self.reading()?;
        reading.get(key)
    }

    /// Reads a range.
    pub(crate) fn read_range(&self, range: &Range) -> Result<Listing> {
        self.import_edits(range)?;
        let reading = self.reading()?;
        let revision = reading.head.revision;
        let (keys, entries) = entries(&reading.journal, range)?;
        let segment = reading.segment;
        // The segment stays readable without the mutex: published bytes never change, and an
        // unlinked file lives until it is closed.
        drop(reading.journal);
        let items = stored(keys, &entries, bodies(&segment, &entries)?);
        Ok(Listing { revision, items })
    }

    /// Shows a range's objects one by one; looks for hand edits meanwhile, and begins again where
    /// there were some.
    pub(crate) fn show_range(
        &self,
        range: &Range,
        take: &mut dyn FnMut(Shown<'_>),
    ) -> Result<Revision> {
        self.import_held()?;
        let reading = self.reading()?;
        let revision = reading.head.revision;
        let expected = reading.journal.expected();
        let (keys, entries) = entries(&reading.journal, range)?;
        let fs = &*self.fs;
        let mut show = || {
            each_body(&reading.segment, &entries, &mut |at, json| {
                take(Shown::Object(&keys[at], entries[at].revision, json));
            })
        };
        // Below a thousand objects the thread costs more than the scan.
        // Neither waits for the other: one asks for the state of files, one reads the journal.
        let suspects = if entries.len() < WORTH_A_THREAD {
            let suspects = scan::suspects(fs, expected, range)?;
            show()?;
            suspects
        } else {
            std::thread::scope(|scope| {
                let scan = scope.spawn(|| scan::suspects(fs, expected, range));
                show()?;
                scan.join().unwrap_or_else(|_| {
                    let why = "the search for hand edits failed";
                    Err(StoreError::Refused(why.to_owned()))
                })
            })?
        };
        drop(reading);
        if suspects.is_empty() {
            return Ok(revision);
        }
        self.import(&suspects)?;
        // The caller throws away what it has: objects of two revisions must not be in one list.
        take(Shown::Again);
        let reading = self.reading()?;
        let (keys, entries) = self::entries(&reading.journal, range)?;
        each_body(&reading.segment, &entries, &mut |at, json| {
            take(Shown::Object(&keys[at], entries[at].revision, json));
        })?;
        Ok(reading.head.revision)
    }

    /// The revision that is published.
    pub(crate) fn published_revision(&self) -> Result<Revision> {
        Ok(self.reading()?.head.revision)
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

/// The keys and places of a range's objects.
pub(crate) fn entries(journal: &Journal, range: &Range) -> Result<(Vec<Key>, Vec<Entry>)> {
    let mut keys = Vec::new();
    let mut entries = Vec::new();
    for (key, entry) in journal.index.range(range.as_str()) {
        keys.push(Key::parse(key)?);
        entries.push(entry);
    }
    Ok((keys, entries))
}

/// Puts keys, places and bodies together.
pub(crate) fn stored(keys: Vec<Key>, entries: &[Entry], bodies: Vec<Arc<[u8]>>) -> Vec<Stored> {
    let places = keys.into_iter().zip(entries).zip(bodies);
    places
        .map(|((key, entry), json)| Stored {
            key,
            revision: entry.revision,
            json,
        })
        .collect()
}

/// Refuses writes by an older program than the directory's, and by others than its owner.
pub(crate) fn check_writable(fs: &dyn Fs, rights: Rights) -> Result<()> {
    if rights == Rights::ReadOnly {
        return Err(StoreError::Newer(
            "a newer ctl wrote this directory: this one can only read it".to_owned(),
        ));
    }
    // `sudo ctl` would leave files of root that the owner's next command cannot write.
    let owner = fs.stat(".")?.map(|s| s.owner);
    let user = host::effective_uid();
    match owner {
        Some(owner) if owner != user => Err(StoreError::Forbidden(format!(
            "the state directory belongs to user {owner}, not to {user}: \
                 only its owner may change it"
        ))),
        _ => Ok(()),
    }
}

/// Takes a state directory's lock.
pub(crate) fn lock_directory(
    fs: &dyn Fs,
    options: &Options,
    patience: Option<Duration>,
) -> Result<Box<dyn LockGuard>> {
    let mut on_wait = |waited: Duration| {
        let seconds = waited.as_secs();
        let text = format!("waiting for {} ({seconds} s so far)", holder(fs));
        (options.notice)(&text);
    };
    fs.lock(patience, &mut on_wait).map_err(|e| match e {
        LockError::Busy => busy(fs, patience),
        // Deleted while this process waited.
        LockError::Io(e) if e.kind() == std::io::ErrorKind::NotFound => {
            StoreError::NoCluster(options.place())
        }
        LockError::Io(e) => StoreError::Fs(fs::FsError::new("lock", ".", e)),
    })
}

/// The error for a lock that was not free in time.
pub(crate) fn busy(fs: &dyn Fs, patience: Option<Duration>) -> StoreError {
    StoreError::Busy {
        holder: holder(fs),
        waited: patience.unwrap_or_default(),
    }
}

/// Returns the last recorded holder of the lock.
fn holder(fs: &dyn Fs) -> String {
    let text = fs::read_all(fs, HOLDER, 4096)
        .map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned());
    match text {
        Ok(text) if !text.is_empty() => format!("process {text}"),
        _ => "another process".to_owned(),
    }
}

/// Returns true if an error says that nothing can be written here.
pub(crate) fn is_read_only(error: &StoreError) -> bool {
    match error {
        StoreError::Fs(e) | StoreError::NotApplied(e) => e.is_read_only(),
        StoreError::Forbidden(_) | StoreError::Newer(_) => true,
        _ => false,
    }
}
