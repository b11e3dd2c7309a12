//! The warnings about a Pod.

use crate::api::json::Value;
use crate::pod::warnings::pod;
use crate::validate::Path;
use crate::warnings::name;

/// The warnings for a Pod: its name is a hostname, and its parts may be outdated.
pub(super) fn of(object: &Value, warnings: &mut Vec<String>) {
    name(object, "the Pod's hostname", warnings);
    pod(&Path::root(""), object, warnings);
}
