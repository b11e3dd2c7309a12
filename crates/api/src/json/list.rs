//! Lists of values.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut, RangeBounds};

use ecow::EcoVec;

use super::value::Value;

/// The items of an array. It reads and writes as a slice; the first write to one that is shared makes
/// it a list of its own.
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
    /// An empty list.
    pub const fn new() -> Self {
        Self(EcoVec::new())
    }

    /// An empty list with room for so many items.
    pub fn with_capacity(capacity: usize) -> Self {
        Self(EcoVec::with_capacity(capacity))
    }

    /// All items.
    pub fn as_slice(&self) -> &[Value] {
        self.0.as_slice()
    }

    /// Puts an item behind the others.
    pub fn push(&mut self, value: Value) {
        self.0.push(value);
    }

    /// Takes the last item.
    pub fn pop(&mut self) -> Option<Value> {
        self.0.pop()
    }

    /// Puts an item before the one of a number.
    pub fn insert(&mut self, index: usize, value: Value) {
        self.0.insert(index, value);
    }

    /// Takes the item of a number.
    pub fn remove(&mut self, index: usize) -> Value {
        self.0.remove(index)
    }

    /// Keeps the items of which this holds.
    pub fn retain(&mut self, mut keep: impl FnMut(&Value) -> bool) {
        self.0.retain(|value| keep(value));
    }

    /// Leaves out items that are equal to the one before them.
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

    /// Keeps the first items.
    pub fn truncate(&mut self, length: usize) {
        self.0.truncate(length);
    }

    /// Takes items out.
    pub fn drain(&mut self, range: impl RangeBounds<usize>) -> impl Iterator<Item = Value> {
        // Collected first, because a shared list cannot give its items away.
        self.0.drain(range).collect::<Vec<_>>().into_iter()
    }

    /// Takes everything out.
    pub fn clear(&mut self) {
        self.0 = EcoVec::new();
    }

    /// The items from a number on, taken out.
    pub fn split_off(&mut self, at: usize) -> Self {
        // The rest is copied before the list is cut: others may share it.
        let rest = self.0[at..].into();
        self.0.truncate(at);
        Self(rest)
    }

    /// Returns true if it is the very list, not one with the same items.
    pub(super) fn is(&self, other: &Self) -> bool {
        // The address of the items identifies the list; two empty ones are alike, which is
        // harmless.
        std::ptr::eq(self.0.as_slice(), other.0.as_slice())
    }

    /// Returns true if it could take another item without being moved.
    pub(super) fn has_room(&self) -> bool {
        self.0.capacity() > self.0.len()
    }
}

impl Deref for List {
    type Target = [Value];

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
        // The very same memory needs no comparison: most compared trees are shared.
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
