//! The rules of a CSIDriver.

use std::collections::BTreeSet;

use crate::api::json::{Value, json};
use crate::tree::{as_text, field, has, int, list, text};
use crate::validate::common::one_of;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::pod::volume::token_lifetime;
use crate::validate::{go, meta, names};

/// Validates a new CSIDriver.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    rules(object, errors);
}

fn rules(object: &Value, errors: &mut Errors) {
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    let policies = &["File", "None", "ReadWriteOnceWithFSType"];
    one_of(&path, spec, "fsGroupPolicy", policies, errors);
    token_requests(&path.child("tokenRequests"), spec, errors);
    // Unlike the policies, the supported modes are unsorted in the error: upstream lists them by hand.
    for mode in list(spec, "volumeLifecycleModes") {
        if !matches!(as_text(mode), "Persistent" | "Ephemeral") {
            let path = path.child("volumeLifecycleModes");
            errors.not_supported(&path, mode, &["Persistent", "Ephemeral"]);
        }
    }
    let name = "nodeAllocatableUpdatePeriodSeconds";
    let seconds = int(spec, name);
    // For each update, every node writes its CSINode.
    if has(spec, name) && seconds < 10 {
        let detail = "must be greater than or equal to 10 seconds";
        errors.invalid(&path.child(name), &json!(seconds), detail);
    }
    let name = "serviceAccountTokenInSecrets";
    if has(spec, name) && list(spec, "tokenRequests").is_empty() {
        let detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
        errors.invalid(&path.child(name), field(spec, name), detail);
    }
}

fn token_requests(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let mut audiences = BTreeSet::new();
    for (index, request) in list(spec, "tokenRequests").iter().enumerate() {
        let path = path.index(index);
        let audience = text(request, "audience");
        // A second token for the same audience would replace the first one.
        if !audiences.insert(audience) {
            errors.duplicate(&path.child("audience"), &go::quoted(audience));
        } else if has(request, "expirationSeconds") {
            token_lifetime(&path, request, errors);
        }
    }
}

/// Validates an update of a CSIDriver.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    rules(object, errors);
    let path = Path::root("spec");
    // Volumes in use were attached under the old settings.
    for (shown, name) in [
        // Upstream misspells `attachRequired` in the error.
        ("attachedRequired", "attachRequired"),
        ("volumeLifecycleModes", "volumeLifecycleModes"),
    ] {
        let value = |object| field(field(object, "spec"), name);
        meta::immutable(&path.child(shown), value(object), value(old), errors);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_in_secrets_are_requested() {
        let told = |spec: Value| {
            let mut errors = Errors::default();
            rules(&json!({"spec": spec}), &mut errors);
            let causes = errors.into_causes();
            causes.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(
            told(json!({"serviceAccountTokenInSecrets": false})),
            [
                "spec.serviceAccountTokenInSecrets: Invalid value: false: serviceAccountTokenInSecrets is set but no \
                 tokenRequests are specified"
            ]
        );
        let requested =
            json!({"serviceAccountTokenInSecrets": true, "tokenRequests": [{"audience": "a"}]});
        assert_eq!(told(requested), [""; 0]);
    }

    #[test]
    fn an_update_follows_the_rules_of_a_creation() {
        let driver = |spec: Value| json!({"metadata": {"name": "a.b"}, "spec": spec});
        let mut errors = Errors::default();
        let new = json!({"fsGroupPolicy": "X", "volumeLifecycleModes": ["Ephemeral"], "nodeAllocatableUpdatePeriodSeconds": 9,
            "tokenRequests": [{"audience": "a", "expirationSeconds": 5}, {"audience": "a"}]});
        rules(&driver(new.clone()), &mut errors);
        update(
            &driver(new),
            &driver(json!({"volumeLifecycleModes": ["Persistent"]})),
            &mut errors,
        );
        let causes = errors.into_causes();
        let told: Vec<String> = causes.iter().map(ToString::to_string).collect();
        let rules = [
            "spec.fsGroupPolicy: Unsupported value: \"X\": supported values: \"File\", \"None\", \
             \"ReadWriteOnceWithFSType\"",
            "spec.tokenRequests[0].expirationSeconds: Invalid value: 5: may not specify a duration less than 10 \
             minutes",
            "spec.tokenRequests[1].audience: Duplicate value: \"a\"",
            "spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than or equal to 10 seconds",
        ];
        assert_eq!(told[..4], rules);
        assert!(
            rules
                .iter()
                .all(|rule| told[4..].iter().any(|found| found == rule))
        );
        let last = told.last().unwrap();
        assert_eq!(
            last,
            "spec.volumeLifecycleModes: Invalid value: [\"Ephemeral\"]: field is immutable"
        );
    }
}
