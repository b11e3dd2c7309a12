//! Clusters as directories: made, copied, emptied, removed.

use std::path::Path;
use std::sync::Arc;

use super::discovery::Discovery;
use super::{Cluster, Open, Result, Settings, StoreError};
use crate::store::{FileStore, Options};
use crate::sys::entropy::Seed;
use crate::sys::fs::Fs;
use crate::sys::real_fs::{self, RealFs};

/// Whether a call made the cluster or found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// There was none.
    New,
    /// There was one already.
    Found,
}

impl Cluster {
    /// Opens the cluster in `path`, making one where there is none yet and nothing else either.
    ///
    /// # Errors
    /// Where something else is there, or the cluster may not be used here.
    pub fn open(path: &Path, open: Open) -> Result<Self> {
        let exists = is_cluster(path)?;
        let fs = if exists {
            real(path)?
        } else {
            Arc::new(RealFs::create(path)?) as Arc<dyn Fs>
        };
        let writer = open.options.command.clone();
        let options = Options {
            path: Some(path.to_path_buf()),
            ..open.options
        };
        let store = if exists {
            FileStore::open(with_faults(fs), options)?
        } else {
            FileStore::open_or_create(with_faults(fs), options, Settings::new(Seed::random()))?
        };
        Ok(Self {
            path: path.to_path_buf(),
            store,
            writer,
            new: !exists,
            discovery: Discovery::default(),
            acting: None,
        })
    }

    /// Makes a cluster in `path`, or finds the one that is there.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn init(path: &Path, open: Open, settings: Settings) -> Result<(Self, Made)> {
        let fs: Arc<dyn Fs> = Arc::new(RealFs::create(path)?);
        let writer = open.options.command.clone();
        let options = Options {
            path: Some(path.to_path_buf()),
            ..open.options
        };
        let store = FileStore::open_or_create(with_faults(fs), options, settings)?;
        let made = if store.is_new() {
            Made::New
        } else {
            Made::Found
        };
        Ok((
            Self {
                path: path.to_path_buf(),
                store,
                writer,
                new: made == Made::New,
                discovery: Discovery::default(),
                acting: None,
            },
            made,
        ))
    }

    /// Copies the cluster into a new directory, with its whole history.
    ///
    /// # Errors
    /// Where the directory is not empty or cannot be written.
    pub fn fork(&self, to: &Path, open: Open) -> Result<Self> {
        if !is_empty(to) {
            return Err(StoreError::Refused(format!(
                "{} is not empty",
                to.display()
            )));
        }
        let target = RealFs::create(to)?;
        self.store.copy_to(&target)?;
        Self::open(to, open)
    }

    /// Removes every object and the whole history, keeping the settings.
    ///
    /// # Errors
    /// Where something cannot be removed.
    pub fn reset(self, open: Open) -> Result<Self> {
        let (path, settings) = (self.path.clone(), self.settings().clone());
        self.store.remove_objects()?;
        drop(self.store);
        real_fs::remove_tree(&path.join(".ctl"))?;
        Self::init(&path, open, settings).map(|(cluster, _)| cluster)
    }

    /// Removes the cluster with its directory.
    ///
    /// # Errors
    /// Where something cannot be removed.
    pub fn destroy(path: &Path) -> Result<()> {
        if !has_cluster(path) {
            return Err(StoreError::NoCluster(path.display().to_string()));
        }
        Ok(real_fs::remove_tree(path)?)
    }
}

/// Whether a cluster is in a directory; an error where something else is.
///
/// The order matters, because others may be making it: `cluster.yaml` comes before the journal, so
/// it is looked for after it. A `.ctl` without a journal is what a killed first run leaves.
fn is_cluster(path: &Path) -> Result<bool> {
    let fs = match RealFs::open(path) {
        Ok(fs) => fs,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(e) => return Err(e.into()),
    };
    let journal = fs.list(".ctl/journal").is_ok_and(|files| !files.is_empty());
    let others = fs.list(".")?.iter().any(|entry| entry.name != ".ctl");
    let place = path.display();
    match (fs.stat("cluster.yaml")?.is_some(), journal, others) {
        (true, ..) => Ok(true),
        (false, true, _) => Err(StoreError::Refused(format!(
            "{place}/cluster.yaml is missing: put it back, or run `ctl cluster init` for new settings"
        ))),
        (false, false, true) => Err(StoreError::Refused(format!(
            "{place} is not empty and holds no cluster; `ctl cluster init` makes one there"
        ))),
        (false, false, false) => Ok(false),
    }
}

fn has_cluster(path: &Path) -> bool {
    RealFs::open(path)
        .and_then(|fs| fs.stat("cluster.yaml"))
        .is_ok_and(|s| s.is_some())
}

fn is_empty(path: &Path) -> bool {
    RealFs::open(path)
        .and_then(|fs| fs.list("."))
        .map_or(true, |files| files.is_empty())
}

fn real(path: &Path) -> Result<Arc<dyn Fs>> {
    Ok(Arc::new(RealFs::open(path)?))
}

#[cfg(any(debug_assertions, feature = "failpoints"))]
fn with_faults(fs: Arc<dyn Fs>) -> Arc<dyn Fs> {
    crate::sys::fault::from_env(fs)
}

#[cfg(not(any(debug_assertions, feature = "failpoints")))]
fn with_faults(fs: Arc<dyn Fs>) -> Arc<dyn Fs> {
    fs
}
