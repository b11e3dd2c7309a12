//! The table cells of a ControllerRevision.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::{NONE, age};
use crate::columns::name;
use crate::kind::split_api_version;
use crate::tree::{field, flag, int, list, text};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let owners = list(field(object, "metadata"), "ownerReferences");
    let owner = owners.iter().find(|owner| flag(owner, "controller"));
    let owner = owner.map_or(NONE.to_owned(), |owner| {
        let kind = text(owner, "kind").to_lowercase();
        let (group, _) = split_api_version(text(owner, "apiVersion"));
        match group {
            "" => format!("{kind}/{}", text(owner, "name")),
            group => format!("{kind}.{group}/{}", text(owner, "name")),
        }
    });
    vec![
        name(object),
        json!(owner),
        json!(int(object, "revision")),
        json!(age(object, now)),
    ]
}
