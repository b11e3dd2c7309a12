//! The object that another was derived from: parts that share memory with it need not be checked
//! again.

use crate::api::json::Value;

/// The part of a sound object that stands where a walk of another one is, if there is one.
///
/// Sound is what [`super::decode::check`] has passed and [`super::canonical::apply`] has shaped, as
/// everything is that is stored.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'k>(Option<&'k Value>);

impl<'k> Known<'k> {
    /// Nothing is known.
    pub const NOTHING: Self = Self(None);

    /// Returns true if a value is this very part.
    pub(super) fn is(self, value: &Value) -> bool {
        self.0.is_some_and(|known| known.is(value))
    }

    /// The part that stands where a member of the value is; scalars are looked at sooner than found.
    pub(super) fn member(self, name: &str, value: &Value) -> Self {
        match value {
            Value::Object(_) | Value::Array(_) => Self(self.0.and_then(|known| known.get(name))),
            _ => Self::NOTHING,
        }
    }

    /// The part that stands where an item of the value is.
    pub(super) fn item(self, index: usize) -> Self {
        Self(self.0.and_then(|known| known.get(index)))
    }
}

impl<'k> From<&'k Value> for Known<'k> {
    fn from(object: &'k Value) -> Self {
        Self(Some(object))
    }
}

impl<'k> From<Option<&'k Value>> for Known<'k> {
    fn from(object: Option<&'k Value>) -> Self {
        Self(object)
    }
}
