//! Sets namespaces, name prefixes and suffixes, labels, annotations and replicas.

use super::id::Gvk;
use super::kustomization::{Replicas, Texts};
use super::resource::Resource;
use super::resources::Resources;
use super::spec::FieldSpec;
use super::{KustomizeError, Result};
use crate::api::json::{Value, json};

/// Moves every namespaced object into a namespace.
pub(super) fn set_namespace(
    resources: &mut Resources,
    namespace: &str,
    specs: &[FieldSpec],
) -> Result<()> {
    let value = json!(namespace);
    for at in 0..resources.list.len() {
        let resource = &mut resources.list[at];
        // Recorded for cluster-scoped objects as well, because references look at the earlier identities of every
        // object.
        resource.remember();
        let gvk = Gvk::from_object(&resource.object);
        if !gvk.is_cluster_scoped() {
            resource
                .metadata()
                .insert("namespace".to_owned(), value.clone());
        }
        let is_binding = ["RoleBinding", "ClusterRoleBinding"].contains(&gvk.kind.as_str());
        if is_binding {
            set_default_accounts(&mut resource.object, &value);
        }
        for spec in specs {
            // These fields are handled above, or have conditions that a field spec cannot express: only the core
            // `Namespace` is named after its namespace, not a kind of that name in another group.
            let is_special = spec.path == "metadata/namespace"
                || (is_binding && spec.path == "subjects")
                || (spec.path == "metadata/name" && gvk.api_version() != "v1");
            if !is_special {
                set(&mut resource.object, spec, &value)?;
            }
        }
        // Objects of different namespaces may now collide. kustomize checks after each object, which decides which of
        // them is reported.
        let id = resources.list[at].id();
        let same: Vec<String> = resources
            .list
            .iter()
            .filter(|r| r.id().is(&id))
            .map(|r| r.object.to_string())
            .collect();
        if same.len() != 1 {
            return Err(KustomizeError::new(format!(
                "namespace transformation produces ID conflict: [{}]",
                same.join(" ")
            )));
        }
    }
    Ok(())
}

/// Moves only subjects named `default`; other service accounts follow their objects as references.
fn set_default_accounts(object: &mut Value, namespace: &Value) {
    for subject in object["subjects"].as_array_mut().into_iter().flatten() {
        if subject["name"] == "default" {
            subject["namespace"] = namespace.clone();
        }
    }
}

fn set(object: &mut Value, spec: &FieldSpec, value: &Value) -> Result<()> {
    spec.apply(object, Some(&json!("")), &mut |field| {
        if field.is_object() || field.is_array() {
            return Err(KustomizeError::new("wrong node kind: expected ScalarNode"));
        }
        *field = value.clone();
        Ok(())
    })
}

/// An end of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Prefix,
    Suffix,
}

/// Adds a prefix or suffix to all names.
pub(super) fn add_to_names(
    resources: &mut Resources,
    text: &str,
    end: End,
    specs: &[FieldSpec],
) -> Result<()> {
    for resource in &mut resources.list {
        let id = resource.original_id();
        // A prefix would break these names: a CRD's must be `plural.group` and an APIService's `version.group`, and
        // any object may refer to a Namespace.
        let is_fixed = ["CustomResourceDefinition", "Namespace"].contains(&id.gvk.kind.as_str())
            || (id.gvk.kind == "APIService" && id.gvk.group == "apiregistration.k8s.io");
        if is_fixed {
            continue;
        }
        for spec in specs.iter().filter(|spec| id.gvk.is_selected(&spec.gvk())) {
            if spec.path == "metadata/name" {
                match end {
                    End::Prefix => resource.prefixes.push(text.to_owned()),
                    End::Suffix => resource.suffixes.push(text.to_owned()),
                }
                resource.remember();
            }
            spec.apply(&mut resource.object, None, &mut |field| {
                if let Value::String(name) = field {
                    *field = match end {
                        End::Prefix => json!(format!("{text}{name}")),
                        End::Suffix => json!(format!("{name}{text}")),
                    };
                }
                Ok(())
            })?;
        }
    }
    Ok(())
}

/// Adds labels or annotations to the maps in these fields.
pub(super) fn add_texts(resource: &mut Resource, texts: &Texts, specs: &[FieldSpec]) -> Result<()> {
    for spec in specs {
        for (key, value) in texts {
            spec.apply(&mut resource.object, Some(&json!({})), &mut |field| {
                let map = field
                    .as_object_mut()
                    .ok_or_else(|| KustomizeError::new("wrong node kind: expected MappingNode"))?;
                map.insert(key.clone(), json!(value));
                Ok(())
            })?;
        }
    }
    Ok(())
}

/// Sets the replicas of the objects that have, or had, this name.
pub(super) fn set_replicas(
    resources: &mut Resources,
    replicas: &Replicas,
    specs: &[FieldSpec],
) -> Result<()> {
    let mut found = false;
    for spec in specs {
        let choice = spec.gvk();
        for resource in &mut resources.list {
            let fits = resource
                .ids()
                .iter()
                .any(|id| id.name == replicas.name && id.gvk.is_selected(&choice));
            if fits {
                found = true;
                set(&mut resource.object, spec, &json!(replicas.count))?;
            }
        }
    }
    // A name without a match is probably a typo, so kustomize returns an error.
    if found {
        return Ok(());
    }
    let kinds: Vec<String> = specs.iter().map(|spec| spec.gvk().to_string()).collect();
    Err(KustomizeError::new(format!(
        "resource with name {} does not match a config with the following GVK [{}]",
        replicas.name,
        kinds.join(" ")
    )))
}
