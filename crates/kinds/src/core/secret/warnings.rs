//! The warnings about a Secret.

use crate::api::json::Value;
use crate::core::validate::decoded;
use crate::pki::check_pair;
use crate::tree::{field, text};

/// Adds the warning for a certificate and a key that do not match.
pub(super) fn collect(object: &Value, warnings: &mut Vec<String>) {
    if text(object, "type") != "kubernetes.io/tls" {
        return;
    }
    let data = field(object, "data");
    let file = |name| String::from_utf8_lossy(&decoded(field(data, name))).into_owned();
    // This is only a warning because many manifests contain placeholders.
    if let Err(error) = check_pair(&file("tls.crt"), &file("tls.key")) {
        warnings.push(error.to_string());
    }
}
