//! The facts in the row of a kind that only clients use; [`super::client`] reads them.

/// The form of `spec.selector` in objects that select Pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodSelector {
    /// A map of labels.
    Labels,
    /// A map of labels that may be absent, in which case the object selects no Pods.
    OptionalLabels,
    /// A `LabelSelector`, which may have expressions.
    Expressions,
}

/// The objects that store the earlier revisions of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RolloutHistory {
    /// ReplicaSets: each revision has its own Pods.
    ReplicaSets,
    /// ControllerRevisions: a revision is only a record.
    ControllerRevisions,
}

/// The part of RBAC that an object defines.
///
/// ```
/// use ctl_kinds::client::{Grant, PodSelector, RolloutHistory};
/// use ctl_kinds::find;
///
/// let deployment = find("apps", "v1", "Deployment").unwrap();
/// assert!(matches!(deployment.selects_pods_by(), Some(PodSelector::Expressions)));
/// assert!(matches!(deployment.keeps_history_in(), Some(RolloutHistory::ReplicaSets)));
/// let role = find("rbac.authorization.k8s.io", "v1", "Role").unwrap();
/// assert!(matches!(role.grants_by(), Some(Grant::Rules)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grant {
    /// Rules, as in a Role.
    Rules,
    /// Subjects to which a binding grants a role.
    Subjects,
}

/// The client facts of one kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClientFacts {
    pub(super) pod_selector: Option<PodSelector>,
    pub(super) rollout_history: Option<RolloutHistory>,
    pub(super) grant: Option<Grant>,
    pub(super) key_reference: Option<&'static str>,
    pub(super) exposable: bool,
}

impl ClientFacts {
    /// No facts: commands treat the kind like any other.
    pub(crate) const NONE: Self = Self {
        pod_selector: None,
        rollout_history: None,
        grant: None,
        key_reference: None,
        exposable: false,
    };
}
