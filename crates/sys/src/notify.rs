//! Notifies about changed files, with polling as a fallback.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode, ModifyKind, RenameMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

/// The result of a wait.
#[derive(Debug, PartialEq, Eq)]
pub enum Wake {
    /// These paths have changed.
    Changed(Vec<PathBuf>),
    /// Events were lost: everything must be read again.
    Rescan,
    /// No event arrived in time. A change may have been missed nevertheless.
    Timeout,
}

/// A subscription to changes of files and directories.
///
/// Caveats: a hint rather than a guarantee. Callers must check for changes themselves at least once a second.
///
/// ```
/// use std::time::Duration;
///
/// use ctl_sys::notify::{Wake, Watch};
/// use ctl_sys::scratch::ScratchDir;
///
/// # let directory = ScratchDir::new("ctl-doc-")?;
/// let watch = Watch::new(&[directory.path().to_owned()]);
/// match watch.wait(Duration::ZERO) {
///     Wake::Changed(paths) => println!("{} files changed", paths.len()),
///     Wake::Rescan => println!("events were lost; read everything"),
///     Wake::Timeout => println!("nothing changed"),
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Watch {
    watcher: Option<RecommendedWatcher>,
    events: Receiver<notify::Result<notify::Event>>,
    failure: Option<String>,
}

impl Watch {
    /// Subscribes to files, and to directories without the content of their subdirectories.
    pub fn new(paths: &[PathBuf]) -> Self {
        let (send, events) = channel();
        let started = start(send).and_then(|mut watcher| {
            paths
                .iter()
                .try_for_each(|path| watcher.watch(path, RecursiveMode::NonRecursive))
                .map(|()| watcher)
        });
        // A partial subscription counts as none; otherwise, the caller would rely on events that never come.
        match started {
            Ok(watcher) => Self {
                watcher: Some(watcher),
                events,
                failure: None,
            },
            Err(e) => Self {
                watcher: None,
                events,
                failure: Some(e.to_string()),
            },
        }
    }

    /// Subscribes to another file or directory, or to its replacement under the same name. If this fails, the caller
    /// still polls.
    pub fn add(&mut self, path: &Path) {
        if let Some(watcher) = &mut self.watcher {
            // The previous one may have been moved; its changes no longer matter.
            let _ = watcher.unwatch(path);
            if let Err(e) = watcher.watch(path, RecursiveMode::NonRecursive)
                // A path that has been removed needs no subscription, because its parent reports the removal.
                && path.exists()
            {
                self.failure = Some(e.to_string());
            }
        }
    }

    /// Returns the reason if the machine cannot report changes.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Waits up to `timeout` for a change, and returns all queued changes.
    pub fn wait(&self, timeout: Duration) -> Wake {
        if self.watcher.is_none() {
            // Sleeping here allows the caller to use the same loop in both cases.
            std::thread::sleep(timeout);
            return Wake::Timeout;
        }
        let first = match self.events.recv_timeout(timeout) {
            Ok(event) => event,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                return Wake::Timeout;
            }
        };
        let mut paths = Vec::new();
        // Drains the queue: saving a file causes several events, and a single check handles them all.
        for event in std::iter::once(first).chain(self.events.try_iter()) {
            match event {
                Ok(event) if event.need_rescan() => return Wake::Rescan,
                Ok(event) => paths.extend(event.paths),
                // An error does not name a path, so everything must be read again.
                Err(_) => return Wake::Rescan,
            }
        }
        paths.sort();
        paths.dedup();
        Wake::Changed(paths)
    }
}

fn start(
    send: std::sync::mpsc::Sender<notify::Result<notify::Event>>,
) -> notify::Result<RecommendedWatcher> {
    // Disables notifications, for tests of the polling.
    if std::env::var_os("CTL_TEST_NO_NOTIFY").is_some() {
        return Err(notify::Error::generic("switched off by CTL_TEST_NO_NOTIFY"));
    }
    notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // A waiting process reads the files again; events for those reads would wake it forever. Both names of a
        // rename have their own events before the combined one.
        let is_no_news = |e: &notify::Event| {
            e.kind.is_access() && !is_close_write(e.kind) || e.kind == BOTH_NAMES
        };
        if event.as_ref().is_ok_and(is_no_news) {
            return;
        }
        // Fails if the watcher is being dropped and has no receiver any more.
        let _ = send.send(event);
    })
}

const BOTH_NAMES: EventKind = EventKind::Modify(ModifyKind::Name(RenameMode::Both));

fn is_close_write(kind: EventKind) -> bool {
    kind == EventKind::Access(AccessKind::Close(AccessMode::Write))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_wakes_the_waiter() {
        let dir = tempfile::tempdir().unwrap();
        let watch = Watch::new(&[dir.path().to_path_buf()]);
        let file = dir.path().join("x");
        std::fs::File::create(&file).unwrap();
        assert!(
            matches!(watch.wait(Duration::from_secs(5)), Wake::Changed(p) if p.contains(&file))
        );
    }

    #[test]
    fn recreated_directory_is_watched_again() {
        let dir = tempfile::tempdir().unwrap();
        let below = dir.path().join("below");
        std::fs::create_dir(&below).unwrap();
        let mut watch = Watch::new(&[]);
        watch.add(&below);
        std::fs::rename(&below, dir.path().join("away")).unwrap();
        std::fs::create_dir(&below).unwrap();
        watch.add(&below);
        while watch.wait(Duration::from_millis(50)) != Wake::Timeout {}
        let file = below.join("x");
        std::fs::File::create(&file).unwrap();
        // Events of the rename may come late.
        let wakes = std::iter::repeat_with(|| watch.wait(Duration::from_secs(5)));
        let mut wakes = wakes.take_while(|wake| *wake != Wake::Timeout);
        assert!(wakes.any(|wake| matches!(wake, Wake::Changed(p) if p.contains(&file))));
        assert_eq!(watch.failure(), None);
    }

    #[test]
    fn reading_a_file_wakes_no_waiter() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("x");
        std::fs::File::create(&file).unwrap();
        let watch = Watch::new(&[dir.path().to_path_buf(), file.clone()]);
        assert_eq!(std::fs::read(&file).unwrap(), b"");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        assert_eq!(watch.wait(Duration::from_millis(200)), Wake::Timeout);
    }

    #[test]
    fn a_missing_path_falls_back_to_polling_with_a_reason() {
        let watch = Watch::new(&[PathBuf::from("/nowhere/at/all")]);
        assert!(watch.failure().is_some());
        assert_eq!(watch.wait(Duration::from_millis(1)), Wake::Timeout);
    }
}
