//! Functions on lists and sets.

use std::cmp::Ordering;

use super::arithmetic;
use crate::value::{List, Outcome, Value};

pub(super) fn call(name: &str, args: &[Value]) -> Option<Outcome> {
    match args {
        [Value::List(list)] => of_list(name, list),
        [Value::Int(count)] if name == "lists.range" => Some(range(*count)),
        [Value::List(a), Value::List(b)] if name.starts_with("sets.") => sets(name, a, b),
        [Value::List(list), item] if name == "indexOf" => {
            Some(Ok(index(list.items.iter().position(|own| own == item))))
        }
        [Value::List(list), item] if name == "lastIndexOf" => {
            Some(Ok(index(list.items.iter().rposition(|own| own == item))))
        }
        [Value::List(list), Value::Int(from), Value::Int(to)] if name == "slice" => {
            Some(slice(list, *from, *to))
        }
        [Value::List(list), Value::Int(depth)] if name == "flatten" => {
            Some(Ok(Value::list(flat(list, *depth))))
        }
        _ => None,
    }
}

fn range(count: i64) -> Outcome {
    // Checked before the list is created, because the number comes from the expression.
    super::within(usize::try_from(count).unwrap_or(0))?;
    Ok(Value::list((0..count).map(Value::Int).collect()))
}

fn index(found: Option<usize>) -> Value {
    // CEL returns -1 rather than an optional if the item is absent.
    Value::Int(found.map_or(-1, |at| at as i64))
}

fn of_list(name: &str, list: &List) -> Option<Outcome> {
    let items = &list.items;
    // Values that cannot be ordered keep their places.
    let ordered = |a: &Value, b: &Value| a.order(b).unwrap_or(Ordering::Equal);
    Some(match name {
        "isSorted" => Ok(Value::Bool(
            items.is_sorted_by(|a, b| ordered(a, b) != Ordering::Greater),
        )),
        "sum" => sum(items),
        "min" | "max" => {
            let least = name == "min";
            let better = |a: &&Value, b: &&Value| ordered(a, b);
            let found = match least {
                true => items.iter().min_by(better),
                false => items.iter().max_by(better),
            };
            found
                .cloned()
                .ok_or_else(|| format!("{name} called on empty list"))
        }
        "distinct" => {
            // This is quadratic; `cost_of_pairs` charges for it.
            let mut kept: Vec<Value> = Vec::new();
            for item in items {
                if !kept.contains(item) {
                    kept.push(item.clone());
                }
            }
            Ok(Value::list(kept))
        }
        "reverse" => Ok(Value::list(items.iter().rev().cloned().collect())),
        "sort" => {
            let mut sorted = items.clone();
            sorted.sort_by(ordered);
            Ok(Value::list(sorted))
        }
        "first" => Ok(items
            .first()
            .map_or_else(Value::none, |v| Value::some(v.clone()))),
        "last" => Ok(items
            .last()
            .map_or_else(Value::none, |v| Value::some(v.clone()))),
        "flatten" => Ok(Value::list(flat(list, 1))),
        _ => return None,
    })
}

fn sum(items: &[Value]) -> Outcome {
    let mut items = items.iter();
    let Some(first) = items.next() else {
        // The sum of an empty list is the integer 0, whatever the list's type.
        return Ok(Value::Int(0));
    };
    items.try_fold(first.clone(), |sum, item| {
        arithmetic::call("_+_", &[sum, item.clone()])
            .unwrap_or_else(|| Err("no such overload".to_owned()))
    })
}

fn slice(list: &List, from: i64, to: i64) -> Outcome {
    let range = usize::try_from(from).ok().zip(usize::try_from(to).ok());
    // Uses `get`, which cannot panic, because the bounds come from the expression.
    let part = range.and_then(|(from, to)| list.items.get(from..to));
    part.map(|items| Value::list(items.to_vec()))
        .ok_or_else(|| {
            format!(
                "cannot slice({from}, {to}), list is length {}",
                list.items.len()
            )
        })
}

fn flat(list: &List, depth: i64) -> Vec<Value> {
    let mut out = Vec::new();
    for item in &list.items {
        match item {
            Value::List(inner) if depth > 0 => out.extend(flat(inner, depth - 1)),
            item => out.push(item.clone()),
        }
    }
    out
}

fn sets(name: &str, a: &List, b: &List) -> Option<Outcome> {
    let within = |a: &List, b: &List| b.items.iter().all(|item| a.items.contains(item));
    Some(Ok(Value::Bool(match name {
        "sets.contains" => within(a, b),
        "sets.equivalent" => within(a, b) && within(b, a),
        "sets.intersects" => b.items.iter().any(|item| a.items.contains(item)),
        _ => return None,
    })))
}
