//! The fields that a way of writing leaves as they are, whatever the writer sends: nobody comes to own
//! them that way.

use std::sync::LazyLock;

use crate::api::patch::fieldset::FieldSet;
use crate::kind::Kind;

type Paths = &'static [&'static [&'static str]];

const STATUS: Paths = &[&["status"]];
const SPEC: Paths = &[&["spec"]];
const SPEC_AND_STATUS: Paths = &[&["spec"], &["status"]];
const SPEC_AND_METADATA: Paths = &[&["metadata"], &["spec"]];
const SPEC_AND_LABELS: Paths = &[&["metadata", "labels"], &["spec"]];
const SPEC_AND_OWNERS: Paths = &[
    &["metadata", "deletionTimestamp"],
    &["metadata", "ownerReferences"],
    &["spec"],
];
const SPEC_AND_CONDITIONS: Paths = &[&["spec"], &["status", "conditions"]];
const SPEC_AND_CERTIFICATE: Paths = &[&["spec"], &["status", "certificate"]];

/// Every set that is returned, made once.
static SETS: LazyLock<Vec<(Paths, FieldSet)>> = LazyLock::new(|| {
    [
        &[],
        STATUS,
        SPEC,
        SPEC_AND_STATUS,
        SPEC_AND_METADATA,
        SPEC_AND_LABELS,
        SPEC_AND_OWNERS,
        SPEC_AND_CONDITIONS,
        SPEC_AND_CERTIFICATE,
    ]
    .map(|paths: Paths| (paths, FieldSet::of_fields(paths.iter().copied())))
    .into()
});

/// The fields that a write to a subresource (empty: to the object itself) does not touch.
pub fn reset_fields(kind: &Kind, subresource: &str) -> &'static FieldSet {
    let wanted = paths(kind, subresource);
    let found = SETS.iter().find(|(paths, _)| *paths == wanted);
    &found.unwrap_or(&SETS[0]).1
}

fn paths(kind: &Kind, subresource: &str) -> Paths {
    if kind.custom.is_some() && subresource == "status" {
        return SPEC_AND_METADATA;
    }
    if kind.custom.is_some() && kind.has_status() {
        return STATUS;
    }
    match (kind.kind, subresource) {
        ("CertificateSigningRequest", "status") => SPEC_AND_CONDITIONS,
        ("CertificateSigningRequest", "approval") => SPEC_AND_CERTIFICATE,
        ("CertificateSigningRequest", _) => SPEC_AND_STATUS,
        ("Deployment", "status") => SPEC_AND_LABELS,
        ("Pod", "status") => SPEC_AND_OWNERS,
        (
            "APIService"
            | "CustomResourceDefinition"
            | "FlowSchema"
            | "PriorityLevelConfiguration"
            | "StorageVersion"
            | "VolumeAttachment",
            "status",
        ) => SPEC_AND_METADATA,
        (_, "status") => SPEC,
        _ if kind.has_status() => STATUS,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    #[test]
    fn every_kind_and_subresource_finds_its_own_set() {
        for kind in registry::all() {
            for subresource in ["", "status", "approval"] {
                let wanted = paths(kind, subresource);
                let set = FieldSet::of_fields(wanted.iter().copied());
                assert_eq!(*reset_fields(kind, subresource), set, "{}", kind.kind);
            }
        }
    }
}
