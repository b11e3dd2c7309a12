//! Computes the set of fields in a configuration.

use super::compare::field_element;
use super::validate::fits;
use super::walk::{ItemNames, Parts, form, parts};
use crate::json::Value;
#[cfg(test)]
use crate::patch::fieldset::PathElement;
use crate::patch::fieldset::{Entry, FieldSet};
use crate::patch::shape::{Form, Shape, child};

/// Returns the fields of `value`: its leaves, its empty maps and lists, and the items of its lists.
pub(super) fn to_set<S: Shape>(value: &Value, shape: Option<&S>) -> FieldSet {
    set_of(value, shape, true, &mut true)
}

/// Returns the fields that a configuration applies. A merging list is owned through its items, so an empty one has no
/// owner.
///
/// Sets `fit` to false if the configuration might not fit its shape; [`super::validate::fits`] then decides.
pub(super) fn checked_set<S: Shape>(config: &Value, shape: Option<&S>, fit: &mut bool) -> FieldSet {
    set_of(config, shape, false, fit)
}

fn set_of<S: Shape>(
    value: &Value,
    shape: Option<&S>,
    empty_lists: bool,
    fit: &mut bool,
) -> FieldSet {
    match parts(value, shape) {
        Parts::Leaf | Parts::Empty => {
            // A value that is not a map or list of the right form may still fit its shape.
            *fit = *fit && fits(value, shape);
            FieldSet::default()
        }
        Parts::Map(fields) => {
            let open = form(shape) != Form::Struct;
            let mut entries = Vec::with_capacity(fields.len());
            for (name, value) in fields {
                let (declared, inner) = match shape {
                    None => (false, None),
                    Some(s) => match s.field(name) {
                        Some(field) => (true, Some(field)),
                        None => (!open, child(shape, name)),
                    },
                };
                *fit = *fit && inner.is_some();
                let below = set_of(value, inner.as_ref(), empty_lists, fit);
                if declared && !empty_lists && is_empty_list(value, inner.as_ref()) {
                    continue;
                }
                // A declared field with content is owned through that content; a key of a map is owned itself.
                let member = below.is_empty() || !declared;
                entries.push(Entry {
                    element: field_element(name, inner.as_ref()),
                    member,
                    below,
                });
            }
            FieldSet::of_entries(entries)
        }
        Parts::Items(items) => {
            let names = ItemNames::new(shape);
            let groups = names.groups(items);
            // If there are fewer groups than items, an item is repeated or has no identity.
            *fit = *fit && groups.len() == items.len();
            let mut entries = Vec::with_capacity(groups.len());
            for group in groups {
                let below = if group.more.is_empty() {
                    set_of(group.first, names.shape(), empty_lists, fit)
                } else {
                    FieldSet::default()
                };
                entries.push(Entry {
                    element: group.element,
                    member: true,
                    below,
                });
            }
            FieldSet::of_entries(entries)
        }
    }
}

/// Returns true for an empty list whose items would have had owners.
fn is_empty_list<S: Shape>(value: &Value, shape: Option<&S>) -> bool {
    matches!(value, Value::Array(items) if items.is_empty())
        && matches!(parts(value, shape), Parts::Empty)
}

#[cfg(test)]
/// Adds each declared field that has only paths below it in the set.
///
/// Removing a struct's field removes its content; a key of a map is removed on its own.
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
