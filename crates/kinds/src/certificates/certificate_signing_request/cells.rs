//! The table cells of a CertificateSigningRequest.

use jiff::Timestamp;

use crate::api::duration::human;
use crate::api::json::{Value, json};
use crate::columns::format::{NONE, age};
use crate::columns::name;
use crate::tree::{field, list, opt_int, text};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let (spec, status) = (field(object, "spec"), field(object, "status"));
    let has_condition = |kind: &str| {
        list(status, "conditions")
            .iter()
            .any(|c| text(c, "type") == kind)
    };
    // A denial takes precedence over an approval. The status need not be read: validation permits only True for these
    // two.
    let mut state = match (has_condition("Denied"), has_condition("Approved")) {
        (true, _) => "Denied".to_owned(),
        (_, true) => "Approved".to_owned(),
        _ => "Pending".to_owned(),
    };
    if has_condition("Failed") {
        state.push_str(",Failed");
    }
    if !text(status, "certificate").is_empty() {
        state.push_str(",Issued");
    }
    let duration = opt_int(spec, "expirationSeconds").map_or(NONE.to_owned(), human);
    vec![
        name(object),
        json!(age(object, now)),
        json!(text(spec, "signerName")),
        json!(text(spec, "username")),
        json!(duration),
        json!(state),
    ]
}
