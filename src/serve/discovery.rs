//! What the server says of itself: its version, its health, its groups and resources.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Response;
use crate::kinds::{Catalogue, Kind};

/// Answers one of the paths that are not about objects.
pub(super) fn answer(kinds: &Catalogue, words: &[String]) -> Response {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let object = match words.as_slice() {
        ["version"] => json!({
            "major": "1", "minor": "36", "gitVersion": "v1.36.2", "platform": "linux/amd64",
        }),
        ["healthz" | "livez" | "readyz"] => return Response::text(200, "ok"),
        ["api"] => json!({"kind": "APIVersions", "versions": ["v1"]}),
        ["apis"] => {
            let groups: Vec<Value> = groups(kinds)
                .iter()
                .map(|name| group(kinds, name))
                .collect();
            json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
        }
        ["apis", name] if groups(kinds).contains(name) => {
            let mut group = group(kinds, name);
            group["kind"] = json!("APIGroup");
            group["apiVersion"] = json!("v1");
            group
        }
        ["api", version] => resources(kinds, "", version),
        ["apis", group, version] => resources(kinds, group, version),
        _ => return Response::text(404, "404 page not found\n"),
    };
    Response::object(200, object, Vec::new())
}

fn served<'k>(kinds: &'k Catalogue) -> impl Iterator<Item = &'static Kind> + use<'k> {
    kinds.all().filter(|kind| kind.served)
}

fn groups(kinds: &Catalogue) -> BTreeSet<&'static str> {
    served(kinds)
        .map(|kind| kind.group)
        .filter(|group| !group.is_empty())
        .collect()
}

fn group(kinds: &Catalogue, name: &str) -> Value {
    let mut versions: Vec<Value> = Vec::new();
    let mut preferred = Value::Null;
    for kind in served(kinds).filter(|kind| kind.group == name) {
        let version = json!({"groupVersion": kind.api_version(), "version": kind.version});
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
        for (name, list) in [
            ("shortNames", kind.short_names),
            ("categories", kind.categories),
        ] {
            if !list.is_empty() {
                resource[name] = json!(list);
            }
        }
        resources.push(resource);
        for sub in kind.subresources {
            let mut resource = json!({
                "name": format!("{}/{}", kind.plural, sub.name), "singularName": "",
                "namespaced": kind.namespaced, "kind": sub.kind, "verbs": sub.verbs,
            });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::Body;

    fn object(words: &[&str]) -> Value {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        match answer(&Catalogue::default(), &words).body {
            Body::Object(object) => object,
            Body::Text(text) => json!(text),
        }
    }

    #[test]
    fn groups_and_resources_are_listed() {
        assert_eq!(object(&["readyz"]), "ok");
        let apps = object(&["apis", "apps"]);
        assert_eq!(apps["preferredVersion"]["groupVersion"], "apps/v1");
        let core = object(&["api", "v1"]);
        let all = core["resources"].as_array().unwrap();
        let named = |name: &str| all.iter().find(|r| r["name"] == name).unwrap();
        assert_eq!(named("pods")["shortNames"], json!(["po"]));
        assert_eq!(named("pods/eviction")["group"], "policy");
        assert!(named("pods/log").get("group").is_none());
    }
}
