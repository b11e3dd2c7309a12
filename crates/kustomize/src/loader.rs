//! The files that a kustomization may refer to, and their paths.

use super::{KustomizeError, Result};

/// The target of a path, with symbolic links resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The absolute path of a directory.
    Directory(String),
    /// The absolute path of a file.
    File(String),
}

/// Access to the files around a kustomization.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use ctl_kustomize::{Files, KustomizeError, Options, Place, build};
///
/// /// Files in memory, by their absolute path.
/// struct Memory(BTreeMap<&'static str, &'static str>);
///
/// impl Files for Memory {
///     fn locate(&self, path: &str) -> Result<Place, String> {
///         if self.0.contains_key(path) {
///             return Ok(Place::File(path.to_owned()));
///         }
///         match path {
///             "/app" => Ok(Place::Directory(path.to_owned())),
///             _ => Err(format!("lstat {path}: no such file or directory")),
///         }
///     }
///
///     fn read(&self, path: &str) -> Result<Vec<u8>, String> {
///         Ok(self.0[path].as_bytes().to_vec())
///     }
/// }
///
/// let files = Memory(BTreeMap::from([
///     ("/app/kustomization.yaml", "namePrefix: dev-\nresources: [web.yaml]\n"),
///     ("/app/web.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n"),
/// ]));
/// let mut warnings = Vec::new();
/// let objects = build(&files, "/app", Options::default(), &mut warnings)?;
/// assert_eq!(objects[0]["metadata"]["name"], "dev-web");
/// # Ok::<(), KustomizeError>(())
/// ```
pub trait Files {
    /// Resolves a path. Relative paths start at the working directory.
    ///
    /// # Errors
    /// Returns the system's error, such as `lstat /x: no such file or directory`.
    fn locate(&self, path: &str) -> std::result::Result<Place, String>;

    /// Reads a file that [`Self::locate`] found.
    ///
    /// # Errors
    /// Returns the system's error.
    fn read(&self, path: &str) -> std::result::Result<Vec<u8>, String>;
}

/// The directory of a kustomization, with the directories of the kustomizations that include it.
#[derive(Clone)]
pub(super) struct Loader<'a> {
    files: &'a dyn Files,
    only_below_root: bool,
    root: String,
    visited: Vec<String>,
}

impl<'a> Loader<'a> {
    /// Opens the directory of the top-level kustomization.
    pub(super) fn new(files: &'a dyn Files, path: &str, only_below_root: bool) -> Result<Self> {
        let root = directory(files, path)?;
        Ok(Self {
            files,
            only_below_root,
            visited: vec![root.clone()],
            root,
        })
    }

    pub(super) fn root(&self) -> &str {
        &self.root
    }

    /// Returns the loader of a base or component.
    pub(super) fn below(&self, path: &str) -> Result<Self> {
        if path.is_empty() {
            return Err(KustomizeError::new("new root cannot be empty"));
        }
        // kustomize clones remote bases with git, but a build must be repeatable without a network.
        if is_remote(path) {
            return Err(KustomizeError::new(format!(
                "'{path}' is remote, and nothing is loaded from the network"
            )));
        }
        if path.starts_with('/') {
            return Err(KustomizeError::new(format!(
                "new root '{path}' cannot be absolute"
            )));
        }
        // A base may be outside the directory, such as `../base` in an overlay. Only single files are confined to it.
        let root = directory(self.files, &join(&self.root, path))?;
        for visited in self.visited.iter().rev() {
            // A base that contains a kustomization being built would include itself.
            if is_below(visited, &root) {
                return Err(KustomizeError::new(format!(
                    "cycle detected: candidate root '{root}' contains visited root '{visited}'"
                )));
            }
        }
        let mut visited = self.visited.clone();
        visited.push(root.clone());
        Ok(Self {
            root,
            visited,
            ..self.clone()
        })
    }

    /// Reads a file of a kustomization.
    pub(super) fn load(&self, path: &str) -> Result<Vec<u8>> {
        if is_remote(path) {
            return Err(KustomizeError::new(format!(
                "'{path}' is remote, and nothing is loaded from the network"
            )));
        }
        let absolute = join(&self.root, path);
        let file = match locate(self.files, &absolute)? {
            Place::File(file) => file,
            Place::Directory(_) => {
                return Err(KustomizeError::new(format!(
                    "'{absolute}' must resolve to a file"
                )));
            }
        };
        // Symbolic links are resolved first, so that they cannot lead out of the directory.
        let parent = file.rsplit_once('/').map_or("/", |(parent, _)| parent);
        if self.only_below_root && !is_below(parent, &self.root) {
            return Err(KustomizeError::new(format!(
                "security; file '{absolute}' is not in or below '{}'",
                self.root
            )));
        }
        self.files.read(&file).map_err(KustomizeError::new)
    }
}

fn is_remote(path: &str) -> bool {
    ["https://", "http://", "git@", "git::", "ssh://", "oci://"]
        .iter()
        .any(|start| path.starts_with(start))
        || path.starts_with("github.com/")
}

fn locate(files: &dyn Files, path: &str) -> Result<Place> {
    let failed = |e| KustomizeError::new(format!("evalsymlink failure on '{path}' : {e}"));
    files.locate(path).map_err(failed)
}

fn directory(files: &dyn Files, path: &str) -> Result<String> {
    match locate(files, path) {
        Ok(Place::Directory(directory)) => Ok(directory),
        Ok(Place::File(_)) => Err(KustomizeError::new(format!(
            "must build at directory: '{path}': file is not directory"
        ))),
        Err(e) => Err(e.of("must build at directory: not a valid directory")),
    }
}

/// Returns true if `path` equals `above` or is below it.
fn is_below(path: &str, above: &str) -> bool {
    path == above
        || above == "/"
        || path
            .strip_prefix(above)
            .is_some_and(|rest| rest.starts_with('/'))
}

/// Joins a path to a directory, resolving `.` and `..`.
fn join(root: &str, path: &str) -> String {
    let whole = if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("{root}/{path}")
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}
