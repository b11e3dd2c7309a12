//! The paths of a kind: its operations and their options.

use super::{Format, path};
use crate::api::json::{Map, Value, json};
use crate::kinds::Kind;

const READ: &[&str] = &["pretty"];
const LIST: &[&str] = &[
    "labelSelector",
    "fieldSelector",
    "limit",
    "continue",
    "watch",
];
const WRITE: &[&str] = &["dryRun", "fieldManager", "fieldValidation", "pretty"];
const PATCH: &[&str] = &[
    "dryRun",
    "fieldManager",
    "fieldValidation",
    "force",
    "pretty",
];
const DELETE: &[&str] = &["dryRun"];

/// An action of a verb of discovery: true for the path of one object, the method, the action, the options.
type Action = (bool, &'static str, &'static str, &'static [&'static str]);

fn action(verb: &str) -> Option<Action> {
    Some(match verb {
        "create" => (false, "post", "post", WRITE),
        "list" => (false, "get", "list", LIST),
        "deletecollection" => (false, "delete", "deletecollection", DELETE),
        "get" => (true, "get", "get", READ),
        "update" => (true, "put", "put", WRITE),
        "delete" => (true, "delete", "delete", DELETE),
        "patch" => (true, "patch", "patch", PATCH),
        _ => return None,
    })
}

/// Adds the paths of a kind.
pub(super) fn add(kind: &Kind, format: Format, paths: &mut Map) {
    let scope = if kind.namespaced {
        "/namespaces/{namespace}"
    } else {
        ""
    };
    let collection = format!("/{}{scope}/{}", path(kind.group, kind.version), kind.plural);
    let (mut all, mut one) = (Map::new(), Map::new());
    for (is_one, method, action, options) in kind.verbs.iter().filter_map(|verb| action(verb)) {
        // Subresources have no paths here, because kubectl only needs the kinds.
        let mut made = operation(kind, format, action, options);
        if method == "patch" {
            match format {
                Format::V2 => made["consumes"] = json!(patches(kind)),
                Format::V3 => {
                    let content = patches(kind)
                        .into_iter()
                        .map(|name| (name.to_owned(), json!({})));
                    made["requestBody"] = json!({"content": content.collect::<Map>()});
                }
            }
        }
        let item = if is_one { &mut one } else { &mut all };
        item.insert(method.to_owned(), made);
    }
    for (path, item) in [
        (collection.clone(), all),
        (format!("{collection}/{{name}}"), one),
    ] {
        // A review has no single objects, and so no path for them.
        if !item.is_empty() {
            paths.insert(path, Value::Object(item));
        }
    }
}

/// Returns an operation. kubectl finds it by the action and the kind, to determine support for server-side dry run and
/// field validation.
fn operation(kind: &Kind, format: Format, action: &str, options: &[&str]) -> Value {
    let option = |name: &&str| match format {
        Format::V2 => json!({"name": name, "in": "query", "type": "string", "uniqueItems": true}),
        Format::V3 => json!({"name": name, "in": "query", "schema": {"type": "string"}}),
    };
    let options: Vec<Value> = options.iter().map(option).collect();
    json!({
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind":
            {"group": kind.group, "version": kind.version, "kind": kind.kind},
        "parameters": options, "responses": {"200": {"description": "OK"}},
    })
}

/// Returns the patch types that a kind accepts.
fn patches(kind: &Kind) -> Vec<&'static str> {
    let mut types = vec![
        "application/apply-patch+yaml",
        "application/json-patch+json",
        "application/merge-patch+json",
    ];
    // Strategic merge needs patch strategies, which custom schemas lack.
    if kind.custom.is_none() {
        types.push("application/strategic-merge-patch+json");
    }
    types
}
