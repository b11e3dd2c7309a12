//! The paths in a state directory.

use super::revision::Revision;

/// The largest file that is read as an object.
pub(crate) const MAX_FILE: u64 = 8 << 20;

/// The machine's memory.
pub(crate) const DOT: &str = ".ctl";
/// `.ctl` while the cluster is being deleted.
pub const LEAVING: &str = ".ctl.deleting";
/// The file with the published length of the journal.
pub(crate) const HEAD: &str = ".ctl/head";
/// The holder of the lock; for messages only.
pub(crate) const HOLDER: &str = ".ctl/holder";
/// The leader of the controllers.
pub(crate) const LEADER: &str = ".ctl/leader";
/// The number of draws for fault rules so far.
pub(crate) const DRAWS: &str = ".ctl/draws";
/// The format of `.ctl`.
pub(crate) const FORMAT: &str = ".ctl/format";
/// The cache of the objects' positions.
pub(crate) const INDEX: &str = ".ctl/index";
/// The cache of which file shows which revision.
pub(crate) const SEEN: &str = ".ctl/seen";
/// Files that were replaced while a process had them open for writing.
pub(crate) const HELD: &str = ".ctl/held";
/// Space that is released when the disk is full, so that objects can be deleted.
pub(crate) const RESERVE: &str = ".ctl/reserve";
/// Keeps `.ctl` out of version control.
pub(crate) const IGNORE: &str = ".ctl/.gitignore";
/// The journal's files, one per generation.
pub(crate) const JOURNAL: &str = ".ctl/journal";
/// The comments that users wrote into objects' files.
pub(crate) const COMMENTS: &str = ".ctl/comments";
/// Marks the directory as a copy whose YAML tree has not been compared yet.
pub(crate) const COPIED: &str = ".ctl/copied";
/// The YAML tree of a directory that has none, until it is complete.
pub(crate) const NEW: &str = ".ctl/new";
/// Files before they are moved into place.
pub(crate) const STAGING: &str = ".ctl/tmp";
/// The settings, for users.
pub(crate) const SETTINGS: &str = "cluster.yaml";

/// The last generation whose name has ten digits.
pub(crate) const MAX_GENERATION: u64 = 9_999_999_999;

/// Returns the file of a generation.
pub(crate) fn generation_path(generation: u64) -> String {
    format!("{JOURNAL}/{generation:010}")
}

/// Returns the generation in a file of the journal directory; `None` for any other file.
pub(crate) fn parse_generation(name: &str) -> Option<u64> {
    // Exactly ten digits, so that names sort like their numbers and backups next to them are no
    // generations.
    (name.len() == 10).then(|| name.parse().ok()).flatten()
}

/// Returns the path of a file on its way into the YAML tree or out of it. The name contains the revision of its content
/// or of its replacement, and the path in the tree if there is room for it.
pub(crate) fn staged_path(revision: Revision, fresh: u64, path: &str) -> String {
    format!("{STAGING}/{revision}-{fresh:016x}{}", place_in_name(path))
}

/// Returns the path of a file that is staged before its version is shown. Its name does not begin with a revision, so it
/// is removed like any temporary file: it never was in the tree, so it is no edit.
pub(crate) fn ahead_path(fresh: u64, revision: Revision) -> String {
    format!("{STAGING}/ahead-{fresh:016x}-{revision}")
}

/// The facts in the name of a file that was open for writing when it was swapped out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeldName {
    /// The revision that it showed; zero if it is unknown.
    pub(crate) shown: Revision,
    /// The fingerprint that it has unless they write; zero if they had begun to.
    pub(crate) text: u64,
}

/// Returns the path of such a file in `.ctl/held`.
pub(crate) fn held_path(held: HeldName, fresh: u64, path: &str) -> String {
    let HeldName { shown, text } = held;
    format!(
        "{HELD}/{shown}-{text:016x}-{fresh:016x}{}",
        place_in_name(path)
    )
}

fn place_in_name(path: &str) -> String {
    // Without room for the path, the key is found in the history by the revision.
    let fits = path.len() < 180 && !path.contains(',');
    if fits {
        format!(",{}", path.replace('/', ","))
    } else {
        String::new()
    }
}

/// Returns the revision in a staged file's name.
pub(crate) fn parse_staged(name: &str) -> Option<Revision> {
    name.split_once('-')?.0.parse().ok()
}

/// Returns the revision and the fingerprint in a held file's name.
pub(crate) fn parse_held(name: &str) -> Option<HeldName> {
    let mut parts = name.split('-');
    let shown = parts.next()?.parse().ok()?;
    let text = u64::from_str_radix(parts.next()?, 16).ok()?;
    Some(HeldName { shown, text })
}

/// Returns the path in the tree from the name of a staged or held file.
pub(crate) fn place_of(name: &str) -> Option<String> {
    Some(name.split_once(',')?.1.replace(',', "/"))
}
