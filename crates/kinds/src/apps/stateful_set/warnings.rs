//! The warnings about a StatefulSet.

use crate::api::json::Value;
use crate::tree::{field, has, int};
use crate::warnings::of_template;

/// The warnings for its template and for a history without end.
pub(super) fn of(object: &Value, warnings: &mut Vec<String>) {
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
