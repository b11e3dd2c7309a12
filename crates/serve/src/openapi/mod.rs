//! `/openapi/v2` and `/openapi/v3`: the paths and schemas of the kinds, generated from the tables that also validate
//! objects.
//!
//! Clients read in them which fields exist, how lists are merged, and which options a request may have.

mod binary;
mod bodies;
mod custom;
mod options;
mod paths;
mod schema;

use std::collections::BTreeSet;

use super::query::Query;
use super::{Request, Response, encode, etag};
use crate::api::json::{Map, Value, json};
use crate::kinds::schema::{named, of_kind};
use crate::kinds::{Catalogue, Kind};
pub(super) use binary::{MEDIA_TYPE, encode as in_binary};

/// The two versions of OpenAPI that are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// Swagger 2.0.
    V2,
    /// OpenAPI 3.0.
    V3,
}

impl Format {
    /// Returns the reference to a schema.
    fn reference(self, name: &str) -> Value {
        match self {
            // In version 2, kubectl does not understand `allOf`, but it reads the fields next to a reference.
            Self::V2 => json!({"$ref": format!("#/definitions/{name}")}),
            // In OpenAPI 3.0, all fields next to a `$ref` are ignored, so the reference is wrapped in `allOf`.
            Self::V3 => json!({"allOf": [{"$ref": format!("#/components/schemas/{name}")}]}),
        }
    }
}

/// Serves a document; returns `None` for other paths.
pub(super) fn answer(
    kinds: &Catalogue,
    words: &[String],
    request: &Request<'_>,
    query: &Query,
) -> Option<Response> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (group, version) = match words.as_slice() {
        ["openapi", "v2"] => return Some(whole(kinds, request)),
        ["openapi", "v3"] => return Some(overview(kinds, request)),
        ["openapi", "v3", "api", version] => ("", *version),
        ["openapi", "v3", "apis", group, version] => (*group, *version),
        ["openapi", ..] => return Some(Response::text(404, "404 page not found\n")),
        _ => return None,
    };
    let Some(document) = document(kinds, group, version) else {
        return Some(Response::text(404, "404 page not found\n"));
    };
    let hash = hash(kinds, group, version);
    let document = || Response::object(200, document, Vec::new());
    // A URL without a hash always means the current document, so it must not be cached.
    let Some(asked) = query.opt("hash") else {
        return Some(etag::respond(request, &hash, document));
    };
    if asked != hash {
        // A client with an old index is redirected to the current document.
        let mut response = Response::text(301, "");
        let path = path(group, version);
        let current = format!("/openapi/v3/{path}?hash={hash}");
        response.fields.push(("location", current));
        return Some(response);
    }
    let mut response = etag::respond(request, &hash, document);
    // The URL identifies the content, so a client never needs to request it again.
    let forever = "public, immutable, max-age=31536000";
    response.fields.push(("cache-control", forever.to_owned()));
    Some(response)
}

/// Returns the index of the documents with its entity tag.
fn overview(kinds: &Catalogue, request: &Request<'_>) -> Response {
    let index = index(kinds);
    let mut content = Vec::new();
    encode::json(&index, &mut content);
    etag::respond(request, &etag::tag_of(&content), || {
        Response::object(200, index, Vec::new())
    })
}

/// Returns the URLs of the documents. Each contains a hash that changes with the document, so that clients may cache
/// it.
fn index(kinds: &Catalogue) -> Value {
    let mut paths = Map::new();
    for kind in kinds.all().filter(|kind| kind.served) {
        let path = path(kind.group, kind.version);
        if !paths.contains_key(&path) {
            let hash = hash(kinds, kind.group, kind.version);
            let url = format!("/openapi/v3/{path}?hash={hash}");
            paths.insert(path, json!({"serverRelativeURL": url}));
        }
    }
    json!({"paths": paths})
}

/// Returns the hash of a document.
fn hash(kinds: &Catalogue, group: &str, version: &str) -> String {
    let mut text = Vec::new();
    identify(kinds, group, version, &mut text);
    etag::tag_of(&text)
}

/// Appends a text that changes whenever the document changes.
fn identify(kinds: &Catalogue, group: &str, version: &str, text: &mut Vec<u8>) {
    // A group may have both built-in and custom kinds, for example if a CustomResourceDefinition adds one to
    // `autoscaling`.
    let custom = |kind: &&Kind| kind.group == group && kind.version == version;
    match kinds.all().filter(custom).any(|kind| kind.custom.is_some()) {
        true => encode::json(&document(kinds, group, version).unwrap_or_default(), text),
        // Built-in kinds change only with the program's version, and building their documents only for a hash is too
        // slow.
        false => {
            let program = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));
            text.extend_from_slice(format!("{program} {}", path(group, version)).as_bytes());
        }
    }
}

fn path(group: &str, version: &str) -> String {
    match group {
        "" => format!("api/{version}"),
        group => format!("apis/{group}/{version}"),
    }
}

/// Returns the document of a group and version; `None` if it has no kinds.
fn document(kinds: &Catalogue, group: &str, version: &str) -> Option<Value> {
    let own = |kind: &&'static Kind| kind.served && kind.group == group && kind.version == version;
    let own: Vec<&'static Kind> = kinds.all().filter(own).collect();
    // A group and version without kinds gets a 404, not an empty document.
    own.first()?;
    let (paths, schemas) = parts(own.into_iter(), Format::V3);
    Some(json!({
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": super::discovery::VERSION},
        "paths": paths,
        "components": {"schemas": schemas},
    }))
}

/// Returns the document of all kinds with its entity tag.
fn whole(kinds: &Catalogue, request: &Request<'_>) -> Response {
    // kubectl accepts only protobuf here, and its `Accept` header contains nothing else.
    let mut ranges = request.accept.split([',', ';']).map(str::trim);
    let is_binary = ranges.any(|range| [MEDIA_TYPE, binary::OLD_MEDIA_TYPE].contains(&range));
    let media = match is_binary {
        true => MEDIA_TYPE,
        false => "",
    };
    let served = kinds.all().filter(|kind| kind.served);
    let versions: BTreeSet<(&str, &str)> = served.map(|kind| (kind.group, kind.version)).collect();
    // The tag for one media type must not match the document in another.
    let mut identity = media.as_bytes().to_vec();
    for (group, version) in versions {
        identify(kinds, group, version, &mut identity);
    }
    etag::respond(request, &etag::tag_of(&identity), || Response {
        media,
        ..Response::object(200, all(kinds), Vec::new())
    })
}

/// Returns the document of all kinds.
fn all(kinds: &Catalogue) -> Value {
    let (paths, definitions) = parts(kinds.all().filter(|kind| kind.served), Format::V2);
    json!({
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": super::discovery::VERSION},
        "paths": paths,
        "definitions": definitions,
        "securityDefinitions": {"BearerToken": {
            "description": "Bearer Token authentication", "type": "apiKey", "name": "authorization",
            "in": "header",
        }},
        "security": [{"BearerToken": []}],
    })
}

/// Returns the paths and the schemas of the kinds, including all schemas that they refer to.
fn parts(own: impl Iterator<Item = &'static Kind>, format: Format) -> (Map, Map) {
    let (mut paths, mut schemas, mut wanted) = (Map::new(), Map::new(), BTreeSet::new());
    for kind in own {
        paths::add(kind, format, &mut paths, &mut wanted);
        if kind.custom.is_some() {
            custom::add(kind, format, &mut schemas, &mut wanted);
            continue;
        }
        // Clients look up the schema of a list by the kind of the list.
        for name in [kind.kind.to_owned(), kind.list_kind()] {
            // Kinds without a schema are described as objects with any fields.
            let Some(known) = of_kind(kind.group, kind.version, &name) else {
                continue;
            };
            let mut schema = schema::object(known, format, &mut wanted);
            schema[MARK] = marks(kind, &name);
            schemas.insert(full_name(known.name), schema);
        }
    }
    // Schemas refer to each other, even in cycles, so each is generated only once.
    while let Some(schema) = wanted.pop_first() {
        let name = full_name(schema);
        if schemas.contains_key(&name) {
            continue;
        }
        let made = match named(schema) {
            Some(schema) => Some(schema::object(schema, format, &mut wanted)),
            None => schema::scalar(schema, format),
        };
        if let Some(made) = made {
            schemas.insert(name, made);
        }
    }
    (paths, schemas)
}

/// The extension by which clients find the schema of a kind.
const MARK: &str = "x-kubernetes-group-version-kind";

fn marks(kind: &Kind, name: &str) -> Value {
    json!([{"group": kind.group, "version": kind.version, "kind": name}])
}

/// The names of schemas that are referred to.
type SchemaNames = BTreeSet<&'static str>;

/// Returns the full name of a schema in the documents of Kubernetes, such as `io.k8s.api.core.v1.Container`.
fn full_name(name: &str) -> String {
    match name.split('.').next() {
        Some("meta") => format!("io.k8s.apimachinery.pkg.apis.{name}"),
        Some("version") => format!("io.k8s.apimachinery.pkg.{name}"),
        Some("Quantity") => format!("io.k8s.apimachinery.pkg.api.resource.{name}"),
        Some("IntOrString") => format!("io.k8s.apimachinery.pkg.util.intstr.{name}"),
        Some("RawExtension") => format!("io.k8s.apimachinery.pkg.runtime.{name}"),
        Some("apiextensions") => {
            format!("io.k8s.apiextensions-apiserver.pkg.apis.{name}")
        }
        Some("apiregistration") => format!("io.k8s.kube-aggregator.pkg.apis.{name}"),
        _ => format!("io.k8s.api.{name}"),
    }
}

#[cfg(test)]
mod tests;
