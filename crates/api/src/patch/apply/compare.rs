//! Compares the fields of two objects.

use std::cmp::Ordering;

use super::walk::{Group, ItemNames, Parts, parts};
use crate::json::{Map, Value};
use crate::patch::fieldset::{Entry, FieldSet, PathElement, compare_values};
use crate::patch::name::Name;
use crate::patch::shape::{Shape, child};

/// The fields in which two objects differ.
#[derive(Debug, Default)]
pub(super) struct Differences {
    /// Fields that only the new object has.
    pub(super) added: FieldSet,
    /// Fields that both objects have, with different values.
    pub(super) modified: FieldSet,
    /// Fields that only the old object has.
    pub(super) removed: FieldSet,
}

/// Compares two objects without their managed fields.
pub(super) fn compare<S: Shape>(old: &Value, new: &Value, shape: &S) -> Differences {
    let mut top = Node::default();
    // The managed fields must not own themselves.
    compare_values_at(Some(old), Some(new), Some(shape), Place::Top, &mut top);
    top.below
}

/// The position in the object, as precise as it takes to find `metadata.managedFields`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Top,
    Metadata,
    Elsewhere,
}

impl Place {
    /// Returns the place of the field `name` below this one.
    pub(super) fn at(self, name: &str) -> Self {
        match self {
            Self::Top if name == "metadata" => Self::Metadata,
            _ => Self::Elsewhere,
        }
    }

    /// Returns true if the comparison ignores the field `name` at this place.
    pub(super) fn is_passed_over(self, name: &str) -> bool {
        self == Self::Metadata && name == "managedFields"
    }
}

/// The differences at one path and below it.
#[derive(Debug, Default)]
pub(super) struct Node {
    added: bool,
    modified: bool,
    removed: bool,
    pub(super) below: Differences,
}

impl Node {
    /// Adds the differences of `element` below this node.
    pub(super) fn push(&mut self, element: PathElement, node: Self) {
        let parts = [
            (&mut self.below.added, node.added, node.below.added),
            (&mut self.below.modified, node.modified, node.below.modified),
            (&mut self.below.removed, node.removed, node.below.removed),
        ];
        // A set has no entry that is neither owned nor a parent of an owned path.
        for (set, member, below) in parts {
            if member || !below.is_empty() {
                let element = element.clone();
                set.push(Entry {
                    element,
                    member,
                    below,
                });
            }
        }
    }

    /// Returns true if there is any difference.
    pub(super) fn differs(&self) -> bool {
        self.added
            || self.modified
            || self.removed
            || !self.below.added.is_empty()
            || !self.below.modified.is_empty()
            || !self.below.removed.is_empty()
    }
}

/// Records the differences between two unequal values in `out`.
pub(super) fn compare_values_at<S: Shape>(
    old: Option<&Value>,
    new: Option<&Value>,
    shape: Option<&S>,
    place: Place,
    out: &mut Node,
) {
    let elsewhere = place == Place::Elsewhere;
    match (old, new) {
        (None, None) => return,
        (None, Some(new)) => {
            out.added = true;
            if elsewhere {
                out.below.added = whole(new, shape);
                return;
            }
        }
        (Some(old), None) => {
            out.removed = true;
            if elsewhere {
                out.below.removed = whole(old, shape);
                return;
            }
        }
        // The caller has excluded equal values, so these two differ.
        (Some(_), Some(_)) => {}
    }
    let old_parts = old.map(|v| parts(v, shape));
    let new_parts = new.map(|v| parts(v, shape));
    if old.is_some() && new.is_some() {
        // A leaf on either side counts as one change. Two empty values that differ are null and `{}`, for example.
        let leaves = matches!(
            (&old_parts, &new_parts),
            (Some(Parts::Leaf), _)
                | (_, Some(Parts::Leaf))
                | (Some(Parts::Empty), Some(Parts::Empty))
                | (Some(Parts::Map(_)), Some(Parts::Items(_)))
                | (Some(Parts::Items(_)), Some(Parts::Map(_)))
        );
        // `null`, `{}` and `[]` have no parts, but are three different values.
        out.modified = leaves && !old.zip(new).is_some_and(|(old, new)| same(old, new));
    }
    let map = |parts: &Option<Parts<'_>>| matches!(parts, Some(Parts::Map(_)));
    let items = |parts: &Option<Parts<'_>>| matches!(parts, Some(Parts::Items(_)));
    if map(&old_parts) || map(&new_parts) {
        let fields = |parts| match parts {
            Some(Parts::Map(fields)) => Some(fields),
            _ => None,
        };
        compare_maps(fields(old_parts), fields(new_parts), shape, place, out);
    } else if items(&old_parts) || items(&new_parts) {
        let list = |parts| match parts {
            Some(Parts::Items(items)) => items,
            _ => &[][..],
        };
        compare_lists(list(old_parts), list(new_parts), shape, out);
    }
}

fn compare_maps<S: Shape>(
    old: Option<&Map>,
    new: Option<&Map>,
    shape: Option<&S>,
    place: Place,
    out: &mut Node,
) {
    let mut visit = |name: &str, old: Option<&Value>, new: Option<&Value>| {
        if place.is_passed_over(name) {
            return;
        }
        // Trees that share memory are equal by address, so the comparison of most fields ends here.
        if let (Some(old), Some(new)) = (old, new)
            && old == new
        {
            return;
        }
        let mut node = Node::default();
        let child = child(shape, name);
        compare_values_at(old, new, child.as_ref(), place.at(name), &mut node);
        if node.differs() {
            out.push(field_element(name, child.as_ref()), node);
        }
    };
    let mut left = old.into_iter().flatten().peekable();
    // Both sides are sorted by name, so one merge replaces a lookup per field.
    let mut right = new.into_iter().flatten().peekable();
    loop {
        let order = match (left.peek(), right.peek()) {
            (None, None) => return,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((a, _)), Some((b, _))) => a.cmp(b),
        };
        let old = if order.is_le() { left.next() } else { None };
        let new = if order.is_ge() { right.next() } else { None };
        if let Some((name, _)) = old.or(new) {
            visit(name, old.map(|(_, v)| v), new.map(|(_, v)| v));
        }
    }
}

/// Returns the path element of the field `name` of this shape.
pub(super) fn field_element<S: Shape>(name: &str, shape: Option<&S>) -> PathElement {
    PathElement::Field(Name::known(name, shape.and_then(Shape::name)))
}

/// Returns all paths within a value.
fn whole<S: Shape>(value: &Value, shape: Option<&S>) -> FieldSet {
    let entry = |element, below| Entry {
        element,
        member: true,
        below,
    };
    match parts(value, shape) {
        Parts::Leaf | Parts::Empty => FieldSet::default(),
        Parts::Map(fields) => {
            let mut entries = Vec::with_capacity(fields.len());
            for (name, value) in fields {
                let child = child(shape, name);
                let below = whole(value, child.as_ref());
                entries.push(entry(field_element(name, child.as_ref()), below));
            }
            FieldSet::of_entries(entries)
        }
        // Items with the same key are owned together; only unique items have fields with owners.
        Parts::Items(items) => {
            let names = ItemNames::new(shape);
            let groups = names.groups(items).into_iter();
            let entries = groups.map(|group| {
                let below = match group.more.is_empty() {
                    true => whole(group.first, names.shape()),
                    false => FieldSet::default(),
                };
                entry(group.element, below)
            });
            FieldSet::of_entries(entries.collect())
        }
    }
}

/// Compares the items of two lists as [`compare_values_at`] does.
pub(super) fn compare_lists<S: Shape>(
    old: &[Value],
    new: &[Value],
    shape: Option<&S>,
    out: &mut Node,
) {
    let names = ItemNames::new(shape);
    let mut left = names.groups(old).into_iter().peekable();
    let mut right = names.groups(new).into_iter().peekable();
    loop {
        let order = match (left.peek(), right.peek()) {
            (None, None) => return,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => a.element.cmp(&b.element),
        };
        let old = if order.is_le() { left.next() } else { None };
        let new = if order.is_ge() { right.next() } else { None };
        let mut node = Node::default();
        let repeated =
            |group: &Option<Group<'_>>| group.as_ref().is_some_and(|g| !g.more.is_empty());
        let first = (old.as_ref().map(|g| g.first), new.as_ref().map(|g| g.first));
        let mut fields = |old, new| {
            compare_values_at(old, new, names.shape(), Place::Elsewhere, &mut node);
        };
        match (repeated(&old), repeated(&new)) {
            (false, false) => {
                if first.0 != first.1 {
                    fields(first.0, first.1);
                }
            }
            // Duplicate items cannot be told apart, so they are compared as a group, which is owned as one field.
            (true, true) => {
                let both = old.as_ref().zip(new.as_ref());
                node.modified = !both.is_some_and(|(old, new)| same_group(old, new));
            }
            // The fields of a single item lose their owners when it is repeated, and get one when it no longer is.
            (false, true) => {
                fields(first.0, None);
                node.added = true;
            }
            (true, false) => {
                fields(None, first.1);
                node.removed = true;
            }
        }
        if let Some(group) = old.or(new)
            && node.differs()
        {
            out.push(group.element, node);
        }
    }
}

fn same_group(a: &Group<'_>, b: &Group<'_>) -> bool {
    let more = a.more.iter().zip(&b.more);
    same(a.first, b.first)
        && a.more.len() == b.more.len()
        && more.into_iter().all(|(a, b)| same(a, b))
}

/// Returns true if two values are equal. Unlike `==`, 1 equals 1.0.
fn same(a: &Value, b: &Value) -> bool {
    a == b || compare_values(a, b).is_eq()
}
