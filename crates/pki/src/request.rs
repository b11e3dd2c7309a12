//! Certificate requests (PKCS #10) and the certificates that the authority issues for them.

use std::io;

use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA384_ASN1, ECDSA_P384_SHA256_ASN1, ECDSA_P384_SHA384_ASN1,
    ED25519, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512,
    UnparsedPublicKey, VerificationAlgorithm,
};
use yasna::{ASN1Result, Tag, parse_der};

use crate::authority::Authority;
use crate::certificate::{
    CLIENT_AUTH, CertificateContent, SERVER_AUTH, SUBJECT_ALT_NAME, Subject, Validity, read_subject,
};
use crate::der::{Oid, bits, blocks, from_pem, identifier, parts};

/// The PEM label of a request.
const LABEL: &str = "CERTIFICATE REQUEST";

/// The attribute that contains the requested extensions.
const EXTENSIONS: &[u64] = &[1, 2, 840, 113_549, 1, 9, 14];

/// RSA with SHA-1, which is no longer secure.
const SHA1: [u64; 7] = [1, 2, 840, 113_549, 1, 1, 5];

/// The lengths of uncompressed points on the curves P-256 and P-384.
const POINT_256: usize = 65;
const POINT_384: usize = 97;

/// The API's names of key usages, with their bits.
const USAGES: [(&str, u16); 10] = [
    ("signing", 0x8000),
    ("digital signature", 0x8000),
    ("content commitment", 0x4000),
    ("key encipherment", 0x2000),
    ("data encipherment", 0x1000),
    ("key agreement", 0x0800),
    ("cert sign", 0x0400),
    ("crl sign", 0x0200),
    ("encipher only", 0x0100),
    ("decipher only", 0x0080),
];

/// The API's names of extended key usages.
const PURPOSES: [(&str, Oid); 13] = [
    ("any", &[2, 5, 29, 37, 0]),
    ("server auth", SERVER_AUTH),
    ("client auth", CLIENT_AUTH),
    ("code signing", &[1, 3, 6, 1, 5, 5, 7, 3, 3]),
    ("email protection", &[1, 3, 6, 1, 5, 5, 7, 3, 4]),
    ("s/mime", &[1, 3, 6, 1, 5, 5, 7, 3, 4]),
    ("ipsec end system", &[1, 3, 6, 1, 5, 5, 7, 3, 5]),
    ("ipsec tunnel", &[1, 3, 6, 1, 5, 5, 7, 3, 6]),
    ("ipsec user", &[1, 3, 6, 1, 5, 5, 7, 3, 7]),
    ("timestamping", &[1, 3, 6, 1, 5, 5, 7, 3, 8]),
    ("ocsp signing", &[1, 3, 6, 1, 5, 5, 7, 3, 9]),
    ("microsoft sgc", &[1, 3, 6, 1, 4, 1, 311, 10, 3, 3]),
    ("netscape sgc", &[2, 16, 840, 1, 113_730, 4, 1]),
];

/// A type of alternative name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlternativeName {
    /// An email address.
    Email = 0x81,
    /// A DNS name.
    Dns = 0x82,
    /// A URI.
    Uri = 0x86,
    /// An IP address.
    Ip = 0x87,
}

/// The reason for rejecting a certificate request, in the words of Go's `crypto/x509`.
///
/// ```
/// use ctl_pki::{CertificateRequest, RequestError};
///
/// assert_eq!(CertificateRequest::check("no PEM"), Err(RequestError::Pem));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestError {
    /// The text does not start with a PEM block that contains a request.
    Pem,
    /// The content is not the DER of a request.
    Malformed(String),
    /// The signature was not made with the request's own key.
    Signature(&'static str),
}

impl std::fmt::Display for RequestError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Pem => write!(f, "PEM block type must be {LABEL}"),
            Self::Malformed(why) => f.write_str(why),
            Self::Signature(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for RequestError {}

/// A request for a certificate, signed with the key that the certificate is for.
///
/// ```no_run
/// use ctl_pki::{AlternativeName, Authority, CertificateRequest, Validity};
///
/// let authority = Authority::generate()?;
/// let text = ctl_sys::bounded::read_text("ann.csr", 1 << 20)?;
/// let request = CertificateRequest::from_pem(&text).expect("a request in PEM");
/// assert!(!request.has_name(AlternativeName::Dns), "a client needs no host name");
/// // The times are in seconds since 1970.
/// let valid = Validity { from: 1_767_225_600, until: 1_767_229_200 };
/// let certificate = authority.sign(&request, &["client auth"], valid)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CertificateRequest {
    subject: Vec<u8>,
    public_key: Vec<u8>,
    /// The alternative names, as DER.
    names: Option<Vec<u8>>,
}

impl CertificateRequest {
    /// Parses a request, given as PEM; returns `None` if it is invalid or not signed with its own key.
    pub fn from_pem(text: &str) -> Option<Self> {
        read(&from_pem(LABEL, text)?).ok().flatten()
    }

    /// Checks a request, given as PEM. Keys and hashes that `ring` does not support are accepted, except for SHA-1.
    ///
    /// # Errors
    /// Returns an error if the text is not a request, or if another key signed it.
    pub fn check(text: &str) -> Result<(), RequestError> {
        let first = blocks(text).into_iter().next();
        let der = first.filter(|label| label == LABEL);
        let der = der.and_then(|_| from_pem(LABEL, text));
        let der = der.ok_or(RequestError::Pem)?;
        let Ok(Some(signed)) = signed(&der) else {
            return Err(RequestError::Malformed(malformed(&der)));
        };
        match signed.verdict() {
            Ok(Some(false)) => Err(RequestError::Signature(signed.failure())),
            Ok(_) if signed.algorithm == SHA1 => Err(RequestError::Signature(
                "x509: cannot verify signature: insecure algorithm SHA1-RSA",
            )),
            Ok(_) => Ok(()),
            Err(_) => Err(RequestError::Malformed(malformed(&der))),
        }
    }

    /// Returns the requested subject.
    pub fn subject(&self) -> Option<Subject> {
        read_subject(&self.subject)
    }

    /// Returns true if the request contains an alternative name of this type.
    pub fn has_name(&self, kind: AlternativeName) -> bool {
        let names = self.names.as_deref().and_then(|der| parts(der).ok());
        let names = names.unwrap_or_default();
        names.iter().any(|name| name.first() == Some(&(kind as u8)))
    }
}

impl Authority {
    /// Issues the certificate of a request for these usages, named as in the API, and returns it as PEM.
    ///
    /// # Errors
    /// Returns an error if the authority's key has a different type from those created here.
    pub fn sign(
        &self,
        request: &CertificateRequest,
        usages: &[&str],
        valid: Validity,
    ) -> io::Result<String> {
        let bits = USAGES.iter().filter(|(name, _)| usages.contains(name));
        let bits = bits.fold(0, |all, (_, bit)| all | bit);
        let [first, second] = u16::to_be_bytes(bits);
        // The second byte has only one possible bit, and DER omits trailing zeros.
        let usage: &[u8] = if second == 0 {
            &[first]
        } else {
            &[first, second]
        };
        let purposes = PURPOSES.iter().filter(|(name, _)| usages.contains(name));
        let mut purposes: Vec<Oid> = purposes.map(|(_, oid)| *oid).collect();
        purposes.dedup();
        self.issue(&CertificateContent {
            subject: &request.subject,
            public_key: &request.public_key,
            serial: &[&request.public_key[..], &valid.from.to_be_bytes()].concat(),
            usage,
            purposes: &purposes,
            names: request.names.as_deref(),
            valid,
        })
    }
}

/// The parts of a request: what is signed, how, and with which key.
struct Signed {
    info: Vec<u8>,
    algorithm: Vec<u64>,
    signature: Vec<u8>,
    subject: Vec<u8>,
    public_key: Vec<u8>,
    attributes: Option<Vec<u8>>,
}

fn signed(der: &[u8]) -> ASN1Result<Option<Signed>> {
    let whole = parts(der)?;
    let [info, algorithm, signature] = &whole[..] else {
        return Ok(None);
    };
    let fields = parts(info)?;
    // The first element is the version.
    let [_, subject, public_key, rest @ ..] = &fields[..] else {
        return Ok(None);
    };
    Ok(Some(Signed {
        info: info.clone(),
        algorithm: identifier(parts(algorithm)?.first())?,
        signature: bits(signature)?,
        subject: subject.clone(),
        public_key: public_key.clone(),
        attributes: rest.first().cloned(),
    }))
}

impl Signed {
    /// Returns true if the key signed the request, or `None` if `ring` does not support the key or hash.
    fn verdict(&self) -> ASN1Result<Option<bool>> {
        let parts = parts(&self.public_key)?;
        let key = bits(parts.get(1).map_or(&[], Vec::as_slice))?;
        let known: &dyn VerificationAlgorithm = match (&self.algorithm[..], key.len()) {
            // `ring` verifies only RSA keys of at least 2048 bits.
            ([1, 2, 840, 113_549, 1, 1, _], ..256) => return Ok(None),
            ([1, 2, 840, 113_549, 1, 1, 11], _) => &RSA_PKCS1_2048_8192_SHA256,
            ([1, 2, 840, 113_549, 1, 1, 12], _) => &RSA_PKCS1_2048_8192_SHA384,
            ([1, 2, 840, 113_549, 1, 1, 13], _) => &RSA_PKCS1_2048_8192_SHA512,
            ([1, 2, 840, 10045, 4, 3, 2], POINT_256) => &ECDSA_P256_SHA256_ASN1,
            ([1, 2, 840, 10045, 4, 3, 2], POINT_384) => &ECDSA_P384_SHA256_ASN1,
            ([1, 2, 840, 10045, 4, 3, 3], POINT_256) => &ECDSA_P256_SHA384_ASN1,
            ([1, 2, 840, 10045, 4, 3, 3], POINT_384) => &ECDSA_P384_SHA384_ASN1,
            ([1, 3, 101, 112], _) => &ED25519,
            _ => return Ok(None),
        };
        let key = UnparsedPublicKey::new(known, key);
        Ok(Some(key.verify(&self.info, &self.signature).is_ok()))
    }

    /// Returns Go's error for a signature made with another key.
    fn failure(&self) -> &'static str {
        match self.algorithm[..] {
            [1, 2, 840, 10045, ..] => "x509: ECDSA verification failure",
            [1, 3, ..] => "x509: Ed25519 verification failure",
            _ => "crypto/rsa: verification error",
        }
    }
}

fn read(der: &[u8]) -> ASN1Result<Option<CertificateRequest>> {
    // The signature proves that the requester owns the key.
    let Some(signed) = signed(der)? else {
        return Ok(None);
    };
    if signed.verdict()? != Some(true) {
        return Ok(None);
    }
    let names = match &signed.attributes {
        Some(attributes) => names_in(attributes)?,
        None => None,
    };
    Ok(Some(CertificateRequest {
        subject: signed.subject,
        public_key: signed.public_key,
        names,
    }))
}

/// Returns Go's error for bytes that are not the sequence of a request.
fn malformed(der: &[u8]) -> String {
    let (tag, length, header) = match der {
        [] => return "asn1: syntax error: sequence truncated".to_owned(),
        [tag, length @ 0..=0x7f, ..] => (*tag, usize::from(*length), 2),
        [tag, size @ 0x81..=0x84, rest @ ..] if rest.len() >= usize::from(size & 0x7f) => {
            let size = usize::from(size & 0x7f);
            let length = rest[..size].iter();
            let length = length.fold(0, |all, byte| (all << 8) | usize::from(*byte));
            (*tag, length, 2 + size)
        }
        _ => return "asn1: syntax error: truncated tag or length".to_owned(),
    };
    if tag != 0x30 {
        return format!(
            "asn1: structure error: tags don't match (16 vs {{class:{} tag:{} length:{length} isCompound:{}}}) \
             {{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> \
             stringType:0 timeType:0 set:false omitEmpty:false}} certificateRequest @{header}",
            tag >> 6,
            tag & 0x1f,
            tag & 0x20 != 0
        );
    }
    match der.len() < header + length {
        true => "asn1: syntax error: data truncated".to_owned(),
        false => "asn1: syntax error: sequence truncated".to_owned(),
    }
}

/// Returns the alternative names in the attributes of a request.
fn names_in(attributes: &[u8]) -> ASN1Result<Option<Vec<u8>>> {
    let all = parse_der(attributes, |reader| {
        reader.read_tagged_implicit(Tag::context(0), |reader| {
            reader.collect_set_of(|reader| reader.read_der())
        })
    })?;
    for attribute in &all {
        let attribute = parts(attribute)?;
        if identifier(attribute.first())? != EXTENSIONS {
            continue;
        }
        let values = attribute.get(1).map_or(&[][..], Vec::as_slice);
        let lists = parse_der(values, |reader| {
            reader.collect_set_of(|reader| reader.read_der())
        })?;
        for extension in parts(lists.first().map_or(&[], Vec::as_slice))? {
            let extension = parts(&extension)?;
            // The value comes last, because the flag for critical extensions may precede it.
            if identifier(extension.first())? == SUBJECT_ALT_NAME
                && let Some(value) = extension.last()
            {
                return parse_der(value, |reader| reader.read_bytes()).map(Some);
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair};

    use super::*;
    use crate::certificate::subject_in;

    fn asked(names: &[&str]) -> String {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.distinguished_name = DistinguishedName::new();
        for (kind, value) in [
            (DnType::OrganizationName, "crew"),
            (DnType::CommonName, "pilot"),
        ] {
            params.distinguished_name.push(kind, value);
        }
        let key = KeyPair::generate().unwrap();
        params.serialize_request(&key).unwrap().pem().unwrap()
    }

    #[test]
    fn a_certificate_contains_the_names_of_its_request() {
        let text = asked(&["pilot.example", "10.0.0.1"]);
        let request = CertificateRequest::from_pem(&text).unwrap();
        assert_eq!(request.subject().unwrap().name, "pilot");
        assert!(request.has_name(AlternativeName::Dns));
        assert!(request.has_name(AlternativeName::Ip));
        assert!(!request.has_name(AlternativeName::Email));
        let valid = Validity {
            from: 1_767_225_600,
            until: 2_524_608_000,
        };
        let authority = Authority::generate().unwrap();
        let usages = ["client auth", "digital signature", "decipher only"];
        let signed = |usages: &[&str]| {
            let made = authority.sign(&request, usages, valid).unwrap();
            from_pem("CERTIFICATE", &made).unwrap()
        };
        let der = signed(&usages);
        let subject = subject_in(&der).unwrap();
        assert_eq!(
            (&subject.name[..], &subject.organizations[..]),
            ("pilot", &["crew".to_owned()][..])
        );
        let holds = |part: &[u8]| der.windows(part.len()).any(|window| window == part);
        assert!(holds(b"260101000000Z") && holds(b"20500101000000Z"));
        assert!(holds(b"pilot.example") && holds(&[10, 0, 0, 1]));
        // The two bits, at the first and ninth of 16 positions.
        assert!(holds(&[0x03, 0x03, 0x07, 0x80, 0x80]));
        let key_usage = [0x55, 0x1d, 0x0f];
        assert!(holds(&key_usage));
        let without = signed(&["client auth"]);
        assert!(!without.windows(3).any(|window| window == key_usage));
    }

    #[test]
    fn request_with_an_invalid_signature_is_rejected() {
        let text = asked(&[]);
        let request = CertificateRequest::from_pem(&text).unwrap();
        assert!(!request.has_name(AlternativeName::Dns));
        let der = from_pem(LABEL, &text).unwrap();
        for at in 0..der.len() {
            let mut changed = der.clone();
            changed[at] ^= 0x11;
            let text = crate::der::pem(LABEL, &changed);
            // Changing the name or the key invalidates the signature.
            assert!(CertificateRequest::from_pem(&text).is_none(), "{at}");
            assert!(read(&der[..at]).ok().flatten().is_none(), "{at}");
        }
        for odd in ["", "x", "-----BEGIN CERTIFICATE REQUEST-----"] {
            assert!(CertificateRequest::from_pem(odd).is_none());
            assert_eq!(CertificateRequest::check(odd), Err(RequestError::Pem));
        }
    }

    #[test]
    fn a_request_is_refused_in_the_words_of_go() {
        let text = asked(&["pilot.example"]);
        assert_eq!(CertificateRequest::check(&text), Ok(()));
        let told = |der: &[u8]| {
            let text = crate::der::pem(LABEL, der);
            CertificateRequest::check(&text).unwrap_err().to_string()
        };
        let mut other = from_pem(LABEL, &text).unwrap();
        let last = other.len() - 1;
        other[last] ^= 1;
        assert_eq!(told(&other), "x509: ECDSA verification failure");
        assert_eq!(told(&[]), "asn1: syntax error: sequence truncated");
        assert_eq!(told(&[0x30, 0]), "asn1: syntax error: sequence truncated");
        assert_eq!(told(&[0x30, 9, 1]), "asn1: syntax error: data truncated");
        assert!(told(b"foo").starts_with(
            "asn1: structure error: tags don't match (16 vs {class:1 tag:6 length:111 isCompound:true}) {"
        ));
        let key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
        let both = format!("{key}{text}");
        assert_eq!(CertificateRequest::check(&both), Err(RequestError::Pem));
    }
}
