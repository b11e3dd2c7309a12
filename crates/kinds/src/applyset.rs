//! ApplySets: the membership of objects, in the labels and annotations of a parent object and its members
//! (Kubernetes' ApplySet specification, KEP-3659).
//!
//! Must not know: the storage of objects, and the caller.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use super::catalogue::Catalogue;
use super::kind::Kind;
use super::tree::ensure;
use crate::api::json::{Value, json};

/// The label of a parent: the id of its set.
pub const ID: &str = "applyset.kubernetes.io/id";
/// The label of a member: the id of its set.
pub const PART_OF: &str = "applyset.kubernetes.io/part-of";
/// The label of a definition whose objects may be parents.
pub const PARENT_TYPE: &str = "applyset.kubernetes.io/is-parent-type";
/// The annotation of a parent: the program that manages the set, and its version.
const TOOLING: &str = "applyset.kubernetes.io/tooling";
/// The annotation of a parent: the kinds of the members.
const KINDS: &str = "applyset.kubernetes.io/contains-group-kinds";
/// The annotation that preceded [`KINDS`]: the resources of the members.
const RESOURCES: &str = "applyset.kubernetes.io/contains-group-resources";
/// The annotation of a parent: the namespaces of the members except its own.
const NAMESPACES: &str = "applyset.kubernetes.io/additional-namespaces";

/// The program that manages the sets created here.
const TOOL: &str = "kubectl";
/// The manager that owns the labels and annotations of the parents.
pub const FIELD_MANAGER: &str = "kubectl-applyset";

/// The kinds and namespaces that may contain members.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extent {
    // Sorted: kubectl sorts the lists in the annotations, and an unchanged set must not change its
    // parent.
    kinds: BTreeMap<String, &'static Kind>,
    namespaces: BTreeSet<String>,
}

impl Extent {
    /// Adds the kind and the namespace of an object.
    pub fn add(&mut self, kind: &'static Kind, namespace: &str) {
        self.kinds.entry(kind.qualified_kind()).or_insert(kind);
        if kind.namespaced && !namespace.is_empty() {
            self.namespaces.insert(namespace.to_owned());
        }
    }

    /// Returns the union of two.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.kinds
            .extend(other.kinds.iter().map(|(k, v)| (k.clone(), *v)));
        both.namespaces.extend(other.namespaces.iter().cloned());
        both
    }

    /// Returns each kind with each namespace in which its objects can be.
    ///
    /// # Errors
    /// A namespace has no name.
    pub fn places(&self) -> Result<Vec<(&'static Kind, &str)>, String> {
        let mut places = Vec::new();
        for (at, kind) in self.kinds.values().enumerate() {
            if !kind.namespaced {
                places.push((*kind, ""));
                continue;
            }
            for namespace in &self.namespaces {
                if namespace.is_empty() {
                    return Err(format!(
                        "unexpectedly encountered empty namespace during prune of \
                         namespace-scoped resource {at}"
                    ));
                }
                places.push((*kind, namespace.as_str()));
            }
        }
        Ok(places)
    }
}

/// The parent object of a set.
///
/// ```
/// use ctl_kinds::Catalogue;
/// use ctl_kinds::applyset::{Extent, Parent};
///
/// let catalogue = Catalogue::default();
/// let parent = Parent {
///     namespace: "default".to_owned(),
///     ..Parent::parse("configmaps/shop", &catalogue)?
/// };
/// let mut extent = Extent::default();
/// extent.add(catalogue.resolve("deployments").unwrap(), "default");
/// assert_eq!(extent.places()?.len(), 1);
/// assert!(parent.id().starts_with("applyset-"));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Parent {
    /// Its kind.
    pub kind: &'static Kind,
    /// Its namespace; empty if it has none, or none was named.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl fmt::Display for Parent {
    /// Returns the parent as kubectl's messages name it, with a dot even without a group.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Kind { plural, group, .. } = self.kind;
        write!(f, "{plural}.{group}/{}", self.name)
    }
}

impl Parent {
    /// Returns the parent that `[RESOURCE[.GROUP]/]NAME` denotes, without its namespace: a Secret if there is no
    /// resource.
    ///
    /// # Errors
    /// The resource does not exist, or the name is missing.
    pub fn parse(text: &str, catalogue: &Catalogue) -> Result<Self, String> {
        // kubectl's default for `--applyset=NAME`; a Secret exists in every cluster without a
        // definition.
        let (resource, name) = text.split_once('/').unwrap_or(("secrets", text));
        if name.is_empty() {
            return Err("name cannot be blank".to_owned());
        }
        Ok(Self {
            kind: by_resource(resource, catalogue)?,
            namespace: String::new(),
            name: name.to_owned(),
        })
    }

    /// Returns true if objects of its kind may be parents without a definition that permits it, and are
    /// created if missing.
    pub fn is_built_in(&self) -> bool {
        // The kinds that hold data: Secrets and ConfigMaps.
        self.kind.referred_to_by().is_some()
    }

    /// Checks that one of `definitions` allows objects of its kind as parents.
    ///
    /// # Errors
    /// Fails if none does.
    pub fn check_definitions(&self, definitions: &[Value]) -> Result<(), String> {
        let own = self.kind.qualified_resource();
        let allows = |d: &Value| {
            // kubectl selects definitions by the existence of the label, so any value of it will
            // do.
            let marked = !d["metadata"]["labels"][PARENT_TYPE].is_null();
            // The API server requires the name PLURAL.GROUP, so the name of a definition identifies its resource.
            marked && d["metadata"]["name"].as_str() == Some(&own)
        };
        if definitions.iter().any(allows) {
            return Ok(());
        }
        let Kind {
            group,
            version,
            plural,
            ..
        } = self.kind;
        Err(format!(
            "resource \"{group}/{version}, Resource={plural}\" is not permitted as an ApplySet parent"
        ))
    }

    /// Returns the id of the set, a hash of the name, namespace and kind of the parent.
    pub fn id(&self) -> String {
        let Kind { kind, group, .. } = self.kind;
        let text = format!("{}.{}.{kind}.{group}", self.name, self.namespace);
        let hash = URL_SAFE_NO_PAD.encode(Sha256::digest(text));
        // A label's value begins and ends with a letter or a digit; this alphabet has others.
        format!("applyset-{hash}-v1")
    }

    /// Reads the set from the live parent.
    ///
    /// # Errors
    /// It is not the parent of a set, belongs to another set, or to another program.
    pub fn read(&self, live: &Value, catalogue: &Catalogue) -> Result<Extent, String> {
        let annotation = |name: &str| live["metadata"]["annotations"][name].as_str();
        let refuse = |why: String| Err(format!("ApplySet parent object \"{self}\" {why}"));
        let Some(tooling) = annotation(TOOLING) else {
            return refuse(format!(
                "already exists and is missing required annotation {TOOLING:?}"
            ));
        };
        // Only the last part is the version, and any version may continue a set; the name of a
        // program may contain slashes itself.
        let tool = tooling.rsplit_once('/').map_or(tooling, |(tool, _)| tool);
        if tool != TOOL {
            return refuse(format!(
                "already exists and is managed by tooling {tool:?} instead of {TOOL:?}"
            ));
        }
        let (label, id) = (live["metadata"]["labels"][ID].as_str(), self.id());
        match label {
            None => return refuse(format!("exists and does not have required label {ID}")),
            Some(label) if label != id => {
                return refuse(format!(
                    "exists and has incorrect value for label {ID:?} (got: {label}, want: {id})"
                ));
            }
            Some(_) => {}
        }
        let kinds = kinds(annotation(KINDS), annotation(RESOURCES), catalogue)
            .map_err(|why| format!("parsing ApplySet annotation on \"{self}\": {why}"))?;
        let mut namespaces: BTreeSet<String> = parts(annotation(NAMESPACES)).collect();
        if self.kind.namespaced {
            // The annotation lists additional namespaces only, so that most sets need none.
            namespaces.insert(self.namespace.clone());
        }
        Ok(Extent { kinds, namespaces })
    }

    /// Returns the parent as it is applied, with the labels and annotations of its set only.
    pub fn with(&self, extent: &Extent, version: &str) -> Value {
        let kinds: Vec<&str> = extent.kinds.keys().map(String::as_str).collect();
        let namespaces = extent.namespaces.iter().map(String::as_str);
        // The parent is applied server-side, so a namespace that is omitted here disappears from the live annotation,
        // and prune no longer searches it.
        let others: Vec<&str> = namespaces.filter(|n| *n != self.namespace).collect();
        let mut object = json!({
            "apiVersion": self.kind.api_version(), "kind": self.kind.kind,
            "metadata": {
                "name": self.name,
                "annotations": {
                    TOOLING: format!("{TOOL}/{version}"),
                    KINDS: kinds.join(","),
                    NAMESPACES: others.join(","),
                },
                "labels": {ID: self.id()},
            },
        });
        if !self.namespace.is_empty() {
            object["metadata"]["namespace"] = json!(self.namespace);
        }
        object
    }
}

/// Marks an object as a member of a set.
///
/// # Errors
/// It is labeled as a member of a set already.
pub fn mark(object: &mut Value, id: &str) -> Result<(), String> {
    if !object["metadata"]["labels"][PART_OF].is_null() {
        return Err(format!(
            "ApplySet label {PART_OF:?} already set in input data"
        ));
    }
    let labels = ensure(ensure(object, "metadata"), "labels");
    if let Some(labels) = labels.as_object_mut() {
        labels.insert(PART_OF, json!(id));
    }
    Ok(())
}

/// Returns the parts of a list with commas; an empty text has none.
fn parts(text: Option<&str>) -> impl Iterator<Item = String> {
    let text = text.filter(|text| !text.is_empty());
    text.into_iter()
        .flat_map(|text| text.split(','))
        .map(str::to_owned)
}

/// Returns the kinds that the annotations of a parent list.
fn kinds(
    kinds: Option<&str>,
    resources: Option<&str>,
    catalogue: &Catalogue,
) -> Result<BTreeMap<String, &'static Kind>, String> {
    let listed = |kind: &'static Kind| (kind.qualified_kind(), kind);
    // An empty annotation is a set without members. If it is absent, its predecessor applies, in which an empty value
    // counts as absent.
    if kinds.is_some() {
        let kind = |text: String| {
            let (kind, group) = text.split_once('.').unwrap_or((&text, ""));
            let found = catalogue.find_kind(group, kind);
            found.map(listed).ok_or_else(|| {
                format!(
                    "could not find mapping for kind in {KINDS:?} annotation: no matches for kind \
                     {kind:?} in group {group:?}"
                )
            })
        };
        return parts(kinds).map(kind).collect();
    }
    if resources.unwrap_or_default().is_empty() {
        return Err(format!(
            "kubectl requires the {KINDS:?} annotation to be set on all ApplySet parent objects"
        ));
    }
    let kind = |text: String| {
        let found = by_resource(&text, catalogue);
        let failed = |why| format!("invalid group resource in {RESOURCES:?} annotation: {why}");
        found.map(listed).map_err(failed)
    };
    parts(resources).map(kind).collect()
}

/// Returns the kind of a `RESOURCE[.GROUP]`.
fn by_resource(text: &str, catalogue: &Catalogue) -> Result<&'static Kind, String> {
    let (resource, group) = text.split_once('.').unwrap_or((text, ""));
    let found = catalogue.find_named(resource, group);
    found.ok_or_else(|| format!("no matches for {group}/, Resource={resource}"))
}

#[cfg(test)]
mod tests;
