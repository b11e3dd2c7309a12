//! ValidatingWebhookConfiguration: its row in discovery and its hooks.

mod defaults;

use crate::hooks::Generation;
use crate::kind::{Column, Kind};

/// ValidatingWebhookConfiguration at `admissionregistration.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    (
        "admissionregistration.k8s.io",
        "v1",
        "ValidatingWebhookConfiguration",
    ),
    (
        "validatingwebhookconfigurations",
        "validatingwebhookconfiguration",
    ),
)
.categories(&["api-extensions"])
.table(
    &[Column::NAME, Column::integer("Webhooks"), Column::AGE],
    super::cells::webhooks,
)
.defaults(defaults::apply)
.rules(super::validate::webhooks, super::validate::webhooks_update)
.generation(Generation::Content)
.conditional();
