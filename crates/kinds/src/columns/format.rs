//! Formats ages, labels, selectors, and lists that end in "more".

use jiff::Timestamp;

use crate::api::duration::human;
use crate::api::json::{Value, json};
use crate::tree::{as_text, entries, field, list, text, texts};

pub(crate) const NONE: &str = "<none>";
pub(crate) const UNSET: &str = "<unset>";
pub(crate) const UNKNOWN: &str = "<unknown>";

/// Returns the age of an object.
pub fn age(object: &Value, now: Timestamp) -> String {
    since(field(field(object, "metadata"), "creationTimestamp"), now)
}

/// Returns the time since a timestamp, or `<unknown>` if there is none.
pub(crate) fn since(stamp: &Value, now: Timestamp) -> String {
    match parse(stamp) {
        Some(stamp) => human(seconds(stamp, now)),
        None => UNKNOWN.to_owned(),
    }
}

/// Returns the time in a field.
pub(crate) fn parse(stamp: &Value) -> Option<Timestamp> {
    stamp.as_str()?.parse().ok()
}

/// Returns the whole seconds between two times.
pub(crate) fn seconds(from: Timestamp, to: Timestamp) -> i64 {
    // Round down, also for times in the future, so that a second counts only once it has passed.
    let nanos = to.as_nanosecond() - from.as_nanosecond();
    i64::try_from(nanos.div_euclid(1_000_000_000)).unwrap_or(i64::MAX)
}

/// Returns a string, or another if the first is empty.
pub(crate) fn or<'a>(text: &'a str, otherwise: &'a str) -> Value {
    json!(if text.is_empty() { otherwise } else { text })
}

/// Returns a map of labels as `a=b,c=d`, or `<none>` if there are none.
pub fn labels(holder: &Value, name: &str) -> String {
    let mut pairs: Vec<_> = entries(holder, name)
        .map(|(key, value)| format!("{key}={}", as_text(value)))
        .collect();
    // Sort the pairs rather than the keys: `app.x=1` comes before `app=2`.
    pairs.sort_unstable();
    none_if_empty(pairs.join(","))
}

/// Formats a label selector as `a=b,c in (d,e),!f`, sorted by key; returns `<none>` if it selects everything or is
/// absent.
pub fn label_selector(selector: &Value) -> String {
    let mut parts: Vec<(&str, String)> = entries(selector, "matchLabels")
        .map(|(key, value)| (key, format!("{key}={}", as_text(value))))
        .collect();
    for expression in list(selector, "matchExpressions") {
        let key = text(expression, "key");
        let mut values: Vec<&str> = texts(expression, "values").collect();
        values.sort_unstable();
        let values = values.join(",");
        parts.push((
            key,
            match text(expression, "operator") {
                "In" => format!("{key} in ({values})"),
                "NotIn" => format!("{key} notin ({values})"),
                "Exists" => key.to_owned(),
                _ => format!("!{key}"),
            },
        ));
    }
    parts.sort_by_cached_key(|part| part.0.to_owned());
    let parts: Vec<_> = parts.into_iter().map(|(_, text)| text).collect();
    none_if_empty(parts.join(","))
}

pub(crate) fn none_if_empty(text: String) -> String {
    match text.is_empty() {
        true => NONE.to_owned(),
        false => text,
    }
}

/// Returns the first `max` items, followed by the number of further items.
pub(crate) fn at_most(items: &[String], max: usize, separator: &str) -> String {
    let shown = items[..items.len().min(max)].join(separator);
    match items.len().saturating_sub(max) {
        0 => shown,
        more => format!("{shown} + {more} more..."),
    }
}

/// Returns the names and the images of the containers of a pod spec.
pub(crate) fn containers(spec: &Value) -> [Value; 2] {
    let all = list(spec, "containers");
    let column = |name: &str| {
        let values: Vec<_> = all.iter().map(|c| text(c, name)).collect();
        json!(values.join(","))
    };
    [column("name"), column("image")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_sorted_as_pairs() {
        let metadata = json!({"labels": {"app": "2", "app.x/y": "1", "b": ""}});
        assert_eq!(labels(&metadata, "labels"), "app.x/y=1,app=2,b=");
        assert_eq!(labels(&metadata, "annotations"), NONE);
    }
}
