//! The table cells of a ResourceQuota.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::age;
use crate::columns::name;
use crate::pod::resources::resource_list;
use crate::tree::field;

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let status = field(object, "status");
    let used = resource_list(status, "used");
    let (mut requests, mut limits) = (Vec::new(), Vec::new());
    // Read the status: a new quota shows nothing until its usage has been counted.
    for (resource, hard) in resource_list(status, "hard") {
        let used = used
            .get(&resource)
            .map_or("0".to_owned(), ToString::to_string);
        let list = match resource.starts_with("limits") {
            true => &mut limits,
            false => &mut requests,
        };
        list.push(format!("{resource}: {used}/{hard}"));
    }
    vec![
        name(object),
        json!(requests.join(", ")),
        json!(limits.join(", ")),
        json!(age(object, now)),
    ]
}
