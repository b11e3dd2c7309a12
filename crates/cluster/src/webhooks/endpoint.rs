//! The place at which a webhook is reached.

use crate::api::json::{Value, json};
use crate::kinds::fake::forward;
use crate::kinds::tree::{field, list, text};

/// The default port of a webhook's Service.
const PORT: i64 = 443;

/// Finds a Service by its namespace and name.
pub(crate) type Find<'f> = &'f dyn Fn(&str, &str) -> Option<Value>;

/// Returns the address of a webhook as errors show it, by its `clientConfig`.
pub(crate) fn address(config: &Value, timeout: u64) -> String {
    let service = field(config, "service");
    let (host, path) = match service.is_null() {
        true => {
            let url = text(config, "url");
            let start = url.find("://").map_or(0, |at| at + 3);
            url.split_at(url[start..].find('/').map_or(url.len(), |at| start + at))
        }
        false => ("", text(service, "path")),
    };
    let host = match host {
        "" => format!(
            "https://{}.{}.svc:{}",
            text(service, "name"),
            text(service, "namespace"),
            port(service)
        ),
        host => host.to_owned(),
    };
    // client-go joins the parts of a path with slashes, also if there is only one.
    format!("{host}/{}?timeout={timeout}s", path.trim_matches('/'))
}

/// Returns the address for a Service, which has no network here; `None` without a Service.
///
/// # Errors
/// Returns the reason if the Service has no address.
pub(crate) fn forwarded(find: Find<'_>, service: &Value) -> Result<Option<String>, String> {
    if service.is_null() {
        return Ok(None);
    }
    let name = text(service, "name");
    let found = find(text(service, "namespace"), name);
    let found = found.ok_or_else(|| format!("service {name:?} not found"))?;
    let port = port(service);
    let ports = list(field(&found, "spec"), "ports");
    if !ports.iter().any(|own| field(own, "port") == &json!(port)) {
        return Err(format!("no service port {port} found for service {name:?}"));
    }
    match forward(&found, port) {
        Some(address) => Ok(Some(address.to_owned())),
        None => Err(format!("no endpoints available for service {name:?}")),
    }
}

fn port(service: &Value) -> i64 {
    field(service, "port").as_i64().unwrap_or(PORT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_path() {
        let service =
            |path: &str| json!({"service": {"name": "s", "namespace": "n", "path": path}});
        for (config, expected) in [
            (service(""), "https://s.n.svc:443/?timeout=10s"),
            (service("/a/b/"), "https://s.n.svc:443/a/b?timeout=10s"),
            (json!({"url": "https://h:1"}), "https://h:1/?timeout=10s"),
            (json!({"url": "https://h/a"}), "https://h/a?timeout=10s"),
        ] {
            assert_eq!(address(&config, 10), expected);
        }
    }
}
