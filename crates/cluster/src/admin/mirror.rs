//! Mirrors: a directory that follows a cluster on etcd, with the point up to which both are the same.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::admin::empty::{MIRROR_FILE, is_empty};
use crate::admin::files::Files;
use crate::cluster::{Cluster, Open, Result};
use crate::entry::only_administrator;
use crate::store::{Mirror, Mirrored, Range, Settings, StoreError};
use crate::sys::bounded;
use crate::sys::entropy::Seed;
use crate::sys::fs::{self, Fs as _, LockGuard};
use crate::sys::lock::LockError;
use crate::sys::real_fs::RealFs;
use crate::sys::signal::sleep;

/// The directory that a running mirror locks.
const MIRROR_LOCK: &str = ".ctl/mirror";

/// The interval at which the original is checked for commits, and the mirror for changes.
const LOOK: Duration = Duration::from_millis(100);

/// The time after which an etcd that cannot be reached is tried again.
const PATIENCE: Duration = Duration::from_secs(1);

/// The content of that file.
#[derive(Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Note {
    /// The address of the original.
    of: String,
    /// The mirrored revision of the original.
    revision: u64,
    /// The corresponding revision of the mirror.
    own: u64,
}

impl Note {
    fn read(directory: &Path) -> Result<Option<Self>> {
        let file = directory.join(MIRROR_FILE);
        let wrong = |reason: String| StoreError::Settings {
            file: file.display().to_string(),
            reason,
        };
        match bounded::read_text(&file, bounded::SETTINGS) {
            Ok(text) => serde_yaml::from_str(&text)
                .map(Some)
                .map_err(|e| wrong(e.to_string())),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(wrong(e.to_string())),
        }
    }

    fn write(&self, fs: &RealFs) -> Result<()> {
        let yaml = serde_yaml::to_string(self).map_err(|e| StoreError::Refused(e.to_string()))?;
        let text = format!("# A mirror that `ctl mirror` maintains: keep this file.\n{yaml}");
        let temporary = format!(".{MIRROR_FILE}-{:016x}", fs.fresh());
        // Not synced: an older note costs some comparisons, and no change.
        fs::replace(fs, MIRROR_FILE, &temporary, text.as_bytes(), false)?;
        Ok(())
    }
}

/// The duration of a mirror, and the callback for its messages.
///
/// ```no_run
/// use ctl_cluster::{Cluster, Mirroring, Open};
///
/// let cluster = Cluster::open("team".as_ref(), Open::as_writer("example"))?;
/// let how = Mirroring { once: true, is_over: &|| false, tell: &|text| eprintln!("{text}") };
/// cluster.files().mirror_to("mirror".as_ref(), &Open::as_writer("example"), &how)?;
/// # Ok::<(), ctl_cluster::StoreError>(())
/// ```
pub struct Mirroring<'a> {
    /// Ends as soon as both sides are the same.
    pub once: bool,
    /// Returns true if the mirror should end.
    pub is_over: &'a dyn Fn() -> bool,
    /// Receives a sentence for each rejected change, and for an unreachable original.
    pub tell: &'a dyn Fn(&str),
}

impl std::fmt::Debug for Mirroring<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mirroring")
            .field("once", &self.once)
            .finish_non_exhaustive()
    }
}

impl Files<'_> {
    /// Maintains a directory as a live copy of the cluster, with its history and YAML files. Changes of the directory
    /// become writes to the cluster, which are rejected if the cluster changed the same fields meanwhile.
    ///
    /// # Errors
    /// Fails if the cluster is a directory itself, or `to` contains something else or cannot be written.
    pub fn mirror_to(&self, to: &Path, open: &Open, how: &Mirroring<'_>) -> Result<()> {
        let original = &*self.cluster().context.store;
        only_administrator(&self.cluster().context)?;
        if original.directory().is_some() {
            let text = "a mirror needs a cluster on etcd; this cluster is a directory";
            return Err(StoreError::Refused(text.to_owned()));
        }
        let place = original.place();
        // Read before the directory is created or opened, so that a mistyped path leaves nothing.
        let note = Note::read(to)?;
        match &note {
            Some(note) if note.of != place => {
                let text = format!("{} is a mirror of {}", to.display(), note.of);
                return Err(StoreError::Refused(text));
            }
            None if !is_empty(to) => {
                let text = format!(
                    "{} is not empty: a mirror needs a new directory",
                    to.display()
                );
                return Err(StoreError::Refused(text));
            }
            _ => {}
        }
        let settings = Settings {
            // Objects of both sides must not draw the same uids.
            seed: Seed::random().0,
            ..(*original.settings()).clone()
        };
        let fs = RealFs::create(to)?;
        if note.is_none() {
            // First, so that the mirror of a killed process is recognized as one.
            let note = Note {
                of: place.clone(),
                revision: 0,
                own: 0,
            };
            note.write(&fs)?;
        }
        let (copy, _) = Cluster::init(to, open.clone(), settings)?;
        let _alone = alone(&fs, to)?;
        // Another mirror may have gone on since.
        let note = Note::read(to)?;
        let mirror = &*copy.context.store;
        let is_new = |note: &Note| note.own == 0;
        let at = match note {
            Some(note) if !is_new(&note) || !mirror.list(&Range::all())?.items.is_empty() => {
                Some(Mirrored {
                    original: note.revision,
                    mirror: note.own,
                })
            }
            _ => None,
        };
        let admit = &*open.options.admit;
        let mut mirror = Mirror::new(original, mirror, admit, at)?;
        copy.files()
            .while_noticing(|| maintain(&mut mirror, &copy, &place, &fs, how))
    }
}

/// Locks a directory against a second mirror, which would take commits of this one for hand edits.
fn alone(fs: &RealFs, to: &Path) -> Result<Box<dyn LockGuard>> {
    fs.make_dir(MIRROR_LOCK)?;
    fs.try_lock_dir(MIRROR_LOCK).map_err(|error| match error {
        LockError::Busy => {
            let holder = fs.dir_locker(MIRROR_LOCK).unwrap_or_default();
            let text = format!("another process mirrors into {}: {holder}", to.display());
            StoreError::Refused(text.trim_end_matches(": ").to_owned())
        }
        LockError::Io(e) => StoreError::Refused(format!("{MIRROR_LOCK}: {e}")),
    })
}

fn maintain(
    mirror: &mut Mirror<'_>,
    copy: &Cluster,
    of: &str,
    fs: &RealFs,
    how: &Mirroring<'_>,
) -> Result<()> {
    let note = |at: Mirrored| {
        let note = Note {
            of: of.to_owned(),
            revision: at.original,
            own: at.mirror,
        };
        note.write(fs)
    };
    note(mirror.at())?;
    while !(how.is_over)() {
        let before = mirror.at();
        if how.once {
            // Both sides are the same only if no file was saved since.
            copy.files().import_saved(None)?;
        }
        let stepped = mirror.step(&mut |text| (how.tell)(text));
        // Also after an error, because a part of the step may have succeeded.
        if mirror.at() != before {
            note(mirror.at())?;
        }
        match stepped {
            Ok(true) => {}
            Ok(false) if how.once => return Ok(()),
            Ok(false) => sleep(LOOK),
            // Unreachable members may return; every other error needs a user.
            Err(e) if e.is_passing() && !how.once => {
                (how.tell)(&e.to_string());
                sleep(PATIENCE);
            }
            Err(e) => return Err(e),
        }
    }
    Ok(())
}
