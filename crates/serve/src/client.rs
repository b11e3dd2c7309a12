//! Client certificates: the authority signs the name and the groups of a user, and a connection proves to
//! be that user's.
//!
//! Encoded here: a user may be in many groups, each of which is an organization of the subject, and
//! `rcgen` keeps one attribute of a type.

use std::fmt;
use std::io;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rcgen::{KeyPair, PublicKeyData as _, SigningKey as _};
use sha2::{Digest as _, Sha256};
use yasna::models::ObjectIdentifier;
use yasna::tags::{TAG_GENERALIZEDTIME, TAG_UTCTIME};
use yasna::{ASN1Result, DERWriter, Tag, construct_der, parse_der};

use crate::authority::Authority;
use crate::cluster::impersonated;
use crate::kinds::admission::User;

type Oid = &'static [u64];

const COMMON_NAME: Oid = &[2, 5, 4, 3];
const ORGANIZATION: Oid = &[2, 5, 4, 10];
const ECDSA_WITH_SHA256: Oid = &[1, 2, 840, 10045, 4, 3, 2];
const BASIC_CONSTRAINTS: Oid = &[2, 5, 29, 19];
const KEY_USAGE: Oid = &[2, 5, 29, 15];
const EXTENDED_KEY_USAGE: Oid = &[2, 5, 29, 37];
const CLIENT_AUTH: Oid = &[1, 3, 6, 1, 5, 5, 7, 3, 2];

/// The place of the subject in a certificate, behind version, serial number, signature, issuer and validity.
const SUBJECT: usize = 5;

/// The first byte of the version, which certificates of version 1 leave out.
const VERSION: u8 = 0xa0;

/// A certificate and its key as PEM.
pub struct Credentials {
    /// The certificate.
    pub certificate: String,
    /// The key. Whoever reads it can be the user.
    pub key: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the key.
        f.write_str("Credentials")
    }
}

impl Authority {
    /// Signs a certificate, with a key of its own, for a user in these groups.
    ///
    /// # Errors
    /// The machine has no randomness, or the authority's own key is of another type than it makes.
    pub fn client(&self, user: &str, groups: &[String]) -> io::Result<Credentials> {
        let signer = self.key();
        if signer.algorithm() != &rcgen::PKCS_ECDSA_P256_SHA256 {
            let why = "the key of the authority is no key on the curve P-256";
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        let issuer = subject_of(&self.der()?).map_err(io::Error::other)?;
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let signed = signed_part(&issuer, &subject(user, groups), &key);
        let signature = signer.sign(&signed).map_err(io::Error::other)?;
        let whole = construct_der(|writer| {
            writer.write_sequence(|writer| {
                writer.next().write_der(&signed);
                algorithm(writer.next());
                let bits = signature.len() * 8;
                writer.next().write_bitvec_bytes(&signature, bits);
            });
        });
        Ok(Credentials {
            certificate: pem("CERTIFICATE", &whole),
            key: key.serialize_pem(),
        })
    }
}

/// Returns the user that a verified certificate names: its common name, in the groups that are its
/// organizations. One without a name identifies nobody.
pub(crate) fn user_of(certificate: &[u8]) -> Option<User> {
    let subject = subject_of(certificate).ok()?;
    let mut name = String::new();
    let mut groups = Vec::new();
    for (kind, value) in attributes(&subject).ok()? {
        let kind = kind.components().as_slice();
        let value = String::from_utf8(value).ok()?;
        if kind == COMMON_NAME {
            // The last one counts, as in Go.
            name = value;
        } else if kind == ORGANIZATION {
            groups.push(value);
        }
    }
    (!name.is_empty()).then(|| impersonated(&name, "", groups))
}

/// Returns the subject of a certificate, encoded.
fn subject_of(certificate: &[u8]) -> ASN1Result<Vec<u8>> {
    let parts = |der: &[u8]| parse_der(der, |reader| reader.collect_sequence_of(|r| r.read_der()));
    let signed = parts(certificate)?.into_iter().next().unwrap_or_default();
    let mut fields = parts(&signed)?;
    let has_version = fields.first().is_some_and(|f| f.first() == Some(&VERSION));
    let at = SUBJECT - usize::from(!has_version);
    match at < fields.len() {
        true => Ok(fields.swap_remove(at)),
        false => Err(yasna::ASN1Error::new(yasna::ASN1ErrorKind::Eof)),
    }
}

/// Returns the attributes of a name, each with its type.
fn attributes(name: &[u8]) -> ASN1Result<Vec<(ObjectIdentifier, Vec<u8>)>> {
    let sets = parse_der(name, |reader| {
        reader.collect_sequence_of(|reader| {
            reader.collect_set_of(|reader| {
                reader.read_sequence(|reader| {
                    let kind = reader.next().read_oid()?;
                    // Any type of string: their bytes are taken for UTF-8.
                    let value = reader.next().read_tagged_der()?;
                    Ok((kind, value.value().to_vec()))
                })
            })
        })
    })?;
    Ok(sets.into_iter().flatten().collect())
}

/// Encodes the name of a user in groups.
fn subject(user: &str, groups: &[String]) -> Vec<u8> {
    let groups = groups.iter().map(|group| (ORGANIZATION, group.as_str()));
    construct_der(|writer| {
        writer.write_sequence(|writer| {
            for (kind, value) in groups.chain([(COMMON_NAME, user)]) {
                writer.next().write_set(|writer| {
                    writer.next().write_sequence(|writer| {
                        oid(writer.next(), kind);
                        writer.next().write_utf8_string(value);
                    });
                });
            }
        });
    })
}

/// Encodes what the authority signs.
fn signed_part(issuer: &[u8], subject: &[u8], key: &KeyPair) -> Vec<u8> {
    let mut serial = Sha256::digest(key.der_bytes()).to_vec();
    // RFC 5280: positive, and at most 20 bytes.
    serial.truncate(20);
    serial[0] &= 0x7f;
    construct_der(|writer| {
        writer.write_sequence(|writer| {
            // Version 3, which counts from zero.
            writer
                .next()
                .write_tagged(Tag::context(0), |writer| writer.write_i8(2));
            writer.next().write_bigint_bytes(&serial, true);
            algorithm(writer.next());
            writer.next().write_der(issuer);
            writer.next().write_sequence(|writer| {
                // No end (RFC 5280, 4.1.2.5): the clock of the cluster may be virtual.
                time(writer.next(), TAG_UTCTIME, "700101000000Z");
                time(writer.next(), TAG_GENERALIZEDTIME, "99991231235959Z");
            });
            writer.next().write_der(subject);
            writer.next().write_der(&key.subject_public_key_info());
            writer.next().write_tagged(Tag::context(3), extensions);
        });
    })
}

/// Writes that the key signs, for clients, and no other certificates.
fn extensions(writer: DERWriter<'_>) {
    let constraints = construct_der(|writer| writer.write_sequence(|_| ()));
    // One bit: digitalSignature.
    let usage = construct_der(|writer| writer.write_bitvec_bytes(&[0x80], 1));
    let extended = construct_der(|writer| {
        writer.write_sequence(|writer| oid(writer.next(), CLIENT_AUTH));
    });
    writer.write_sequence(|writer| {
        for (kind, is_critical, value) in [
            (BASIC_CONSTRAINTS, true, constraints),
            (KEY_USAGE, true, usage),
            (EXTENDED_KEY_USAGE, false, extended),
        ] {
            writer.next().write_sequence(|writer| {
                oid(writer.next(), kind);
                // DER leaves out a default, which is false.
                if is_critical {
                    writer.next().write_bool(true);
                }
                writer.next().write_bytes(&value);
            });
        }
    });
}

fn algorithm(writer: DERWriter<'_>) {
    writer.write_sequence(|writer| oid(writer.next(), ECDSA_WITH_SHA256));
}

fn time(writer: DERWriter<'_>, tag: Tag, text: &str) {
    // A time is a string with a tag of its own.
    writer.write_tagged_implicit(tag, |writer| writer.write_bytes(text.as_bytes()));
}

fn oid(writer: DERWriter<'_>, oid: Oid) {
    writer.write_oid(&ObjectIdentifier::from_slice(oid));
}

fn pem(label: &str, der: &[u8]) -> String {
    let text = BASE64_STANDARD.encode(der);
    // Base64 is ASCII: every cut is between two characters.
    let lines = text.as_bytes().chunks(64).map(String::from_utf8_lossy);
    let body: String = lines.map(|line| format!("{line}\n")).collect();
    format!("-----BEGIN {label}-----\n{body}-----END {label}-----\n")
}

#[cfg(test)]
mod tests {
    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject as _;

    use super::*;

    #[test]
    fn a_certificate_names_its_user_and_all_groups() {
        let authority = Authority::generate().unwrap();
        let groups = ["dev", "ops", "Ärzte"].map(str::to_owned);
        let made = authority.client("ann", &groups).unwrap();
        let der = CertificateDer::from_pem_slice(made.certificate.as_bytes()).unwrap();
        let user = user_of(&der).unwrap();
        assert_eq!(user.name, "ann");
        assert_eq!(user.groups, ["dev", "ops", "Ärzte", "system:authenticated"]);
        assert!(made.key.starts_with("-----BEGIN PRIVATE KEY-----\n"));
        assert_eq!(format!("{made:?}"), "Credentials");
        let longest = made.certificate.lines().map(str::len).max();
        assert_eq!(longest, Some(64));
    }

    #[test]
    fn what_names_nobody_identifies_nobody() {
        let authority = Authority::generate().unwrap();
        let made = authority.client("", &["dev".to_owned()]).unwrap();
        let der = CertificateDer::from_pem_slice(made.certificate.as_bytes()).unwrap();
        assert_eq!(user_of(&der), None);
        // The authority's own certificate was made by `rcgen`: its encoding is read as well.
        assert_eq!(
            user_of(&authority.der().unwrap()).unwrap().name,
            "kubernetes"
        );
        for cut in 0..der.len() {
            assert_eq!(user_of(&der[..cut]), None, "{cut}");
        }
        let mut odd = der.to_vec();
        for at in 0..odd.len() {
            odd[at] ^= 0x5a;
            // Bytes that no authority has signed do not get here; they must not panic all the same.
            let _ = user_of(&odd);
            odd[at] ^= 0x5a;
        }
    }
}
