//! Reads that wait for no writer: the published revision, and whether a range has changed.

use super::files::FileStore;
use super::interface::Result;
use super::key::Range;
use super::revision::Revision;
use super::scan;
use super::seen::{Mark, fingerprint};
use crate::sys::fs::Entry;

impl FileStore {
    /// Returns the revision that is published.
    pub(crate) fn published_revision(&self) -> Result<Revision> {
        // A group of commits holds the journal's mutex until it is synced. Waiting for it here would keep the next
        // requests of a server out of the group.
        if let Some(head) = self.unlocked.head.read()?
            && self.unlocked.changes.contain(&head)
        {
            return Ok(head.revision);
        }
        Ok(self.reading()?.head.revision)
    }

    /// Returns numbers that are equal as long as no object of a resource in one namespace changes, by a commit or by a
    /// hand edit; `None` if that is unknown.
    pub(crate) fn mark_of(&self, range: &Range) -> Result<Option<[u64; 3]>> {
        let Some(directory) = range.directory() else {
            return Ok(None);
        };
        self.import_held()?;
        let Some(files) = self.state_of(scan::list(&*self.fs, &directory)?) else {
            return Ok(None);
        };
        if self.unlocked.directories.lock().get(&directory) != Some(&files) {
            let suspects = {
                let reading = self.reading()?;
                scan::suspects_in(&*self.fs, reading.journal.expected(), &directory)?
            };
            // Edits that are not imported yet must be found again by the next reader.
            if !suspects.is_empty() {
                return Ok(None);
            }
            let mut directories = self.unlocked.directories.lock();
            directories.insert(directory, files);
        }
        let changes = &self.unlocked.changes;
        let head = self.unlocked.head.read()?;
        if !head.is_some_and(|head| changes.contain(&head)) {
            // Another process has committed. Reading takes its changes into account.
            drop(self.reading()?);
        }
        // After the head: they may be newer than it, which costs a look, but never older.
        let [resets, last] = changes.of(range.as_str());
        Ok(Some([resets, last, files]))
    }

    /// Returns a number for the state of files, unless a file could change without another one.
    fn state_of(&self, mut entries: Vec<Entry>) -> Option<u64> {
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let now = self.fs.wall_clock();
        let mut text = String::new();
        for Entry { name, stat } in &entries {
            if !Mark::read(stat, 0, now).settled {
                return None;
            }
            let changed = stat.changed.as_nanosecond();
            text.push_str(&format!("{name}/{}/{changed}/", stat.inode));
        }
        Some(fingerprint(text.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;
    use crate::contract::Store as _;
    use crate::interface::{Batch, Cause, Expect, Op};
    use crate::key::Key;
    use crate::options::Options;
    use crate::settings::Settings;
    use crate::sys::clock::Stopwatch;
    use crate::sys::entropy::Seed;
    use crate::sys::real_fs::RealFs;

    /// Longer than anything here takes on a slow machine.
    const PATIENCE: Duration = Duration::from_secs(60);

    fn store(path: &Path) -> FileStore {
        let fs = RealFs::create(path).unwrap();
        FileStore::open_or_create(Arc::new(fs), Options::default(), Settings::new(Seed(1))).unwrap()
    }

    fn put(resource: &str, value: &str) -> Batch {
        let key = Key::new(resource, Some("default"), "a").unwrap();
        let json = format!(
            r#"{{"apiVersion":"v1","data":{{"v":"{value}"}},"kind":"ConfigMap","metadata":{{"name":"a","namespace":"default"}}}}"#
        );
        Batch::new(vec![Op::put(key, json.into_bytes(), Expect::Any)])
    }

    fn commit(store: &FileStore, resource: &str, value: &str) {
        let cause = Cause::new("w", "r");
        store.commit(&cause, put(resource, value)).unwrap();
    }

    fn boats() -> Range {
        Range::resource("boats", Some("default"))
    }

    /// Returns the mark as soon as no file could change without changing it.
    fn mark(store: &FileStore) -> [u64; 3] {
        let stopwatch = Stopwatch::start();
        loop {
            if let Some(mark) = store.mark(&boats()).unwrap() {
                return mark;
            }
            assert!(stopwatch.elapsed() < PATIENCE, "the files never settle");
            std::thread::yield_now();
        }
    }

    #[test]
    fn mark_changes_with_its_resource_whoever_changes_it() {
        let directory = tempfile::tempdir().unwrap();
        let (own, other) = (store(directory.path()), store(directory.path()));
        commit(&own, "configmaps", "1");
        let none = mark(&own);
        commit(&own, "configmaps", "2");
        commit(&other, "configmaps", "3");
        assert_eq!(mark(&own), none, "no boat has changed");
        commit(&own, "boats", "1");
        let first = mark(&own);
        commit(&other, "boats", "2");
        let second = mark(&own);
        assert!(first != none && second != first);
        assert_eq!(mark(&own), second);
        let path = directory.path().join("default/boats/a.yaml");
        let text = std::fs::read_to_string(&path).unwrap();
        let mut file = std::fs::File::create(&path).unwrap();
        let edited = text.replace("\"2\"", "\"3\"");
        file.write_all(edited.as_bytes()).unwrap();
        drop(file);
        assert_ne!(own.mark(&boats()).unwrap(), Some(second));
        let boat = own.list(&boats()).unwrap().items.remove(0);
        assert!(String::from_utf8_lossy(&boat.json).contains("\"3\""));
        assert_ne!(mark(&own), second);
    }

    #[test]
    fn reads_of_the_revision_wait_for_no_commit() {
        let directory = tempfile::tempdir().unwrap();
        let store = store(directory.path());
        commit(&store, "boats", "1");
        let (before, marked) = (store.revision().unwrap(), mark(&store));
        assert!(store.is_idle());
        std::thread::scope(|scope| {
            let done = store.transact(&Cause::new("w", "r"), &mut |_| {
                let (send, receive) = channel();
                let store = &store;
                scope.spawn(move || {
                    let read = (store.revision(), store.mark(&boats()), store.is_idle());
                    assert!(send.send(read).is_ok(), "the commit has waited in vain");
                });
                let read = receive.recv_timeout(PATIENCE);
                let (revision, mark, is_idle) = read.expect("a read waits for this commit");
                assert_eq!((revision?, mark?), (before, Some(marked)));
                assert!(!is_idle);
                Ok(Some(put("boats", "2")))
            });
            assert_eq!(done.unwrap().unwrap().revision, before + 1);
        });
        assert_eq!(store.revision().unwrap(), before + 1);
        assert_ne!(mark(&store), marked);
    }
}
