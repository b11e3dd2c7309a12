//! The place at which a webhook is reached.

use crate::api::json::{Value, json};
use crate::kinds::fake::{FORWARD, forward};
use crate::kinds::tree::{field, list, text};

/// The default port of a webhook's Service.
const PORT: i64 = 443;

/// Finds a Service by its namespace and name.
pub(crate) type Find<'f> = &'f dyn Fn(&str, &str) -> Option<Value>;

/// Returns the address of a webhook as errors show it, by its `clientConfig`.
pub(crate) fn address(config: &Value, timeout: u64) -> String {
    let service = field(config, "service");
    let base = match service.is_null() {
        true => text(config, "url").to_owned(),
        false => format!(
            "https://{}.{}.svc:{}{}",
            text(service, "name"),
            text(service, "namespace"),
            port(service),
            text(service, "path")
        ),
    };
    format!("{base}?timeout={timeout}s")
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
        None => Err(format!(
            "no endpoints available for service {name:?} (its annotation {FORWARD} can name the HOST:PORT of the \
             webhook)"
        )),
    }
}

fn port(service: &Value) -> i64 {
    field(service, "port").as_i64().unwrap_or(PORT)
}
