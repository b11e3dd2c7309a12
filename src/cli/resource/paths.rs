//! Finds the files that a name, a pattern or a directory refers to.

use std::path::{Path, PathBuf};

use crate::api::go::quoted;
use crate::cli::error::CliError;

/// Returns the paths for a name: the file with that name if it exists, or else the paths that match it as a pattern.
pub(super) fn paths(name: &str) -> Result<Vec<PathBuf>, CliError> {
    let path = Path::new(name);
    match std::fs::metadata(path) {
        Ok(_) => return Ok(vec![path.to_owned()]),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
        Err(e) => {
            let text = format!("the path {} cannot be accessed: {e}", quoted(name));
            return Err(CliError::text(text));
        }
    }
    let found: Vec<PathBuf> = glob(name).iter().map(|path| clean(path)).collect();
    if found.is_empty() {
        let text = format!("the path {} does not exist", quoted(name));
        return Err(CliError::text(text));
    }
    Ok(found)
}

/// Returns the shortest form of a path, which Go uses for paths below a directory and which messages contain.
pub(crate) fn clean(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut clean = PathBuf::new();
    for part in path.components() {
        match (part, clean.components().next_back()) {
            (Component::CurDir, _) | (Component::ParentDir, Some(Component::RootDir)) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => drop(clean.pop()),
            (part, _) => clean.push(part),
        }
    }
    clean
}

/// Returns the paths that match a shell pattern, sorted.
pub(crate) fn glob(pattern: &str) -> Vec<PathBuf> {
    if !pattern.contains(['*', '?', '[']) {
        return Vec::new();
    }
    let mut found = vec![PathBuf::from(if pattern.starts_with('/') {
        "/"
    } else {
        ""
    })];
    for part in pattern.split('/').filter(|p| !p.is_empty()) {
        found = found.iter().flat_map(|dir| matches_in(dir, part)).collect();
    }
    found
}

fn matches_in(dir: &Path, part: &str) -> Vec<PathBuf> {
    if !part.contains(['*', '?', '[']) {
        let path = dir.join(part);
        return if path.exists() {
            vec![path]
        } else {
            Vec::new()
        };
    }
    let here = if dir.as_os_str().is_empty() {
        Path::new(".")
    } else {
        dir
    };
    let Ok(entries) = std::fs::read_dir(here) else {
        return Vec::new();
    };
    let names = entries.filter_map(|e| e.ok()?.file_name().into_string().ok());
    let pattern: Vec<char> = part.chars().collect();
    let fits = |name: &String| fits(&pattern, &name.chars().collect::<Vec<_>>());
    let mut names: Vec<String> = names.filter(fits).collect();
    // The file system returns entries in any order, but repeated runs must create objects in one order.
    names.sort();
    names.into_iter().map(|name| dir.join(name)).collect()
}

/// Returns true if a name matches a pattern of `*`, `?` and `[a-z]`.
fn fits(pattern: &[char], name: &[char]) -> bool {
    match pattern {
        [] => name.is_empty(),
        ['*', rest @ ..] => (0..=name.len()).any(|skip| fits(rest, &name[skip..])),
        ['?', rest @ ..] => !name.is_empty() && fits(rest, &name[1..]),
        ['[', rest @ ..] => {
            let (Some(end), Some(c)) = (rest.iter().position(|c| *c == ']'), name.first()) else {
                return false;
            };
            in_class(&rest[..end], *c) && fits(&rest[end + 1..], &name[1..])
        }
        [c, rest @ ..] => name.first() == Some(c) && fits(rest, &name[1..]),
    }
}

fn in_class(class: &[char], c: char) -> bool {
    let (class, negated) = match class {
        ['^', rest @ ..] => (rest, true),
        all => (all, false),
    };
    let mut at = 0;
    let mut inside = false;
    while at < class.len() {
        let is_range = class.get(at + 1) == Some(&'-') && at + 2 < class.len();
        let last = if is_range { class[at + 2] } else { class[at] };
        inside |= (class[at]..=last).contains(&c);
        at += if is_range { 3 } else { 1 };
    }
    inside != negated
}

/// Adds the manifests in a directory to the list of files.
pub(super) fn walk(dir: &Path, recursive: bool, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(dir)?
        .map(|e| Ok(e?.path()))
        .collect::<Result<_, std::io::Error>>()?;
    // Go's `filepath.Walk` sorts entries, so objects are sent in kubectl's order.
    entries.sort();
    for path in entries {
        let known = path
            .extension()
            .is_some_and(|e| e == "yaml" || e == "yml" || e == "json");
        if path.is_dir() {
            if recursive {
                walk(&path, recursive, files)?;
            }
        // Other files are skipped only in directories: a file named with `-f` is read whatever its extension is.
        } else if known {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_like_shell_globs() {
        let fit = |pattern: &str, name: &str| {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            fits(&chars(pattern), &chars(name))
        };
        assert!(fit("*.yaml", "a.yaml") && fit("?-[a-c]*", "x-beta") && fit("[^a]", "b"));
        assert!(!fit("*.yaml", "a.yml") && !fit("[a", "a") && !fit("?", ""));
    }

    #[test]
    fn paths_below_directories_are_named_in_their_shortest_form() {
        for (path, name) in [
            ("./a.yaml", "a.yaml"),
            ("./two/./a.yaml", "two/a.yaml"),
            ("two/../two//a.yaml", "two/a.yaml"),
            ("../a.yaml", "../a.yaml"),
            ("../../a.yaml", "../../a.yaml"),
            ("/../a.yaml", "/a.yaml"),
        ] {
            assert_eq!(clean(Path::new(path)), Path::new(name), "{path}");
        }
    }
}
