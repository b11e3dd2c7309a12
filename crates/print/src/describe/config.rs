//! ConfigMaps, Secrets and ServiceAccounts.

use base64::Engine as _;

use super::events::events;
use super::meta::head;
use super::related::{NONE, Related};
use super::writer::Writer;
use crate::api::json::Value;
use crate::kinds::tree::{as_text, entries, list, text};

pub(super) fn config_map(w: &mut Writer, map: &Value, related: &Related) {
    head(w, map);
    w.put("\nData\n====\n");
    for (key, value) in entries(map, "data") {
        // Written without columns, because a value may contain tabs and several lines.
        w.put(format!("{key}:\n----\n{}\n\n", as_text(value)));
    }
    w.put("\nBinaryData\n====\n");
    for (key, value) in entries(map, "binaryData") {
        w.put(format!("{key}: {} bytes\n", decoded(value).len()));
    }
    w.put("\n");
    events(w, related);
}

fn decoded(value: &Value) -> Vec<u8> {
    let text = as_text(value);
    base64::engine::general_purpose::STANDARD
        .decode(text)
        .unwrap_or_default()
}

pub(super) fn secret(w: &mut Writer, secret: &Value, _related: &Related) {
    const TOKEN_TYPE: &str = "kubernetes.io/service-account-token";
    head(w, secret);
    let kind = text(secret, "type");
    w.put(format!("\nType:\t{kind}\n\nData\n====\n"));
    for (key, value) in entries(secret, "data") {
        let value = decoded(value);
        match key == "token" && kind == TOKEN_TYPE {
            // The only value that kubectl shows in plain text, because this is how users read the token.
            true => w.field(0, key, String::from_utf8_lossy(&value)),
            false => w.field(0, key, format!("{} bytes", value.len())),
        }
    }
}

pub(super) fn service_account(w: &mut Writer, account: &Value, related: &Related) {
    head(w, account);
    let names: Vec<&str> = list(account, "imagePullSecrets")
        .iter()
        .map(|one| text(one, "name"))
        .collect();
    if names.is_empty() {
        w.field(0, "Image pull secrets", NONE);
    }
    for (at, name) in names.iter().enumerate() {
        let title = if at == 0 {
            "Image pull secrets:"
        } else {
            "                   "
        };
        w.line(0, format!("{title}\t{name}"));
    }
    events(w, related);
}
