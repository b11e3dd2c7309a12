//! What a custom resource definition says of one version of its kind.

use serde_json::Value;

use crate::kinds::tree::{at, field, flag, has, list, text, texts};

/// A kind made by a custom resource definition, at one version.
#[derive(Debug, Clone, PartialEq)]
pub struct CustomKind {
    /// API group.
    pub group: String,
    /// API version.
    pub version: String,
    /// Kind name.
    pub kind: String,
    /// Kind name of lists.
    pub list_kind: String,
    /// Resource name.
    pub plural: String,
    /// Singular resource name.
    pub singular: String,
    /// Short names.
    pub short_names: Vec<String>,
    /// Categories.
    pub categories: Vec<String>,
    /// Whether its objects live in a namespace.
    pub namespaced: bool,
    /// Whether the version is served.
    pub served: bool,
    /// Whether objects are stored at this version.
    pub storage: bool,
    /// Whether status is written through its own path.
    pub has_status: bool,
    /// Where the replicas are, if the kind can be scaled.
    pub scale: Option<Scale>,
    /// The version's `additionalPrinterColumns`, for [`crate::kinds::columns::custom`].
    pub columns: Vec<Value>,
    /// Paths that field selectors may use, such as `spec.color`.
    pub selectable_fields: Vec<String>,
    /// The version's `openAPIV3Schema`.
    pub schema: Value,
}

/// The paths by which a custom resource is scaled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scale {
    /// Where the wanted number is.
    pub spec_replicas: String,
    /// Where the actual number is.
    pub status_replicas: String,
    /// Where the selector is, as text.
    pub label_selector: Option<String>,
}

impl CustomKind {
    /// The versions that a definition makes, in its order. The definition must be defaulted.
    pub fn of(definition: &Value) -> Vec<Self> {
        let spec = field(definition, "spec");
        let versions = list(spec, "versions").iter();
        versions
            .map(|version| Self::version(spec, version))
            .collect()
    }

    fn version(spec: &Value, version: &Value) -> Self {
        let names = field(spec, "names");
        let owned = |name: &str| texts(names, name).map(str::to_owned).collect();
        let subresources = field(version, "subresources");
        let selectable = list(version, "selectableFields").iter();
        Self {
            group: text(spec, "group").to_owned(),
            version: text(version, "name").to_owned(),
            kind: text(names, "kind").to_owned(),
            list_kind: text(names, "listKind").to_owned(),
            plural: text(names, "plural").to_owned(),
            singular: text(names, "singular").to_owned(),
            short_names: owned("shortNames"),
            categories: owned("categories"),
            namespaced: text(spec, "scope") == "Namespaced",
            served: flag(version, "served"),
            storage: flag(version, "storage"),
            has_status: has(subresources, "status"),
            scale: Scale::of(field(subresources, "scale")),
            columns: list(version, "additionalPrinterColumns").to_vec(),
            selectable_fields: selectable
                .map(|f| text(f, "jsonPath").trim_start_matches('.').to_owned())
                .collect(),
            schema: at(version, &["schema", "openAPIV3Schema"]).clone(),
        }
    }

    /// `apiVersion` as objects carry it.
    pub fn api_version(&self) -> String {
        format!("{}/{}", self.group, self.version)
    }
}

impl Scale {
    fn of(scale: &Value) -> Option<Self> {
        if scale.is_null() {
            return None;
        }
        let path = |name: &str| text(scale, name).to_owned();
        Some(Self {
            spec_replicas: path("specReplicasPath"),
            status_replicas: path("statusReplicasPath"),
            label_selector: has(scale, "labelSelectorPath").then(|| path("labelSelectorPath")),
        })
    }
}
