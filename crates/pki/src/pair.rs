//! Checks that a certificate and a private key match.

use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P384_SHA384_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair,
};
use yasna::{ASN1Result, Tag, parse_der};

use super::der::{bits, blocks, from_pem, identifier, parts};

const RSA: &[u64] = &[1, 2, 840, 113_549, 1, 1, 1];
const EC: &[u64] = &[1, 2, 840, 10045, 2, 1];
const ED25519: &[u64] = &[1, 3, 101, 112];

/// The reason why a certificate and a key do not match, in the words of Go's `tls.X509KeyPair`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PairError {
    /// The certificate file contains only PEM blocks of these types.
    NoCertificate(Vec<String>),
    /// The key file contains only PEM blocks of these types.
    NoKey(Vec<String>),
    /// The certificate cannot be parsed.
    Certificate,
    /// The key cannot be parsed.
    Key,
    /// The certificate is for a different type of key.
    Type,
    /// The certificate is for a different key.
    Mismatch,
}

impl std::fmt::Display for PairError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NoCertificate(found) => return no_certificate(found, f),
            Self::NoKey(found) => return no_key(found, f),
            Self::Certificate => "x509: malformed certificate",
            Self::Key => "tls: failed to parse private key",
            Self::Type => "tls: private key type does not match public key type",
            Self::Mismatch => "tls: private key does not match public key",
        })
    }
}

impl std::error::Error for PairError {}

fn no_certificate(found: &[String], f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
    match found {
        [] => f.write_str("tls: failed to find any PEM data in certificate input"),
        // As in Go, a message of its own for swapped files.
        [one] if one.ends_with("PRIVATE KEY") => f.write_str(
            "tls: failed to find certificate PEM data in certificate input, but did find a private key; \
             PEM inputs may have been switched",
        ),
        _ => write!(
            f,
            "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM blocks \
             of the following types: [{}]",
            found.join(" ")
        ),
    }
}

fn no_key(found: &[String], f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
    match found {
        [] => f.write_str("tls: failed to find any PEM data in key input"),
        [one] if one == "CERTIFICATE" => {
            f.write_str("tls: found a certificate rather than a key in the PEM for the private key")
        }
        _ => write!(
            f,
            "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping \
             PEM blocks of the following types: [{}]",
            found.join(" ")
        ),
    }
}

/// Returns true for the label of a key. PKCS#8, PKCS#1 and SEC1 differ only in the word before it.
fn is_key(label: &String) -> bool {
    label == "PRIVATE KEY" || label.ends_with(" PRIVATE KEY")
}

/// The public key of a certificate.
struct Public {
    algorithm: Vec<u64>,
    key: Vec<u8>,
}

/// The parts of a private key that the comparison needs.
enum Private {
    /// The encoded public key.
    Rsa(Vec<u8>),
    /// The secret scalar, with the public point if the file contains it.
    Ec(Vec<u8>, Option<Vec<u8>>),
    Ed25519(Vec<u8>),
}

/// Checks that the first certificate of one PEM file belongs to the first private key of another.
///
/// ```
/// use ctl_pki::{PairError, check_pair};
///
/// let error = check_pair("", "").unwrap_err();
/// assert_eq!(error, PairError::NoCertificate(Vec::new()));
/// assert_eq!(error.to_string(), "tls: failed to find any PEM data in certificate input");
/// ```
///
/// # Errors
/// Returns an error if a part is missing, cannot be parsed, or does not match.
pub fn check_pair(certificate: &str, key: &str) -> Result<(), PairError> {
    let found = blocks(certificate);
    // Skips blocks of other types, such as the key in a combined file.
    if !found.iter().any(|label| label == "CERTIFICATE") {
        return Err(PairError::NoCertificate(found));
    }
    let found = blocks(key);
    if !found.iter().any(is_key) {
        return Err(PairError::NoKey(found));
    }
    let der = from_pem("CERTIFICATE", certificate).ok_or(PairError::Certificate)?;
    let public = public_key(&der).map_err(|_| PairError::Certificate)?;
    let private = private_key(key).ok_or(PairError::Key)?;
    let same = match (&public.algorithm[..], private) {
        (RSA, Private::Rsa(own)) => own == public.key,
        (EC, Private::Ec(_, Some(own))) => own == public.key,
        (EC, Private::Ec(secret, None)) => is_point_of(&secret, &public.key),
        (ED25519, Private::Ed25519(seed)) => {
            Ed25519KeyPair::from_seed_and_public_key(&seed, &public.key).is_ok()
        }
        _ => return Err(PairError::Type),
    };
    if same {
        Ok(())
    } else {
        Err(PairError::Mismatch)
    }
}

/// Checks that the first certificate of a bundle can be parsed.
///
/// # Errors
/// Returns the text of client-go's `ParseCertsPEM` for a bundle without a certificate.
pub fn check_certificates(bundle: &str) -> Result<(), String> {
    if !blocks(bundle).iter().any(|label| label == "CERTIFICATE") {
        return Err("data does not contain any valid RSA or ECDSA certificates".to_owned());
    }
    let der = from_pem("CERTIFICATE", bundle).unwrap_or_default();
    let key = public_key(&der).map_err(|_| PairError::Certificate.to_string());
    key.map(drop)
}

/// Checks an issued certificate, which only certificates may accompany.
///
/// # Errors
/// Returns the API server's text.
pub fn check_issued(chain: &str) -> Result<(), String> {
    let found = blocks(chain);
    match found.iter().find(|label| *label != "CERTIFICATE") {
        Some(other) => Err(format!(
            "only CERTIFICATE PEM blocks are allowed, found {other:?}"
        )),
        None if found.is_empty() => {
            Err("must contain at least one CERTIFICATE PEM block".to_owned())
        }
        None => check_certificates(chain),
    }
}

/// Returns true if the public point belongs to the secret scalar. `ring` supports two curves. For others, a file
/// without the point cannot be checked and is accepted.
fn is_point_of(secret: &[u8], point: &[u8]) -> bool {
    let random = SystemRandom::new();
    let curve = match secret.len() {
        32 => &ECDSA_P256_SHA256_ASN1_SIGNING,
        48 => &ECDSA_P384_SHA384_ASN1_SIGNING,
        _ => return true,
    };
    EcdsaKeyPair::from_private_key_and_public_key(curve, secret, point, &random).is_ok()
}

fn public_key(certificate: &[u8]) -> ASN1Result<Public> {
    let missing = || yasna::ASN1Error::new(yasna::ASN1ErrorKind::Invalid);
    let whole = parts(certificate)?;
    let fields = parts(whole.first().ok_or_else(missing)?)?;
    // The version is optional and tagged. Without it, all fields move forward by one.
    let tagged = fields
        .first()
        .is_some_and(|field| field.first() == Some(&0xa0));
    let info = fields.get(5 + usize::from(tagged)).ok_or_else(missing)?;
    let info = parts(info)?;
    let (Some(algorithm), Some(key)) = (info.first(), info.get(1)) else {
        return Err(missing());
    };
    Ok(Public {
        algorithm: identifier(parts(algorithm)?.first())?,
        key: bits(key)?,
    })
}

/// Parses a key in any of the three forms that openssl writes.
fn private_key(text: &str) -> Option<Private> {
    if let Some(der) = from_pem("RSA PRIVATE KEY", text) {
        return rsa(&der).ok();
    }
    if let Some(der) = from_pem("EC PRIVATE KEY", text) {
        return ec(&der).ok();
    }
    let der = from_pem("PRIVATE KEY", text)?;
    let fields = parts(&der).ok()?;
    let algorithm = identifier(parts(fields.get(1)?).ok()?.first()).ok()?;
    let inner = octets(fields.get(2)?).ok()?;
    match &algorithm[..] {
        RSA => rsa(&inner).ok(),
        EC => ec(&inner).ok(),
        ED25519 => Some(Private::Ed25519(octets(&inner).ok()?)),
        _ => None,
    }
}

/// Returns the modulus and exponent of a private key, which make up its public key.
fn rsa(der: &[u8]) -> ASN1Result<Private> {
    let fields = parts(der)?;
    let public = yasna::construct_der(|writer| {
        writer.write_sequence(|writer| {
            for field in fields.iter().skip(1).take(2) {
                writer.next().write_der(field);
            }
        });
    });
    Ok(Private::Rsa(public))
}

fn ec(der: &[u8]) -> ASN1Result<Private> {
    let fields = parts(der)?;
    let secret = octets(fields.get(1).map_or(&[], Vec::as_slice))?;
    let tagged = fields.iter().find(|field| field.first() == Some(&0xa1));
    let point = tagged.map(|field| {
        parse_der(field, |reader| {
            reader.read_tagged(Tag::context(1), |reader| reader.read_bitvec_bytes())
        })
    });
    Ok(Private::Ec(
        secret,
        point.transpose()?.map(|(bytes, _)| bytes),
    ))
}

fn octets(der: &[u8]) -> ASN1Result<Vec<u8>> {
    parse_der(der, |reader| reader.read_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> String {
        let path = format!("{}/../../testdata/tls/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn every_key_format_matches_only_its_certificate() {
        let keys = [
            ("rsa.crt", &["rsa.key", "rsa-pkcs1.key"][..]),
            ("ec.crt", &["ec.key", "ec-sec1.key", "ec-short.key"]),
            ("ed.crt", &["ed.key"]),
        ];
        for (certificate, own) in keys {
            for key in keys.iter().flat_map(|(_, keys)| *keys) {
                let expected = match own.contains(key) {
                    true => Ok(()),
                    false => Err(PairError::Type),
                };
                let found = check_pair(&file(certificate), &file(key));
                assert_eq!(found, expected, "{certificate} {key}");
            }
        }
    }

    #[test]
    fn another_key_of_the_same_kind_is_a_mismatch() {
        let other = crate::Authority::generate().unwrap().to_text();
        assert_eq!(
            check_pair(&file("ec.crt"), &other),
            Err(PairError::Mismatch)
        );
        assert_eq!(check_pair(&other, &other), Ok(()));
    }

    #[test]
    fn files_without_a_certificate_or_a_key_are_named_by_their_blocks() {
        let pem = |label: &str| format!("-----BEGIN {label}-----\nMAA=\n-----END {label}-----\n");
        let (crt, key) = (file("rsa.crt"), file("rsa.key"));
        let request = pem("CERTIFICATE REQUEST");
        // A block without its end line, or with other text in it, is not PEM.
        let open = "-----BEGIN CERTIFICATE-----\nMAA=\n".to_owned();
        let dummy = "-----BEGIN CERTIFICATE-----\n...\n-----END CERTIFICATE-----\n".to_owned();
        let nothing = "tls: failed to find any PEM data in certificate input";
        for (crt, key, told) in [
            (&"foo".to_owned(), &key, nothing),
            (&open, &key, nothing),
            (&dummy, &key, nothing),
            (
                &crt,
                &"x".to_owned(),
                "tls: failed to find any PEM data in key input",
            ),
            (
                &key,
                &crt,
                "tls: failed to find certificate PEM data in certificate input, but did find a private \
                 key; PEM inputs may have been switched",
            ),
            (
                &crt,
                &crt,
                "tls: found a certificate rather than a key in the PEM for the private key",
            ),
            (
                &request,
                &key,
                "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM \
                 blocks of the following types: [CERTIFICATE REQUEST]",
            ),
            (
                &crt,
                &request,
                "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after \
                 skipping PEM blocks of the following types: [CERTIFICATE REQUEST]",
            ),
            (&pem("CERTIFICATE"), &key, "x509: malformed certificate"),
            (
                &crt,
                &pem("PRIVATE KEY"),
                "tls: failed to parse private key",
            ),
        ] {
            assert_eq!(check_pair(crt, key).unwrap_err().to_string(), told);
        }
    }
}
