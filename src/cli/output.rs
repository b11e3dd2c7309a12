//! Formats names of objects in sentences, and writes files that the user requested.

use std::fs::{File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use crate::kinds::Kind;
use crate::print::objects::UNNAMED;

/// Returns type and name, such as `deployment.apps/web`.
pub(crate) fn type_and_name(kind: &Kind, name: &str) -> String {
    let name = if name.is_empty() { UNNAMED } else { name };
    format!("{}/{name}", type_name(kind))
}

/// Returns a type, such as `deployment.apps`.
pub(crate) fn type_name(kind: &Kind) -> String {
    let lower = kind.kind.to_lowercase();
    match kind.group {
        "" => lower,
        group => format!("{lower}.{group}"),
    }
}

/// Writes a file that only its owner may read.
pub(crate) fn write_private_file(path: &Path, text: &str) -> io::Result<()> {
    let mut options = File::options();
    let mut file = options
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)?;
    // The mode of `open` applies only to new files; others may be able to read an existing one.
    file.set_permissions(Permissions::from_mode(0o600))?;
    file.write_all(text.as_bytes())
}

/// Writes a file for the user outside the cluster.
pub(crate) fn write_file(path: &Path, text: &str) -> io::Result<()> {
    File::create(path)?.write_all(text.as_bytes())
}
