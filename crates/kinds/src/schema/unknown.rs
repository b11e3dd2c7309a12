//! The paths of unknown fields. A path is built only if it will be reported.

/// The maximum number of paths that the API server's decoder reports.
const MOST: usize = 100;

/// The paths of the first unknown fields of an object.
#[derive(Debug, Default)]
pub(crate) struct Unknown(Vec<String>);

impl Unknown {
    /// Adds a path unless the maximum is reached.
    pub(crate) fn add(&mut self, path: impl FnOnce() -> String) {
        if self.0.len() < MOST {
            self.0.push(path());
        }
    }

    /// Returns the paths in the order in which they were found.
    pub(crate) fn found(self) -> Vec<String> {
        self.0
    }

    /// Returns the paths, sorted.
    pub(crate) fn sorted(mut self) -> Vec<String> {
        self.0.sort();
        self.0
    }
}

/// A step of the path to a field.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'o> {
    /// A member of an object.
    Name(&'o str),
    /// An item of a list.
    Index(usize),
}

/// Writes the path of a member, such as `spec.containers[0].name`.
pub(crate) fn path_to(above: &[Part<'_>], key: &str) -> String {
    path_of(above.iter().copied().chain([Part::Name(key)]))
}

/// Writes a path.
pub(crate) fn path_of<'o>(parts: impl Iterator<Item = Part<'o>>) -> String {
    let mut path = String::new();
    for part in parts {
        match part {
            Part::Index(index) => path.push_str(&format!("[{index}]")),
            Part::Name(name) => {
                if !path.is_empty() && !name.starts_with('[') {
                    path.push('.');
                }
                path.push_str(name);
            }
        }
    }
    path
}
