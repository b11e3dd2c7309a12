//! JMESPath with the variables of its community edition, the expressions in chainsaw's test files.

mod extensions;
mod functions;
mod lexer;
mod parser;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::collections::BTreeMap;

use ctl_api::json::{Map, Value};

use parser::Node;

/// Values by variable name, without the `$`.
pub type Variables = BTreeMap<String, Value>;

/// Functions provided by the program, which have access to more than the expression. Called with the name and the
/// arguments; returns `None` if the program has no such function.
pub type Outer<'o> = &'o dyn Fn(&str, &[Value]) -> Option<Result<Value, String>>;

/// A parsed expression.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_template::jmespath::{Expression, Variables};
///
/// let names = Expression::parse("items[?ready].name")?;
/// let pods = json!({"items": [{"name": "a", "ready": true}, {"name": "b", "ready": false}]});
/// assert_eq!(names.eval(&pods, &Variables::new())?, json!(["a"]));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Expression(Node);

impl Expression {
    /// Parses an expression.
    ///
    /// # Errors
    /// Returns the syntax error.
    pub fn parse(text: &str) -> Result<Self, String> {
        parser::parse(text).map(Self)
    }

    /// Evaluates the expression on an input.
    ///
    /// # Errors
    /// Returns an error for an unknown variable or function, or for arguments that a function does not accept.
    pub fn eval(&self, input: &Value, variables: &Variables) -> Result<Value, String> {
        self.eval_with(input, variables, &|_, _| None)
    }

    /// Evaluates the expression like [`Expression::eval`], with further functions.
    ///
    /// # Errors
    /// Returns the errors of [`Expression::eval`] and those of the functions.
    pub fn eval_with(
        &self,
        input: &Value,
        variables: &Variables,
        outer: Outer<'_>,
    ) -> Result<Value, String> {
        Scope { variables, outer }.eval(&self.0, input)
    }
}

/// Returns true for any value except false, null, and empty strings, lists and maps.
pub fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(map) => !map.is_empty(),
        Value::Number(_) => true,
    }
}

/// Returns true if two values are equal. Numbers are compared by value, whatever their notation.
pub fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(_), Value::Number(_)) => left == right || left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right.iter()).all(|(a, b)| equal(a, b))
        }
        (Value::Object(left), Value::Object(right)) => {
            let has =
                |(name, value): (_, &Value)| right.get(name).is_some_and(|own| equal(own, value));
            left.len() == right.len()
                && left
                    .iter()
                    .map(|(name, value)| (name.as_str(), value))
                    .all(has)
        }
        _ => left == right,
    }
}

/// Compares two numbers or two strings.
pub(crate) fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left.as_f64(), right.as_f64(), left.as_str(), right.as_str()) {
        (Some(left), Some(right), ..) => left.partial_cmp(&right),
        (.., Some(left), Some(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

/// The environment of an evaluation.
struct Scope<'v> {
    variables: &'v Variables,
    outer: Outer<'v>,
}

impl Scope<'_> {
    fn eval(&self, node: &Node, input: &Value) -> Result<Value, String> {
        Ok(match node {
            // Values share their memory, so a clone is cheap.
            Node::Current => input.clone(),
            Node::Variable(name) => match self.variables.get(name) {
                Some(value) => value.clone(),
                None => return Err(format!("unknown variable ${name}")),
            },
            Node::Field(name) => input.get(name.as_str()).cloned().unwrap_or_default(),
            Node::Literal(value) => value.clone(),
            Node::Index(index) => indexed(input, *index),
            Node::Slice(parts) => sliced(input, *parts)?,
            Node::Pipe(left, right) => {
                let left = self.eval(left, input)?;
                self.eval(right, &left)?
            }
            // Any part of null is null, even if it is a list of expressions or a call.
            Node::Sub(left, right) => match self.eval(left, input)? {
                Value::Null => Value::Null,
                left => self.eval(right, &left)?,
            },
            // Returns the value itself rather than true, because `a || b` is also used for defaults.
            Node::Or(left, right) => match self.eval(left, input)? {
                left if is_true(&left) => left,
                _ => self.eval(right, input)?,
            },
            Node::And(left, right) => match self.eval(left, input)? {
                left if is_true(&left) => self.eval(right, input)?,
                left => left,
            },
            Node::Not(inner) => Value::Bool(!is_true(&self.eval(inner, input)?)),
            Node::Compare(sign, left, right) => {
                compared(sign, &self.eval(left, input)?, &self.eval(right, input)?)
            }
            Node::List(all) => self.each(all.iter().map(|node| self.eval(node, input)))?,
            Node::Map(all) => {
                let mut map = Map::with_capacity(all.len());
                for (name, node) in all {
                    map.insert(name.as_str(), self.eval(node, input)?);
                }
                Value::Object(map)
            }
            Node::Call(name, arguments) => self.call(name, arguments, input)?,
            Node::Reference(_) => {
                return Err("& can stand only in the arguments of a function".to_owned());
            }
            // Flattens one level per `[]`.
            Node::Flatten(inner) => match self.eval(inner, input)? {
                Value::Array(list) => flat(list.iter()),
                _ => Value::Null,
            },
            // The projection of a value that is not a list is null rather than an error, because fields of the status
            // may be absent.
            Node::Project(left, right) => match self.eval(left, input)? {
                Value::Array(list) => self.projected(list.iter(), right)?,
                _ => Value::Null,
            },
            Node::Values(left, right) => match self.eval(left, input)? {
                Value::Object(map) => self.projected(map.values(), right)?,
                _ => Value::Null,
            },
            Node::Filter(left, right, condition) => match self.eval(left, input)? {
                Value::Array(list) => {
                    let mut kept = Vec::new();
                    for item in list.iter() {
                        if is_true(&self.eval(condition, item)?) {
                            kept.push(item);
                        }
                    }
                    self.projected(kept.into_iter(), right)?
                }
                _ => Value::Null,
            },
        })
    }

    fn each(&self, all: impl Iterator<Item = Result<Value, String>>) -> Result<Value, String> {
        Ok(Value::from(all.collect::<Result<Vec<Value>, String>>()?))
    }

    /// Evaluates an expression on each item and drops null results.
    fn projected<'i>(
        &self,
        items: impl Iterator<Item = &'i Value>,
        right: &Node,
    ) -> Result<Value, String> {
        let mut all = Vec::new();
        for item in items {
            let value = self.eval(right, item)?;
            if !value.is_null() {
                all.push(value);
            }
        }
        Ok(Value::from(all))
    }

    fn call(&self, name: &str, arguments: &[Node], input: &Value) -> Result<Value, String> {
        // A reference is not a value, so functions that take one are recognized before their arguments are evaluated.
        if let [first, Node::Reference(by)] = arguments
            && name.ends_with("_by")
        {
            let list = self.eval(first, input)?;
            let keyed = list.as_array().into_iter().flat_map(|list| list.iter());
            let keyed = keyed.map(|item| Ok((self.eval(by, item)?, item.clone())));
            return functions::by(name, keyed.collect::<Result<_, String>>()?);
        }
        if let [Node::Reference(each), second] = arguments
            && name == "map"
        {
            let list = self.eval(second, input)?;
            let items = list.as_array().into_iter().flat_map(|list| list.iter());
            return self.each(items.map(|item| self.eval(each, item)));
        }
        let arguments = arguments.iter().map(|node| self.eval(node, input));
        let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
        match (self.outer)(name, &arguments) {
            Some(value) => value,
            None => functions::call(name, &arguments),
        }
    }
}

fn compared(sign: &str, left: &Value, right: &Value) -> Value {
    let is = |wanted: &[Ordering]| order(left, right).map(|order| wanted.contains(&order));
    let result = match sign {
        "==" => Some(equal(left, right)),
        "!=" => Some(!equal(left, right)),
        "<" => is(&[Ordering::Less]),
        "<=" => is(&[Ordering::Less, Ordering::Equal]),
        ">" => is(&[Ordering::Greater]),
        _ => is(&[Ordering::Greater, Ordering::Equal]),
    };
    // As the specification requires, comparing values that have no order returns null.
    result.map_or(Value::Null, Value::Bool)
}

fn indexed(input: &Value, index: i64) -> Value {
    let found = input.as_array().and_then(|list| {
        let length = i64::try_from(list.len()).ok()?;
        // A negative index counts from the end.
        let index = if index < 0 { length + index } else { index };
        list.as_slice().get(usize::try_from(index).ok()?)
    });
    found.cloned().unwrap_or_default()
}

fn sliced(input: &Value, [from, to, step]: [Option<i64>; 3]) -> Result<Value, String> {
    let Some(list) = input.as_array() else {
        return Ok(Value::Null);
    };
    let length = i64::try_from(list.len()).unwrap_or(i64::MAX);
    let step = step.unwrap_or(1);
    if step == 0 {
        return Err("the step of a slice must not be 0".to_owned());
    }
    // If the step is negative, the exclusive end is the index before the first item.
    let (lowest, highest) = if step < 0 {
        (-1, length - 1)
    } else {
        (0, length)
    };
    let within = |at: i64| {
        (if at < 0 {
            at.saturating_add(length)
        } else {
            at
        })
        .clamp(lowest, highest)
    };
    let (first, last) = if step < 0 {
        (highest, lowest)
    } else {
        (lowest, highest)
    };
    let mut at = from.map_or(first, within);
    let end = to.map_or(last, within);
    let mut all = Vec::new();
    while (step > 0 && at < end) || (step < 0 && at > end) {
        all.extend(
            usize::try_from(at)
                .ok()
                .and_then(|at| list.as_slice().get(at))
                .cloned(),
        );
        at = at.saturating_add(step);
    }
    Ok(Value::from(all))
}

/// Returns the items, with each list replaced by its own items.
fn flat<'i>(items: impl Iterator<Item = &'i Value>) -> Value {
    let mut all = Vec::new();
    for item in items {
        match item.as_array() {
            Some(list) => all.extend(list.iter().cloned()),
            None => all.push(item.clone()),
        }
    }
    Value::from(all)
}
