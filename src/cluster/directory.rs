//! Clusters as directories: made, copied, emptied, removed.

use std::path::Path;
use std::sync::Arc;

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
        let found = look(path)?;
        let exists = found == Found::Cluster;
        if found == Found::NoSettings {
            let place = path.display();
            return Err(StoreError::Refused(format!(
                "{place}/cluster.yaml is missing: put it back, or run `ctl cluster init` for new settings"
            )));
        }
        if found == Found::SomethingElse {
            let place = path.display();
            return Err(StoreError::Refused(format!(
                "{place} is not empty and holds no cluster; `ctl cluster init` makes one there"
            )));
        }
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
        if look(to)? != Found::Nothing {
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
    pub fn delete(path: &Path) -> Result<()> {
        if look(path)? != Found::Cluster {
            return Err(StoreError::NoCluster(path.display().to_string()));
        }
        Ok(real_fs::remove_tree(path)?)
    }
}

/// What is in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// Nothing, no directory at all, or what a first run left that died half-way.
    Nothing,
    /// A cluster.
    Cluster,
    /// A cluster whose settings are gone.
    NoSettings,
    /// Files of somebody else.
    SomethingElse,
}

/// Looks at a directory. The order matters, because others may be making the cluster in it:
/// `cluster.yaml` comes before the journal, so it is looked for after it.
fn look(path: &Path) -> Result<Found> {
    let fs = match RealFs::open(path) {
        Ok(fs) => fs,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(e) => return Err(e.into()),
    };
    let has_journal = fs.list(".ctl/journal").is_ok_and(|files| !files.is_empty());
    let names = fs.list(".")?.into_iter().map(|entry| entry.name);
    let has_others = names.filter(|name| name != ".ctl").count() > 0;
    Ok(match (fs.stat("cluster.yaml")?.is_some(), has_journal) {
        (true, _) => Found::Cluster,
        (false, true) => Found::NoSettings,
        (false, false) if has_others => Found::SomethingElse,
        (false, false) => Found::Nothing,
    })
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
