//! The defaults of a MutatingWebhookConfiguration.

use crate::admissionregistration::defaults::webhook;
use crate::api::json::Value;
use crate::tree::{items, set_default};

/// Sets the defaults of a MutatingWebhookConfiguration.
pub(crate) fn apply(object: &mut Value) {
    for hook in items(object, "webhooks") {
        webhook(hook);
        set_default(hook, "reinvocationPolicy", "Never");
    }
}
