//! Where things are in a state directory.

use super::interface::Revision;

/// The machine's memory.
pub(crate) const DOT: &str = ".ctl";
/// `.ctl` while the cluster is being deleted.
pub const LEAVING: &str = ".ctl.deleting";
/// How far the journal is published.
pub(crate) const HEAD: &str = ".ctl/head";
/// Who holds the lock; for messages only.
pub(crate) const HOLDER: &str = ".ctl/holder";
/// Who runs the controllers.
pub(crate) const LEADER: &str = ".ctl/leader";
/// How many draws there were for rules by which requests go wrong.
pub(crate) const DRAWS: &str = ".ctl/draws";
/// The format of what is in `.ctl`.
pub(crate) const FORMAT: &str = ".ctl/format";
/// The cache of where objects stand.
pub(crate) const INDEX: &str = ".ctl/index";
/// Space that is given back when the disk is full, so that objects can be deleted.
pub(crate) const RESERVE: &str = ".ctl/reserve";
/// Keeps `.ctl` out of version control.
pub(crate) const IGNORE: &str = ".ctl/.gitignore";
/// The journal's files, one for each generation.
pub(crate) const JOURNAL: &str = ".ctl/journal";
/// The comments that people wrote into objects' files.
pub(crate) const COMMENTS: &str = ".ctl/comments";
/// Says that the directory is a copy whose YAML tree was not looked through yet.
pub(crate) const COPIED: &str = ".ctl/copied";
/// Files on their way into place.
pub(crate) const STAGING: &str = ".ctl/tmp";
/// The settings, for people.
pub(crate) const SETTINGS: &str = "cluster.yaml";

/// The last generation whose name has ten digits.
pub(crate) const MAX_GENERATION: u64 = 9_999_999_999;

/// The file of a generation.
pub(crate) fn generation_path(generation: u64) -> String {
    format!("{JOURNAL}/{generation:010}")
}

/// The generation that a file of the journal directory holds; `None` for anything else.
pub(crate) fn parse_generation(name: &str) -> Option<u64> {
    (name.len() == 10).then(|| name.parse().ok()).flatten()
}

/// A file on its way into the YAML tree, with the revision whose content it has.
pub(crate) fn staged_path(revision: Revision, fresh: u64) -> String {
    format!("{STAGING}/{revision}-{fresh:016x}")
}

/// The revision in a staged file's name.
pub(crate) fn parse_staged(name: &str) -> Option<Revision> {
    name.split_once('-')?.0.parse().ok()
}
