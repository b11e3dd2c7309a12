//! Changes of objects in the cache.

use super::object::Object;

/// A change of an object in the cache.
#[derive(Clone, Debug)]
pub struct Change {
    /// The object before the change; `None` if it is new.
    pub before: Option<Object>,
    /// The object after the change; `None` if it was deleted.
    pub after: Option<Object>,
}

impl Change {
    /// Returns the current object, or the last version of a deleted one.
    pub fn object(&self) -> Option<&Object> {
        self.after.as_ref().or(self.before.as_ref())
    }

    /// Returns the existing versions, oldest first.
    pub fn versions(&self) -> impl Iterator<Item = &Object> {
        self.before.iter().chain(&self.after)
    }

    /// Returns true if a part of the tree differs between the versions.
    pub fn differs(&self, pointer: &str) -> bool {
        differs(self.before.as_ref(), self.after.as_ref(), pointer)
    }
}

/// Returns true if a part of an object's tree differs between two versions. Paths contain only field names here, so
/// nothing needs unescaping.
pub(super) fn differs(before: Option<&Object>, after: Option<&Object>, path: &str) -> bool {
    let (mut before, mut after) = (before.map(Object::value), after.map(Object::value));
    let mut rest = path.get(1..).unwrap_or_default();
    while !rest.is_empty() {
        // Without a general searcher, which takes longer than the rest: each change is compared by a dozen controllers.
        let end = rest.bytes().position(|b| b == b'/').unwrap_or(rest.len());
        let name = &rest[..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        before = before.and_then(|tree| tree.get(name));
        after = after.and_then(|tree| tree.get(name));
        // Most parts share their memory, and so does all that is below them.
        if let (Some(before), Some(after)) = (before, after)
            && before.is(after)
        {
            return false;
        }
    }
    before != after
}
