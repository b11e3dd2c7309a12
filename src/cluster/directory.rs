//! Clusters as directories: made, copied, emptied, removed.

use std::path::Path;
use std::sync::Arc;

use super::{Cluster, Open, Result, Settings, StoreError};
use crate::store::{FileStore, Options};
use crate::sys::entropy::Seed;
use crate::sys::fs::{Fs, FsError};
use crate::sys::real_fs::RealFs;

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
            },
            made,
        ))
    }

    /// Copies the cluster into a new directory, with its whole history.
    ///
    /// # Errors
    /// Where the directory is not empty or cannot be written.
    pub fn fork(&self, to: &Path, open: Open) -> Result<Self> {
        if to.read_dir().is_ok_and(|mut d| d.next().is_some()) {
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
        remove(&path.join(".ctl"))?;
        Self::init(&path, open, settings).map(|(cluster, _)| cluster)
    }

    /// Removes the cluster with its directory.
    ///
    /// # Errors
    /// Where something cannot be removed.
    pub fn delete(path: &Path) -> Result<()> {
        if !path.join("cluster.yaml").exists() {
            return Err(StoreError::NoCluster(path.display().to_string()));
        }
        remove(path)
    }
}

/// Whether a cluster is in a directory; an error where something else is.
///
/// The order matters, because others may be making it: `cluster.yaml` comes before the journal, so
/// it is looked for after it. A `.ctl` without a journal is what a killed first run leaves.
fn is_cluster(path: &Path) -> Result<bool> {
    let has_any = |dir: &Path, is_one: fn(&std::ffi::OsStr) -> bool| {
        let entries = dir.read_dir().into_iter().flatten().flatten();
        entries.into_iter().any(|entry| is_one(&entry.file_name()))
    };
    let journal = has_any(&path.join(".ctl/journal"), |_| true);
    let others = has_any(path, |name| name != ".ctl");
    let place = path.display();
    match (path.join("cluster.yaml").exists(), journal, others) {
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

fn remove(path: &Path) -> Result<()> {
    std::fs::remove_dir_all(path)
        .map_err(|e| FsError::new("remove", &path.display().to_string(), e).into())
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
