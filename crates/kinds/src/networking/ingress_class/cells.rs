//! The table cells of an IngressClass.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::{NONE, age};
use crate::tree::{at, field, text};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let spec = field(object, "spec");
    let parameters = field(spec, "parameters");
    let shown = match (parameters.is_null(), text(parameters, "apiGroup")) {
        (true, _) => NONE.to_owned(),
        (false, "") => format!("{}/{}", text(parameters, "kind"), text(parameters, "name")),
        (false, group) => format!(
            "{}.{group}/{}",
            text(parameters, "kind"),
            text(parameters, "name")
        ),
    };
    let annotations = at(object, &["metadata", "annotations"]);
    let mut shown_name = text(field(object, "metadata"), "name").to_owned();
    if text(annotations, "ingressclass.kubernetes.io/is-default-class") == "true" {
        shown_name.push_str(" (default)");
    }
    vec![
        json!(shown_name),
        json!(text(spec, "controller")),
        json!(shown),
        json!(age(object, now)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_class_is_marked() {
        let class = |default: &str| {
            let annotations = json!({"ingressclass.kubernetes.io/is-default-class": default});
            let object = json!({"metadata": {"name": "public", "annotations": annotations}});
            row(&object, Timestamp::UNIX_EPOCH).remove(0)
        };
        assert_eq!(class("true"), "public (default)");
        assert_eq!(class("false"), "public");
    }
}
