//! Parses paths, such as `/apis/apps/v1/namespaces/default/deployments/web/scale`.

use super::errors::not_allowed;
use super::query::{Query, unescaped};
use crate::api::status::Status;
use crate::kinds::{Catalogue, Kind};

/// The object or the collection that a path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The kind.
    pub(super) kind: &'static Kind,
    /// The namespace; empty for cluster-scoped objects and for all namespaces.
    pub(super) namespace: String,
    /// The name of the object; empty for the collection.
    pub(super) name: String,
    /// The subresource; empty for the object itself.
    pub(super) subresource: String,
    /// True for a path that always watches, whatever its query contains: `/api/v1/watch/pods`.
    pub(super) watched: bool,
}

impl Target {
    /// Returns the collection and the query that are equivalent to a watch by path.
    ///
    /// # Errors
    /// Returns the API server's 405 if the method is not `GET`.
    pub(super) fn watched(
        mut self,
        mut query: Query,
        method: &str,
    ) -> Result<(Self, Query), Status> {
        if !std::mem::take(&mut self.watched) {
            return Ok((self, query));
        }
        if method != "GET" {
            return Err(not_allowed());
        }
        query.set("watch", "true".to_owned());
        if !self.name.is_empty() {
            query.set("fieldSelector", format!("metadata.name={}", self.name));
            self.name.clear();
        }
        Ok((self, query))
    }
}

/// The result of resolving a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Resolution {
    /// Objects.
    Target(Target),
    /// A discovery path, split into its segments.
    Discovery(Vec<String>),
    /// A served group with an unknown version or resource.
    NoResource,
    /// An unknown path.
    NoPath,
}

/// Resolves a path, which must not contain a query.
pub(super) fn resolve(kinds: &Catalogue, path: &str) -> Resolution {
    // Go decodes `url.Path` before it is split, so an escaped slash (`%2F`) is also a separator.
    let path = unescaped(path);
    // Empty segments are skipped, because `//api/v1` is equivalent to `/api/v1`.
    let words: Vec<&str> = path.split('/').filter(|word| !word.is_empty()).collect();
    let (group, version, rest) = match words.as_slice() {
        ["api", version, rest @ ..] => ("", *version, rest),
        ["apis", group, version, rest @ ..] => (*group, *version, rest),
        []
        | ["api" | "apis" | "version"]
        | ["apis", _]
        | ["healthz" | "livez" | "readyz", ..]
        | ["openapi", "v2"]
        | ["openapi", "v3", ..]
        | ["openid", "v1", "jwks"]
        | [".well-known", "openid-configuration"] => {
            return Resolution::Discovery(words.iter().map(|word| (*word).to_owned()).collect());
        }
        _ => return Resolution::NoPath,
    };
    // An unknown group is an unknown path (a 404 as plain text); an unknown resource of a known group gets a `Status`.
    if !kinds.all().any(|kind| kind.group == group && kind.served) {
        return Resolution::NoPath;
    }
    if rest.is_empty() {
        return match kinds
            .all()
            .any(|k| k.group == group && k.version == version && k.served)
        {
            true => Resolution::Discovery(words.iter().map(|word| (*word).to_owned()).collect()),
            false => Resolution::NoResource,
        };
    }
    // Deprecated in favor of `?watch=true`, but still served by the API server.
    let (watched, rest) = match rest {
        ["watch", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (namespace, resource, name, subresource) = match rest {
        // The remaining segments belong to the target of the proxied request.
        [
            "namespaces",
            namespace,
            resource @ ("pods" | "services"),
            name,
            "proxy",
            _,
            ..,
        ] if group.is_empty() => (*namespace, *resource, *name, "proxy"),
        ["nodes", name, "proxy", _, ..] if group.is_empty() => ("", "nodes", *name, "proxy"),
        // The two subresources of Namespace look like resources in a namespace, so this arm must precede the next
        // ones.
        ["namespaces", name, sub @ ("status" | "finalize")] => ("", "namespaces", *name, *sub),
        ["namespaces", namespace, resource] => (*namespace, *resource, "", ""),
        ["namespaces", namespace, resource, name] => (*namespace, *resource, *name, ""),
        ["namespaces", namespace, resource, name, sub] => (*namespace, *resource, *name, *sub),
        [resource] => ("", *resource, "", ""),
        [resource, name] => ("", *resource, *name, ""),
        [resource, name, sub] => ("", *resource, *name, *sub),
        _ => return Resolution::NoResource,
    };
    let Some(kind) = kinds.find_resource(group, version, resource) else {
        return Resolution::NoResource;
    };
    // A namespaced object has no path without its namespace; only a list of all namespaces has. Other URLs do not
    // exist in Kubernetes.
    let misplaced = kind.namespaced && namespace.is_empty() && !name.is_empty();
    if misplaced || !kind.namespaced && !namespace.is_empty() {
        return Resolution::NoResource;
    }
    if watched && (!subresource.is_empty() || !kind.verbs.contains(&"watch")) {
        return Resolution::NoResource;
    }
    Resolution::Target(Target {
        kind,
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        subresource: subresource.to_owned(),
        watched,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::cluster::testing::{fresh, place};
    use crate::cluster::{WriteOptions, administrator};
    use crate::{Body, Request, respond};

    fn found(path: &str) -> String {
        match resolve(&Catalogue::default(), path) {
            Resolution::Target(t) => format!(
                "{}{} {} {} {}",
                if t.watched { "watch of " } else { "" },
                t.kind.qualified_resource(),
                t.namespace,
                t.name,
                t.subresource
            ),
            Resolution::Discovery(words) => format!("discovery {}", words.join(" ")),
            Resolution::NoResource => "no resource".to_owned(),
            Resolution::NoPath => "no path".to_owned(),
        }
    }

    #[test]
    fn paths_name_collections_objects_and_subresources() {
        for (path, what) in [
            ("/api/v1/pods", "pods   "),
            ("/api/v1/namespaces", "namespaces   "),
            ("/api/v1/namespaces/a", "namespaces  a "),
            ("/api/v1/namespaces/a/status", "namespaces  a status"),
            ("/api/v1/namespaces/a/pods", "pods a  "),
            ("/api/v1/namespaces/a/pods/p/log", "pods a p log"),
            (
                "/apis/apps/v1/namespaces/a/deployments/d",
                "deployments.apps a d ",
            ),
            ("/api/v1/nodes/n", "nodes  n "),
            ("/api/v1/watch/pods", "watch of pods   "),
            (
                "/apis/apps/v1/watch/namespaces/a/deployments/d",
                "watch of deployments.apps a d ",
            ),
            ("/api/v1/watch/namespaces/a", "watch of namespaces  a "),
            ("/api/v1/watch/namespaces/a/pods/p/status", "no resource"),
            ("/api/v1/watch/bindings", "no resource"),
            ("/api/v1/watch", "no resource"),
            ("/api/v1/nodes/n/proxy/stats/summary", "nodes  n proxy"),
            (
                "/api/v1/namespaces/a/services/http:s:80/proxy/a/b/",
                "services a http:s:80 proxy",
            ),
            ("/api/v1/namespaces/a/pods/p/proxy/", "pods a p proxy"),
            ("/api/v1/namespaces/a/configmaps/p/proxy/x", "no resource"),
            ("/api/v1/nodes/a%3Ab+c", "nodes  a:b+c "),
            ("/api/v1/nodes/a%2Fstatus", "nodes  a status"),
            ("/apis/apps/v1", "discovery apis apps v1"),
            ("/version", "discovery version"),
            ("/", "discovery "),
            ("/livez/ping", "discovery livez ping"),
            (
                "/openapi/v3/apis/apps/v1",
                "discovery openapi v3 apis apps v1",
            ),
            ("/openapi/v2", "discovery openapi v2"),
            ("/openapi/v4", "no path"),
            ("/apis/apps/v9/deployments", "no resource"),
            ("/apis/apps/v1/foos", "no resource"),
            ("/api/v1/pods/p", "no resource"),
            ("/apis/nope/v1/foos", "no path"),
            ("/nope", "no path"),
        ] {
            assert_eq!(found(path), what, "{path}");
        }
    }

    #[test]
    fn a_watch_by_its_path_is_that_of_the_query() {
        let cluster = fresh();
        for name in ["a", "b"] {
            let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
            let options = WriteOptions::default();
            cluster
                .create(&place("configmaps"), &body, &options)
                .unwrap();
        }
        let events =
            |path: &str| match respond(&cluster.cluster, &Request::get(path, administrator())).body
            {
                Body::Text(lines) => lines,
                other => panic!("{other:?}"),
            };
        let below = "namespaces/default/configmaps";
        for (old, new) in [
            ("configmaps", "configmaps?watch=true"),
            (below, "namespaces/default/configmaps?watch=true"),
            (
                "namespaces/default/configmaps/a",
                "namespaces/default/configmaps?watch=true&fieldSelector=metadata.name%3Da",
            ),
        ] {
            let old = events(&format!("/api/v1/watch/{old}"));
            assert_eq!(old, events(&format!("/api/v1/{new}")), "{new}");
            assert!(old.contains("ADDED"), "{old}");
        }
        let post = Request {
            method: "POST",
            ..Request::get("/api/v1/watch/pods", administrator())
        };
        assert_eq!(respond(&cluster.cluster, &post).code, 405);
    }
}
