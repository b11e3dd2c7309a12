//! Finds the cases in files and directories.

use std::path::Path;
use std::sync::Arc;

use super::case::Case;
use super::files::{entries, is_yaml, text_of};
use super::{chainsaw, kuttl, own};

/// The maximum depth at which directories are searched, which also ends a cycle of symbolic links.
const DEPTH: usize = 16;

/// Returns the cases of files and directories, in the order of their paths.
pub(super) fn cases(paths: &[String]) -> Result<Vec<Case>, String> {
    let mut all = Vec::new();
    for path in paths {
        let before = all.len();
        let path = Path::new(path);
        match path.is_dir() {
            true => directory(path, DEPTH, &kuttl::Suite::default(), &mut all)?,
            false => file(path, &mut all)?,
        }
        if all.len() == before {
            return Err(format!("{}: no test case", path.display()));
        }
    }
    Ok(all)
}

/// Adds the cases of a directory. `suite` has the settings of its kuttl suite.
fn directory(
    path: &Path,
    depth: usize,
    suite: &kuttl::Suite,
    all: &mut Vec<Case>,
) -> Result<(), String> {
    if let Some(file) = kuttl::suite_file(path) {
        return kuttl_suite(&file, depth, all);
    }
    let entries = entries(path)?;
    if kuttl::is_case(&entries, suite) {
        all.push(kuttl::case(path, &entries, suite)?);
        return Ok(());
    }
    for entry in entries {
        // Hidden directories, such as `.git`, contain no cases.
        let hidden = entry
            .file_name()
            .is_some_and(|n| n.as_encoded_bytes().starts_with(b"."));
        if entry.is_dir() {
            if !hidden && depth > 0 {
                directory(&entry, depth - 1, suite, all)?;
            }
        } else if is_yaml(&entry) {
            file(&entry, all)?;
        }
    }
    Ok(())
}

fn kuttl_suite(file: &Path, depth: usize, all: &mut Vec<Case>) -> Result<(), String> {
    let suite = kuttl::suite(file)?;
    for path in &suite.directories {
        let own = file.parent() == Some(path);
        // A suite that names its own directory means the directories below it.
        let below = if own {
            entries(path)?
        } else {
            vec![path.clone()]
        };
        for path in below.iter().filter(|path| path.is_dir() && depth > 0) {
            directory(path, depth - 1, &suite, all)?;
        }
    }
    Ok(())
}

/// Adds the cases of a file. A file without cases is an ordinary manifest.
fn file(path: &Path, all: &mut Vec<Case>) -> Result<(), String> {
    if kuttl::is_suite(path) {
        return kuttl_suite(path, DEPTH, all);
    }
    let text = text_of(path)?;
    let shown = path.display().to_string();
    // Manifest templates are not valid YAML, so only files that mention the format are parsed.
    let names = |word: &str| text.windows(word.len()).any(|part| part == word.as_bytes());
    let directory = path.parent().unwrap_or(Path::new(""));
    let file: Arc<str> = shown.as_str().into();
    if names(&format!("apiVersion: {}", own::GROUP)) {
        let mut documents = own::parsed(&text, &shown)?;
        if let Some(text) = documents.iter().find_map(|own| own::mistaken(&own.value)) {
            return Err(format!("{shown}: {text}"));
        }
        documents.retain(|document| own::is_case(&document.value));
        all.extend(own::read(&documents, &file, directory)?);
    } else if names(chainsaw::GROUP) {
        let mut documents = own::parsed(&text, &shown)?;
        documents.retain(|document| chainsaw::is_case(&document.value));
        all.extend(chainsaw::read(&documents, &file, directory)?);
    }
    Ok(())
}
