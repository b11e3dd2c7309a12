//! Field names that are cheap to clone.

use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};
use std::ops::Deref;
use std::sync::Arc;

/// The name of a field. Most names come from a schema that lives as long as the process; these are never copied.
///
/// ```
/// use ctl_api::patch::name::Name;
///
/// let fixed = Name::Fixed("replicas");
/// assert_eq!(fixed, Name::from("replicas"));
/// assert_eq!(fixed.len(), 8);
/// ```
#[derive(Debug, Clone)]
pub enum Name {
    /// A name from a schema.
    Fixed(&'static str),
    /// Any other name.
    Shared(Arc<str>),
}

impl Name {
    /// Returns true if both names are the same text in memory. Most compared names come from one schema.
    fn is(&self, other: &Self) -> bool {
        std::ptr::eq(&raw const **self, &raw const **other)
    }

    /// Returns `text` as a name, without a copy if it equals `fixed`.
    pub fn known(text: &str, fixed: Option<&'static str>) -> Self {
        match fixed.filter(|fixed| *fixed == text) {
            // A schema's name lives as long as the process, so it needs no reference count.
            Some(fixed) => Self::Fixed(fixed),
            None => Self::from(text),
        }
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Fixed(text) => text,
            Self::Shared(text) => text,
        }
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self::Shared(text.into())
    }
}

impl Display for Name {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> Ordering {
        match self.is(other) {
            true => Ordering::Equal,
            false => (**self).cmp(&**other),
        }
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.is(other) || **self == **other
    }
}

impl Eq for Name {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_by_their_text() {
        assert_eq!(Name::Fixed("spec"), Name::from("spec"));
        assert!(Name::Fixed("a") < Name::from("b"));
        assert!(matches!(Name::known("spec", Some("spec")), Name::Fixed(_)));
        assert!(matches!(Name::known("spec", Some("x")), Name::Shared(_)));
        assert_eq!(Name::known("spec", Some("x")).to_string(), "spec");
    }
}
