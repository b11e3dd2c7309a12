//! The query options of operations: their types, and their places in a document.

use super::Format;
use crate::api::json::{Map, Value, json};

pub(super) const READ: &[&str] = &["pretty"];
pub(super) const LIST: &[&str] = &[
    "allowWatchBookmarks",
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "pretty",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "timeoutSeconds",
    "watch",
];
pub(super) const WRITE: &[&str] = &["dryRun", "fieldManager", "fieldValidation", "pretty"];
pub(super) const PATCH: &[&str] = &[
    "dryRun",
    "fieldManager",
    "fieldValidation",
    "force",
    "pretty",
];
pub(super) const DELETE: &[&str] = &[
    "dryRun",
    "gracePeriodSeconds",
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "orphanDependents",
    "pretty",
    "propagationPolicy",
];
pub(super) const DELETE_ALL: &[&str] = &[
    "continue",
    "dryRun",
    "fieldSelector",
    "gracePeriodSeconds",
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "labelSelector",
    "limit",
    "orphanDependents",
    "pretty",
    "propagationPolicy",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "timeoutSeconds",
];

/// The options of a request for a log.
pub(super) const LOG: &[&str] = &[
    "container",
    "follow",
    "insecureSkipTLSVerifyBackend",
    "limitBytes",
    "pretty",
    "previous",
    "sinceSeconds",
    "stream",
    "tailLines",
    "timestamps",
];

/// The options that are not strings, by their type.
const TYPES: &[(&str, &[&str])] = &[
    (
        "integer",
        &[
            "gracePeriodSeconds",
            "limit",
            "limitBytes",
            "sinceSeconds",
            "tailLines",
            "timeoutSeconds",
        ],
    ),
    (
        "boolean",
        &[
            "allowWatchBookmarks",
            "follow",
            "force",
            "ignoreStoreReadErrorWithClusterBreakingPotential",
            "insecureSkipTLSVerifyBackend",
            "orphanDependents",
            "previous",
            "sendInitialEvents",
            "stderr",
            "stdin",
            "stdout",
            "timestamps",
            "tty",
            "watch",
        ],
    ),
];

/// Returns the parameter for a query option.
pub(super) fn in_query(name: &str, format: Format) -> Value {
    let is_of = |(_, names): &&(&str, &[&str])| names.contains(&name);
    let kind = TYPES.iter().find(is_of).map_or("string", |(kind, _)| kind);
    let mut made = json!({"name": name, "in": "query"});
    typed(&mut made, kind, format);
    made
}

fn in_path(name: &str, format: Format) -> Value {
    let mut made = json!({"name": name, "in": "path", "required": true});
    typed(&mut made, "string", format);
    made
}

fn typed(parameter: &mut Value, kind: &str, format: Format) {
    match format {
        Format::V2 => {
            parameter["type"] = json!(kind);
            parameter["uniqueItems"] = json!(true);
        }
        Format::V3 => parameter["schema"] = json!({"type": kind, "uniqueItems": true}),
    }
}

/// Adds the parameters of a path to its operations, and moves those that all operations share to the path. The API
/// server does this so that code generators create one type for them.
pub(super) fn share(path: &str, item: &mut Map, format: Format) {
    let of = |operation: &Value| -> Vec<Value> {
        let all = operation["parameters"].as_array();
        all.map_or_else(Vec::new, |all| all.to_vec())
    };
    let lists: Vec<Vec<Value>> = item.iter().map(|(_, operation)| of(operation)).collect();
    let (first, rest) = lists.split_first().unwrap_or((const { &Vec::new() }, &[]));
    // A body is never shared, because the same body has another meaning in each operation.
    let is_shared = |parameter: &&Value| {
        parameter["in"] == "query" && rest.iter().all(|list| list.contains(parameter))
    };
    let mut shared: Vec<Value> = first.iter().filter(is_shared).cloned().collect();
    for (_, operation) in item.iter_mut() {
        let mut own = of(operation);
        own.retain(|parameter| !shared.contains(parameter));
        // Sorted by name, including the body, as in the API server's document.
        own.sort_by_cached_key(|one| one["name"].as_str().map(str::to_owned));
        if let Some(operation) = operation.as_object_mut() {
            operation.remove("parameters");
            if !own.is_empty() {
                operation.insert("parameters".to_owned(), Value::Array(own.into()));
            }
        }
    }
    let words = path.split('/');
    let names = words.filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    shared.extend(names.map(|name| in_path(name, format)));
    shared.sort_by_cached_key(|one| one["name"].as_str().map(str::to_owned));
    if !shared.is_empty() {
        item.insert("parameters".to_owned(), Value::Array(shared.into()));
    }
}
