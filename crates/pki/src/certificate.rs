//! Client certificates: the authority signs the name and groups of a user, and connections with the certificate
//! authenticate as that user.
//!
//! Encoded here, because each group of a user is an organization of the subject, and `rcgen` keeps only one attribute
//! per type.

use std::fmt;
use std::io;

use rcgen::{KeyPair, PublicKeyData as _, SigningKey as _};
use sha2::{Digest as _, Sha256};
use yasna::models::ObjectIdentifier;
use yasna::tags::{TAG_GENERALIZEDTIME, TAG_UTCTIME};
use yasna::{ASN1Result, DERWriter, Tag, construct_der, parse_der};

use crate::authority::Authority;
use crate::der::{Oid, oid, parts, pem};

const COMMON_NAME: Oid = &[2, 5, 4, 3];
const ORGANIZATION: Oid = &[2, 5, 4, 10];
const ECDSA_WITH_SHA256: Oid = &[1, 2, 840, 10045, 4, 3, 2];
const BASIC_CONSTRAINTS: Oid = &[2, 5, 29, 19];
const KEY_USAGE: Oid = &[2, 5, 29, 15];
const EXTENDED_KEY_USAGE: Oid = &[2, 5, 29, 37];

/// The extended key usage for client authentication.
pub(crate) const CLIENT_AUTH: Oid = &[1, 3, 6, 1, 5, 5, 7, 3, 2];
/// The extended key usage for server authentication.
pub(crate) const SERVER_AUTH: Oid = &[1, 3, 6, 1, 5, 5, 7, 3, 1];

/// The extension for subject alternative names.
pub(crate) const SUBJECT_ALT_NAME: Oid = &[2, 5, 29, 17];

/// The first second of 2050.
const YEAR_2050: i64 = 2_524_608_000;

/// The index of the subject in a certificate: version, serial number, signature, issuer and validity come before it.
const SUBJECT: usize = 5;

/// The first byte of the version field, which certificates of version 1 omit.
pub(crate) const VERSION: u8 = 0xa0;

/// A certificate and its key, as PEM.
///
/// ```
/// use ctl_pki::{Authority, Credentials, check_pair};
///
/// let authority = Authority::generate()?;
/// let Credentials { certificate, key } = authority.client("ann", &["dev".to_owned()])?;
/// assert_eq!(check_pair(&certificate, &key), Ok(()));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Credentials {
    /// The certificate.
    pub certificate: String,
    /// The key. Anyone who reads it can impersonate the user.
    pub key: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Omits the key, which must not be logged.
        f.write_str("Credentials")
    }
}

impl Authority {
    /// Creates a key for a user in these groups, and signs its certificate.
    ///
    /// # Errors
    /// Returns an error if the machine provides no randomness, or if the authority's key has a different type from
    /// those created here.
    pub fn client(&self, user: &str, groups: &[String]) -> io::Result<Credentials> {
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let certificate = self.issue(&CertificateContent {
            subject: &subject(user, groups),
            public_key: &key.subject_public_key_info(),
            serial: key.der_bytes(),
            // A single bit: digitalSignature.
            usage: &[0x80],
            purposes: &[CLIENT_AUTH],
            names: None,
            valid: Validity::UNLIMITED,
        })?;
        Ok(Credentials {
            certificate,
            key: key.serialize_pem(),
        })
    }

    /// Signs a certificate and returns it as PEM.
    pub(crate) fn issue(&self, wanted: &CertificateContent<'_>) -> io::Result<String> {
        let signer = self.key();
        if signer.algorithm() != &rcgen::PKCS_ECDSA_P256_SHA256 {
            let why = "the key of the authority is not on the curve P-256";
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        let issuer = subject_of(&self.der()?).map_err(io::Error::other)?;
        let signed = signed_part(&issuer, wanted);
        let signature = signer.sign(&signed).map_err(io::Error::other)?;
        let whole = construct_der(|writer| {
            writer.write_sequence(|writer| {
                writer.next().write_der(&signed);
                algorithm(writer.next());
                let bits = signature.len() * 8;
                writer.next().write_bitvec_bytes(&signature, bits);
            });
        });
        Ok(pem("CERTIFICATE", &whole))
    }
}

/// The content of a certificate.
pub(crate) struct CertificateContent<'a> {
    /// The name of the subject, as DER.
    pub(crate) subject: &'a [u8],
    /// The public key (`SubjectPublicKeyInfo`), as DER.
    pub(crate) public_key: &'a [u8],
    /// The bytes whose hash becomes the serial number.
    pub(crate) serial: &'a [u8],
    /// The bits of the key usage, starting with the first one.
    pub(crate) usage: &'a [u8],
    /// The extended key usages.
    pub(crate) purposes: &'a [Oid],
    /// The alternative names (`GeneralNames`), as DER.
    pub(crate) names: Option<&'a [u8]>,
    pub(crate) valid: Validity,
}

/// The period in which a certificate is valid, in seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// The first second of the period.
    pub from: i64,
    /// The last second of the period.
    pub until: i64,
}

impl Validity {
    /// From 1970 to the end of time as encoded by RFC 5280 (4.1.2.5), because a cluster's clock may be virtual.
    pub const UNLIMITED: Self = Self {
        from: 0,
        until: 253_402_300_799,
    };
}

/// The subject of a certificate.
///
/// ```
/// use ctl_pki::{Authority, Subject, subject_in};
///
/// let authority = Authority::generate()?;
/// // A client certificate contains the user and the groups.
/// let Subject { name, organizations } = subject_in(&authority.der()?).unwrap();
/// assert_eq!((name.as_str(), organizations.len()), ("kubernetes", 0));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The common name.
    pub name: String,
    /// The organizations, which are the groups of a user.
    pub organizations: Vec<String>,
}

/// Returns the subject of a verified certificate, or `None` without a common name, which would identify no user.
pub fn subject_in(certificate: &[u8]) -> Option<Subject> {
    let subject = read_subject(&subject_of(certificate).ok()?)?;
    (!subject.name.is_empty()).then_some(subject)
}

/// Parses a name, given as DER.
pub(crate) fn read_subject(encoded: &[u8]) -> Option<Subject> {
    let mut subject = Subject {
        name: String::new(),
        organizations: Vec::new(),
    };
    for (kind, value) in attributes(encoded).ok()? {
        let kind = kind.components().as_slice();
        let value = String::from_utf8(value).ok()?;
        if kind == COMMON_NAME {
            // As in Go, the last common name wins.
            subject.name = value;
        } else if kind == ORGANIZATION {
            subject.organizations.push(value);
        }
    }
    Some(subject)
}

/// Returns the subject of a certificate, as DER.
fn subject_of(certificate: &[u8]) -> ASN1Result<Vec<u8>> {
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
                    // Accepts any type of string, and reads its bytes as UTF-8.
                    let value = reader.next().read_tagged_der()?;
                    Ok((kind, value.value().to_vec()))
                })
            })
        })
    })?;
    Ok(sets.into_iter().flatten().collect())
}

/// Encodes the name of a user with groups.
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

/// Encodes the part of a certificate that gets signed.
fn signed_part(issuer: &[u8], wanted: &CertificateContent<'_>) -> Vec<u8> {
    let mut serial = Sha256::digest(wanted.serial).to_vec();
    // RFC 5280 requires a positive number of at most 20 bytes.
    serial.truncate(20);
    serial[0] &= 0x7f;
    construct_der(|writer| {
        writer.write_sequence(|writer| {
            // Version 3, which is encoded as 2.
            writer
                .next()
                .write_tagged(Tag::context(0), |writer| writer.write_i8(2));
            writer.next().write_bigint_bytes(&serial, true);
            algorithm(writer.next());
            writer.next().write_der(issuer);
            writer.next().write_sequence(|writer| {
                time(writer.next(), wanted.valid.from);
                time(writer.next(), wanted.valid.until);
            });
            writer.next().write_der(wanted.subject);
            writer.next().write_der(wanted.public_key);
            writer
                .next()
                .write_tagged(Tag::context(3), |writer| extensions(writer, wanted));
        });
    })
}

/// Writes the extensions: the key usages, the extended key usages, and that the key signs no certificates.
fn extensions(writer: DERWriter<'_>, wanted: &CertificateContent<'_>) {
    let constraints = construct_der(|writer| writer.write_sequence(|_| ()));
    // In DER, a bit string ends with the last bit that is set.
    let unset = wanted.usage.last().map_or(0, |last| last.trailing_zeros());
    let bits = wanted.usage.len() * 8 - unset.min(7) as usize;
    let usage = construct_der(|writer| writer.write_bitvec_bytes(wanted.usage, bits));
    let extended = construct_der(|writer| {
        writer.write_sequence(|writer| {
            for purpose in wanted.purposes {
                oid(writer.next(), purpose);
            }
        });
    });
    let mut all = vec![(BASIC_CONSTRAINTS, true, constraints)];
    // RFC 5280 does not allow an empty key usage.
    if wanted.usage.iter().any(|bits| *bits != 0) {
        all.push((KEY_USAGE, true, usage));
    }
    if !wanted.purposes.is_empty() {
        all.push((EXTENDED_KEY_USAGE, false, extended));
    }
    if let Some(names) = wanted.names {
        all.push((SUBJECT_ALT_NAME, false, names.to_vec()));
    }
    writer.write_sequence(|writer| {
        for (kind, is_critical, value) in &all {
            writer.next().write_sequence(|writer| {
                oid(writer.next(), kind);
                // DER omits default values; for this flag, the default is false.
                if *is_critical {
                    writer.next().write_bool(true);
                }
                writer.next().write_bytes(value);
            });
        }
    });
}

fn algorithm(writer: DERWriter<'_>) {
    writer.write_sequence(|writer| oid(writer.next(), ECDSA_WITH_SHA256));
}

/// Writes a time as RFC 5280 (4.1.2.5) requires: with a two-digit year before 2050 and a four-digit year from then on.
fn time(writer: DERWriter<'_>, seconds: i64) {
    let at = jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::MAX);
    let (tag, text) = match seconds < YEAR_2050 {
        true => (TAG_UTCTIME, at.strftime("%y%m%d%H%M%SZ").to_string()),
        false => (
            TAG_GENERALIZEDTIME,
            at.strftime("%Y%m%d%H%M%SZ").to_string(),
        ),
    };
    // A time is a string with a tag of its own.
    writer.write_tagged_implicit(tag, |writer| writer.write_bytes(text.as_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::der::from_pem;

    #[test]
    fn a_certificate_names_its_user_and_all_groups() {
        let authority = Authority::generate().unwrap();
        let groups = ["dev", "ops", "Ärzte"].map(str::to_owned);
        let made = authority.client("ann", &groups).unwrap();
        let der = from_pem("CERTIFICATE", &made.certificate).unwrap();
        let user = subject_in(&der).unwrap();
        assert_eq!(user.name, "ann");
        assert_eq!(user.organizations, ["dev", "ops", "Ärzte"]);
        assert!(made.key.starts_with("-----BEGIN PRIVATE KEY-----\n"));
        assert_eq!(format!("{made:?}"), "Credentials");
        let longest = made.certificate.lines().map(str::len).max();
        assert_eq!(longest, Some(64));
    }

    #[test]
    fn a_subject_without_a_name_identifies_no_user() {
        let authority = Authority::generate().unwrap();
        let made = authority.client("", &["dev".to_owned()]).unwrap();
        let der = from_pem("CERTIFICATE", &made.certificate).unwrap();
        assert_eq!(subject_in(&der), None);
        // The authority's own certificate is encoded by `rcgen`, and must be readable as well.
        assert_eq!(
            subject_in(&authority.der().unwrap()).unwrap().name,
            "kubernetes"
        );
        for cut in 0..der.len() {
            assert_eq!(subject_in(&der[..cut]), None, "{cut}");
        }
        let mut odd = der.clone();
        for at in 0..odd.len() {
            odd[at] ^= 0x5a;
            // Unsigned data never reaches this function, but must not make it panic.
            let _ = subject_in(&odd);
            odd[at] ^= 0x5a;
        }
    }
}
