//! The right to write a state directory, and its lock.

use std::time::Duration;

use super::error::StoreError;
use super::interface::Result;
use super::layout::{HOLDER, JOURNAL};
use super::options::Options;
use super::settings::Rights;
use crate::sys::fs::{self, Fs, LockGuard};
use crate::sys::host;
use crate::sys::lock::LockError;

/// The longest wait of a read for the lock, in order to import a hand edit.
pub(crate) const EDIT_PATIENCE: Duration = Duration::from_millis(50);

/// Refuses writes by an older program than the directory's, and by others than its owner.
pub(crate) fn check_writable(fs: &dyn Fs, rights: Rights) -> Result<()> {
    if rights == Rights::ReadOnly {
        return Err(StoreError::Newer(
            "a newer ctl wrote this directory: this one can only read it".to_owned(),
        ));
    }
    // `sudo ctl` would leave files of root that the owner's next command cannot write.
    let owner = fs.stat(".")?.map(|s| s.owner);
    let user = host::effective_uid();
    match owner {
        Some(owner) if owner != user => Err(StoreError::Forbidden(format!(
            "the state directory belongs to user {owner}, not to {user}: \
                 only its owner may change it"
        ))),
        _ => Ok(()),
    }
}

/// Takes a state directory's lock.
pub(crate) fn lock_directory(
    fs: &dyn Fs,
    options: &Options,
    patience: Option<Duration>,
) -> Result<Box<dyn LockGuard>> {
    let mut on_wait = |waited: Duration| {
        let seconds = waited.as_secs();
        let text = format!("waiting for {} ({seconds} s so far)", holder(fs));
        (options.notice)(&text);
    };
    let locked = match fs.lock(Some(Duration::ZERO), &mut |_| {}) {
        Err(LockError::Busy) if patience != Some(Duration::ZERO) => {
            // The holder that sees this mark leaves its records to this process (`docs/design/0016-group-commit.md`).
            let _mark = fs.announce_waiter(JOURNAL);
            fs.lock(patience, &mut on_wait)
        }
        locked => locked,
    };
    locked.map_err(|e| match e {
        LockError::Busy => busy(fs, patience),
        // Deleted while this process waited.
        LockError::Io(e) if e.kind() == std::io::ErrorKind::NotFound => {
            StoreError::NoCluster(options.place())
        }
        LockError::Io(e) => StoreError::Fs(fs::FsError::new("lock", ".", e)),
    })
}

/// Returns the error for a lock that was not free in time.
pub(crate) fn busy(fs: &dyn Fs, patience: Option<Duration>) -> StoreError {
    StoreError::Busy {
        holder: holder(fs),
        waited: patience.unwrap_or_default(),
    }
}

/// Returns the last recorded holder of the lock.
fn holder(fs: &dyn Fs) -> String {
    let bytes = fs::read_all(fs, HOLDER, 4096).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    match text.lines().next().map(str::trim) {
        Some(text) if !text.is_empty() => format!("process {text}"),
        _ => "another process".to_owned(),
    }
}

/// Returns true if an error means that nothing can be written here.
pub(crate) fn is_read_only(error: &StoreError) -> bool {
    match error {
        StoreError::Fs(e) | StoreError::NotApplied(e) => e.is_read_only(),
        StoreError::Forbidden(_) | StoreError::Newer(_) => true,
        _ => false,
    }
}
