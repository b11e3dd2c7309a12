//! The warnings about a PersistentVolumeClaim.

use crate::api::json::Value;
use crate::tree::field;
use crate::validate::Path;
use crate::warnings::{fractions, old_class};

/// The warnings for a claim: bytes come in whole numbers.
pub(super) fn of(object: &Value, warnings: &mut Vec<String>) {
    old_class(object, warnings);
    fractions(&Path::root("spec"), field(object, "spec"), warnings);
}
