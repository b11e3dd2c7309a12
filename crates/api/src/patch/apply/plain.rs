//! Merges without field ownership, for admission policies that patch an object before it is stored.

use super::compare::{Node, Place};
use super::merge::merge;
use super::walk::{ItemNames, form};
use crate::json::Value;
use crate::patch::fieldset::PathElement;
use crate::patch::shape::{Form, ListForm, Shape, child};

/// Merges the fields of `config` into `object` as server-side apply does, but without owners and conflicts.
pub fn merged<S: Shape>(object: &Value, config: &Value, shape: &S) -> Value {
    let mut merged = object.clone();
    let place = Place::Top;
    merge(
        &mut merged,
        config,
        Some(shape),
        place,
        &mut Node::default(),
    );
    merged
}

/// Returns the paths of the atomic maps and lists in `config`, which replace the old value as a whole.
pub fn atomics<S: Shape>(config: &Value, shape: &S) -> Vec<String> {
    let mut found = Vec::new();
    visit(config, Some(shape), &mut String::new(), &mut found);
    found
}

fn visit<S: Shape>(value: &Value, shape: Option<&S>, path: &mut String, found: &mut Vec<String>) {
    let mut step = |element: &PathElement, value: &Value, shape: Option<&S>, path: &mut String| {
        let before = path.len();
        path.push_str(&element.to_string());
        visit(value, shape, path, found);
        path.truncate(before);
    };
    match (form(shape), value) {
        (Form::AtomicMap, Value::Object(_)) | (Form::List(ListForm::Atomic), Value::Array(_)) => {
            found.push(path.clone());
        }
        (Form::Struct | Form::Any, Value::Object(fields)) => {
            for (name, value) in fields {
                let child = child(shape, name);
                let element = PathElement::Field(name.as_str().into());
                step(&element, value, child.as_ref(), path);
            }
        }
        (Form::List(_), Value::Array(items)) => {
            let names = ItemNames::new(shape);
            for item in items {
                if let Ok(element) = names.element(item) {
                    step(&element, item, names.shape(), path);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::json;
    use crate::patch::shape::Untyped;

    #[test]
    fn untyped_apply_merges_maps_and_replaces_lists() {
        let object = json!({"a": {"b": 1}, "l": [1, 2]});
        let config = json!({"a": {"c": 2}, "l": [3]});
        let wanted = json!({"a": {"b": 1, "c": 2}, "l": [3]});
        assert_eq!(merged(&object, &config, &Untyped), wanted);
        assert!(atomics(&config, &Untyped).is_empty());
    }
}
