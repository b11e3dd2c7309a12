//! Helpers for DER and PEM.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use yasna::models::ObjectIdentifier;
use yasna::{ASN1Result, DERWriter, parse_der};

/// The components of an object identifier.
pub(crate) type Oid = &'static [u64];

/// Writes an object identifier.
pub(crate) fn oid(writer: DERWriter<'_>, oid: Oid) {
    writer.write_oid(&ObjectIdentifier::from_slice(oid));
}

/// Returns the elements of a sequence, still encoded.
pub(crate) fn parts(der: &[u8]) -> ASN1Result<Vec<Vec<u8>>> {
    parse_der(der, |reader| {
        reader.collect_sequence_of(|reader| reader.read_der())
    })
}

/// Returns the bytes of a bit string.
pub(crate) fn bits(der: &[u8]) -> ASN1Result<Vec<u8>> {
    parse_der(der, |reader| reader.read_bitvec_bytes()).map(|(bytes, _)| bytes)
}

/// Returns the components of an encoded object identifier.
pub(crate) fn identifier(der: Option<&Vec<u8>>) -> ASN1Result<Vec<u64>> {
    let der = der.map(Vec::as_slice).unwrap_or_default();
    parse_der(der, |reader| reader.read_oid()).map(|oid| oid.components().clone())
}

/// Returns a PEM block.
pub(crate) fn pem(label: &str, der: &[u8]) -> String {
    let text = BASE64_STANDARD.encode(der);
    // Base64 is ASCII, so every cut is between characters.
    let lines = text.as_bytes().chunks(64).map(String::from_utf8_lossy);
    let body: String = lines.map(|line| format!("{line}\n")).collect();
    format!("-----BEGIN {label}-----\n{body}-----END {label}-----\n")
}

/// Returns the labels of the PEM blocks in a text.
pub(crate) fn blocks(text: &str) -> Vec<String> {
    let parts = text.split("-----BEGIN ").skip(1);
    let labels = parts.filter_map(|part| {
        let (label, rest) = part.split_once("-----")?;
        let (body, _) = rest.split_once(&format!("-----END {label}-----"))?;
        // An empty line ends the headers of an encrypted key.
        let body = match body.trim_start().split_once("\n\n") {
            Some((headers, body)) if headers.contains(':') => body,
            _ => body,
        };
        let body: String = body.split_whitespace().collect();
        BASE64_STANDARD.decode(body).ok()?;
        Some(label.to_owned())
    });
    labels.collect()
}

/// Returns the content of the first PEM block with this label.
pub(crate) fn from_pem(label: &str, text: &str) -> Option<Vec<u8>> {
    let (_, rest) = text.split_once(&format!("-----BEGIN {label}-----"))?;
    let (body, _) = rest.split_once(&format!("-----END {label}-----"))?;
    let body: String = body.split_whitespace().collect();
    BASE64_STANDARD.decode(body).ok()
}
