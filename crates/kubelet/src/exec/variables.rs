//! The environment variables of a container.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::find::Find;
use super::mounts::{decoded, hostname};
use super::resources;
use crate::api::json::Value;
use crate::container_status;
use crate::kinds::moment;
use crate::kinds::tree::{at, field, int, list, text};

/// Returns the variables of a container, including those of the kubelet and the image.
pub(crate) fn of(
    pod: &Value,
    container: &Value,
    find: &Find<'_>,
    started: &Find<'_>,
) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    let hostname = hostname(pod);
    for (name, value) in [("PATH", path), ("HOSTNAME", &hostname), ("HOME", "/root")] {
        all.insert(name.to_owned(), value.to_owned());
    }
    let namespace = text(field(pod, "metadata"), "namespace");
    // Clients in the Pod use these to find the API server.
    if let Some(api) = find("services", "default", "kubernetes") {
        all.extend(of_service(&api));
    }
    all.extend(links(pod, container, find));
    // `env` comes after `envFrom` and takes precedence.
    for from in list(container, "envFrom") {
        for (holder, resource) in [("configMapRef", "configmaps"), ("secretRef", "secrets")] {
            let name = text(field(from, holder), "name");
            let found = (!name.is_empty()).then(|| started(resource, namespace, name));
            for (key, value) in found.flatten().iter().flat_map(values) {
                all.insert(format!("{}{key}", text(from, "prefix")), value);
            }
        }
    }
    for variable in list(container, "env") {
        let value = match field(variable, "valueFrom") {
            from if from.is_null() => Some(expanded(text(variable, "value"), &all)),
            from => sourced(from, pod, container, started),
        };
        if let Some(value) = value {
            all.insert(text(variable, "name").to_owned(), value);
        }
    }
    all
}

/// Returns the variables for the other Services in the Pod's namespace.
fn links(pod: &Value, container: &Value, find: &Find<'_>) -> Vec<(String, String)> {
    if at(pod, &["spec", "enableServiceLinks"]).as_bool() == Some(false) {
        return Vec::new();
    }
    let status = container_status::find(pod, text(container, "name"));
    let started = status.map(|own| at(own, &["state", "running", "startedAt"]));
    let started = started.and_then(moment::read).unwrap_or(Timestamp::MAX);
    let namespace = text(field(pod, "metadata"), "namespace");
    let services = find("services", namespace, "").unwrap_or_default();
    list(&services, "items")
        .iter()
        .filter(|service| {
            // A running process keeps the variables with which it was started.
            let created = moment::read(at(service, &["metadata", "creationTimestamp"]));
            let is_older = created.is_none_or(|created| created <= started);
            is_older && !matches!(text(field(service, "spec"), "clusterIP"), "" | "None")
        })
        .flat_map(of_service)
        .collect()
}

/// Returns the variables for a Service, including those of the legacy container links.
fn of_service(service: &Value) -> Vec<(String, String)> {
    let spec = field(service, "spec");
    let name = text(field(service, "metadata"), "name");
    let name = name.to_ascii_uppercase().replace('-', "_");
    let address = text(spec, "clusterIP");
    let mut all = vec![(format!("{name}_SERVICE_HOST"), address.to_owned())];
    for (at, port) in list(spec, "ports").iter().enumerate() {
        let number = int(port, "port");
        let protocol = match text(port, "protocol") {
            "" => "TCP",
            own => own,
        };
        let host = match address.contains(':') {
            true => format!("[{address}]"),
            false => address.to_owned(),
        };
        let url = format!("{}://{host}:{number}", protocol.to_ascii_lowercase());
        // The first port also has variables without its name.
        if at == 0 {
            all.push((format!("{name}_SERVICE_PORT"), number.to_string()));
            all.push((format!("{name}_PORT"), url.clone()));
        }
        let own = text(port, "name");
        if !own.is_empty() {
            let own = own.to_ascii_uppercase().replace('-', "_");
            all.push((format!("{name}_SERVICE_PORT_{own}"), number.to_string()));
        }
        let prefix = format!("{name}_PORT_{number}_{protocol}");
        all.push((prefix.clone(), url));
        all.push((format!("{prefix}_PROTO"), protocol.to_ascii_lowercase()));
        all.push((format!("{prefix}_PORT"), number.to_string()));
        all.push((format!("{prefix}_ADDR"), address.to_owned()));
    }
    all
}

/// Returns the keys of a ConfigMap or Secret, with their values.
fn values(object: &Value) -> Vec<(String, String)> {
    let is_secret = text(object, "kind") == "Secret";
    let data = field(object, "data").as_object();
    let value = |(key, value): (&str, &Value)| {
        let text = value.as_str().unwrap_or_default();
        let value = match is_secret {
            true => String::from_utf8_lossy(&decoded(text).unwrap_or_default()).into_owned(),
            false => text.to_owned(),
        };
        (key.to_owned(), value)
    };
    let data = data.into_iter().flatten();
    data.map(|(key, own)| value((key.as_str(), own))).collect()
}

fn sourced(from: &Value, pod: &Value, container: &Value, find: &Find<'_>) -> Option<String> {
    let namespace = text(field(pod, "metadata"), "namespace");
    let resource = field(from, "resourceFieldRef");
    if !resource.is_null() {
        return resources::referenced(resource, container, pod, find);
    }
    for (holder, resource) in [
        ("configMapKeyRef", "configmaps"),
        ("secretKeyRef", "secrets"),
    ] {
        let reference = field(from, holder);
        if !reference.is_null() {
            let object = find(resource, namespace, text(reference, "name"))?;
            let mut values = values(&object).into_iter();
            let key = text(reference, "key");
            return values.find(|(own, _)| own == key).map(|(_, value)| value);
        }
    }
    let path = text(field(from, "fieldRef"), "fieldPath");
    (!path.is_empty()).then(|| field_of(pod, path))
}

/// Returns the value of a Pod field in the downward API.
pub(super) fn field_of(pod: &Value, path: &str) -> String {
    // `metadata.labels['key']` selects a single label, whose key may contain dots.
    if let Some((holder, key)) = path.split_once("['") {
        let holder: Vec<&str> = holder.split('.').collect();
        return text(at(pod, &holder), key.trim_end_matches("']")).to_owned();
    }
    let names: Vec<&str> = path.split('.').collect();
    match at(pod, &names) {
        // The only lists in the downward API are those of IP addresses.
        Value::Array(_) => {
            let all = list(at(pod, &names[..1]), names[1]).iter();
            let addresses: Vec<&str> = all.map(|own| text(own, "ip")).collect();
            addresses.join(",")
        }
        value => match value.as_object() {
            // All labels or annotations, one per line.
            Some(map) => {
                let line = |(key, value): (&_, &Value)| format!("{key}={value}\n");
                map.iter().map(line).collect()
            }
            None => value.as_str().unwrap_or_default().to_owned(),
        },
    }
}

/// Expands references such as `$(NAME)` to earlier variables.
pub(crate) fn expanded(text: &str, known: &BTreeMap<String, String>) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        if let Some(escaped) = after.strip_prefix('$') {
            out.push('$');
            rest = escaped;
            continue;
        }
        let name = after
            .strip_prefix('(')
            .and_then(|rest| rest.split_once(')'));
        match name.and_then(|(name, left)| Some((known.get(name)?, left))) {
            Some((value, left)) => {
                out.push_str(value);
                rest = left;
            }
            // A reference to a missing variable stays as it is.
            None => {
                out.push('$');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}
