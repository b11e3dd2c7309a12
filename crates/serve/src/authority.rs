//! The certificates of a cluster: an authority of its own, and what it signs.
//!
//! Nothing here expires, because the clock of a cluster may be virtual: a certificate ends with the
//! authority, which is replaced by removing its file.
//! Must not know: files.

use std::fmt;
use std::io;
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose,
};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio_rustls::TlsAcceptor;

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
    pub(crate) fn der(&self) -> io::Result<CertificateDer<'static>> {
        CertificateDer::from_pem_slice(self.certificate.as_bytes())
            .map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))
    }

    /// Returns the key that signs.
    pub(crate) fn key(&self) -> &KeyPair {
        &self.key
    }

    /// Makes a certificate and a key for a server that is known by this host too, and that knows clients by
    /// certificates of this authority.
    ///
    /// # Errors
    /// The host is no name, or the machine has no randomness.
    pub fn serve_as(&self, host: &str) -> io::Result<Tls> {
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
        // Made anew for each start: a key that is not kept cannot be read later.
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let issuer = Issuer::new(params(), &self.key);
        let signed = wanted.signed_by(&key, &issuer).map_err(io::Error::other)?;
        // Named here: a default of the process would depend on who else links rustls.
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut roots = RootCertStore::empty();
        roots.add(self.der()?).map_err(io::Error::other)?;
        // Tokens are credentials too, and probes have none.
        let clients =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
                .allow_unauthenticated()
                .build()
                .map_err(io::Error::other)?;
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_client_cert_verifier(clients)
            .with_single_cert(vec![signed.der().clone()], PrivateKeyDer::from(key))
            .map_err(io::Error::other)?;
        // Go's clients speak HTTP/2 only if the handshake says so.
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Tls(TlsAcceptor::from(Arc::new(config))))
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

/// The secret that a server proves who it is with.
#[derive(Clone)]
pub struct Tls(pub(crate) TlsAcceptor);

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
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
        assert!(read.serve_as("10.1.2.3").is_ok());
        for text in ["", made.certificate(), &made.key.serialize_pem(), "x"] {
            let refused = Authority::from_text(text).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::InvalidData, "{text}");
        }
        let cut = &made.to_text()[..made.to_text().len() - 60];
        assert!(Authority::from_text(cut).is_err());
    }
}
