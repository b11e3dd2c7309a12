//! The table cells that the kinds of this group share.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::age;
use crate::columns::name;
use crate::tree::{field, list, text};

pub(crate) fn role_binding(object: &Value, now: Timestamp) -> Vec<Value> {
    let role = field(object, "roleRef");
    let subjects = |kind: &str| {
        let names: Vec<_> = list(object, "subjects")
            .iter()
            .filter(|s| text(s, "kind") == kind)
            .map(|s| match (kind, text(s, "namespace")) {
                // Users and groups are not namespaced.
                ("ServiceAccount", namespace) if !namespace.is_empty() => {
                    format!("{namespace}/{}", text(s, "name"))
                }
                _ => text(s, "name").to_owned(),
            })
            .collect();
        json!(names.join(", "))
    };
    vec![
        name(object),
        json!(format!("{}/{}", text(role, "kind"), text(role, "name"))),
        json!(age(object, now)),
        subjects("User"),
        subjects("Group"),
        subjects("ServiceAccount"),
    ]
}
