//! The object from which another was derived. Parts that share its memory need not be checked again (design note 4).

use crate::api::json::Value;

/// The part of a stored object that corresponds to the current position of a traversal, if there is one.
///
/// A stored object is valid: it has passed [`super::decode::check`] and [`super::canonical::apply`].
///
/// ```
/// use ctl_api::json::json;
/// use ctl_kinds::schema::StoredFields;
/// use ctl_kinds::{find, shape};
///
/// let kind = find("", "v1", "ConfigMap").unwrap();
/// let stored = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "1"}});
/// // Parts that equal those of the stored object are not checked again.
/// let read = shape::read_since(kind, &stored, StoredFields::from(&stored)).unwrap();
/// assert_eq!(read.object["data"]["a"], "1");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct StoredFields<'k>(Option<&'k Value>);

impl<'k> StoredFields<'k> {
    /// There is no stored object.
    pub const NOTHING: Self = Self(None);

    /// Returns true if the value is this part: the same memory, not merely equal.
    pub(crate) fn is(self, value: &Value) -> bool {
        self.0.is_some_and(|known| known.is(value))
    }

    /// Returns the part for a member of the value. Skips the lookup for scalars, which are cheaper to check again.
    pub(crate) fn member(self, name: &str, value: &Value) -> Self {
        match value {
            Value::Object(_) | Value::Array(_) => Self(self.0.and_then(|known| known.get(name))),
            _ => Self::NOTHING,
        }
    }

    /// Returns the part for an item of the value.
    pub(super) fn item(self, index: usize) -> Self {
        Self(self.0.and_then(|known| known.get(index)))
    }
}

impl<'k> From<&'k Value> for StoredFields<'k> {
    fn from(object: &'k Value) -> Self {
        Self(Some(object))
    }
}

impl<'k> From<Option<&'k Value>> for StoredFields<'k> {
    fn from(object: Option<&'k Value>) -> Self {
        Self(object)
    }
}
