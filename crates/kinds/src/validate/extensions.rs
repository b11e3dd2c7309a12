//! API services, certificate requests, flow control and device claims.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::common::{one_of, required_name, required_text};
use super::errors::Errors;
use super::path::Path;
use super::{go, meta, names};
use crate::api::json::{Value, json};
use crate::tree::{as_text, field, flag, has, int, len, list, opt_int, text};

/// A new APIService.
pub(super) fn api_service(object: &Value, errors: &mut Errors) {
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    let name = text(field(object, "metadata"), "name");
    let required = format!("{}.{}", text(spec, "version"), text(spec, "group"));
    meta::create(object, false, names::path_segment, errors);
    if name != required {
        let metadata = Path::root("metadata");
        let detail = format!(
            "must be `spec.version+\".\"+spec.group`: {}",
            go::quoted(&required)
        );
        errors.invalid_shown(&metadata.child("name"), &go::quoted(name), &detail);
    }
    required_name(&path, spec, "version", names::dns1035_label, errors);
    for (name, max) in [("groupPriorityMinimum", 20_000), ("versionPriority", 1000)] {
        let value = int(spec, name);
        if !(1..=max).contains(&value) {
            let detail = format!("must be positive and less than {max}");
            errors.invalid(&path.child(name), &json!(value), &detail);
        }
    }
    let insecure = path.child("insecureSkipTLSVerify");
    if !has(spec, "service") {
        if !text(spec, "caBundle").is_empty() {
            let detail = "local APIServices may not have a caBundle";
            errors.invalid(&path.child("caBundle"), field(spec, "caBundle"), detail);
        }
        if flag(spec, "insecureSkipTLSVerify") {
            let detail = "local APIServices may not have insecureSkipTLSVerify";
            errors.invalid(&insecure, &json!(true), detail);
        }
        return;
    }
    let (service_path, service) = (path.child("service"), field(spec, "service"));
    required_text(&service_path, service, "namespace", errors);
    required_text(&service_path, service, "name", errors);
    super::common::port_number(&service_path.child("port"), int(service, "port"), errors);
    if flag(spec, "insecureSkipTLSVerify") && !text(spec, "caBundle").is_empty() {
        errors.invalid(
            &insecure,
            &json!(true),
            "may not be true if caBundle is present",
        );
    }
}

/// An update of an APIService.
pub(super) fn api_service_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    api_service(object, errors);
}

const USAGES: &[&str] = &[
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
];

/// A new CertificateSigningRequest.
pub(super) fn certificate_request(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::path_segment, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    let request = STANDARD.decode(text(spec, "request")).unwrap_or_default();
    let pem = String::from_utf8_lossy(&request);
    if !pem.contains("-----BEGIN CERTIFICATE REQUEST-----") {
        let detail = "PEM block type must be CERTIFICATE REQUEST";
        errors.invalid(&path.child("request"), field(spec, "request"), detail);
    }
    let usages = path.child("usages");
    if len(spec, "usages") == 0 {
        errors.required(&usages, "");
    }
    for (index, usage) in list(spec, "usages").iter().enumerate() {
        if !USAGES.contains(&as_text(usage)) {
            errors.not_supported(&usages.index(index), usage, USAGES);
        }
    }
    signer(&path.child("signerName"), text(spec, "signerName"), errors);
    if let Some(seconds) = opt_int(spec, "expirationSeconds").filter(|s| *s < 600) {
        errors.invalid(
            &path.child("expirationSeconds"),
            &json!(seconds),
            "may not specify a duration less than 600 seconds (10 minutes)",
        );
    }
}

fn signer(path: &Path<'_>, name: &str, errors: &mut Errors) {
    if name.is_empty() {
        return errors.required(path, "");
    }
    let Some((domain, rest)) = name.split_once('/') else {
        let detail =
            "must be a fully qualified domain and path of the form 'example.com/signer-name'";
        return errors.invalid_shown(path, &go::quoted(name), detail);
    };
    errors.invalid_each(path, domain, names::dns1123_subdomain(domain));
    errors.invalid_each(path, rest, names::dns1123_subdomain(rest));
    if name == "kubernetes.io/legacy-unknown" {
        let detail = "the legacy signerName is not allowed via this API version";
        errors.invalid_shown(path, &go::quoted(name), detail);
    }
}

/// A new FlowSchema.
pub(super) fn flow_schema(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    let precedence = int(spec, "matchingPrecedence");
    let precedence_path = path.child("matchingPrecedence");
    if precedence < 1 {
        errors.invalid(
            &precedence_path,
            &json!(precedence),
            "must be a positive value",
        );
    } else if precedence > 10_000 {
        let detail = "must not be greater than 10000";
        errors.invalid(&precedence_path, &json!(precedence), detail);
    }
    let level = path.child("priorityLevelConfiguration");
    if text(field(spec, "priorityLevelConfiguration"), "name").is_empty() {
        errors.required(&level.child("name"), "must reference a priority level");
    }
    let rules = path.child("rules");
    for (index, rule) in list(spec, "rules").iter().enumerate() {
        let path = rules.index(index);
        if len(rule, "subjects") == 0 {
            let detail = "subjects must contain at least one value";
            errors.required(&path.child("subjects"), detail);
        }
        if len(rule, "resourceRules") + len(rule, "nonResourceRules") == 0 {
            let detail = "at least one of resourceRules and nonResourceRules has to be non-empty";
            errors.required(&path, detail);
        }
    }
}

/// An update of a FlowSchema.
pub(super) fn flow_schema_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    flow_schema(object, errors);
}

/// A new PriorityLevelConfiguration.
pub(super) fn priority_level(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    one_of(&path, spec, "type", &["Exempt", "Limited"], errors);
    let limited = field(spec, "limited");
    if text(spec, "type") == "Limited" && limited.is_null() {
        let detail = "must not be empty when type is Limited";
        return errors.required(&path.child("limited"), detail);
    }
    let path = path.child("limited");
    let path = path.child("limitResponse");
    let response = field(limited, "limitResponse");
    match (text(response, "type"), has(response, "queuing")) {
        ("Reject", true) => errors.forbidden(
            &path.child("queuing"),
            "must be nil if limited.limitResponse.type is not Limited",
        ),
        ("Queue", false) => errors.required(
            &path.child("queuing"),
            "must not be empty if limited.limitResponse.type is Limited",
        ),
        _ => {}
    }
}

/// An update of a PriorityLevelConfiguration.
pub(super) fn priority_level_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    priority_level(object, errors);
}

/// A new ResourceClaim.
pub(super) fn resource_claim(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    device_requests(&Path::root("spec"), field(object, "spec"), errors);
}

/// A new ResourceClaimTemplate.
pub(super) fn resource_claim_template(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    let path = Path::root("spec");
    let claim = field(field(object, "spec"), "spec");
    device_requests(&path.child("spec"), claim, errors);
}

/// An update of a ResourceClaimTemplate.
pub(super) fn resource_claim_template_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let spec = field(object, "spec");
    if spec != field(old, "spec") {
        let shown = go::shown_as("ResourceClaimTemplateSpec", spec);
        errors.invalid_shown(&Path::root("spec"), &shown, "field is immutable");
    }
}

fn device_requests(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let path = path.child("devices");
    let path = path.child("requests");
    let requests = list(field(spec, "devices"), "requests");
    for (index, request) in requests.iter().enumerate() {
        let path = path.index(index);
        required_name(&path, request, "name", names::dns1123_label, errors);
        if has(request, "exactly") == (len(request, "firstAvailable") > 0) {
            let detail = "exactly one of `exactly` or `firstAvailable` is required";
            errors.required(&path, detail);
        }
    }
}

/// An update of a ResourceClaim.
pub(super) fn resource_claim_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let spec = field(object, "spec");
    if spec != field(old, "spec") {
        let shown = go::shown_as("ResourceClaimSpec", spec);
        errors.invalid_shown(&Path::root("spec"), &shown, "field is immutable");
    }
}

/// A new ResourceSlice.
pub(super) fn resource_slice(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    let pool = field(spec, "pool");
    let count = int(pool, "resourceSliceCount");
    if count <= 0 {
        let path = path.child("pool");
        let detail = "must be greater than zero";
        errors.invalid(&path.child("resourceSliceCount"), &json!(count), detail);
    }
    let places = [
        "nodeName",
        "nodeSelector",
        "allNodes",
        "perDeviceNodeSelection",
    ];
    if !places.iter().any(|name| has(spec, name)) {
        errors.required(
            &path,
            "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required",
        );
    }
    required_text(&path, spec, "driver", errors);
}

/// An update of a ResourceSlice.
pub(super) fn resource_slice_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    resource_slice(object, errors);
}
