//! The files of a fake container: a tree in memory.

use std::collections::BTreeMap;

/// The maximum total size of the files in bytes.
pub(crate) const MOST: usize = 8 * 1024 * 1024;

/// Files and directories, by absolute path.
///
/// ```
/// use ctl_shell::Files;
///
/// let mut files = Files::default();
/// files.write("/etc/motd", b"hello\n".to_vec())?;
/// assert!(files.is_directory("/etc"));
/// assert_eq!(files.names("/etc"), ["motd"]);
/// assert_eq!(files.read("/etc/motd")?, b"hello\n");
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    files: BTreeMap<String, Vec<u8>>,
    directories: std::collections::BTreeSet<String>,
}

impl Files {
    /// Returns the content of a file.
    ///
    /// # Errors
    /// Returns the system's error if there is no such file.
    pub fn read(&self, path: &str) -> Result<&[u8], &'static str> {
        match self.files.get(path) {
            Some(content) => Ok(content),
            None if self.is_directory(path) => Err("Is a directory"),
            None => Err("No such file or directory"),
        }
    }

    /// Writes a file, creating missing directories.
    ///
    /// # Errors
    /// Returns the system's error if the path is a directory or there is no space left.
    pub fn write(&mut self, path: &str, content: Vec<u8>) -> Result<(), &'static str> {
        if self.is_directory(path) {
            return Err("Is a directory");
        }
        let others: usize = self
            .files
            .iter()
            .filter(|(own, _)| *own != path)
            .map(|(own, content)| own.len() + content.len())
            .sum();
        // Anyone with the right to exec can run scripts, so the size of their files is limited.
        if others + path.len() + content.len() > MOST {
            return Err("No space left on device");
        }
        self.files.insert(path.to_owned(), content);
        self.make_parents(path);
        Ok(())
    }

    /// Creates a directory.
    ///
    /// # Errors
    /// Returns the system's error if the path already exists.
    pub fn make_directory(&mut self, path: &str) -> Result<(), &'static str> {
        if self.files.contains_key(path) || self.is_directory(path) {
            return Err("File exists");
        }
        self.directories.insert(path.to_owned());
        self.make_parents(path);
        Ok(())
    }

    /// Creates the parent directories of a path.
    fn make_parents(&mut self, path: &str) {
        let ends = path.match_indices('/').map(|(at, _)| at);
        let parents = ends.filter(|at| *at > 0).map(|at| path[..at].to_owned());
        self.directories.extend(parents);
    }

    /// Removes a file, or a directory with everything in it.
    pub fn remove(&mut self, path: &str) {
        let below = format!("{path}/");
        // Removes `/a` and `/a/b`, but not `/ab`.
        let stays = |own: &str| own != path && !own.starts_with(&below);
        self.files.retain(|own, _| stays(own));
        self.directories.retain(|own| stays(own));
    }

    /// Returns true if the path is a directory.
    pub fn is_directory(&self, path: &str) -> bool {
        path == "/" || self.directories.contains(path)
    }

    /// Returns true if the path is a file.
    pub fn is_file(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Returns the names in a directory, sorted.
    pub fn names(&self, path: &str) -> Vec<String> {
        let below = if path == "/" {
            "/".to_owned()
        } else {
            format!("{path}/")
        };
        let all = self.files.keys().chain(&self.directories);
        let mut names: Vec<String> = all
            .filter_map(|own| own.strip_prefix(&below)?.split('/').next())
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// Returns the files as paths and contents, sorted by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let all = self.files.iter();
        all.map(|(path, content)| (path.as_str(), content.as_slice()))
    }
}

/// Converts a path relative to a directory into an absolute path.
pub fn absolute(directory: &str, path: &str) -> String {
    let whole = match path.starts_with('/') {
        true => path.to_owned(),
        false => format!("{directory}/{path}"),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            // The parent of the root is the root.
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}
