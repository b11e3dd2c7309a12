//! The rules of a Secret.

use crate::api::json::Value;
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
    let config = decoded(field(data, key));
    if serde_json::from_slice::<Value>(&config).is_err() {
        // The error must not repeat the secret, because errors end up in logs and terminals.
        let shown = "\"<secret contents redacted>\"";
        let text = String::from_utf8_lossy(&config);
        errors.invalid_shown(&path.key(key), shown, &go_json_error(&text));
    }
}

/// Returns Go's error for a text that is not JSON, as far as its first word determines it.
fn go_json_error(text: &str) -> String {
    let text = text.trim_start();
    let Some(first) = text.chars().next() else {
        return "unexpected end of JSON input".to_owned();
    };
    let literal = ["null", "true", "false"]
        .into_iter()
        .find(|word| word.starts_with(first));
    let Some(literal) = literal else {
        return format!("invalid character '{first}' looking for beginning of value");
    };
    let wrong = text.chars().zip(literal.chars()).find(|(a, b)| a != b);
    match wrong {
        Some((found, expected)) => {
            format!("invalid character '{found}' in literal {literal} (expecting '{expected}')")
        }
        None => "unexpected end of JSON input".to_owned(),
    }
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
