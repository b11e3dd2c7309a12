//! The parts of an object that a reader leaves out.

/// The parts to omit from an object or from each item of a list.
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
    /// These fields, if not all.
    pub fields: &'static [&'static str],
    /// Every field.
    pub all: bool,
    /// Parts of these fields.
    pub within: &'static [(&'static str, Without)],
}

/// Omits nothing.
pub const NOTHING: Without = Without {
    fields: &[],
    all: false,
    within: &[],
};

/// Omits every field.
pub const EVERYTHING: Without = Without {
    all: true,
    ..NOTHING
};
