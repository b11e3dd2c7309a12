//! Role-based access control: the rules that allow a request, the subjects of a binding, and the comparison of rights.

use crate::admission::context::User;
use crate::api::json::{Value, json};
use crate::tree::{field, list, text, texts};
use crate::validate::go;

/// An action to authorize.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_kinds::rbac::{AccessAttributes, allows};
///
/// let rule = json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]});
/// let get = AccessAttributes::Resource { verb: "get", group: "", resource: "pods", name: "web" };
/// let delete = AccessAttributes::Resource { verb: "delete", group: "", resource: "pods", name: "web" };
/// assert!(allows(&rule, &get) && !allows(&rule, &delete));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessAttributes<'a> {
    /// An action on an object or a collection.
    Resource {
        /// `get`, `list`, `create`, ...
        verb: &'a str,
        /// The API group; empty for the core group.
        group: &'a str,
        /// The resource, followed by a slash and the subresource if there is one.
        resource: &'a str,
        /// The name of the object; empty for the collection.
        name: &'a str,
    },
    /// An action on a non-resource URL.
    Path {
        /// `get`, `post`, ...
        verb: &'a str,
        /// The path.
        path: &'a str,
    },
}

/// Returns true if a rule allows an action.
pub fn allows(rule: &Value, access: &AccessAttributes<'_>) -> bool {
    match access {
        AccessAttributes::Resource {
            verb,
            group,
            resource,
            name,
        } => {
            has(rule, "verbs", verb)
                && has(rule, "apiGroups", group)
                && allows_resource(rule, resource)
                // Names restrict a rule to single objects, so it does not allow a create or a list, which have no
                // name.
                && (list(rule, "resourceNames").is_empty()
                    || texts(rule, "resourceNames").any(|own| own == *name))
        }
        AccessAttributes::Path { verb, path } => {
            has(rule, "verbs", verb)
                // A star is a wildcard only at the end.
                && texts(rule, "nonResourceURLs").any(|own| match own.strip_suffix('*') {
                    Some(start) => path.starts_with(start),
                    None => own == *path,
                })
        }
    }
}

fn has(rule: &Value, name: &str, wanted: &str) -> bool {
    texts(rule, name).any(|own| own == "*" || own == wanted)
}

fn allows_resource(rule: &Value, resource: &str) -> bool {
    let below = resource.split_once('/').map(|(_, subresource)| subresource);
    texts(rule, "resources").any(|own| {
        // `*` includes subresources; the name of a resource does not.
        own == "*"
            || own == resource
            || below.is_some_and(|sub| own.strip_prefix("*/") == Some(sub))
    })
}

/// Returns the first subject of a binding that stands for the user; `namespace` is that of the binding.
pub fn subject<'b>(binding: &'b Value, user: &User, namespace: &str) -> Option<&'b Value> {
    list(binding, "subjects").iter().find(|subject| {
        let name = text(subject, "name");
        match text(subject, "kind") {
            "User" => user.name == name,
            "Group" => user.groups.iter().any(|group| group == name),
            "ServiceAccount" => {
                let own = match text(subject, "namespace") {
                    "" => namespace,
                    own => own,
                };
                !own.is_empty() && user.name == format!("system:serviceaccount:{own}:{name}")
            }
            _ => false,
        }
    })
}

/// Returns the rules in `wanted` that `held` does not cover, in the API server's notation.
pub fn missing(held: &[Value], wanted: &[Value]) -> Vec<String> {
    let uncovered = uncovered(held, wanted);
    let mut shown: Vec<String> = compact(uncovered).iter().map(described).collect();
    shown.sort();
    shown.dedup();
    shown
}

/// Returns the rules in `wanted` that `held` does not cover, split so that each has one group, resource, name and
/// verb.
pub fn uncovered(held: &[Value], wanted: &[Value]) -> Vec<Value> {
    let simple = wanted.iter().flat_map(parts);
    simple
        .filter(|part| !held.iter().any(|own| covers(own, part)))
        .collect()
}

/// Splits a rule so that each part has one group, resource, name and verb.
fn parts(rule: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    for verb in texts(rule, "verbs") {
        for path in texts(rule, "nonResourceURLs") {
            all.push(json!({"nonResourceURLs": [path], "verbs": [verb]}));
        }
    }
    for group in texts(rule, "apiGroups") {
        for resource in texts(rule, "resources") {
            for verb in texts(rule, "verbs") {
                let part = json!({"apiGroups": [group], "resources": [resource], "verbs": [verb]});
                if list(rule, "resourceNames").is_empty() {
                    all.push(part);
                    continue;
                }
                for name in texts(rule, "resourceNames") {
                    let mut part = part.clone();
                    part["resourceNames"] = json!([name]);
                    all.push(part);
                }
            }
        }
    }
    all
}

fn covers(held: &Value, part: &Value) -> bool {
    let all = |name: &str| texts(part, name).all(|wanted| has(held, name, wanted));
    if !list(part, "nonResourceURLs").is_empty() {
        let path = texts(part, "nonResourceURLs").next().unwrap_or_default();
        let verb = texts(part, "verbs").next().unwrap_or_default();
        return allows(held, &AccessAttributes::Path { verb, path });
    }
    let names = list(held, "resourceNames");
    let wanted = list(part, "resourceNames");
    all("apiGroups")
        && all("verbs")
        && texts(part, "resources").all(|resource| allows_resource(held, resource))
        && (names.is_empty()
            // Rights to certain names do not cover rights to all names.
            || !wanted.is_empty() && wanted.iter().all(|name| names.contains(name)))
}

/// Merges rules that differ only in their verbs.
fn compact(rules: Vec<Value>) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::new();
    for rule in rules {
        let same = |own: &&mut Value| {
            ["apiGroups", "resources", "resourceNames"]
                .iter()
                .all(|name| field(own, name) == field(&rule, name))
                && list(&rule, "nonResourceURLs").is_empty()
                && list(own, "nonResourceURLs").is_empty()
        };
        match out.iter_mut().find(same) {
            Some(own) => {
                texts(&rule, "verbs").for_each(|verb| crate::tree::push(own, "verbs", verb))
            }
            None => out.push(rule),
        }
    }
    out
}

fn described(rule: &Value) -> String {
    let mut said = Vec::new();
    for (name, shown) in [
        ("apiGroups", "APIGroups"),
        ("resources", "Resources"),
        ("nonResourceURLs", "NonResourceURLs"),
        ("resourceNames", "ResourceNames"),
        ("verbs", "Verbs"),
    ] {
        let own: Vec<String> = texts(rule, name).map(go::quoted).collect();
        if !own.is_empty() {
            said.push(format!("{shown}:[{}]", own.join(" ")));
        }
    }
    format!("{{{}}}", said.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access<'a>(
        verb: &'a str,
        group: &'a str,
        resource: &'a str,
        name: &'a str,
    ) -> AccessAttributes<'a> {
        AccessAttributes::Resource {
            verb,
            group,
            resource,
            name,
        }
    }

    #[test]
    fn rules_allow_exactly_their_requests() {
        let rule = json!({"apiGroups": ["apps"], "resources": ["deployments", "*/scale"],
            "verbs": ["get", "list"]});
        assert!(allows(&rule, &access("get", "apps", "deployments", "d")));
        assert!(allows(
            &rule,
            &access("get", "apps", "replicasets/scale", "r")
        ));
        assert!(!allows(
            &rule,
            &access("get", "apps", "deployments/status", "d")
        ));
        assert!(!allows(
            &rule,
            &access("delete", "apps", "deployments", "d")
        ));
        assert!(!allows(&rule, &access("get", "", "deployments", "d")));
        let named = json!({"apiGroups": [""], "resources": ["pods"], "resourceNames": ["p"], "verbs": ["*"]});
        assert!(allows(&named, &access("delete", "", "pods", "p")));
        assert!(!allows(&named, &access("list", "", "pods", "")));
        let path = json!({"nonResourceURLs": ["/healthz/*"], "verbs": ["get"]});
        assert!(allows(
            &path,
            &AccessAttributes::Path {
                verb: "get",
                path: "/healthz/etcd"
            }
        ));
        assert!(!allows(
            &path,
            &AccessAttributes::Path {
                verb: "get",
                path: "/metrics"
            }
        ));
    }

    #[test]
    fn bindings_match_users_groups_and_service_accounts() {
        let user = User {
            name: "system:serviceaccount:a:b".to_owned(),
            groups: vec!["g".to_owned()],
            ..User::default()
        };
        let subject = |kind: &str, name: &str, namespace: &str| json!({"subjects": [{"kind": kind, "name": name, "namespace": namespace}]});
        assert!(super::subject(&subject("ServiceAccount", "b", "a"), &user, "").is_some());
        assert!(super::subject(&subject("ServiceAccount", "b", ""), &user, "a").is_some());
        assert!(super::subject(&subject("ServiceAccount", "b", ""), &user, "").is_none());
        assert!(super::subject(&subject("Group", "g", ""), &user, "").is_some());
        assert!(super::subject(&subject("User", "b", ""), &user, "").is_none());
    }

    #[test]
    fn missing_rules_are_listed() {
        let wanted =
            json!({"apiGroups": ["", "apps"], "resources": ["pods"], "verbs": ["get", "list"]});
        let held =
            json!({"apiGroups": [""], "resources": ["*"], "verbs": ["get", "list", "watch"]});
        assert_eq!(
            missing(&[held], std::slice::from_ref(&wanted)),
            ["{APIGroups:[\"apps\"], Resources:[\"pods\"], Verbs:[\"get\" \"list\"]}"]
        );
        let everything = json!({"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]});
        assert!(missing(&[everything], &[wanted]).is_empty());
    }
}
