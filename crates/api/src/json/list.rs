//! Lists of values.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut, RangeBounds};

use ecow::EcoVec;

use super::value::Value;

/// The items of an array. Derefs to a slice; the first write to a shared list copies it.
///
/// ```
/// use ctl_api::json::{List, Value};
///
/// let first = List::from([Value::from("a")]);
/// let mut second = first.clone();
/// second.push(Value::from("b"));
/// assert_eq!((first.len(), second.len()), (1, 2));
/// ```
#[derive(Clone, Default, Eq)]
pub struct List(EcoVec<Value>);

impl List {
    /// Returns an empty list.
    pub const fn new() -> Self {
        Self(EcoVec::new())
    }

    /// Returns an empty list with this capacity.
    pub fn with_capacity(capacity: usize) -> Self {
        Self(EcoVec::with_capacity(capacity))
    }

    /// Returns all items.
    #[inline]
    pub fn as_slice(&self) -> &[Value] {
        self.0.as_slice()
    }

    /// Appends an item.
    pub fn push(&mut self, value: Value) {
        self.0.push(value);
    }

    /// Removes and returns the last item.
    pub fn pop(&mut self) -> Option<Value> {
        self.0.pop()
    }

    /// Inserts an item at an index.
    pub fn insert(&mut self, index: usize, value: Value) {
        self.0.insert(index, value);
    }

    /// Removes and returns the item at an index.
    pub fn remove(&mut self, index: usize) -> Value {
        self.0.remove(index)
    }

    /// Keeps only the items for which the predicate returns true.
    pub fn retain(&mut self, mut keep: impl FnMut(&Value) -> bool) {
        self.0.retain(|value| keep(value));
    }

    /// Removes each item that equals the one before it.
    pub fn dedup(&mut self) {
        let mut last: Option<Value> = None;
        self.0.retain(|value| {
            let new = last.as_ref() != Some(value);
            if new {
                last = Some(value.clone());
            }
            new
        });
    }

    /// Shortens the list to its first `length` items.
    pub fn truncate(&mut self, length: usize) {
        self.0.truncate(length);
    }

    /// Removes and returns a range of items.
    pub fn drain(&mut self, range: impl RangeBounds<usize>) -> impl Iterator<Item = Value> {
        // Collected first, because a shared list cannot give away its items.
        self.0.drain(range).collect::<Vec<_>>().into_iter()
    }

    /// Removes all items.
    pub fn clear(&mut self) {
        self.0 = EcoVec::new();
    }

    /// Removes and returns all items from an index on.
    pub fn split_off(&mut self, at: usize) -> Self {
        // Copies the rest before cutting the list, because the memory may be shared.
        let rest = self.0[at..].into();
        self.0.truncate(at);
        Self(rest)
    }

    /// Returns true if both lists use the same memory.
    #[inline]
    pub(super) fn is(&self, other: &Self) -> bool {
        // The address of the items identifies the list. Two empty lists share an address, which is harmless.
        std::ptr::eq(self.0.as_slice(), other.0.as_slice())
    }

    /// Returns true if another item fits without a reallocation.
    pub(super) fn has_room(&self) -> bool {
        self.0.capacity() > self.0.len()
    }
}

impl Deref for List {
    type Target = [Value];

    #[inline]
    fn deref(&self) -> &[Value] {
        &self.0
    }
}

impl DerefMut for List {
    fn deref_mut(&mut self) -> &mut [Value] {
        self.0.make_mut()
    }
}

impl fmt::Debug for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Hash for List {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_slice().hash(state);
    }
}

impl PartialEq for List {
    fn eq(&self, other: &Self) -> bool {
        // Lists in the same memory need no comparison, and most compared trees are shared.
        self.is(other) || self.as_slice() == other.as_slice()
    }
}

impl PartialEq<Vec<Value>> for List {
    fn eq(&self, other: &Vec<Value>) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl PartialEq<List> for Vec<Value> {
    fn eq(&self, other: &List) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl From<Vec<Value>> for List {
    fn from(values: Vec<Value>) -> Self {
        Self(values.into())
    }
}

impl From<&[Value]> for List {
    fn from(values: &[Value]) -> Self {
        Self(values.into())
    }
}

impl<const N: usize> From<[Value; N]> for List {
    fn from(values: [Value; N]) -> Self {
        Self(values.into())
    }
}

impl From<List> for Vec<Value> {
    fn from(list: List) -> Self {
        list.into_iter().collect()
    }
}

impl FromIterator<Value> for List {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl Extend<Value> for List {
    fn extend<I: IntoIterator<Item = Value>>(&mut self, values: I) {
        self.0.extend(values);
    }
}

impl IntoIterator for List {
    type Item = Value;
    type IntoIter = ecow::vec::IntoIter<Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a List {
    type Item = &'a Value;
    type IntoIter = std::slice::Iter<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.as_slice().iter()
    }
}

impl<'a> IntoIterator for &'a mut List {
    type Item = &'a mut Value;
    type IntoIter = std::slice::IterMut<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.make_mut().iter_mut()
    }
}
