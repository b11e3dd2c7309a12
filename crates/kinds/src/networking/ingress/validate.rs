//! The rules of an Ingress.

use std::net::IpAddr;

use super::warnings::CLASS;
use crate::api::json::{Value, json};
use crate::tree::{field, has, int, len, list, text, texts};
use crate::validate::common::{optional_name, port_number, required_name, typed_reference};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, load_balancer, meta, names};

/// Validates a new Ingress.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    let spec = field(object, "spec");
    ingress_spec(&Path::root("spec"), spec, errors);
    let annotations = field(field(object, "metadata"), "annotations");
    // Only on creation: in an existing Ingress, the annotation may still select the controller.
    if has(annotations, CLASS) && has(spec, "ingressClassName") {
        let class = text(annotations, CLASS);
        if class != text(spec, "ingressClassName") {
            let path = Path::root("annotations");
            let detail = "must match `ingressClassName` when both are specified";
            errors.invalid_shown(&path.child(CLASS), &go::quoted(class), detail);
        }
    }
}

/// Validates an update of an Ingress.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    ingress_spec(&Path::root("spec"), field(object, "spec"), errors);
}

/// Validates an update of an Ingress' status.
pub(crate) fn status(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let path = Path::root("status");
    let path = path.child("loadBalancer");
    let path = path.child("ingress");
    let points = list(field(field(object, "status"), "loadBalancer"), "ingress");
    for (index, point) in points.iter().enumerate() {
        load_balancer::balancer_point(&path.index(index), point, errors);
    }
}

fn ingress_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    if len(spec, "rules") == 0 && !has(spec, "defaultBackend") {
        // Upstream shows the rules, which are nil here, with the path of the spec.
        let detail = "either `defaultBackend` or `rules` must be specified";
        errors.invalid(path, &Value::Null, detail);
    }
    if has(spec, "defaultBackend") {
        backend(
            &path.child("defaultBackend"),
            field(spec, "defaultBackend"),
            errors,
        );
    }
    let rules = path.child("rules");
    for (index, rule) in list(spec, "rules").iter().enumerate() {
        ingress_rule(&rules.index(index), rule, errors);
    }
    let tls = path.child("tls");
    for (index, entry) in list(spec, "tls").iter().enumerate() {
        let entry_path = tls.index(index);
        let hosts = entry_path.child("hosts");
        for (index, host) in texts(entry, "hosts").enumerate() {
            errors.invalid_each(&hosts.index(index), host, host_name(host));
        }
        optional_name(
            &entry_path,
            entry,
            "secretName",
            names::dns1123_subdomain,
            errors,
        );
    }
    if has(spec, "ingressClassName") {
        let class = text(spec, "ingressClassName");
        let wrong = names::dns1123_subdomain(class);
        errors.invalid_each(&path.child("ingressClassName"), class, wrong);
    }
}

fn host_name(host: &str) -> Vec<String> {
    // A host with an asterisk anywhere is validated as a wildcard, so `foo.*.com` gets the error about wildcards.
    match host.contains('*') {
        true => names::wildcard_subdomain(host),
        false => names::dns1123_subdomain(host),
    }
}

fn ingress_rule(path: &Path<'_>, rule: &Value, errors: &mut Errors) {
    let host = text(rule, "host");
    if !host.is_empty() {
        let path = path.child("host");
        if host.parse::<IpAddr>().is_ok() {
            errors.invalid_shown(
                &path,
                &go::quoted(host),
                "must be a DNS name, not an IP address",
            );
        }
        errors.invalid_each(&path, host, host_name(host));
    }
    // A rule without paths is valid: the traffic of its host goes to the default backend.
    if !has(rule, "http") {
        return;
    }
    let path = path.child("http");
    let path = path.child("paths");
    let paths = list(field(rule, "http"), "paths");
    if paths.is_empty() {
        errors.required(&path, "");
    }
    for (index, entry) in paths.iter().enumerate() {
        http_path(&path.index(index), entry, errors);
    }
}

fn http_path(path: &Path<'_>, entry: &Value, errors: &mut Errors) {
    const TYPES: &[&str] = &["Exact", "ImplementationSpecific", "Prefix"];
    let place = text(entry, "path");
    let place_path = path.child("path");
    let mut wrong = |detail: &str| errors.invalid_shown(&place_path, &go::quoted(place), detail);
    match text(entry, "pathType") {
        "Exact" | "Prefix" => {
            if !place.starts_with('/') {
                wrong("must be an absolute path");
            }
            // Controllers match these types by path elements. Proxies normalize these sequences, so a different path
            // would match.
            for sequence in ["//", "/./", "/../", "%2f", "%2F"] {
                if place.contains(sequence) {
                    wrong(&format!("must not contain '{sequence}'"));
                }
            }
            for suffix in ["/..", "/."] {
                if place.ends_with(suffix) {
                    wrong(&format!("cannot end with '{suffix}'"));
                }
            }
        }
        // The controller may define the syntax of the path, such as a regular expression.
        "ImplementationSpecific" if !place.is_empty() && !place.starts_with('/') => {
            wrong("must be an absolute path");
        }
        "ImplementationSpecific" => {}
        // The type is a pointer upstream: an absent type is missing, an empty one is unsupported.
        "" if !has(entry, "pathType") => {
            return errors.required(&path.child("pathType"), "pathType must be specified");
        }
        _ => errors.not_supported(&path.child("pathType"), field(entry, "pathType"), TYPES),
    }
    backend(&path.child("backend"), field(entry, "backend"), errors);
}

fn backend(path: &Path<'_>, backend: &Value, errors: &mut Errors) {
    // Upstream passes an empty string as the value instead of the backend.
    let mut wrong = |detail: &str| errors.invalid(path, &json!(""), detail);
    match (has(backend, "resource"), has(backend, "service")) {
        (true, true) => wrong("cannot set both resource and service backends"),
        (false, false) => wrong("resource or service backend is required"),
        (true, false) => {
            let (path, resource) = (path.child("resource"), field(backend, "resource"));
            typed_reference(&path, resource, errors);
        }
        (false, true) => service_backend(path, field(backend, "service"), errors),
    }
}

fn service_backend(path: &Path<'_>, service: &Value, errors: &mut Errors) {
    let service_path = path.child("service");
    required_name(&service_path, service, "name", names::dns1123_label, errors);
    let port = field(service, "port");
    let port_path = service_path.child("port");
    let (name, number) = (text(port, "name"), int(port, "number"));
    match (name.is_empty(), number == 0) {
        (false, false) => {
            errors.invalid(path, &json!(""), "cannot set both port name & port number");
        }
        // The number is not a pointer upstream, so 0 means absent. The error has the path of the whole backend.
        (true, true) => errors.required(path, "port name or number is required"),
        (false, true) => {
            errors.invalid_each(&port_path.child("name"), name, names::port_name(name));
        }
        (true, false) => port_number(&port_path.child("number"), number, errors),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_without_a_type_hides_its_backend_and_references_explain_themselves() {
        let told = |check: &dyn Fn(&Path<'_>, &mut Errors)| -> Vec<String> {
            let mut errors = Errors::default();
            check(&Path::root("p"), &mut errors);
            errors
                .into_causes()
                .iter()
                .map(ToString::to_string)
                .collect()
        };
        let untyped =
            told(&|path, errors| http_path(path, &json!({"path": "/", "backend": {}}), errors));
        assert_eq!(
            untyped,
            ["p.pathType: Required value: pathType must be specified"]
        );
        let resource = json!({"resource": {"apiGroup": ""}});
        let found = told(&|path, errors| backend(path, &resource, errors));
        assert!(
            found[0].starts_with("p.resource.apiGroup: Invalid value: \"\""),
            "{found:?}"
        );
        assert_eq!(
            found[1..],
            [
                "p.resource.kind: Required value: kind is required",
                "p.resource.name: Required value: name is required"
            ]
        );
    }

    #[test]
    fn the_class_of_the_annotation_is_that_of_the_spec() {
        let ingress = |annotated: &str| {
            json!({"metadata": {"name": "i", "namespace": "default", "annotations": {CLASS: annotated}},
                "spec": {"ingressClassName": "a", "defaultBackend": {"service":
                {"name": "s", "port": {"number": 80}}}}})
        };
        let messages = |errors: Errors| -> Vec<String> {
            let causes = errors.into_causes();
            causes.iter().map(ToString::to_string).collect()
        };
        let created = |annotated: &str| {
            let mut errors = Errors::default();
            create(&ingress(annotated), &mut errors);
            messages(errors)
        };
        assert!(created("a").is_empty());
        let wrong = "annotations.kubernetes.io/ingress.class: Invalid value: \"b\": must match \
            `ingressClassName` when both are specified";
        assert_eq!(created("b"), [wrong]);
        let mut errors = Errors::default();
        update(&ingress("b"), &ingress("a"), &mut errors);
        let errors = messages(errors);
        assert!(!errors.iter().any(|error| error == wrong), "{errors:?}");
    }
}
