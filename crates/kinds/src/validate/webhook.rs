//! The client configuration of webhooks.

use crate::api::json::Value;
use crate::tree::{field, has, text};
use crate::validate::common::required_text;
use crate::validate::errors::Errors;
use crate::validate::go;
use crate::validate::path::Path;

/// Validates the address of a webhook: a URL or a service, not both.
pub(crate) fn client_config(path: &Path<'_>, config: &Value, errors: &mut Errors) {
    let url = has(config, "url");
    // Both or neither is the error.
    if url == has(config, "service") {
        return errors.required(path, "exactly one of url or service is required");
    }
    if url {
        return web_address(&path.child("url"), text(config, "url"), errors);
    }
    let (path, service) = (path.child("service"), field(config, "service"));
    required_text(&path, service, "name", errors);
    required_text(&path, service, "namespace", errors);
}

fn web_address(path: &Path<'_>, url: &str, errors: &mut Errors) {
    const FORM: &str = "; desired format: https://host[/path]";
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    // Every part is reported by itself, so the text is cut up by hand rather than rejected by a
    // parser.
    let host = rest.split(['/', '?', '#']).next().unwrap_or("");
    let mut wrong = |shown: &str, detail: &str| {
        errors.invalid_shown(path, &go::quoted(shown), &format!("{detail}{FORM}"));
    };
    if scheme != "https" {
        wrong(scheme, "'https' is the only allowed URL scheme");
    }
    if host.is_empty() {
        wrong("", "host must be specified");
    }
    if host.contains('@') {
        wrong(host, "user information is not permitted in the URL");
    }
    if rest.contains('?') {
        wrong(rest, "query parameters are not permitted in the URL");
    }
    if rest.contains('#') {
        wrong(rest, "fragments are not permitted in the URL");
    }
}
