//! Facts about a kind for clients. Some commands of kubectl treat certain kinds differently, and the folder of a kind
//! declares which.
//!
//! The API server does not use these facts; its hooks are in `hooks.rs`.

pub use super::client_facts::{Grant, PodSelector, RolloutHistory};
use super::hooks::Fields;
use super::kind::Kind;

/// The client facts of a kind.
impl Kind {
    /// Returns the form of the kind's Pod selector, if it selects Pods.
    pub const fn selects_pods_by(&self) -> Option<PodSelector> {
        self.hooks.client.pod_selector
    }

    /// Returns the kind of objects that store earlier revisions, if there are any.
    pub const fn keeps_history_in(&self) -> Option<RolloutHistory> {
        self.hooks.client.rollout_history
    }

    /// Returns the part of RBAC that objects of the kind define, if any.
    pub const fn grants_by(&self) -> Option<Grant> {
        self.hooks.client.grant
    }

    /// Returns the field of `valueFrom` that refers to a key in objects of the kind, if there is one.
    pub const fn referred_to_by(&self) -> Option<&'static str> {
        self.hooks.client.key_reference
    }

    /// Returns true if `kubectl expose` can create a Service for an object of the kind.
    pub const fn is_exposable(&self) -> bool {
        self.hooks.client.exposable
    }

    /// Returns the path of the pod spec in objects that are a Pod or run Pods from a template.
    ///
    /// A `PodTemplate` only stores a template, and kubectl does not read it.
    pub fn pod_spec_path(&self) -> Option<Vec<&'static str>> {
        let template: Fields = self.hooks.pod_template?;
        let runs_pods = matches!(template, [] | ["spec", ..]);
        runs_pods.then(|| [template, &["spec"]].concat())
    }
}
