//! The parts of an object with separate paths for writes, and the rules of each.

use crate::api::json::Value;
use crate::api::status::Cause;
use crate::kinds::{Kind, strategy, validate};

/// The part that a write may change: the whole object, or the part of one of its subresources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// Everything but the status.
    #[default]
    Whole,
    /// The status.
    Status,
    /// The number of replicas.
    Scale,
    /// The ephemeral containers of a Pod.
    EphemeralContainers,
    /// The resources of a Pod's containers.
    Resize,
    /// The decision on a certificate request.
    Approval,
    /// The finalizers of a namespace's spec.
    Finalize,
}

impl Part {
    /// Returns the last segment of its path; empty for the whole object.
    pub fn name(self) -> &'static str {
        match self {
            Self::Whole => "",
            Self::Status => "status",
            Self::Scale => "scale",
            Self::EphemeralContainers => "ephemeralcontainers",
            Self::Resize => "resize",
            Self::Approval => "approval",
            Self::Finalize => "finalize",
        }
    }

    /// Returns the part that a path segment names.
    pub fn named(name: &str) -> Option<Self> {
        [
            Self::Whole,
            Self::Status,
            Self::Scale,
            Self::EphemeralContainers,
            Self::Resize,
            Self::Approval,
            Self::Finalize,
        ]
        .into_iter()
        .find(|part| part.name() == name)
    }

    /// Returns the rule of an update.
    pub(crate) fn updated(self) -> &'static str {
        match self {
            Self::Whole => "update",
            Self::Status => "update-status",
            Self::Scale => "scale",
            Self::EphemeralContainers => "update-ephemeralcontainers",
            Self::Resize => "resize",
            Self::Approval => "approve",
            Self::Finalize => "finalize",
        }
    }

    /// Returns the rule of an apply.
    pub(crate) fn applied(self) -> &'static str {
        match self {
            Self::Whole => "apply",
            Self::Status => "apply-status",
            part => part.updated(),
        }
    }

    /// Returns the rule of a patch.
    pub(crate) fn patched(self) -> &'static str {
        match self {
            Self::Whole => "patch",
            Self::Status => "patch-status",
            Self::EphemeralContainers => "patch-ephemeralcontainers",
            part => part.updated(),
        }
    }

    /// Returns true if a write to it may change allocated or counted values.
    pub(crate) fn has_spec(self) -> bool {
        // Resize changes requests, which quotas count.
        matches!(self, Self::Whole | Self::Scale | Self::Resize)
    }
}

impl From<bool> for Part {
    fn from(status: bool) -> Self {
        // Most callers use only these two parts.
        if status { Self::Status } else { Self::Whole }
    }
}

/// Reverts the fields of a write that its part does not cover.
pub(crate) fn prepare(kind: &Kind, part: Part, new: &mut Value, old: &Value, now: &str) {
    match part {
        // A scale changes `spec.replicas`, so the rules of the whole object apply, generation included.
        Part::Whole | Part::Scale => strategy::prepare_update(kind, new, old),
        Part::Status => {
            strategy::prepare_status(kind, new, old);
            // Of a request that is approved, every writer of conditions leaves their times to the server.
            if kind.subresource(Part::Approval.name()).is_some() {
                strategy::date_conditions(new, old, now);
            }
        }
        Part::EphemeralContainers => strategy::prepare_ephemeral_containers(new, old),
        Part::Resize => strategy::prepare_resize(new, old),
        Part::Approval => strategy::prepare_approval(new, old, now),
        Part::Finalize => strategy::prepare_finalize(new, old),
    }
}

/// Returns the problems of a prepared write to a part.
pub(crate) fn check(kind: &Kind, part: Part, new: &Value, old: &Value) -> Vec<Cause> {
    match part {
        Part::Whole | Part::Scale => validate::update(kind, new, old),
        Part::Status => validate::status(kind, new, old),
        Part::EphemeralContainers => validate::ephemeral_containers(new, old),
        Part::Resize => validate::resize(new, old),
        Part::Approval => validate::approval(new, old),
        Part::Finalize => validate::finalize(new, old),
    }
}
