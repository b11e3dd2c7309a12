//! The rules of a Secret.

use crate::api::json::Value;
use crate::api::json_syntax;
use crate::core::validate::{MAX_DATA, decoded, immutable_data};
use crate::tree::{entries, field, has, text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// Validates a new Secret.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    const ACCOUNT: &str = "kubernetes.io/service-account.name";
    meta::create(object, true, names::dns1123_subdomain, errors);
    let path = Path::root("data");
    let mut size = 0;
    for (key, value) in entries(object, "data") {
        errors.invalid_each(&path.key(key), key, names::config_key(key));
        // The limit applies to the decoded bytes, which are a quarter fewer than in base64.
        size += decoded(value).len();
    }
    if size > MAX_DATA {
        errors.too_long(&path, MAX_DATA);
    }
    let data = field(object, "data");
    let mut require = |key: &str| {
        if !has(data, key) {
            errors.required(&path.key(key), "");
        }
    };
    match text(object, "type") {
        "kubernetes.io/tls" => ["tls.crt", "tls.key"].iter().for_each(|key| require(key)),
        "kubernetes.io/ssh-auth" => require("ssh-privatekey"),
        // One of the two is enough. If both are missing, upstream reports each.
        "kubernetes.io/basic-auth" if !has(data, "username") && !has(data, "password") => {
            require("username");
            require("password");
        }
        "kubernetes.io/dockercfg" => docker(&path, data, ".dockercfg", errors),
        "kubernetes.io/dockerconfigjson" => docker(&path, data, ".dockerconfigjson", errors),
        "kubernetes.io/service-account-token" => {
            let annotations = field(field(object, "metadata"), "annotations");
            if text(annotations, ACCOUNT).is_empty() {
                let metadata = Path::root("metadata");
                errors.required(&metadata.child("annotations").key(ACCOUNT), "");
            }
        }
        _ => {}
    }
}

fn docker(path: &Path<'_>, data: &Value, key: &str, errors: &mut Errors) {
    if !has(data, key) {
        return errors.required(&path.key(key), "");
    }
    if let Some(wrong) = map_error(&decoded(field(data, key))) {
        // The error must not repeat the secret, because errors end up in logs and terminals.
        let shown = "\"<secret contents redacted>\"";
        errors.invalid_shown(&path.key(key), shown, &wrong);
    }
}

/// Returns Go's error if a text is not the JSON of a map; like Go, accepts null.
fn map_error(text: &[u8]) -> Option<String> {
    if let Err(wrong) = json_syntax::check(text) {
        return Some(wrong);
    }
    // The text is valid, so its first character determines its type.
    let found = match text.trim_ascii_start().first()? {
        b'[' => "array",
        b'"' => "string",
        b't' | b'f' => "bool",
        b'-' | b'0'..=b'9' => "number",
        _ => return None,
    };
    Some(format!(
        "json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
    ))
}

/// Validates an update of a Secret.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let kind = |object| field(object, "type");
    meta::immutable(&Path::root("type"), kind(object), kind(old), errors);
    // Check after the type and before the rules for a new Secret, which gives upstream's order of causes.
    immutable_data(object, old, &["data"], errors);
    create(object, errors);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_docker_configuration_is_a_map() {
        let of_type = |found: &str| {
            format!(
                "json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
            )
        };
        for (text, wanted) in [
            (
                "{bad",
                "invalid character 'b' looking for beginning of object key string".to_owned(),
            ),
            (
                "{\"a\":}",
                "invalid character '}' looking for beginning of value".to_owned(),
            ),
            (
                "{} x",
                "invalid character 'x' after top-level value".to_owned(),
            ),
            ("{\"auths\": {", "unexpected end of JSON input".to_owned()),
            ("", "unexpected end of JSON input".to_owned()),
            (
                "notjson",
                "invalid character 'o' in literal null (expecting 'u')".to_owned(),
            ),
            ("[1]", of_type("array")),
            (" \"a\"", of_type("string")),
            ("-1", of_type("number")),
            ("true", of_type("bool")),
        ] {
            assert_eq!(map_error(text.as_bytes()), Some(wanted), "{text}");
        }
        for text in ["{}", "null", " {\"auths\": {\"a\": 1}}"] {
            assert_eq!(map_error(text.as_bytes()), None, "{text}");
        }
    }
}
