//! Removes a cluster from its directory: files of ctl are deleted, everything else stays.
//!
//! The first step renames `.ctl`. From then on no process finds a journal, a process that opens the directory gets the
//! error that a deletion was interrupted, and the next deletion continues where this one stopped. By then the journal
//! may be gone, and only its stamp proves that ctl wrote a file: files with an edit that was not imported have none, so
//! they are deleted first.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::access::{check_writable, lock_directory};
use super::error::StoreError;
use super::index::Entry;
use super::interface::Result;
use super::journal::{Journal, Published};
use super::key::{Key, Range};
use super::layout::{DOT, LEAVING, MAX_FILE, SETTINGS};
use super::options::Options;
use super::scan;
use super::segment::Segment;
use super::settings::{Format, Settings};
use super::tree::{is_ours, shown};
use crate::api::yaml::{self, Mode};
use crate::sys::fs::{self, Access, FileKind, Fs};

/// The paths that deleting a cluster removes and those that stay.
///
/// ```
/// use std::sync::Arc;
///
/// use ctl_store::{Inventory, StoreError, inventory};
/// use ctl_sys::real_fs::RealFs;
///
/// let directory = tempfile::tempdir()?;
/// let found: Option<Inventory> = inventory(&(Arc::new(RealFs::open(directory.path())?) as _))?;
/// assert!(found.is_none(), "there is no cluster in an empty directory");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// The number of files of objects that are removed.
    pub objects: usize,
    /// Those of them that contain an edit that was not imported.
    pub edited: Vec<String>,
    /// Paths that ctl did not create, which stay; directories end in a slash.
    pub others: Vec<String>,
}

/// The files of objects; true if a file contains an edit that was not imported.
type ObjectFiles = BTreeMap<String, bool>;

/// Returns the refusal of a directory whose cluster is half deleted.
pub fn half_deleted(place: &str) -> StoreError {
    StoreError::Refused(format!(
        "the cluster in {place} is partly deleted: `ctl cluster delete` completes the deletion"
    ))
}

/// Refuses such a directory.
pub(crate) fn refuse_half_deleted(fs: &dyn Fs, place: &str) -> Result<()> {
    match fs.stat(LEAVING)? {
        None => Ok(()),
        Some(_) => Err(half_deleted(place)),
    }
}

/// Returns the files that deleting the cluster in a directory would remove; `None` if it contains none.
///
/// # Errors
/// The directory cannot be read, or a newer program created the cluster.
pub fn inventory(fs: &Arc<dyn Fs>) -> Result<Option<Inventory>> {
    if !holds_cluster(&**fs)? {
        return Ok(None);
    }
    let files = object_files(fs)?;
    take_stock(&**fs, &files).map(Some)
}

/// Removes ctl's files from a directory, under its lock; the settings only if `all` is true.
///
/// # Errors
/// A file cannot be removed: the next call continues there.
pub fn remove(fs: &Arc<dyn Fs>, options: &Options, all: bool) -> Result<Inventory> {
    let lock = lock_directory(&**fs, options, options.patience)?;
    let broke_off = fs.stat(LEAVING)?.is_some();
    // Read before anything is removed, because afterwards there is no journal.
    let files = object_files(fs)?;
    let found = take_stock(&**fs, &files)?;
    // The rename is the decision: before it the cluster exists, after it no process finds one.
    if is_directory(&**fs, DOT)? {
        if broke_off {
            fs::remove_tree(&**fs, LEAVING)?;
        }
        fs.rename(DOT, LEAVING)?;
        // Durable before the first file is removed; otherwise a power cut could leave a cluster without its objects.
        fs.sync_dir(".")?;
    }
    // Edited files first: without the journal a second run could not distinguish them from files of others.
    let edited = files.iter().filter(|(_, edited)| **edited);
    let rest = files.iter().filter(|(_, edited)| !**edited);
    for (path, _) in edited.chain(rest) {
        gone(fs.unlink(path))?;
    }
    let mut emptied: BTreeSet<String> = files.keys().map(|path| parent(path).to_owned()).collect();
    if broke_off {
        // The directories that the interrupted deletion emptied are unknown by now.
        emptied.extend(scan::directories(
            &**fs,
            Journal::new(Arc::clone(fs)).expected(),
            &Range::all(),
        )?);
    }
    for directory in &emptied {
        // One with something else in it stays.
        let _ = fs.remove_dir(directory);
        let _ = fs.remove_dir(parent(directory));
    }
    // Only on request, because the next cluster in this directory may use the same settings.
    if all {
        gone(fs.unlink(SETTINGS))?;
    }
    // Last: as long as it exists, the next call continues the deletion.
    fs::remove_tree(&**fs, LEAVING)?;
    fs.sync_dir(".")?;
    drop(lock);
    Ok(found)
}

/// Returns true if a directory contains a cluster or the remainder of a deletion. A `cluster.yaml` alone may belong to
/// another program.
fn holds_cluster(fs: &dyn Fs) -> Result<bool> {
    match Format::check(fs) {
        Err(e @ StoreError::Newer(_)) => return Err(e),
        // A damaged file must not prevent the deletion, which is the way out of a broken directory.
        Err(_) => {}
        Ok(rights) => check_writable(fs, rights)?,
    }
    Ok(is_directory(fs, DOT)?
        || is_directory(fs, LEAVING)?
        || Settings::load(fs).is_ok_and(|found| found.is_some()))
}

fn is_directory(fs: &dyn Fs, path: &str) -> Result<bool> {
    Ok(fs
        .stat(path)?
        .is_some_and(|stat| stat.kind == FileKind::Directory))
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn gone(removed: fs::Result<()>) -> fs::Result<()> {
    match removed {
        Err(e) if e.is_not_found() => Ok(()),
        answer => answer,
    }
}

/// Finds the files of objects: those of the journal, edited or not. If it cannot be read, those with the stamp of the
/// revision in them.
fn object_files(fs: &Arc<dyn Fs>) -> Result<ObjectFiles> {
    let mut journal = Journal::new(Arc::clone(fs));
    let segment = match journal.refresh() {
        Ok(Published::Exact(head)) => Segment::open(&**fs, head.generation, Access::Read).ok(),
        Ok(Published::NeedsRecovery) => journal.read_without_publishing().ok().map(|found| found.0),
        Ok(Published::Nothing) | Err(_) => None,
    };
    if segment.is_none() {
        // A partly read journal contains only some objects, so the stamps decide for all of them.
        journal.forget();
    }
    let path_of = |key: &str| Key::parse(key).map(|key| key.path());
    let mut live: HashMap<String, Entry> = HashMap::new();
    for (key, entry) in journal.index.range("") {
        live.insert(path_of(key)?, entry);
    }
    // Of objects that were deleted while their files could not be.
    let mut late = HashSet::new();
    for key in journal.unprojected.keys() {
        late.insert(path_of(key)?);
    }
    let mut files = ObjectFiles::new();
    for directory in scan::directories(&**fs, journal.expected(), &Range::all())? {
        for entry in scan::list(&**fs, &directory)? {
            let path = format!("{directory}/{}", entry.name);
            // Rejected files and those of editors are users' work.
            if entry.stat.kind != FileKind::File || !path.ends_with(".yaml") {
                continue;
            }
            let is_stamped = || scan::proven_revision(&**fs, &path, &entry.stat).is_some();
            match live.get(&path) {
                Some(live) => {
                    let same = is_ours(&entry.stat, live.revision)
                        || is_stamped()
                        || segment
                            .as_ref()
                            .is_some_and(|s| shows(&**fs, &path, s, live));
                    files.insert(path, !same);
                }
                // The stamp is the only proof. With a journal it counts only for objects whose removal is not shown
                // yet.
                None if (segment.is_none() || late.contains(&path)) && is_stamped() => {
                    files.insert(path, false);
                }
                None => {}
            }
        }
    }
    Ok(files)
}

/// Returns true if a file without its stamp, such as one in a copied directory, equals its object.
fn shows(fs: &dyn Fs, path: &str, segment: &Segment, live: &Entry) -> bool {
    let read = |bytes: Vec<u8>| yaml::parse_one(&bytes, Mode::Lenient).ok().flatten();
    let found = fs::read_all(fs, path, MAX_FILE).ok().and_then(read);
    // Compared as trees: a copy may have another form, and a copied object is not an edit.
    let body = Journal::body(segment, live).ok();
    let wanted = body.map(|json| shown(&json, live.revision));
    found.is_some() && found == wanted
}

/// Counts the files of objects and lists the others.
fn take_stock(fs: &dyn Fs, files: &ObjectFiles) -> Result<Inventory> {
    let directories: HashSet<&str> = files
        .keys()
        .flat_map(|path| [parent(path), parent(parent(path))])
        .collect();
    let mut others = Vec::new();
    let mut open = vec![String::new()];
    while let Some(directory) = open.pop() {
        let place = if directory.is_empty() {
            "."
        } else {
            &directory
        };
        for entry in scan::list(fs, place)? {
            let path = match directory.as_str() {
                "" => entry.name,
                _ => format!("{directory}/{}", entry.name),
            };
            match entry.stat.kind {
                _ if [DOT, LEAVING, SETTINGS].contains(&path.as_str()) => {}
                // Only directories of objects are opened: a foreign directory is listed as one entry.
                FileKind::Directory if directories.contains(path.as_str()) => open.push(path),
                FileKind::Directory => others.push(format!("{path}/")),
                _ if files.contains_key(&path) => {}
                _ => others.push(path),
            }
        }
    }
    others.sort();
    let edited = files.iter().filter(|(_, edited)| **edited);
    Ok(Inventory {
        objects: files.len(),
        edited: edited.map(|(path, _)| path.clone()).collect(),
        others,
    })
}
