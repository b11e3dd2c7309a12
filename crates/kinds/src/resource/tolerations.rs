//! The tolerations of device requests.

use crate::api::json::Value;
use crate::tree::{list, text};
use crate::validate::common::one_of;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, names};

/// The effects of a device's taints.
pub(crate) const EFFECTS: &[&str] = &["NoExecute", "NoSchedule", "None"];

/// Validates the tolerations of a device request.
pub(crate) fn tolerations(path: &Path<'_>, request: &Value, errors: &mut Errors) {
    let path = path.child("tolerations");
    for (index, item) in list(request, "tolerations").iter().enumerate() {
        toleration(&path.index(index), item, errors);
    }
}

fn toleration(path: &Path<'_>, toleration: &Value, errors: &mut Errors) {
    let (key, value) = (text(toleration, "key"), text(toleration, "value"));
    if !key.is_empty() {
        errors.invalid_each(&path.child("key"), key, names::qualified_name(key));
    }
    let at = path.child("value");
    match text(toleration, "operator") {
        "Exists" if !value.is_empty() => {
            let detail = "must be empty for operator `Exists`";
            errors.invalid_shown(&at, &go::quoted(value), detail);
        }
        "Exists" => {}
        "Equal" => errors.invalid_each(&at, value, names::label_value(value)),
        "" => errors.required(&path.child("operator"), ""),
        _ => one_of(path, toleration, "operator", &["Equal", "Exists"], errors),
    }
    one_of(path, toleration, "effect", EFFECTS, errors);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn operators_have_their_own_rules() {
        let request = json!({"tolerations": [
            {"operator": "Exists"},
            {"key": "a.b/c", "operator": "Equal", "value": "x", "effect": "None"},
            {"key": "-", "operator": "Exists", "value": "x"},
            {"operator": "In", "effect": "Never"},
            {},
        ]});
        let mut errors = Errors::default();
        tolerations(&Path::root("x"), &request, &mut errors);
        let causes = errors.into_causes();
        let told: Vec<String> = causes.iter().map(ToString::to_string).collect();
        assert!(told[0].starts_with("x.tolerations[2].key: Invalid value: \"-\": name part must"));
        assert_eq!(
            told[1..],
            [
                "x.tolerations[2].value: Invalid value: \"x\": must be empty for operator `Exists`",
                "x.tolerations[3].operator: Unsupported value: \"In\": supported values: \"Equal\", \"Exists\"",
                "x.tolerations[3].effect: Unsupported value: \"Never\": supported values: \"NoExecute\", \
                 \"NoSchedule\", \"None\"",
                "x.tolerations[4].operator: Required value",
            ]
        );
    }
}
