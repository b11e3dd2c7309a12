//! The parts of an object that a reader can skip.

/// The parts to skip in an object or in each item of a list.
///
/// ```
/// use ctl_kinds::columns::{EVERYTHING, NOTHING, OmittedFields};
///
/// // A table of Pods shows the phase and nothing else of the status.
/// const OMITTED: OmittedFields = OmittedFields {
///     within: &[("status", OmittedFields { fields: &["conditions", "podIPs"], ..NOTHING }), ("spec", EVERYTHING)],
///     ..NOTHING
/// };
/// assert!(!OMITTED.all && OMITTED.within[1].1.all);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct OmittedFields {
    /// The fields to skip, unless all are skipped.
    pub fields: &'static [&'static str],
    /// True if all fields are skipped.
    pub all: bool,
    /// The parts to skip within further fields.
    pub within: &'static [(&'static str, OmittedFields)],
}

/// Skips nothing.
pub const NOTHING: OmittedFields = OmittedFields {
    fields: &[],
    all: false,
    within: &[],
};

/// Skips every field.
pub const EVERYTHING: OmittedFields = OmittedFields {
    all: true,
    ..NOTHING
};
