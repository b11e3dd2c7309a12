//! Writes the YAML tree of a directory that has none, such as a fork.
//!
//! The files are written into a directory of ctl's own, whose namespaces then move into the tree as a whole. Until then
//! no other process uses them, so a file needs neither its own rename nor a second look: six system calls for each
//! file instead of eleven.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;

use super::exclusive::Exclusive;
use super::index::Entry;
use super::interface::Result;
use super::journal::Journal;
use super::key::{CLUSTER_SCOPE, Key};
use super::layout::{COPIED, MAX_FILE, NEW};
use super::scan;
use super::seen::{FileFacts, Mark, Slot, fingerprint};
use super::segment::Segment;
use super::show::{ShownFiles, ToShow};
use super::tree::{Tree, Version, stamp};
use crate::sys::fs::{self, Fs};
use crate::sys::threads::{each, locked};

/// The number of files that one thread writes before it takes more.
const TOGETHER: usize = 32;

/// An object whose file is to be written.
type Object = (Key, Entry);

/// A written file: the position of its object among all, and the facts that identify it.
type Written = (usize, Slot);

impl Exclusive<'_> {
    /// Writes all files of a tree that has none. There is nothing to compare, so the versions of the past are not read,
    /// and two threads write.
    pub(crate) fn show_into_empty_tree(&mut self, entries: Vec<(String, Entry)>) -> Result<()> {
        let objects = entries
            .into_iter()
            .map(|(key, entry)| Ok((Key::parse(&key)?, entry)))
            .collect::<Result<Vec<_>>>()?;
        let mut done = ShownFiles::default();
        if !objects.is_empty() {
            self.keep_reserve()?;
            let segment = self.segment()?;
            let rest = self.show_as_new(&segment, objects, &mut done)?;
            let rest: Vec<ToShow> = rest.into_iter().map(|(k, e)| ToShow::new(k, e)).collect();
            self.show_all(&segment, &rest, &mut done)?;
        }
        // A file that changed while it was written has no fact; the next reader compares its content.
        let unknown: Vec<&str> = done.unknown.iter().map(Key::as_str).collect();
        self.note(&done.facts, &unknown);
        self.journal.publish_projected()?;
        // After the head: until then a second attempt must still find that this is a copy.
        if self.fs().stat(COPIED)?.is_some() {
            self.fs().unlink(COPIED)?;
        }
        for (key, out) in self.edits_among(done.outs)? {
            self.import_racing(&key, &out)?;
        }
        Ok(())
    }

    /// Removes what a process left that died while it wrote a new tree.
    pub(crate) fn remove_unfinished_tree(&self) -> Result<()> {
        if self.fs().stat(NEW)?.is_some() {
            fs::remove_tree(self.fs(), NEW)?;
        }
        Ok(())
    }

    /// Writes the files of whole namespaces. Returns the objects whose files are still to be written.
    fn show_as_new(
        &self,
        segment: &Segment,
        objects: Vec<Object>,
        done: &mut ShownFiles,
    ) -> Result<Vec<Object>> {
        // A directory without files is rare, and belongs to a user.
        if scan::namespaces(scan::list(self.fs(), ".")?)
            .next()
            .is_some()
        {
            return Ok(objects);
        }
        let written = self.write_new_tree(segment, &objects);
        let behind = match &written {
            Ok(_) => self.place_namespaces(&objects),
            Err(_) => BTreeSet::new(),
        };
        // The names are owned, because the objects move.
        let behind: BTreeSet<String> = behind.into_iter().map(str::to_owned).collect();
        // On a full disk as well: its files use space.
        let removed = self.remove_unfinished_tree();
        let written = written?;
        removed?;
        let is_behind = |(key, _): &Object| behind.contains(namespace(key));
        let facts = written
            .into_iter()
            .filter(|(at, _)| !is_behind(&objects[*at]));
        done.facts.extend(facts.map(|(_, fact)| fact));
        Ok(objects.into_iter().filter(is_behind).collect())
    }

    fn write_new_tree(&self, segment: &Segment, objects: &[Object]) -> Result<Vec<Written>> {
        let (fs, tree, time) = (self.fs(), self.tree(), self.head()?.time);
        fs.make_dir(NEW)?;
        for namespace in namespaces(objects) {
            fs.make_dir(&format!("{NEW}/{namespace}"))?;
        }
        let directories: BTreeSet<String> =
            objects.iter().map(|(key, _)| key.directory()).collect();
        for directory in directories {
            fs.make_dir(&format!("{NEW}/{directory}"))?;
        }
        let original = self.store.options.original.as_deref();
        let original = original.map(|fs| Original::new(fs, &self.journal.boot));
        let all = Mutex::new(Vec::with_capacity(objects.len()));
        let parts = objects.chunks(TOGETHER).enumerate();
        each(parts, |(number, part)| -> Result<()> {
            let written = part.iter().enumerate().map(|(at, (key, entry))| {
                let known = original.as_ref().and_then(|own| own.text(key, entry));
                let text = match known {
                    Some(text) => text,
                    None => {
                        let body = Journal::body(segment, entry)?;
                        Text::new(tree.render(key, Version::from_entry(entry, &body))?)
                    }
                };
                let mark = write_new(tree, key, &text, stamp(time, entry.revision))?;
                let fact = Slot::new(key.as_str(), entry, mark);
                Ok((number * TOGETHER + at, fact))
            });
            let written = written.collect::<Result<Vec<Written>>>()?;
            locked(&all).extend(written);
            Ok(())
        })?;
        Ok(all.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Moves the namespaces into the tree. Returns those that stay behind.
    fn place_namespaces<'o>(&self, objects: &'o [Object]) -> BTreeSet<&'o str> {
        let move_in = |namespace: &str| {
            let from = format!("{NEW}/{namespace}");
            self.fs().rename_new(&from, namespace)
        };
        // It has a directory by now, or the file system cannot move directories: file by file is another attempt.
        let stays = |namespace: &&str| move_in(namespace).is_err();
        namespaces(objects).into_iter().filter(stays).collect()
    }
}

/// Returns the first part of the path of an object's file.
fn namespace(key: &Key) -> &str {
    key.namespace().unwrap_or(CLUSTER_SCOPE)
}

fn namespaces(objects: &[Object]) -> BTreeSet<&str> {
    objects.iter().map(|(key, _)| namespace(key)).collect()
}

/// The text of a file.
struct Text {
    bytes: Vec<u8>,
    fingerprint: u64,
}

impl Text {
    fn new(bytes: Vec<u8>) -> Self {
        Self {
            fingerprint: fingerprint(&bytes),
            bytes,
        }
    }
}

/// The directory that this one is a copy of. Reading and emitting the objects took 40 % of the CPU time of a fork, and a
/// copied text needs neither.
struct Original<'f> {
    fs: &'f dyn Fs,
    seen: Mutex<FileFacts<'f>>,
}

impl<'f> Original<'f> {
    fn new(fs: &'f dyn Fs, boot: &str) -> Self {
        Self {
            fs,
            seen: Mutex::new(FileFacts::new(fs, boot)),
        }
    }

    /// Returns the text of an object's file, if it is the one that ctl wrote for this version.
    fn text(&self, key: &Key, entry: &Entry) -> Option<Text> {
        let known = locked(&self.seen).text_of(key.as_str(), entry)?;
        let text = Text::new(fs::read_all(self.fs, &key.path(), MAX_FILE).ok()?);
        // A hand edit may replace the file at any moment, so the text that was read decides.
        (text.fingerprint == known).then_some(text)
    }
}

/// Writes the file of an object into the new tree.
fn write_new(tree: Tree<'_>, key: &Key, text: &Text, stamp: Timestamp) -> Result<Mark> {
    let file = tree.fs.create(&format!("{NEW}/{}", key.path()))?;
    file.write_at(&text.bytes, 0)?;
    // Of use only until the clock of the file system is known to be fine.
    let before = match tree.fine_times.load(Ordering::Relaxed) {
        true => None,
        false => Some(file.stat()?),
    };
    file.set_modified(stamp)?;
    let after = file.stat()?;
    let mark = Mark::put(&before.unwrap_or(after), &after, text.fingerprint);
    Ok(tree.settled(mark))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::contract::Store as _;
    use crate::files::FileStore;
    use crate::interface::{Batch, Cause, Expect, Op};
    use crate::key::Range;
    use crate::layout::SETTINGS;
    use crate::options::Options;
    use crate::settings::{ClockMode, Settings};
    use crate::sys::entropy::Seed;
    use crate::sys::fs::{Access, FileKind};
    use crate::sys::sim_fs::{Dice, SimFs};

    const OBJECTS: usize = 40;

    fn open(fs: &SimFs) -> Result<FileStore> {
        let settings = Settings {
            clock: ClockMode::Virtual,
            ..Settings::new(Seed(1))
        };
        FileStore::open_or_create(Arc::new(fs.clone()), Options::default(), settings)
    }

    fn keys() -> Vec<Key> {
        let name = |number: usize| format!("a{number:02}");
        let key = |number: usize| match number % 4 {
            0 => Key::new("nodes", None, &name(number)),
            1 => Key::new("pods", Some("one"), &name(number)),
            2 => Key::new("configmaps", Some("one"), &name(number)),
            _ => Key::new("pods", Some("two"), &name(number)),
        };
        (0..OBJECTS).map(|number| key(number).unwrap()).collect()
    }

    /// Makes everything in a directory durable.
    fn sync(fs: &SimFs, path: &str) {
        for entry in fs.list(path).unwrap() {
            let path = format!("{path}/{}", entry.name);
            match entry.stat.kind {
                FileKind::Directory => sync(fs, &path),
                _ => fs.open(&path, Access::Write).unwrap().sync_data().unwrap(),
            }
        }
        fs.sync_dir(path).unwrap();
    }

    /// Returns a cluster, its journal without the tree, as in a fork, and its revision.
    fn original_and_fork() -> (SimFs, SimFs, u64) {
        let first = SimFs::new();
        let original = open(&first).unwrap();
        let put = |key: Key| {
            let json = format!(r#"{{"metadata":{{"name":"{}"}}}}"#, key.name());
            Op::put(key, json.into_bytes(), Expect::Absent)
        };
        let batch = Batch::new(keys().into_iter().map(put).collect());
        let committed = original.commit(&Cause::new("w", "r"), batch).unwrap();
        let fork = SimFs::new();
        // The inodes differ from those of the original.
        for number in 0..OBJECTS {
            let path = format!("other-{number}");
            fork.create(&path).unwrap();
            fork.unlink(&path).unwrap();
        }
        original.copy_files(&fork, None).unwrap();
        let settings = fork.open(SETTINGS, Access::Write).unwrap();
        settings.sync_data().unwrap();
        fork.sync_dir(".").unwrap();
        sync(&fork, ".ctl");
        (first, fork, committed.revision)
    }

    fn fork() -> (SimFs, u64) {
        let (_, fork, revision) = original_and_fork();
        (fork, revision)
    }

    /// Opens a directory as the next command does; the tree is complete then, without leftovers and edits.
    fn check(fs: &SimFs, revision: u64) {
        let store = open(fs).unwrap();
        drop(store.exclusive(None).unwrap());
        assert_eq!(store.list(&Range::all()).unwrap().items.len(), OBJECTS);
        assert_eq!(store.revision().unwrap(), revision);
        for key in keys() {
            assert!(fs.stat(&key.path()).unwrap().is_some(), "{key}");
        }
        assert!(fs.stat(NEW).unwrap().is_none());
        let report = store.check_all(true).unwrap();
        assert!(report.problems.is_empty(), "{report:?}");
    }

    #[test]
    fn tree_of_a_fork_is_complete_after_a_crash_at_any_call() {
        let (fs, revision) = fork();
        fs.record();
        check(&fs, revision);
        let states = fs.take_recording();
        assert!(states.len() > 2 * OBJECTS, "{}", states.len());
        let mut dice = Dice(7);
        for state in states {
            check(&SimFs::on(state.clone()), revision);
            for image in state.power_images(1, &mut dice) {
                check(&SimFs::on(image), revision);
            }
        }
    }

    #[test]
    fn directory_of_a_user_stays_and_gets_its_files() {
        let (fs, revision) = fork();
        fs.make_dir("one").unwrap();
        fs.make_dir("one/own").unwrap();
        check(&fs, revision);
        assert!(fs.stat("one/own").unwrap().is_some());
    }

    #[test]
    fn files_of_the_original_are_copied_unless_they_were_edited() {
        let text = |fs: &SimFs, key: &Key| fs::read_all(fs, &key.path(), MAX_FILE).unwrap();
        let (original, fs, revision) = original_and_fork();
        let texts: Vec<Vec<u8>> = keys().iter().map(|key| text(&original, key)).collect();
        let edited = &keys()[1];
        let file = original.open(&edited.path(), Access::Write).unwrap();
        file.write_at(b"a: 1 # edited", 0).unwrap();
        let options = Options {
            original: Some(Arc::new(original.clone())),
            ..Options::default()
        };
        let store = FileStore::open(Arc::new(fs.clone()), options).unwrap();
        let exclusive = store.exclusive(None).unwrap();
        let own = Original::new(&original, &exclusive.journal.boot);
        for key in keys() {
            let entry = exclusive.journal.index.get(key.as_str()).unwrap();
            let copied = own.text(&key, &entry);
            assert_eq!(copied.is_some(), key != *edited, "{key}");
            let other = Entry {
                revision: entry.revision + 1,
                ..entry
            };
            assert!(own.text(&key, &other).is_none(), "{key}");
        }
        drop(exclusive);
        for (key, text_before) in keys().iter().zip(texts) {
            assert_eq!(text(&fs, key), text_before, "{key}");
        }
        check(&fs, revision);
    }
}
