//! Notices hand edits as they are made, for all waiting threads.
//!
//! The threads of a process that wait for commits share one listener (`listener.rs`): the thread that holds it sleeps
//! until the machine reports a change, and imports the edits. Commands that never wait never start it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::error::one_line;
use super::files::FileStore;
use super::interface::Result;
use super::key::{Key, Range};
use super::listener::NoticedChanges;
use super::scan::{self, Suspect};
use crate::sys::clock::Stopwatch;

/// With more changed files than this, a directory is compared as a whole: one call per file instead of three.
const MANY: usize = 256;

/// The time that an import waits for the lock.
const PATIENCE: Duration = Duration::from_millis(200);

impl FileStore {
    /// Imports the changes that were found; returns true if objects may have changed. A failure is reported, and the
    /// changes are checked again: waiting threads may still read.
    pub(crate) fn take_in(&self, mut found: NoticedChanges) -> bool {
        let held = self.import_held().unwrap_or_else(|e| {
            self.say_once(format!("hand edits were not imported: {}", one_line(&e)));
            false
        });
        // Back-off applies to notifications as well, so that an editor that saves every millisecond costs one import
        // per wait.
        self.wakeup.edits().join(&mut found);
        if found.is_nothing() {
            return held;
        }
        let imported = self.try_take_in(&found).unwrap_or_else(|e| {
            self.say_once(format!("hand edits were not imported: {}", one_line(&e)));
            let mut edits = self.wakeup.edits();
            // A failed scan is repeated as a scan; single paths are retried one by one.
            edits.rescan |= found.all;
            found
                .paths
                .iter()
                .for_each(|path| edits.is_unfinished(path));
            false
        });
        held || imported
    }

    fn try_take_in(&self, found: &NoticedChanges) -> Result<bool> {
        let (mut suspects, mut missing) = (Vec::new(), None);
        if found.all {
            suspects = self.scan_everything()?;
            missing = Some(self.set_aside_known_missing(&mut suspects));
        } else {
            for path in grouped(&found.paths) {
                suspects.extend(self.suspects_at(path)?);
            }
            // A file may be listed by itself and with its directory.
            suspects.sort_by(|a: &Suspect, b| a.path.cmp(&b.path));
            suspects.dedup_by(|a, b| a.path == b.path);
        }
        let imported = match suspects.as_slice() {
            [] => Some(0),
            suspects => self.try_import(suspects, Some(PATIENCE))?,
        };
        let (mut open, mut still_missing) = (Vec::new(), BTreeSet::new());
        for Suspect { path, missing, .. } in &suspects {
            if imported.is_none() {
                open.push(path);
            } else if self.suspects_at(path)?.iter().any(|s| s.path == *path) {
                // A missing file cannot be half-written. The guard against mass loss holds back too many missing files,
                // and each scan would find them again.
                match missing {
                    true => drop(still_missing.insert(path.clone())),
                    false => open.push(path),
                }
            }
        }
        let mut edits = self.wakeup.edits();
        let looked_at = |path: &String| found.all || found.paths.contains(path);
        edits
            .unfinished
            // Only checked files are settled; others keep their back-off.
            .retain(|path, _| !looked_at(path) || open.contains(&path));
        open.into_iter().for_each(|path| edits.is_unfinished(path));
        // Remembered, so that the same loss is reported once and not at each scan.
        if let Some(known) = missing {
            edits.missing = known.into_iter().chain(still_missing).collect();
        }
        Ok(imported.is_some_and(|n| n > 0))
    }

    fn scan_everything(&self) -> Result<Vec<Suspect>> {
        let took = Stopwatch::start();
        let suspects = {
            let reading = self.reading()?;
            // The lock for reading is held only for the scan: the duration is recorded without it.
            scan::suspects(&*self.fs, reading.journal.expected(), &Range::all())?
        };
        self.wakeup.edits().scan = took.elapsed();
        Ok(suspects)
    }

    /// Excludes the missing files if the same ones were missing before and did not count as removals then; returns
    /// them.
    fn set_aside_known_missing(&self, suspects: &mut Vec<Suspect>) -> BTreeSet<String> {
        let missing = suspects.iter().filter(|s| s.missing);
        let missing: BTreeSet<String> = missing.map(|s| s.path.clone()).collect();
        // A change in the set indicates a new event, so all are judged again.
        if missing != self.wakeup.edits().missing {
            return BTreeSet::new();
        }
        suspects.retain(|suspect| !suspect.missing);
        missing
    }

    /// Returns true if a file is one that this process has written itself.
    fn is_own(&self, path: &str) -> Result<bool> {
        // Each of the process's own commits causes a notification, while the journal may be busy with the next one.
        let Ok(Some(key)) = Key::from_path(path) else {
            return Ok(false);
        };
        let stat = self.fs.quick_stat(path)?;
        Ok(stat.is_some_and(|stat| self.unlocked.files.contain(key.as_str(), &stat)))
    }

    /// Looks at a path that something happened to: a file, or a directory `NAMESPACE/RESOURCE`.
    fn suspects_at(&self, path: &str) -> Result<Vec<Suspect>> {
        if self.is_own(path)? {
            return Ok(Vec::new());
        }
        // Writers of this process wait for this, so it checks one path at a time.
        let reading = self.reading()?;
        let expected = reading.journal.expected();
        match (path.matches('/').count(), Key::from_path(path)) {
            (2, Ok(Some(key))) => Ok(scan::check_file(&*self.fs, expected, &key)?
                .into_iter()
                .collect()),
            (1, _) => scan::suspects_in(&*self.fs, expected, path),
            // The name alone does not identify the object, only the content does.
            _ => {
                let (directory, _) = path.rsplit_once('/').unwrap_or_default();
                let mut all = scan::suspects_in(&*self.fs, expected, directory)?;
                all.retain(|suspect| suspect.path == path);
                Ok(all)
            }
        }
    }
}

/// Returns the paths to check, with a directory in place of very many files in it.
fn grouped(paths: &BTreeSet<String>) -> Vec<&str> {
    let mut files: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for path in paths {
        let directory = match path.matches('/').count() {
            2 => path.rsplit_once('/').map_or("", |(directory, _)| directory),
            _ => path,
        };
        files.entry(directory).or_default().push(path);
    }
    let groups = files.into_iter().flat_map(|(directory, files)| {
        // A listing with one call per file is cheaper than three calls per changed file.
        let whole = files.len() > MANY || files.contains(&directory);
        if whole { vec![directory] } else { files }
    });
    groups.collect()
}
