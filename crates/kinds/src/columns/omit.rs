//! The parts of an object that a reader can skip.

/// The parts to skip in an object or in each item of a list.
///
/// ```
/// use ctl_kinds::columns::{EVERYTHING, NOTHING, Without};
///
/// // A table of Pods shows the phase and nothing else of the status.
/// const UNSEEN: Without = Without {
///     within: &[("status", Without { fields: &["conditions", "podIPs"], ..NOTHING }), ("spec", EVERYTHING)],
///     ..NOTHING
/// };
/// assert!(!UNSEEN.all && UNSEEN.within[1].1.all);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Without {
    /// The fields to skip, unless all are skipped.
    pub fields: &'static [&'static str],
    /// True if all fields are skipped.
    pub all: bool,
    /// The parts to skip within further fields.
    pub within: &'static [(&'static str, Without)],
}

/// Skips nothing.
pub const NOTHING: Without = Without {
    fields: &[],
    all: false,
    within: &[],
};

/// Skips every field.
pub const EVERYTHING: Without = Without {
    all: true,
    ..NOTHING
};
