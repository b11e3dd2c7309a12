//! The defaults of a ValidatingWebhookConfiguration.

use crate::admissionregistration::defaults::webhook;
use crate::api::json::Value;
use crate::tree::items;

/// Sets the defaults of a ValidatingWebhookConfiguration.
pub(crate) fn apply(object: &mut Value) {
    items(object, "webhooks").for_each(webhook);
}
