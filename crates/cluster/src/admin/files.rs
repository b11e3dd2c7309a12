//! The files of a cluster in a directory: hand edits, the YAML tree, checks and repair.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::admin::directory::is_cluster;
use crate::admin::empty::{STORE_FILE, is_empty};
use crate::admin::remote::Remote;
use crate::admin::removal::destroy;
use crate::cluster::{Cluster, Open, Result};
use crate::entry::only_administrator;
use crate::store::{CopyEnd, Directory, Key, Range, Report, Revision, StoreError, transfer};
use crate::sys::archive;
use crate::sys::fs::{self, Fs as _};
use crate::sys::real_fs::{self, RealFs};
use crate::sys::scratch::ScratchDir;
use crate::sys::signal::sleep;

/// The interval at which the thread that imports hand edits checks for the end of its work.
const LOOK: Duration = Duration::from_millis(200);

/// The files of a cluster. A cluster without a directory has none: calls that need them fail, and the others do
/// nothing.
///
/// ```
/// use ctl_cluster::{Cluster, Files, Open};
///
/// let directory = tempfile::tempdir()?;
/// let cluster = Cluster::open(&directory.path().join("state"), Open::as_writer("example"))?;
/// cluster.bootstrap()?;
///
/// let files: Files<'_> = cluster.files();
/// assert!(files.fsck(true)?.problems.is_empty());
/// let mut archive = Vec::new();
/// files.export(&mut archive, &Open::as_writer("example"))?;
/// let copy = ctl_cluster::restore(&archive[..], &directory.path().join("copy"), Open::as_writer("example"))?;
/// assert_eq!(copy.stored().revision()?, cluster.stored().revision()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Files<'c>(&'c Cluster);

impl Cluster {
    /// Returns the files of the directory.
    pub fn files(&self) -> Files<'_> {
        Files(self)
    }
}

impl Files<'_> {
    pub(crate) fn cluster(&self) -> &Cluster {
        self.0
    }

    /// Reads the whole cluster and reports its damage.
    ///
    /// # Errors
    /// The cluster has no directory, or the directory cannot be read.
    pub fn fsck(&self, history: bool) -> Result<Report> {
        self.0.directory("fsck")?.fsck(history)
    }

    /// Salvages the intact parts of a damaged cluster; returns a line for each step.
    ///
    /// # Errors
    /// The cluster has no directory, or nothing can be salvaged.
    pub fn repair(&self) -> Result<Vec<String>> {
        self.0.directory("fsck --repair")?.repair()
    }

    /// Delays the YAML files: commits are durable and visible, but the files are written at [`Files::show_held`], once
    /// for each object, however often it changed. If this process is killed before, the next writer writes them.
    pub fn hold_tree(&self) {
        // Without a tree there are no files to delay.
        if let Some(directory) = self.0.context.store.directory() {
            directory.hold_tree();
        }
    }

    /// Writes the delayed files, and stops delaying.
    ///
    /// # Errors
    /// Fails if the directory cannot be locked or read.
    pub fn show_held(&self) -> Result<()> {
        let directory = self.0.context.store.directory();
        directory.map_or(Ok(()), |directory| directory.show_held())
    }

    /// Imports hand edits since the last scan, unless that was a moment ago: for a loop that is too busy to wait.
    /// Waiting for changes imports them as well.
    pub fn notice_edits(&self) {
        if let Some(directory) = self.0.context.store.directory() {
            directory.notice_edits();
        }
    }

    /// Imports hand edits that were announced but not yet read, for a loop that ends.
    pub fn notice_last_edits(&self) {
        if let Some(directory) = self.0.context.store.directory() {
            directory.notice_last_edits();
        }
    }

    /// Imports saved files, those of an object or all, so that they are part of the history that is read next.
    ///
    /// # Errors
    /// Fails if the directory cannot be locked or read.
    pub fn import_saved(&self, key: Option<&Key>) -> Result<()> {
        let range = key.map_or_else(Range::all, |key| Range::prefix(key.as_str()));
        match self.0.context.store.directory() {
            Some(directory) => Ok(directory.import_saved(&range)?),
            None => Ok(()),
        }
    }

    /// Imports hand edits as they are made while `work` runs.
    pub fn while_noticing<T>(&self, work: impl FnOnce() -> T) -> T {
        if self.0.context.store.directory().is_none() {
            return work();
        }
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    // The error is not lost: the next request of a caller encounters it as well.
                    if self.0.context.store.wait(Revision::MAX, LOOK).is_err() {
                        sleep(LOOK);
                    }
                }
            });
            let answer = work();
            done.store(true, Ordering::Relaxed);
            answer
        })
    }

    /// Returns true if the cluster is not kept in a directory.
    pub fn is_remote(&self) -> bool {
        self.0.context.store.directory().is_none()
    }

    /// Returns true if the cluster was created by opening it.
    pub fn is_new(&self) -> bool {
        self.0.new
    }

    /// Copies the cluster into a new directory with its history: all of it, or the part up to a point, which becomes
    /// the state of the copy.
    ///
    /// # Errors
    /// If the point is no longer retained, or `to` is not empty or cannot be written.
    pub fn copy_to(&self, to: &Path, open: Open, end: Option<CopyEnd>) -> Result<Cluster> {
        only_administrator(&self.0.context)?;
        let Some(directory) = self.0.context.store.directory() else {
            return Ok(self.transfer_part(to, None, &open, end)?.0);
        };
        copy_history(directory, to, end)?;
        let mut open = open;
        open.options.original = Some(directory.files());
        Cluster::open(to, open)
    }

    /// Copies objects and history into a new cluster in a directory, or on etcd if there is an address; returns it with
    /// the number of commits.
    ///
    /// # Errors
    /// Fails if the directory is not empty, the cluster of the address exists, or something cannot be read or written.
    pub fn transfer_to(
        &self,
        to: &Path,
        remote: Option<&Remote>,
        open: &Open,
    ) -> Result<(Cluster, u64)> {
        only_administrator(&self.0.context)?;
        self.transfer_part(to, remote, open, None)
    }

    fn transfer_part(
        &self,
        to: &Path,
        remote: Option<&Remote>,
        open: &Open,
        end: Option<CopyEnd>,
    ) -> Result<(Cluster, u64)> {
        check_empty(to)?;
        let mut settings = (*self.0.context.store.settings()).clone();
        // A process that is killed leaves a part that no command takes for the copy.
        settings.unfinished = true;
        let made = match remote {
            Some(remote) => remote.init(to, open, &settings),
            None => Cluster::init(to, open.clone(), settings),
        };
        let (copy, _) = made.map_err(|error| match remote {
            // Its address is written last.
            Some(_) => error,
            None => without_part(to, remote, open, error),
        })?;
        // Somebody else's cluster on etcd is left as it was found.
        let is_own = copy.context.store.list(&Range::all())?.items.is_empty();
        let target = &*copy.context.store;
        let copied = transfer(&*self.0.context.store, target, end).and_then(|count| {
            target.update_settings(&mut |settings| settings.unfinished = false)?;
            Ok(count)
        });
        match copied {
            Ok(count) => Ok((copy, count)),
            Err(error) if is_own => {
                drop(copy);
                Err(without_part(to, remote, open, error))
            }
            Err(error) => Err(error),
        }
    }

    /// Writes settings and history as one file: a gzipped tar archive. The same cluster gives the same bytes.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn export(&self, to: impl Write, open: &Open) -> Result<()> {
        only_administrator(&self.0.context)?;
        // Copied first, because the journal is locked while it is read, and `to` may be slow.
        let scratch = ScratchDir::new("ctl-export-").map_err(failed)?;
        let copy = scratch.path().join("cluster");
        match self.0.context.store.directory() {
            Some(directory) => copy_history(directory, &copy, None)?,
            None => {
                let whole = scratch.path().join("whole");
                let (cluster, _) = self.transfer_part(&whole, None, open, None)?;
                copy_history(cluster.directory("an export")?, &copy, None)?;
            }
        }
        archive::pack(&copy, to).map_err(failed)
    }
}

/// Copies settings and history into a new directory.
fn copy_history(directory: &dyn Directory, to: &Path, end: Option<CopyEnd>) -> Result<()> {
    check_empty(to)?;
    let target = RealFs::create(to)?;
    directory.copy_to(&target, end)
}

/// Creates a cluster in a new directory from a file of [`Files::export`].
///
/// # Errors
/// If the file is damaged or contains anything else, or `to` is not empty or cannot be written.
pub fn restore(from: impl Read, to: &Path, open: Open) -> Result<Cluster> {
    check_empty(to)?;
    RealFs::create(to)?;
    let unpacked = archive::unpack(from, to, &belongs).map_err(failed);
    let whole = unpacked.and_then(|()| match is_cluster(to)? {
        true => Ok(()),
        false => {
            let text = "the archive contains no cluster: cluster.yaml or the journal is missing";
            Err(StoreError::Refused(text.to_owned()))
        }
    });
    if let Err(e) = whole {
        return Err(without_part(to, None, &open, e));
    }
    Cluster::open(to, open)
}

/// Returns true if a path is one of the files of a cluster's settings and history.
fn belongs(path: &Path) -> bool {
    path == Path::new("cluster.yaml") || path.starts_with(".ctl")
}

/// Removes the part of a copy that was made before an error; returns the error, with what is left.
fn without_part(to: &Path, remote: Option<&Remote>, open: &Open, error: StoreError) -> StoreError {
    // A part opens like a whole cluster, and would be taken for the copy.
    let place = to.display();
    let left = match remote {
        Some(remote) => {
            let forgotten = RealFs::open(to).and_then(|fs| fs.unlink(STORE_FILE));
            let address = match forgotten {
                Ok(()) => String::new(),
                Err(e) => format!("; {place} still has the address: {e}"),
            };
            // Its prefix may hold more than this call wrote by now.
            Some(format!(
                "a part of the copy is left on etcd: delete the keys of {remote}{address}"
            ))
        }
        None => match emptied(to, open) {
            Ok(()) => None,
            Err(e) => Some(format!(
                "a part of the copy is left in {place}: delete the directory ({e})"
            )),
        },
    };
    match left {
        None => error,
        Some(left) => StoreError::Refused(format!("{error}; {left}")),
    }
}

/// Removes what a copy has written into a directory that was empty.
fn emptied(to: &Path, open: &Open) -> Result<()> {
    if destroy(to, open).is_ok() {
        return Ok(());
    }
    // The beginning of a cluster is none yet.
    let fs = match RealFs::open(to) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened?,
    };
    fs::remove_tree(&fs, ".ctl")?;
    match fs.unlink("cluster.yaml") {
        Err(e) if !e.is_not_found() => return Err(e.into()),
        _ => {}
    }
    real_fs::remove_if_empty(to)?;
    Ok(())
}

fn failed(error: io::Error) -> StoreError {
    StoreError::Refused(error.to_string())
}

fn check_empty(to: &Path) -> Result<()> {
    if is_empty(to) {
        return Ok(());
    }
    Err(StoreError::Refused(format!(
        "{} is not empty",
        to.display()
    )))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::path::PathBuf;

    use crate::api::json::json;
    use crate::testing::{Scratch, fresh, open, place};
    use crate::{Cluster, DeleteOptions, PatchType, WriteOptions};

    fn file(scratch: &Scratch, name: &str) -> PathBuf {
        let path = format!("default/configmaps/{name}.yaml");
        scratch.directory.path().join(path)
    }

    fn create(cluster: &Cluster, name: &str) {
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
        let place = place("configmaps");
        cluster
            .create(&place, &object, &WriteOptions::default())
            .unwrap();
    }

    fn set(cluster: &Cluster, name: &str, value: &str) {
        let patch = (PatchType::Merge, &json!({"data": {"k": value}}));
        let place = place("configmaps");
        cluster
            .patch(&place, name, patch, false, &WriteOptions::default())
            .unwrap();
    }

    fn value(cluster: &Cluster, name: &str) -> String {
        let object = cluster.get(&place("configmaps"), name).unwrap();
        object["data"]["k"].as_str().unwrap_or_default().to_owned()
    }

    #[test]
    fn delayed_files_are_written_with_the_last_version() {
        let scratch = fresh();
        create(&scratch, "old");
        scratch.files().hold_tree();
        create(&scratch, "a");
        set(&scratch, "a", "1");
        set(&scratch, "a", "2");
        create(&scratch, "short");
        let delete = DeleteOptions::default();
        scratch
            .delete(&place("configmaps"), "short", &delete)
            .unwrap();
        scratch
            .delete(&place("configmaps"), "old", &delete)
            .unwrap();
        assert!(!file(&scratch, "a").exists() && file(&scratch, "old").exists());
        // No reader mistakes a delayed file for an edit.
        let other = Cluster::open(scratch.directory.path(), open()).unwrap();
        assert_eq!(value(&other, "a"), "2");
        assert!(other.get(&place("configmaps"), "old").is_err());
        scratch.files().show_held().unwrap();
        let text = std::fs::read_to_string(file(&scratch, "a")).unwrap();
        assert!(text.contains("k: \"2\""), "{text}");
        assert!(!file(&scratch, "old").exists() && !file(&scratch, "short").exists());
        create(&scratch, "b");
        assert!(file(&scratch, "b").exists());
    }

    #[test]
    fn the_next_writer_writes_the_delayed_files_of_a_killed_one() {
        let scratch = fresh();
        scratch.files().hold_tree();
        create(&scratch, "a");
        set(&scratch, "a", "1");
        let other = Cluster::open(scratch.directory.path(), open()).unwrap();
        create(&other, "b");
        assert!(file(&scratch, "a").exists() && file(&scratch, "b").exists());
        // The process that delays files continues, and mistakes no file for an edit.
        set(&scratch, "b", "3");
        set(&scratch, "a", "2");
        scratch.files().show_held().unwrap();
        assert_eq!(
            (value(&other, "a").as_str(), value(&other, "b").as_str()),
            ("2", "3")
        );
        assert!(
            std::fs::read_to_string(file(&scratch, "b"))
                .unwrap()
                .contains("\"3\"")
        );
    }

    #[test]
    fn an_edit_of_a_delayed_file_is_not_lost() {
        let scratch = fresh();
        create(&scratch, "a");
        scratch.files().hold_tree();
        set(&scratch, "a", "1");
        let options = std::fs::File::options()
            .append(true)
            .open(file(&scratch, "a"));
        options
            .unwrap()
            .write_all(b"data:\n  hand: made\n")
            .unwrap();
        set(&scratch, "a", "2");
        scratch.files().show_held().unwrap();
        let object = scratch.get(&place("configmaps"), "a").unwrap();
        assert_eq!(object["data"], json!({"hand": "made", "k": "2"}));
    }

    #[test]
    fn compaction_does_not_hide_delayed_files() {
        let scratch = fresh();
        scratch.files().hold_tree();
        for i in 0..40 {
            create(&scratch, &format!("c{i}"));
            set(&scratch, &format!("c{i}"), &"x".repeat(60_000));
        }
        let other = Cluster::open(scratch.directory.path(), open()).unwrap();
        create(&other, "b");
        for i in 0..40 {
            assert!(file(&scratch, &format!("c{i}")).exists(), "c{i}");
        }
    }
}
