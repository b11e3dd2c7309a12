//! The certificate authority of a cluster.
//!
//! It does not expire, because the clock of a cluster may be virtual: a certificate ends with the
//! authority, which is replaced by removing its file.

use std::fmt;
use std::io;

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose,
};

use crate::der;

/// The name of the authority, as `kubeadm` calls it.
const NAME: &str = "kubernetes";

/// The names under which a server knows itself, besides the address that it listens at.
const OWN: [&str; 7] = [
    "localhost",
    "127.0.0.1",
    "::1",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
];

/// The line that begins the key in the text of an authority.
const KEY: &str = "-----BEGIN PRIVATE KEY-----";

/// A certificate authority.
pub struct Authority {
    certificate: String,
    key: KeyPair,
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the key.
        f.write_str("Authority")
    }
}

impl Authority {
    /// Makes an authority with a key of its own.
    ///
    /// # Errors
    /// The machine has no randomness.
    pub fn generate() -> io::Result<Self> {
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let certificate = params().self_signed(&key).map_err(io::Error::other)?;
        Ok(Self {
            certificate: certificate.pem(),
            key,
        })
    }

    /// Reads what `to_text` has written.
    ///
    /// # Errors
    /// The text holds no certificate or no key.
    pub fn from_text(text: &str) -> io::Result<Self> {
        let wrong = || io::Error::new(io::ErrorKind::InvalidData, "no certificate and key in it");
        // A file that was cut must not become an authority without a key.
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

    /// Returns the certificate and the key as PEM. Whoever reads the key can be anybody.
    pub fn to_text(&self) -> String {
        format!("{}{}", self.certificate, self.key.serialize_pem())
    }

    /// Returns the certificate as PEM, by which clients know the server.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// Returns the certificate as it is encoded.
    ///
    /// # Errors
    /// What was read as a certificate is none.
    pub fn der(&self) -> io::Result<Vec<u8>> {
        let why = || {
            io::Error::new(
                io::ErrorKind::InvalidData,
                "the authority has no certificate",
            )
        };
        der::from_pem("CERTIFICATE", &self.certificate).ok_or_else(why)
    }

    /// Returns the key that signs.
    pub(crate) fn key(&self) -> &KeyPair {
        &self.key
    }

    /// Makes a certificate and a key for a server that is known by this host too. The key is made anew
    /// for each start: a key that is not kept cannot be read later.
    ///
    /// # Errors
    /// The host is no name, or the machine has no randomness.
    pub fn server(&self, host: &str) -> io::Result<ServerKey> {
        let mut names = OWN.map(str::to_owned).to_vec();
        if !OWN.contains(&host) {
            names.push(host.to_owned());
        }
        let mut wanted = CertificateParams::new(names).map_err(io::Error::other)?;
        // Without it, the default name of the library would be shown to clients.
        wanted.distinguished_name = DistinguishedName::new();
        wanted
            .distinguished_name
            .push(DnType::CommonName, "kube-apiserver");
        wanted.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        // OpenSSL's strict mode, which Python turns on, wants it.
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

/// The certificate of a server and its key (PKCS #8), encoded.
///
/// ```
/// use ctl_pki::{Authority, ServerKey};
///
/// let authority = Authority::generate()?;
/// // Both parts are DER, as rustls reads them.
/// let ServerKey { certificate, key } = authority.server("127.0.0.1")?;
/// assert!(!certificate.is_empty() && !key.is_empty());
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct ServerKey {
    /// The certificate.
    pub certificate: Vec<u8>,
    /// The key. Whoever reads it can be the server.
    pub key: Vec<u8>,
}

impl fmt::Debug for ServerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the key.
        f.write_str("ServerKey")
    }
}

/// Returns what is said of the authority in its certificate, which is needed to sign as well.
fn params() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, NAME);
    // Clients refuse a chain whose issuer does not say that it may sign.
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
    fn an_authority_is_kept_as_text_and_shows_its_key_nowhere_else() {
        let made = Authority::generate().unwrap();
        let read = Authority::from_text(&made.to_text()).unwrap();
        assert_eq!(read.to_text(), made.to_text());
        assert!(!read.certificate().contains("PRIVATE"));
        assert_eq!(format!("{read:?}"), "Authority");
        assert!(read.server("10.1.2.3").is_ok());
        for text in ["", made.certificate(), &made.key.serialize_pem(), "x"] {
            let refused = Authority::from_text(text).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::InvalidData, "{text}");
        }
        let cut = &made.to_text()[..made.to_text().len() - 60];
        assert!(Authority::from_text(cut).is_err());
    }
}
