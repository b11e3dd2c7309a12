//! Stages the files of a held tree while the controllers work, by a thread that only gets idle processor time. With it,
//! 10,000 Pods settle in 2.62 s instead of 3.28 s (`docs/design/0007-second-thread.md`).
//!
//! The thread follows the published journal and uses no state of a writer. It stages the versions that are unlikely to
//! be replaced, by their rule: none are before a rule's versions have stayed for a while. A writer that shows its
//! commits (`show.rs`) uses a staged file if it has the version to be shown, and removes the others.
//!
//! Nothing depends on a staged file. Its name does not begin with a revision, so every writer of any process takes a
//! leftover for a temporary file and removes it (`cleanup.rs`); without its file, a version is staged again.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;

use super::error::StoreError;
use super::head::Head;
use super::index::Entry;
use super::interface::Result;
use super::layout::{ahead_path, staged_path};
use super::render::plain;
use super::revision::Revision;
use super::seen::fingerprint;
use super::segment::{Segment, Step, Walk};
use super::tree::{Staged, stamp};
use super::unlocked::HeadFile;
use crate::sys::fs::{self, Access, Fs};
use crate::sys::threads;

/// The length of the journal in which the versions of a rule must stay. Most Pods get their next version within 14 MB.
const AGE: u64 = if cfg!(test) { 4 << 10 } else { 16 << 20 };

/// One of this many versions of a rule may be replaced.
const REPLACED: u64 = 8;

/// The most files that wait: 24 bytes for each.
const MOST: usize = 100_000;

/// The number of files after which the thread looks for new commits.
const TOGETHER: usize = 64;

/// The interval at which the thread looks for new commits.
const PAUSE: Duration = Duration::from_millis(5);

/// A file that waits in the staging directory.
#[derive(Debug)]
struct AheadFile {
    /// The fingerprint of its text.
    text: u64,
    /// The checksum of the object's JSON: a `.ctl` that was put back may have another object at the same revision.
    json: u32,
}

/// The state that the thread shares with the writer.
#[derive(Debug, Default)]
struct Shared {
    stopped: AtomicBool,
    /// The random part of their names.
    fresh: OnceLock<u64>,
    staged: Mutex<HashMap<Revision, AheadFile>>,
}

impl Shared {
    fn path(&self, fs: &dyn Fs, revision: Revision) -> String {
        ahead_path(*self.fresh.get_or_init(|| fs.fresh()), revision)
    }

    /// Removes the files that wait; returns true if there were any.
    fn discard(&self, fs: &dyn Fs) -> bool {
        let left = std::mem::take(&mut *self.staged.lock());
        for revision in left.keys() {
            // Another process that had the lock has removed it.
            let _ = fs.unlink(&self.path(fs, *revision));
        }
        !left.is_empty()
    }
}

/// The files that are staged ahead, and the thread that stages them.
#[derive(Debug, Default)]
pub(crate) struct StageAhead {
    shared: Arc<Shared>,
    /// The state when the tree began to be held.
    began: Mutex<Option<Head>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// True after a full disk, until the tree is held again.
    has_given_up: AtomicBool,
}

impl StageAhead {
    /// Notes a commit whose files wait, and starts the thread when there are many.
    pub(crate) fn note(&self, fs: &Arc<dyn Fs>, head: &Head) {
        let mut began = self.began.lock();
        let began = began.get_or_insert_with(|| head.clone());
        // A compaction has shown everything, and begins with other places.
        if began.generation != head.generation {
            *began = head.clone();
        }
        let mut thread = self.thread.lock();
        let waits = head.offset.saturating_sub(began.offset) < AGE;
        if waits || thread.is_some() || self.has_given_up.load(Ordering::Relaxed) {
            return;
        }
        self.shared.stopped.store(false, Ordering::Relaxed);
        let (fs, began, shared) = (Arc::clone(fs), began.clone(), Arc::clone(&self.shared));
        // Without the thread, all files are written at the end.
        *thread = threads::when_idle("stage", move || {
            // An error is the writer's to report: it encounters it as well, or does not need the file.
            let _ = Segment::open(&*fs, began.generation, Access::Read)
                .map_err(StoreError::from)
                .and_then(|segment| {
                    let published = HeadFile::new(Arc::clone(&fs));
                    Stager::new(&*fs, &segment, &began, &shared).run(&published)
                });
        })
        .ok();
    }

    /// Takes the file of a version if there is one, as the fingerprint of its text.
    pub(crate) fn take(&self, entry: &Entry) -> Option<u64> {
        let mut staged = self.shared.staged.lock();
        let is_same = |file: &AheadFile| file.json == entry.crc;
        let found = staged.get(&entry.revision).is_some_and(is_same);
        found
            .then(|| staged.remove(&entry.revision))?
            .map(|file| file.text)
    }

    /// Opens a file that was taken, to be shown; `None` if somebody has removed it.
    pub(crate) fn open(
        &self,
        fs: &dyn Fs,
        revision: Revision,
        text: u64,
        time: Timestamp,
    ) -> Option<Staged> {
        let path = self.shared.path(fs, revision);
        let file = fs.open(&path, Access::Write).ok()?;
        // Only now, because its time is that of the last commit. The rename gives it a second change time.
        file.set_modified(stamp(time, revision)).ok()?;
        let stat = file.stat().ok()?;
        Some(Staged {
            path,
            file,
            revision,
            stat,
            text,
            is_temporary: true,
        })
    }

    /// Lets the thread end with the file that it writes.
    pub(crate) fn halt(&self) {
        self.shared.stopped.store(true, Ordering::Relaxed);
    }

    /// Gives the space of all files back, and stages no more until the tree is held again.
    pub(crate) fn give_up(&self, fs: &dyn Fs) {
        self.has_given_up.store(true, Ordering::Relaxed);
        self.halt();
        self.discard(fs);
    }

    /// Waits for the end of the thread, and removes what is left. Returns true if there was a thread.
    pub(crate) fn end(&self, fs: &dyn Fs) -> bool {
        self.halt();
        let thread = self.thread.lock().take();
        let has_staged = thread.map(|thread| drop(thread.join())).is_some();
        *self.began.lock() = None;
        self.has_given_up.store(false, Ordering::Relaxed);
        self.discard(fs);
        has_staged
    }

    /// Removes the files that are not needed; returns true if there were any.
    pub(crate) fn discard(&self, fs: &dyn Fs) -> bool {
        self.shared.discard(fs)
    }
}

impl Drop for StageAhead {
    fn drop(&mut self) {
        self.halt();
        if let Some(thread) = self.thread.get_mut().take() {
            let _ = thread.join();
        }
    }
}

impl Staged {
    /// Takes a name by which a sweep recognizes a swapped-out file.
    pub(crate) fn prepare_exchange(&mut self, fs: &dyn Fs, path: &str) -> fs::Result<()> {
        if self.is_temporary {
            let name = staged_path(self.revision, fs.fresh(), path);
            fs.rename_new(&self.path, &name)?;
            (self.path, self.is_temporary) = (name, false);
        }
        Ok(())
    }
}

/// A version that is not staged yet, with the place of its JSON.
#[derive(Clone, Copy, Debug)]
struct WaitingVersion {
    revision: Revision,
    offset: u64,
    length: u32,
}

/// The versions that are written by a rule.
#[derive(Debug, Default)]
struct Rule {
    /// The start of its first record.
    first: u64,
    written: u64,
    /// The number of its versions that were replaced.
    replaced: u64,
    waiting: VecDeque<WaitingVersion>,
}

impl Rule {
    /// Returns true if few of its versions were replaced.
    fn is_promising(&self) -> bool {
        self.replaced * REPLACED <= self.written
    }
}

/// The thread's view of the journal.
struct Stager<'s> {
    fs: &'s dyn Fs,
    shared: &'s Shared,
    segment: &'s Segment,
    inode: u64,
    /// One walk for all records: a new buffer of megabytes for each look made the process 20 MB larger.
    walk: Walk<'s>,
    rules: HashMap<u64, Rule>,
    /// The start of each record, with its rule.
    records: Vec<(u64, u64)>,
    /// The places of promising versions that were replaced.
    replaced: HashSet<u64>,
}

impl<'s> Stager<'s> {
    fn new(fs: &'s dyn Fs, segment: &'s Segment, began: &Head, shared: &'s Shared) -> Self {
        Self {
            fs,
            shared,
            segment,
            inode: began.inode,
            walk: Walk::from(
                segment.file.as_ref(),
                began.offset,
                began.chain,
                began.offset,
            ),
            rules: HashMap::new(),
            records: Vec::new(),
            replaced: HashSet::new(),
        }
    }

    fn run(&mut self, published: &HeadFile) -> Result<()> {
        while !self.is_stopped() {
            let head = published.read()?;
            let own = (self.segment.generation, self.inode);
            let Some(head) = head.filter(|head| (head.generation, head.inode) == own) else {
                break;
            };
            self.read(&head)?;
            let mut staged = 0;
            while staged < TOGETHER && !self.is_stopped() && self.stage_next(&head)? {
                staged += 1;
            }
            if staged == 0 {
                std::thread::park_timeout(PAUSE);
            }
        }
        Ok(())
    }

    fn is_stopped(&self) -> bool {
        self.shared.stopped.load(Ordering::Relaxed)
    }

    /// Reads the new records.
    fn read(&mut self, head: &Head) -> Result<()> {
        self.walk.limit = head.offset.max(self.walk.at);
        // A writer waits for the end of this thread, which may be far behind and get little processor time.
        while !self.shared.stopped.load(Ordering::Relaxed) {
            let Step::Record(found) = self.walk.step()? else {
                break;
            };
            let text = found.meta.rule.split(':').next().unwrap_or_default();
            let name = fingerprint(found.meta.writer.as_bytes()) ^ fingerprint(text.as_bytes());
            self.records.push((found.start, name));
            for (_, offset, _) in found.meta.ops.iter().filter_map(|op| op.prev) {
                let at = self.records.partition_point(|(start, _)| *start <= offset);
                let name = at.checked_sub(1).map(|at| self.records[at].1);
                let Some(rule) = name.and_then(|name| self.rules.get_mut(&name)) else {
                    continue;
                };
                rule.replaced += 1;
                if rule.is_promising() {
                    self.replaced.insert(offset);
                } else {
                    // Written at the end, and no memory is used until then.
                    rule.waiting = VecDeque::new();
                }
            }
            let rule = self.rules.entry(name).or_insert_with(|| Rule {
                first: found.start,
                ..Rule::default()
            });
            rule.written += found.meta.ops.len() as u64;
            // A removal has no JSON.
            let versions = found.each().filter(|(_, _, json)| !json.is_empty());
            let versions = versions.map(|(index, offset, _)| WaitingVersion {
                revision: found.revision_of(index),
                offset,
                length: found.meta.ops[index].len,
            });
            if rule.is_promising() {
                rule.waiting.extend(versions);
            }
        }
        Ok(())
    }

    /// Stages the first version that is likely to be the last one of its object; returns false if there is none.
    fn stage_next(&mut self, head: &Head) -> Result<bool> {
        while self.shared.staged.lock().len() < MOST {
            let end = self.walk.at;
            let proven = self.rules.values_mut().filter(|r| r.first + AGE < end);
            let first = proven.min_by_key(|r| r.waiting.front().map_or(u64::MAX, |v| v.offset));
            let Some(version) = first.and_then(|rule| rule.waiting.pop_front()) else {
                break;
            };
            // Some files were written meanwhile, because of a hand edit or by another process.
            let is_shown = version.offset < head.projected;
            if !self.replaced.remove(&version.offset) && !is_shown {
                let file = self.segment.file.as_ref();
                let json = fs::read_range(file, version.offset, version.length as usize)?;
                self.stage(version.revision, &json)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn stage(&self, revision: Revision, json: &[u8]) -> Result<()> {
        let text = plain(json, revision);
        let staged = AheadFile {
            text: fingerprint(&text),
            json: crc32c::crc32c(json),
        };
        let path = self.shared.path(self.fs, revision);
        let written = self.fs.create(&path)?.write_at(&text, 0);
        if let Err(e) = written {
            // A full disk is the usual reason, and the space belongs to others.
            let _ = self.fs.unlink(&path);
            self.shared.discard(self.fs);
            return Err(e.into());
        }
        self.shared.staged.lock().insert(revision, staged);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::Write as _;
    use std::path::Path;

    use super::*;
    use crate::contract::Store as _;
    use crate::directory::Directory as _;
    use crate::files::FileStore;
    use crate::interface::{Batch, Cause, Expect, Op};
    use crate::key::{Key, Range};
    use crate::layout::STAGING;
    use crate::layout::parse_staged;
    use crate::options::Options;
    use crate::settings::{ClockMode, Settings};
    use crate::sys::clock::Stopwatch;
    use crate::sys::entropy::Seed;
    use crate::sys::real_fs::RealFs;
    use crate::tree::{KnownTexts, Out};

    /// Longer than anything here takes on a slow machine.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// Opens a store, which stages ahead if it knows its path.
    fn open(path: &Path, ahead: bool) -> FileStore {
        let options = Options {
            path: ahead.then(|| path.to_path_buf()),
            ..Options::default()
        };
        let settings = Settings {
            clock: ClockMode::Virtual,
            ..Settings::new(Seed(1))
        };
        let fs = RealFs::create(path).unwrap();
        FileStore::open_or_create(Arc::new(fs), options, settings).unwrap()
    }

    fn key(name: &str) -> Key {
        Key::new("configmaps", Some("default"), name).unwrap()
    }

    fn put(store: &FileStore, rule: &str, name: &str, value: &str) {
        let json = format!(
            r#"{{"apiVersion":"v1","data":{{"v":"{value}"}},"kind":"ConfigMap","metadata":{{"name":"{name}","namespace":"default"}}}}"#
        );
        let op = Op::put(key(name), json.into_bytes(), Expect::Any);
        let batch = Batch::new(vec![op]);
        store.commit(&Cause::new("writer", rule), batch).unwrap();
    }

    /// Creates objects by a rule whose versions stay.
    fn create(store: &FileStore, names: std::ops::Range<usize>) {
        names.for_each(|n| put(store, "create: it is missing", &format!("o{n}"), "1"));
    }

    /// Waits until this many files are staged, if the store stages ahead.
    fn wait_for(store: &FileStore, count: usize) {
        let stopwatch = Stopwatch::start();
        while store.options.path.is_some() && store.ahead.shared.staged.lock().len() < count {
            assert!(stopwatch.elapsed() < PATIENCE, "nothing is staged");
            std::thread::yield_now();
        }
    }

    fn staging(path: &Path) -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(path.join(STAGING)).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    /// Returns the files of the tree with their texts and modification times.
    fn tree(path: &Path) -> BTreeMap<String, (String, std::time::SystemTime)> {
        let entries = std::fs::read_dir(path.join("default/configmaps")).unwrap();
        let files = entries.map(|entry| {
            let path = entry.unwrap().path();
            let modified = path.metadata().unwrap().modified().unwrap();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, (std::fs::read_to_string(path).unwrap(), modified))
        });
        files.collect()
    }

    /// Makes a history with all kinds of versions while the tree is held.
    fn history(store: &FileStore) {
        put(store, "create", "old", "1");
        put(store, "create", "removed", "1");
        store.hold_tree();
        create(store, 0..60);
        // The version of a file that exists already, and versions that do not stay although their rule's usually do.
        put(store, "create: again", "old", "2");
        put(store, "create: again", "removed", "2");
        create(store, 60..80);
        // All but the version of the commit with which the thread begins.
        wait_for(store, 81);
        put(store, "change", "o3", "2");
        put(store, "change", "o70", "2");
        let batch = Batch::new(vec![Op::delete(key("removed"), Expect::Any)]);
        store
            .commit(&Cause::new("writer", "delete"), batch)
            .unwrap();
    }

    #[test]
    fn tree_is_the_same_with_and_without_files_staged_ahead() {
        let trees = [true, false].map(|ahead| {
            let directory = tempfile::tempdir().unwrap();
            let store = open(directory.path(), ahead);
            history(&store);
            store.show_held().unwrap();
            assert!(staging(directory.path()).is_empty());
            // Every file is known to be ctl's own.
            assert!(!store.import_edits(&Range::all()).unwrap());
            tree(directory.path())
        });
        assert_eq!(trees[0].len(), 81);
        assert_eq!(trees[0], trees[1]);
    }

    #[test]
    fn staged_files_that_were_removed_are_written_again() {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path(), true);
        history(&store);
        let staged = staging(directory.path());
        assert!(staged.len() >= 80, "{staged:?}");
        staged
            .iter()
            .for_each(|path| std::fs::remove_file(path).unwrap());
        store.show_held().unwrap();
        assert_eq!(tree(directory.path()).len(), 81);
        assert!(staging(directory.path()).is_empty());
    }

    #[test]
    fn full_disk_ends_staging_until_the_tree_is_held_again() {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path(), true);
        history(&store);
        store.ahead.give_up(&*store.fs);
        assert!(store.ahead.shared.staged.lock().is_empty());
        create(&store, 80..140);
        store.show_held().unwrap();
        assert_eq!(tree(directory.path()).len(), 141);
        assert!(staging(directory.path()).is_empty());
        store.hold_tree();
        create(&store, 140..200);
        wait_for(&store, 1);
        store.show_held().unwrap();
        assert_eq!(tree(directory.path()).len(), 201);
    }

    #[test]
    fn another_writer_sweeps_staged_files_and_shows_their_versions() {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path(), true);
        history(&store);
        let other = open(directory.path(), false);
        put(&other, "create", "other", "1");
        assert!(staging(directory.path()).len() < 10);
        assert_eq!(tree(directory.path()).len(), 82);
        // The first process goes on, and neither misses nor overwrites anything.
        put(&store, "change", "other", "2");
        create(&store, 80..100);
        store.show_held().unwrap();
        let shown = tree(directory.path());
        assert_eq!(shown.len(), 102);
        assert!(shown["other.yaml"].0.contains("\"2\""), "{shown:?}");
        assert!(staging(directory.path()).is_empty());
    }

    #[test]
    fn next_writer_sweeps_the_staged_files_of_a_killed_one() {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path(), true);
        history(&store);
        drop(store);
        assert!(staging(directory.path()).len() >= 80);
        let other = open(directory.path(), false);
        put(&other, "create", "other", "1");
        assert!(staging(directory.path()).is_empty());
        assert_eq!(tree(directory.path()).len(), 82);
    }

    #[test]
    fn hand_edit_is_not_lost_to_a_staged_file() {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path(), true);
        history(&store);
        let path = directory.path().join("default/configmaps/old.yaml");
        let mut file = std::fs::File::options().append(true).open(path).unwrap();
        file.write_all(b"immutable: true\n").unwrap();
        drop(file);
        store.show_held().unwrap();
        let json = store.get(&key("old")).unwrap().unwrap().json;
        let json = String::from_utf8_lossy(&json).into_owned();
        assert!(
            json.contains("immutable") && json.contains(r#""v":"2""#),
            "{json}"
        );
        assert!(staging(directory.path()).is_empty());
    }

    #[test]
    fn file_that_comes_out_for_a_staged_one_is_swept_as_an_edit() {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path(), true);
        history(&store);
        let exclusive = store.exclusive(None).unwrap();
        let (fs, key) = (exclusive.fs(), key("old"));
        let entry = exclusive.journal.index.get(key.as_str()).unwrap();
        let text = store.ahead.take(&entry).unwrap();
        let staged = store
            .ahead
            .open(fs, entry.revision, text, Timestamp::UNIX_EPOCH);
        let mut file = std::fs::File::create(directory.path().join(key.path())).unwrap();
        file.write_all(b"kind: Edited").unwrap();
        drop(file);
        let known = KnownTexts {
            shown: Some(text),
            ..KnownTexts::default()
        };
        let put = exclusive
            .tree()
            .place(&key, staged.unwrap(), known)
            .unwrap();
        let Some(Out::Edit(out)) = put.out else {
            panic!("{put:?}")
        };
        let name = out.staged.strip_prefix(STAGING).unwrap();
        assert_eq!(parse_staged(&name[1..]), Some(entry.revision));
    }
}
