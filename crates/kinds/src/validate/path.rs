//! The path of a field: a linked list on the stack that is formatted only if a rule is broken.

use std::fmt;

/// A field's path, such as `spec.containers[0].name`.
#[derive(Debug, Clone, Copy)]
pub struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    segment: Segment<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Segment<'a> {
    Name(&'a str),
    Index(usize),
    Key(&'a str),
}

impl<'a> Path<'a> {
    /// Creates a path of one field; an empty name stands for the object itself.
    pub fn root(name: &'a str) -> Self {
        Self {
            parent: None,
            segment: Segment::Name(name),
        }
    }

    /// Returns the path of a field below this one.
    pub fn child(&'a self, name: &'a str) -> Self {
        self.with(Segment::Name(name))
    }

    /// Returns the path of a list item.
    pub fn index(&'a self, index: usize) -> Self {
        self.with(Segment::Index(index))
    }

    /// Returns the path of a map entry.
    pub fn key(&'a self, key: &'a str) -> Self {
        self.with(Segment::Key(key))
    }

    fn with(&'a self, segment: Segment<'a>) -> Self {
        Self {
            parent: Some(self),
            segment,
        }
    }

    fn is_empty(&self) -> bool {
        self.parent.is_none() && matches!(self.segment, Segment::Name(""))
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The object itself has no name, so the paths of its fields begin without a dot.
        let parent = self.parent.filter(|parent| !parent.is_empty());
        if let Some(parent) = parent {
            parent.fmt(f)?;
        }
        match self.segment {
            Segment::Name(name) if parent.is_some() => write!(f, ".{name}"),
            Segment::Name(name) => f.write_str(name),
            Segment::Index(index) => write!(f, "[{index}]"),
            Segment::Key(key) => write!(f, "[{key}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Path;

    #[test]
    fn paths_read_as_kubernetes_writes_them() {
        let root = Path::root("");
        let spec = root.child("spec");
        let list = spec.child("containers");
        assert_eq!(
            list.index(1).child("limits").key("cpu").to_string(),
            "spec.containers[1].limits[cpu]"
        );
        assert_eq!(root.child("data").key("a b").to_string(), "data[a b]");
    }
}
