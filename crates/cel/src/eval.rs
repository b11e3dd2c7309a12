//! Evaluates CEL expressions.

use std::cmp::Ordering;
use std::sync::Arc;

use super::ast::{Bind, Expr, Fold, FoldKind, MessageField, Node, Select};
use super::functions;
use super::parser::type_name;
use super::unescaped;
use super::value::{Key, Map, Outcome, Value};

/// The cost limit of one evaluation.
const MOST: u64 = 1_000_000;

/// The error of an evaluation that exceeds the cost limit.
pub const OVER_BUDGET: &str = "operation cancelled: actual cost limit exceeded";

/// The variables available to an expression, and the cost so far.
#[derive(Debug)]
pub struct Scope {
    names: Vec<(Arc<str>, Value)>,
    cost: u64,
}

impl Scope {
    /// Returns a scope with these variables.
    pub fn new(names: Vec<(&str, Value)>) -> Self {
        let names = names.into_iter().map(|(n, v)| (Arc::from(n), v)).collect();
        Self { names, cost: 0 }
    }

    /// Returns the cost so far.
    pub fn cost(&self) -> u64 {
        self.cost
    }

    pub(super) fn spend(&mut self, cost: u64) -> Result<(), String> {
        // As in the API server, the limit is on cost rather than time, because a rule must fail in the same way on
        // every machine.
        self.cost += cost;
        match self.cost > MOST {
            true => Err(OVER_BUDGET.to_owned()),
            false => Ok(()),
        }
    }

    fn find(&self, name: &str) -> Option<&Value> {
        let found = self.names.iter().rev().find(|(own, _)| **own == *name);
        found.map(|(_, value)| value)
    }

    fn with<T>(&mut self, names: &[(&str, &Value)], then: impl FnOnce(&mut Self) -> T) -> T {
        // Truncating the names afterwards is cheaper than a new scope per item.
        let before = self.names.len();
        let named = names.iter().map(|(n, v)| (Arc::from(*n), (*v).clone()));
        self.names.extend(named);
        let result = then(self);
        self.names.truncate(before);
        result
    }
}

/// Evaluates an expression.
pub(super) fn eval(expr: &Expr, scope: &mut Scope) -> Outcome {
    // Every node costs at least 1, so that no expression is free.
    scope.spend(1)?;
    match &expr.node {
        Node::Literal(value) => Ok(value.clone()),
        Node::Name(name) => name_value(name, scope),
        Node::Select { of, field, how } => select(of, field, *how, scope),
        Node::Call { target, name, args } => call(target.as_deref(), name, args, scope),
        Node::List(items) => {
            let mut all = Vec::with_capacity(items.len());
            for (optional, item) in items {
                match (optional, eval(item, scope)?) {
                    (false, value) => all.push(value),
                    // An optional without a value adds no item.
                    (true, Value::Optional(value)) => all.extend(value.as_deref().cloned()),
                    (true, _) => return Err("no such overload".to_owned()),
                }
            }
            Ok(Value::list(all))
        }
        Node::Map(entries) => map(entries, scope),
        Node::Message { fields, .. } => message(fields, scope),
        Node::Fold(fold) => self::fold(fold, scope),
        Node::Bind {
            name,
            value,
            body,
            how,
        } => bind(name, value, body, *how, scope),
    }
}

fn name_value(name: &str, scope: &Scope) -> Outcome {
    if let Some(value) = scope.find(name) {
        return Ok(value.clone());
    }
    match name {
        "bool" | "int" | "uint" | "double" | "string" | "bytes" | "list" | "map" | "null_type"
        | "type" => Ok(Value::Type(Arc::from(name))),
        _ => Err(format!("no such attribute(s): {name}")),
    }
}

fn map(entries: &[(bool, Expr, Expr)], scope: &mut Scope) -> Outcome {
    let mut map = Map::new();
    for (optional, key, value) in entries {
        let key = eval(key, scope)?;
        // Only strings, integers and booleans can be keys.
        let key = Key::from_value(&key).ok_or("unsupported key type")?;
        let value = match (optional, eval(value, scope)?) {
            (false, value) => Some(value),
            (true, Value::Optional(value)) => value.as_deref().cloned(),
            (true, _) => return Err("no such overload".to_owned()),
        };
        if let Some(value) = value {
            map.insert(key, value);
        }
    }
    Ok(Value::Map(Arc::new(map)))
}

/// Evaluates an object literal to a map; its type has already been checked.
fn message(fields: &[MessageField], scope: &mut Scope) -> Outcome {
    let mut map = Map::new();
    for field in fields {
        let value = match (field.optional, eval(&field.value, scope)?) {
            (false, value) => Some(value),
            (true, Value::Optional(value)) => value.as_deref().cloned(),
            (true, _) => return Err("no such overload".to_owned()),
        };
        if let Some(value) = value {
            map.insert(Key::Text(unescaped(&field.name).into()), value);
        }
    }
    Ok(Value::Map(Arc::new(map)))
}

fn select(of: &Expr, field: &str, how: Select, scope: &mut Scope) -> Outcome {
    if let Some(name) = well_known_type(of, field) {
        return Ok(Value::Type(Arc::from(name)));
    }
    let value = eval(of, scope)?;
    let key = Key::Text(Arc::from(field));
    let (value, optional) = match value {
        // `has` returns false for an absent optional instead of failing.
        Value::Optional(None) if how == Select::Test => return Ok(Value::Bool(false)),
        Value::Optional(None) => return Ok(Value::none()),
        Value::Optional(Some(value)) => ((*value).clone(), true),
        value => (value, how == Select::Optional),
    };
    let found = match &value {
        Value::Map(map) => map.get(&key).cloned(),
        Value::NativeObject(host) if how == Select::Test => host.field(field).and_then(Result::ok),
        Value::NativeObject(host) => host.field(field).transpose()?,
        _ => return Err("no such overload".to_owned()),
    };
    match (how, found) {
        (Select::Test, found) => Ok(Value::Bool(found.is_some())),
        (_, Some(value)) if optional => Ok(Value::some(value)),
        (_, None) if optional => Ok(Value::none()),
        // A missing field is an error, because rules can test for it with `has`.
        (_, Some(value)) => Ok(value),
        (_, None) => Err(format!("no such key: {field}")),
    }
}

/// Returns the type that a dotted name stands for.
pub(super) fn well_known_type(of: &Expr, field: &str) -> Option<&'static str> {
    const TYPES: [(&str, &str, &str); 4] = [
        ("google.protobuf", "Duration", "google.protobuf.Duration"),
        ("google.protobuf", "Timestamp", "google.protobuf.Timestamp"),
        ("net", "CIDR", "net.CIDR"),
        ("net", "IP", "net.IP"),
    ];
    // Compares the last part first, because every selection comes here.
    let (package, _, name) = TYPES.into_iter().find(|(_, last, _)| *last == field)?;
    let named = type_name(of).is_some_and(|(of, _)| of == package);
    named.then_some(name)
}

fn call(target: Option<&Expr>, name: &str, args: &[Expr], scope: &mut Scope) -> Outcome {
    match (name, args) {
        // These operators may leave an operand unevaluated.
        ("_&&_", [a, b]) => return both(a, b, false, scope),
        ("_||_", [a, b]) => return both(a, b, true, scope),
        ("_?_:_", [condition, yes, no]) => {
            return match eval(condition, scope)? {
                Value::Bool(true) => eval(yes, scope),
                Value::Bool(false) => eval(no, scope),
                _ => Err("no such overload".to_owned()),
            };
        }
        _ => {}
    }
    if let Some((variable, value, body)) = bound(target, name, args) {
        let value = eval(value, scope)?;
        return scope.with(&[(variable, &value)], |scope| eval(body, scope));
    }
    // In calls such as `ip.isCanonical('..')`, the target is the name of a library.
    if let Some(Node::Name(library)) = target.map(|t| &t.node)
        && scope.find(library).is_none()
        && functions::is_library(library)
    {
        let args = args.iter().map(|arg| eval(arg, scope));
        let args = args.collect::<Result<Vec<_>, _>>()?;
        return functions::call(&format!("{library}.{name}"), &args, scope);
    }
    let mut values = Vec::with_capacity(args.len() + 1);
    if let Some(target) = target {
        values.push(eval(target, scope)?);
    }
    // These functions evaluate their argument lazily, because it may fail.
    if let (Some(Value::Optional(held)), "orValue" | "or") = (values.first(), name) {
        // The alternative is evaluated only if there is no value.
        return match (held, args) {
            (Some(value), _) if name == "orValue" => Ok((**value).clone()),
            (Some(_), _) => Ok(values.remove(0)),
            (None, [other]) => eval(other, scope),
            (None, _) => Err("no such overload".to_owned()),
        };
    }
    for arg in args {
        values.push(eval(arg, scope)?);
    }
    functions::call(name, &values, scope)
}

/// Returns the variable, the value and the body of the macro `cel.bind(variable, value, body)`.
pub(super) fn bound<'e>(
    target: Option<&Expr>,
    name: &str,
    args: &'e [Expr],
) -> Option<(&'e str, &'e Expr, &'e Expr)> {
    match (&target?.node, name, args) {
        (Node::Name(cel), "bind", [variable, value, body]) if cel == "cel" => {
            let Node::Name(variable) = &variable.node else {
                return None;
            };
            Some((variable, value, body))
        }
        _ => None,
    }
}

/// Evaluates `&&` and `||`. If one operand decides the result, the other one does not matter.
fn both(a: &Expr, b: &Expr, decides: bool, scope: &mut Scope) -> Outcome {
    // `&&` and `||` are commutative in CEL: an error in one operand is ignored if the other one decides.
    let first = eval(a, scope);
    if first == Ok(Value::Bool(decides)) {
        return first;
    }
    // Evaluated even if the first operand failed.
    let second = eval(b, scope);
    match (first, second) {
        (_, Ok(Value::Bool(second))) if second == decides => Ok(Value::Bool(decides)),
        (Ok(Value::Bool(_)), Ok(Value::Bool(second))) => Ok(Value::Bool(second)),
        // Both operands failed, or one failed and the other does not decide.
        (Err(e), _) | (_, Err(e)) => Err(e),
        _ => Err("no such overload".to_owned()),
    }
}

fn bind(name: &str, value: &Expr, body: &Expr, how: Bind, scope: &mut Scope) -> Outcome {
    let value = eval(value, scope)?;
    let value = match value {
        Value::Optional(None) => return Ok(Value::none()),
        Value::Optional(Some(value)) => (*value).clone(),
        _ => return Err("no such overload".to_owned()),
    };
    // The body sees the name. The result of `optMap` is wrapped again.
    let result = scope.with(&[(name, &value)], |scope| eval(body, scope))?;
    Ok(match how {
        Bind::Map => Value::some(result),
        _ => result,
    })
}

/// Returns the steps of a macro over a list or map: the values of its first and second variable.
fn steps(range: &Value, two: bool) -> Result<Vec<(Value, Value)>, String> {
    match range {
        Value::List(list) => {
            let items = list.items.iter().enumerate();
            // With one variable, a list yields its items and a map its keys.
            let step = |(at, item): (usize, &Value)| match two {
                true => (Value::Int(at as i64), item.clone()),
                false => (item.clone(), Value::Null),
            };
            Ok(items.map(step).collect())
        }
        Value::Map(map) => Ok(map.iter().map(|(k, v)| (k.value(), v.clone())).collect()),
        _ => Err("no such overload".to_owned()),
    }
}

fn fold(fold: &Fold, scope: &mut Scope) -> Outcome {
    let two = fold.names.len() > 1;
    let range = eval(&fold.range, scope)?;
    let mut gathered = Accumulator::default();
    for (first, second) in steps(&range, two)? {
        // Charges for every step, so that nested macros terminate.
        scope.spend(1)?;
        let mut names = vec![(fold.names[0].as_str(), &first)];
        if two {
            names.push((fold.names[1].as_str(), &second));
        }
        let done = scope.with(&names, |scope| -> Result<bool, String> {
            let fits = match &fold.filter {
                Some(filter) => eval(filter, scope),
                None => Ok(Value::Bool(true)),
            };
            gathered.take(fold, fits, &first, scope)
        })?;
        if done {
            break;
        }
    }
    gathered.result(fold.kind)
}

/// The state of a macro between its steps.
#[derive(Default)]
struct Accumulator {
    count: usize,
    decided: bool,
    error: Option<String>,
    items: Vec<Value>,
    /// The sort keys of the items.
    keys: Vec<Value>,
    entries: Map,
}

impl Accumulator {
    /// Processes one step. Returns true if no further step can change the result.
    fn take(
        &mut self,
        fold: &Fold,
        fits: Outcome,
        item: &Value,
        scope: &mut Scope,
    ) -> Result<bool, String> {
        // Like `&&` and `||`, `all` and `exists` ignore errors if another item decides.
        let absorbs = matches!(fold.kind, FoldKind::All | FoldKind::Exists);
        let fits = match fits {
            Ok(Value::Bool(fits)) => fits,
            Ok(_) => return Err("no such overload".to_owned()),
            // One item that decides is enough, whatever the others return.
            Err(e) if absorbs && e != OVER_BUDGET => {
                self.error.get_or_insert(e);
                return Ok(false);
            }
            Err(e) => return Err(e),
        };
        match fold.kind {
            FoldKind::All => self.decided |= !fits,
            FoldKind::Exists => self.decided |= fits,
            FoldKind::ExistsOne => self.count += usize::from(fits),
            FoldKind::Filter if fits => self.items.push(item.clone()),
            FoldKind::Map
            | FoldKind::TransformMap
            | FoldKind::TransformMapEntry
            | FoldKind::SortBy
                if fits =>
            {
                let result = fold.result.as_ref().map(|result| eval(result, scope));
                let result = result.transpose()?.unwrap_or(Value::Null);
                match (fold.kind, Key::from_value(item), result) {
                    (FoldKind::TransformMap, Some(key), result) => {
                        self.entries.insert(key, result);
                    }
                    (FoldKind::TransformMapEntry, _, Value::Map(made)) => self.insert(&made)?,
                    (FoldKind::TransformMapEntry, ..) => return Err("no such overload".to_owned()),
                    (FoldKind::SortBy, _, key) => {
                        self.keys.push(key);
                        self.items.push(item.clone());
                    }
                    (_, _, result) => self.items.push(result),
                }
            }
            _ => {}
        }
        Ok(self.decided)
    }

    /// Adds the entries that a step returned.
    fn insert(&mut self, made: &Map) -> Result<(), String> {
        for (key, value) in made {
            if self.entries.insert(key.clone(), value.clone()).is_some() {
                return Err(format!("insert failed: key {key} already exists"));
            }
        }
        Ok(())
    }

    fn result(self, kind: FoldKind) -> Outcome {
        match kind {
            // An error counts only if no item decided the result.
            FoldKind::All | FoldKind::Exists => match self.error.filter(|_| !self.decided) {
                Some(error) => Err(error),
                None => Ok(Value::Bool(self.decided == (kind == FoldKind::Exists))),
            },
            FoldKind::ExistsOne => Ok(Value::Bool(self.count == 1)),
            FoldKind::Filter | FoldKind::Map => Ok(Value::list(self.items)),
            FoldKind::SortBy => {
                let mut pairs: Vec<(Value, Value)> =
                    self.keys.into_iter().zip(self.items).collect();
                // The sort is stable, so items with equal keys keep their order.
                pairs.sort_by(|a, b| a.0.order(&b.0).unwrap_or(Ordering::Equal));
                Ok(Value::list(pairs.into_iter().map(|pair| pair.1).collect()))
            }
            FoldKind::TransformMap | FoldKind::TransformMapEntry => {
                Ok(Value::Map(Arc::new(self.entries)))
            }
        }
    }
}
