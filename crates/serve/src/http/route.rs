//! The resource and the verb of a request, derived from its path alone, for metrics and logs.
//!
//! Must not know: the list of kinds. The path may refer to a kind that does not exist.

/// The parts of a method and a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Route<'a> {
    method: &'a str,
    watches: bool,
    /// The query's `dryRun` as a metrics label. All invalid values share one label.
    pub(super) dry_run: &'static str,
    pub(super) group: &'a str,
    pub(super) version: &'a str,
    pub(super) namespace: &'a str,
    /// The resource; empty if the path has none.
    pub(super) resource: &'a str,
    pub(super) name: &'a str,
    pub(super) subresource: &'a str,
}

impl<'a> Route<'a> {
    /// Splits the method and target of a request.
    pub(super) fn new(method: &'a str, target: &'a str) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let words: Vec<&str> = path.split('/').filter(|word| !word.is_empty()).collect();
        let (group, version, rest) = match words.as_slice() {
            ["api", version, rest @ ..] => ("", *version, rest),
            ["apis", group, version, rest @ ..] => (*group, *version, rest),
            _ => ("", "", &[][..]),
        };
        let (is_watch_path, rest) = match rest {
            ["watch", rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        let (namespace, rest) = match rest {
            // A namespace is itself an object, with subresources of its own.
            ["namespaces", _, "status" | "finalize"] => ("", rest),
            ["namespaces", namespace, inside @ ..] if !inside.is_empty() => (*namespace, inside),
            _ => ("", rest),
        };
        let word = |at: usize| rest.get(at).copied().unwrap_or_default();
        let watches = |pair: &str| matches!(pair, "watch" | "watch=1" | "watch=true");
        Self {
            method,
            // The path of a single object is a `get`, whatever the query says.
            watches: is_watch_path || word(1).is_empty() && query.split('&').any(watches),
            dry_run: dry_run(query),
            group,
            version,
            namespace,
            resource: word(0),
            name: word(1),
            subresource: word(2),
        }
    }

    pub(super) fn is_named(&self) -> bool {
        !self.name.is_empty()
    }

    /// Returns the verb that metrics use.
    pub(super) fn counted_as(&self) -> &'static str {
        match (self.method, self.is_named()) {
            // The verb allows dashboards to tell watches from slow lists.
            ("GET", _) if self.watches => "WATCH",
            ("GET", false) if !self.resource.is_empty() => "LIST",
            ("GET", _) => "GET",
            ("POST", _) => "POST",
            ("PUT", _) => "PUT",
            ("PATCH", _) => "PATCH",
            ("DELETE", false) => "DELETECOLLECTION",
            ("DELETE", true) => "DELETE",
            _ => "OTHER",
        }
    }

    /// Returns the verb that roles and the audit log use.
    pub(super) fn verb(&self) -> String {
        // Without a resource, the verb is the method.
        if self.resource.is_empty() {
            return self.method.to_ascii_lowercase();
        }
        match self.counted_as() {
            "POST" => "create".to_owned(),
            "PUT" => "update".to_owned(),
            "OTHER" => self.method.to_ascii_lowercase(),
            verb => verb.to_ascii_lowercase(),
        }
    }
}

fn dry_run(query: &str) -> &'static str {
    let mut given = query
        .split('&')
        .filter_map(|pair| pair.strip_prefix("dryRun="))
        .peekable();
    match (given.peek().is_some(), given.all(|value| value == "All")) {
        (false, _) => "",
        (true, true) => "All",
        (true, false) => "invalid",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_methods_map_to_rbac_verbs() {
        for (method, target, expected) in [
            ("GET", "/healthz", "get"),
            ("POST", "/api/v1/namespaces/a/pods", "create"),
            ("GET", "/api/v1/pods?watch=true", "watch"),
            ("GET", "/api/v1/pods", "list"),
            ("GET", "/api/v1/watch/namespaces/a/pods/b", "watch"),
            ("GET", "/api/v1/namespaces/a/pods/b?watch=true", "get"),
            (
                "PUT",
                "/apis/apps/v1/namespaces/a/deployments/b/scale",
                "update",
            ),
            ("DELETE", "/api/v1/namespaces/a", "delete"),
            ("DELETE", "/api/v1/namespaces", "deletecollection"),
            ("OPTIONS", "/api/v1/namespaces", "options"),
        ] {
            assert_eq!(
                Route::new(method, target).verb(),
                expected,
                "{method} {target}"
            );
        }
        let route = Route::new("PUT", "/apis/apps/v1/namespaces/a/deployments/b/scale");
        let parts = (
            route.group,
            route.namespace,
            route.resource,
            route.name,
            route.subresource,
        );
        assert_eq!(parts, ("apps", "a", "deployments", "b", "scale"));
        for (query, expected) in [
            ("", ""),
            ("?fieldManager=a&dryRun=All", "All"),
            ("?dryRun=All&dryRun=All", "All"),
            ("?dryRun=Some", "invalid"),
        ] {
            let target = format!("/api/v1/nodes{query}");
            assert_eq!(Route::new("POST", &target).dry_run, expected);
        }
    }
}
