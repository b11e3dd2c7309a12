//! Takes a cluster out of its directory: what ctl made goes, everything else stays.
//!
//! The first step renames `.ctl`. From then on no process finds a journal, whoever opens the
//! directory is told that a deletion broke off, and the next one goes on where this one stopped.
//! By then the journal may be gone, and a file proves by its stamp alone that ctl wrote it: files
//! with an edit that was not imported cannot, so they go first.

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
    /// How many files of objects go.
    pub objects: usize,
    /// Those of them that hold an edit which was not imported.
    pub edited: Vec<String>,
    /// Paths that ctl did not create, which stay; directories end in a slash.
    pub others: Vec<String>,
}

/// The files of objects, with whether each holds an edit that was not imported.
type ObjectFiles = BTreeMap<String, bool>;

/// The refusal of a directory whose cluster is half deleted.
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

/// Tells what deleting the cluster in a directory would take; `None` if it holds none.
///
/// # Errors
/// If the directory cannot be read, or a newer program made the cluster.
pub fn inventory(fs: &Arc<dyn Fs>) -> Result<Option<Inventory>> {
    if !holds_cluster(&**fs)? {
        return Ok(None);
    }
    let files = object_files(fs)?;
    take_stock(&**fs, &files).map(Some)
}

/// Removes what ctl made from a directory, under its lock; the settings only if `all` is said.
///
/// # Errors
/// If something cannot be removed: the next call goes on there.
pub fn remove(fs: &Arc<dyn Fs>, options: &Options, all: bool) -> Result<Inventory> {
    let lock = lock_directory(&**fs, options, options.patience)?;
    let broke_off = fs.stat(LEAVING)?.is_some();
    // Read before anything goes: afterwards there is no journal to ask.
    let files = object_files(fs)?;
    let found = take_stock(&**fs, &files)?;
    // The rename is the decision: before it the cluster is there, after it no process finds one.
    if is_directory(&**fs, DOT)? {
        if broke_off {
            fs::remove_tree(&**fs, LEAVING)?;
        }
        fs.rename(DOT, LEAVING)?;
        // Durable before the first file goes, or a power cut could leave a cluster without its
        // objects.
        fs.sync_dir(".")?;
    }
    // Edited files first: without the journal nothing would tell them from files of others in a
    // second run.
    let edited = files.iter().filter(|(_, edited)| **edited);
    let rest = files.iter().filter(|(_, edited)| !**edited);
    for (path, _) in edited.chain(rest) {
        gone(fs.unlink(path))?;
    }
    let mut emptied: BTreeSet<String> = files.keys().map(|path| parent(path).to_owned()).collect();
    if broke_off {
        // Which directories the one before had emptied is not known any more.
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
    // Only if asked for: the next cluster in this directory may use the same settings.
    if all {
        gone(fs.unlink(SETTINGS))?;
    }
    // Last: as long as it is there, the next call knows that something is left to do.
    fs::remove_tree(&**fs, LEAVING)?;
    fs.sync_dir(".")?;
    drop(lock);
    Ok(found)
}

/// Returns true if a directory holds a cluster or the remainder of a deletion. A `cluster.yaml`
/// alone may belong to another program.
fn holds_cluster(fs: &dyn Fs) -> Result<bool> {
    match Format::check(fs) {
        Err(e @ StoreError::Newer(_)) => return Err(e),
        // Deleting is the way out of a broken directory.
        // A damaged file keeps nobody from deleting the cluster.
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

/// Finds the files of objects: those that the journal knows, edited or not. If it cannot be read,
/// those that bear the stamp of the revision that they show.
fn object_files(fs: &Arc<dyn Fs>) -> Result<ObjectFiles> {
    let mut journal = Journal::new(Arc::clone(fs));
    let segment = match journal.refresh() {
        Ok(Published::Exact(head)) => Segment::open(&**fs, head.generation, Access::Read).ok(),
        Ok(Published::NeedsRecovery) => journal.read_without_publishing().ok().map(|found| found.0),
        Ok(Published::Nothing) | Err(_) => None,
    };
    if segment.is_none() {
        // A half-read journal knows some objects only: then the stamps decide for all of them.
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
            // Rejected files and those of editors are somebody's work.
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
                // The stamp is the only proof. With a journal it counts only for objects whose
                // removal is still to be shown.
                None if (segment.is_none() || late.contains(&path)) && is_stamped() => {
                    files.insert(path, false);
                }
                None => {}
            }
        }
    }
    Ok(files)
}

/// Returns true if a file without its stamp, such as one in a copied directory, shows its object.
fn shows(fs: &dyn Fs, path: &str, segment: &Segment, live: &Entry) -> bool {
    let read = |bytes: Vec<u8>| yaml::parse_one(&bytes, Mode::Lenient).ok().flatten();
    let found = fs::read_all(fs, path, MAX_FILE).ok().and_then(read);
    // Compared as trees: a copy may have another form, and a copied object is no edit.
    let body = Journal::body(segment, live).ok();
    let wanted = body.map(|json| shown(&json, live.revision));
    found.is_some() && found == wanted
}

/// Counts the files of objects and lists what is beside them.
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
                // Only directories of objects are opened: a foreign directory is listed as one
                // entry.
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
