//! The identity of an object: group, version, kind, namespace and name.

use std::fmt;

use serde::Deserialize;

use crate::api::json::Value;
use crate::kinds;

/// The placeholder that kustomize prints for the namespace of a cluster-scoped object.
const NO_NAMESPACE: &str = "_non_namespaceable_";

/// A kind, or a selection of kinds in which an empty part matches anything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Gvk {
    #[serde(default)]
    pub(super) group: String,
    #[serde(default)]
    pub(super) version: String,
    #[serde(default)]
    pub(super) kind: String,
}

impl Gvk {
    pub(super) fn new(group: &str, version: &str, kind: &str) -> Self {
        Self {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
        }
    }

    pub(super) fn from_object(object: &Value) -> Self {
        let api_version = object["apiVersion"].as_str().unwrap_or_default();
        let (group, version) = split(api_version);
        Self::new(group, version, object["kind"].as_str().unwrap_or_default())
    }

    pub(super) fn api_version(&self) -> String {
        match self.group.as_str() {
            "" => self.version.clone(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// Returns true if the kind matches all the parts of `choice` that are set.
    pub(super) fn is_selected(&self, choice: &Self) -> bool {
        let fits = |own: &str, wanted: &str| wanted.is_empty() || own == wanted;
        fits(&self.group, &choice.group)
            && fits(&self.version, &choice.version)
            && fits(&self.kind, &choice.kind)
    }

    /// Returns true for a built-in, cluster-scoped kind.
    pub(super) fn is_cluster_scoped(&self) -> bool {
        // As in kustomize, an unknown kind counts as namespaced, even if its CRD is next to the object.
        kinds::find(&self.group, &self.version, &self.kind).is_some_and(|kind| !kind.namespaced)
    }
}

impl fmt::Display for Gvk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or = |text: &str, none: &str| {
            if text.is_empty() {
                none.to_owned()
            } else {
                text.to_owned()
            }
        };
        let kind = or(&self.kind, "[noKind]");
        let version = or(&self.version, "[noVer]");
        write!(f, "{kind}.{version}.{}", or(&self.group, "[noGrp]"))
    }
}

/// Splits an `apiVersion` into group and version.
pub(super) fn split(api_version: &str) -> (&str, &str) {
    // The core group has no name: `v1` is just a version.
    api_version.split_once('/').unwrap_or(("", api_version))
}

/// The identity of an object, or a selection of objects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Id {
    pub(super) gvk: Gvk,
    pub(super) name: String,
    pub(super) namespace: String,
}

impl Id {
    pub(super) fn from_object(object: &Value) -> Self {
        let text = |field: &str| {
            object["metadata"][field]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        Self {
            gvk: Gvk::from_object(object),
            name: text("name"),
            namespace: text("namespace"),
        }
    }

    /// Returns the namespace that the object will be in.
    pub(super) fn effective_namespace(&self) -> &str {
        if self.gvk.is_cluster_scoped() {
            NO_NAMESPACE
        // To kubectl, no namespace and `default` are the same, so two such objects must collide.
        } else if self.namespace.is_empty() {
            "default"
        } else {
            &self.namespace
        }
    }

    pub(super) fn same_namespace(&self, other: &Self) -> bool {
        self.effective_namespace() == other.effective_namespace()
    }

    /// Returns true if both identify the same object.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.name == other.name && self.gvk == other.gvk && self.same_namespace(other)
    }

    /// Returns true if the identity matches all the parts of `choice` that are set.
    pub(super) fn is_selected(&self, choice: &Self) -> bool {
        (choice.name.is_empty() || choice.name == self.name)
            && (choice.namespace.is_empty() || choice.same_namespace(self))
            && self.gvk.is_selected(&choice.gvk)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or = |text: &str, none: &str| {
            if text.is_empty() {
                none.to_owned()
            } else {
                text.to_owned()
            }
        };
        let name = or(&self.name, "[noName]");
        write!(f, "{}/{name}.{}", self.gvk, or(&self.namespace, "[noNs]"))
    }
}
