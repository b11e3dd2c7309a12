//! Creates, copies, empties and removes clusters in directories.

use std::path::Path;
use std::sync::Arc;

use crate::cluster::{Cluster, Open, Result};
use crate::store;
use crate::store::{FileStore, Options, Settings, StoreError};
use crate::sys::entropy::Seed;
use crate::sys::fs::Fs;
use crate::sys::real_fs;
use crate::sys::real_fs::RealFs;

/// Distinguishes a cluster that a call created from one that existed.
///
/// ```
/// use ctl_cluster::{Cluster, InitOutcome, Open, Settings};
/// use ctl_sys::entropy::Seed;
///
/// let directory = tempfile::tempdir()?;
/// let init = || Cluster::init(directory.path(), Open::as_writer("example"), Settings::new(Seed(1)));
/// assert!(matches!(init()?, (_, InitOutcome::New)));
/// assert!(matches!(init()?, (_, InitOutcome::Found)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitOutcome {
    /// The call created it.
    New,
    /// It existed.
    Found,
}

impl Cluster {
    /// Opens the cluster in `path`, or creates one if the directory is empty or absent.
    ///
    /// # Errors
    /// Fails if the directory contains something else, or the cluster may not be used here.
    pub fn open(path: &Path, open: Open) -> Result<Self> {
        if let Some(cluster) = Self::open_remote(path, &open)? {
            return Ok(cluster);
        }
        let exists = is_cluster(path)?;
        // Only a new cluster may create the directory: if it vanished since the check, that must be an error and not an
        // empty cluster.
        let fs = if exists {
            real(path)?
        } else {
            Arc::new(RealFs::create(path)?) as Arc<dyn Fs>
        };
        let writer = open.options.command.clone();
        let options = placed(path, &open);
        if exists {
            tell_if_open(path, &options);
        }
        let store = if exists {
            FileStore::open(with_faults(fs), options)?
        } else {
            FileStore::open_or_create(with_faults(fs), options, Settings::new(Seed::random()))?
        };
        Ok(Self::on(Arc::new(store), writer, !exists).calling(&open))
    }

    /// Creates a cluster in `path`, or opens the existing one.
    ///
    /// # Errors
    /// Fails if it cannot be created.
    pub fn init(path: &Path, open: Open, settings: Settings) -> Result<(Self, InitOutcome)> {
        // `init` of an existing cluster is not an error, wherever it is stored.
        if let Some(cluster) = Self::open_remote(path, &open)? {
            return Ok((cluster, InitOutcome::Found));
        }
        let fs: Arc<dyn Fs> = Arc::new(RealFs::create(path)?);
        let writer = open.options.command.clone();
        let options = placed(path, &open);
        tell_if_open(path, &options);
        let store = FileStore::open_or_create(with_faults(fs), options, settings)?;
        let made = if store.is_new() {
            InitOutcome::New
        } else {
            InitOutcome::Found
        };
        let cluster = Self::on(Arc::new(store), writer, made == InitOutcome::New).calling(&open);
        Ok((cluster, made))
    }
}

/// Returns the options of the store in a path.
pub(crate) fn placed(path: &Path, open: &Open) -> Options {
    Options {
        path: Some(path.to_path_buf()),
        ..open.options.clone()
    }
}

/// Warns the owner of a directory that others have access to it.
fn tell_if_open(path: &Path, options: &Options) {
    if let Some(text) = real_fs::open_to_others(path) {
        (options.notice)(&text);
    }
}

/// Returns true if a directory contains a cluster; an error if it contains something else.
///
/// The order matters, because another process may be creating it: `cluster.yaml` is written before the journal, so it
/// is checked after the journal. A killed first run leaves a `.ctl` without a journal.
pub(crate) fn is_cluster(path: &Path) -> Result<bool> {
    let fs = match RealFs::open(path) {
        Ok(fs) => fs,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(e) => return Err(e.into()),
    };
    let journal = fs.list(".ctl/journal").is_ok_and(|files| !files.is_empty());
    let entries = fs.list(".")?;
    // Refuses to turn a home directory into a cluster.
    let others = entries.iter().any(|entry| entry.name != ".ctl");
    let place = path.display();
    if entries.iter().any(|entry| entry.name == store::LEAVING) {
        return Err(store::half_deleted(&place.to_string()));
    }
    match (fs.stat("cluster.yaml")?.is_some(), journal, others) {
        (true, ..) => Ok(true),
        (false, true, _) => Err(StoreError::Refused(format!(
            "{place}/cluster.yaml is missing: put it back, or run `ctl cluster init` for new settings"
        ))),
        (false, false, true) => Err(StoreError::Refused(format!(
            "{place} is not empty and contains no cluster: name the cluster's directory, or an empty \
             one, with --state or CTL_STATE"
        ))),
        (false, false, false) => Ok(false),
    }
}

fn real(path: &Path) -> Result<Arc<dyn Fs>> {
    Ok(Arc::new(RealFs::open(path)?))
}

// Injected disk errors must be impossible in a release.
#[cfg(any(debug_assertions, feature = "failpoints"))]
pub(crate) fn with_faults(fs: Arc<dyn Fs>) -> Arc<dyn Fs> {
    crate::sys::fault::from_env(fs)
}

#[cfg(not(any(debug_assertions, feature = "failpoints")))]
pub(crate) fn with_faults(fs: Arc<dyn Fs>) -> Arc<dyn Fs> {
    fs
}
