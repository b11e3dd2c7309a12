//! Reads the parts of a certificate that verification needs. Used for certificates that `webpki` does not accept:
//! those of version 1, which have no extensions.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use yasna::ASN1Result;
use yasna::tags::TAG_UTCTIME;

use crate::certificate::{VERSION, Validity};
use crate::der::{bits, parts};

/// A parsed certificate. Nothing in it has been verified.
///
/// ```
/// use ctl_pki::{Authority, UnverifiedCertificate, PublicKey};
///
/// let authority = Authority::generate()?;
/// let certificate = UnverifiedCertificate::parse(&authority.der()?).unwrap();
/// assert!(!certificate.is_first_version);
/// assert_eq!(certificate.issuer, certificate.subject);
/// let PublicKey { bytes, .. } = certificate.key().unwrap();
/// assert_eq!(bytes.len(), 65);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct UnverifiedCertificate {
    /// True if the certificate has version 1.
    pub is_first_version: bool,
    /// The signed part, as DER.
    pub signed: Vec<u8>,
    /// The name of the issuer, as DER.
    pub issuer: Vec<u8>,
    /// The name of the subject, as DER.
    pub subject: Vec<u8>,
    /// The period in which the certificate is valid.
    pub valid: Validity,
    /// The public key (`SubjectPublicKeyInfo`), as DER.
    pub public_key: Vec<u8>,
    /// The signature algorithm: the content of its DER sequence.
    pub algorithm: Vec<u8>,
    /// The signature.
    pub signature: Vec<u8>,
}

/// A public key and its algorithm.
#[derive(Clone, Debug)]
pub struct PublicKey {
    /// The algorithm: the content of its DER sequence.
    pub algorithm: Vec<u8>,
    /// The bytes of the key.
    pub bytes: Vec<u8>,
}

impl UnverifiedCertificate {
    /// Parses a certificate, given as DER.
    pub fn parse(certificate: &[u8]) -> Option<Self> {
        let [signed, algorithm, signature]: [_; 3] = parts(certificate).ok()?.try_into().ok()?;
        let mut fields = parts(&signed).ok()?.into_iter().peekable();
        let is_first_version = fields
            .next_if(|first| first.first() == Some(&VERSION))
            .is_none();
        // Skips the serial number. The signature algorithm comes next, and must equal the one outside the signed part.
        let repeated = fields.nth(1)?;
        if repeated != algorithm {
            return None;
        }
        let issuer = fields.next()?;
        let times = parts(&fields.next()?).ok()?;
        let [from, until] = times.as_slice() else {
            return None;
        };
        Some(Self {
            is_first_version,
            issuer,
            valid: Validity {
                from: seconds(from)?,
                until: seconds(until)?,
            },
            subject: fields.next()?,
            public_key: fields.next()?,
            signed,
            algorithm: content(&algorithm).ok()?,
            signature: bits(&signature).ok()?,
        })
    }

    /// Returns the public key.
    pub fn key(&self) -> Option<PublicKey> {
        let [algorithm, bytes]: [_; 2] = parts(&self.public_key).ok()?.try_into().ok()?;
        Some(PublicKey {
            algorithm: content(&algorithm).ok()?,
            bytes: bits(&bytes).ok()?,
        })
    }
}

/// Returns the content of a sequence.
fn content(sequence: &[u8]) -> ASN1Result<Vec<u8>> {
    parts(sequence).map(|parts| parts.concat())
}

/// Returns a time as seconds since 1970.
fn seconds(time: &[u8]) -> Option<i64> {
    let read = yasna::parse_der(time, |reader| reader.read_tagged_der()).ok()?;
    let text = std::str::from_utf8(read.value()).ok()?;
    // RFC 5280 (4.1.2.5.1): a two-digit year is between 1950 and 2049.
    let text = match read.tag() == TAG_UTCTIME {
        true => {
            let century = if text < "5" { "20" } else { "19" };
            format!("{century}{text}")
        }
        false => text.to_owned(),
    };
    let at = DateTime::strptime("%Y%m%d%H%M%SZ", text).ok()?;
    let at = at.to_zoned(TimeZone::UTC).ok()?;
    Some(at.timestamp().as_second())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Authority;
    use crate::der::from_pem;

    #[test]
    fn parts_of_a_certificate_are_read() {
        let authority = Authority::generate().unwrap();
        let root = UnverifiedCertificate::parse(&authority.der().unwrap()).unwrap();
        let made = authority.client("ann", &[]).unwrap();
        let der = from_pem("CERTIFICATE", &made.certificate).unwrap();
        let own = UnverifiedCertificate::parse(&der).unwrap();
        assert_eq!(own.issuer, root.subject);
        assert_eq!(own.valid.from, 0);
        // The last day of the year 9999.
        assert!(own.valid.until > 253_402_200_000);
        assert!(root.key().is_some_and(|key| key.bytes.len() == 65));
        for cut in 0..der.len() {
            assert!(UnverifiedCertificate::parse(&der[..cut]).is_none(), "{cut}");
        }
    }

    #[test]
    fn times_have_two_or_four_digits_of_the_year() {
        let time = |tag: u8, text: &str| {
            let mut der = vec![tag, text.len() as u8];
            der.extend_from_slice(text.as_bytes());
            seconds(&der)
        };
        assert_eq!(time(0x17, "700101000000Z"), Some(0));
        assert_eq!(time(0x17, "260101000000Z"), Some(1_767_225_600));
        assert_eq!(time(0x18, "20500101000000Z"), Some(2_524_608_000));
        assert_eq!(time(0x17, "269901000000Z"), None);
    }
}
