//! The functions of templates: Go's own, and kubectl's `exists` and `base64decode`.

use std::cmp::Ordering;

use super::escape;
use super::printf;
use super::value::{Data, Int, Val};
use crate::api::go_base64;

/// The form in which a function expects an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Param {
    /// As it is, even if it is missing.
    Any,
    /// A plain value; nil if it is missing.
    Plain,
    /// A string.
    Text,
}

type Answer<'a> = Result<Val<'a>, String>;

/// A function.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: &'static str,
    /// The number of required arguments.
    pub(super) fixed: usize,
    /// True if the function accepts further arguments.
    pub(super) variadic: bool,
    first: Param,
    rest: Param,
    pub(super) run: for<'a> fn(&[Val<'a>]) -> Answer<'a>,
}

impl Function {
    /// Returns the form of the argument at an index.
    pub(super) fn param(&self, at: usize) -> Param {
        if at == 0 { self.first } else { self.rest }
    }
}

const fn function(
    name: &'static str,
    fixed: usize,
    variadic: bool,
    first: Param,
    rest: Param,
    run: for<'a> fn(&[Val<'a>]) -> Answer<'a>,
) -> Function {
    Function {
        name,
        fixed,
        variadic,
        first,
        rest,
        run,
    }
}

use Param::{Any, Plain, Text};

/// All functions, sorted by name.
const FUNCTIONS: &[Function] = &[
    // The executor evaluates `and` and `or`.
    function("and", 1, true, Any, Any, |_| Ok(Val::MISSING)),
    function("base64decode", 1, false, Text, Text, base64decode),
    function("call", 1, true, Any, Any, |args| call("", args)),
    function("eq", 1, true, Any, Any, eq),
    function("exists", 1, true, Plain, Plain, exists),
    function("ge", 2, false, Any, Any, |args| {
        less(args).map(|less| (!less).into())
    }),
    function("gt", 2, false, Any, Any, |args| {
        less_or_equal(args).map(|less| (!less).into())
    }),
    function("html", 0, true, Plain, Plain, |args| {
        Ok(Val::text(escape::html(&all(args))))
    }),
    function("index", 1, true, Any, Any, index),
    function("js", 0, true, Plain, Plain, |args| {
        Ok(Val::text(escape::js(&all(args))))
    }),
    function("le", 2, false, Any, Any, |args| {
        less_or_equal(args).map(Val::from)
    }),
    function("len", 1, false, Any, Any, len),
    function("lt", 2, false, Any, Any, |args| less(args).map(Val::from)),
    function("ne", 2, false, Any, Any, |args| {
        equal(args).map(|equal| (!equal).into())
    }),
    function("not", 1, false, Any, Any, |args| {
        Ok((!args[0].is_true()).into())
    }),
    function("or", 1, true, Any, Any, |_| Ok(Val::MISSING)),
    function("print", 0, true, Plain, Plain, |args| {
        Ok(Val::text(printf::print(args)))
    }),
    function("printf", 1, true, Text, Plain, |args| {
        Ok(Val::text(printf::printf(args)))
    }),
    function("println", 0, true, Plain, Plain, |args| {
        Ok(Val::text(printf::println(args)))
    }),
    function("slice", 1, true, Any, Any, slice),
    function("urlquery", 0, true, Plain, Plain, |args| {
        Ok(Val::text(escape::url_query(&all(args))))
    }),
];

/// Returns the function with this name.
pub(super) fn find(name: &str) -> Option<&'static Function> {
    // For so few names, a linear search is faster than a map.
    FUNCTIONS.iter().find(|function| function.name == name)
}

/// Joins the arguments as templates print them.
fn all(args: &[Val<'_>]) -> String {
    let shown = |arg: &Val<'_>| match arg.data {
        Data::Missing | Data::Nil => Val::text("<no value>"),
        _ => Val::text(printf::plain(arg)),
    };
    match args {
        // A single string is returned as it is; several arguments are joined as by `print`.
        [one] => match shown(one).data {
            Data::Text(text) => text.into_owned(),
            _ => String::new(),
        },
        args => {
            let named: Vec<Val<'_>> = args
                .iter()
                .map(|arg| match arg.data {
                    Data::Missing | Data::Nil => Val::text("<no value>"),
                    _ => arg.clone(),
                })
                .collect();
            printf::print(&named)
        }
    }
}

/// Rejects every call, because templates have no values that can be called.
pub(super) fn call<'a>(name: &str, args: &[Val<'a>]) -> Answer<'a> {
    match args.first().map(|value| &value.data) {
        None | Some(Data::Missing | Data::Nil) => Err("call of nil".to_owned()),
        Some(_) => Err(format!(
            "non-function {name} of type {}",
            args[0].inner_type()
        )),
    }
}

fn base64decode<'a>(args: &[Val<'a>]) -> Answer<'a> {
    let Data::Text(text) = &args[0].data else {
        return Err("not a text".to_owned());
    };
    match go_base64::decode(text) {
        Ok(bytes) => Ok(Val::text(String::from_utf8_lossy(&bytes).into_owned())),
        Err(why) => Err(format!("base64 decode failed: {why}")),
    }
}

fn at<'a>(value: &Val<'a>, index: i64) -> Option<Val<'a>> {
    let index = usize::try_from(index).ok()?;
    match &value.data {
        Data::List(items) => items.get(index).map(Val::part),
        Data::Text(text) => {
            let byte = text.as_bytes().get(index)?;
            Some(Data::Int(i64::from(*byte), Int::Byte).into())
        }
        _ => None,
    }
}

fn length(value: &Val<'_>) -> Option<usize> {
    match &value.data {
        Data::List(items) => Some(items.len()),
        Data::Text(text) => Some(text.len()),
        Data::Map(map) => Some(map.len()),
        _ => None,
    }
}

/// Checks an index into a list or string of this length.
fn index_of(index: &Val<'_>, length: usize) -> Result<i64, String> {
    match index.data {
        // The index may equal the length, because slices may end there.
        Data::Int(at, _) if at >= 0 && usize::try_from(at).is_ok_and(|at| at <= length) => Ok(at),
        Data::Int(at, _) => Err(format!("index out of range: {at}")),
        Data::Missing | Data::Nil => Err("cannot index slice/array with nil".to_owned()),
        _ => Err(format!(
            "cannot index slice/array with type {}",
            index.inner_type()
        )),
    }
}

fn index<'a>(args: &[Val<'a>]) -> Answer<'a> {
    // As with reflection, the value within an interface is indexed.
    let mut item = args[0].clone().unboxed();
    if let Data::Missing = item.data {
        return Err("index of untyped nil".to_owned());
    }
    for index in &args[1..] {
        let step = match &item.data {
            Data::Nil => return Err("index of nil pointer".to_owned()),
            Data::List(_) | Data::Text(_) => {
                let index = index_of(index, length(&item).unwrap_or(0))?;
                let what = if let Data::List(_) = item.data {
                    "slice"
                } else {
                    "string"
                };
                at(&item, index).ok_or_else(|| format!("reflect: {what} index out of range"))?
            }
            Data::Map(map) => match &index.data {
                // For a missing key, a map returns nil rather than an error.
                Data::Text(key) => map.get(key.as_ref()).map_or_else(Val::nil, Val::part),
                Data::Missing | Data::Nil => {
                    return Err("value is nil; should be of type string".to_owned());
                }
                _ => {
                    return Err(format!(
                        "value has type {}; should be string",
                        index.inner_type()
                    ));
                }
            },
            _ => return Err(format!("can't index item of type {}", item.inner_type())),
        };
        item = step;
    }
    Ok(item)
}

fn exists<'a>(args: &[Val<'a>]) -> Answer<'a> {
    let mut item = args[0].clone();
    for index in &args[1..] {
        let step = match (&item.data, &index.data) {
            (Data::List(_) | Data::Text(_), Data::Int(index, _)) => at(&item, *index),
            (Data::Map(map), Data::Text(key)) => {
                Some(map.get(key.as_ref()).map_or_else(Val::nil, Val::part))
            }
            (Data::Map(map), Data::Missing | Data::Nil) => {
                Some(map.get("").map_or_else(Val::nil, Val::part))
            }
            _ => None,
        };
        match step {
            Some(step) => item = step,
            // A path that cannot be followed does not exist.
            None => return Ok(false.into()),
        }
    }
    Ok((!matches!(item.data, Data::Nil)).into())
}

fn len<'a>(args: &[Val<'a>]) -> Answer<'a> {
    let value = &args[0];
    match (length(value), &value.data) {
        (Some(length), _) => {
            let length = i64::try_from(length).unwrap_or(i64::MAX);
            Ok(Data::Int(length, Int::Plain).into())
        }
        (None, Data::Missing) => {
            Err("reflect: call of reflect.Value.Type on zero Value".to_owned())
        }
        (None, Data::Nil) => Err("len of nil pointer".to_owned()),
        _ => Err(format!("len of type {}", value.inner_type())),
    }
}

fn slice<'a>(args: &[Val<'a>]) -> Answer<'a> {
    let item = args[0].clone().unboxed();
    let indexes = &args[1..];
    if let Data::Missing = item.data {
        return Err("slice of untyped nil".to_owned());
    }
    // As with Go's full slice expression, at most three indexes are allowed.
    if indexes.len() > 3 {
        return Err(format!("too many slice indexes: {}", indexes.len()));
    }
    let length = match (&item.data, length(&item)) {
        (Data::Text(_), Some(_)) if indexes.len() == 3 => {
            return Err("cannot 3-index slice a string".to_owned());
        }
        (Data::Text(_) | Data::List(_), Some(length)) => length,
        _ => return Err(format!("can't slice item of type {}", item.inner_type())),
    };
    let mut bounds = [0, length, length];
    for (bound, index) in bounds.iter_mut().zip(indexes) {
        *bound = usize::try_from(index_of(index, length)?).unwrap_or(length);
    }
    let [from, to, cap] = bounds;
    for (low, high) in [(from, to), (to, cap)] {
        if low > high {
            return Err(format!("invalid slice index: {low} > {high}"));
        }
    }
    Ok(match item.data {
        Data::List(items) => Data::List(&items[from..to]).into(),
        Data::Text(text) => {
            // As in Go, indexes count bytes; an incomplete character becomes a replacement character.
            let bytes = &text.as_bytes()[from..to];
            Val::text(String::from_utf8_lossy(bytes).into_owned())
        }
        _ => Val::MISSING,
    })
}

const BAD_TYPE: &str = "invalid type for comparison";

/// Returns the error for values that cannot be compared.
fn mixed(a: &Val<'_>, b: &Val<'_>) -> String {
    let (a, b) = (a.inner_type(), b.inner_type());
    format!("incompatible types for comparison: {a} and {b}")
}

/// Returns the kind of a value. Only values of the same kind can be compared.
fn kind(value: &Val<'_>) -> u8 {
    match value.data {
        Data::Missing | Data::Nil | Data::List(_) | Data::Map(_) => 0,
        Data::Bool(_) => 1,
        Data::Int(..) => 2,
        Data::Float(_) => 3,
        Data::Text(_) => 4,
    }
}

fn eq<'a>(args: &[Val<'a>]) -> Answer<'a> {
    equal(args).map(Val::from)
}

/// Returns true if the first value equals any other.
fn equal(args: &[Val<'_>]) -> Result<bool, String> {
    if args.len() < 2 {
        return Err("missing argument for comparison".to_owned());
    }
    for other in &args[1..] {
        if pair_equal(&args[0], other)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn pair_equal(a: &Val<'_>, b: &Val<'_>) -> Result<bool, String> {
    let is_nil = |value: &Val<'_>| matches!(value.data, Data::Missing | Data::Nil);
    Ok(match (&a.data, &b.data) {
        (Data::Bool(a), Data::Bool(b)) => a == b,
        (Data::Int(a, _), Data::Int(b, _)) => a == b,
        (Data::Float(a), Data::Float(b)) => a == b,
        (Data::Text(a), Data::Text(b)) => a == b,
        // Two missing values are equal; a missing value and a present one are not.
        _ if is_nil(a) || is_nil(b) => is_nil(a) && is_nil(b),
        _ if kind(a) != kind(b) => return Err(mixed(a, b)),
        (Data::List(_), Data::List(_)) | (Data::Map(_), Data::Map(_)) => {
            return Err(format!(
                "non-comparable type {}: {}",
                printf::plain(b),
                b.inner_type()
            ));
        }
        _ => {
            return Err(format!(
                "non-comparable types {}: {}, {}: {}",
                printf::plain(a),
                a.inner_type(),
                b.inner_type(),
                printf::plain(b)
            ));
        }
    })
}

fn less(args: &[Val<'_>]) -> Result<bool, String> {
    let (a, b) = (&args[0], &args[1]);
    match (&a.data, &b.data) {
        // Lists, maps and nil cannot be ordered.
        _ if kind(a) == 0 || kind(b) == 0 => Err(BAD_TYPE.to_owned()),
        _ if kind(a) != kind(b) => Err(mixed(a, b)),
        (Data::Int(a, _), Data::Int(b, _)) => Ok(a < b),
        (Data::Float(a), Data::Float(b)) => Ok(a.partial_cmp(b) == Some(Ordering::Less)),
        (Data::Text(a), Data::Text(b)) => Ok(a < b),
        _ => Err(BAD_TYPE.to_owned()),
    }
}

fn less_or_equal(args: &[Val<'_>]) -> Result<bool, String> {
    // As in Go, this takes two comparisons, so that it is false for NaN.
    Ok(less(args)? || equal(args)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_listed_once_in_order() {
        assert!(FUNCTIONS.is_sorted_by(|a, b| a.name < b.name));
    }
}
