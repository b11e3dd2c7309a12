//! One version of the kind that a CustomResourceDefinition describes.

use std::cmp::Ordering;
use std::sync::OnceLock;

use crate::api::json::Value;
use crate::columns::path::is_json_path;
use crate::kind::Kind;
use crate::tree::{at, field, flag, has, list, text, texts};
use crate::versions::by_version;

/// A custom kind at one version.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_kinds::custom::{CustomKind, Scale};
///
/// let definition = json!({"spec": {
///     "group": "example.com", "scope": "Namespaced",
///     "names": {"kind": "Disk", "listKind": "DiskList", "plural": "disks", "singular": "disk"},
///     "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}},
///         "subresources": {"scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}}}],
/// }});
/// let kinds = CustomKind::from_definition(&definition);
/// assert_eq!(kinds[0].api_version(), "example.com/v1");
/// let scale: &Scale = kinds[0].scale.as_ref().unwrap();
/// assert_eq!(scale.spec_replicas, ".spec.n");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomKind {
    /// The API group.
    pub group: String,
    /// The API version.
    pub version: String,
    /// The name of the kind.
    pub kind: String,
    /// The name of the kind of lists.
    pub list_kind: String,
    /// The name of the resource.
    pub plural: String,
    /// The singular name of the resource.
    pub singular: String,
    /// The short names.
    pub short_names: Vec<String>,
    /// The categories.
    pub categories: Vec<String>,
    /// True if the kind is namespaced.
    pub namespaced: bool,
    /// True if the version is served.
    pub served: bool,
    /// True if objects are stored at this version.
    pub storage: bool,
    /// True if the status is a subresource.
    pub has_status: bool,
    /// The paths of the replicas if the kind is scalable.
    pub scale: Option<Scale>,
    /// The `additionalPrinterColumns` of the version, for [`crate::columns::custom`].
    pub columns: Vec<Value>,
    /// The paths that field selectors may use, such as `spec.color`.
    pub selectable_fields: Vec<String>,
    /// The `openAPIV3Schema` of the version.
    pub schema: Value,
    /// The webhook that converts objects between versions; null if conversion changes only the `apiVersion`.
    pub conversion: Value,
    /// The warning for clients if the version is deprecated.
    pub deprecation: Option<String>,
    /// True if the definition is terminating, so that new objects are rejected.
    pub terminating: bool,
    has_rules: bool,
    /// All versions of the kind.
    pub(super) family: Family,
}

/// All versions of a definition, set once when its kinds are created.
#[derive(Debug, Clone, Default)]
pub(super) struct Family(pub(super) OnceLock<&'static [Kind]>);

/// Equal definitions lead to equal kinds, so the links between versions are not compared.
impl PartialEq for Family {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Family {}

/// The paths that `scale` reads and writes in a custom resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scale {
    /// The path of the desired number of replicas.
    pub spec_replicas: String,
    /// The path of the current number of replicas.
    pub status_replicas: String,
    /// The path of the label selector in its string form.
    pub label_selector: Option<String>,
}

impl CustomKind {
    /// Returns the versions of a definition, in its order. The defaults of the definition must be set.
    pub fn from_definition(definition: &Value) -> Vec<Self> {
        let spec = field(definition, "spec");
        let accepted = at(definition, &["status", "acceptedNames"]);
        // Discovery shows only accepted names. Until names are accepted, the kind is not served, so the names of the
        // spec stand in.
        let names = match text(accepted, "plural") {
            "" => field(spec, "names"),
            _ => accepted,
        };
        let versions = list(spec, "versions").iter();
        let terminating = has(field(definition, "metadata"), "deletionTimestamp");
        let version = |version| Self {
            terminating,
            ..Self::version(spec, names, version)
        };
        versions.map(version).collect()
    }

    fn version(spec: &Value, names: &Value, version: &Value) -> Self {
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
            scale: Scale::from_scale(field(subresources, "scale")),
            // Upstream's table ends before a column whose path cannot be parsed.
            columns: list(version, "additionalPrinterColumns")
                .iter()
                .take_while(|column| is_json_path(text(column, "jsonPath")))
                .cloned()
                .collect(),
            selectable_fields: selectable
                // Clients write field selectors without the leading dot.
                .map(|f| text(f, "jsonPath").trim_start_matches('.').to_owned())
                .collect(),
            schema: at(version, &["schema", "openAPIV3Schema"]).clone(),
            conversion: match text(field(spec, "conversion"), "strategy") {
                "Webhook" => at(spec, &["conversion", "webhook"]).clone(),
                _ => Value::Null,
            },
            deprecation: deprecation(spec, names, version),
            terminating: false,
            // Look for rules once per definition, so that writes to kinds without rules never start an evaluation.
            has_rules: mentions(at(version, &["schema"]), "x-kubernetes-validations"),
            family: Family::default(),
        }
    }

    /// Returns all versions of the kind, in the order of the definition.
    pub fn versions(&self) -> &'static [Kind] {
        self.family.0.get().copied().unwrap_or_default()
    }

    /// Returns true if the schema has CEL rules.
    pub fn has_rules(&self) -> bool {
        self.has_rules
    }

    /// Returns the version at which objects are stored.
    pub fn stored_as(&self) -> Option<&'static Kind> {
        let mut versions = self.versions().iter();
        versions.find(|kind| kind.custom.is_some_and(|custom| custom.storage))
    }

    /// Returns the `apiVersion` of objects.
    pub fn api_version(&self) -> String {
        format!("{}/{}", self.group, self.version)
    }
}

fn mentions(schema: &Value, name: &str) -> bool {
    match schema {
        Value::Object(map) => map
            .iter()
            .any(|(key, inner)| key == name || mentions(inner, name)),
        Value::Array(items) => items.iter().any(|item| mentions(item, name)),
        _ => false,
    }
}

/// Returns the warning for a deprecated version: that of the definition, or the default.
fn deprecation(spec: &Value, names: &Value, version: &Value) -> Option<String> {
    if !flag(version, "deprecated") {
        return None;
    }
    let usual = || {
        let (group, name) = (text(spec, "group"), text(version, "name"));
        let kind = text(names, "kind");
        // `defaultDeprecationWarning` recommends the newest served version above this one. An older version is no
        // replacement, even if it is not deprecated.
        let newer = |v: &&Value| {
            let is_current = flag(v, "served") && !flag(v, "deprecated");
            is_current && by_version(text(v, "name"), name) == Ordering::Less
        };
        let newer = list(spec, "versions").iter().filter(newer);
        let newest = newer
            .map(|v| text(v, "name"))
            .min_by(|a, b| by_version(a, b));
        let instead = newest.map(|v| format!("; use {group}/{v} {kind}"));
        format!(
            "{group}/{name} {kind} is deprecated{}",
            instead.unwrap_or_default()
        )
    };
    let own = version.get("deprecationWarning").and_then(Value::as_str);
    Some(own.map_or_else(usual, str::to_owned))
}

impl Scale {
    fn from_scale(scale: &Value) -> Option<Self> {
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
