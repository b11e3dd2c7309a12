//! The certificate authority of a cluster.
//!
//! The authority does not expire, because the clock of a cluster may be virtual. Certificates are valid for as long as
//! the authority exists. Deleting its file replaces it.

use std::fmt;
use std::io;

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose,
};

use crate::certificate::Credentials;
use crate::der;

/// The common name of the authority, as in `kubeadm`.
const NAME: &str = "kubernetes";

/// The host names in every server's certificate: those of the local machine and those of the Service `kubernetes`.
///
/// ```
/// assert!(ctl_pki::SERVER_NAMES.contains(&"kubernetes.default.svc"));
/// ```
pub const SERVER_NAMES: [&str; 8] = [
    "localhost",
    "127.0.0.1",
    "::1",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
    // The address of the Service, which clients find in their environment.
    "10.96.0.1",
];

/// The line at which the key begins in the text of an authority.
const KEY: &str = "-----BEGIN PRIVATE KEY-----";

/// A certificate authority.
pub struct Authority {
    certificate: String,
    key: KeyPair,
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Omits the key, which must not be logged.
        f.write_str("Authority")
    }
}

impl Authority {
    /// Creates an authority with a new key.
    ///
    /// # Errors
    /// Returns an error if the machine provides no randomness.
    pub fn generate() -> io::Result<Self> {
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let certificate = params().self_signed(&key).map_err(io::Error::other)?;
        Ok(Self {
            certificate: certificate.pem(),
            key,
        })
    }

    /// Parses the text that `to_text` returned.
    ///
    /// # Errors
    /// Returns an error if the text contains no certificate or no key.
    pub fn from_text(text: &str) -> io::Result<Self> {
        let wrong = || io::Error::new(io::ErrorKind::InvalidData, "no certificate and key in it");
        // A truncated file must not become an authority without a key.
        let at = text.find(KEY).ok_or_else(wrong)?;
        let (certificate, key) = text.split_at(at);
        if !certificate.starts_with("-----BEGIN CERTIFICATE-----") {
            return Err(wrong());
        }
        Ok(Self {
            certificate: certificate.to_owned(),
            key: KeyPair::from_pem(key).map_err(|_| wrong())?,
        })
    }

    /// Returns the certificate and the key as PEM. Anyone who reads the key can impersonate any user.
    pub fn to_text(&self) -> String {
        format!("{}{}", self.certificate, self.key.serialize_pem())
    }

    /// Returns the certificate as PEM, with which clients verify the server.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// Returns the certificate as DER.
    ///
    /// # Errors
    /// Returns an error if the certificate that was parsed is not valid PEM.
    pub fn der(&self) -> io::Result<Vec<u8>> {
        let why = || {
            io::Error::new(
                io::ErrorKind::InvalidData,
                "the authority has no certificate",
            )
        };
        der::from_pem("CERTIFICATE", &self.certificate).ok_or_else(why)
    }

    /// Returns the signing key.
    pub(crate) fn key(&self) -> &KeyPair {
        &self.key
    }

    /// Creates a certificate and a key for a server with these additional host names and addresses. Each start creates
    /// a new key, because a key that is not stored cannot be stolen.
    ///
    /// # Errors
    /// Returns an error if a host name is invalid or the machine provides no randomness.
    pub fn server(&self, hosts: &[&str]) -> io::Result<ServerKey> {
        let mut names = SERVER_NAMES.map(str::to_owned).to_vec();
        let more = hosts.iter().filter(|host| !SERVER_NAMES.contains(host));
        names.extend(more.map(|host| (*host).to_owned()));
        let mut wanted = CertificateParams::new(names).map_err(io::Error::other)?;
        // Cleared, because the default names the library, and clients would see it.
        wanted.distinguished_name = DistinguishedName::new();
        wanted
            .distinguished_name
            .push(DnType::CommonName, "kube-apiserver");
        wanted.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        // OpenSSL's strict mode, which Python turns on, requires this extension.
        wanted.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let issuer = Issuer::new(params(), &self.key);
        let signed = wanted.signed_by(&key, &issuer).map_err(io::Error::other)?;
        Ok(ServerKey {
            certificate: signed.der().to_vec(),
            key: key.serialize_der(),
        })
    }
}

/// A server's certificate and key (PKCS #8), as DER.
///
/// ```
/// use ctl_pki::{Authority, ServerKey};
///
/// let authority = Authority::generate()?;
/// // Both parts are DER, as rustls expects.
/// let ServerKey { certificate, key } = authority.server(&["127.0.0.1"])?;
/// assert!(!certificate.is_empty() && !key.is_empty());
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct ServerKey {
    /// The certificate.
    pub certificate: Vec<u8>,
    /// The key. Anyone who reads it can impersonate the server.
    pub key: Vec<u8>,
}

impl ServerKey {
    /// Returns the certificate and the key as PEM.
    pub fn to_pem(&self) -> Credentials {
        Credentials {
            certificate: der::pem("CERTIFICATE", &self.certificate),
            key: der::pem("PRIVATE KEY", &self.key),
        }
    }
}

impl fmt::Debug for ServerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Omits the key, which must not be logged.
        f.write_str("ServerKey")
    }
}

/// Returns the parameters of the authority's certificate, which signing needs as well.
fn params() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, NAME);
    // Clients reject a chain whose issuer is not allowed to sign certificates.
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![
        KeyUsagePurpose::KeyCertSign,
        KeyUsagePurpose::CrlSign,
        KeyUsagePurpose::DigitalSignature,
    ];
    params
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authority_round_trips_as_text_and_hides_its_key() {
        let made = Authority::generate().unwrap();
        let read = Authority::from_text(&made.to_text()).unwrap();
        assert_eq!(read.to_text(), made.to_text());
        assert!(!read.certificate().contains("PRIVATE"));
        assert_eq!(format!("{read:?}"), "Authority");
        let made_for = read.server(&["10.1.2.3", "box.lan", "localhost"]).unwrap();
        let holds = |part: &[u8]| made_for.certificate.windows(part.len()).any(|w| w == part);
        assert!(holds(&[10, 1, 2, 3]) && holds(b"box.lan") && holds(&[10, 96, 0, 1]));
        for text in ["", made.certificate(), &made.key.serialize_pem(), "x"] {
            let refused = Authority::from_text(text).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::InvalidData, "{text}");
        }
        let cut = &made.to_text()[..made.to_text().len() - 60];
        assert!(Authority::from_text(cut).is_err());
    }
}
