//! Built-in steps configured in separate files, which `generators` and `transformers` refer to. kustomize calls them
//! plugins.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::kustomization::{
    self, Generator, GeneratorOptions, Image, Patch, Replacement, Replicas, Texts,
};
use super::loader::Loader;
use super::metadata::{self, End};
use super::resource::Resource;
use super::resources::Resources;
use super::spec::{FieldSpec, Selection};
use super::{KustomizeError, Result, generate, images, patch, replace};
use crate::api::json::Value;

/// Reads the configurations, inline or from a file, of an entry of `generators` or `transformers`.
pub(super) fn read(entry: &str, loader: &Loader<'_>) -> Result<Vec<Resource>> {
    // A file name has one line, so an entry of several lines is inline YAML.
    let text = match entry.contains('\n') {
        true => entry.as_bytes().to_vec(),
        false => loader
            .load(entry)
            .map_err(|e| e.of(format!("accumulating resources from '{entry}'")))?,
    };
    Resource::read_all(&text)
}

/// Rejects a configuration that kustomize cannot decode.
pub(super) fn check(plugin: &Resource) -> Result<()> {
    let checked = plugin.check_keys();
    checked.map_err(|e| e.of(format!("marshalling yaml from res {}", plugin.id())))
}

/// The fields that all plugins have in common.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Common {
    field_specs: Vec<FieldSpec>,
    prefix: String,
    suffix: String,
    labels: Texts,
    annotations: Texts,
    image_tag: Image,
    replica: Replicas,
    replacements: Vec<Replacement>,
    path: String,
    json_op: String,
    target: Option<Selection>,
    paths: Vec<String>,
    patches: String,
}

/// Runs a transformer on the objects accumulated so far.
pub(super) fn transform(
    plugin: &Resource,
    resources: &mut Resources,
    loader: &Loader<'_>,
) -> Result<()> {
    let kind = builtin(plugin)?.to_owned();
    let config: Common = decoded(plugin)?;
    let specs = &config.field_specs;
    match kind.as_str() {
        "PrefixTransformer" => {
            metadata::add_to_names(resources, &config.prefix, End::Prefix, specs)
        }
        "SuffixTransformer" => {
            metadata::add_to_names(resources, &config.suffix, End::Suffix, specs)
        }
        "PrefixSuffixTransformer" => {
            metadata::add_to_names(resources, &config.prefix, End::Prefix, specs)?;
            metadata::add_to_names(resources, &config.suffix, End::Suffix, specs)
        }
        "NamespaceTransformer" => metadata::set_namespace(resources, plugin.namespace(), specs),
        "LabelTransformer" => texts(resources, &config.labels, specs),
        "AnnotationsTransformer" => texts(resources, &config.annotations, specs),
        "ImageTagTransformer" => images::change(resources, &config.image_tag, specs),
        "ReplicaCountTransformer" => metadata::set_replicas(resources, &config.replica, specs),
        "ReplacementTransformer" => {
            let mut all = config.replacements.iter();
            all.try_for_each(|entry| replace::apply(resources, entry, loader))
        }
        "PatchTransformer" => {
            let entry: Patch = kustomization::decode(own(plugin)).map_err(KustomizeError::new)?;
            patch::apply(resources, &entry, loader)
        }
        "PatchJson6902Transformer" => {
            let entry = Patch {
                path: config.path,
                patch: config.json_op,
                target: config.target,
                ..Patch::default()
            };
            patch::apply_json(resources, &entry, loader)
        }
        "PatchStrategicMergeTransformer" => {
            let inline = Some(config.patches).filter(|text| !text.is_empty());
            let mut all = config.paths.iter().chain(&inline);
            all.try_for_each(|text| patch::apply_inline(resources, text, loader))
        }
        other => Err(unknown(other)),
    }
}

/// Generates the object of a generator.
pub(super) fn generate(
    plugin: &Resource,
    general: Option<&GeneratorOptions>,
    loader: &Loader<'_>,
) -> Result<Resource> {
    let kind = match builtin(plugin)? {
        "ConfigMapGenerator" => generate::Kind::ConfigMap,
        "SecretGenerator" => generate::Kind::Secret,
        other => return Err(unknown(other)),
    };
    let mut generator: Generator =
        kustomization::decode(own(plugin)).map_err(KustomizeError::new)?;
    plugin.name().clone_into(&mut generator.name);
    plugin.namespace().clone_into(&mut generator.namespace);
    generate::generate(kind, &generator, general, loader)
}

fn texts(resources: &mut Resources, texts: &Texts, specs: &[FieldSpec]) -> Result<()> {
    let mut all = resources.list.iter_mut();
    all.try_for_each(|resource| metadata::add_texts(resource, texts, specs))
}

/// Returns the kind of a built-in plugin. All others are external programs, which kubectl does not run either.
fn builtin(plugin: &Resource) -> Result<&str> {
    match plugin.object["apiVersion"].as_str() {
        Some("builtin") => Ok(plugin.kind()),
        _ => Err(KustomizeError::new(format!(
            "external plugins disabled; unable to load external plugin '{}'",
            plugin.kind()
        ))),
    }
}

fn unknown(kind: &str) -> KustomizeError {
    KustomizeError::new(format!("the builtin plugin '{kind}' is not supported"))
}

/// Returns the plugin's fields without those of its identity.
fn own(plugin: &Resource) -> Value {
    let mut value = plugin.object.clone();
    if let Some(map) = value.as_object_mut() {
        map.retain(|name, _| !["apiVersion", "kind", "metadata"].contains(&name.as_ref()));
    }
    value
}

fn decoded<T: DeserializeOwned>(plugin: &Resource) -> Result<T> {
    kustomization::decode(own(plugin)).map_err(KustomizeError::new)
}
