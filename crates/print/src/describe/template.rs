//! The Pod template of a workload.

use super::containers::containers;
use super::meta::{annotations, labels};
use super::pod::{scheduling_group, tolerations, topology_spread};
use super::related::UNSET;
use super::volumes::volumes;
use super::writer::Writer;
use crate::api::json::Value;
use crate::kinds::tree::{field, len, list, text};

/// Writes the template under its title.
pub(super) fn template(w: &mut Writer, template: &Value) {
    w.line(0, "Pod Template:");
    if template.is_null() {
        // kubectl does not end this line.
        return w.start(1, UNSET);
    }
    let metadata = field(template, "metadata");
    let spec = field(template, "spec");
    labels(w, 1, "Labels", metadata, "labels");
    if len(metadata, "annotations") > 0 {
        annotations(w, 1, "Annotations", metadata);
    }
    if !text(spec, "serviceAccountName").is_empty() {
        w.field(1, "Service Account", text(spec, "serviceAccountName"));
    }
    if len(spec, "initContainers") > 0 {
        containers(
            w,
            "Init Containers",
            list(spec, "initContainers"),
            &[],
            None,
            "  ",
        );
    }
    containers(w, "Containers", list(spec, "containers"), &[], None, "  ");
    volumes(w, list(spec, "volumes"), "  ");
    topology_spread(w, spec, "  ");
    if !text(spec, "priorityClassName").is_empty() {
        w.field(1, "Priority Class Name", text(spec, "priorityClassName"));
    }
    labels(w, 1, "Node-Selectors", spec, "nodeSelector");
    tolerations(w, 1, spec);
    scheduling_group(w, spec, "  ");
}

/// Formats a Pod template alone, as `rollout history --revision` does: with tabs rather than in columns.
pub fn pod_template(object: &Value) -> String {
    let mut writer = Writer::default();
    template(&mut writer, object);
    writer.with_tabs()
}
