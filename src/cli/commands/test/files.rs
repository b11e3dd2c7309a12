//! Reads files and directories of test cases.

use std::path::{Path, PathBuf};

use crate::cli::error::system_words;
use crate::sys::bounded;

/// Returns the entries of a directory, sorted by name.
pub(super) fn entries(path: &Path) -> Result<Vec<PathBuf>, String> {
    let unread = |e: std::io::Error| format!("open {}: {}", path.display(), system_words(&e));
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(path).map_err(unread)? {
        entries.push(entry.map_err(unread)?.path());
    }
    // The file system returns entries in any order, but the report must be reproducible.
    entries.sort();
    Ok(entries)
}

/// Returns true if a file name has an extension of YAML.
pub(super) fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "yaml" || e == "yml")
}

/// Reads a file of limited size.
pub(super) fn text_of(path: &Path) -> Result<Vec<u8>, String> {
    let text = bounded::read(path, bounded::MANIFESTS);
    let text = text.map_err(|e| format!("open {}: {}", path.display(), system_words(&e)))?;
    match std::str::from_utf8(&text) {
        Ok(_) => Ok(text),
        Err(_) => Err(format!("{}: is not UTF-8", path.display())),
    }
}
