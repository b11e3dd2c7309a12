//! Config maps, secrets, namespaces, nodes and events.

use std::collections::{BTreeSet, HashSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::common::resource_amount;
use super::errors::Errors;
use super::path::Path;
use super::{addresses, go, meta, names, pod};
use crate::api::json::Value;
use crate::tree::{as_text, entries, field, flag, has, list, text, texts};

const MAX_DATA: usize = 1024 * 1024;
const IMMUTABLE: &str = "field is immutable when `immutable` is set";

/// A new ServiceAccount, or any other namespaced object that only has metadata.
pub(super) fn namespaced(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
}

/// A cluster-wide object that only has metadata.
pub(super) fn cluster_wide(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
}

/// A new ConfigMap.
pub(super) fn config_map(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    let mut size = 0;
    let path = Path::root("data");
    for (key, value) in entries(object, "data") {
        let path = path.key(key);
        errors.invalid_each(&path, key, names::config_key(key));
        if has(field(object, "binaryData"), key) {
            let detail = "duplicate of key present in binaryData";
            errors.invalid_shown(&path, &go::quoted(key), detail);
        }
        size += as_text(value).len();
    }
    let path = Path::root("binaryData");
    for (key, value) in entries(object, "binaryData") {
        errors.invalid_each(&path.key(key), key, names::config_key(key));
        size += decoded(value).len();
    }
    if size > MAX_DATA {
        errors.too_long(&Path::root("[]"), MAX_DATA);
    }
}

/// An update of a ConfigMap.
pub(super) fn config_map_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    immutable_data(object, old, &["data", "binaryData"], errors);
    config_map(object, errors);
}

fn immutable_data(object: &Value, old: &Value, names: &[&str], errors: &mut Errors) {
    if !flag(old, "immutable") {
        return;
    }
    if !flag(object, "immutable") {
        errors.forbidden(&Path::root("immutable"), IMMUTABLE);
    }
    for name in names {
        if field(object, name) != field(old, name) {
            errors.forbidden(&Path::root(name), IMMUTABLE);
        }
    }
}

fn decoded(value: &Value) -> Vec<u8> {
    STANDARD.decode(as_text(value)).unwrap_or_default()
}

/// A new Secret.
pub(super) fn secret(object: &Value, errors: &mut Errors) {
    const ACCOUNT: &str = "kubernetes.io/service-account.name";
    meta::create(object, true, names::dns1123_subdomain, errors);
    let path = Path::root("data");
    let mut size = 0;
    for (key, value) in entries(object, "data") {
        errors.invalid_each(&path.key(key), key, names::config_key(key));
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
        let shown = "\"<secret contents redacted>\"";
        let text = String::from_utf8_lossy(&config);
        errors.invalid_shown(&path.key(key), shown, &go_json_error(&text));
    }
}

/// Returns Go's error for a text that is not JSON, as far as its first word decides.
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

/// An update of a Secret.
pub(super) fn secret_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let kind = |object| field(object, "type");
    meta::immutable(&Path::root("type"), kind(object), kind(old), errors);
    immutable_data(object, old, &["data"], errors);
    secret(object, errors);
}

/// A new Namespace.
pub(super) fn namespace(object: &Value, errors: &mut Errors) {
    const LEVELS: [&str; 3] = ["privileged", "baseline", "restricted"];
    meta::create(object, false, names::dns1123_label, errors);
    let path = Path::root("spec");
    let path = path.child("finalizers");
    for name in texts(field(object, "spec"), "finalizers") {
        errors.invalid_each(&path, name, names::qualified_name(name));
        meta::standard_finalizer(&path, name, errors);
    }
    let labels = field(field(object, "metadata"), "labels");
    let metadata = Path::root("metadata");
    let labels_path = metadata.child("labels");
    for mode in ["enforce", "audit", "warn"] {
        let key = format!("pod-security.kubernetes.io/{mode}");
        let level = field(labels, &key);
        if !level.is_null() && !LEVELS.contains(&as_text(level)) {
            let detail = format!("must be one of {}", LEVELS.join(", "));
            errors.invalid(&labels_path.key(&key), level, &detail);
        }
    }
}

/// An update of a Namespace.
pub(super) fn namespace_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
}

/// A new Node.
pub(super) fn node(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    taints(object, errors);
    node_status(object, errors);
    let spec = field(object, "spec");
    let path = Path::root("spec");
    let path = path.child("podCIDRs");
    for (index, range) in texts(spec, "podCIDRs").enumerate() {
        errors.invalid_each(&path.index(index), range, addresses::cidr(range, true));
    }
    let families: Vec<bool> = texts(spec, "podCIDRs")
        .filter_map(addresses::parse_cidr)
        .map(|(address, _)| address.is_ipv4())
        .collect();
    if families.len() > 2 || families.len() == 2 && families[0] == families[1] {
        let detail = "may specify no more than one CIDR for each IP family";
        errors.invalid(&path, field(spec, "podCIDRs"), detail);
    }
}

fn taints(object: &Value, errors: &mut Errors) {
    let path = Path::root("metadata");
    let path = path.child("taints");
    let mut seen = BTreeSet::new();
    for (index, taint) in list(field(object, "spec"), "taints").iter().enumerate() {
        let path = path.index(index);
        let (key, value) = (text(taint, "key"), text(taint, "value"));
        errors.invalid_each(&path.child("key"), key, names::qualified_name(key));
        let wrong = names::label_value(value);
        if !wrong.is_empty() {
            errors.invalid_shown(&path.child("value"), &go::quoted(value), &wrong.join(";"));
        }
        pod::taint_effect(&path, taint, errors);
        if !seen.insert((key, text(taint, "effect"))) {
            let shown = go::shown_as("Taint", taint);
            let detail = format!("{shown}: taints must be unique by key and effect pair");
            errors.duplicate(&path, &detail);
        }
    }
}

fn node_status(object: &Value, errors: &mut Errors) {
    let (path, status) = (Path::root("status"), field(object, "status"));
    for name in ["capacity", "allocatable"] {
        let path = path.child(name);
        for (resource, amount) in entries(status, name) {
            resource_amount(&path.child(resource), resource, amount, errors);
        }
    }
    let path = path.child("addresses");
    let addresses = list(status, "addresses");
    let mut seen = HashSet::new();
    for (index, address) in addresses.iter().enumerate() {
        if !seen.insert(address) {
            errors.duplicate(&path.index(index), &go::shown_as("NodeAddress", address));
        }
    }
}

/// An update of a Node or of its status.
pub(super) fn node_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    node_status(object, errors);
    let path = Path::root("spec");
    let (spec, before) = (field(object, "spec"), field(old, "spec"));
    for (name, called) in [("podCIDRs", "podCIDR"), ("providerID", "providerID")] {
        if has(before, name) && field(spec, name) != field(before, name) {
            let detail = format!("node updates may not change {called} except from \"\" to valid");
            errors.forbidden(&path.child(name), &detail);
        }
    }
    taints(object, errors);
}
