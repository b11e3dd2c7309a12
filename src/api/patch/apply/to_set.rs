//! The set of fields that a configuration names.

use serde_json::Value;

use super::walk::{ItemNames, Parts, form, parts};
use crate::api::patch::fieldset::{Entry, FieldSet, PathElement};
use crate::api::patch::shape::{Form, Shape, child};

/// The fields that `value` sets: its leaves, its empty maps and lists, and the items of its lists.
pub(super) fn to_set<S: Shape>(value: &Value, shape: Option<&S>) -> FieldSet {
    let mut set = FieldSet::default();
    match parts(value, shape) {
        Parts::Leaf | Parts::Empty => {}
        Parts::Map(fields) => {
            let open = form(shape) != Form::Struct;
            for (name, value) in fields {
                let (declared, inner) = match shape {
                    None => (false, None),
                    Some(s) => match s.field(name) {
                        Some(field) => (true, Some(field)),
                        None => (!open, child(shape, name)),
                    },
                };
                let below = to_set(value, inner.as_ref());
                let member = below.is_empty() || !declared;
                set.push(Entry {
                    element: PathElement::Field(name.as_str().into()),
                    member,
                    below,
                });
            }
        }
        Parts::Items(items) => {
            let names = ItemNames::new(shape);
            for group in names.groups(items) {
                let below = if group.more.is_empty() {
                    to_set(group.first, names.shape())
                } else {
                    FieldSet::default()
                };
                set.push(Entry {
                    element: group.element,
                    member: true,
                    below,
                });
            }
        }
    }
    set
}

#[cfg(test)]
/// Adds the declared fields that the set only has paths below.
///
/// A field of a struct goes with what lies in it; a key of a map does not.
pub(super) fn with_named_fields<S: Shape>(set: &FieldSet, shape: Option<&S>) -> FieldSet {
    let mut set = set.clone();
    add_named_fields(&mut set, shape);
    set
}

#[cfg(test)]
fn add_named_fields<S: Shape>(set: &mut FieldSet, shape: Option<&S>) {
    for entry in set.entries_mut() {
        if entry.below.is_empty() {
            continue;
        }
        let inner = match &entry.element {
            PathElement::Field(name) => {
                let field = shape.and_then(|s| s.field(name));
                entry.member |= field.is_some();
                field.or_else(|| child(shape, name))
            }
            _ => shape.and_then(Shape::element),
        };
        add_named_fields(&mut entry.below, inner.as_ref());
    }
}
