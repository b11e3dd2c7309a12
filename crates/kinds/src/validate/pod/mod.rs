//! Pods and pod specs: the rules that every workload with a template shares.

mod affinity;
mod container;
mod env;
mod mounts;
mod probe;
mod scheduling;
mod security;
mod spec;
mod subresource;
mod update;
pub(super) mod volume;

use std::collections::HashMap;

use super::errors::Errors;
use super::path::Path;
use super::{go, meta, names};
use crate::api::json::Value;
use crate::tree::{field, has, int, len, list, text};

pub(super) use affinity::node_selector;
pub(super) use scheduling::{taint_effect, tolerations};
pub(super) use spec::template_spec;
pub(super) use subresource::{ephemeral_containers, resize};
pub(super) use update::{status, update};

/// A pod spec and what its parts need to know of each other.
struct Pod<'a> {
    spec: &'a Value,
    volumes: HashMap<&'a str, &'a Value>,
}

impl<'a> Pod<'a> {
    fn new(spec: &'a Value) -> Self {
        // Of two volumes of a name the first is meant.
        let volumes = list(spec, "volumes").iter().rev();
        Self {
            spec,
            volumes: volumes
                .map(|volume| (text(volume, "name"), volume))
                .collect(),
        }
    }

    fn volume(&self, name: &str) -> Option<&'a Value> {
        self.volumes.get(name).copied()
    }

    /// Seconds that the Pod has to end itself; negative numbers are valid and mean one.
    fn grace_period(&self) -> i64 {
        int(self.spec, "terminationGracePeriodSeconds")
    }
}

/// A new Pod.
pub(super) fn create(pod: &Value, errors: &mut Errors) {
    metadata_and_spec(pod, errors);
    let (path, spec) = (Path::root("spec"), field(pod, "spec"));
    if len(spec, "ephemeralContainers") > 0 {
        errors.forbidden(
            &path.child("ephemeralContainers"),
            "cannot be set on create",
        );
    }
    if len(spec, "schedulingGates") > 0 && !text(spec, "nodeName").is_empty() {
        errors.forbidden(
            &path.child("nodeName"),
            "cannot be set until all schedulingGates have been cleared",
        );
    }
}

fn metadata_and_spec(pod: &Value, errors: &mut Errors) {
    const MIRROR: &str = "kubernetes.io/config.mirror";
    meta::create(pod, true, names::dns1123_subdomain, errors);
    let annotations = field(field(pod, "metadata"), "annotations");
    let spec = field(pod, "spec");
    if has(annotations, MIRROR) && text(spec, "nodeName").is_empty() {
        errors.invalid_shown(
            &Path::root("metadata").child("annotations").key(MIRROR),
            &go::quoted(text(annotations, MIRROR)),
            "must set spec.nodeName if mirror pod annotation is set",
        );
    }
    let path = Path::root("spec");
    spec::pod_spec(&path, spec, errors);
    container::trimmed_images(&path, &Pod::new(spec), errors);
}
