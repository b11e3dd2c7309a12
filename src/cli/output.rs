//! How objects are named in sentences, and files that a user asked for.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use crate::kinds::Kind;

/// `deployment.apps/web`.
pub(crate) fn type_and_name(kind: &Kind, name: &str) -> String {
    format!("{}/{name}", type_name(kind))
}

/// `deployment.apps`.
pub(crate) fn type_name(kind: &Kind) -> String {
    let lower = kind.kind.to_lowercase();
    match kind.group {
        "" => lower,
        group => format!("{lower}.{group}"),
    }
}

/// Writes a file for the user, which is none of the cluster's.
pub(crate) fn write_file(path: &Path, text: &str) -> io::Result<()> {
    File::create(path)?.write_all(text.as_bytes())
}
