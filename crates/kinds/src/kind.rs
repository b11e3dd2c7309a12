//! The discovery data of a kind: names, scope, verbs and columns.

use super::custom::definition::{CustomKind, Scale};
use super::hooks::Hooks;

/// One kind at one version.
///
/// ```
/// use ctl_kinds::{Column, Kind, Subresource, find};
///
/// let deployment: &Kind = find("apps", "v1", "Deployment").unwrap();
/// assert_eq!(deployment.api_version(), "apps/v1");
/// assert_eq!(deployment.short_names, ["deploy"]);
/// let scale: &Subresource = deployment.subresource("scale").unwrap();
/// assert_eq!((scale.group, scale.kind), ("autoscaling", "Scale"));
/// let first: &Column = &deployment.columns[0];
/// assert_eq!(first.name, "Name");
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    /// The API group; empty for the core group.
    pub group: &'static str,
    /// The API version, such as `v1`.
    pub version: &'static str,
    /// The name of the kind, such as `Deployment`.
    pub kind: &'static str,
    /// The name of the resource, such as `deployments`.
    pub plural: &'static str,
    /// The singular name of the resource, such as `deployment`.
    pub singular: &'static str,
    /// Short names, such as `deploy`.
    pub short_names: &'static [&'static str],
    /// Categories, such as `all`.
    pub categories: &'static [&'static str],
    /// True if the kind is namespaced.
    pub namespaced: bool,
    /// The verbs, sorted.
    pub verbs: &'static [&'static str],
    /// The subresources, sorted by name.
    pub subresources: &'static [Subresource],
    /// The columns of the table, in order.
    pub columns: &'static [Column],
    /// The field selectors that lists and watches accept.
    pub field_selectors: &'static [&'static str],
    /// True if clients prefer this version.
    pub preferred: bool,
    /// True if the kind is served even if no alpha and beta APIs are enabled.
    pub served: bool,
    /// The definition, if a CustomResourceDefinition defines the kind.
    pub custom: Option<&'static CustomKind>,
    /// The behavior of the kind.
    pub hooks: Hooks,
}

/// A path below a resource, such as `scale`.
#[derive(Debug, PartialEq, Eq)]
pub struct Subresource {
    /// The last path segment.
    pub name: &'static str,
    /// The group of the kind in requests to the subresource.
    pub group: &'static str,
    /// The version of the kind in requests to the subresource.
    pub version: &'static str,
    /// The kind in requests to the subresource.
    pub kind: &'static str,
    /// The verbs, sorted.
    pub verbs: &'static [&'static str],
}

/// One column of a kind's table.
#[derive(Debug, PartialEq, Eq)]
pub struct Column {
    /// The title.
    pub name: &'static str,
    /// The OpenAPI type of the cells: `string`, `integer`, `boolean`, `date`.
    pub kind: &'static str,
    /// The OpenAPI format; `name` marks the primary identifier.
    pub format: &'static str,
    /// 0 if the column is always shown, more if only `-o wide` shows it.
    pub priority: u8,
}

impl Subresource {
    /// Returns the kind in requests to the subresource.
    pub const fn body(&self) -> Kind {
        Kind::body(self.group, self.version, self.kind)
    }
}

impl Kind {
    /// Creates a namespaced kind: served, preferred, with all verbs and without hooks.
    pub const fn namespaced(
        (group, version, kind): (&'static str, &'static str, &'static str),
        (plural, singular): (&'static str, &'static str),
    ) -> Self {
        Self {
            plural,
            singular,
            verbs: Self::ALL_VERBS,
            // Every resource has these two selectors; a row with more lists all of them.
            field_selectors: &["metadata.name", "metadata.namespace"],
            ..Self::body(group, version, kind)
        }
    }

    /// Creates a cluster-scoped kind.
    pub const fn cluster_wide(
        names: (&'static str, &'static str, &'static str),
        resource: (&'static str, &'static str),
    ) -> Self {
        Self {
            // Keep the selector for the namespace: upstream accepts it, although no object has a namespace.
            namespaced: false,
            ..Self::namespaced(names, resource)
        }
    }

    /// Creates a kind that is in no list because it is only the body of a request.
    pub(crate) const fn body(
        group: &'static str,
        version: &'static str,
        kind: &'static str,
    ) -> Self {
        Self {
            group,
            version,
            kind,
            // Such a body has no path of its own: it is sent only to subresources of other kinds.
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
            custom: None,
            hooks: Hooks::NONE,
        }
    }

    /// Returns the kind at another version, which clients do not prefer.
    pub const fn also_at(mut self, version: &'static str) -> Self {
        self.version = version;
        self.unpreferred()
    }

    /// Marks the kind as served only by clusters with alpha and beta APIs enabled.
    pub const fn unserved(mut self) -> Self {
        self.served = false;
        self
    }

    /// Marks the version as one that clients do not prefer.
    pub const fn unpreferred(mut self) -> Self {
        self.preferred = false;
        self
    }

    /// Sets short names, such as `deploy`.
    pub const fn short_names(mut self, names: &'static [&'static str]) -> Self {
        self.short_names = names;
        self
    }

    /// Adds the kind to categories, such as `all`.
    pub const fn categories(mut self, categories: &'static [&'static str]) -> Self {
        self.categories = categories;
        self
    }

    /// Sets the verbs, which must be sorted.
    pub const fn verbs(mut self, verbs: &'static [&'static str]) -> Self {
        self.verbs = verbs;
        self
    }

    /// Sets the subresources, which must be sorted by name.
    pub const fn subresources(mut self, subresources: &'static [Subresource]) -> Self {
        self.subresources = subresources;
        self
    }

    /// Sets the columns of the table.
    pub const fn columns(mut self, columns: &'static [Column]) -> Self {
        self.columns = columns;
        self
    }

    /// Sets the field selectors that lists and watches accept.
    pub const fn field_selectors(mut self, selectors: &'static [&'static str]) -> Self {
        self.field_selectors = selectors;
        self
    }

    /// The verbs of a resource that can be written, listed and watched, sorted as in discovery.
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

    /// Returns the `apiVersion` of its objects.
    pub fn api_version(&self) -> String {
        match self.group {
            // The core group is older than API groups, so its versions are written without a group.
            "" => self.version.to_owned(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// Returns the kind with its group, as errors about invalid objects show it: `Deployment.apps`, `Pod`.
    pub fn qualified_kind(&self) -> String {
        qualify(self.kind, self.group)
    }

    /// Returns the resource with its group, as messages and directory names show it: `deployments.apps`, `pods`.
    pub fn qualified_resource(&self) -> String {
        qualify(self.plural, self.group)
    }

    /// Returns the subresource called `name`.
    pub fn subresource(&self, name: &str) -> Option<&'static Subresource> {
        // There are at most ten, so a linear search is faster than an index.
        self.subresources.iter().find(|sub| sub.name == name)
    }

    /// Returns true if the status has a subresource of its own.
    pub fn has_status(&self) -> bool {
        self.subresource("status").is_some()
    }

    /// Returns true if the objects are Pods rather than objects with a Pod template.
    pub fn is_pod(&self) -> bool {
        // An empty path to the template means that the object itself is the template.
        self.hooks.pod_template.is_some_and(<[_]>::is_empty)
    }

    /// Returns true if kubectl has a Go struct for the kind. It has none for custom kinds and those of the servers that
    /// extend kube-apiserver.
    pub fn has_go_struct(&self) -> bool {
        let is_extension = matches!(
            self.group,
            "apiextensions.k8s.io" | "apiregistration.k8s.io" | "metrics.k8s.io"
        );
        self.custom.is_none() && !is_extension
    }

    /// Returns the kind of a list of its objects.
    pub fn list_kind(&self) -> String {
        match self.custom {
            // A CustomResourceDefinition may set a different name.
            Some(custom) => custom.list_kind.clone(),
            None => format!("{}List", self.kind),
        }
    }

    /// Returns the paths of the replicas in a scalable custom resource, or `None`. Built-in kinds have no paths.
    pub fn scale_paths(&self) -> Option<&'static Scale> {
        self.custom?.scale.as_ref()
    }
}

impl Column {
    /// The name of the object.
    pub const NAME: Self = Self::new("Name", "string", "name", 0);
    /// The age of the object.
    pub const AGE: Self = Self::text("Age");

    /// Creates a column of strings.
    pub const fn text(name: &'static str) -> Self {
        Self::new(name, "string", "", 0)
    }

    /// Creates a column of strings that only a wide table shows.
    pub const fn wide(name: &'static str) -> Self {
        Self::new(name, "string", "", 1)
    }

    /// Creates a column of integers.
    pub const fn integer(name: &'static str) -> Self {
        Self::new(name, "integer", "", 0)
    }

    /// Creates a column.
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
    /// The `scale` subresource.
    pub const SCALE: Self = Self::new("scale", "autoscaling", "v1", "Scale", PART_VERBS);

    /// Returns the `status` subresource of a kind.
    pub const fn status(group: &'static str, version: &'static str, kind: &'static str) -> Self {
        Self::new("status", group, version, kind, PART_VERBS)
    }

    /// Creates a subresource.
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

/// The verbs of a subresource that is read and written separately.
const PART_VERBS: &[&str] = &["get", "patch", "update"];

fn qualify(name: &str, group: &str) -> String {
    match group {
        "" => name.to_owned(),
        group => format!("{name}.{group}"),
    }
}

/// Splits `apps/v1` into group and version; the group is empty for the core group.
pub fn split_api_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}
