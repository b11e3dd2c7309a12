//! The recursion over bases and components, and the order of steps.

use super::generate::{self, Kind};
use super::kustomization::{COMPONENT, FILE_NAMES, Kustomization};
use super::loader::{Files, Loader};
use super::metadata::{self, End};
use super::resource::Resource;
use super::resources::Resources;
use super::spec::{self, FieldSpec};
use super::table::Config;
use super::vars;
use super::{KustomizeError, Options, Order, Result};
use super::{hash, helm, images, order, patch, plugins, references, replace};
use crate::api::json::{Value, json};
use crate::api::yaml;

/// The version of kustomize in the managed-by label.
const MANAGED_BY: &str = "kustomize-v5.8.1";

/// The accumulated objects, and the configuration of the steps.
#[derive(Default)]
struct Accumulated {
    resources: Resources,
    config: Config,
    vars: Vec<vars::DeclaredVar>,
}

/// One kustomization.
struct Target<'a> {
    loader: Loader<'a>,
    file: &'static str,
    kustomization: Kustomization,
    /// The path of the kustomization relative to the top-level one; `None` if no `buildMetadata` requests origins.
    origin: Option<String>,
}

/// Builds the kustomization in a directory.
pub(super) fn build(
    files: &dyn Files,
    directory: &str,
    options: Options,
    warnings: &mut Vec<String>,
) -> Result<Vec<Value>> {
    let loader = Loader::new(files, directory, options.only_below_root)?;
    let mut target = Target::load(loader, warnings)?;
    let metadata = target.kustomization.build_metadata.clone();
    if !metadata.is_empty() {
        target.origin = Some(String::new());
    }
    // As in kustomize, only the top-level `buildMetadata` is used; bases inherit the origin.
    let mut gathered = target.gather(Accumulated::default(), warnings)?;
    let resources = &mut gathered.resources;
    // Hashes are computed after all overlays, because an overlay may merge into a generated ConfigMap, and the suffix
    // must cover the final content.
    for resource in resources.list.iter_mut().filter(|r| r.needs_hash) {
        let name = format!("{}-{}", resource.name(), hash::of(resource));
        resource.remember();
        resource.set_name(&name);
    }
    // References are updated last, because by now prefixes, suffixes and hashes have renamed the objects.
    references::fix(resources, &gathered.config.name_reference)?;
    let unused = vars::resolve(resources, &gathered.vars, &gathered.config.var_reference)?;
    if !unused.is_empty() {
        let list = unused.join(",");
        warnings.push(format!(
            "well-defined vars that were never replaced: {list}"
        ));
    }
    // Local objects may be the source of names, vars and replacements, so they are removed only after those steps.
    resources.list.retain(|r| !r.is_local());
    match (&target.kustomization.sort_options, options.order) {
        (Some(own), _) => order::sort(resources, own)?,
        (None, Order::Legacy) => order::legacy(resources),
        (None, Order::AsRead) => {}
    }
    let wants = |what: &str| metadata.iter().any(|m| m == what);
    // The label is added after sorting and hashing, so that the flag never changes a generated name.
    if options.managed_by_label || wants("managedByLabel") {
        for resource in &mut resources.list {
            let label = "app.kubernetes.io/managed-by".to_owned();
            resource.texts("labels").insert(label, json!(MANAGED_BY));
        }
    }
    for resource in &mut resources.list {
        annotate(
            resource,
            wants("originAnnotations"),
            wants("transformerAnnotations"),
        );
        resource.write_annotations_as_texts();
        let printed = resource.check_keys();
        printed.map_err(|e| e.of("map[string]interface {}(nil)"))?;
    }
    Ok(gathered
        .resources
        .list
        .into_iter()
        .map(|r| r.object)
        .collect())
}

fn annotate(resource: &mut Resource, origin: bool, transformations: bool) {
    let written = |value: &Value| json!(origin_yaml(value));
    if let Some(from) = resource.origin.take().filter(|_| origin) {
        let key = "config.kubernetes.io/origin".to_owned();
        resource.texts("annotations").insert(key, written(&from));
    }
    let list = std::mem::take(&mut resource.transformations);
    if transformations && !list.is_empty() {
        let key = "alpha.config.kubernetes.io/transformations".to_owned();
        resource
            .texts("annotations")
            .insert(key, written(&Value::Array(list.into())));
    }
}

/// Formats an origin as YAML in kustomize's order of fields, which is not alphabetical.
fn origin_yaml(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let indented = |item: &Value| {
                let text = origin_yaml(item).trim_end().replace('\n', "\n  ");
                format!("- {text}\n")
            };
            items.iter().map(indented).collect()
        }
        value => {
            let mut text = String::new();
            for field in ["path", "configuredIn", "configuredBy"] {
                if !value[field].is_null() {
                    text += &yaml::to_string(&json!({field: value[field]}));
                }
            }
            text
        }
    }
}

impl<'a> Target<'a> {
    fn load(loader: Loader<'a>, warnings: &mut Vec<String>) -> Result<Self> {
        // All three names are tried, because two files in one directory are an error: neither takes precedence.
        let found: Vec<_> = FILE_NAMES
            .into_iter()
            .filter_map(|name| Some((name, loader.load(name).ok()?)))
            .collect();
        let (file, text) = match found.as_slice() {
            [(file, text)] => (*file, text),
            [] => {
                return Err(KustomizeError::new(format!(
                    "unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '{}'",
                    loader.root()
                )));
            }
            _ => {
                return Err(KustomizeError::new(format!(
                    "Found multiple kustomization files under: {}\n",
                    loader.root()
                )));
            }
        };
        let kustomization = Kustomization::read(text, loader.root(), warnings)?;
        Ok(Self {
            loader,
            file,
            kustomization,
            origin: None,
        })
    }

    /// Accumulates the objects of the kustomization. A component continues with the objects of the kustomization that
    /// includes it.
    fn gather(&self, mut gathered: Accumulated, warnings: &mut Vec<String>) -> Result<Accumulated> {
        let kustomization = &self.kustomization;
        self.gather_resources(&mut gathered, warnings)
            .map_err(|e| e.of("accumulating resources"))?;
        // The configuration of a base also applies to its overlays, so it is merged into the accumulated one.
        let mut config = Config::builtin();
        for path in &kustomization.configurations {
            config.merge(&Config::read(&self.loader.load(path)?)?)?;
        }
        gathered.config.merge(&config)?;
        self.generate(&mut gathered.resources)?;
        // Components see the generated objects, and this kustomization's own steps see the result of the components.
        for path in &kustomization.components {
            gathered = self
                .gather_component(gathered, path, warnings)
                .map_err(|e| e.of("accumulating components"))?;
        }
        self.transform(&mut gathered)?;
        // Vars are only collected here; they are resolved at the end, against the final objects.
        vars::merge(&mut gathered.vars, kustomization.vars.iter().cloned())?;
        Ok(gathered)
    }

    fn gather_resources(
        &self,
        gathered: &mut Accumulated,
        warnings: &mut Vec<String>,
    ) -> Result<()> {
        for path in &self.kustomization.resources {
            // kustomize reads an entry as a file first and, if that fails, as a directory. The final error therefore
            // contains both attempts.
            let Err(no_file) = self.gather_file(&mut gathered.resources, path) else {
                continue;
            };
            // A file that exists but does not parse is the user's mistake; trying a directory would hide it.
            if no_file.0.contains("MalformedYAMLError") {
                return Err(no_file);
            }
            let as_directory = self.loader.below(path).and_then(|loader| {
                let below = self.enter(loader, path, false, warnings)?;
                let found = below
                    .gather(Accumulated::default(), warnings)
                    .map_err(|e| {
                        e.of(format!(
                            "recursed accumulation of path '{}'",
                            below.loader.root()
                        ))
                    })?;
                gathered
                    .resources
                    .append_all(found.resources.list)
                    .map_err(|e| {
                        e.of(format!(
                            "recursed merging from path '{}'",
                            below.loader.root()
                        ))
                    })?;
                gathered.config.merge(&found.config)?;
                vars::merge_known(&mut gathered.vars, found.vars)
            });
            as_directory.map_err(|e| e.of(format!("accumulation err='{no_file}'")))?;
        }
        Ok(())
    }

    fn gather_file(&self, resources: &mut Resources, path: &str) -> Result<()> {
        let text = self
            .loader
            .load(path)
            .map_err(|e| e.of(format!("accumulating resources from '{path}'")))?;
        let mut read = Resource::read_all(&text).map_err(|e| {
            let malformed = e.0.starts_with("MalformedYAMLError");
            let e = if malformed {
                KustomizeError::new(format!("{e} in File: {path}"))
            } else {
                e
            };
            e.of(format!("accumulating resources from '{path}'"))
        })?;
        for resource in &mut read {
            resource.origin = self
                .origin
                .as_ref()
                .map(|at| json!({"path": below(at, path)}));
        }
        // A file must not contain an object twice. kustomize reports that as it reports an unreadable file.
        let mut own = Resources::default();
        own.append_all(read)
            .map_err(|e| e.of(format!("accumulating resources from '{path}'")))?;
        resources
            .append_all(own.list)
            .map_err(|e| e.of(format!("merging resources from '{path}'")))
    }

    /// Loads the kustomization of a base or a component.
    fn enter(
        &self,
        loader: Loader<'a>,
        path: &str,
        component: bool,
        warnings: &mut Vec<String>,
    ) -> Result<Self> {
        let root = loader.root().to_owned();
        let mut target = Self::load(loader, warnings)
            .map_err(|e| e.of(format!("couldn't make target for path '{root}'")))?;
        let kind = &target.kustomization.kind;
        if component && kind != COMPONENT {
            let text = format!("expected kind '{COMPONENT}' for path '{root}' but got '{kind}'");
            return Err(KustomizeError::new(text));
        }
        if !component && kind == COMPONENT {
            let text = format!("expected kind != '{COMPONENT}' for path '{root}'");
            return Err(KustomizeError::new(text));
        }
        target.origin = self.origin.as_ref().map(|at| below(at, path));
        Ok(target)
    }

    fn gather_component(
        &self,
        gathered: Accumulated,
        path: &str,
        warnings: &mut Vec<String>,
    ) -> Result<Accumulated> {
        let loader = self
            .loader
            .below(path)
            // kustomize quotes the inner errors of components with Go's `%q`; Rust's debug format has the same
            // escapes.
            .map_err(|e| KustomizeError::new(format!("loader.New {:?}", e.0)))?;
        let entered = self.enter(loader, path, true, warnings).and_then(|below| {
            below.gather(gathered, warnings).map_err(|e| {
                e.of(format!(
                    "recursed accumulation of path '{}'",
                    below.loader.root()
                ))
            })
        });
        entered.map_err(|e| KustomizeError::new(format!("accumulateDirectory: {:?}", e.0)))
    }

    fn generate(&self, resources: &mut Resources) -> Result<()> {
        let kustomization = &self.kustomization;
        let general = kustomization.generator_options.as_ref();
        // All generators are configured before the first one runs.
        helm::refuse(kustomization)?;
        // As in kustomize, ConfigMaps come before Secrets, whatever their order in the file.
        for (kind, generators) in [
            (Kind::ConfigMap, &kustomization.config_map_generator),
            (Kind::Secret, &kustomization.secret_generator),
        ] {
            for generator in generators {
                let mut made = generate::generate(kind, generator, general, &self.loader)?;
                made.origin = self.by(&format!("{}Generator", kind.name()));
                resources
                    .absorb(made)
                    .map_err(|e| e.of("merging from generator"))?;
            }
        }
        for entry in &kustomization.generators {
            for plugin in plugins::read(entry, &self.loader)? {
                plugins::check(&plugin)
                    .map_err(|e| e.of("loading generator plugins: failed to load generator"))?;
                let mut made = plugins::generate(&plugin, general, &self.loader)?;
                made.origin = self.by(plugin.kind());
                resources
                    .absorb(made)
                    .map_err(|e| e.of("merging from generator"))?;
            }
        }
        Ok(())
    }

    /// Returns the origin annotation for a step of this kustomization.
    fn by(&self, step: &str) -> Option<Value> {
        self.origin.as_ref().map(|at| {
            let by = json!({"apiVersion": "builtin", "kind": step});
            json!({"configuredIn": below(at, self.file), "configuredBy": by})
        })
    }

    // The order of kustomize's built-in transformers. It matters: a name set by `patches` gets the prefix, a name set
    // by `patchesJson6902` does not.
    fn transform(&self, gathered: &mut Accumulated) -> Result<()> {
        let (kustomization, loader) = (&self.kustomization, &self.loader);
        let config = &gathered.config;
        let resources = &mut gathered.resources;
        for text in &kustomization.patches_strategic_merge {
            patch::apply_inline(resources, text, loader)?;
            self.note(resources, "PatchStrategicMergeTransformer");
        }
        for entry in &kustomization.patches {
            patch::apply(resources, entry, loader)?;
            self.note(resources, "PatchTransformer");
        }
        if !kustomization.namespace.is_empty() {
            metadata::set_namespace(resources, &kustomization.namespace, &config.namespace)?;
            self.note(resources, "NamespaceTransformer");
        }
        if !kustomization.name_prefix.is_empty() {
            metadata::add_to_names(
                resources,
                &kustomization.name_prefix,
                End::Prefix,
                &config.name_prefix,
            )?;
            self.note(resources, "PrefixTransformer");
        }
        if !kustomization.name_suffix.is_empty() {
            metadata::add_to_names(
                resources,
                &kustomization.name_suffix,
                End::Suffix,
                &config.name_suffix,
            )?;
            self.note(resources, "SuffixTransformer");
        }
        self.label(resources, config)?;
        for entry in &kustomization.patches_json6902 {
            patch::apply_json(resources, entry, loader)?;
            self.note(resources, "PatchJson6902Transformer");
        }
        for entry in &kustomization.replicas {
            metadata::set_replicas(resources, entry, &config.replicas)?;
            self.note(resources, "ReplicaCountTransformer");
        }
        for entry in &kustomization.images {
            images::change(resources, entry, &config.images)?;
            self.note(resources, "ImageTagTransformer");
        }
        for entry in &kustomization.replacements {
            replace::apply(resources, entry, loader)?;
        }
        if !kustomization.replacements.is_empty() {
            self.note(resources, "ReplacementTransformer");
        }
        // As in kustomize, transformers from files run after those of the kustomization's own fields.
        for entry in &kustomization.transformers {
            for plugin in plugins::read(entry, loader)? {
                plugins::check(&plugin)?;
                plugins::transform(&plugin, resources, loader)?;
                self.note(resources, plugin.kind());
            }
        }
        Ok(())
    }

    fn label(&self, resources: &mut Resources, config: &Config) -> Result<()> {
        let kustomization = &self.kustomization;
        for label in &kustomization.labels {
            let mut specs = label.fields.clone();
            if label.include_selectors {
                // Labels in selectors are also added to templates; otherwise, a workload would not select its own
                // Pods.
                spec::merge(&mut specs, &config.common_labels)?;
            } else {
                if label.include_templates {
                    spec::merge(&mut specs, &config.template_labels)?;
                }
                spec::merge(&mut specs, &config.labels)?;
                spec::merge(&mut specs, &[FieldSpec::everywhere("metadata/labels")])?;
            }
            for resource in &mut resources.list {
                metadata::add_texts(resource, &label.pairs, &specs)?;
            }
            self.note(resources, "LabelTransformer");
        }
        let whole = [
            (
                &kustomization.common_labels,
                &config.common_labels,
                "LabelTransformer",
            ),
            (
                &kustomization.common_annotations,
                &config.common_annotations,
                "AnnotationsTransformer",
            ),
        ];
        for (texts, specs, step) in whole {
            if texts.is_empty() {
                continue;
            }
            for resource in &mut resources.list {
                metadata::add_texts(resource, texts, specs)?;
            }
            self.note(resources, step);
        }
        Ok(())
    }

    /// Records a step for every object that went through it, even if the object did not change.
    fn note(&self, resources: &mut Resources, step: &str) {
        let Some(by) = self.by(step) else { return };
        for resource in &mut resources.list {
            resource.transformations.push(by.clone());
        }
    }
}

/// Joins two paths for an origin annotation.
fn below(at: &str, path: &str) -> String {
    let whole = if at.is_empty() {
        path.to_owned()
    } else {
        format!("{at}/{path}")
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            // Unlike the path of a file, an origin may be above the top-level kustomization, so leading `..` are kept.
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}
