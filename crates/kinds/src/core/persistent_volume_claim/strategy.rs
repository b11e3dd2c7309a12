//! Prepares a PersistentVolumeClaim: it starts as pending, is protected while a Pod uses it, and has both fields for
//! its data source.

use crate::admission::{AdmissionContext, finalizer};
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::strategy::WriteContext;
use crate::tree::{ensure, field, has, set, take, text};

/// Marks a new claim as pending and sets both fields for its data source.
pub(super) fn prepare_create(object: &mut Value, _: &WriteContext<'_>) {
    set(object, "status", json!({"phase": "Pending"}));
    data_sources(object, &Value::Null);
}

/// Makes the old and the new field for the data source agree unless both are set.
pub(super) fn data_sources(object: &mut Value, old: &Value) {
    let spec = ensure(object, "spec");
    let is_namespaced = |spec: &Value| has(field(spec, "dataSourceRef"), "namespace");
    let mut namespaced = is_namespaced(spec);
    // `CrossNamespaceVolumeDataSource` is off by default, so drop the whole reference.
    if namespaced && !is_namespaced(field(old, "spec")) {
        take(spec, "dataSourceRef");
        namespaced = false;
    }
    match (has(spec, "dataSource"), has(spec, "dataSourceRef")) {
        (true, false) if volume_data_source(field(spec, "dataSource")) => {
            let source = field(spec, "dataSource").clone();
            set(spec, "dataSourceRef", source);
        }
        // `EnforceDataSourceBackwardsCompatibility`: the old field silently drops sources that it never supported.
        (true, false) => drop(take(spec, "dataSource")),
        // The old field cannot express a namespace, so it stays empty if there is one.
        (false, true) if !namespaced => {
            let source = field(spec, "dataSourceRef").clone();
            if volume_data_source(&source) {
                set(spec, "dataSource", source);
            }
        }
        _ => {}
    }
}

fn volume_data_source(source: &Value) -> bool {
    matches!(
        (text(source, "apiGroup"), text(source, "kind")),
        ("", "PersistentVolumeClaim") | ("snapshot.storage.k8s.io", "VolumeSnapshot")
    )
}

/// Adds the finalizer that protects the claim while it is in use.
pub(super) fn admit(object: &mut Value, _: &str, _: &AdmissionContext<'_>) -> Result<(), Status> {
    finalizer(object, "kubernetes.io/pvc-protection");
    Ok(())
}
