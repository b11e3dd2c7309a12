//! TLS of the server: its certificate, and the authentication of clients by certificate.

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

/// The attribute of a user with the id of the credentials.
const CREDENTIAL: &str = "authentication.kubernetes.io/credential-id";

/// The server's TLS configuration with its certificate and private key.
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

/// The client of a connection with a certificate.
#[derive(Clone, Debug)]
pub(crate) enum Peer {
    /// A user.
    Known(User),
    /// An authority of others has signed the certificate, or it is not valid now.
    Unknown,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}

impl Tls {
    /// Creates a certificate for a server with these additional host names and addresses; clients are authenticated by
    /// certificates of the authority.
    ///
    /// # Errors
    /// A host is not a valid name, or the machine has no randomness.
    pub fn issue(authority: &Authority, hosts: &[&str]) -> io::Result<Self> {
        let own = authority.server(hosts)?;
        // Without the authority itself, which clients have from the kubeconfig.
        let chain = vec![CertificateDer::from(own.certificate)];
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(own.key));
        let root = CertificateDer::from(authority.der()?);
        Self::with(chain, key, vec![root])
    }

    /// Parses a certificate and its key from PEM, and the authorities of clients, which may be empty.
    ///
    /// # Errors
    /// One of the texts is invalid, or the key does not match the certificate.
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
        // Set explicitly, because the default of the process depends on other users of rustls.
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        // A verifier cannot be created without an authority.
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
        // Go's clients use HTTP/2 only if the handshake offers it.
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            clients,
        })
    }

    /// Returns the client with these certificates. A verified one without a name identifies no user.
    pub(crate) fn peer(&self, chain: &[CertificateDer<'_>], now: UnixTime) -> Option<Peer> {
        let own = chain.first()?;
        let clients = self.clients.as_ref()?;
        match clients.accepts(chain, now) {
            true => user_of(own).map(Peer::Known),
            false => Some(Peer::Unknown),
        }
    }
}

/// Returns the user of a verified certificate: its common name, its organizations as groups, and its digest as the id of
/// the credentials. One without a name identifies no user.
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
