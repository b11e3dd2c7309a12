//! `--sort-by`: sorts objects by the value that a path selects.

use std::cmp::Ordering;

use super::go_sort;
pub use super::go_sort::by_key;
use super::jsonpath::{JsonPath, relaxed};
use crate::api::go::{quoted, type_name};
use crate::api::json::Value;
use crate::api::quantity::Quantity;

/// Returns the order of objects by a path: numbers by value, quantities by amount, strings in natural order.
///
/// Objects without the field come first; it is an error if none has it.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_print::sort::{SortError, order};
///
/// let objects = [json!({"n": 2}), json!({"n": 1})];
/// assert_eq!(order(&objects, "{.n}"), Ok(vec![1, 0]));
/// let maps = [json!({"n": {}}), json!({"n": {}})];
/// let unsorted = order(&maps, "{.n}");
/// assert!(matches!(unsorted, Err(SortError::Unsortable { .. })));
/// ```
///
/// # Errors
/// Returns kubectl's error if the path is invalid or its values cannot be ordered.
pub fn order(objects: &[Value], path: &str) -> Result<Vec<usize>, SortError> {
    let template = relaxed(path)?;
    let parsed = JsonPath::parse(&template)?;
    let mut keys: Vec<Option<Value>> = Vec::with_capacity(objects.len());
    for object in objects {
        let found = parsed.find(object, true)?;
        // A path may select several values; kubectl compares the first one.
        let first = found
            .into_iter()
            .next()
            .and_then(|list| list.into_iter().next());
        keys.push(first.map(std::borrow::Cow::into_owned));
    }
    if !objects.is_empty() && keys.iter().all(Option::is_none) {
        let text = format!(
            "couldn't find any field with path {} in the list of objects",
            quoted(&template)
        );
        return Err(text.into());
    }
    sorted(&keys).map_err(|why| SortError::Unsortable { template, why })
}

/// The reason why objects cannot be sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SortError {
    /// The path is invalid or selects nothing.
    Path(String),
    /// The values cannot be ordered, on which kubectl exits through its log.
    Unsortable {
        /// The path as a template.
        template: String,
        /// The library's error.
        why: String,
    },
}

impl SortError {
    /// Returns the error text for objects of a Go type.
    pub fn text(&self, of_type: &str) -> String {
        match self {
            Self::Path(text) => text.clone(),
            Self::Unsortable { template, why } => {
                // To Go, the whole object is a map, and all its parts are interfaces.
                let (kind, why) = match template.as_str() {
                    "{..}" => ("map", "unsortable type: map"),
                    _ => ("interface", why.as_str()),
                };
                format!("Field {template} in {of_type} is an unsortable type: {kind}, err: {why}")
            }
        }
    }
}

impl From<String> for SortError {
    fn from(text: String) -> Self {
        Self::Path(text)
    }
}

fn sorted(keys: &[Option<Value>]) -> Result<Vec<usize>, String> {
    // A comparison cannot fail, so the first error is remembered and returned afterwards.
    let mut failure = None;
    let order = go_sort::order(keys.len(), &mut |a, b| {
        let less = is_less(keys[a].as_ref(), keys[b].as_ref());
        less.unwrap_or_else(|error| {
            failure.get_or_insert(error);
            false
        })
    });
    failure.map_or(Ok(order), Err)
}

fn is_less(a: Option<&Value>, b: Option<&Value>) -> Result<bool, String> {
    let (Some(a), Some(b)) = (a, b) else {
        return Ok(a.is_none());
    };
    match (a, b) {
        (Value::Null, b) => Ok(!b.is_null()),
        (_, Value::Null) => Ok(false),
        (Value::Number(x), Value::Number(y)) if x.is_f64() == y.is_f64() => {
            Ok(match (x.as_i64(), y.as_i64()) {
                (Some(x), Some(y)) => x < y,
                _ => x.as_f64() < y.as_f64(),
            })
        }
        (Value::String(x), Value::String(y)) => {
            // kubectl tries quantities first, so that `100m` sorts before `1`, and then compares texts.
            Ok(match (Quantity::parse(x), Quantity::parse(y)) {
                (Ok(x), Ok(y)) => x < y,
                _ => natural(x, y) == Ordering::Less,
            })
        }
        (Value::Number(_) | Value::String(_), _) => {
            Err("unsortable interface: interface".to_owned())
        }
        _ => Err(format!("unsortable type: {}", type_name(a))),
    }
}

/// Compares strings in natural order: runs of digits count as numbers, and digits sort before other characters.
pub fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    loop {
        let (Some(x), Some(y)) = (a.first(), b.first()) else {
            return a.len().cmp(&b.len());
        };
        let order = match (x.is_ascii_digit(), y.is_ascii_digit()) {
            (true, true) => {
                let (x, y);
                (x, a) = number(a);
                (y, b) = number(b);
                x.cmp(&y)
            }
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => {
                let order = x.cmp(y);
                (a, b) = (&a[1..], &b[1..]);
                order
            }
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// Splits off a number, as a comparable key of length, digits and leading zeros.
fn number(text: &[u8]) -> ((usize, &[u8], usize), &[u8]) {
    let zeros = text.iter().take_while(|b| **b == b'0').count();
    let rest = &text[zeros..];
    let length = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    // Comparing the lengths first avoids parsing: a run of digits may exceed any integer type.
    ((length, &rest[..length], zeros), &rest[length..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn by(values: &[Value]) -> Result<Vec<usize>, String> {
        let objects: Vec<Value> = values.iter().map(|v| json!({"k": v})).collect();
        order(&objects, "{.k}").map_err(|e| e.text("x"))
    }

    #[test]
    fn values_are_sorted_by_their_type() {
        for (values, wanted) in [
            (json!([3, 1, 2]), vec![1, 2, 0]),
            (json!([1.5, -1.0]), vec![1, 0]),
            (json!(["pod-10", "pod-2", "pod-1"]), vec![2, 1, 0]),
            (json!(["1Gi", "900Mi", "2"]), vec![2, 1, 0]),
            (
                json!(["2026-11-20T22:31:16Z", "2026-09-20T22:31:16Z"]),
                vec![1, 0],
            ),
            (json!(["b", null, "a"]), vec![1, 2, 0]),
            (json!(["x", "x", "x"]), vec![0, 1, 2]),
        ] {
            assert_eq!(by(values.as_array().unwrap()).unwrap(), wanted, "{values}");
        }
    }

    #[test]
    fn objects_without_the_field_sort_first() {
        let objects = [json!({"k": 2}), json!({}), json!({"k": 1}), json!({})];
        // As in kubectl's sort, the last of them comes first.
        assert_eq!(order(&objects, "k").unwrap(), [3, 1, 2, 0]);
        let mut many: Vec<Value> = (0..20).map(|n| json!({"k": n})).collect();
        many.push(json!({}));
        assert_eq!(order(&many, "k").unwrap()[..2], [20, 0]);
    }

    #[test]
    fn unsortable_paths_are_rejected() {
        assert_eq!(
            order(&[json!({"a": 1})], ".nope").unwrap_err().text("x"),
            "couldn't find any field with path \"{.nope}\" in the list of objects"
        );
        assert!(order(&[], ".nope").unwrap().is_empty());
        assert!(
            by(&[json!({}), json!({})])
                .unwrap_err()
                .contains("Field {.k} in x is an unsortable type: interface, err: unsortable type: map[string]interface {}")
        );
        assert_eq!(
            order(&[json!({"a": 1}), json!({"a": 2})], ".")
                .unwrap_err()
                .text("x"),
            "Field {..} in x is an unsortable type: map, err: unsortable type: map"
        );
        assert!(
            by(&[json!(1), json!("a")])
                .unwrap_err()
                .contains("unsortable interface")
        );
        assert!(
            order(&[json!({})], "{.a}{.b}")
                .unwrap_err()
                .text("x")
                .starts_with("unexpected path string")
        );
    }

    #[test]
    fn digits_count_as_numbers() {
        for (a, b) in [
            ("a2", "a10"),
            ("a", "a1"),
            ("1", "a"),
            ("a01", "a2"),
            ("a1", "a01"),
            ("", "0"),
            ("b9", "c1"),
        ] {
            assert_eq!(natural(a, b), Ordering::Less, "{a} {b}");
            assert_eq!(natural(b, a), Ordering::Greater, "{b} {a}");
        }
        assert_eq!(natural("a07b", "a07b"), Ordering::Equal);
    }
}
