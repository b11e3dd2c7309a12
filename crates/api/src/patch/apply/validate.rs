//! Checks that a configuration fits its shape, with the API server's texts.

use std::collections::BTreeSet;

use super::walk::{ItemNames, form};
use crate::json::Value;
use crate::patch::go::{GoSyntax, GoValue, type_name};
use crate::patch::shape::{Form, ListForm, Scalar, Shape};

/// Returns the fields that do not fit the shape, as `path: problem`.
fn check<S: Shape>(value: &Value, shape: &S) -> Vec<String> {
    let mut checker = Checker {
        path: String::new(),
        errors: Vec::new(),
    };
    checker.value(value, Some(shape));
    checker.errors
}

/// Returns the error text for the fields that do not fit the shape, if any.
pub fn mistyped<S: Shape>(value: &Value, shape: &S) -> Option<String> {
    match check(value, shape).as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        many => Some(format!("errors:\n  {}", many.join("\n  "))),
    }
}

/// Returns true if a value fits its shape. Faster than [`check`], but gives no reason.
pub(super) fn fits<S: Shape>(value: &Value, shape: Option<&S>) -> bool {
    match (form(shape), value) {
        // Server-side apply treats null as absent.
        (_, Value::Null) | (Form::Atomic, _) => true,
        (Form::Scalar(kind), value) => fits_scalar(kind, value),
        (Form::List(list), Value::Array(items)) => {
            let names = ItemNames::new(shape);
            // The keys of an associative list must identify its items uniquely.
            let told_apart = list == ListForm::Atomic || names.groups(items).len() == items.len();
            told_apart && items.iter().all(|item| fits(item, names.shape()))
        }
        (Form::List(_), _) => false,
        (form, Value::Object(fields)) => {
            fields.iter().all(
                |(name, value)| match crate::patch::shape::child(shape, name) {
                    Some(child) => fits(value, Some(&child)),
                    None => is_open(form),
                },
            )
        }
        (form, _) => form == Form::Any,
    }
}

/// Returns true for an object that may have other fields than the declared ones.
fn is_open(form: Form) -> bool {
    matches!(form, Form::AtomicMap | Form::Any)
}

fn fits_scalar(kind: Scalar, value: &Value) -> bool {
    matches!(
        (kind, value),
        (Scalar::String, Value::String(_))
            | (Scalar::Number, Value::Number(_))
            | (Scalar::Boolean, Value::Bool(_))
            | (
                Scalar::Any,
                Value::String(_) | Value::Number(_) | Value::Bool(_)
            )
    )
}

struct Checker {
    path: String,
    errors: Vec<String>,
}

impl Checker {
    fn wrong(&mut self, message: impl AsRef<str>) {
        let message = message.as_ref();
        self.errors.push(if self.path.is_empty() {
            message.into()
        } else {
            format!("{}: {message}", self.path)
        });
    }

    fn below(&mut self, step: [&str; 2], f: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        step.iter().for_each(|part| self.path.push_str(part));
        f(self);
        // One buffer serves all paths, because errors are rare and steps are frequent.
        self.path.truncate(length);
    }

    fn value<S: Shape>(&mut self, value: &Value, shape: Option<&S>) {
        if value.is_null() {
            return;
        }
        match (form(shape), value) {
            (Form::Atomic, _) => {}
            (Form::Scalar(kind), value) => self.scalar(kind, value),
            (Form::List(list), Value::Array(items)) => self.list(list, items, shape),
            (Form::List(_), other) => {
                self.wrong(format!("expected list, got &{{{}}}", GoValue(other)))
            }
            (form, Value::Object(fields)) => {
                for (name, value) in fields {
                    let child = crate::patch::shape::child(shape, name);
                    self.below([".", name], |c| match child {
                        Some(child) => c.value(value, Some(&child)),
                        None if is_open(form) => {}
                        None => c.wrong("field not declared in schema"),
                    });
                }
            }
            (Form::Any, _) => {}
            (_, other) => self.wrong(format!("expected map, got &{{{}}}", GoValue(other))),
        }
    }

    fn scalar(&mut self, kind: Scalar, value: &Value) {
        let message = match (kind, value) {
            (kind, value) if fits_scalar(kind, value) => return,
            (Scalar::String, v) => format!(
                "expected string, got &value.valueUnstructured{{Value:{}}}",
                GoSyntax(v)
            ),
            (Scalar::Number, v) => {
                format!("expected numeric (int or float), got {}", type_name(v))
            }
            (Scalar::Boolean, v) => format!("expected boolean, got &{{{}}}", GoValue(v)),
            (Scalar::Any, v) => format!("expected any scalar, got &{{{}}}", GoValue(v)),
        };
        self.wrong(message);
    }

    fn list<S: Shape>(&mut self, list: ListForm, items: &[Value], shape: Option<&S>) {
        let names = ItemNames::new(shape);
        let mut seen = BTreeSet::new();
        for (i, item) in items.iter().enumerate() {
            if list == ListForm::Atomic {
                self.below(["", &format!("[{i}]")], |c| c.value(item, names.shape()));
                continue;
            }
            let element = match names.element(item) {
                Ok(element) => element,
                Err(message) => {
                    self.wrong(format!("element {i}: {message}"));
                    continue;
                }
            };
            let step = element.to_string();
            // The item is reported by its key, and still checked.
            if !seen.insert(element) {
                self.wrong(format!("duplicate entries for key {step}"));
            }
            self.below(["", &step], |c| c.value(item, names.shape()));
        }
    }
}
