//! TLS for the server: its certificate, and the authentication of clients by their certificates.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use sha2::{Digest as _, Sha256};
use tokio_rustls::TlsAcceptor;

use crate::clients::Clients;
use crate::cluster::impersonated;
use crate::kinds::admission::User;
use crate::pki::{Authority, subject_in};

/// The user attribute that contains the ID of the credential.
const CREDENTIAL: &str = "authentication.kubernetes.io/credential-id";

/// The TLS configuration of the server, with its certificate and private key.
///
/// ```
/// use ctl_pki::Authority;
/// use ctl_serve::http::{Limits, Server};
/// use ctl_serve::tls::Tls;
///
/// let authority = Authority::generate()?;
/// let server = Server::bind(([127, 0, 0, 1], 0).into(), false, Limits::default())?
///     .with_tls(Tls::issue(&authority, &["127.0.0.1"])?);
/// assert!(server.address().is_some());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
pub struct Tls {
    pub(crate) acceptor: TlsAcceptor,
    clients: Option<Arc<Clients>>,
}

/// The client of a connection that presented a certificate.
#[derive(Clone, Debug)]
pub(crate) enum Peer {
    /// A user whose certificate was verified.
    Known(User),
    /// The certificate was signed by another authority, or it has expired or is not valid yet.
    Unknown,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}

impl Tls {
    /// Issues a certificate for the server, valid for these additional host names and addresses. Clients are
    /// authenticated by certificates of the same authority.
    ///
    /// # Errors
    /// Returns an error if a host is not a valid name, or if the machine has no randomness.
    pub fn issue(authority: &Authority, hosts: &[&str]) -> io::Result<Self> {
        let own = authority.server(hosts)?;
        // The chain omits the authority, because clients have it from their kubeconfig.
        let chain = vec![CertificateDer::from(own.certificate)];
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(own.key));
        let root = CertificateDer::from(authority.der()?);
        Self::with(chain, key, vec![root])
    }

    /// Parses a certificate, its key and the authorities of clients from PEM. The authorities may be empty.
    ///
    /// # Errors
    /// Returns an error if one of the texts is invalid or the key does not match the certificate.
    pub fn of_files(certificate: &[u8], key: &[u8], clients: &[u8]) -> io::Result<Self> {
        let certificates = |pem: &[u8]| -> io::Result<Vec<CertificateDer<'static>>> {
            let all = CertificateDer::pem_slice_iter(pem);
            all.collect::<Result<_, _>>().map_err(io::Error::other)
        };
        let key = PrivateKeyDer::from_pem_slice(key).map_err(io::Error::other)?;
        Self::with(certificates(certificate)?, key, certificates(clients)?)
    }

    fn with(
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
        authorities: Vec<CertificateDer<'static>>,
    ) -> io::Result<Self> {
        // Set explicitly, because the default for the process could be changed by other users of rustls.
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        // rustls cannot create a verifier without an authority.
        let clients = match authorities.is_empty() {
            true => None,
            false => Some(Arc::new(Clients::new(authorities)?)),
        };
        let verifier = match &clients {
            None => WebPkiClientVerifier::no_client_auth(),
            Some(clients) => Arc::clone(clients) as Arc<dyn ClientCertVerifier>,
        };
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain, key)
            .map_err(io::Error::other)?;
        // Go's clients use HTTP/2 only if it is negotiated in the handshake (ALPN).
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            clients,
        })
    }

    /// Returns the client with this certificate chain; `None` if a verified certificate has no name.
    pub(crate) fn peer(&self, chain: &[CertificateDer<'_>], now: UnixTime) -> Option<Peer> {
        let own = chain.first()?;
        let clients = self.clients.as_ref()?;
        match clients.accepts(chain, now) {
            true => user_of(own).map(Peer::Known),
            false => Some(Peer::Unknown),
        }
    }
}

/// Returns the user of a verified certificate: the common name is the user, the organizations are the groups, and the
/// digest is the ID of the credential. Returns `None` if the certificate has no readable subject.
fn user_of(certificate: &[u8]) -> Option<User> {
    let subject = subject_in(certificate)?;
    let digest = Sha256::digest(certificate);
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let id = vec![format!("X509SHA256={digest}")];
    Some(User {
        extra: BTreeMap::from([(CREDENTIAL.to_owned(), id)]),
        ..impersonated(&subject.name, "", subject.organizations)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_of_a_certificate_has_the_id_of_the_certificate() {
        let authority = Authority::generate().unwrap();
        let made = authority.client("ann", &["dev".to_owned()]).unwrap();
        let certificate = CertificateDer::from_pem_slice(made.certificate.as_bytes()).unwrap();
        let user = user_of(&certificate).unwrap();
        assert_eq!((&*user.name, &*user.groups[0]), ("ann", "dev"));
        let id = &user.extra[CREDENTIAL][0];
        let digest = id.strip_prefix("X509SHA256=").unwrap();
        assert!(
            digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit()),
            "{id}"
        );
    }
}
