//! CertificateSigningRequests, and a decoder for those parts of a certificate request that a description shows.

use std::net::{Ipv4Addr, Ipv6Addr};

use base64::Engine as _;

use super::events::events;
use super::meta::{created, name};
use super::related::Related;
use super::writer::Writer;
use crate::api::duration;
use crate::api::json::Value;
use crate::kinds::columns;
use crate::kinds::tree::{field, list, opt_int, text};

pub(super) fn signing_request(w: &mut Writer, request: &Value, related: &Related) {
    let (metadata, spec) = (field(request, "metadata"), field(request, "spec"));
    w.field(0, "Name", name(request));
    w.field(0, "Labels", columns::labels(metadata, "labels"));
    w.field(0, "Annotations", columns::labels(metadata, "annotations"));
    created(w, request, related);
    w.field(0, "Requesting User", text(spec, "username"));
    if !text(spec, "signerName").is_empty() {
        w.field(0, "Signer", text(spec, "signerName"));
    }
    if let Some(seconds) = opt_int(spec, "expirationSeconds") {
        w.field(0, "Requested Duration", duration::human(seconds));
    }
    w.field(0, "Status", status(field(request, "status")));
    // If the request cannot be decoded, its fields are empty, because the rest of the object is still useful.
    let contents = contents(text(spec, "request")).unwrap_or_default();
    w.line(0, "Subject:");
    w.field(0, "\tCommon Name", contents.one(COMMON_NAME));
    w.field(0, "\tSerial Number", contents.one(SERIAL_NUMBER));
    for (title, id) in [
        ("Organization", ORGANIZATION),
        ("Organizational Unit", ORGANIZATIONAL_UNIT),
        ("Country", COUNTRY),
        ("Locality", LOCALITY),
        ("Province", PROVINCE),
        ("StreetAddress", STREET),
        ("PostalCode", POSTAL_CODE),
    ] {
        several(w, title, &contents.all(id));
    }
    if !contents.names.is_empty() {
        w.line(0, "Subject Alternative Names:");
    }
    for (title, tag) in [
        ("DNS Names", DNS),
        ("Email Addresses", EMAIL),
        ("URIs", URI),
        ("IP Addresses", IP),
    ] {
        let names = contents.names.iter().filter(|(of, _)| *of == tag);
        several(
            w,
            title,
            &names.map(|(_, name)| name.as_str()).collect::<Vec<_>>(),
        );
    }
    events(w, related);
}

fn several(w: &mut Writer, title: &str, values: &[&str]) {
    if !values.is_empty() {
        // Further values are aligned with the first one.
        w.line(0, format!("\t{title}:\t{}", values.join("\n\t\t")));
    }
}

fn status(status: &Value) -> String {
    let has = |kind: &str| {
        list(status, "conditions")
            .iter()
            .any(|c| text(c, "type") == kind)
    };
    let mut shown = match () {
        // A denied request may also be approved. As for the signer, the denial wins.
        () if has("Denied") => "Denied",
        () if has("Approved") => "Approved",
        () => "Pending",
    }
    .to_owned();
    if has("Failed") {
        shown.push_str(",Failed");
    }
    if !text(status, "certificate").is_empty() {
        shown.push_str(",Issued");
    }
    shown
}

/// The object identifiers of a subject's attributes, as DER.
const COMMON_NAME: &[u8] = &[0x55, 4, 3];
const SERIAL_NUMBER: &[u8] = &[0x55, 4, 5];
const COUNTRY: &[u8] = &[0x55, 4, 6];
const LOCALITY: &[u8] = &[0x55, 4, 7];
const PROVINCE: &[u8] = &[0x55, 4, 8];
const STREET: &[u8] = &[0x55, 4, 9];
const ORGANIZATION: &[u8] = &[0x55, 4, 10];
const ORGANIZATIONAL_UNIT: &[u8] = &[0x55, 4, 11];
const POSTAL_CODE: &[u8] = &[0x55, 4, 17];
/// The identifiers of the attribute with extensions and of the alternative names.
const EXTENSIONS: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 14];
const OTHER_NAMES: &[u8] = &[0x55, 0x1d, 0x11];

/// DER tags.
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const OBJECT_ID: u8 = 0x06;
const OCTETS: u8 = 0x04;
const INTEGER: u8 = 0x02;
const ATTRIBUTES: u8 = 0xa0;
/// DER tags of alternative names.
const EMAIL: u8 = 0x81;
const DNS: u8 = 0x82;
const URI: u8 = 0x86;
const IP: u8 = 0x87;

/// The parts of a certificate request that are shown.
#[derive(Debug, Default, PartialEq, Eq)]
struct Contents {
    subject: Vec<(Vec<u8>, String)>,
    names: Vec<(u8, String)>,
}

impl Contents {
    fn all(&self, id: &[u8]) -> Vec<&str> {
        let of = self.subject.iter().filter(|(known, _)| known == id);
        of.map(|(_, value)| value.as_str()).collect()
    }

    /// Returns the last of several values, as Go's `pkix.Name` does.
    fn one(&self, id: &[u8]) -> &str {
        self.all(id).pop().unwrap_or_default()
    }
}

/// Decodes the base64 of a PEM text; returns `None` if it is not a certificate request.
fn contents(request: &str) -> Option<Contents> {
    let decode = |text: &str| base64::engine::general_purpose::STANDARD.decode(text).ok();
    let pem = String::from_utf8(decode(request)?).ok()?;
    let (_, rest) = pem.split_once("-----BEGIN CERTIFICATE REQUEST-----")?;
    let (body, _) = rest.split_once("-----END")?;
    let der = decode(&body.split_whitespace().collect::<String>())?;
    let mut whole = Der(&der).inside(SEQUENCE)?;
    let mut info = whole.inside(SEQUENCE)?;
    info.inside(INTEGER)?;
    let mut contents = Contents::default();
    let mut subject = info.inside(SEQUENCE)?;
    while let Some(mut set) = subject.inside(SET) {
        while let Some(mut pair) = set.inside(SEQUENCE) {
            let id = pair.inside(OBJECT_ID)?.0.to_vec();
            // Subjects use several string types; for display, only the bytes matter.
            let (_, value) = pair.next()?;
            contents
                .subject
                .push((id, String::from_utf8_lossy(value).into_owned()));
        }
    }
    // The public key is between the subject and the attributes.
    info.inside(SEQUENCE)?;
    if let Some(mut attributes) = info.inside(ATTRIBUTES) {
        while let Some(mut attribute) = attributes.inside(SEQUENCE) {
            if attribute.inside(OBJECT_ID)?.0 == EXTENSIONS {
                let extensions = attribute.inside(SET)?.inside(SEQUENCE)?;
                contents.names.extend(other_names(extensions)?);
            }
        }
    }
    Some(contents)
}

fn other_names(mut extensions: Der<'_>) -> Option<Vec<(u8, String)>> {
    let mut names = Vec::new();
    while let Some(mut extension) = extensions.inside(SEQUENCE) {
        if extension.inside(OBJECT_ID)?.0 != OTHER_NAMES {
            continue;
        }
        let mut value = loop {
            match extension.next()? {
                (OCTETS, value) => break Der(value).inside(SEQUENCE)?,
                // The optional flag for critical extensions.
                _ => continue,
            }
        };
        while let Some((tag, name)) = value.next() {
            names.push((
                tag,
                if tag == IP {
                    address(name)
                } else {
                    String::from_utf8_lossy(name).into_owned()
                },
            ));
        }
    }
    Some(names)
}

fn address(bytes: &[u8]) -> String {
    // The encoding has no address family; the length tells IPv4 from IPv6.
    if let Ok(four) = <[u8; 4]>::try_from(bytes) {
        return Ipv4Addr::from(four).to_string();
    }
    <[u8; 16]>::try_from(bytes).map_or_else(
        |_| "?".to_owned(),
        |sixteen| Ipv6Addr::from(sixteen).to_string(),
    )
}

/// The rest of a DER value. Decoded by hand, because a dependency for five fields would be larger than all
/// descriptions.
struct Der<'a>(&'a [u8]);

impl<'a> Der<'a> {
    /// Returns the next value and its tag.
    fn next(&mut self) -> Option<(u8, &'a [u8])> {
        let (tag, rest) = self.0.split_first()?;
        let (first, mut rest) = rest.split_first()?;
        let mut length = usize::from(*first);
        // The long form: the low bits contain the number of length bytes. The arithmetic is checked, because the
        // request is untrusted.
        if *first >= 0x80 {
            let (digits, after) = rest.split_at_checked(usize::from(first & 0x7f))?;
            length = digits.iter().try_fold(0_usize, |sum, digit| {
                sum.checked_mul(256)?.checked_add(usize::from(*digit))
            })?;
            rest = after;
        }
        let (value, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((*tag, value))
    }

    /// Returns the content of the next value if it has this tag.
    fn inside(&mut self, tag: u8) -> Option<Self> {
        if self.0.first() != Some(&tag) {
            return None;
        }
        self.next().map(|(_, value)| Self(value))
    }
}
