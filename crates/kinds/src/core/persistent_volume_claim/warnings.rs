//! The warnings about a PersistentVolumeClaim.

use crate::api::json::Value;
use crate::tree::field;
use crate::validate::Path;
use crate::warnings::{claim_fractions, old_class};

/// Adds the warnings for a claim: for a deprecated annotation, and for a fractional number of bytes.
pub(super) fn collect(object: &Value, warnings: &mut Vec<String>) {
    old_class(object, warnings);
    claim_fractions(&Path::root("spec"), field(object, "spec"), warnings);
}
