//! Ingresses, IngressClasses, ServiceCIDRs and IPAddresses.

use std::collections::BTreeSet;

use super::events::events;
use super::meta::{annotations, cluster_head, labels, long_conditions, name};
use super::related::{NONE, Related, RelatedKind};
use super::service::{addresses, slices_of};
use super::writer::Writer;
use crate::api::json::Value;
use crate::kinds::tree::{at, field, has, int, len, list, text, texts};

pub(super) fn ingress(w: &mut Writer, ingress: &Value, related: &Related) {
    let (metadata, spec) = (field(ingress, "metadata"), field(ingress, "spec"));
    w.field(0, "Name", name(ingress));
    labels(w, 0, "Labels", metadata, "labels");
    w.field(0, "Namespace", text(metadata, "namespace"));
    let balancer = list(at(ingress, &["status", "loadBalancer"]), "ingress");
    // Sorted and without duplicates, because controllers report addresses in varying order.
    let found: BTreeSet<&str> = balancer
        .iter()
        .map(|one| super::meta::or(text(one, "ip"), text(one, "hostname")))
        .filter(|address| !address.is_empty())
        .collect();
    w.field(
        0,
        "Address",
        found.into_iter().collect::<Vec<_>>().join(","),
    );
    let class = if has(spec, "ingressClassName") {
        text(spec, "ingressClassName")
    } else {
        NONE
    };
    w.field(0, "Ingress Class", class);
    let default = match has(spec, "defaultBackend") {
        true => backend(field(spec, "defaultBackend"), related),
        // The text dates from clusters that had a default backend for unmatched requests.
        false => "<default>".to_owned(),
    };
    w.field(0, "Default backend", &default);
    if len(spec, "tls") > 0 {
        w.line(0, "TLS:");
    }
    for tls in list(spec, "tls") {
        let hosts = texts(tls, "hosts").collect::<Vec<_>>().join(",");
        w.line(
            1,
            match text(tls, "secretName") {
                "" => format!("SNI routes {hosts}"),
                secret => format!("{secret} terminates {hosts}"),
            },
        );
    }
    rules(w, spec, &default, related);
    annotations(w, 0, "Annotations", metadata);
    events(w, related);
}

fn rules(w: &mut Writer, spec: &Value, default: &str, related: &Related) {
    w.line(0, "Rules:");
    w.line(1, "Host\tPath\tBackends");
    w.line(1, "----\t----\t--------");
    let rules: Vec<&Value> = list(spec, "rules")
        .iter()
        // kubectl does not list a rule without paths, which sends all requests to the default backend.
        .filter(|rule| has(rule, "http"))
        .collect();
    for rule in &rules {
        let host = super::meta::or(text(rule, "host"), "*");
        w.line(1, format!("{host}\t"));
        for path in list(field(rule, "http"), "paths") {
            let backend = backend(field(path, "backend"), related);
            w.line(2, format!("\t{} \t{backend}", text(path, "path")));
        }
    }
    // Without rules, the wildcards stand for all requests; they go to the default backend.
    if rules.is_empty() {
        w.line(1, format!("*\t*\t{default}"));
    }
}

/// Formats a backend with the addresses of its endpoints.
fn backend(backend: &Value, related: &Related) -> String {
    let service = field(backend, "service");
    if service.is_null() {
        let resource = field(backend, "resource");
        if resource.is_null() {
            return String::new();
        }
        let group = if has(resource, "apiGroup") {
            text(resource, "apiGroup")
        } else {
            NONE
        };
        let (kind, name) = (text(resource, "kind"), text(resource, "name"));
        return format!("APIGroup: {group}, Kind: {kind}, Name: {name}");
    }
    let wanted = text(service, "name");
    let (number, port_name) = (
        int(field(service, "port"), "number"),
        text(field(service, "port"), "name"),
    );
    let shown = match number {
        0 => format!("{wanted}:{port_name}"),
        number => format!("{wanted}:{number}"),
    };
    // kubectl lists the EndpointSlices before it reads the Service.
    let mut refused = [RelatedKind::EndpointSlices, RelatedKind::Services].into_iter();
    if let Some(why) = refused.find_map(|need| related.refusal(need)) {
        return format!("{shown} (<error: {why}>)");
    }
    let Some(found) = related
        .services
        .iter()
        .find(|service| name(service) == wanted)
    else {
        // The error is part of the output, because a missing backend is the usual reason to look here.
        return format!("{shown} (<error: services \"{wanted}\" not found>)");
    };
    let is_port = |port: &&Value| match number {
        0 => !port_name.is_empty() && text(port, "name") == port_name,
        number => int(port, "port") == number,
    };
    // kubectl's loop goes on after a match, so the last port with the number is used.
    let port = list(field(found, "spec"), "ports").iter().rfind(is_port);
    let port = port.map_or("", |port| text(port, "name"));
    format!("{shown} ({})", addresses(&slices_of(wanted, related), port))
}

pub(super) fn ingress_class(w: &mut Writer, class: &Value, related: &Related) {
    let spec = field(class, "spec");
    cluster_head(w, class);
    w.field(0, "Controller", text(spec, "controller"));
    let parameters = field(spec, "parameters");
    if !parameters.is_null() {
        w.line(0, "Parameters:");
        if has(parameters, "apiGroup") {
            w.field(1, "APIGroup", text(parameters, "apiGroup"));
        }
        w.field(1, "Kind", text(parameters, "kind"));
        w.field(1, "Name", text(parameters, "name"));
    }
    events(w, related);
}

pub(super) fn service_cidr(w: &mut Writer, object: &Value, related: &Related) {
    cluster_head(w, object);
    let cidrs: Vec<&str> = texts(field(object, "spec"), "cidrs").collect();
    w.field(0, "CIDRs", cidrs.join(", "));
    if len(field(object, "status"), "conditions") > 0 {
        w.line(0, "Status:");
        w.line(0, "Conditions:");
        long_conditions(w, object, related);
    }
    events(w, related);
}

pub(super) fn ip_address(w: &mut Writer, address: &Value, related: &Related) {
    cluster_head(w, address);
    let parent = at(address, &["spec", "parentRef"]);
    if !parent.is_null() {
        w.line(0, "Parent Reference:");
        for (title, name) in [
            ("Group", "group"),
            ("Resource", "resource"),
            ("Namespace", "namespace"),
            ("Name", "name"),
        ] {
            w.field(1, title, text(parent, name));
        }
    }
    events(w, related);
}
