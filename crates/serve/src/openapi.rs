//! `/openapi/v3`: the paths of a group version and the schemas of its kinds, made from the tables
//! that objects are checked by.
//!
//! Clients look here whether a patch can be validated by the server, and which fields there are.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use super::{Response, encode};
use crate::api::json::{Map, Value, json};
use crate::kinds::schema::{self, ListType, Schema, Type, descriptions};
use crate::kinds::{Catalogue, Kind};

/// Serves `/openapi/v3` and what is below it.
pub(super) fn answer(kinds: &Catalogue, words: &[&str]) -> Response {
    let document = match words {
        [] => Some(index(kinds)),
        ["api", version] => document(kinds, "", version),
        ["apis", group, version] => document(kinds, group, version),
        _ => None,
    };
    match document {
        Some(document) => Response::object(200, document, Vec::new()),
        None => Response::text(404, "404 page not found\n"),
    }
}

/// Where the documents are. The hash changes with the document, so that clients may keep it.
fn index(kinds: &Catalogue) -> Value {
    let mut paths = Map::new();
    for kind in kinds.all().filter(|kind| kind.served) {
        let path = path(kind.group, kind.version);
        if paths.contains_key(&path) {
            continue;
        }
        let mut text = Vec::new();
        let own = kinds.all().filter(|k| {
            k.served && (k.group, k.version) == (kind.group, kind.version) && k.custom.is_some()
        });
        // Only custom kinds can change while the server runs; the hash of the others is constant.
        for custom in own.filter_map(|k| k.custom) {
            text.extend_from_slice(custom.kind.as_bytes());
            encode::json(&custom.schema, &mut text);
        }
        let digest = Sha256::digest(&text);
        // Upper-case hexadecimal, as Kubernetes prints it.
        let hash: String = digest.iter().take(16).map(|b| format!("{b:02X}")).collect();
        let url = format!("/openapi/v3/{path}?hash={hash}");
        paths.insert(path, json!({"serverRelativeURL": url}));
    }
    json!({"paths": paths})
}

fn path(group: &str, version: &str) -> String {
    match group {
        "" => format!("api/{version}"),
        group => format!("apis/{group}/{version}"),
    }
}

fn document(kinds: &Catalogue, group: &str, version: &str) -> Option<Value> {
    let own: Vec<&'static Kind> = kinds
        .all()
        .filter(|k| k.served && k.group == group && k.version == version)
        .collect();
    // A group version without kinds is a 404, not an empty document.
    own.first()?;
    let (mut paths, mut schemas, mut wanted) = (Map::new(), Map::new(), BTreeSet::new());
    for kind in own {
        add_paths(kind, &mut paths);
        let marks = json!([{"group": kind.group, "version": kind.version, "kind": kind.kind}]);
        // A custom kind brings its schema; built-in ones are made from the validation tables, so
        // the two cannot differ.
        let (name, mut schema) = match (kind.custom, known(kind)) {
            (Some(custom), _) => (custom_name(kind), custom.schema.clone()),
            (None, Some(known)) => (full_name(known.name), object(known, &mut wanted)),
            // Kinds without a schema are served as free-form objects.
            (None, None) => continue,
        };
        schema["x-kubernetes-group-version-kind"] = marks;
        schemas.insert(name, schema);
    }
    // Schemas refer to each other, also in circles: each name is made once.
    while let Some(schema) = wanted.pop_first() {
        let name = full_name(schema);
        if schemas.contains_key(&name) {
            continue;
        }
        if let Some(schema) = schema::named(schema) {
            let made = object(schema, &mut wanted);
            schemas.insert(name, made);
        }
    }
    Some(json!({
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": super::discovery::VERSION},
        "paths": paths,
        "components": {"schemas": schemas},
    }))
}

fn known(kind: &Kind) -> Option<&'static Schema> {
    schema::of_kind(kind.group, kind.version, kind.kind)
}

fn custom_name(kind: &Kind) -> String {
    // `example.com` becomes `com.example`: kubectl finds a custom kind by this name.
    let mut words: Vec<&str> = kind.group.split('.').rev().collect();
    words.extend([kind.version, kind.kind]);
    words.join(".")
}

/// The name that Kubernetes' documents give a schema, such as `io.k8s.api.core.v1.Container`.
fn full_name(name: &str) -> String {
    match name.split('.').next() {
        Some("meta") => format!("io.k8s.apimachinery.pkg.apis.{name}"),
        Some("version") => format!("io.k8s.apimachinery.pkg.{name}"),
        Some("apiextensions") => {
            format!("io.k8s.apiextensions-apiserver.pkg.apis.{name}")
        }
        Some("apiregistration") => format!("io.k8s.kube-aggregator.pkg.apis.{name}"),
        _ => format!("io.k8s.api.{name}"),
    }
}

/// The paths of a kind: what can be done there, and by which options.
fn add_paths(kind: &Kind, paths: &mut Map) {
    let scope = if kind.namespaced {
        "/namespaces/{namespace}"
    } else {
        ""
    };
    let collection = format!("/{}{scope}/{}", path(kind.group, kind.version), kind.plural);
    let marks = json!({"group": kind.group, "version": kind.version, "kind": kind.kind});
    // The action and the kind are what kubectl looks for: it decides by them if server-side dry run
    // and field validation exist.
    let operation = |action: &str, options: &[&str]| {
        let option =
            |name: &&str| json!({"name": name, "in": "query", "schema": {"type": "string"}});
        let options: Vec<Value> = options.iter().map(option).collect();
        json!({
            "x-kubernetes-action": action, "x-kubernetes-group-version-kind": marks,
            "parameters": options, "responses": {"200": {"description": "OK"}},
        })
    };
    let (mut all, mut one) = (Map::new(), Map::new());
    let write = ["dryRun", "fieldManager", "fieldValidation", "pretty"];
    for verb in kind.verbs {
        let (item, method, made) = match *verb {
            "create" => (&mut all, "post", operation("post", &write)),
            "list" => (
                &mut all,
                "get",
                operation(
                    "list",
                    &[
                        "labelSelector",
                        "fieldSelector",
                        "limit",
                        "continue",
                        "watch",
                    ],
                ),
            ),
            "deletecollection" => (
                &mut all,
                "delete",
                operation("deletecollection", &["dryRun"]),
            ),
            "get" => (&mut one, "get", operation("get", &["pretty"])),
            "update" => (&mut one, "put", operation("put", &write)),
            "delete" => (&mut one, "delete", operation("delete", &["dryRun"])),
            "patch" => {
                let mut patch = operation(
                    "patch",
                    &[
                        "dryRun",
                        "fieldManager",
                        "fieldValidation",
                        "force",
                        "pretty",
                    ],
                );
                patch["requestBody"] = json!({"content": patches(kind)});
                (&mut one, "patch", patch)
            }
            _ => continue,
        };
        item.insert(method.to_owned(), made);
    }
    for (path, item) in [
        (collection.clone(), all),
        (format!("{collection}/{{name}}"), one),
    ] {
        if !item.is_empty() {
            paths.insert(path, Value::Object(item));
        }
    }
}

/// The kinds of patches that a kind takes.
fn patches(kind: &Kind) -> Value {
    let mut types = vec![
        "application/apply-patch+yaml",
        "application/json-patch+json",
        "application/merge-patch+json",
    ];
    // Strategic merge needs patch strategies, which custom schemas do not have.
    if kind.custom.is_none() {
        types.push("application/strategic-merge-patch+json");
    }
    let content = types.into_iter().map(|name| (name.to_owned(), json!({})));
    Value::Object(content.collect())
}

/// A schema as a document says it; what it refers to is added to `wanted`.
fn object(schema: &'static Schema, wanted: &mut BTreeSet<&'static str>) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for field in schema.fields() {
        let mut made = type_of(&field.ty, wanted);
        if let Some(text) = descriptions::of_field(schema, field) {
            made["description"] = json!(text);
        }
        let values: Vec<&str> = field.enum_values().collect();
        if !values.is_empty() {
            made["enum"] = json!(values);
        }
        let default = field
            .default
            // Defaults are kept as JSON text in the tables; one that does not parse is left out
            // rather than guessed.
            .and_then(|text| serde_json::from_str::<Value>(text).ok());
        if let Some(default) = default {
            made["default"] = default;
        }
        let list_type = field.list_type.map(|kind| match kind {
            ListType::Atomic => "atomic",
            ListType::Set => "set",
            ListType::Map => "map",
        });
        if let Some(list_type) = list_type {
            made["x-kubernetes-list-type"] = json!(list_type);
        }
        let keys: Vec<&str> = field.list_map_keys().collect();
        if !keys.is_empty() {
            made["x-kubernetes-list-map-keys"] = json!(keys);
        }
        // Lists and maps have different markers for the same idea.
        if matches!(field.ty, Type::Map(_)) && field.is_atomic_map() {
            made["x-kubernetes-map-type"] = json!("atomic");
        }
        let strategies: Vec<&str> = field.patch_strategies().collect();
        if !strategies.is_empty() {
            made["x-kubernetes-patch-strategy"] = json!(strategies.join(","));
        }
        if let Some(key) = field.patch_merge_key {
            made["x-kubernetes-patch-merge-key"] = json!(key);
        }
        if field.required {
            required.push(field.name);
        }
        properties.insert(field.name.to_owned(), made);
    }
    let mut out = json!({"type": "object", "properties": properties});
    if let Some(text) = descriptions::of_type(schema.name) {
        out["description"] = json!(text);
    }
    if !required.is_empty() {
        out["required"] = json!(required);
    }
    if schema.atomic {
        out["x-kubernetes-map-type"] = json!("atomic");
    }
    out
}

fn type_of(ty: &Type, wanted: &mut BTreeSet<&'static str>) -> Value {
    match ty {
        Type::String => json!({"type": "string"}),
        Type::Bytes => json!({"type": "string", "format": "byte"}),
        Type::Int32 => json!({"type": "integer", "format": "int32"}),
        Type::Int64 => json!({"type": "integer", "format": "int64"}),
        Type::Number => json!({"type": "number", "format": "double"}),
        Type::Boolean => json!({"type": "boolean"}),
        // Quantities are printed as strings and accepted as numbers.
        Type::Quantity => json!({"oneOf": [{"type": "string"}, {"type": "number"}]}),
        Type::IntOrString => json!({
            "format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}],
        }),
        Type::Time | Type::MicroTime => json!({"type": "string", "format": "date-time"}),
        Type::Any => json!({"type": "object"}),
        Type::Object(named) => {
            wanted.insert(named.name);
            let reference = format!("#/components/schemas/{}", full_name(named.name));
            // `allOf` around the reference: OpenAPI 3.0 ignores everything beside a `$ref`.
            json!({"allOf": [{"$ref": reference}]})
        }
        Type::List(item) => json!({"type": "array", "items": type_of(item, wanted)}),
        Type::Map(value) => {
            json!({"type": "object", "additionalProperties": type_of(value, wanted)})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Body;

    fn of(words: &[&str]) -> Value {
        match answer(&Catalogue::default(), words).body {
            Body::Object(object) => object,
            Body::Text(text) => json!(text),
        }
    }

    #[test]
    fn every_document_of_the_index_is_there_and_refers_to_nothing_that_is_not() {
        let index = of(&[]);
        let paths = index["paths"].as_object().unwrap();
        assert!(paths.len() > 20);
        for path in paths.keys() {
            let words: Vec<&str> = path.split('/').collect();
            let document = of(&words);
            let schemas = document["components"]["schemas"].as_object().unwrap();
            let text = document.to_string();
            for (at, prefix) in text.match_indices("#/components/schemas/") {
                let name = text[at + prefix.len()..].split('"').next().unwrap();
                assert!(schemas.contains_key(name), "{path}: {name}");
            }
        }
        assert_eq!(of(&["api", "v9"]), "404 page not found\n");
    }

    #[test]
    fn a_patch_says_its_options_and_a_field_how_it_merges() {
        let document = of(&["apis", "apps", "v1"]);
        let path = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}";
        let patch = &document["paths"][path]["patch"];
        assert_eq!(
            patch["x-kubernetes-group-version-kind"]["kind"],
            "Deployment"
        );
        let options = patch["parameters"].as_array().unwrap();
        assert!(options.iter().any(|o| o["name"] == "fieldValidation"));
        let spec = &document["components"]["schemas"]["io.k8s.api.core.v1.PodSpec"];
        let containers = &spec["properties"]["containers"];
        assert_eq!(containers["x-kubernetes-patch-merge-key"], "name");
        assert_eq!(containers["x-kubernetes-list-map-keys"], json!(["name"]));
        assert_eq!(spec["required"], json!(["containers"]));
        assert_eq!(spec["description"], "PodSpec is a description of a pod.");
        let text = containers["description"].as_str().unwrap();
        assert!(
            text.starts_with("List of containers belonging to the pod."),
            "{text}"
        );
    }
}
