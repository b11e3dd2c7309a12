//! Compares the YAML tree with the journal: by stat, and by content if that is not enough.

use std::collections::HashMap;

use super::index::{self, Index};
use super::interface::Result;
use super::journal::damaged;
use super::key::{Key, Range, is_own_stem};
use super::layout::{HEAD, MAX_FILE};
use super::revision::{MAX_FILE_REVISION, Revision};
use super::seen::FileFacts;
use super::tree::{is_ours, revision_in};
use super::unlocked::KnownFiles;
use crate::api::yaml::{self, Mode};
use crate::sys::fs::{self, Entry, FileKind, Fs, Stat};

/// A file that differs from the last one that ctl wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Suspect {
    pub(crate) path: String,
    /// The object in it; `None` if only its content can tell, or if its name is wrong.
    pub(crate) key: Option<Key>,
    /// True if the file is missing.
    pub(crate) missing: bool,
}

/// The files that the tree should contain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected<'a> {
    /// The live objects.
    pub(crate) index: &'a Index,
    /// Those whose newest version is still being shown.
    pub(crate) unprojected: &'a HashMap<String, Option<index::Entry>>,
    /// The boot in which facts about files are valid.
    pub(crate) boot: &'a str,
    /// The files that are known without reading any fact.
    pub(crate) known: &'a KnownFiles,
}

/// Checks the file of one object, for a reader.
pub(crate) fn check_file(
    fs: &dyn Fs,
    expected: Expected<'_>,
    key: &Key,
) -> Result<Option<Suspect>> {
    let mut seen = FileFacts::new(fs, expected.boot);
    let found = suspect(fs, expected, &mut seen, key)?;
    seen.keep_learned();
    Ok(found)
}

/// Returns true if a file is known to be the one that was written for this version of an object.
fn is_known(
    expected: Expected<'_>,
    seen: &mut FileFacts<'_>,
    key: &str,
    entry: &index::Entry,
    stat: &Stat,
) -> bool {
    // In memory for the objects that a server reads and writes: opening the table of facts takes four calls.
    if expected.known.show(key, entry, stat) {
        return true;
    }
    let proof = seen.proof(key, entry, stat);
    expected.known.keep(proof.as_slice());
    proof.is_some()
}

/// Checks the file of one object.
pub(crate) fn suspect(
    fs: &dyn Fs,
    expected: Expected<'_>,
    seen: &mut FileFacts<'_>,
    key: &Key,
) -> Result<Option<Suspect>> {
    // The file of a version that is not shown yet is outdated on purpose.
    if expected.unprojected.contains_key(key.as_str()) {
        return Ok(None);
    }
    let path = key.path();
    // A file behind a link that has its known inode and times is not looked at, and one that differs is
    // looked at without following the link: neither is imported.
    let stat = fs.quick_stat(&path)?;
    let entry = expected.index.get(key.as_str());
    let fine = match (&stat, entry) {
        (None, None) => true,
        (Some(stat), Some(entry)) => {
            is_known(expected, seen, key.as_str(), &entry, stat)
                || seen.is_ours(key.as_str(), &entry, &|| path.clone(), stat)
        }
        _ => false,
    };
    Ok((!fine).then(|| Suspect {
        path,
        key: Some(key.clone()),
        missing: stat.is_none(),
    }))
}

/// Checks the files of a range: changed ones, new ones and missing ones.
pub(crate) fn suspects(fs: &dyn Fs, expected: Expected<'_>, range: &Range) -> Result<Vec<Suspect>> {
    let mut found = Vec::new();
    let mut seen = FileFacts::new(fs, expected.boot);
    for directory in directories(fs, expected, range)? {
        compare(fs, expected, &directory, &mut seen, &mut found)?;
    }
    seen.keep_learned();
    found.retain(|s| {
        s.key
            .as_ref()
            .is_none_or(|key| range.contains(key.as_str()))
    });
    Ok(found)
}

/// Checks the files of one directory `NAMESPACE/RESOURCE`.
pub(crate) fn suspects_in(
    fs: &dyn Fs,
    expected: Expected<'_>,
    directory: &str,
) -> Result<Vec<Suspect>> {
    let mut found = Vec::new();
    let mut seen = FileFacts::new(fs, expected.boot);
    compare(fs, expected, directory, &mut seen, &mut found)?;
    seen.keep_learned();
    Ok(found)
}

/// Returns the namespace directories among the entries of a state directory.
pub(crate) fn namespaces(entries: Vec<Entry>) -> impl Iterator<Item = String> {
    let is_namespace = |e: &Entry| e.stat.kind == FileKind::Directory && !e.name.starts_with('.');
    entries.into_iter().filter(is_namespace).map(|e| e.name)
}

/// Returns the directories `NAMESPACE/RESOURCE` of a range, on disk or in the journal.
pub(crate) fn directories(
    fs: &dyn Fs,
    expected: Expected<'_>,
    range: &Range,
) -> Result<Vec<String>> {
    // The usual list names both, and needs no listing of its directories.
    if let Some(directory) = range.directory() {
        return Ok(vec![directory]);
    }
    let resource = range.as_str().split_once('/').map(|(resource, _)| resource);
    let mut found = std::collections::BTreeSet::new();
    for namespace in namespaces(list(fs, ".")?) {
        match resource {
            Some(resource) => drop(found.insert(format!("{namespace}/{resource}"))),
            None => {
                found.extend(namespaces(list(fs, &namespace)?).map(|r| format!("{namespace}/{r}")))
            }
        }
    }
    // Missing directories count as well, because their objects' files are missing.
    let mut last = "";
    for (key, _) in expected.index.range(range.as_str()) {
        let directory = key.rsplit_once('/').map_or("", |(directory, _)| directory);
        if directory != last {
            last = directory;
            // Keys are `resource/namespace/name`, paths the other way round.
            if let Some((resource, namespace)) = directory.split_once('/') {
                found.insert(format!("{namespace}/{resource}"));
            }
        }
    }
    Ok(found.into_iter().collect())
}

pub(crate) fn list(fs: &dyn Fs, path: &str) -> Result<Vec<Entry>> {
    match fs.list(path) {
        // A link in the place of a directory is not followed: it may lead out of the state
        // directory.
        Err(e) if e.is_not_found() || e.is_link() => Ok(Vec::new()),
        answer => Ok(answer?),
    }
}

/// Compares one directory with its objects in the journal.
fn compare(
    fs: &dyn Fs,
    expected: Expected<'_>,
    directory: &str,
    seen: &mut FileFacts<'_>,
    found: &mut Vec<Suspect>,
) -> Result<()> {
    let Some((namespace, resource)) = directory.split_once('/') else {
        return Ok(());
    };
    let listed = list(fs, directory)?;
    let mut files: HashMap<&str, &Entry> = listed
        .iter()
        .filter(|e| !e.name.starts_with('.'))
        .filter_map(|e| Some((e.name.strip_suffix(".yaml")?, e)))
        .collect();
    let prefix = format!("{resource}/{namespace}/");
    for (text, entry) in expected.index.range(&prefix) {
        let name = &text[prefix.len()..];
        let mut ours = |file: Option<&Entry>| {
            let place = |file: &Entry| format!("{directory}/{}", file.name);
            file.is_some_and(|f| seen.is_ours(text, &entry, &|| place(f), &f.stat))
        };
        // A plain name is compared without building its path: this loop runs for every object of
        // every list.
        let plain = is_own_stem(name);
        let file = if plain { files.remove(name) } else { None };
        if ours(file) {
            continue;
        }
        let key = Key::parse(text)?;
        // Only for the few whose name is escaped, or whose file ctl did not write.
        let path = key.path();
        let stem = path[directory.len() + 1..].strip_suffix(".yaml");
        let file = if plain {
            file
        } else {
            files.remove(stem.unwrap_or_default())
        };
        let fine = ours(file);
        if !fine && !expected.unprojected.contains_key(key.as_str()) {
            found.push(Suspect {
                path,
                key: Some(key),
                missing: file.is_none(),
            });
        }
    }
    // The rest are files that are unknown to the journal.
    for file in files.into_values() {
        let path = format!("{directory}/{}", file.name);
        let key = Key::from_path(&path).ok().flatten();
        if key
            .as_ref()
            .is_none_or(|k| !expected.unprojected.contains_key(k.as_str()))
        {
            found.push(Suspect {
                path,
                key,
                missing: false,
            });
        }
    }
    Ok(())
}

/// Returns the number of objects without a file.
pub(crate) fn count_missing(fs: &dyn Fs, expected: Expected<'_>) -> Result<usize> {
    Ok(suspects(fs, expected, &Range::all())?
        .iter()
        .filter(|s| s.missing)
        .count())
}

/// Returns the paths of all files that could be objects.
pub(crate) fn all_files(fs: &dyn Fs) -> Result<Vec<Suspect>> {
    // Nothing is expected, so every file is found.
    let (index, unprojected) = (Index::default(), HashMap::new());
    let known = KnownFiles::default();
    suspects(
        fs,
        Expected {
            index: &index,
            unprojected: &unprojected,
            boot: "",
            known: &known,
        },
        &Range::all(),
    )
}

/// Returns the revision in a file, if its stamp proves that ctl wrote it.
pub(crate) fn proven_revision(fs: &dyn Fs, path: &str, stat: &Stat) -> Option<Revision> {
    if stat.kind != FileKind::File || stat.size > MAX_FILE {
        return None;
    }
    let bytes = fs::read_all(fs, path, MAX_FILE).ok()?;
    let value = yaml::parse_one(&bytes, Mode::Lenient).ok().flatten()?;
    // Stamp and content must agree, because any program can set a time.
    revision_in(&value).filter(|r| *r <= MAX_FILE_REVISION && is_ours(stat, *r))
}

/// The newest revision that a file proves by its stamp, and that file. Ordered by the revision.
#[derive(Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Newest {
    pub(crate) revision: Revision,
    pub(crate) path: String,
}

/// Returns the newest revision that a file proves by its stamp.
pub(crate) fn newest(fs: &dyn Fs) -> Result<Newest> {
    let mut newest = Newest::default();
    for file in all_files(fs)? {
        let Some(stat) = fs.stat(&file.path)? else {
            continue;
        };
        if let Some(revision) = proven_revision(fs, &file.path, &stat)
            && revision > newest.revision
        {
            newest = Newest {
                revision,
                path: file.path,
            };
        }
    }
    Ok(newest)
}

/// Refuses a journal that ends before the tree's revisions: committed data would be lost.
pub(crate) fn refuse_newer_tree(fs: &dyn Fs, found: Revision) -> Result<()> {
    let newest = newest(fs)?;
    // Without a head there is no lower bound, so the files are the only evidence.
    if newest.revision <= found {
        return Ok(());
    }
    let Newest { revision, path } = newest;
    let reason = format!("it is missing, but {path} has revision {revision}");
    Err(damaged(HEAD, 0, &reason, found))
}
