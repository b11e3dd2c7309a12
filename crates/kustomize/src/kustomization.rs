//! The decoded file `kustomization.yaml`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::id::{Gvk, Id, split};
use super::spec::{FieldSpec, Selection};
use super::{KustomizeError, Result, case, mistyped};
use crate::api::json::Value;
use crate::api::yaml::{self, Mode};

/// The possible file names of a kustomization.
pub(super) const FILE_NAMES: [&str; 3] =
    ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The kind of a kustomization that changes the objects of the kustomization that includes it.
pub(super) const COMPONENT: &str = "Component";

pub(super) type Texts = BTreeMap<String, String>;

/// A parsed kustomization.
#[derive(Debug, Clone, Default, Deserialize)]
// kustomize decodes strictly, because a misspelled field must not silently change the result.
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Kustomization {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) metadata: Value,
    pub(super) openapi: Value,
    pub(super) name_prefix: String,
    pub(super) name_suffix: String,
    pub(super) namespace: String,
    pub(super) common_labels: Texts,
    pub(super) labels: Vec<Label>,
    pub(super) common_annotations: Texts,
    pub(super) patches_strategic_merge: Vec<String>,
    #[serde(rename = "patchesJson6902")]
    pub(super) patches_json6902: Vec<Patch>,
    pub(super) patches: Vec<Patch>,
    pub(super) images: Vec<Image>,
    pub(super) image_tags: Vec<Image>,
    pub(super) replacements: Vec<Replacement>,
    pub(super) replicas: Vec<Replicas>,
    pub(super) vars: Vec<Var>,
    pub(super) sort_options: Option<SortOptions>,
    pub(super) resources: Vec<String>,
    pub(super) components: Vec<String>,
    pub(super) crds: Vec<String>,
    pub(super) bases: Vec<String>,
    pub(super) config_map_generator: Vec<Generator>,
    pub(super) secret_generator: Vec<Generator>,
    pub(super) helm_globals: Value,
    pub(super) helm_charts: Vec<Value>,
    pub(super) helm_chart_inflation_generator: Vec<Value>,
    pub(super) generator_options: Option<GeneratorOptions>,
    pub(super) configurations: Vec<String>,
    pub(super) generators: Vec<String>,
    pub(super) transformers: Vec<String>,
    pub(super) validators: Vec<String>,
    pub(super) build_metadata: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Label {
    pub(super) pairs: Texts,
    pub(super) include_selectors: bool,
    pub(super) include_templates: bool,
    pub(super) fields: Vec<FieldSpec>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Patch {
    pub(super) path: String,
    pub(super) patch: String,
    pub(super) target: Option<Selection>,
    pub(super) options: BTreeMap<String, bool>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Image {
    pub(super) name: String,
    pub(super) new_name: String,
    pub(super) tag_suffix: String,
    pub(super) new_tag: String,
    pub(super) digest: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Replicas {
    pub(super) name: String,
    pub(super) count: i64,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Replacement {
    pub(super) path: String,
    pub(super) source: Option<Source>,
    pub(super) source_value: Option<String>,
    pub(super) targets: Option<Vec<Target>>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Source {
    group: String,
    version: String,
    kind: String,
    name: String,
    namespace: String,
    pub(super) field_path: String,
    pub(super) options: FieldOptions,
}

impl Source {
    pub(super) fn id(&self) -> Id {
        Id {
            gvk: Gvk::new(&self.group, &self.version, &self.kind),
            name: self.name.clone(),
            namespace: self.namespace.clone(),
        }
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Target {
    pub(super) select: Option<Selection>,
    pub(super) reject: Vec<Selection>,
    pub(super) field_paths: Vec<String>,
    pub(super) options: FieldOptions,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct FieldOptions {
    pub(super) delimiter: String,
    pub(super) index: i64,
    encoding: String,
    pub(super) create: bool,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Var {
    pub(super) name: String,
    objref: ObjectRef,
    fieldref: FieldRef,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct ObjectRef {
    api_version: String,
    group: String,
    version: String,
    kind: String,
    name: String,
    namespace: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct FieldRef {
    fieldpath: String,
}

impl Var {
    pub(super) fn id(&self) -> Id {
        let object = &self.objref;
        // `apiVersion` is the usual spelling, but kustomize itself writes `group` and `version`.
        let gvk = match split(&object.api_version) {
            (_, "") => Gvk::new(&object.group, &object.version, &object.kind),
            (group, version) => Gvk::new(group, version, &object.kind),
        };
        Id {
            gvk,
            name: object.name.clone(),
            namespace: object.namespace.clone(),
        }
    }

    pub(super) fn field(&self) -> &str {
        match self.fieldref.fieldpath.as_str() {
            "" => "metadata.name",
            path => path,
        }
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SortOptions {
    pub(super) order: String,
    pub(super) legacy_sort_options: Option<LegacyOrder>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct LegacyOrder {
    pub(super) order_first: Vec<String>,
    pub(super) order_last: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Generator {
    pub(super) name: String,
    pub(super) namespace: String,
    pub(super) behavior: String,
    pub(super) literals: Vec<String>,
    pub(super) files: Vec<String>,
    pub(super) envs: Vec<String>,
    pub(super) env: String,
    #[serde(rename = "type")]
    pub(super) secret_type: String,
    pub(super) options: GeneratorOptions,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct GeneratorOptions {
    pub(super) labels: Texts,
    pub(super) annotations: Texts,
    pub(super) disable_name_suffix_hash: bool,
    pub(super) immutable: bool,
}

impl GeneratorOptions {
    /// Merges these options with the general ones. A flag is set if either sets it.
    pub(super) fn with(mut self, general: Option<&Self>) -> Self {
        let Some(general) = general else { return self };
        for (own, other) in [
            (&mut self.labels, &general.labels),
            (&mut self.annotations, &general.annotations),
        ] {
            for (key, value) in other {
                own.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
        self.disable_name_suffix_hash |= general.disable_name_suffix_hash;
        self.immutable |= general.immutable;
        self
    }
}

impl Kustomization {
    /// Decodes the file and adds notes on deprecated fields to `warnings`.
    pub(super) fn read(text: &[u8], root: &str, warnings: &mut Vec<String>) -> Result<Self> {
        let invalid = |why: String| KustomizeError::new(format!("invalid Kustomization: {why}"));
        let documents = yaml::parse(text, Mode::Lenient).map_err(|e| invalid(bare(&e)))?;
        let first = documents.into_iter().next();
        let mut value = first.map(|d| d.value).unwrap_or_default();
        // `resources:` without entries is null, and Go leaves the field at its zero value.
        value.drop_nulls();
        // kustomize treats a file that contains only its type as empty, because building it is certainly a mistake.
        let is_empty = match &value {
            Value::Null => true,
            Value::Object(map) => map
                .keys()
                .all(|k| k == "kind" || k == "apiVersion" || k == "metadata"),
            _ => false,
        };
        if is_empty {
            return Err(KustomizeError::new("kustomization.yaml is empty"));
        }
        let wrong = mistyped::find(&value);
        // An unknown field is reported first. Helm charts are not decoded any further.
        let decoded = match (decode::<Self>(value), wrong) {
            (Err(why), _) if why.starts_with(UNKNOWN) => Err(why),
            (_, Some(wrong)) => Err(format!("json: {wrong}")),
            (decoded, None) => decoded,
        };
        let mut decoded = decoded.map_err(invalid)?;
        // Deprecated fields are noted before they move, because afterwards nothing shows that they were used.
        warnings.extend(decoded.old_fields());
        decoded.modernize();
        decoded.check(root)?;
        Ok(decoded)
    }

    fn old_fields(&self) -> Vec<String> {
        let fields = [
            (!self.bases.is_empty(), "bases", "resources"),
            (!self.image_tags.is_empty(), "imageTags", "images"),
            (
                !self.patches_json6902.is_empty(),
                "patchesJson6902",
                "patches",
            ),
            (
                !self.patches_strategic_merge.is_empty(),
                "patchesStrategicMerge",
                "patches",
            ),
            (!self.common_labels.is_empty(), "commonLabels", "labels"),
            (!self.vars.is_empty(), "vars", "replacements"),
        ];
        let used = fields.into_iter().filter(|(used, ..)| *used);
        let said = used.map(|(_, old, new)| {
            // kustomize's text marks only the conversion of `vars` as experimental.
            let careful = if old == "vars" { "[EXPERIMENTAL] " } else { "" };
            format!(
                "# Warning: '{old}' is deprecated. Please use '{new}' instead. \
                 {careful}Run 'kustomize edit fix' to update your Kustomization automatically."
            )
        });
        said.collect()
    }

    /// Moves the values of deprecated fields to their successors.
    fn modernize(&mut self) {
        if self.kind.is_empty() {
            "Kustomization".clone_into(&mut self.kind);
        }
        if self.api_version.is_empty() {
            self.required_version().clone_into(&mut self.api_version);
        }
        // Bases come after resources, the order in which kustomize accumulates them.
        self.resources.append(&mut self.bases);
        self.images.append(&mut self.image_tags);
        for generator in self
            .config_map_generator
            .iter_mut()
            .chain(&mut self.secret_generator)
        {
            if !generator.env.is_empty() {
                generator.envs.push(std::mem::take(&mut generator.env));
            }
        }
    }

    fn required_version(&self) -> &'static str {
        match self.kind.as_str() {
            COMPONENT => "kustomize.config.k8s.io/v1alpha1",
            _ => "kustomize.config.k8s.io/v1beta1",
        }
    }

    fn check(&self, root: &str) -> Result<()> {
        let mut wrong = Vec::new();
        // As in kustomize, both mistakes are reported together.
        if self.kind != "Kustomization" && self.kind != COMPONENT {
            wrong.push("kind should be Kustomization or Component".to_owned());
        }
        let version = self.required_version();
        if self.api_version != version {
            wrong.push(format!("apiVersion for {} should be {version}", self.kind));
        }
        if !wrong.is_empty() {
            let list = wrong.join("\n");
            return Err(KustomizeError::new(format!(
                "Failed to read kustomization file under {root}:\n{list}"
            )));
        }
        self.refuse_unsupported()
    }

    /// Rejects features that need external programs or a network.
    fn refuse_unsupported(&self) -> Result<()> {
        let plugins = [
            (!self.validators.is_empty(), "validators"),
            (!self.crds.is_empty(), "crds"),
        ];
        match plugins.into_iter().find(|(used, _)| *used) {
            Some((_, field)) => Err(KustomizeError::new(format!(
                "the field '{field}' of a kustomization is not supported"
            ))),
            None => Ok(()),
        }
    }
}

/// Returns the text of a YAML error without the prefix about the conversion to JSON.
pub(super) fn bare(error: &yaml::YamlError) -> String {
    let text = error.to_string();
    let step = "error converting YAML to JSON: ";
    text.strip_prefix(step).unwrap_or(&text).to_owned()
}

/// The start of Go's error about an unknown field.
const UNKNOWN: &str = "json: unknown field";

/// Decodes a part of a kustomization with the errors of Go's decoder.
pub(super) fn decode<T: DeserializeOwned>(value: Value) -> std::result::Result<T, String> {
    case::read(&value).map_err(|e| {
        let text = e.to_string();
        let unknown = text.strip_prefix("unknown field `");
        match unknown.and_then(|rest| rest.split_once('`')) {
            Some((field, _)) => format!("{UNKNOWN} \"{field}\""),
            None => format!("json: {text}"),
        }
    })
}
