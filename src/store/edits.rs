//! Noticing hand edits as they are made, for programs that run for a while.
//!
//! The machine's notifications say where to look; what is there is told by stat, as everywhere
//! else. Nothing hangs on a notification: everything is looked at again every few seconds, when
//! some were lost, and twice a second where there are none.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::files::FileStore;
use super::interface::Result;
use super::key::{Key, Range};
use super::scan::{self, Suspect};
use crate::sys::clock::Stopwatch;
use crate::sys::notify::{Wake, Watch};

/// Everything is looked at this often, whatever was heard.
const SCAN_EVERY: Duration = Duration::from_secs(5);

/// The same where the machine does not tell of changes.
const SCAN_WITHOUT_EVENTS: Duration = Duration::from_millis(500);

/// A file that somebody still writes is looked at again after this long.
const AGAIN: Duration = Duration::from_millis(100);

/// Watches the YAML tree and imports what people change in it.
#[derive(Debug)]
pub struct EditWatch<'s> {
    store: &'s FileStore,
    root: PathBuf,
    watch: Watch,
    /// Namespace directories that are subscribed to.
    namespaces: BTreeSet<String>,
    /// Paths that were not finished when they were looked at.
    later: BTreeSet<String>,
    scanned: Stopwatch,
    scan_now: bool,
}

impl FileStore {
    /// Begins to watch for hand edits. Says so once where it can only poll.
    pub fn watch_edits(&self) -> EditWatch<'_> {
        let root = self.options.path.clone().unwrap_or_default();
        let root = root.canonicalize().unwrap_or(root);
        // Without what is below: `.ctl` is nobody's edit.
        let watch = Watch::new(std::slice::from_ref(&root), false);
        if let Some(reason) = watch.failure() {
            self.say(&format!("hand edits are looked for every 500 ms: {reason}"));
        }
        EditWatch {
            store: self,
            root,
            watch,
            namespaces: BTreeSet::new(),
            later: BTreeSet::new(),
            scanned: Stopwatch::start(),
            scan_now: true,
        }
    }
}

impl EditWatch<'_> {
    /// Waits for hand edits, for at most `timeout`, and imports them; answers whether objects may
    /// have changed.
    ///
    /// # Errors
    /// Where the store cannot be read or written.
    pub fn step(&mut self, timeout: Duration) -> Result<bool> {
        self.subscribe();
        let deaf = self.watch.failure().is_some();
        let interval = if deaf {
            SCAN_WITHOUT_EVENTS
        } else {
            SCAN_EVERY
        };
        let until_scan = interval.saturating_sub(self.scanned.elapsed());
        let mut wait = timeout.min(until_scan);
        if !self.later.is_empty() {
            wait = wait.min(AGAIN);
        }
        if self.scan_now {
            wait = Duration::ZERO;
        }
        let mut paths = std::mem::take(&mut self.later);
        match self.watch.wait(wait) {
            Wake::Changed(changed) => {
                for path in changed {
                    paths.extend(self.place(&path));
                    // A namespace directory that was made again needs a new subscription.
                    if let Ok(name) = path.strip_prefix(&self.root) {
                        self.namespaces.remove(&*name.to_string_lossy());
                    }
                }
            }
            Wake::Rescan => self.scan_now = true,
            Wake::Timeout => {}
        }
        if self.scan_now || self.scanned.elapsed() >= interval {
            return self.scan();
        }
        self.look(&paths)
    }

    /// Subscribes to namespace directories that are new.
    fn subscribe(&mut self) {
        if self.watch.failure().is_some() {
            return;
        }
        let entries = self.store.fs.list(".").unwrap_or_default();
        let found: BTreeSet<String> = scan::namespaces(entries).collect();
        for namespace in found.difference(&self.namespaces) {
            self.watch.add(&self.root.join(namespace));
            // Files may have been put into it before.
            self.scan_now = true;
        }
        self.namespaces = found;
        if let Some(reason) = self.watch.failure() {
            self.store
                .say(&format!("hand edits are looked for every 500 ms: {reason}"));
        }
    }

    /// The path of an event, where it can be an object's file or a directory of such.
    fn place(&self, path: &Path) -> Option<String> {
        let relative = path.strip_prefix(&self.root).ok()?.to_str()?;
        let hidden = relative.split('/').any(|part| part.starts_with('.'));
        let depth = relative.split('/').count();
        let wanted = depth == 2 || (depth == 3 && relative.ends_with(".yaml"));
        (wanted && !hidden).then(|| relative.to_owned())
    }

    fn scan(&mut self) -> Result<bool> {
        self.scan_now = false;
        self.scanned = Stopwatch::start();
        let suspects = {
            let reading = self.store.reading()?;
            scan::suspects(&*self.store.fs, reading.journal.expected(), &Range::all())?
        };
        self.import(&suspects)
    }

    /// Looks at paths that something happened to.
    fn look(&mut self, paths: &BTreeSet<String>) -> Result<bool> {
        if paths.is_empty() {
            return Ok(false);
        }
        let mut suspects = Vec::new();
        {
            let reading = self.store.reading()?;
            let expected = reading.journal.expected();
            for path in paths {
                let found = match (path.matches('/').count(), Key::from_path(path)) {
                    (2, Ok(Some(key))) => {
                        suspects.extend(scan::suspect(&*self.store.fs, expected, &key)?);
                        continue;
                    }
                    // A new directory, or a name that only the content explains.
                    (1, _) => scan::suspects_in(&*self.store.fs, expected, path)?,
                    _ => {
                        let (directory, _) = path.rsplit_once('/').unwrap_or_default();
                        let all = scan::suspects_in(&*self.store.fs, expected, directory)?;
                        all.into_iter().filter(|s| s.path == *path).collect()
                    }
                };
                suspects.extend(found);
            }
        }
        // A file may have come by itself and with its directory.
        suspects.sort_by(|a: &Suspect, b| a.path.cmp(&b.path));
        suspects.dedup_by(|a, b| a.path == b.path);
        self.import(&suspects)
    }

    /// Imports, and keeps in mind what was not finished.
    fn import(&mut self, suspects: &[Suspect]) -> Result<bool> {
        if suspects.is_empty() {
            return Ok(false);
        }
        let changed = self.store.import(suspects)?;
        let reading = self.store.reading()?;
        for suspect in suspects.iter().filter(|s| !s.missing) {
            let open = match &suspect.key {
                Some(key) => {
                    let now = scan::suspect(&*self.store.fs, reading.journal.expected(), key)?;
                    now.is_some_and(|now| !now.missing)
                }
                None => self.store.fs.stat(&suspect.path)?.is_some(),
            };
            if open {
                self.later.insert(suspect.path.clone());
            }
        }
        Ok(changed)
    }
}
