//! The warnings about a StatefulSet.

use crate::api::json::Value;
use crate::tree::{field, has, int};
use crate::warnings::of_template;

/// Adds the warnings for the template and for an unlimited revision history.
pub(super) fn collect(object: &Value, warnings: &mut Vec<String>) {
    of_template(object, warnings);
    let spec = field(object, "spec");
    if has(spec, "template") && int(spec, "revisionHistoryLimit") < 0 {
        warnings.push(
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; a \
             value >= 0 is recommended"
                .to_owned(),
        );
    }
}
