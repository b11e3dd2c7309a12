//! The files of a directory that holds no cluster yet.

use std::path::Path;

use crate::sys::fs::Fs as _;
use crate::sys::real_fs::RealFs;

/// The file that names the store of a cluster.
pub const STORE_FILE: &str = "store.yaml";

/// The file that names the original of a mirror.
pub(crate) const MIRROR_FILE: &str = "mirror.yaml";

/// Returns true if a directory is missing or has no files, except those that a killed process left half-written.
pub(crate) fn is_empty(path: &Path) -> bool {
    RealFs::open(path)
        .and_then(|fs| fs.list("."))
        .map_or(true, |files| {
            files.iter().all(|file| is_leftover(&file.name))
        })
}

/// Returns true if a file is the beginning of an address or of a mirror's note.
fn is_leftover(name: &str) -> bool {
    [STORE_FILE, MIRROR_FILE].iter().any(|file| {
        let rest = name
            .strip_prefix('.')
            .and_then(|name| name.strip_prefix(file));
        rest.is_some_and(|rest| rest.starts_with('-'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_of_a_killed_process_do_not_count() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("new");
        assert!(is_empty(&path));
        std::fs::create_dir(&path).unwrap();
        for (name, empty) in [
            (".store.yaml-307469cfc64d5e9b", true),
            ("store.yaml", false),
        ] {
            std::fs::File::create(path.join(name)).unwrap();
            assert_eq!(is_empty(&path), empty, "{name}");
        }
    }
}
