//! Reads files for `kustomize` from the disk, within limits.

use std::io;
use std::path::{Path, PathBuf};

use super::error::{CliError, system_words};
use super::ui::Ui;
use crate::api::json::Value;
use crate::kustomize::{self, Files, Options, Place};
use crate::sys::bounded;

/// The file system of this machine.
struct Disk;

impl Files for Disk {
    fn locate(&self, path: &str) -> Result<Place, String> {
        let found = Path::new(path)
            .canonicalize()
            .map_err(|e| missing(path, &e))?;
        let text = found.to_str().map(str::to_owned);
        let text = text.ok_or_else(|| format!("lstat {path}: the name is not UTF-8"))?;
        Ok(if found.is_dir() {
            Place::Directory(text)
        } else {
            Place::File(text)
        })
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let failed = |e: io::Error| format!("open {path}: {}", system_words(&e));
        let meta = std::fs::metadata(path).map_err(failed)?;
        // Reading a named pipe would block forever.
        if !meta.is_file() {
            return Err(format!("open {path}: not a regular file"));
        }
        bounded::read(path, bounded::MANIFESTS).map_err(failed)
    }
}

/// Returns Go's error about a missing path, which names the first missing part.
fn missing(path: &str, error: &io::Error) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path));
    let mut parts: Vec<&Path> = absolute.ancestors().collect();
    parts.reverse();
    let first = parts.into_iter().find_map(|part| {
        let error = part.symlink_metadata().err()?;
        Some(format!(
            "lstat {}: {}",
            part.display(),
            system_words(&error)
        ))
    });
    first.unwrap_or_else(|| format!("lstat {}: {}", absolute.display(), system_words(error)))
}

/// Builds the kustomization in a directory and prints its warnings.
pub(crate) fn build(directory: &str, options: Options, ui: &Ui) -> Result<Vec<Value>, CliError> {
    let mut warnings = Vec::new();
    let built = kustomize::build(&Disk, directory, options, &mut warnings);
    // Warnings are printed even if the build fails, because a deprecated field may be the reason.
    for warning in &warnings {
        ui.note(warning);
    }
    built.map_err(|e| CliError::text(e.to_string()))
}

/// Returns the manifests of the kustomization in a directory, for `-k`.
pub(crate) fn render(directory: &str) -> Result<String, CliError> {
    let objects = build(directory, Options::default(), &Ui::new())?;
    Ok(kustomize::to_yaml(&objects))
}
