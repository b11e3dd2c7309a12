//! Removal of a cluster with its directory, or of its objects and history.

use std::path::Path;
use std::sync::Arc;

use crate::admin::directory::{placed, with_faults};
use crate::admin::empty::is_empty;
use crate::admin::remote::Remote;
use crate::cluster::{Cluster, Open, Result};
use crate::store::{self, Inventory, Settings, StoreError};
use crate::sys::fs::Fs;
use crate::sys::real_fs::{self, RealFs};

/// Lists the files that deleting or resetting the cluster in `path` would remove, and those that it would keep.
///
/// # Errors
/// Fails if there is no cluster, or it cannot be read.
pub fn inventory(path: &Path) -> Result<Inventory> {
    removable(path).map(|(_, found)| found)
}

/// Removes every object and the whole history, but keeps the settings and the files that ctl did not write. Returns
/// the empty cluster and the inventory of the old one.
///
/// # Errors
/// Fails if something cannot be removed.
pub fn reset(path: &Path, open: Open) -> Result<(Cluster, Inventory)> {
    let (fs, _) = removable(path)?;
    let settings = Settings::load(&*fs)?.ok_or_else(|| none_in(path))?;
    let found = store::remove(&fs, &placed(path, &open), false)?;
    Ok((Cluster::init(path, open, settings)?.0, found))
}

/// Removes the cluster with its directory; returns the inventory. Files that ctl did not write stay, and so does the
/// directory then.
///
/// # Errors
/// Fails if something cannot be removed; the next call continues.
pub fn destroy(path: &Path, open: &Open) -> Result<Inventory> {
    let (fs, _) = removable(path)?;
    let mut found = store::remove(&fs, &placed(path, open), true)?;
    match real_fs::remove_if_empty(path) {
        Ok(false) if found.others.is_empty() => {
            found.others.push("names that cannot be shown".to_owned())
        }
        Ok(_) => {}
        // A mount point, or a parent that this user may not write to.
        Err(e) => found
            .others
            .push(format!("the directory itself: {}", e.source)),
    }
    Ok(found)
}

fn none_in(path: &Path) -> StoreError {
    StoreError::NoCluster(path.display().to_string())
}

/// Returns the file system of a cluster to remove, and its inventory.
fn removable(path: &Path) -> Result<(Arc<dyn Fs>, Inventory)> {
    if let Some(remote) = Remote::of_directory(path)? {
        // Others use it, and a kube-apiserver may.
        let text = format!(
            "{} has the address of {remote}, which is not deleted from here: to forget the address, delete the directory",
            path.display()
        );
        return Err(StoreError::Refused(text));
    }
    let fs = match RealFs::open(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Err(none_in(path)),
        answer => with_faults(Arc::new(answer?)),
    };
    match store::inventory(&fs)? {
        Some(found) => Ok((fs, found)),
        None if is_empty(path) => Err(none_in(path)),
        None => {
            let text = format!("{} holds no cluster", path.display());
            Err(StoreError::Refused(text))
        }
    }
}
