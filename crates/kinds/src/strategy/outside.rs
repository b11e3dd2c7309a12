//! The inputs of a write that a pure function cannot make up.

/// The inputs of a write from outside the object.
#[derive(Debug, Clone, Copy)]
pub struct Outside<'a> {
    /// The time of the write, in RFC 3339.
    pub now: &'a str,
    /// The uid that the object gets.
    pub uid: &'a str,
    /// True if the writer gave the object labels, and not a default.
    pub labelled: bool,
}
