//! The warnings about a StatefulSet.

use crate::api::json::Value;
use crate::tree::{field, has, int, list};
use crate::validate::Path;
use crate::warnings::{claim_fractions, of_template};

/// Adds the warnings for the template, the claims, and an unlimited revision history.
pub(super) fn collect(object: &Value, warnings: &mut Vec<String>) {
    of_template(object, warnings);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    let claims = path.child("volumeClaimTemplates");
    for (index, claim) in list(spec, "volumeClaimTemplates").iter().enumerate() {
        // Like upstream, without the `spec` of the claim in the path.
        claim_fractions(&claims.index(index), field(claim, "spec"), warnings);
    }
    if has(spec, "template") && int(spec, "revisionHistoryLimit") < 0 {
        warnings.push(
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; a \
             value >= 0 is recommended"
                .to_owned(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn fractional_storage_of_claims_causes_warnings() {
        let claim = json!({"spec": {"resources": {"requests": {"storage": "100m"}}}});
        let object = json!({"spec": {"template": {}, "volumeClaimTemplates": [claim], "revisionHistoryLimit": 1}});
        let mut warnings = Vec::new();
        collect(&object, &mut warnings);
        let wanted = "spec.volumeClaimTemplates[0].resources.requests[storage]: fractional byte value \"100m\" is \
            invalid, must be an integer";
        assert_eq!(warnings, [wanted]);
    }
}
