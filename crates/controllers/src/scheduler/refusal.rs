//! The verdict of a filter on one node, shared by all filters.

use std::borrow::Cow;

/// The reasons against a node.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Refusal {
    /// The reasons, as messages count them.
    pub(super) reasons: Vec<Cow<'static, str>>,
    /// True if the node might fit after the end of other Pods, so that preemption is worth a try.
    pub(super) might: bool,
}

impl Refusal {
    /// Creates a refusal that the end of another Pod cannot change.
    pub(super) fn for_good(reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            reasons: vec![reason.into()],
            might: false,
        }
    }

    /// Creates a refusal that the end of another Pod might change.
    pub(super) fn for_now(reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            reasons: vec![reason.into()],
            might: true,
        }
    }
}
