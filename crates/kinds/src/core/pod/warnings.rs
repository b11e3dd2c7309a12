//! The warnings about a Pod.

use crate::api::json::Value;
use crate::pod::warnings::pod;
use crate::validate::Path;
use crate::warnings::name;

/// Adds the warnings for a Pod: for a name that is not a host name, and for deprecated fields.
pub(super) fn collect(object: &Value, warnings: &mut Vec<String>) {
    name(object, "the Pod's hostname", warnings);
    pod(&Path::root(""), object, warnings);
}
