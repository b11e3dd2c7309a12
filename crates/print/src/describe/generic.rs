//! Kinds without a description of their own, such as custom resources: all fields, with their names split into words.

use super::events::events;
use super::meta::head;
use super::related::Related;
use super::writer::Writer;
use crate::api::go::GoValue;
use crate::api::json::{Map, Value};

/// Fields that the head already shows or that carry no information.
const SKIPPED: [&str; 5] = [
    ".metadata.managedFields",
    ".metadata.name",
    ".metadata.namespace",
    ".metadata.labels",
    ".metadata.annotations",
];

pub(super) fn generic(w: &mut Writer, object: &Value, related: &Related) {
    head(w, object);
    if let Some(map) = object.as_object() {
        content(w, 0, map, "");
    }
    events(w, related);
}

fn content(w: &mut Writer, level: usize, map: &Map, path: &str) {
    for (name, value) in map {
        let path = format!("{path}.{name}");
        if SKIPPED.contains(&path.as_str()) {
            continue;
        }
        let label = label(name);
        match value {
            Value::Object(map) => {
                w.line(level, format!("{label}:"));
                content(w, level + 1, map, &path);
            }
            Value::Array(items) => {
                w.line(level, format!("{label}:"));
                for item in items {
                    match item {
                        // As in kubectl, nothing separates the items.
                        Value::Object(map) => content(w, level + 1, map, &path),
                        item => w.line(level + 1, GoValue(item).to_string()),
                    }
                }
            }
            value => w.field(level, &label, GoValue(value)),
        }
    }
}

/// Splits the name of a field into words: `podIPs` becomes `Pod I Ps`, `apiVersion` becomes `API Version`.
fn label(name: &str) -> String {
    // Keys of maps, such as `app.kubernetes.io/name`, are data and stay as they are.
    if !name.chars().all(|c| c.is_alphabetic() || c == '-') {
        return name.to_owned();
    }
    let words = plurals(words(name));
    let capital = |word: &String| {
        let upper = word.to_uppercase();
        // kubectl knows only a few acronyms, hence `Pod I Ps`.
        if matches!(upper.as_str(), "API" | "URL" | "UID" | "GUID") {
            return upper;
        }
        let mut chars = word.chars();
        match chars.next() {
            Some(first) if *word == word.to_lowercase() => {
                first.to_uppercase().chain(chars).collect()
            }
            _ => word.clone(),
        }
    };
    words.iter().map(capital).collect::<Vec<_>>().join(" ")
}

/// Merges capitals with a capitalized word after them: `CID Rs` becomes `CIDRs`.
fn plurals(words: Vec<String>) -> Vec<String> {
    let is_capitals = |word: &str| word.len() >= 2 && !word.chars().any(char::is_lowercase);
    let mut merged: Vec<String> = Vec::with_capacity(words.len());
    let mut words = words.into_iter().peekable();
    while let Some(mut word) = words.next() {
        let next = words.next_if(|next| is_capitals(&word) && next.starts_with(char::is_uppercase));
        word.extend(next);
        merged.push(word);
    }
    merged
}

/// Splits a name where the kind of character changes. A capital belongs to the lower-case letters after it.
fn words(name: &str) -> Vec<String> {
    let kind = |c: char| match c {
        c if c.is_lowercase() => 1,
        c if c.is_uppercase() => 2,
        _ => 3,
    };
    let mut runs: Vec<(i32, String)> = Vec::new();
    for c in name.chars() {
        match runs.last_mut() {
            Some((last, run)) if *last == kind(c) => run.push(c),
            _ => runs.push((kind(c), c.to_string())),
        }
    }
    // The last capital of a run starts the next word: `HTTPGet` becomes `HTTP` and `Get`.
    for at in 1..runs.len() {
        if runs[at - 1].0 == 2
            && runs[at].0 == 1
            && let Some(capital) = runs[at - 1].1.pop()
        {
            runs[at].1.insert(0, capital);
        }
    }
    runs.into_iter()
        .map(|(_, run)| run)
        .filter(|run| !run.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        for (name, words) in [
            ("apiVersion", "API Version"),
            ("kind", "Kind"),
            ("creationTimestamp", "Creation Timestamp"),
            ("uid", "UID"),
            ("podCIDR", "Pod CIDR"),
            ("podIPs", "Pod I Ps"),
            ("podCIDRs", "Pod CIDRs"),
            ("clusterIP", "Cluster IP"),
            ("HTTPGet", "HTTPGet"),
            ("resourceVersion", "Resource Version"),
            ("with-dash", "With - Dash"),
            ("a.b/c", "a.b/c"),
            ("port8080", "port8080"),
        ] {
            assert_eq!(label(name), words, "{name}");
        }
    }
}
