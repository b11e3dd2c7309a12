//! ApplySets: labels and annotations of a parent object and its members record which objects belong to a set
//! (KEP-3659).
//!
//! Must not know the storage of objects or the caller.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use super::catalogue::Catalogue;
use super::kind::Kind;
use super::tree::ensure;
use crate::api::json::{Value, json};

/// The label of a parent with the id of its set.
pub const ID: &str = "applyset.kubernetes.io/id";
/// The label of a member with the id of its set.
pub const PART_OF: &str = "applyset.kubernetes.io/part-of";
/// The label of a CustomResourceDefinition whose objects may be parents.
pub const PARENT_TYPE: &str = "applyset.kubernetes.io/is-parent-type";
/// The annotation of a parent with the program that manages the set, and its version.
const TOOLING: &str = "applyset.kubernetes.io/tooling";
/// The annotation of a parent with the kinds of the members.
const KINDS: &str = "applyset.kubernetes.io/contains-group-kinds";
/// The annotation that preceded [`KINDS`], with the resources of the members.
const RESOURCES: &str = "applyset.kubernetes.io/contains-group-resources";
/// The annotation of a parent with the namespaces of the members, except the parent's own.
const NAMESPACES: &str = "applyset.kubernetes.io/additional-namespaces";

/// The program that manages sets created here.
const TOOL: &str = "kubectl";
/// The field manager of the labels and annotations of parents.
pub const FIELD_MANAGER: &str = "kubectl-applyset";

/// The kinds and namespaces in which a set may have members.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extent {
    // Sorted like the lists in kubectl's annotations, so that an unchanged set does not change its parent.
    kinds: BTreeMap<String, &'static Kind>,
    namespaces: BTreeSet<String>,
}

impl Extent {
    /// Adds the kind and the namespace of a member.
    pub fn add(&mut self, kind: &'static Kind, namespace: &str) {
        self.kinds.entry(kind.qualified_kind()).or_insert(kind);
        if kind.namespaced && !namespace.is_empty() {
            self.namespaces.insert(namespace.to_owned());
        }
    }

    /// Returns the union of two extents.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.kinds
            .extend(other.kinds.iter().map(|(k, v)| (k.clone(), *v)));
        both.namespaces.extend(other.namespaces.iter().cloned());
        both
    }

    /// Returns the pairs of a kind and a namespace that may contain members.
    ///
    /// # Errors
    /// Returns an error if the name of a namespace is empty.
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
    /// The kind of the parent.
    pub kind: &'static Kind,
    /// The namespace of the parent; empty if it has none or none was given.
    pub namespace: String,
    /// The name of the parent.
    pub name: String,
}

impl fmt::Display for Parent {
    /// Formats the parent as kubectl's messages do, with a dot even if there is no group.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Kind { plural, group, .. } = self.kind;
        write!(f, "{plural}.{group}/{}", self.name)
    }
}

impl Parent {
    /// Returns the parent that `[RESOURCE[.GROUP]/]NAME` stands for, without its namespace. The resource defaults to
    /// Secrets.
    ///
    /// # Errors
    /// Returns an error if the resource does not exist or the name is missing.
    pub fn parse(text: &str, catalogue: &Catalogue) -> Result<Self, String> {
        // This is kubectl's default for `--applyset=NAME`. Secrets exist in every cluster without a
        // CustomResourceDefinition.
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

    /// Returns true if objects of the kind may be parents without a CustomResourceDefinition that allows it. Such
    /// parents are created if they are missing.
    pub fn is_built_in(&self) -> bool {
        // These are the kinds that hold data: Secrets and ConfigMaps.
        self.kind.referred_to_by().is_some()
    }

    /// Checks that one of `definitions` allows objects of the kind as parents.
    ///
    /// # Errors
    /// Returns an error if none does.
    pub fn check_definitions(&self, definitions: &[Value]) -> Result<(), String> {
        let own = self.kind.qualified_resource();
        let allows = |d: &Value| {
            // kubectl selects definitions by the existence of the label, so its value does not matter.
            let marked = !d["metadata"]["labels"][PARENT_TYPE].is_null();
            // The API server requires the name PLURAL.GROUP, so the name of a definition identifies the resource.
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

    /// Returns the id of the set: a hash of the name, namespace and kind of the parent.
    pub fn id(&self) -> String {
        let Kind { kind, group, .. } = self.kind;
        let text = format!("{}.{}.{kind}.{group}", self.name, self.namespace);
        let hash = URL_SAFE_NO_PAD.encode(Sha256::digest(text));
        // A label value must begin and end with a letter or a digit, which the alphabet of the hash does not ensure.
        format!("applyset-{hash}-v1")
    }

    /// Reads the extent of the set from its live parent.
    ///
    /// # Errors
    /// Returns an error if the object is no parent, or if its set has another id or is managed by another program.
    pub fn read(&self, live: &Value, catalogue: &Catalogue) -> Result<Extent, String> {
        let annotation = |name: &str| live["metadata"]["annotations"][name].as_str();
        let refuse = |why: String| Err(format!("ApplySet parent object \"{self}\" {why}"));
        let Some(tooling) = annotation(TOOLING) else {
            return refuse(format!(
                "already exists and is missing required annotation {TOOLING:?}"
            ));
        };
        // Only the last part is the version, because the name of a program may contain slashes. Any version may
        // continue a set.
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
            // The annotation lists only additional namespaces, so most sets need none.
            namespaces.insert(self.namespace.clone());
        }
        Ok(Extent { kinds, namespaces })
    }

    /// Returns the parent as it is applied: only the labels and annotations of its set.
    pub fn with(&self, extent: &Extent, version: &str) -> Value {
        let kinds: Vec<&str> = extent.kinds.keys().map(String::as_str).collect();
        let namespaces = extent.namespaces.iter().map(String::as_str);
        // The parent is applied server-side, so a namespace that is omitted here disappears from the live annotation,
        // and pruning no longer searches it.
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
/// Returns an error if the object is already labeled as a member of a set.
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

/// Splits a comma-separated list; an empty string has no parts.
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
    // An empty annotation means a set without members. Only if it is absent does its predecessor apply, which counts
    // as absent if it is empty.
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

/// Returns the kind for `RESOURCE[.GROUP]`.
fn by_resource(text: &str, catalogue: &Catalogue) -> Result<&'static Kind, String> {
    let (resource, group) = text.split_once('.').unwrap_or((text, ""));
    let found = catalogue.find_named(resource, group);
    found.ok_or_else(|| format!("no matches for {group}/, Resource={resource}"))
}

#[cfg(test)]
mod tests;
