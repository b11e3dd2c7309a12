//! Reads the data of ConfigMaps and Secrets from literals, files and env files.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use clap::Args;
use sha2::{Digest as _, Sha256};

use crate::api::go::quoted;
use crate::api::json::{Value, json};
use crate::cli::error::{CliError, system_words};
use crate::kinds::validate::names;
use crate::kinds::{Kind, find};
use crate::print::json::one_line;
use crate::sys::bounded;

/// The flags that name the sources.
#[derive(Args, Debug)]
pub(super) struct SourceArgs {
    /// File, KEY=FILE or directory with the data
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    from_file: Vec<String>,
    /// Literal data, as KEY=VALUE
    #[arg(long, value_name = "KEY=VALUE")]
    from_literal: Vec<String>,
    /// File with lines KEY=VALUE
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    from_env_file: Vec<String>,
}

/// A key and its content, in the order of the command line.
pub(super) type Pair = (String, Vec<u8>);

impl SourceArgs {
    /// Rejects sources that cannot be combined.
    pub(super) fn check(&self) -> Result<(), CliError> {
        // An env file names its own keys, so kubectl does not combine it with the other flags.
        let others = !self.from_file.is_empty() || !self.from_literal.is_empty();
        if others && !self.from_env_file.is_empty() {
            let text = "from-env-file cannot be combined with from-file or from-literal";
            return Err(CliError::text(text));
        }
        Ok(())
    }

    /// Reads the sources of an object of a kind.
    pub(super) fn read(&self, kind: &str) -> Result<Vec<Pair>, CliError> {
        self.check()?;
        let mut pairs = files(&self.from_file, kind)?;
        pairs.extend(self.literals(kind)?);
        for path in &self.from_env_file {
            env_file(path, kind, &mut pairs)?;
        }
        Ok(pairs)
    }

    /// Returns the literals.
    pub(super) fn literals(&self, kind: &str) -> Result<Vec<Pair>, CliError> {
        let pair = |source: &String| match source.split_once('=') {
            Some((key, value)) if !key.is_empty() => {
                check_key(key, kind)?;
                Ok((key.to_owned(), value.as_bytes().to_vec()))
            }
            _ => Err(CliError::text(format!(
                "invalid literal source {source}, expected key=value"
            ))),
        };
        self.from_literal.iter().map(pair).collect()
    }
}

/// Returns the contents of files and of the files in directories.
pub(super) fn files(sources: &[String], kind: &str) -> Result<Vec<Pair>, CliError> {
    let mut pairs = Vec::new();
    for source in sources {
        let (key, path) = file_source(source)?;
        let found = fs::metadata(&path).map_err(|e| reading(&path, &e))?;
        if !found.is_dir() {
            let content = content(Path::new(&path))?;
            check_key(&key, kind)?;
            pairs.push((key, content));
            continue;
        }
        if source.contains('=') {
            let text = "cannot give a key name for a directory path";
            return Err(CliError::text(text));
        }
        let mut entries = fs::read_dir(&path)
            .and_then(Iterator::collect::<io::Result<Vec<_>>>)
            .map_err(|e| CliError::text(format!("error listing files in {path}: {e}")))?;
        // Entries are sorted as by Go's `os.ReadDir`, so that the first of several invalid keys is the one reported.
        entries.sort_by_cached_key(fs::DirEntry::file_name);
        for entry in entries {
            // As in kubectl, subdirectories, symbolic links and devices are skipped.
            if entry.file_type().is_ok_and(|t| t.is_file()) {
                let key = entry.file_name().to_string_lossy().into_owned();
                let content = content(&entry.path())?;
                check_key(&key, kind)?;
                pairs.push((key, content));
            }
        }
    }
    Ok(pairs)
}

fn file_source(source: &str) -> Result<(String, String), CliError> {
    let refused = |text: String| Err(CliError::text(text));
    match source.split_once('=') {
        None => {
            let plain = source.trim_end_matches('/');
            let base = plain.rsplit('/').next().unwrap_or(plain);
            Ok((base.to_owned(), source.to_owned()))
        }
        Some((_, path)) if path.contains('=') => {
            refused("key names or file paths cannot contain '='".to_owned())
        }
        Some(("", path)) => refused(format!("key name for file path {path} missing")),
        Some((key, "")) => refused(format!("file path for key name {key} missing")),
        Some((key, path)) => Ok((key.to_owned(), path.to_owned())),
    }
}

fn reading(path: &str, error: &io::Error) -> CliError {
    CliError::text(format!("error reading {path}: {}", system_words(error)))
}

/// Reads a file.
pub(super) fn content(path: &Path) -> Result<Vec<u8>, CliError> {
    let content = bounded::read(path, bounded::CONTENT);
    content.map_err(|e| CliError::unread(&path.display().to_string(), &e))
}

fn env_file(path: &str, kind: &str, pairs: &mut Vec<Pair>) -> Result<(), CliError> {
    let found = fs::metadata(path).map_err(|e| reading(path, &e))?;
    if found.is_dir() {
        let what = if kind == "Secret" { "secret" } else { "config" };
        let text = format!("env {what} file cannot be a directory");
        return Err(CliError::text(text));
    }
    let bytes = content(Path::new(path))?;
    for (at, line) in bytes.split(|b| *b == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let Ok(text) = std::str::from_utf8(line) else {
            // Go prints a slice of bytes without commas.
            let (at, bytes) = (at + 1, format!("{line:?}").replace(',', ""));
            return Err(CliError::text(format!(
                "env file {path} contains invalid utf8 bytes at line {at}: {bytes}"
            )));
        };
        // A Windows editor may write a byte order mark, which would become part of the first key.
        let text = text
            .strip_prefix('\u{feff}')
            .filter(|_| at == 0)
            .unwrap_or(text);
        let line = text.trim_start();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (key, value) = match line.split_once('=') {
            Some((key, value)) => (key, value.to_owned()),
            // A name without a value stands for the environment variable of this process.
            None => (line, std::env::var(line).unwrap_or_default()),
        };
        let wrong = names::strict_environment_name(key);
        if !wrong.is_empty() {
            let (key, wrong) = (quoted(key), wrong.join(";"));
            return Err(CliError::text(format!(
                "{key} is not a valid key name: {wrong}"
            )));
        }
        pairs.push((key.to_owned(), value.into_bytes()));
    }
    Ok(())
}

/// Rejects an invalid key.
fn check_key(key: &str, kind: &str) -> Result<(), CliError> {
    let wrong = names::config_key(key);
    if wrong.is_empty() {
        return Ok(());
    }
    let (key, wrong) = (quoted(key), wrong.join(","));
    Err(CliError::text(match kind {
        // kubectl's text for Secrets lacks an article and the colon.
        "Secret" => format!("{key} is not valid key name for a Secret {wrong}"),
        _ => format!("{key} is not a valid key name for a {kind}: {wrong}"),
    }))
}

/// Appends a hash of the object's content to its name.
pub(super) fn with_hash(mut object: Value) -> Value {
    let name = object["metadata"]["name"].clone();
    let mut hashed = json!({"kind": object["kind"], "name": name, "data": {}});
    if object["data"].is_object() {
        hashed["data"] = object["data"].clone();
    }
    let kind = find("", "v1", object["kind"].as_str().unwrap_or_default());
    if kind.is_some_and(Kind::is_confidential) {
        // The hash covers kubectl's fields in kubectl's encoding, because any difference would change every name.
        hashed["type"] = json!(object["type"].as_str().unwrap_or_default());
    }
    if object["binaryData"].is_object() {
        hashed["binaryData"] = object["binaryData"].clone();
    }
    let digest = Sha256::digest(one_line(&hashed).as_bytes());
    let mut hash = String::new();
    // As in kubectl, the first ten hexadecimal digits of the digest are used.
    for byte in digest.iter().take(5) {
        let _ = write!(hash, "{byte:02x}");
    }
    // kubectl replaces digits that are or resemble vowels, so that no words can appear.
    let clean = |c: char| match c {
        '0' => 'g',
        '1' => 'h',
        '3' => 'k',
        'a' => 'm',
        'e' => 't',
        c => c,
    };
    let hash: String = hash.chars().map(clean).collect();
    let name = name.as_str().unwrap_or_default();
    object["metadata"]["name"] = json!(format!("{name}-{hash}"));
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_source_key_is_given_or_the_file_name() {
        let pair = |source| file_source(source).map_err(|e| e.to_string());
        let owned = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(pair("a/b.ini").unwrap(), owned("b.ini", "a/b.ini"));
        assert_eq!(pair("k=a/b").unwrap(), owned("k", "a/b"));
        assert_eq!(pair("=b").unwrap_err(), "key name for file path b missing");
        assert_eq!(pair("k=").unwrap_err(), "file path for key name k missing");
    }

    #[test]
    fn name_hash_matches_kubectl() {
        let object = json!({"kind": "ConfigMap", "metadata": {"name": "conf"}, "data": {"a": "1"}});
        assert_eq!(with_hash(object)["metadata"]["name"], "conf-7m94cg445b");
        for (kind, name) in [
            ("ConfigMap", "foo-867km9574f"),
            ("Secret", "foo-949tdgdkgg"),
        ] {
            let empty = json!({"kind": kind, "metadata": {"name": "foo"}});
            assert_eq!(with_hash(empty)["metadata"]["name"], name);
        }
    }
}
