//! Checks the types of an expression before it is evaluated.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Problem;
use super::ast::{Bind, Expr, Fold, FoldKind, MessageField, Node, Select};
use super::eval::{Scope, bound, well_known_type};
use super::functions::{self, is_library};
use super::types::{FUNCTIONS, OPEN, Overload, Type};
use super::value::Value;
use crate::api::pattern;

/// The name in scope, which no expression can contain, of environments with the macro `cel.bind`.
pub const BINDS: &str = "@bind";

/// Checks an expression and returns its type.
pub(super) fn check(expr: &Expr, names: &[(&str, Type)]) -> Result<Type, Vec<Problem>> {
    let mut checker = Checker::new(names);
    // Collects all problems, because the API server reports every one.
    let ty = checker.expr(expr);
    // As in cel-go, literals are validated only if all types fit.
    let mut problems = match checker.problems.is_empty() {
        true => checker.of_literals,
        false => checker.problems,
    };
    problems.sort_by_key(|problem| problem.at);
    match problems.is_empty() {
        true => Ok(closed(&ty)),
        false => Err(problems),
    }
}

/// Returns the types of an expression and its parts, by their addresses. The names of libraries have none.
pub(super) fn types(expr: &Expr, names: &[(&str, Type)]) -> BTreeMap<*const Expr, Type> {
    let mut checker = Checker::new(names);
    checker.types = Some(BTreeMap::new());
    checker.expr(expr);
    checker.types.unwrap_or_default()
}

struct Checker {
    names: Vec<(String, Type)>,
    problems: Vec<Problem>,
    /// The problems of literals whose types fit.
    of_literals: Vec<Problem>,
    /// True if lists may mix types, as in the arguments of `format`.
    mixed: bool,
    /// The types of the parts, if the caller needs them.
    types: Option<BTreeMap<*const Expr, Type>>,
}

impl Checker {
    fn new(names: &[(&str, Type)]) -> Self {
        let names = names.iter().map(|(n, t)| ((*n).to_owned(), t.clone()));
        Self {
            names: names.collect(),
            problems: Vec::new(),
            of_literals: Vec::new(),
            mixed: false,
            types: None,
        }
    }

    /// Records a problem and returns a type that causes no further ones.
    fn wrong(&mut self, at: usize, message: String) -> Type {
        self.problems.push(Problem::new(at, message));
        // `dyn` fits everywhere, so one mistake is reported only once.
        Type::Dyn
    }

    fn find(&self, name: &str) -> Option<&Type> {
        // The innermost name comes first, because a macro may shadow an outer name.
        let found = self.names.iter().rev().find(|(own, _)| own == name);
        found.map(|(_, ty)| ty)
    }

    fn expr(&mut self, expr: &Expr) -> Type {
        let ty = self.node(expr);
        if let Some(types) = &mut self.types {
            types.insert(std::ptr::from_ref(expr), closed(&ty));
        }
        ty
    }

    fn node(&mut self, expr: &Expr) -> Type {
        match &expr.node {
            Node::Literal(value) => literal(value),
            Node::Name(name) => self.name(expr.at, name),
            Node::Select { of, field, how } => self.select(expr.at, of, field, *how),
            Node::Call { target, name, args } => self.call(expr.at, target.as_deref(), name, args),
            Node::List(items) => {
                let items = items.iter().map(|(optional, item)| (*optional, item));
                Type::list(self.alike(items, false))
            }
            Node::Map(entries) => {
                let keys = self.alike(entries.iter().map(|(_, key, _)| (false, key)), true);
                let values = entries
                    .iter()
                    .map(|(optional, _, value)| (*optional, value));
                Type::Map(Arc::new(keys), Arc::new(self.alike(values, true)))
            }
            Node::Message { name, fields } => self.message(expr.at, name, fields),
            Node::Fold(fold) => self.fold(expr.at, fold),
            Node::Bind {
                name,
                value,
                body,
                how,
            } => self.bind(name, value, body, *how),
        }
    }

    /// Checks the items of a list, or the keys or values of a map, and returns their common type. `every` is true if
    /// each item of another type than the first one is reported instead of only one.
    fn alike<'e>(&mut self, items: impl Iterator<Item = (bool, &'e Expr)>, every: bool) -> Type {
        let (mut all, mut first, mut told) = (OPEN.clone(), None, false);
        for (optional, item) in items {
            // An optional item has the type of its content.
            let found = unwrapped(self.expr(item), optional);
            all = common(&all, &found).unwrap_or(Type::Dyn);
            let first: &Type = first.get_or_insert_with(|| found.clone());
            let differs = |ty: &Type| (first == ty) != (found == *ty);
            // A dynamic value fits everywhere else, but a literal does not mix it with values of a known type.
            let unlike =
                common(first, &found).is_none() || differs(&Type::Dyn) || differs(&Type::Null);
            if unlike && !self.mixed && (every || !told) {
                told = true;
                let message = format!("expected type '{first}' but found '{found}'");
                self.of_literals.push(Problem::new(item.at, message));
            }
        }
        all
    }

    /// Reports a value that is not a boolean, and returns the type of the result.
    fn boolean(&mut self, at: usize, found: &Type) -> Type {
        match common(found, &Type::Bool) {
            Some(_) => Type::Bool,
            None => self.wrong(at, format!("expected type 'bool' but found '{found}'")),
        }
    }

    /// Checks an object literal. Its name determines the type. The fields of a [`Type::Message`] are known, those of
    /// other types are not.
    fn message(&mut self, at: usize, name: &str, fields: &[MessageField]) -> Type {
        let root = name.split('.').next().unwrap_or(name);
        let Some(Type::Message(made)) = self.find(root).cloned() else {
            return self.undeclared(at, name);
        };
        for field in fields {
            let found = self.expr(&field.value);
            let found = unwrapped(found, field.optional);
            let Type::Object(known) = &*made else {
                continue;
            };
            match known.get(&field.name) {
                None => {
                    self.wrong(field.at, format!("undefined field '{}'", field.name));
                }
                Some(wanted) if common(wanted, &found).is_none() => {
                    let message = format!(
                        "expected type of field '{}' is '{wanted}' but provided type is '{found}'",
                        field.name
                    );
                    self.wrong(field.at, message);
                }
                Some(_) => {}
            }
        }
        Type::Made(root.to_owned().into())
    }

    fn name(&mut self, at: usize, name: &str) -> Type {
        if let Some(ty) = self.find(name) {
            return ty.clone();
        }
        match name {
            // In CEL, type names are values.
            "bool" | "int" | "uint" | "double" | "string" | "bytes" | "list" | "map"
            | "null_type" | "type" => Type::Type,
            _ => self.undeclared(at, name),
        }
    }

    fn undeclared(&mut self, at: usize, name: &str) -> Type {
        self.wrong(
            at,
            format!("undeclared reference to '{name}' (in container '')"),
        )
    }

    fn select(&mut self, at: usize, of: &Expr, field: &str, how: Select) -> Type {
        // `google.protobuf.Timestamp` parses as two selections.
        if well_known_type(of, field).is_some() {
            return Type::Type;
        }
        let (of, optional) = match self.expr(of) {
            // A field of an optional is optional as well.
            Type::Optional(inner) => ((*inner).clone(), true),
            other => (other, how == Select::Optional),
        };
        let found = match &of {
            Type::Dyn | Type::Param(_) => Type::Dyn,
            Type::Map(_, value) => (**value).clone(),
            // `requestResource` is a field of the authorizer: the check of the request's own resource.
            Type::Opaque("kubernetes.authorization.Authorizer") if field == "requestResource" => {
                Type::Opaque("kubernetes.authorization.ResourceCheck")
            }
            Type::Object(fields) => match fields.get(field) {
                Some(found) => found.clone(),
                None => self.wrong(at, format!("undefined field '{field}'")),
            },
            other => {
                let message = format!("type '{other}' does not support field selection");
                self.wrong(at, message)
            }
        };
        match (how, optional) {
            // `has()` returns a boolean, whatever the type of the field.
            (Select::Test, _) => Type::Bool,
            (_, true) if !matches!(found, Type::Optional(_)) => Type::optional(found),
            _ => found,
        }
    }

    fn call(&mut self, at: usize, target: Option<&Expr>, name: &str, args: &[Expr]) -> Type {
        if let (Some((variable, value, body)), true) = (bound(target, name, args), self.binds()) {
            let value = self.expr(value);
            self.names.push((variable.to_owned(), value));
            let result = self.expr(body);
            self.names.pop();
            return result;
        }
        let library = match target.map(|target| &target.node) {
            // A declared variable shadows a library with the same name.
            Some(Node::Name(library)) if self.find(library).is_none() && self.knows(library) => {
                Some(format!("{library}.{name}"))
            }
            _ => None,
        };
        let member = library.is_none() && target.is_some();
        let name = library.as_deref().unwrap_or(name);
        let target = target.filter(|_| member);
        let before = self.mixed;
        // Only the arguments of `format` may mix types in a list.
        self.mixed |= name == "format";
        let types: Vec<Type> = target
            .into_iter()
            .chain(args)
            .map(|arg| self.expr(arg))
            .collect();
        self.mixed = before;
        self.literal_argument(name, args);
        self.literal_format(at, target, name, args);
        // cel-go reports each operand that is no boolean, at its own position.
        if matches!(name, "_&&_" | "_||_") {
            let found = args.iter().zip(&types);
            let found = found.map(|(arg, found)| self.boolean(arg.at, found));
            return found.fold(Type::Bool, |all, one| common(&all, &one).unwrap_or(all));
        }
        // As in cel-go, an unknown function and an unknown name have the same message.
        let Some(overloads) = FUNCTIONS.get(name) else {
            return self.undeclared(at, name);
        };
        let fitting = |overload: &Overload| match overload.member == member {
            true => result(overload, &types),
            false => None,
        };
        let mut results: Vec<Type> = overloads.iter().filter_map(fitting).collect();
        // Several overloads with the same result are not ambiguous, unless it depends on the evaluation.
        results.dedup_by(|one, other| one == other && *one != OPEN);
        match results.len() {
            0 => {
                let shown: Vec<String> = types.iter().map(ToString::to_string).collect();
                let shown = match member {
                    true => format!("{}.({})", shown[0], shown[1..].join(", ")),
                    false => format!("({})", shown.join(", ")),
                };
                let message =
                    format!("found no matching overload for '{name}' applied to '{shown}'");
                self.wrong(at, message)
            }
            1 => results.remove(0),
            // The result type is known only during the evaluation.
            _ => Type::Dyn,
        }
    }

    /// Reports a literal as the first argument that the function cannot read.
    fn literal_argument(&mut self, name: &str, args: &[Expr]) {
        let Some(Node::Literal(value)) = args.first().map(|arg| &arg.node) else {
            return;
        };
        let readable = match (name, value) {
            ("duration" | "timestamp", value) => {
                let value = std::slice::from_ref(value);
                functions::call(name, value, &mut Scope::new(Vec::new())).is_ok()
            }
            // As in cel-go, the first argument is read even in `matches(text, pattern)`.
            ("matches", Value::Text(pattern)) => pattern::compile(pattern).is_ok(),
            _ => return,
        };
        if !readable {
            let message = format!("invalid {name} argument");
            self.of_literals.push(Problem::new(args[0].at, message));
        }
    }

    /// Reports a format string that does not fit the list of its arguments.
    fn literal_format(&mut self, at: usize, target: Option<&Expr>, name: &str, args: &[Expr]) {
        let parts = (target.map(|target| &target.node), name, args);
        let (Some(Node::Literal(Value::Text(form))), "format", [list]) = parts else {
            return;
        };
        let Node::List(items) = &list.node else {
            return;
        };
        // The list has one type, so the items are checked again; their problems are known already.
        let mut inner = Self::new(&[]);
        inner.names.clone_from(&self.names);
        inner.mixed = true;
        let types = items.iter().map(|(_, item)| closed(&inner.expr(item)));
        let types: Vec<Type> = types.collect();
        if let Some((argument, message)) = functions::format_problem(form, &types) {
            let at = argument.map_or(at, |number| items[number].1.at);
            self.of_literals.push(Problem::new(at, message));
        }
    }

    /// Returns true if this environment has the macro `cel.bind`, as the one of device selectors.
    fn binds(&self) -> bool {
        self.find(BINDS).is_some()
    }

    /// Returns true if this environment has a library with the name.
    fn knows(&self, library: &str) -> bool {
        // `jsonpatch` escapes keys for JSON patches, which only mutating policies create.
        is_library(library) && (library != "jsonpatch" || self.find("JSONPatch").is_some())
    }

    fn bind(&mut self, name: &str, value: &Expr, body: &Expr, how: Bind) -> Type {
        let found = self.expr(value);
        let held = match &found {
            // The name is bound to the content of the optional rather than to the optional.
            Type::Optional(held) => (**held).clone(),
            Type::Dyn | Type::Param(_) => Type::Dyn,
            other => {
                let message =
                    format!("found no matching overload for 'optMap' applied to '{other}'");
                self.wrong(value.at, message)
            }
        };
        self.names.push((name.to_owned(), held));
        let result = self.expr(body);
        // The name goes out of scope after the body, even after an error.
        self.names.pop();
        match how {
            Bind::Map => Type::optional(result),
            _ => result,
        }
    }

    fn fold(&mut self, at: usize, fold: &Fold) -> Type {
        let range = self.expr(&fold.range);
        let two = fold.names.len() > 1;
        let (first, second) = match &range {
            Type::Dyn | Type::Param(_) => (Type::Dyn, Type::Dyn),
            // With two variables, a list yields index and item.
            Type::List(item) if two => (Type::Int, (**item).clone()),
            Type::List(item) => ((**item).clone(), Type::Dyn),
            Type::Map(key, value) => ((**key).clone(), (**value).clone()),
            other => {
                let message = format!(
                    "expression of type '{other}' cannot be range of a comprehension (must be list, map, \
                     or dynamic)"
                );
                (self.wrong(fold.range.at, message), Type::Dyn)
            }
        };
        let before = self.names.len();
        let kinds = [first.clone(), second];
        // The variables of the macro shadow outer names.
        self.names.extend(fold.names.iter().cloned().zip(kinds));
        if let Some(filter) = &fold.filter {
            let found = self.expr(filter);
            self.boolean(filter.at, &found);
        }
        let result = fold
            .result
            .as_ref()
            .map_or(Type::Dyn, |result| self.expr(result));
        self.names.truncate(before);
        if fold.kind == FoldKind::SortBy && !is_ordered(&result) {
            let message = format!(
                "found no matching overload for '@sortByAssociatedKeys' applied to '{range}.(list({result}))'"
            );
            return self.wrong(at, message);
        }
        match fold.kind {
            FoldKind::All | FoldKind::Exists | FoldKind::ExistsOne => Type::Bool,
            FoldKind::Filter | FoldKind::SortBy => Type::list(first),
            FoldKind::Map => Type::list(result),
            FoldKind::TransformMap => Type::Map(Arc::new(first), Arc::new(result)),
            FoldKind::TransformMapEntry => result,
        }
    }
}

fn unwrapped(ty: Type, optional: bool) -> Type {
    match ty {
        Type::Optional(inner) if optional => (*inner).clone(),
        ty => ty,
    }
}

fn literal(value: &Value) -> Type {
    match value {
        Value::Null => Type::Null,
        Value::Bool(_) => Type::Bool,
        Value::Int(_) => Type::Int,
        Value::Uint(_) => Type::Uint,
        Value::Double(_) => Type::Double,
        Value::Text(_) => Type::Text,
        Value::Bytes(_) => Type::Bytes,
        // All other values come from the object; its schema determines their types.
        _ => Type::Dyn,
    }
}

/// Returns the result type of a call with these argument types, if they fit.
pub(super) fn result(overload: &Overload, args: &[Type]) -> Option<Type> {
    if overload.args.len() != args.len() {
        return None;
    }
    let mut bound = BTreeMap::new();
    let pairs = overload.args.iter().zip(args);
    // Binds type parameters from left to right, because `list(A)` and `A` must agree.
    for (wanted, found) in pairs {
        if !fits(wanted, found, &mut bound) {
            return None;
        }
    }
    Some(with(&overload.result, &bound, &OPEN))
}

type Bound = BTreeMap<usize, Type>;

fn fits(wanted: &Type, found: &Type, bound: &mut Bound) -> bool {
    match (wanted, found) {
        (Type::Param(number), _) => {
            // The types of all arguments for a parameter decide together: one that is `dyn` makes it `dyn`.
            let Some(all) = common(bound.get(number).unwrap_or(&OPEN), found) else {
                return false;
            };
            bound.insert(*number, all);
            true
        }
        (Type::List(wanted), Type::List(found))
        | (Type::Optional(wanted), Type::Optional(found)) => fits(wanted, found, bound),
        (Type::Map(key, value), Type::Map(found_key, found_value)) => {
            fits(key, found_key, bound) && fits(value, found_value, bound)
        }
        (wanted, found) => common(wanted, found).is_some(),
    }
}

/// Returns the more general one of two types that fit each other, or `None` if they do not.
fn common(a: &Type, b: &Type) -> Option<Type> {
    Some(match (a, b) {
        (Type::Param(_), other) | (other, Type::Param(_)) => other.clone(),
        (Type::Dyn, _) | (_, Type::Dyn) => Type::Dyn,
        (Type::Null, other) | (other, Type::Null) if is_nullable(other) => other.clone(),
        (Type::List(a), Type::List(b)) => Type::list(common(a, b)?),
        (Type::Optional(a), Type::Optional(b)) => Type::optional(common(a, b)?),
        (Type::Map(key, value), Type::Map(other_key, other_value)) => Type::Map(
            Arc::new(common(key, other_key)?),
            Arc::new(common(value, other_value)?),
        ),
        (a, b) if a == b => a.clone(),
        _ => return None,
    })
}

/// Returns true if values of the type have an order, or may have one.
fn is_ordered(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Dyn
            | Type::Param(_)
            | Type::Bool
            | Type::Int
            | Type::Uint
            | Type::Double
            | Type::Text
            | Type::Bytes
            | Type::Duration
            | Type::Timestamp
    )
}

/// Returns true if null fits the type. Simple types, lists and maps have no null in CEL.
fn is_nullable(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Null
            | Type::Object(_)
            | Type::Made(_)
            | Type::Opaque(_)
            | Type::Optional(_)
            | Type::Duration
            | Type::Timestamp
    )
}

/// Returns a type with `dyn` for all parts that nothing determines.
fn closed(ty: &Type) -> Type {
    with(ty, &BTreeMap::new(), &Type::Dyn)
}

fn with(ty: &Type, bound: &Bound, unbound: &Type) -> Type {
    let inner = |ty: &Type| with(ty, bound, unbound);
    match ty {
        Type::Param(number) => bound.get(number).unwrap_or(unbound).clone(),
        Type::List(item) => Type::list(inner(item)),
        Type::Optional(value) => Type::optional(inner(value)),
        Type::Map(key, value) => Type::Map(Arc::new(inner(key)), Arc::new(inner(value))),
        other => other.clone(),
    }
}
