//! The rules of a CertificateSigningRequest.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::api::json::{Value, json};
use crate::pki::CertificateRequest;
use crate::tree::{as_text, field, len, list, opt_int, text, texts};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

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

/// Validates a new CertificateSigningRequest.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::path_segment, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    let request = STANDARD.decode(text(spec, "request")).unwrap_or_default();
    let pem = String::from_utf8_lossy(&request);
    if let Err(wrong) = CertificateRequest::check(&pem) {
        let detail = wrong.to_string();
        errors.invalid(&path.child("request"), field(spec, "request"), &detail);
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
    // Upstream reports all unknown usages before any duplicate, so this is a separate loop.
    let mut seen = BTreeSet::new();
    for (index, usage) in texts(spec, "usages").enumerate() {
        if !seen.insert(usage) {
            errors.duplicate(&usages.index(index), &go::quoted(usage));
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
    // v1beta1 set this signer in requests without one; v1 requires a signer.
    if name == "kubernetes.io/legacy-unknown" {
        let detail = "the legacy signerName is not allowed via this API version";
        errors.invalid_shown(path, &go::quoted(name), detail);
    }
}
