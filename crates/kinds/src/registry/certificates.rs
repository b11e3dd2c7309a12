//! The kinds of the `certificates.k8s.io` API group.

use super::super::kind::{Column, Kind, Subresource};

/// The kinds of this group, in the order of discovery.
pub(super) const KINDS: &[Kind] = &[Kind {
    group: "certificates.k8s.io",
    version: "v1",
    kind: "CertificateSigningRequest",
    plural: "certificatesigningrequests",
    singular: "certificatesigningrequest",
    short_names: &["csr"],
    categories: &[],
    namespaced: false,
    verbs: Kind::ALL_VERBS,
    subresources: &[
        Subresource::new(
            "approval",
            "certificates.k8s.io",
            "v1",
            "CertificateSigningRequest",
            &["get", "patch", "update"],
        ),
        Subresource::new(
            "status",
            "certificates.k8s.io",
            "v1",
            "CertificateSigningRequest",
            &["get", "patch", "update"],
        ),
    ],
    columns: &[
        Column::new("Name", "string", "name", 0),
        Column::new("Age", "string", "", 0),
        Column::new("SignerName", "string", "", 0),
        Column::new("Requestor", "string", "", 0),
        Column::new("RequestedDuration", "string", "", 0),
        Column::new("Condition", "string", "", 0),
    ],
    field_selectors: &["metadata.name", "spec.signerName"],
    preferred: true,
    served: true,
    custom: None,
}];
