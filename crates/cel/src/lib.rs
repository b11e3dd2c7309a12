//! CEL, the language of validation rules and admission policies: parser, type checker, evaluator.
//!
//! Must not know: schemas, objects, or Kubernetes' kinds. The caller passes the names in scope with their types
//! ([`Type`]) and values ([`Value`]).

use ctl_api as api;

mod ast;
mod check;
mod cost;
mod eval;
mod functions;
mod lexer;
mod parser;
mod types;
pub mod value;

use std::fmt::Write as _;

pub use check::BINDS;
pub use eval::{OVER_BUDGET, Scope};
pub use functions::{duration_of, is_url};
pub use types::Type;
pub use value::{NativeObject, Value};

/// A problem in an expression, with its position in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Problem {
    at: usize,
    message: String,
}

impl Problem {
    fn new(at: usize, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { at, message }
    }

    /// Returns the message with the line that contains the problem.
    fn shown(&self, text: &str) -> String {
        let before: String = text.chars().take(self.at).collect();
        let line = before.matches('\n').count();
        let column = before
            .rsplit('\n')
            .next()
            .map_or(0, |part| part.chars().count());
        let mut out = format!(
            "ERROR: <input>:{}:{}: {}",
            line + 1,
            column + 1,
            self.message
        );
        let source = text.split('\n').nth(line).unwrap_or_default();
        let _ = write!(out, "\n | {source}\n | {}^", ".".repeat(column));
        out
    }
}

/// The maximum number of problems in a message.
const MOST_SHOWN: usize = 100;

fn shown(problems: &[Problem], text: &str) -> String {
    let first = problems.iter().take(MOST_SHOWN);
    let mut lines: Vec<String> = first.map(|problem| problem.shown(text)).collect();
    if problems.len() > MOST_SHOWN {
        let more = problems.len() - MOST_SHOWN;
        lines.push(format!("{more} more errors were truncated"));
    }
    lines.join("\n")
}

/// A parsed expression.
///
/// ```
/// use ctl_cel::{Program, Scope, Value};
///
/// let rule = Program::parse("self.replicas <= self.limit || self.tier == 'gold'")?;
/// let web = Value::Map(std::sync::Arc::new(
///     [("replicas", Value::Int(5)), ("limit", Value::Int(3)), ("tier", Value::text("gold"))]
///         .map(|(name, value)| (ctl_cel::value::Key::Text(name.into()), value))
///         .into(),
/// ));
/// let mut scope = Scope::new(vec![("self", web)]);
/// assert_eq!(rule.eval(&mut scope)?, Value::Bool(true));
/// assert!(scope.cost() > 0, "the caller limits what a rule may cost");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    text: String,
    expr: ast::Expr,
}

impl Program {
    /// Parses an expression.
    ///
    /// # Errors
    /// Returns the syntax error with its position.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expr = parser::parse(text).map_err(|problems| shown(&problems, text))?;
        let text = text.to_owned();
        Ok(Self { text, expr })
    }

    /// Checks the expression with these names in scope and returns its type.
    ///
    /// # Errors
    /// Returns the type errors with their positions.
    pub fn check(&self, names: &[(&str, Type)]) -> Result<Type, String> {
        check::check(&self.expr, names).map_err(|problems| shown(&problems, &self.text))
    }

    /// Returns the cost of the expression in the worst case, as the API server estimates it. `sizes` returns the
    /// largest size of the value at a path that begins with a name in scope; `@items`, `@keys` and `@values` stand for
    /// those of lists and maps.
    pub fn worst_cost(
        &self,
        names: &[(&str, Type)],
        sizes: &dyn Fn(&[String]) -> Option<u64>,
    ) -> u64 {
        cost::worst(&self.expr, names, sizes)
    }

    /// Evaluates the expression.
    ///
    /// # Errors
    /// Returns the error that stopped the evaluation.
    pub fn eval(&self, scope: &mut Scope) -> Result<Value, String> {
        eval::eval(&self.expr, scope)
    }

    /// Returns true if the expression uses the name.
    pub fn uses(&self, name: &str) -> bool {
        let mut found = false;
        visit(&self.expr, &mut |node| {
            found |= matches!(node, ast::Node::Name(own) if own == name);
        });
        found
    }

    /// Returns the first error in the type names of object literals: an object in field `f` of an object of type `T`
    /// must have the type `T.f`. `root` is the type of the outermost object.
    pub fn misnamed(&self, root: &str) -> Option<String> {
        misnamed(&self.expr, Some(root))
    }

    /// Returns the string literals of the expression.
    pub fn texts(&self) -> Vec<&str> {
        let mut texts = Vec::new();
        visit(&self.expr, &mut |node| {
            if let ast::Node::Literal(Value::Text(text)) = node {
                texts.push(&**text);
            }
        });
        texts
    }
}

/// Returns the error for the first object in `expr` whose type does not fit its place; `place` is `None` if any type
/// fits.
fn misnamed(expr: &ast::Expr, place: Option<&str>) -> Option<String> {
    use ast::Node;
    match &expr.node {
        Node::Message { name, .. } if place.is_some_and(|place| place != name) => Some(format!(
            "unexpected type name \"{name}\", expected \"{}\", which matches field name path from root Object type",
            place.unwrap_or_default()
        )),
        Node::Message { name, fields } => fields.iter().find_map(|field| {
            let place = format!("{name}.{}", field.name);
            misnamed(&field.value, Some(&place))
        }),
        // List items and map values have the type of the field that contains them.
        Node::List(items) => items.iter().find_map(|(_, item)| misnamed(item, place)),
        Node::Map(entries) => {
            let mut values = entries.iter().map(|(_, _, value)| value);
            values.find_map(|value| misnamed(value, place))
        }
        // Both branches of a condition are in the same place.
        Node::Call { name, args, .. } if name == "_?_:_" => {
            args.iter().skip(1).find_map(|arg| misnamed(arg, place))
        }
        Node::Bind { body, .. } => misnamed(body, place),
        Node::Fold(fold) => {
            let result = fold.result.as_ref();
            result.and_then(|result| misnamed(result, place))
        }
        _ => None,
    }
}

/// Calls a function for every node of an expression.
fn visit<'e>(expr: &'e ast::Expr, seen: &mut dyn FnMut(&'e ast::Node)) {
    use ast::Node;
    seen(&expr.node);
    match &expr.node {
        Node::Literal(_) | Node::Name(_) => {}
        Node::Select { of, .. } => visit(of, seen),
        Node::Call { target, args, .. } => {
            let target = target.iter().map(|target| &**target);
            target.chain(args).for_each(|part| visit(part, seen));
        }
        Node::List(items) => items.iter().for_each(|(_, item)| visit(item, seen)),
        Node::Map(entries) => {
            let parts = entries.iter().flat_map(|(_, key, value)| [key, value]);
            parts.for_each(|part| visit(part, seen));
        }
        Node::Message { fields, .. } => {
            fields.iter().for_each(|field| visit(&field.value, seen));
        }
        Node::Fold(fold) => {
            let parts = [
                Some(&fold.range),
                fold.filter.as_ref(),
                fold.result.as_ref(),
            ];
            parts
                .into_iter()
                .flatten()
                .for_each(|part| visit(part, seen));
        }
        Node::Bind { value, body, .. } => {
            visit(value, seen);
            visit(body, seen);
        }
    }
}

/// Returns true if the text is an identifier. The reserved words are none.
pub fn is_identifier(text: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.starts_with(letter)
        && text.chars().all(|c| letter(c) || c.is_ascii_digit())
        && !parser::RESERVED.contains(&text)
}

/// Returns the name of a property in expressions, or `None` if no expression can name it.
pub fn escaped(name: &str) -> Option<String> {
    // Kubernetes' escaping: the property `namespace` is written `self.__namespace__`.
    if parser::RESERVED.contains(&name) {
        return Some(format!("__{name}__"));
    }
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !starts_well {
        return None;
    }
    let mut out = String::new();
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        let (text, taken) = match c {
            // Two underscores introduce an escape, so they are escaped as well.
            '_' if rest.starts_with("__") => ("__underscores__", 2),
            '.' => ("__dot__", 1),
            '-' => ("__dash__", 1),
            '/' => ("__slash__", 1),
            c if c.is_ascii_alphanumeric() || c == '_' => (&rest[..1], 1),
            _ => return None,
        };
        out.push_str(text);
        rest = &rest[taken..];
    }
    Some(out)
}

/// Returns the property whose name in expressions is `name`; the inverse of [`escaped`].
pub fn unescaped(name: &str) -> String {
    let inner = name.strip_prefix("__").and_then(|n| n.strip_suffix("__"));
    if let Some(word) = inner.filter(|word| parser::RESERVED.contains(word)) {
        return word.to_owned();
    }
    let mut out = String::new();
    let mut rest = name;
    while let Some(at) = rest.find("__") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let escapes = [
            ("__underscores__", "__"),
            ("__dot__", "."),
            ("__dash__", "-"),
            ("__slash__", "/"),
        ];
        let found = escapes.iter().find(|(escape, _)| rest.starts_with(escape));
        let (escape, text) = found.copied().unwrap_or(("__", "__"));
        out.push_str(text);
        rest = &rest[escape.len()..];
    }
    out + rest
}

#[cfg(test)]
mod tests;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
