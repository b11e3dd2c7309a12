//! Estimates the worst cost of an expression from the sizes of its variables.
//!
//! Follows cel-go's `checker/cost.go` and Kubernetes' `pkg/cel/library/cost.go`: the API server rejects definitions by
//! this estimate, so a smaller or a larger one accepts or rejects others. Only the worst cost counts; of sizes, the
//! smallest counts as well, because a replacement of short strings makes a text longer.

use std::collections::BTreeMap;

use super::ast::{Bind, Expr, Fold, FoldKind, Node, Select};
use super::check;
use super::types::{FUNCTIONS, Type};
use super::value::Value;

/// The costs of new lists, maps and objects.
const LIST: u64 = 10;
const MAP: u64 = 30;
const OBJECT: u64 = 40;

/// The cost of reading a character, and of a character of a regular expression for each character that it reads.
const PER_CHARACTER: f64 = 0.1;
const PER_PATTERN_CHARACTER: f64 = 0.25;

/// The length of the longest name of a format.
const LONGEST_NAME: u64 = 64;

/// The length of the longest regular expression of a named format.
const LONGEST_FORMAT: f64 = 128.0;

/// Returns the largest size of the value at a path, such as `["self", "ports", "@items", "name"]`.
pub(super) type SizeOf<'a> = dyn Fn(&[String]) -> Option<u64> + 'a;

/// The number of characters, items or entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    min: u64,
    max: u64,
}

impl Size {
    const UNKNOWN: Self = Self {
        min: 0,
        max: u64::MAX,
    };

    const fn exactly(size: u64) -> Self {
        Self {
            min: size,
            max: size,
        }
    }

    fn union(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_add(other.min),
            max: self.max.saturating_add(other.max),
        }
    }

    fn times(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_mul(other.min),
            max: self.max.saturating_mul(other.max),
        }
    }

    /// Returns the cost of reading all characters.
    fn read(self) -> u64 {
        factor(self.max, PER_CHARACTER)
    }
}

/// Returns the product, rounded up; a product that is too large is the largest number.
fn factor(size: u64, per_unit: f64) -> u64 {
    // A cast of a float saturates, as the multiplication in cel-go does.
    (size as f64 * per_unit).ceil() as u64
}

/// The sizes of the keys and values of a list or map that the expression itself creates.
#[derive(Clone, Copy, Debug)]
struct Entries {
    list: bool,
    values: Size,
}

impl Entries {
    fn union(self, other: Self) -> Self {
        Self {
            list: self.list,
            values: self.values.union(other.values),
        }
    }
}

/// The estimate for an expression.
#[derive(Clone, Debug)]
struct Estimate {
    cost: u64,
    size: Option<Size>,
    /// The path of the value in its variable; empty if the expression computes the value.
    path: Vec<String>,
    ty: Type,
    entries: Option<Entries>,
    /// The value of an integer literal.
    number: Option<i64>,
}

impl Estimate {
    fn size(&self) -> Size {
        self.size.unwrap_or(Size::UNKNOWN)
    }
}

/// The cost of a call without that of its arguments, and the size of its result if the call determines it.
struct Call {
    cost: u64,
    size: Option<Size>,
}

impl Call {
    fn new(cost: u64) -> Self {
        Self { cost, size: None }
    }

    fn sized(cost: u64, size: Size) -> Self {
        let size = Some(size);
        Self { cost, size }
    }
}

/// A variable of a macro.
struct Local {
    name: String,
    value: Estimate,
}

struct Estimator<'a> {
    types: BTreeMap<*const Expr, Type>,
    sizes: &'a SizeOf<'a>,
    locals: Vec<Local>,
}

/// Returns the worst cost of an expression with these names in scope.
pub(super) fn worst(expr: &Expr, names: &[(&str, Type)], sizes: &SizeOf<'_>) -> u64 {
    let mut estimator = Estimator {
        types: check::types(expr, names),
        sizes,
        locals: Vec::new(),
    };
    estimator.expr(expr).cost
}

impl Estimator<'_> {
    fn type_of(&self, expr: &Expr) -> Type {
        let found = self.types.get(&std::ptr::from_ref(expr));
        found.cloned().unwrap_or(Type::Dyn)
    }

    /// Returns the estimate for a value at a path.
    fn at(&self, cost: u64, path: Vec<String>, ty: Type) -> Estimate {
        let known = match path.is_empty() {
            true => None,
            false => (self.sizes)(&path).map(|max| Size { min: 0, max }),
        };
        let size = known.or_else(|| is_scalar(&ty).then_some(Size::exactly(1)));
        Estimate {
            cost,
            size,
            path,
            ty,
            entries: None,
            number: None,
        }
    }

    fn expr(&mut self, expr: &Expr) -> Estimate {
        let ty = self.type_of(expr);
        match &expr.node {
            Node::Literal(value) => Estimate {
                size: literal(value),
                number: match value {
                    Value::Int(number) => Some(*number),
                    _ => None,
                },
                ..self.at(0, Vec::new(), ty)
            },
            Node::Name(name) => self.name(name, ty),
            Node::Select { of, field, how } => self.select(of, field, *how, ty),
            Node::Call { target, name, args } => self.call(target.as_deref(), name, args, ty),
            Node::List(items) => self.list(items, ty),
            Node::Map(entries) => self.map(entries, ty),
            Node::Message { fields, .. } => {
                let values = fields.iter().map(|field| self.expr(&field.value).cost);
                let cost = values.fold(OBJECT, u64::saturating_add);
                self.at(cost, Vec::new(), ty)
            }
            Node::Fold(fold) => self.fold(fold, ty),
            Node::Bind {
                name,
                value,
                body,
                how,
            } => self.bind(name, value, body, *how, ty),
        }
    }

    fn name(&self, name: &str, ty: Type) -> Estimate {
        let Some(local) = self.locals.iter().rev().find(|local| local.name == name) else {
            return self.at(1, vec![name.to_owned()], ty);
        };
        let found = self.at(1, local.value.path.clone(), ty);
        Estimate {
            size: found.size.or(local.value.size),
            entries: local.value.entries,
            ..found
        }
    }

    fn select(&mut self, of: &Expr, field: &str, how: Select, ty: Type) -> Estimate {
        let of = self.expr(of);
        match how {
            // Kubernetes' environment makes `has()` free.
            Select::Test => self.at(of.cost, Vec::new(), ty),
            Select::Optional => self.at(of.cost.saturating_add(1), Vec::new(), ty),
            Select::Plain => {
                let counted = matches!(of.ty, Type::Map(..) | Type::Object(_) | Type::Made(_));
                let cost = of.cost.saturating_add(u64::from(counted));
                self.at(cost, below(&of.path, field), ty)
            }
        }
    }

    fn list(&mut self, items: &[(bool, Expr)], ty: Type) -> Estimate {
        let mut cost = LIST;
        let mut values: Option<Size> = None;
        for (_, item) in items {
            let item = self.expr(item);
            cost = cost.saturating_add(item.cost);
            values = Some(values.map_or(item.size(), |before| before.union(item.size())));
        }
        let values = values.unwrap_or(Size::exactly(0));
        Estimate {
            size: Some(Size::exactly(items.len() as u64)),
            entries: Some(Entries { list: true, values }),
            ..self.at(cost, Vec::new(), ty)
        }
    }

    fn map(&mut self, entries: &[(bool, Expr, Expr)], ty: Type) -> Estimate {
        let mut cost = MAP;
        let mut values: Option<Size> = None;
        for (_, key, value) in entries {
            let (key, value) = (self.expr(key), self.expr(value));
            cost = cost.saturating_add(key.cost).saturating_add(value.cost);
            values = Some(values.map_or(value.size(), |before| before.union(value.size())));
        }
        let values = values.unwrap_or(Size::exactly(0));
        let list = false;
        Estimate {
            size: Some(Size::exactly(entries.len() as u64)),
            entries: Some(Entries { list, values }),
            ..self.at(cost, Vec::new(), ty)
        }
    }

    fn call(&mut self, target: Option<&Expr>, name: &str, args: &[Expr], ty: Type) -> Estimate {
        // The checker gives no type to the name of a library.
        let library = match target.map(|target| (&target.node, std::ptr::from_ref(target))) {
            Some((Node::Name(library), at)) if !self.types.contains_key(&at) => {
                Some(format!("{library}.{name}"))
            }
            _ => None,
        };
        let target = target
            .filter(|_| library.is_none())
            .map(|target| self.expr(target));
        let name = library.as_deref().unwrap_or(name);
        let args: Vec<Estimate> = args.iter().map(|arg| self.expr(arg)).collect();
        let target_cost = target.as_ref().map_or(0, |target| target.cost);
        match (name, args.as_slice()) {
            ("dyn", [arg]) => {
                return Estimate {
                    size: arg.size,
                    entries: arg.entries,
                    ..self.at(arg.cost.saturating_add(1), Vec::new(), ty)
                };
            }
            ("_?_:_", [condition, then, otherwise]) => {
                let either = then.cost.max(otherwise.cost);
                let (one, other) = (then.entries, otherwise.entries);
                return Estimate {
                    size: Some(then.size().union(otherwise.size())),
                    entries: one.and_then(|one| Some(one.union(other?))),
                    ..self.at(condition.cost.saturating_add(either), Vec::new(), ty)
                };
            }
            _ => {}
        }
        let call = self.most_expensive(name, target.as_ref(), &args);
        let all = args.iter().map(|arg| arg.cost);
        let cost = all.fold(target_cost.saturating_add(call.cost), u64::saturating_add);
        let path = match (name, args.as_slice()) {
            ("_[_]", [of, _]) => {
                below(&of.path, if is_list(&of.ty) { "@items" } else { "@values" })
            }
            _ => Vec::new(),
        };
        let found = self.at(cost, path, ty);
        let entries = match (name, args.as_slice()) {
            ("_+_", [left, right]) => left
                .entries
                .and_then(|left| Some(left.union(right.entries?))),
            _ => None,
        };
        Estimate {
            size: call.size.or(found.size),
            entries,
            ..found
        }
    }

    /// Returns the call of the most expensive signature that fits the types of the arguments: a dynamic argument
    /// fits several.
    fn most_expensive(&self, name: &str, target: Option<&Estimate>, args: &[Estimate]) -> Call {
        let types: Vec<Type> = target
            .into_iter()
            .chain(args)
            .map(|arg| arg.ty.clone())
            .collect();
        let overloads = FUNCTIONS.get(name).into_iter().flatten();
        let fitting = overloads.filter(|overload| {
            overload.member == target.is_some() && check::result(overload, &types).is_some()
        });
        let calls = fitting.map(|overload| {
            let own = self.library_call(name, target, args, &overload.args);
            own.unwrap_or_else(|| standard_call(name, target, args, &overload.args))
        });
        let most = calls.reduce(|one, other| Call {
            cost: one.cost.max(other.cost),
            size: match (one.size, other.size) {
                (Some(one), Some(other)) => Some(one.union(other)),
                (one, other) => one.or(other),
            },
        });
        most.unwrap_or_else(|| Call::new(0))
    }

    /// Returns the cost of a function of Kubernetes' libraries. `types` are those of the signature.
    fn library_call(
        &self,
        name: &str,
        target: Option<&Estimate>,
        args: &[Estimate],
        types: &[Type],
    ) -> Option<Call> {
        let arg = |index: usize| args.get(index).map_or(Size::UNKNOWN, Estimate::size);
        if name == "url" {
            return Some(Call::sized(arg(0).read(), arg(0)));
        }
        // Like upstream, only `==` is cheap for the values of libraries, and the text on the right counts for URLs.
        if let ("_==_", [left, right]) = (name, args)
            && let Type::Opaque(ty) = left.ty
            && left.ty == right.ty
        {
            let size = match ty {
                "kubernetes.NamedFormat" => LONGEST_NAME,
                "kubernetes.URL" => right.size.map_or(1, |size| size.max),
                _ => 1,
            };
            return Some(Call::new(factor(size, PER_CHARACTER)));
        }
        let target = target?;
        let size = target.size();
        let call = match name {
            "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => self.search(target),
            "lowerAscii" | "upperAscii" | "substring" | "trim" => Call::sized(size.read(), size),
            "replace" => {
                let cost = factor(size.max, 2.0 * PER_CHARACTER);
                Call::sized(cost, replaced(size, arg(0), arg(1)))
            }
            "split" => {
                let limit = args.get(1).and_then(|limit| limit.number);
                // As in Go's conversion, a negative limit is the largest number.
                let max = limit.map_or(size.max, |limit| limit.cast_unsigned());
                let cost = factor(size.max, 2.0 * PER_CHARACTER);
                Call::sized(cost, Size { min: 0, max })
            }
            "join" => {
                let items = self
                    .item_size(target)
                    .map_or(Size::exactly(0), |item| size.times(item));
                let gaps = Size {
                    min: size.min.saturating_sub(1),
                    max: size.max.saturating_sub(1),
                };
                let text = match args.first() {
                    Some(separator) => items.plus(separator.size().times(gaps)),
                    None => items,
                };
                Call::sized(text.read(), text)
            }
            "find" | "findAll" => {
                let text = size.plus(Size::exactly(1)).read();
                let pattern = factor(arg(0).max, PER_PATTERN_CHARACTER);
                let result = Size {
                    min: 0,
                    max: size.max,
                };
                Call::sized(text.saturating_mul(pattern), result)
            }
            // An address has 4 or 16 bytes; the prefix and the address are read.
            "containsIP" => Call::new(factor(32, PER_CHARACTER) + parsed(types, arg(0))),
            "containsCIDR" => {
                let compared = factor(32, PER_CHARACTER) + factor(16, PER_CHARACTER) + 1;
                Call::new(compared.saturating_add(parsed(types, arg(0))))
            }
            "validate" => {
                let pattern = LONGEST_FORMAT * PER_PATTERN_CHARACTER;
                Call::new(factor(arg(0).read(), pattern))
            }
            _ => return None,
        };
        Some(call)
    }

    /// Returns the cost of comparing each item of a list, or of reading a text.
    fn search(&self, target: &Estimate) -> Call {
        let Some(item) = self.item_size(target) else {
            return Call::new(target.size().read());
        };
        let texts =
            matches!(&target.ty, Type::List(item) if matches!(**item, Type::Text | Type::Bytes));
        let each = 1 + if texts { item.read() } else { 0 };
        Call::new(target.size().max.saturating_mul(each))
    }

    /// Returns the size of the items of a list, or `None` if the type is not a list.
    fn item_size(&self, list: &Estimate) -> Option<Size> {
        if !is_list(&list.ty) {
            return None;
        }
        let known = match list.path.is_empty() {
            true => None,
            false => (self.sizes)(&below(&list.path, "@items")),
        };
        Some(known.map_or(Size::UNKNOWN, |max| Size { min: 0, max }))
    }

    /// Adds the variables of a macro over a list or map.
    fn push_variables(&mut self, fold: &Fold, range: &Estimate) {
        let list = match range.entries {
            Some(entries) => entries.list,
            None => is_list(&range.ty),
        };
        let two = fold.names.len() > 1;
        let (first, second) = match list {
            true if two => ("@indices", "@items"),
            true => ("@items", ""),
            false => ("@keys", "@values"),
        };
        let values = range.entries.map(|entries| entries.values);
        for (name, place) in fold.names.iter().zip([first, second]) {
            let value = Estimate {
                size: values.filter(|_| matches!(place, "@items" | "@values")),
                ..self.at(0, below(&range.path, place), Type::Dyn)
            };
            let name = name.clone();
            self.locals.push(Local { name, value });
        }
    }

    /// Returns the estimate for a macro. Each one expands to a loop: the start value, the condition and the step for
    /// each item, and the result. An access of the loop's own variable costs 1.
    fn fold(&mut self, fold: &Fold, ty: Type) -> Estimate {
        let range = self.expr(&fold.range);
        let before = self.locals.len();
        self.push_variables(fold, &range);
        let filter = fold.filter.as_ref().map(|filter| self.expr(filter));
        let result = fold.result.as_ref().map(|result| self.expr(result));
        let item = fold
            .names
            .first()
            .map(|name| self.name(name, Type::Dyn).size());
        self.locals.truncate(before);
        let condition = filter.as_ref().map_or(0, |filter| filter.cost);
        let value = result.as_ref().map_or(0, |result| result.cost);
        // The start value, the cost for each item, and that of the result.
        let (start, each, end) = match fold.kind {
            FoldKind::All => (0, condition.saturating_add(3), 1),
            FoldKind::Exists => (0, condition.saturating_add(4), 1),
            FoldKind::ExistsOne => (0, condition.saturating_add(2), 2),
            FoldKind::Filter => (LIST, condition.saturating_add(LIST + 3), 1),
            FoldKind::Map => (
                LIST,
                condition.saturating_add(value).saturating_add(LIST + 2),
                1,
            ),
            FoldKind::TransformMap => (MAP, condition.saturating_add(value).saturating_add(3), 1),
            FoldKind::TransformMapEntry => {
                (MAP, condition.saturating_add(value).saturating_add(2), 1)
            }
            // The keys are computed by a `map` over a variable with the list.
            FoldKind::SortBy => (2 * LIST, value.saturating_add(LIST + 2), 4),
        };
        let count = range.size();
        let looped = count.max.saturating_mul(each);
        let fixed = range.cost.saturating_add(start + end);
        let found = self.at(fixed.saturating_add(looped), Vec::new(), ty);
        let values = match fold.kind {
            FoldKind::Filter => item,
            FoldKind::Map => result.as_ref().map(Estimate::size),
            _ => None,
        };
        let grown = |size: Size| Size { min: 0, ..size };
        Estimate {
            size: match fold.kind {
                FoldKind::All | FoldKind::Exists | FoldKind::ExistsOne => Some(Size::exactly(1)),
                FoldKind::SortBy => found.size,
                _ => Some(count),
            },
            entries: values.map(|values| Entries {
                list: true,
                values: grown(values),
            }),
            ..found
        }
    }

    /// Returns the estimate for `optMap` and `optFlatMap`, which expand to a condition with the optional twice.
    fn bind(&mut self, name: &str, value: &Expr, body: &Expr, how: Bind, ty: Type) -> Estimate {
        let value = self.expr(value);
        let held = match &value.ty {
            Type::Optional(held) => (**held).clone(),
            other => other.clone(),
        };
        let local = self.at(0, Vec::new(), held);
        let name = name.to_owned();
        self.locals.push(Local { name, value: local });
        let body = self.expr(body);
        self.locals.pop();
        // Two calls of the optional, an empty list, and `optional.of`.
        let fixed = 2 + LIST + u64::from(how == Bind::Map);
        let twice = value.cost.saturating_mul(2);
        let cost = twice.saturating_add(body.cost).saturating_add(fixed);
        self.at(cost, Vec::new(), ty)
    }
}

/// Returns the cost of a function of the standard library. `types` are those of the signature.
fn standard_call(name: &str, target: Option<&Estimate>, args: &[Estimate], types: &[Type]) -> Call {
    let arg = |index: usize| args.get(index).map_or(Size::UNKNOWN, Estimate::size);
    let target_size = target.map(Estimate::size);
    // A comparison reads the shorter text.
    let compared = || factor(arg(0).max.min(arg(1).max), PER_CHARACTER);
    let is_text = |ty: Option<&Type>| matches!(ty, Some(Type::Text | Type::Bytes));
    match (name, target_size) {
        // Only the operands cost.
        ("_&&_" | "_||_", _) => Call::new(0),
        ("_==_" | "_!=_", _) => Call::new(compared()),
        ("_<_" | "_<=_" | "_>_" | "_>=_", _) if is_text(types.first()) => Call::new(compared()),
        ("_+_", _) if is_text(types.first()) => {
            let size = arg(0).plus(arg(1));
            Call::sized(size.read(), size)
        }
        ("_+_", _) if is_list_type(types.first()) => Call::sized(1, arg(0).plus(arg(1))),
        ("_[_]", _) => Call {
            cost: 1,
            size: args.first().and_then(|of| of.entries).map(|of| of.values),
        },
        ("@in", _) if is_list_type(types.get(1)) => Call::new(arg(1).max),
        ("format", Some(text)) => Call::new(text.read()),
        ("bytes", _) if types == [Type::Text] => {
            let max = arg(0).max.saturating_mul(4);
            Call::sized(arg(0).read(), Size { max, ..arg(0) })
        }
        ("string", _) if types == [Type::Bytes] => {
            let min = arg(0).min / 4;
            Call::sized(arg(0).read(), Size { min, ..arg(0) })
        }
        ("strings.quote", _) => {
            let size = arg(0).plus(Size::exactly(2));
            let max = size.max.saturating_add(arg(0).max);
            Call::sized(arg(0).read(), Size { max, ..size })
        }
        ("startsWith" | "endsWith", Some(_)) => Call::new(arg(0).read()),
        ("matches", Some(text)) => {
            let pattern = factor(arg(0).max, PER_PATTERN_CHARACTER);
            Call::new(text.plus(Size::exactly(1)).read().saturating_mul(pattern))
        }
        ("contains", Some(text)) => Call::new(text.read().saturating_mul(arg(0).read())),
        ("sets.contains" | "sets.intersects", _) => Call::new(arg(0).times(arg(1)).max),
        ("sets.equivalent", _) => Call::new(arg(0).times(arg(1)).max.saturating_mul(2)),
        _ => Call::new(1),
    }
}

/// Returns the cost of parsing the argument if the signature has a text instead of an address.
fn parsed(types: &[Type], text: Size) -> u64 {
    match types.last() {
        Some(Type::Text) => text.read(),
        _ => 0,
    }
}

/// Returns the size of a text after a replacement of `old` by `new`.
fn replaced(text: Size, old: Size, new: Size) -> Size {
    // The longest result has as many of the longest replacements as fit.
    let (most, kept) = match old.min {
        // An empty text is found around every character.
        0 => (text.max.saturating_add(1), text.max),
        shortest if new.max <= shortest => (0, text.max),
        shortest => (text.max.div_ceil(shortest), 0),
    };
    let (fewest, left) = match old.max {
        0 => (text.min.saturating_add(1), text.min),
        longest if longest <= new.min => (0, text.min),
        longest => (text.min.div_ceil(longest), 0),
    };
    Size {
        min: fewest.saturating_mul(new.min).saturating_add(left),
        max: most.saturating_mul(new.max).saturating_add(kept),
    }
}

/// Returns the size of a literal.
fn literal(value: &Value) -> Option<Size> {
    let size = match value {
        Value::Text(text) => text.chars().count() as u64,
        Value::Bytes(bytes) => bytes.len() as u64,
        _ => 1,
    };
    Some(Size::exactly(size))
}

fn is_scalar(ty: &Type) -> bool {
    match ty {
        Type::Bool | Type::Double | Type::Duration | Type::Int | Type::Timestamp | Type::Uint => {
            true
        }
        Type::Optional(held) => is_scalar(held),
        _ => false,
    }
}

fn is_list(ty: &Type) -> bool {
    matches!(ty, Type::List(_))
}

fn is_list_type(ty: Option<&Type>) -> bool {
    ty.is_some_and(is_list)
}

fn below(path: &[String], name: &str) -> Vec<String> {
    path.iter().cloned().chain([name.to_owned()]).collect()
}
