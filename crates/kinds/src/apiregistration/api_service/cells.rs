//! The table cells of an APIService.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::age;
use crate::columns::name;
use crate::tree::{at, field, list, text};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let service = at(object, &["spec", "service"]);
    let service = match service.is_null() {
        true => "Local".to_owned(),
        false => format!("{}/{}", text(service, "namespace"), text(service, "name")),
    };
    let conditions = list(field(object, "status"), "conditions");
    let available = conditions.iter().find(|c| text(c, "type") == "Available");
    let available = available.map_or("Unknown".to_owned(), |c| match text(c, "status") {
        "True" => "True".to_owned(),
        status => format!("{status} ({})", text(c, "reason")),
    });
    vec![
        name(object),
        json!(service),
        json!(available),
        json!(age(object, now)),
    ]
}
