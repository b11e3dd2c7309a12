//! Facts about a kind that clients ask for: kubectl's commands treat some kinds in their own way, and a kind says so in its folder.
//!
//! The API server has no use for them; its hooks are in [`super::hooks`].

use super::hooks::Fields;
use super::kind::Kind;

/// The form of the field `spec.selector` by which an object selects Pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodSelector {
    /// A map of labels.
    Labels,
    /// A map of labels that may be absent: the object then selects no Pods.
    OptionalLabels,
    /// A `LabelSelector`, which may have expressions.
    Expressions,
}

/// The objects that keep the earlier revisions of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RolloutHistory {
    /// ReplicaSets: each revision runs its own Pods.
    ReplicaSets,
    /// ControllerRevisions: a revision is only a record.
    ControllerRevisions,
}

/// The part of role-based access control that an object holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grant {
    /// The rules of a role.
    Rules,
    /// The subjects to which a binding grants a role.
    Subjects,
}

/// The facts of one kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClientFacts {
    pod_selector: Option<PodSelector>,
    rollout_history: Option<RolloutHistory>,
    grant: Option<Grant>,
    key_reference: Option<&'static str>,
    exposable: bool,
}

impl ClientFacts {
    /// No facts: commands treat the kind as any other.
    pub(crate) const NONE: Self = Self {
        pod_selector: None,
        rollout_history: None,
        grant: None,
        key_reference: None,
        exposable: false,
    };
}

/// Builds the facts.
impl Kind {
    /// Sets the form of the selector of its Pods.
    pub const fn pod_selector(mut self, form: PodSelector) -> Self {
        self.hooks.client.pod_selector = Some(form);
        self
    }

    /// Lets `rollout history` and `rollout undo` read its earlier revisions.
    pub const fn rollout_history(mut self, history: RolloutHistory) -> Self {
        self.hooks.client.rollout_history = Some(history);
        self
    }

    /// Marks it as a part of role-based access control.
    pub const fn grant(mut self, grant: Grant) -> Self {
        self.hooks.client.grant = Some(grant);
        self
    }

    /// Sets the field of an environment variable's `valueFrom` that refers to a key of its objects.
    pub const fn key_reference(mut self, field: &'static str) -> Self {
        self.hooks.client.key_reference = Some(field);
        self
    }

    /// Lets `expose` make a Service of its objects.
    pub const fn exposable(mut self) -> Self {
        self.hooks.client.exposable = true;
        self
    }
}

/// Reads the facts.
impl Kind {
    /// The form of the selector of its Pods, if it selects Pods.
    pub const fn selects_pods_by(&self) -> Option<PodSelector> {
        self.hooks.client.pod_selector
    }

    /// The objects that keep its earlier revisions, if it has any.
    pub const fn keeps_history_in(&self) -> Option<RolloutHistory> {
        self.hooks.client.rollout_history
    }

    /// The part of role-based access control that its objects hold, if any.
    pub const fn grants_by(&self) -> Option<Grant> {
        self.hooks.client.grant
    }

    /// The field of `valueFrom` that refers to a key of its objects, if their data can be referred to.
    pub const fn referred_to_by(&self) -> Option<&'static str> {
        self.hooks.client.key_reference
    }

    /// Returns true if `expose` makes a Service of its objects.
    pub const fn is_exposable(&self) -> bool {
        self.hooks.client.exposable
    }

    /// The path of the Pod's specification in objects that are a Pod or run Pods from a template.
    ///
    /// A `PodTemplate` only stores a template, at its top; Kubernetes' clients do not look into it.
    pub fn pod_spec_path(&self) -> Option<Vec<&'static str>> {
        let template: Fields = self.hooks.pod_template?;
        let runs_pods = matches!(template, [] | ["spec", ..]);
        runs_pods.then(|| [template, &["spec"]].concat())
    }
}
