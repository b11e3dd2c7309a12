//! CertificateSigningRequest: its row in discovery and its hooks.

mod cells;
pub(crate) mod paths;
mod strategy;
mod validate;

use crate::kind::{Column, Kind, Subresource};

/// CertificateSigningRequest at `certificates.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("certificates.k8s.io", "v1", "CertificateSigningRequest"),
    ("certificatesigningrequests", "certificatesigningrequest"),
)
.short_names(&["csr"])
.subresources(&[
    Subresource::new(
        "approval",
        "certificates.k8s.io",
        "v1",
        "CertificateSigningRequest",
        &["get", "patch", "update"],
    ),
    Subresource::status("certificates.k8s.io", "v1", "CertificateSigningRequest"),
])
.field_selectors(&["metadata.name", "spec.signerName"])
.table(
    &[
        Column::NAME,
        Column::AGE,
        Column::text("SignerName"),
        Column::text("Requestor"),
        Column::text("RequestedDuration"),
        Column::text("Condition"),
    ],
    cells::row,
)
.create_rules(validate::create)
.status_rules(paths::status)
.prepare_update(strategy::prepare_update)
.prepare_status(strategy::keep_decision)
.admit(strategy::admit)
.reset_fields(strategy::RESET_FIELDS);
