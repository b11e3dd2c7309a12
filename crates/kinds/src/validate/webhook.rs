//! The client configuration of webhooks.

use crate::api::json::{Value, json};
use crate::tree::{field, has, int, text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, names};

/// Validates the address of a webhook: a URL or a service, not both.
pub(crate) fn client_config(path: &Path<'_>, config: &Value, errors: &mut Errors) {
    let url = has(config, "url");
    // Setting both is as wrong as setting neither.
    if url == has(config, "service") {
        return errors.required(path, "exactly one of url or service is required");
    }
    if url {
        return web_address(&path.child("url"), text(config, "url"), errors);
    }
    service(&path.child("service"), field(config, "service"), errors);
}

/// Validates the Service of a webhook.
fn service(path: &Path<'_>, service: &Value, errors: &mut Errors) {
    for name in ["name", "namespace"] {
        if text(service, name).is_empty() {
            let detail = format!("service {name} is required");
            errors.required(&path.child(name), &detail);
        }
    }
    let port = int(service, "port");
    let wrong = names::port_number(port);
    if !wrong.is_empty() {
        let detail = format!("port is not valid: {}", wrong.join(", "));
        errors.invalid(&path.child("port"), &json!(port), &detail);
    }
    let (path, place) = (path.child("path"), text(service, "path"));
    let mut wrong = |detail: &str| errors.invalid_shown(&path, &go::quoted(place), detail);
    match place {
        "" | "/" => return,
        "//" => return wrong("segment[0] may not be empty"),
        _ if !place.starts_with('/') => wrong("must start with a '/'"),
        _ => {}
    }
    // Upstream drops the first character, whatever it is.
    let steps = place.chars().skip(1).collect::<String>();
    let steps = steps.strip_suffix('/').unwrap_or(&steps);
    for (index, step) in steps.split('/').enumerate() {
        if step.is_empty() {
            wrong(&format!("segment[{index}] may not be empty"));
            continue;
        }
        for failure in names::dns1123_subdomain(step) {
            wrong(&format!("segment[{index}]: {failure}"));
        }
    }
}

fn web_address(path: &Path<'_>, url: &str, errors: &mut Errors) {
    const FORM: &str = "; desired format: https://host[/path]";
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    // Upstream reports every faulty part, so the URL is split by hand; a parser would stop at the first error.
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let host = rest.split('/').next().unwrap_or("");
    // Everyone who may read the configuration would see the password.
    let (user, host) = match host.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, host),
    };
    let mut wrong =
        |shown: &str, detail: &str| errors.invalid_shown(path, &go::quoted(shown), detail);
    if scheme != "https" {
        let detail = format!("'https' is the only allowed URL scheme{FORM}");
        wrong(scheme, &detail);
    }
    if host.is_empty() {
        wrong("", &format!("host must be specified{FORM}"));
    }
    if let Some(user) = user {
        wrong(user, "user information is not permitted in the URL");
    }
    if !fragment.is_empty() {
        wrong(fragment, "fragments are not permitted in the URL");
    }
    if !query.is_empty() {
        wrong(query, "query parameters are not permitted in the URL");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(config: Value) -> Vec<String> {
        let mut errors = Errors::default();
        client_config(&Path::root("c"), &config, &mut errors);
        let causes = errors.into_causes();
        causes.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_service_has_a_name_a_port_and_a_clean_path() {
        let service = |path: &str| json!({"service": {"name": "a", "namespace": "b", "port": 443, "path": path}});
        assert_eq!(told(service("/x/y/")), [""; 0]);
        assert_eq!(
            told(service("//")),
            ["c.service.path: Invalid value: \"//\": segment[0] may not be empty"]
        );
        assert_eq!(
            told(service("a/b/")),
            [
                "c.service.path: Invalid value: \"a/b/\": must start with a '/'",
                "c.service.path: Invalid value: \"a/b/\": segment[0] may not be empty",
            ]
        );
        assert_eq!(
            told(json!({"service": {"port": 70_000}})),
            [
                "c.service.name: Required value: service name is required",
                "c.service.namespace: Required value: service namespace is required",
                "c.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive",
            ]
        );
    }

    #[test]
    fn an_address_is_a_host_and_a_path() {
        assert_eq!(told(json!({"url": "https://a:1/b"})), [""; 0]);
        assert_eq!(
            told(json!({"url": "https://u:p@a/b?q=1#f"})),
            [
                "c.url: Invalid value: \"u:p\": user information is not permitted in the URL",
                "c.url: Invalid value: \"f\": fragments are not permitted in the URL",
                "c.url: Invalid value: \"q=1\": query parameters are not permitted in the URL",
            ]
        );
    }
}
