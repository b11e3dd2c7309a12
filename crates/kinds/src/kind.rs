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
    /// True if the kind is namespaced.
    pub namespaced: bool,
    /// Verbs, sorted.
    pub verbs: &'static [&'static str],
    /// Subresources, sorted by name.
    pub subresources: &'static [Subresource],
    /// Columns of its table, in order.
    pub columns: &'static [Column],
    /// Field selectors that lists and watches accept.
    pub field_selectors: &'static [&'static str],
    /// True if clients prefer this version.
    pub preferred: bool,
    /// True if it is served without enabling alpha and beta APIs.
    pub served: bool,
    /// The definition, if a CustomResourceDefinition defines the kind.
    pub custom: Option<&'static CustomKind>,
    /// Its behavior.
    pub hooks: Hooks,
}

/// A path below a resource, such as `scale`.
#[derive(Debug, PartialEq, Eq)]
pub struct Subresource {
    /// Last path segment.
    pub name: &'static str,
    /// Group of the kind in its requests.
    pub group: &'static str,
    /// Version of the kind in its requests.
    pub version: &'static str,
    /// The kind in its requests.
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

/// The kind of a Pod's `/eviction`.
pub const EVICTION: Kind = Kind::body("policy", "v1", "Eviction");

impl Kind {
    /// Returns a namespaced kind: served, preferred, with all verbs and without hooks.
    pub const fn namespaced(
        (group, version, kind): (&'static str, &'static str, &'static str),
        (plural, singular): (&'static str, &'static str),
    ) -> Self {
        Self {
            plural,
            singular,
            verbs: Self::ALL_VERBS,
            // Every resource has these two; a row with more lists all of them.
            field_selectors: &["metadata.name", "metadata.namespace"],
            ..Self::body(group, version, kind)
        }
    }

    /// Returns a cluster-scoped kind.
    pub const fn cluster_wide(
        names: (&'static str, &'static str, &'static str),
        resource: (&'static str, &'static str),
    ) -> Self {
        Self {
            // The selector for the namespace stays: upstream accepts it, and no object has one.
            namespaced: false,
            ..Self::namespaced(names, resource)
        }
    }

    /// Returns a kind that is in no list, since it is only the body of a request.
    pub(crate) const fn body(
        group: &'static str,
        version: &'static str,
        kind: &'static str,
    ) -> Self {
        Self {
            group,
            version,
            kind,
            // No path of its own: such a body is only sent to subresources of other kinds.
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

    /// Marks it as served only by clusters with alpha and beta APIs enabled.
    pub const fn unserved(mut self) -> Self {
        self.served = false;
        self
    }

    /// Marks it as a version that clients do not prefer.
    pub const fn unpreferred(mut self) -> Self {
        self.preferred = false;
        self
    }

    /// Sets short names, such as `deploy`.
    pub const fn short_names(mut self, names: &'static [&'static str]) -> Self {
        self.short_names = names;
        self
    }

    /// Adds it to categories, such as `all`.
    pub const fn categories(mut self, categories: &'static [&'static str]) -> Self {
        self.categories = categories;
        self
    }

    /// Sets the verbs, sorted.
    pub const fn verbs(mut self, verbs: &'static [&'static str]) -> Self {
        self.verbs = verbs;
        self
    }

    /// Sets the subresources, sorted by name.
    pub const fn subresources(mut self, subresources: &'static [Subresource]) -> Self {
        self.subresources = subresources;
        self
    }

    /// Sets the columns of its table.
    pub const fn columns(mut self, columns: &'static [Column]) -> Self {
        self.columns = columns;
        self
    }

    /// Sets the field selectors that lists and watches accept.
    pub const fn field_selectors(mut self, selectors: &'static [&'static str]) -> Self {
        self.field_selectors = selectors;
        self
    }

    /// The verbs of a resource that can be written, listed and watched, sorted as discovery lists them.
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
            // The core group is older than API groups, and its versions are written without one.
            "" => self.version.to_owned(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// Returns the kind with its group, as in errors about invalid objects: `Deployment.apps`, `Pod`.
    pub fn qualified_kind(&self) -> String {
        qualify(self.kind, self.group)
    }

    /// Returns the resource with its group, as in messages and directories: `deployments.apps`, `pods`.
    pub fn qualified_resource(&self) -> String {
        qualify(self.plural, self.group)
    }

    /// Returns the subresource called `name`.
    pub fn subresource(&self, name: &str) -> Option<&'static Subresource> {
        // Ten at most, so a search is faster than an index.
        self.subresources.iter().find(|sub| sub.name == name)
    }

    /// Returns true if status is written through its own path.
    pub fn has_status(&self) -> bool {
        self.subresource("status").is_some()
    }

    /// Returns true if its objects are Pods rather than objects with a Pod template.
    pub fn is_pod(&self) -> bool {
        // An empty path to the template means that the object is the template.
        self.hooks.pod_template.is_some_and(<[_]>::is_empty)
    }

    /// Returns the kind of a list of its objects.
    pub fn list_kind(&self) -> String {
        match self.custom {
            // A definition may set a different name.
            Some(custom) => custom.list_kind.clone(),
            None => format!("{}List", self.kind),
        }
    }

    /// Returns the paths of a custom resource's replicas if it can be scaled; built-in kinds have no paths.
    pub fn scale_paths(&self) -> Option<&'static Scale> {
        self.custom?.scale.as_ref()
    }
}

impl Column {
    /// The name of the object.
    pub const NAME: Self = Self::new("Name", "string", "name", 0);
    /// The age of the object.
    pub const AGE: Self = Self::text("Age");

    /// Creates a column of texts.
    pub const fn text(name: &'static str) -> Self {
        Self::new(name, "string", "", 0)
    }

    /// Creates a column of texts that only a wide table shows.
    pub const fn wide(name: &'static str) -> Self {
        Self::new(name, "string", "", 1)
    }

    /// Creates a column of integers.
    pub const fn integer(name: &'static str) -> Self {
        Self::new(name, "integer", "", 0)
    }

    /// Creates a column, for the registry.
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
    /// The number of replicas, as a separate kind.
    pub const SCALE: Self = Self::new("scale", "autoscaling", "v1", "Scale", PART_VERBS);

    /// Returns the status of a kind.
    pub const fn status(group: &'static str, version: &'static str, kind: &'static str) -> Self {
        Self::new("status", group, version, kind, PART_VERBS)
    }

    /// Creates a subresource, for the registry.
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

/// The verbs of a subresource that is written separately.
const PART_VERBS: &[&str] = &["get", "patch", "update"];

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
