//! The listener of a process: it receives notifications of changes in the state directory and finds changes without
//! notifications.
//!
//! Correctness does not depend on notifications. Every two seconds the directories are compared with their last state
//! (an editor that renames, a new file and a removed one change theirs), and occasionally every file is, because a
//! write through a memory map causes no notification. Without any notifications, every file is checked up to twice a
//! second. The interval of scans grows with the duration of the last one, so that a large tree uses no more CPU than a
//! small one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::layout::{DOT, HEAD};
use super::scan;
use super::wakeup::Wakeup;
use crate::sys::clock::Stopwatch;
use crate::sys::fs::{Fs, Stat};
use crate::sys::notify::{Wake, Watch};

/// The interval at which directories are compared with their last state.
const TOUR: Duration = Duration::from_secs(2);

/// Every file is checked at this interval, or at a longer one if there are many.
const SWEEP: Duration = Duration::from_secs(60);

/// A sweep takes at most this part of the time between two.
const SWEEP_SHARE: u32 = 5000;

/// Without notifications, every file is checked at this interval ...
const SCAN: Duration = Duration::from_millis(500);

/// ... or this often if there are many ...
const SLOWEST_SCAN: Duration = Duration::from_secs(2);

/// ... which is when a scan takes more than this part of the time between two.
const SCAN_SHARE: u32 = 50;

/// The interval after which a file that is still being written is checked again; it doubles each time.
const AGAIN: Duration = Duration::from_millis(100);

/// The number of times that the interval doubles.
const DOUBLINGS: u32 = 8;

/// The interval at which a busy loop checks for edits.
const BUSY: Duration = Duration::from_millis(200);

/// A directory that changed less than this ago may change again without another time of change.
const GRAIN: Duration = Duration::from_millis(20);

/// The changes that a listener heard of or found by itself.
#[derive(Debug, Default)]
pub(crate) struct NoticedChanges {
    /// Something may have been committed.
    pub(crate) head: bool,
    /// Files, and directories whose files are to be compared.
    pub(crate) paths: BTreeSet<String>,
    /// Every file must be checked.
    pub(crate) all: bool,
}

impl NoticedChanges {
    pub(crate) fn is_nothing(&self) -> bool {
        self.paths.is_empty() && !self.all
    }
}

/// State that the importing threads share.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    /// Files that were incomplete at a check, with the time of the first check and the number of checks.
    pub(crate) unfinished: BTreeMap<String, (Stopwatch, u32)>,
    /// The duration of the last scan of every file.
    pub(crate) scan: Duration,
    /// Files that were missing in the last scan and stayed so: too many for removals.
    pub(crate) missing: BTreeSet<String>,
    /// The last scan failed.
    pub(crate) rescan: bool,
    /// The last time that a thread listened, or first requested to.
    heard: Option<Stopwatch>,
}

impl Edits {
    /// The time until the next unfinished file is due.
    pub(crate) fn due(&self) -> Option<Duration> {
        // Exponential back-off, as controllers retry a failing key: a file that stays open for hours is checked ever
        // more rarely.
        let due = |(since, tries): &(Stopwatch, u32)| {
            let wait = AGAIN * 2_u32.pow((*tries).min(DOUBLINGS));
            wait.saturating_sub(since.elapsed())
        };
        self.unfinished.values().map(due).min()
    }

    /// Adds the unfinished files that are due to the found changes, and removes those that are not due.
    pub(crate) fn join(&mut self, found: &mut NoticedChanges) {
        for (path, (since, tries)) in &mut self.unfinished {
            // Its writer is at work: no reason to be patient.
            if found.paths.contains(path) {
                *tries = 0;
            }
            if since.elapsed() >= AGAIN * 2_u32.pow((*tries).min(DOUBLINGS)) {
                found.paths.insert(path.clone());
            } else {
                found.paths.remove(path);
            }
        }
    }

    /// Returns true if the listener ran a moment ago. A loop that has just begun counts too: most
    /// are over before a subscription would pay.
    pub(crate) fn was_just_listened(&mut self) -> bool {
        self.heard.get_or_insert_with(Stopwatch::start).elapsed() < BUSY
    }

    pub(crate) fn is_unfinished(&mut self, path: &str) {
        let now = Stopwatch::start();
        let place = self.unfinished.entry(path.to_owned());
        // Restarted at each check: the wait counts from the last one, not from the first.
        let place = place.and_modify(|(since, tries)| (*since, *tries) = (now, *tries + 1));
        place.or_insert((now, 0));
    }
}

/// The state of a directory when its files were last compared.
#[derive(Clone, Copy, Debug)]
struct DirectoryState {
    stat: Stat,
    /// True if another change would get another time.
    is_settled: bool,
}

/// The subscription of a process to its state directory.
#[derive(Debug)]
pub(crate) struct Listener {
    watch: Watch,
    /// The state directory; `None` if its path is unknown.
    root: Option<PathBuf>,
    /// The directories that are subscribed to: `.`, namespaces and `NAMESPACE/RESOURCE`.
    directories: BTreeMap<String, Option<DirectoryState>>,
    /// Those whose entries are to be listed again.
    outdated: BTreeSet<String>,
    toured: Stopwatch,
    swept: Stopwatch,
    /// Every file must be checked now.
    all: bool,
    told: bool,
}

impl Listener {
    /// Subscribes to a state directory.
    pub(crate) fn new(path: Option<&Path>) -> Self {
        // Canonical, because notifications contain canonical paths.
        let root = path.map(|path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf()));
        let paths: Vec<PathBuf> = root
            .iter()
            .flat_map(|root| [root.join(HEAD), root.clone()])
            .collect();
        Self {
            watch: Watch::new(&paths),
            // The first pass checks everything, because earlier changes caused no notification.
            all: root.is_some(),
            outdated: root.iter().map(|_| ".".to_owned()).collect(),
            root,
            directories: BTreeMap::new(),
            toured: Stopwatch::start(),
            swept: Stopwatch::start(),
            told: false,
        }
    }

    /// Returns the reason why notifications are incomplete, if they are.
    fn failure(&self) -> Option<&str> {
        match &self.root {
            Some(_) => self.watch.failure(),
            None => Some("the path of the state directory is not known"),
        }
    }

    /// Sleeps until a change, for at most `timeout`; without notifications, for at most `poll`.
    pub(crate) fn listen(
        &mut self,
        wakeup: &Wakeup,
        fs: &dyn Fs,
        say: &dyn Fn(&str),
        timeout: Duration,
        poll: Duration,
    ) -> NoticedChanges {
        let mut found = NoticedChanges::default();
        let deaf = self.failure().is_some();
        let (scan, failed) = {
            let mut edits = wakeup.edits();
            edits.heard = Some(Stopwatch::start());
            (edits.scan, std::mem::take(&mut edits.rescan))
        };
        self.all |= failed;
        // Proportional to the last scan, so that scanning takes a bounded share of a processor
        // however large the tree is.
        let every = match deaf {
            true => (scan * SCAN_SHARE).clamp(SCAN, SLOWEST_SCAN),
            false => (scan * SWEEP_SHARE).max(SWEEP),
        };
        // With known work there is no wait.
        if !self.all && self.outdated.is_empty() {
            let mut wait = timeout.min(TOUR.saturating_sub(self.toured.elapsed()));
            if deaf {
                wait = wait
                    .min(poll)
                    .min(every.saturating_sub(self.swept.elapsed()));
            }
            match self.watch.wait(wait) {
                Wake::Changed(paths) => {
                    paths.iter().for_each(|path| self.sort(path, &mut found));
                }
                // Notifications were lost: the kernel's queue is bounded. Only a comparison of
                // everything is right now.
                Wake::Rescan => (self.all, found.head) = (true, true),
                Wake::Timeout => found.head = deaf,
            }
        }
        if self.root.is_none() {
            return found;
        }
        // Finds changes that the kernel does not report by name; without notifications the scans do that.
        if !deaf && self.toured.elapsed() >= TOUR {
            self.tour(fs, &mut found);
        }
        // After the wait: directories that the notifications named are subscribed to before their
        // files are read.
        self.subscribe(fs, &mut found);
        if self.all || self.swept.elapsed() >= every {
            (self.all, found.all) = (false, true);
            self.swept = Stopwatch::start();
        }
        self.tell_failure(say);
        found
    }

    fn tell_failure(&mut self, say: &dyn Fn(&str)) {
        if let Some(reason) = self.failure()
            && !self.told
        {
            say(&format!(
                "without file notifications, ctl checks for changes every 250 ms and for hand edits every 500 ms \
                 (every 2 s if there are very many files): {reason}"
            ));
            self.told = true;
        }
    }

    /// Sorts the path of a notification: the head, an object's file, or a directory of such.
    fn sort(&mut self, path: &Path, found: &mut NoticedChanges) {
        // Not below the root, or not UTF-8: no object's file.
        let Some(root) = &self.root else { return };
        let Some(relative) = path.strip_prefix(root).ok().and_then(Path::to_str) else {
            return;
        };
        if relative == HEAD {
            found.head = true;
        } else if relative == DOT {
            // Another journal may have replaced it.
            self.watch.add(&root.join(HEAD));
            found.head = true;
        } else if relative.is_empty() {
            self.outdated.insert(".".to_owned());
        // Hidden directories are never namespaces: `.ctl`, `.git` and editors' own.
        } else if !relative.split('/').any(|part| part.starts_with('.')) {
            match relative.rsplit_once('/') {
                None => self.is_outdated(relative, ".", found),
                Some((parent, _)) if !parent.contains('/') => {
                    self.is_outdated(relative, parent, found);
                }
                Some(_) if relative.ends_with(".yaml") => {
                    found.paths.insert(relative.to_owned());
                }
                Some(_) => {}
            }
        }
    }

    /// Records that a directory was added, removed or replaced.
    fn is_outdated(&mut self, path: &str, parent: &str, found: &mut NoticedChanges) {
        // Dropped and listed again rather than renamed, because a notification does not distinguish a moved directory
        // from a new one.
        self.forget(path, found);
        self.outdated.insert(parent.to_owned());
    }

    /// Drops a directory and its subdirectories; their files are compared, to find the removed ones.
    fn forget(&mut self, path: &str, found: &mut NoticedChanges) {
        let below = format!("{path}/");
        self.directories.retain(|at, _| {
            let is_lost = *at == path || at.starts_with(&below);
            if is_lost && at.contains('/') {
                found.paths.insert(at.clone());
            }
            !is_lost
        });
    }

    /// Compares the directories with their last state, without checking their files.
    fn tour(&mut self, fs: &dyn Fs, found: &mut NoticedChanges) {
        self.toured = Stopwatch::start();
        let mut others = Vec::new();
        for (path, seen) in &mut self.directories {
            let Ok(now) = fs.stat(path) else { continue };
            let same = match (&now, &seen) {
                // A change within the clock's granularity after the last check does not change the time, so such a
                // directory is compared again.
                (Some(now), Some(seen)) => seen.is_settled && *now == seen.stat,
                _ => false,
            };
            if same {
                continue;
            }
            let is_known = match (&now, &seen) {
                (Some(now), Some(seen)) => {
                    (now.inode, now.device) == (seen.stat.inode, seen.stat.device)
                }
                _ => path == ".",
            };
            // Namespaces list their resources, resource directories list their files.
            match (is_known, path.contains('/')) {
                (true, true) => drop(found.paths.insert(path.clone())),
                (true, false) => drop(self.outdated.insert(path.clone())),
                (false, _) => others.push(path.clone()),
            }
            *seen = now.map(|stat| settled(fs, stat));
        }
        // Outside of the loop, which borrows the directories.
        for path in others {
            match path.rsplit_once('/') {
                Some((parent, _)) => self.is_outdated(&path, parent, found),
                None => self.is_outdated(&path, ".", found),
            }
        }
    }

    /// Lists the directories that may have new subdirectories, subscribes to those, and compares the files of added or
    /// removed ones.
    fn subscribe(&mut self, fs: &dyn Fs, found: &mut NoticedChanges) {
        while let Some(parent) = self.outdated.pop_first() {
            let prefix = match parent.as_str() {
                "." => String::new(),
                parent => format!("{parent}/"),
            };
            // The subscription precedes the check, so that no change in between is missed.
            if parent == "." && !self.directories.contains_key(".") {
                self.directories.insert(parent.clone(), None);
            }
            let entries = fs.list(&parent).unwrap_or_default();
            let there: BTreeSet<String> = scan::namespaces(entries)
                .map(|name| format!("{prefix}{name}"))
                .collect();
            let is_child = |path: &str| {
                path.strip_prefix(&prefix)
                    .is_some_and(|name| !name.is_empty() && name != "." && !name.contains('/'))
            };
            let gone: Vec<String> = self
                .directories
                .keys()
                .filter(|path| is_child(path) && !there.contains(*path))
                .cloned()
                .collect();
            gone.iter().for_each(|path| self.forget(path, found));
            for path in there {
                if !self.directories.contains_key(&path) {
                    self.add(fs, path, found);
                }
            }
        }
    }

    fn add(&mut self, fs: &dyn Fs, path: String, found: &mut NoticedChanges) {
        if let Some(root) = &self.root {
            // Subscribed before the stat: a change in between is reported or found, never missed.
            self.watch.add(&root.join(&path));
        }
        let seen = fs.stat(&path).ok().flatten().map(|stat| settled(fs, stat));
        match path.contains('/') {
            true => drop(found.paths.insert(path.clone())),
            false => drop(self.outdated.insert(path.clone())),
        }
        self.directories.insert(path, seen);
    }
}

fn settled(fs: &dyn Fs, stat: Stat) -> DirectoryState {
    // The absolute value: a file system of another machine may be ahead of this clock.
    let age = fs.wall_clock().duration_since(stat.modified);
    DirectoryState {
        stat,
        is_settled: age.unsigned_abs() > GRAIN,
    }
}
