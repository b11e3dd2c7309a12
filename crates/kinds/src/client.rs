//! Facts about a kind for clients: kubectl's commands treat some kinds specially, and the folder of a kind declares
//! that.
//!
//! The API server does not use them; its hooks are in `hooks.rs`.

pub use super::client_facts::{Grant, PodSelector, RolloutHistory};
use super::hooks::Fields;
use super::kind::Kind;

/// Reads the facts.
impl Kind {
    /// Returns the form of the selector of its Pods, if it selects Pods.
    pub const fn selects_pods_by(&self) -> Option<PodSelector> {
        self.hooks.client.pod_selector
    }

    /// Returns the objects that store its earlier revisions, if it has any.
    pub const fn keeps_history_in(&self) -> Option<RolloutHistory> {
        self.hooks.client.rollout_history
    }

    /// Returns the part of role-based access control that its objects define, if any.
    pub const fn grants_by(&self) -> Option<Grant> {
        self.hooks.client.grant
    }

    /// Returns the field of `valueFrom` that refers to a key of its objects, if their data can be referred to.
    pub const fn referred_to_by(&self) -> Option<&'static str> {
        self.hooks.client.key_reference
    }

    /// Returns true if `expose` makes a Service of its objects.
    pub const fn is_exposable(&self) -> bool {
        self.hooks.client.exposable
    }

    /// Returns the path of the Pod's specification in objects that are a Pod or run Pods from a template.
    ///
    /// A `PodTemplate` only stores a template, at its top; Kubernetes' clients do not read it.
    pub fn pod_spec_path(&self) -> Option<Vec<&'static str>> {
        let template: Fields = self.hooks.pod_template?;
        let runs_pods = matches!(template, [] | ["spec", ..]);
        runs_pods.then(|| [template, &["spec"]].concat())
    }
}
