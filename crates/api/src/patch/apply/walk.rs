//! Reads a value according to its shape: its parts and the identities of list items.

use crate::json::{Map, Value};
use crate::patch::fieldset::PathElement;
use crate::patch::name::Name;
use crate::patch::shape::{Form, ListForm, Shape};

/// A value as server-side apply sees it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Parts<'a> {
    /// Owned as a whole: a scalar, an atomic list or map, or a value of a different form from its shape.
    Leaf,
    /// Null, or an empty list or map.
    Empty,
    /// A map that merges.
    Map(&'a Map),
    /// A list that merges.
    Items(&'a [Value]),
}

/// Returns the parts of a value of this shape.
pub(super) fn parts<'a, S: Shape>(value: &'a Value, shape: Option<&S>) -> Parts<'a> {
    match (form(shape), value) {
        (Form::Scalar(_) | Form::AtomicMap | Form::Atomic, _) => Parts::Leaf,
        (Form::List(ListForm::Atomic), _) => Parts::Leaf,
        (Form::List(_), Value::Array(items)) if items.is_empty() => Parts::Empty,
        (Form::List(_), Value::Array(items)) => Parts::Items(items),
        (Form::Struct | Form::Map | Form::Any, Value::Object(fields)) => {
            if fields.is_empty() {
                Parts::Empty
            } else {
                Parts::Map(fields)
            }
        }
        // Null in place of a list or map counts as empty; without a schema, it may stand for either.
        (Form::List(_) | Form::Struct | Form::Map | Form::Any, Value::Null) => Parts::Empty,
        _ => Parts::Leaf,
    }
}

pub(super) fn form<S: Shape>(shape: Option<&S>) -> Form {
    shape.map_or(Form::Any, Shape::form)
}

/// The identities of the items of one list.
pub(super) struct ItemNames<S> {
    keys: Vec<&'static str>,
    item: Option<S>,
}

impl<S: Shape> ItemNames<S> {
    pub(super) fn new(list: Option<&S>) -> Self {
        let keys = match form(list) {
            Form::List(ListForm::Map) => list.map(Shape::list_keys).unwrap_or_default(),
            _ => Vec::new(),
        };
        let item = list.and_then(Shape::element);
        Self { keys, item }
    }

    /// Returns the shape of the items.
    pub(super) fn shape(&self) -> Option<&S> {
        self.item.as_ref()
    }

    /// Returns the path element that identifies an item, or the reason if the item has none.
    pub(super) fn element(&self, item: &Value) -> Result<PathElement, String> {
        if self.keys.is_empty() {
            return set_element(item);
        }
        let fields = match item {
            Value::Object(fields) => fields,
            Value::Null => {
                return Err("associative list with keys may not have a null element".into());
            }
            _ => return Err("associative list with keys may not have non-map elements".into()),
        };
        let value = |key: &str| {
            // A port without a protocol has the default one, so its key is complete.
            let default = || self.item.as_ref()?.field(key)?.default_value();
            let given = fields.get(key).cloned();
            given.or_else(default).ok_or_else(|| {
                format!(
                    "associative list with keys has an element that omits key field \"{key}\" (and doesn't have default value)"
                )
            })
        };
        let mut keys = Vec::with_capacity(self.keys.len());
        for key in &self.keys {
            keys.push((Name::Fixed(key), value(key)?));
        }
        // Sorted by name, as managed fields write keys.
        if keys.len() > 1 {
            keys.sort_by(|(a, _), (b, _)| a.cmp(b));
        }
        Ok(PathElement::Key(keys))
    }

    /// Groups the items by identity, in sorted order, and omits items without one.
    pub(super) fn groups<'v>(&self, items: &'v [Value]) -> Vec<Group<'v>> {
        let named = |item: &'v Value| Some((self.element(item).ok()?, item));
        let mut named: Vec<_> = items.iter().filter_map(named).collect();
        // Most lists are already sorted.
        if !named.is_sorted_by(|(a, _), (b, _)| a <= b) {
            named.sort_by(|(a, _), (b, _)| a.cmp(b));
        }
        let mut groups: Vec<Group<'v>> = Vec::with_capacity(named.len());
        for (element, item) in named {
            match groups.last_mut().filter(|g| g.element == element) {
                Some(group) => group.more.push(item),
                None => groups.push(Group {
                    element,
                    first: item,
                    more: Vec::new(),
                }),
            }
        }
        groups
    }
}

/// The items of a list that share an identity. Only lists that were not validated have several in one group.
pub(super) struct Group<'v> {
    pub(super) element: PathElement,
    pub(super) first: &'v Value,
    pub(super) more: Vec<&'v Value>,
}

fn set_element(item: &Value) -> Result<PathElement, String> {
    match item {
        Value::Object(_) => {
            Err("associative list without keys has an element that's a map type".into())
        }
        Value::Array(_) => Err("not supported: associative list with lists as elements".into()),
        Value::Null => {
            Err("associative list without keys has an element that's an explicit null".into())
        }
        scalar => Ok(PathElement::Value(scalar.clone())),
    }
}
