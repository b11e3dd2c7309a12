//! Evaluates the CEL rules (`x-kubernetes-validations`) of a CustomResourceDefinition.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::adapt;
use super::definition::CustomKind;
use super::validate::counterpart;
use crate::api::json::Value;
use crate::cel::{self, OVER_BUDGET, Program, Scope};
use crate::tree::{field, flag, has, list, text};
use crate::validate::errors::Errors;
use crate::validate::go;
use crate::validate::path::Path;

/// The keyword for the rules of a schema.
pub(super) const RULES: &str = "x-kubernetes-validations";

/// The path of the root, as messages show it.
const NOWHERE: &str = "<nil>";

/// The cost limit for all rules of one write.
const BUDGET: u64 = 10_000_000;

/// The maximum length of a message that an expression returns.
const MAX_MESSAGE: usize = 5 * 1024;

/// The maximum number of parsed expressions in the cache.
const MAX_PROGRAMS: usize = 4096;

/// The cache of parsed expressions, by their text.
static PROGRAMS: Mutex<BTreeMap<String, Arc<Program>>> = Mutex::new(BTreeMap::new());

/// Parses an expression, or returns it from the cache.
pub(crate) fn program(text: &str) -> Result<Arc<Program>, String> {
    // The map changes only by whole entries, so a poisoned lock may be used.
    let mut read = PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(program) = read.get(text) {
        return Ok(Arc::clone(program));
    }
    let program = Arc::new(Program::parse(text)?);
    // Clearing the cache bounds it without tracking usage, at the cost of parsing each expression again.
    if read.len() >= MAX_PROGRAMS {
        read.clear();
    }
    read.insert(text.to_owned(), Arc::clone(&program));
    Ok(program)
}

/// Evaluates the rules of a kind for an object.
pub(super) fn check(kind: &CustomKind, object: &Value, old: Option<&Value>, errors: &mut Errors) {
    let root = Node {
        schema: &kind.schema,
        value: object,
        old,
        root: true,
    };
    Walk::new(errors).node(&Path::root(""), root);
}

/// Evaluates the rules of a schema for a value that is not a Kubernetes object.
pub(super) fn check_value(schema: &Value, value: &Value, errors: &mut Errors) {
    let node = Node {
        schema,
        value,
        old: None,
        root: false,
    };
    Walk::new(errors).node(&Path::root(""), node);
}

/// A value with its schema and its previous state.
#[derive(Clone, Copy)]
struct Node<'a> {
    schema: &'a Value,
    value: &'a Value,
    old: Option<&'a Value>,
    root: bool,
}

struct Walk<'e> {
    errors: &'e mut Errors,
    left: u64,
    over: bool,
}

impl<'e> Walk<'e> {
    fn new(errors: &'e mut Errors) -> Self {
        Self {
            errors,
            left: BUDGET,
            over: false,
        }
    }

    fn node(&mut self, path: &Path<'_>, node: Node<'_>) {
        self.rules(path, node);
        let (schema, old) = (node.schema, node.old);
        let inner = |schema, value, old| Node {
            schema,
            value,
            old,
            root: false,
        };
        match node.value {
            Value::Object(map) => {
                for (name, value) in map {
                    let old = old.and_then(|old| old.get(name));
                    let own = field(field(schema, "properties"), name);
                    let more = field(schema, "additionalProperties");
                    if own.is_object() {
                        self.node(&path.child(name), inner(own, value, old));
                    } else if more.is_object() {
                        self.node(&path.key(name), inner(more, value, old));
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    // Without keys, no old item corresponds to this one, so transition rules do not run.
                    let old = old.and_then(|old| counterpart(schema, item, old));
                    let schema = field(schema, "items");
                    self.node(&path.index(index), inner(schema, item, old));
                }
            }
            _ => {}
        }
    }

    fn rules(&mut self, path: &Path<'_>, node: Node<'_>) {
        let rules = list(node.schema, RULES);
        if rules.is_empty() || node.value.is_null() {
            return;
        }
        let this = adapt::value(node.schema, node.value, node.root);
        let before = node
            .old
            .map(|old| adapt::value(node.schema, old, node.root));
        for rule in rules {
            if self.over {
                return;
            }
            // Definitions with an invalid rule are rejected. If one is stored anyway, skip the rule.
            let Ok(program) = program(text(rule, "rule")) else {
                continue;
            };
            let of_old = program.uses("oldSelf");
            let optional = flag(rule, "optionalOldSelf");
            // If a value is unchanged, it either was valid before or its error is not caused by this write.
            let settled = !of_old && node.old == Some(node.value);
            if settled || of_old && before.is_none() && !optional {
                continue;
            }
            let mut names = vec![("self", this.clone())];
            match (&before, optional) {
                (Some(before), false) => names.push(("oldSelf", before.clone())),
                // `optionalOldSelf` makes `oldSelf` an optional value, so the rule can also run on a create.
                (Some(before), true) => names.push(("oldSelf", cel::Value::some(before.clone()))),
                (None, true) => names.push(("oldSelf", cel::Value::none())),
                (None, false) => {}
            }
            self.rule(path, node, rule, &program, names);
        }
    }

    fn rule(
        &mut self,
        path: &Path<'_>,
        node: Node<'_>,
        rule: &Value,
        program: &Program,
        names: Vec<(&str, cel::Value)>,
    ) {
        let mut scope = Scope::new(names.clone());
        let outcome = program.eval(&mut scope);
        let nowhere = Path::root(NOWHERE);
        let place = if node.root { &nowhere } else { path };
        // The cost is known only after a rule has run. Like upstream, drop the result of the rule that exceeds the
        // budget.
        if scope.cost() > self.left {
            self.over = true;
            let detail = "validation failed due to running out of cost budget, no further validation \
                          rules will be run";
            return self.errors.invalid_without_value(place, detail);
        }
        self.left -= scope.cost();
        let message = text(rule, "message").trim();
        let expression = text(rule, "rule").trim();
        let called = if message.is_empty() {
            expression
        } else {
            message
        };
        match outcome {
            Ok(cel::Value::Bool(true)) => {}
            Ok(_) => {
                let detail = match (dynamic_message(rule, names), message) {
                    (Some(message), _) => message,
                    (None, "") => format!("failed rule: {expression}"),
                    (None, message) => message.to_owned(),
                };
                self.fail(path, node, rule, &detail);
            }
            Err(e) if e.starts_with("no such overload") => {
                let detail = format!(
                    "'{e}': call arguments did not match a supported operator, function or macro \
                     signature for rule: {called}"
                );
                self.errors.invalid_without_value(place, &detail);
            }
            Err(e) if e == OVER_BUDGET => {
                self.over = true;
                let detail = format!(
                    "'{e}': no further validation rules will be run due to call cost exceeds limit for \
                     rule: {called}"
                );
                self.errors.invalid_without_value(place, &detail);
            }
            Err(e) => {
                let detail = format!("{e} evaluating rule: {called}");
                self.errors.invalid_without_value(place, &detail);
            }
        }
    }

    /// Records the violation of a rule at its `fieldPath` and with its `reason`.
    fn fail(&mut self, path: &Path<'_>, node: Node<'_>, rule: &Value, detail: &str) {
        let mut at = path.to_string();
        // Error paths have no quotes in brackets.
        let below = text(rule, "fieldPath")
            .replace("['", "[")
            .replace("']", "]");
        at.push_str(if at.is_empty() {
            below.trim_start_matches('.')
        } else {
            &below
        });
        let path = Path::root(if at.is_empty() { NOWHERE } else { &at });
        match text(rule, "reason") {
            "FieldValueForbidden" => self.errors.forbidden(&path, detail),
            "FieldValueRequired" => self.errors.required(&path, detail),
            "FieldValueDuplicate" => self.errors.duplicate(&path, &shown_type(node)),
            _ => self.errors.invalid_without_value(&path, detail),
        }
    }
}

/// Returns the type of a value, which messages show instead of the value.
fn shown_type(node: Node<'_>) -> String {
    go::quoted(text(node.schema, "type"))
}

/// Returns the result of a rule's `messageExpression`, or `None` if there is none or its evaluation fails.
fn dynamic_message(rule: &Value, names: Vec<(&str, cel::Value)>) -> Option<String> {
    if !has(rule, "messageExpression") {
        return None;
    }
    let program = program(text(rule, "messageExpression")).ok()?;
    match program.eval(&mut Scope::new(names)).ok()? {
        cel::Value::Text(message) => {
            let message = message.trim().to_owned();
            // As upstream, a long message or one with line breaks is dropped in favor of the static one.
            let fits = (1..=MAX_MESSAGE).contains(&message.len());
            (fits && !message.contains(['\n', '\r'])).then_some(message)
        }
        _ => None,
    }
}
