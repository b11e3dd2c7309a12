//! The rules that kinds of this group share.

use crate::api::json::Value;
use crate::tree::{field, has, len, list};
use crate::validate::common::required_name;
use crate::validate::errors::Errors;
use crate::validate::names;
use crate::validate::path::Path;

pub(crate) fn device_requests(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let path = path.child("devices");
    let path = path.child("requests");
    let requests = list(field(spec, "devices"), "requests");
    for (index, request) in requests.iter().enumerate() {
        let path = path.index(index);
        required_name(&path, request, "name", names::dns1123_label, errors);
        if has(request, "exactly") == (len(request, "firstAvailable") > 0) {
            let detail = "exactly one of `exactly` or `firstAvailable` is required";
            errors.required(&path, detail);
        }
    }
}
