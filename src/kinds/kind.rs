//! What a kind is to discovery: its names, its scope, its verbs, its columns, and how it is found by name.

use super::registry;

/// One kind as the server serves it at one version.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    /// API group, empty for the core group.
    pub group: &'static str,
    /// API version, such as `v1`.
    pub version: &'static str,
    /// Kind name, such as `Deployment`.
    pub kind: &'static str,
    /// Resource name, such as `deployments`.
    pub plural: &'static str,
    /// Singular resource name, such as `deployment`.
    pub singular: &'static str,
    /// Short names, such as `deploy`.
    pub short_names: &'static [&'static str],
    /// Categories, such as `all`.
    pub categories: &'static [&'static str],
    /// Whether its objects live in a namespace.
    pub namespaced: bool,
    /// Verbs, sorted.
    pub verbs: &'static [&'static str],
    /// Subresources, sorted by name.
    pub subresources: &'static [Subresource],
    /// Columns of its table, in order.
    pub columns: &'static [Column],
    /// Field selectors that lists and watches accept.
    pub field_selectors: &'static [&'static str],
    /// Whether this version is the one clients prefer.
    pub preferred: bool,
    /// Whether it is served without switching alpha and beta APIs on.
    pub served: bool,
}

/// A path below a resource, such as `scale`.
#[derive(Debug, PartialEq, Eq)]
pub struct Subresource {
    /// Last path segment.
    pub name: &'static str,
    /// Group of the kind it speaks.
    pub group: &'static str,
    /// Version of the kind it speaks.
    pub version: &'static str,
    /// The kind it speaks.
    pub kind: &'static str,
    /// Verbs, sorted.
    pub verbs: &'static [&'static str],
}

/// One column of a kind's table.
#[derive(Debug, PartialEq, Eq)]
pub struct Column {
    /// Title.
    pub name: &'static str,
    /// OpenAPI type of the cells: `string`, `integer`, `boolean`, `date`.
    pub kind: &'static str,
    /// OpenAPI format; `name` marks the primary identifier.
    pub format: &'static str,
    /// 0 is always shown, more only with `-o wide`.
    pub priority: u8,
}

/// The body of `/scale`, which no list of kinds names.
pub const SCALE: Kind = Kind::body("autoscaling", "v1", "Scale");

/// The body of a Pod's `/eviction`.
pub const EVICTION: Kind = Kind::body("policy", "v1", "Eviction");

impl Kind {
    const fn body(group: &'static str, version: &'static str, kind: &'static str) -> Self {
        Self {
            group,
            version,
            kind,
            plural: "",
            singular: "",
            short_names: &[],
            categories: &[],
            namespaced: true,
            verbs: &[],
            subresources: &[],
            columns: &[],
            field_selectors: &[],
            preferred: true,
            served: true,
        }
    }

    /// The verbs of a resource that can be written, listed and watched.
    pub const ALL_VERBS: &'static [&'static str] = &[
        "create",
        "delete",
        "deletecollection",
        "get",
        "list",
        "patch",
        "update",
        "watch",
    ];

    /// `apiVersion` as objects carry it.
    pub fn api_version(&self) -> String {
        match self.group {
            "" => self.version.to_owned(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// The kind with its group, as invalid-object messages name it: `Deployment.apps`, `Pod`.
    pub fn qualified_kind(&self) -> String {
        qualify(self.kind, self.group)
    }

    /// The resource with its group, as messages and directories name it: `deployments.apps`, `pods`.
    pub fn qualified_resource(&self) -> String {
        qualify(self.plural, self.group)
    }

    /// The subresource called `name`.
    pub fn subresource(&self, name: &str) -> Option<&'static Subresource> {
        self.subresources.iter().find(|sub| sub.name == name)
    }

    /// Whether status is written through its own path.
    pub fn has_status(&self) -> bool {
        self.subresource("status").is_some()
    }

    fn answers_to(&self, name: &str) -> bool {
        self.plural == name || self.singular == name || self.short_names.contains(&name)
    }
}

impl Column {
    /// A column, for the registry.
    pub const fn new(
        name: &'static str,
        kind: &'static str,
        format: &'static str,
        priority: u8,
    ) -> Self {
        Self {
            name,
            kind,
            format,
            priority,
        }
    }
}

impl Subresource {
    /// A subresource, for the registry.
    pub const fn new(
        name: &'static str,
        group: &'static str,
        version: &'static str,
        kind: &'static str,
        verbs: &'static [&'static str],
    ) -> Self {
        Self {
            name,
            group,
            version,
            kind,
            verbs,
        }
    }
}

fn qualify(name: &str, group: &str) -> String {
    match group {
        "" => name.to_owned(),
        group => format!("{name}.{group}"),
    }
}

/// Splits `apps/v1` into group and version; the core group is empty.
pub fn split_api_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

/// The kind called `kind` in a group and version.
pub fn find(group: &str, version: &str, kind: &str) -> Option<&'static Kind> {
    registry::all().find(|k| k.kind == kind && k.version == version && k.group == group)
}

/// The kind of an object, by its `apiVersion` and `kind`.
pub fn find_by_api_version(api_version: &str, kind: &str) -> Option<&'static Kind> {
    let (group, version) = split_api_version(api_version);
    find(group, version, kind)
}

/// The kind served as `resource` in a group and version, as URLs name it.
pub fn find_resource(group: &str, version: &str, resource: &str) -> Option<&'static Kind> {
    registry::all().find(|k| k.plural == resource && k.version == version && k.group == group)
}

/// The kind that a name on kubectl's command line means.
///
/// The name is a resource, a singular, a short name or a kind, in any case, alone or as
/// `resource.group` or `resource.version.group`. Among equals the first in discovery order wins, so
/// `events` are the core group's. Kinds that are not served by default are not found.
pub fn resolve(name: &str) -> Option<&'static Kind> {
    let lower = name.to_ascii_lowercase();
    let (short, rest) = lower.split_once('.').unwrap_or((&lower, ""));
    let matches = |k: &&Kind, by_kind: bool| {
        let named = match by_kind {
            true => k.kind.eq_ignore_ascii_case(short),
            false => k.answers_to(short),
        };
        named && k.served && matches_suffix(k, rest)
    };
    [false, true]
        .into_iter()
        .find_map(|by_kind| registry::all().find(|k| matches(k, by_kind)))
}

fn matches_suffix(kind: &Kind, suffix: &str) -> bool {
    if suffix.is_empty() {
        return kind.preferred;
    }
    let after_version = suffix.strip_prefix(kind.version);
    if after_version.is_some_and(|rest| rest.strip_prefix('.').unwrap_or(rest) == kind.group) {
        return true;
    }
    !kind.group.is_empty() && kind.preferred && kind.group == suffix
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(name: &str) -> Option<String> {
        resolve(name).map(|k| format!("{}/{}", k.qualified_resource(), k.version))
    }

    #[test]
    fn names_resolve_as_kubectl_resolves_them() {
        for (name, resource) in [
            ("po", "pods/v1"),
            ("Pod", "pods/v1"),
            ("deploy", "deployments.apps/v1"),
            ("deployments.apps", "deployments.apps/v1"),
            ("deployments.v1.apps", "deployments.apps/v1"),
            ("events", "events/v1"),
            ("events.events.k8s.io", "events.events.k8s.io/v1"),
            ("hpa", "horizontalpodautoscalers.autoscaling/v2"),
            (
                "hpa.v1.autoscaling",
                "horizontalpodautoscalers.autoscaling/v1",
            ),
            ("pods.v1", "pods/v1"),
            ("pods.v1.", "pods/v1"),
        ] {
            assert_eq!(resolved(name).as_deref(), Some(resource), "{name}");
        }
        for name in ["", "pods.apps", "leasecandidates", "foo"] {
            assert_eq!(resolved(name), None, "{name}");
        }
    }

    #[test]
    fn the_registry_is_sound() {
        let kinds: Vec<_> = registry::all().collect();
        assert_eq!(kinds.len(), 89);
        for kind in &kinds {
            assert!(
                std::ptr::eq(find(kind.group, kind.version, kind.kind).unwrap(), *kind),
                "{} is listed twice",
                kind.qualified_kind()
            );
            let lists = kind.verbs.contains(&"list");
            assert!(
                !lists || !kind.served || !kind.columns.is_empty(),
                "{} has no columns",
                kind.qualified_kind()
            );
        }
    }
}
