//! A set of fields: parsing, serialization and set operations.

use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use thiserror::Error;

use super::element::PathElement;
use super::serialize;
use crate::json::Value;

/// A set of paths into an object.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_api::patch::fieldset::{FieldPath, FieldSet, FieldsError};
///
/// let mine = FieldSet::from_fields_v1(&json!({"f:spec": {"f:replicas": {}, "f:paused": {}}}))?;
/// let theirs = FieldSet::of_fields([["spec", "paused"].as_slice()]);
/// let left: Vec<FieldPath> = mine.difference(&theirs).paths();
/// assert_eq!(left.len(), 1);
/// assert_eq!(left[0].to_string(), ".spec.replicas");
/// # Ok::<(), FieldsError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldSet {
    /// The entries, sorted by element and without empty ones; `None` if the set is empty. Shared, because most set
    /// operations keep most entries.
    shared: Option<Arc<Vec<Entry>>>,
}

/// A path element, whether the path that ends in it is a member, and the paths below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::patch) struct Entry {
    pub(in crate::patch) element: PathElement,
    pub(in crate::patch) member: bool,
    pub(in crate::patch) below: FieldSet,
}

/// The error for a value that is not FieldsV1.
#[derive(Debug, Clone, Error, PartialEq, Eq)]
#[error("fields are not in the form of FieldsV1: {0}")]
pub struct FieldsError(String);

/// A path into an object, printed as in conflict messages: `.spec.containers[name="x"].image`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FieldPath(pub Vec<PathElement>);

impl Display for FieldPath {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|element| element.fmt(f))
    }
}

impl FieldSet {
    /// Returns the set of these paths of field names, such as `["metadata", "name"]`.
    pub fn of_fields<'a>(paths: impl IntoIterator<Item = &'a [&'a str]>) -> Self {
        let mut set = Self::default();
        for path in paths {
            let path = path.iter().map(|name| PathElement::Field((*name).into()));
            set.insert(path);
        }
        set
    }

    /// Parses FieldsV1.
    ///
    /// # Errors
    ///
    /// [`FieldsError`] if the value is not an object of objects or a key has no tag. Elements with unknown tags are
    /// skipped, because newer servers may write them.
    pub fn from_fields_v1(fields: &Value) -> Result<Self, FieldsError> {
        Self::read(fields).map(|(_, set)| set)
    }

    fn read(fields: &Value) -> Result<(bool, Self), FieldsError> {
        let Value::Object(fields) = fields else {
            return Err(FieldsError(fields.to_string()));
        };
        // A path with nothing below it is itself a member.
        let mut member = fields.is_empty();
        let mut set = Self::default();
        for (name, inner) in fields {
            if name == "." {
                member = true;
                continue;
            }
            let Some(element) = PathElement::parse(name) else {
                // A newer server may write other kinds of elements, but a key without a tag is an error.
                match name.split_once(':') {
                    Some((tag, _)) if !matches!(tag, "k" | "v" | "i") => continue,
                    _ => return Err(FieldsError(name.to_string())),
                }
            };
            let (member, below) = Self::read(inner)?;
            set.push(Entry {
                element,
                member,
                below,
            });
        }
        // JSON sorts the keys as text; the set sorts them by value.
        if !set.entries().is_sorted_by_key(|e| &e.element) {
            set.own().sort_by(|a, b| a.element.cmp(&b.element));
        }
        Ok((member, set))
    }

    /// Converts the set to FieldsV1.
    pub fn to_fields_v1(&self) -> Value {
        serialize::write(self)
    }

    /// Returns true if the set contains no paths.
    pub fn is_empty(&self) -> bool {
        self.entries().is_empty()
    }

    /// Adds a path.
    pub fn insert(&mut self, path: impl IntoIterator<Item = PathElement>) {
        let mut path = path.into_iter().peekable();
        let mut set = self;
        while let Some(element) = path.next() {
            // Entries stay sorted, so that union and difference take a single pass.
            let at = match set.entries().binary_search_by(|e| e.element.cmp(&element)) {
                Ok(at) => at,
                Err(at) => {
                    set.own().insert(at, Entry::new(element));
                    at
                }
            };
            let entry = &mut set.own()[at];
            if path.peek().is_none() {
                entry.member = true;
                return;
            }
            set = &mut entry.below;
        }
    }

    /// Returns the set of these entries, which must be sorted and not empty.
    pub(in crate::patch) fn of_entries(entries: Vec<Entry>) -> Self {
        let shared = (!entries.is_empty()).then(|| Arc::new(entries));
        Self { shared }
    }

    /// Appends an entry unless it is empty.
    pub(in crate::patch) fn push(&mut self, entry: Entry) {
        // An empty entry would make two equal sets differ.
        if entry.member || !entry.below.is_empty() {
            self.own().push(entry);
        }
    }

    #[cfg(test)]
    pub(in crate::patch) fn entries_mut(&mut self) -> &mut [Entry] {
        match &mut self.shared {
            None => &mut [],
            Some(shared) => Arc::make_mut(shared).as_mut_slice(),
        }
    }

    pub(super) fn entries(&self) -> &[Entry] {
        self.shared.as_deref().map_or(&[], Vec::as_slice)
    }

    /// Returns the entries for modification.
    fn own(&mut self) -> &mut Vec<Entry> {
        // Copies the entries only if another set shares them.
        Arc::make_mut(self.shared.get_or_insert_default())
    }

    fn is_same(&self, other: &Self) -> bool {
        // Compares addresses: most unions combine a set with itself.
        match (&self.shared, &other.shared) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// Returns the entry of an element.
    pub(in crate::patch) fn entry(&self, element: &PathElement) -> Option<&Entry> {
        let entries = self.entries();
        let at = entries.binary_search_by(|e| e.element.cmp(element));
        at.ok().map(|at| &entries[at])
    }

    /// Returns the entry of a field.
    pub(in crate::patch) fn field(&self, name: &str) -> Option<&Entry> {
        let entries = self.entries();
        let at = entries.binary_search_by(|e| e.element.cmp_field(name));
        at.ok().map(|at| &entries[at])
    }

    /// Returns true if a path is in the set.
    pub fn contains(&self, path: &[PathElement]) -> bool {
        let Some((last, parents)) = path.split_last() else {
            return false;
        };
        let set = parents
            .iter()
            .try_fold(self, |set, element| set.entry(element).map(|e| &e.below));
        set.and_then(|set| set.entry(last))
            .is_some_and(|e| e.member)
    }

    /// Returns the paths that are in either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        // Copies nothing if one of the sets adds nothing.
        if other.is_empty() || self.is_same(other) {
            return self.clone();
        }
        if self.is_empty() {
            return other.clone();
        }
        self.combine(other, |a, b| match (a, b) {
            (Some(a), Some(b)) => Some(Entry {
                element: a.element.clone(),
                member: a.member || b.member,
                below: a.below.union(&b.below),
            }),
            (a, b) => a.or(b).cloned(),
        })
    }

    /// Returns the paths that are in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return Self::default();
        }
        self.combine(other, |a, b| {
            let (a, b) = (a?, b?);
            Some(Entry {
                element: a.element.clone(),
                member: a.member && b.member,
                below: a.below.intersection(&b.below),
            })
        })
    }

    /// Returns the paths that are in this set and not in `other`.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return self.clone();
        }
        self.combine(other, |a, b| match (a?, b) {
            (a, None) => Some(a.clone()),
            (a, Some(b)) => Some(Entry {
                element: a.element.clone(),
                member: a.member && !b.member,
                below: a.below.difference(&b.below),
            }),
        })
    }

    /// Returns the paths of this set that are neither in `other` nor below one of its paths.
    #[must_use]
    pub fn recursive_difference(&self, other: &Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return self.clone();
        }
        self.combine(other, |a, b| match (a?, b) {
            (a, None) => Some(a.clone()),
            // A reset field takes everything below it along.
            (_, Some(b)) if b.member => None,
            (a, Some(b)) => Some(Entry {
                element: a.element.clone(),
                member: a.member,
                below: a.below.recursive_difference(&b.below),
            }),
        })
    }

    fn combine(
        &self,
        other: &Self,
        mut f: impl FnMut(Option<&Entry>, Option<&Entry>) -> Option<Entry>,
    ) -> Self {
        let mut out = Self::default();
        let (mut left, mut right) = (self.entries(), other.entries());
        loop {
            let order = match (left.first(), right.first()) {
                (None, None) => return out,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => a.element.cmp(&b.element),
            };
            let (mut a, mut b) = (None, None);
            if order.is_le() {
                (a, left) = (left.first(), &left[1..]);
            }
            if order.is_ge() {
                (b, right) = (right.first(), &right[1..]);
            }
            if let Some(entry) = f(a, b) {
                out.push(entry);
            }
        }
    }

    /// Returns true if every path of this set is in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        // Sets in the same memory need no walk.
        self.is_same(other)
            || self
                .entries()
                .iter()
                .all(|own| match other.entry(&own.element) {
                    None => false,
                    Some(theirs) => {
                        (theirs.member || !own.member) && own.below.is_subset(&theirs.below)
                    }
                })
    }

    /// Returns all paths. At each level, paths that end there come before longer ones.
    pub fn paths(&self) -> Vec<FieldPath> {
        let mut paths = Vec::new();
        self.collect(&mut Vec::new(), &mut paths);
        paths
    }

    fn collect(&self, prefix: &mut Vec<PathElement>, paths: &mut Vec<FieldPath>) {
        // The API server lists conflicts in this order.
        for entry in self.entries().iter().filter(|e| e.member) {
            prefix.push(entry.element.clone());
            paths.push(FieldPath(prefix.clone()));
            prefix.pop();
        }
        for entry in self.entries().iter().filter(|e| !e.below.is_empty()) {
            prefix.push(entry.element.clone());
            entry.below.collect(prefix, paths);
            prefix.pop();
        }
    }
}

impl Entry {
    fn new(element: PathElement) -> Self {
        Self {
            element,
            member: false,
            below: FieldSet::default(),
        }
    }
}
