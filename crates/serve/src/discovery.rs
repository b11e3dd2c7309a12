//! The server's description of itself: version, groups and resources.

use std::collections::BTreeSet;

use base64::Engine as _;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::metrics_apis::MetricsApis;
use super::negotiate::wants_all_groups;
use super::{Request, Response, encode, etag, health};
use crate::api::json::{Value, json};
use crate::kinds::{Catalogue, Kind, Subresource, by_version, convert};

/// The version of Kubernetes that this server implements.
pub const VERSION: &str = "v1.36.2";

/// The address in the Endpoints of the Service `kubernetes`, if no client has reached the server yet.
const ENDPOINT: &str = "172.18.0.2:6443";

/// The media type of aggregated discovery.
const ALL_GROUPS: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// Serves a path that has no objects.
pub(super) fn answer(
    kinds: &Catalogue,
    metrics_apis: &MetricsApis,
    words: &[String],
    request: &Request<'_>,
) -> Response {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let object = match words.as_slice() {
        [] => return indented(&json!({"paths": paths(kinds)})),
        ["version"] => return indented(&Version::new()),
        // Aggregated discovery takes one request instead of one per group, if the client accepts it.
        ["api" | "apis"] if wants_all_groups(request.accept) => {
            let core = words[0] == "api";
            let names = if core { vec![""] } else { groups(kinds) };
            let mut items: Vec<Value> = names.iter().map(|name| whole_group(kinds, name)).collect();
            if !core {
                items.extend(metrics_apis.groups().map(|group| group.whole()));
            }
            return aggregated(items, request);
        }
        ["api"] => versions(request.host),
        ["apis"] => {
            let own = groups(kinds);
            let own = own.iter().map(|name| group(kinds, name));
            let groups: Vec<Value> = own
                .chain(metrics_apis.groups().map(|g| g.brief()))
                .collect();
            json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
        }
        ["apis", name] if groups(kinds).contains(name) => alone(group(kinds, name)),
        ["apis", name, rest @ ..] if metrics_apis.group(name).is_some() => {
            let group = metrics_apis.group(name);
            group
                .map(|group| match rest {
                    [] => alone(group.brief()),
                    rest => group.resources(&rest.join("/")),
                })
                .unwrap_or_default()
        }
        ["api", version] => resources(kinds, "", version),
        ["apis", group, version] => resources(kinds, group, version),
        _ => return Response::text(404, "404 page not found\n"),
    };
    Response::object(200, object, Vec::new())
}

/// Returns the document of all groups.
fn aggregated(items: Vec<Value>, request: &Request<'_>) -> Response {
    let document = all_groups(items);
    let mut content = Vec::new();
    encode::json(&document, &mut content);
    etag::respond(request, &etag::tag_of(&content), || Response {
        media: ALL_GROUPS,
        ..Response::object(200, document, Vec::new())
    })
}

/// Returns the versions of the core group, and the address by which the client has reached the server.
fn versions(host: &str) -> Value {
    let address = match host {
        "" => ENDPOINT,
        host => host,
    };
    json!({
        "kind": "APIVersions", "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
    })
}

/// Completes a group to a document of its own.
fn alone(mut group: Value) -> Value {
    group["kind"] = json!("APIGroup");
    group["apiVersion"] = json!("v1");
    group
}

/// The server's version, in the API's order of fields.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    major: &'static str,
    minor: &'static str,
    git_version: &'static str,
    git_commit: &'static str,
    git_tree_state: &'static str,
    build_date: &'static str,
    go_version: &'static str,
    compiler: &'static str,
    platform: &'static str,
}

impl Version {
    fn new() -> Self {
        // Derived from a single constant, so that the fields agree.
        let number = |at: usize| VERSION.trim_start_matches('v').split('.').nth(at);
        Self {
            major: number(0).unwrap_or_default(),
            minor: number(1).unwrap_or_default(),
            git_version: VERSION,
            git_commit: "",
            git_tree_state: "clean",
            build_date: "1970-01-01T00:00:00Z",
            go_version: "",
            compiler: "rustc",
            platform: match cfg!(target_arch = "aarch64") {
                true => "linux/arm64",
                false => "linux/amd64",
            },
        }
    }
}

/// Returns a response that is indented for every client.
fn indented(value: &impl Serialize) -> Response {
    // kubectl prints these responses as they are.
    let mut response = Response::text(200, serde_json::to_string_pretty(value).unwrap_or_default());
    response.media = "application/json";
    response
}

/// Returns the paths listed at `/`.
fn paths(kinds: &Catalogue) -> Vec<String> {
    let fixed = [
        "/.well-known/openid-configuration",
        "/api",
        "/apis",
        "/apis/",
        "/flagz",
        "/metrics",
        "/openapi/v2",
        "/openapi/v3",
        "/openapi/v3/",
        "/openid/v1/jwks",
        "/statusz",
        "/version",
    ];
    let mut paths: BTreeSet<String> = fixed.map(str::to_owned).into();
    paths.extend(health::paths());
    for kind in served(kinds) {
        match kind.group {
            "" => drop(paths.insert(format!("/api/{}", kind.version))),
            group => {
                paths.insert(format!("/apis/{group}"));
                paths.insert(format!("/apis/{group}/{}", kind.version));
            }
        }
    }
    paths.into_iter().collect()
}

fn all_groups(items: Vec<Value>) -> Value {
    json!({
        "apiVersion": "apidiscovery.k8s.io/v2", "kind": "APIGroupDiscoveryList", "metadata": {},
        "items": items,
    })
}

/// Returns a group with its versions and their resources.
fn whole_group(kinds: &Catalogue, name: &str) -> Value {
    let mut own: Vec<&'static Kind> = served(kinds).filter(|kind| kind.group == name).collect();
    // Sorted in Kubernetes' order of versions, where `v1` precedes `v2beta1`.
    own.sort_by(|a, b| by_version(a.version, b.version));
    let versions: Vec<Value> = own
        .chunk_by(|a, b| a.version == b.version)
        .map(|kinds| {
            let resources: Vec<Value> = kinds.iter().map(|kind| whole_resource(kind)).collect();
            json!({"version": kinds[0].version, "freshness": "Current", "resources": resources})
        })
        .collect();
    let metadata = match name {
        "" => json!({"creationTimestamp": null}),
        name => json!({"name": name, "creationTimestamp": null}),
    };
    json!({"metadata": metadata, "versions": versions})
}

fn whole_resource(kind: &Kind) -> Value {
    let mut resource = json!({
        "resource": kind.plural, "singularResource": kind.singular, "verbs": kind.verbs,
        "scope": if kind.namespaced { "Namespaced" } else { "Cluster" },
        "responseKind": response_kind(kind, kind.group, kind.version, kind.kind),
    });
    let subresource = |sub: &Subresource| {
        json!({
            "subresource": sub.name, "verbs": sub.verbs,
            "responseKind": response_kind(kind, sub.group, sub.version, sub.kind),
        })
    };
    let below: Vec<Value> = kind.subresources.iter().map(subresource).collect();
    add_names(kind, &mut resource);
    // As in the API server's document, an empty list is omitted.
    if !below.is_empty() {
        resource["subresources"] = Value::Array(below.into());
    }
    resource
}

/// Returns the kind of a resource's objects. For built-in resources, group and version are given only if they differ
/// from the resource's own.
fn response_kind(resource: &Kind, group: &str, version: &str, kind: &str) -> Value {
    let is_own = (group, version) == (resource.group, resource.version);
    let (group, version) = match is_own && resource.custom.is_none() {
        true => ("", ""),
        false => (group, version),
    };
    json!({"group": group, "version": version, "kind": kind})
}

/// Adds the short names and categories of a resource, if any.
fn add_names(kind: &Kind, resource: &mut Value) {
    for (name, list) in [
        ("shortNames", kind.short_names),
        ("categories", kind.categories),
    ] {
        if !list.is_empty() {
            resource[name] = json!(list);
        }
    }
}

fn served<'k>(kinds: &'k Catalogue) -> impl Iterator<Item = &'static Kind> + use<'k> {
    kinds.all().filter(|kind| kind.served)
}

/// The built-in groups, in the order of the priorities with which the API server registers them. Its own group for
/// these registrations comes first.
const BUILT_IN: &[&str] = &[
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    // These two have the same priority, so they are sorted by name.
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "discovery.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "resource.k8s.io",
    "storagemigration.k8s.io",
];

/// Returns all groups except the core group, by priority. If several resources have the same name, clients use the
/// first.
fn groups(kinds: &Catalogue) -> Vec<&'static str> {
    let named = served(kinds)
        .map(|kind| kind.group)
        .filter(|g| !g.is_empty());
    let named: BTreeSet<&'static str> = named.collect();
    let mut groups: Vec<&'static str> = named.into_iter().collect();
    // All groups of custom resources have the same priority, below the built-in ones.
    groups.sort_by_cached_key(|group| {
        let at = BUILT_IN.iter().position(|built_in| built_in == group);
        at.unwrap_or(BUILT_IN.len())
    });
    groups
}

fn group(kinds: &Catalogue, name: &str) -> Value {
    let mut versions: Vec<Value> = Vec::new();
    let mut preferred = Value::Null;
    for kind in served(kinds).filter(|kind| kind.group == name) {
        let version = json!({"groupVersion": kind.api_version(), "version": kind.version});
        // A group has a single preferred version, which all its kinds repeat.
        if kind.preferred && preferred.is_null() {
            preferred = version.clone();
        }
        if !versions.contains(&version) {
            versions.push(version);
        }
    }
    json!({"name": name, "versions": versions, "preferredVersion": preferred})
}

fn resources(kinds: &Catalogue, group: &str, version: &str) -> Value {
    let mut resources = Vec::new();
    let mut api_version = String::new();
    for kind in served(kinds).filter(|k| k.group == group && k.version == version) {
        api_version = kind.api_version();
        let mut resource = json!({
            "name": kind.plural, "singularName": kind.singular, "namespaced": kind.namespaced,
            "kind": kind.kind, "verbs": kind.verbs,
        });
        add_names(kind, &mut resource);
        if let Some(stored) = stored_as(kinds, kind) {
            resource["storageVersionHash"] = json!(hash(stored));
        }
        resources.push(resource);
        for sub in kind.subresources {
            let mut resource = json!({
                "name": format!("{}/{}", kind.plural, sub.name), "singularName": "",
                "namespaced": kind.namespaced, "kind": sub.kind, "verbs": sub.verbs,
            });
            // Given only if they differ: a subresource such as `scale` belongs to `autoscaling/v1`.
            if (sub.group, sub.version) != (kind.group, kind.version) {
                resource["group"] = json!(sub.group);
                resource["version"] = json!(sub.version);
            }
            resources.push(resource);
        }
    }
    json!({
        "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": api_version,
        "resources": resources,
    })
}

/// Returns the kind in its storage version, or `None` if its objects are not stored.
fn stored_as(kinds: &Catalogue, kind: &'static Kind) -> Option<&'static Kind> {
    if !kind.verbs.contains(&"watch") {
        return None;
    }
    if let Some(custom) = kind.custom {
        return custom.stored_as();
    }
    // The group differs only for Events: the core group stores those of both groups.
    let group = convert::stored_as(kind).group;
    kinds
        .all()
        .find(|other| other.preferred && (other.group, other.kind) == (group, kind.kind))
}

/// Returns the hash of a storage version, computed as in Kubernetes.
fn hash(stored: &Kind) -> String {
    let name = format!("{}/{}/{}", stored.group, stored.version, stored.kind);
    base64::engine::general_purpose::STANDARD.encode(&Sha256::digest(name)[..8])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Body;
    use crate::cluster::administrator;

    fn object(words: &[&str]) -> Value {
        asked(words, "")
    }

    fn asked(words: &[&str], accept: &str) -> Value {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let request = Request {
            accept,
            host: "box:6443",
            ..Request::get("/", administrator())
        };
        match answer(
            &Catalogue::default(),
            &MetricsApis::default(),
            &words,
            &request,
        )
        .body
        {
            Body::Object(object) => object,
            Body::Text(text) => serde_json::from_str(&text).unwrap_or(json!(text)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn documents_are_only_read() {
        let scratch = crate::cluster::testing::fresh();
        for (path, expected) in [
            ("/api", 405),
            ("/apis/apps/v1", 405),
            ("/version", 405),
            ("/openid/v1/jwks", 405),
            // The real API server ignores the method for these.
            ("/healthz", 200),
            ("/openapi/v3", 200),
        ] {
            for (method, expected) in [("GET", 200), ("TRACE", expected), ("POST", expected)] {
                let request = Request {
                    method,
                    ..Request::get(path, administrator())
                };
                let code = crate::respond(&scratch.cluster, &request).code;
                assert_eq!(code, expected, "{method} {path}");
            }
        }
    }

    #[test]
    fn groups_and_resources_are_listed() {
        let apps = object(&["apis", "apps"]);
        assert_eq!(apps["preferredVersion"]["groupVersion"], "apps/v1");
        let core = object(&["api", "v1"]);
        let all = core["resources"].as_array().unwrap();
        let named = |name: &str| all.iter().find(|r| r["name"] == name).unwrap();
        assert_eq!(named("pods")["shortNames"], json!(["po"]));
        assert_eq!(named("pods/eviction")["group"], "policy");
        assert_eq!(named("pods")["storageVersionHash"], "xPOwRZ+Yhw8=");
        assert!(named("pods/log").get("storageVersionHash").is_none());
        assert!(named("bindings").get("storageVersionHash").is_none());
        let events = object(&["apis", "events.k8s.io", "v1"]);
        assert_eq!(events["resources"][0]["storageVersionHash"], "r2yiGXH7wu8=");
        let scalers = object(&["apis", "autoscaling", "v1"]);
        assert_eq!(
            scalers["resources"][0]["storageVersionHash"],
            "qwQve8ut294="
        );
        assert!(named("pods/log").get("group").is_none());
    }

    #[test]
    fn core_versions_include_the_address_of_the_server() {
        let versions = object(&["api"]);
        let addresses = &versions["serverAddressByClientCIDRs"];
        assert_eq!(
            addresses,
            &json!([{"clientCIDR": "0.0.0.0/0", "serverAddress": "box:6443"}])
        );
    }

    #[test]
    fn aggregated_discovery_returns_all_groups() {
        let core = asked(&["api"], ALL_GROUPS);
        assert_eq!(core["kind"], "APIGroupDiscoveryList");
        assert_eq!(core["items"].as_array().unwrap().len(), 1);
        let pods = core["items"][0]["versions"][0]["resources"]
            .as_array()
            .unwrap()
            .iter()
            .find(|r| r["resource"] == "pods")
            .unwrap();
        assert_eq!(pods["shortNames"], json!(["po"]));
        assert_eq!(
            pods["responseKind"],
            json!({"group": "", "version": "", "kind": "Pod"})
        );
        let below = pods["subresources"].as_array().unwrap();
        assert!(below.iter().any(|s| s["subresource"] == "log"));
        let all = asked(&["apis"], ALL_GROUPS);
        let items = all["items"].as_array().unwrap();
        let names: Vec<&str> = items
            .iter()
            .map(|i| i["metadata"]["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            names[..3],
            ["apiregistration.k8s.io", "apps", "events.k8s.io"]
        );
        // The order must contain every group.
        assert!(
            names.iter().all(|name| BUILT_IN.contains(name)),
            "{names:?}"
        );
        let listed = object(&["apis"]);
        let listed = listed["groups"].as_array().unwrap().iter();
        let listed: Vec<&str> = listed.map(|g| g["name"].as_str().unwrap()).collect();
        assert_eq!(listed, names);
        // The resources must equal those of separate requests for each group.
        for item in items {
            let name = item["metadata"]["name"].as_str().unwrap();
            for version in item["versions"].as_array().unwrap() {
                let listed = object(&["apis", name, version["version"].as_str().unwrap()]);
                let listed = listed["resources"].as_array().unwrap().iter();
                let listed = listed.filter(|r| !r["name"].as_str().unwrap().contains('/'));
                let told = version["resources"].as_array().unwrap();
                assert_eq!(listed.count(), told.len(), "{name}");
            }
        }
        assert_eq!(asked(&["apis"], "application/json")["kind"], "APIGroupList");
    }

    #[test]
    fn the_root_and_the_version_are_served() {
        let root = object(&[]);
        let paths = root["paths"].as_array().unwrap();
        for path in ["/apis/apps/v1", "/metrics", "/readyz", "/livez/etcd"] {
            assert!(paths.contains(&json!(path)), "{path}");
        }
        assert_eq!(object(&["version"])["minor"], "36");
        let words = ["version".to_owned()];
        let request = Request::get("/version", administrator());
        let answer = answer(
            &Catalogue::default(),
            &MetricsApis::default(),
            &words,
            &request,
        );
        assert!(matches!(
            answer.body,
            Body::Text(text) if text.starts_with("{\n  \"major\": \"1\",\n  \"minor\": \"36\",\n")
        ));
    }
}
