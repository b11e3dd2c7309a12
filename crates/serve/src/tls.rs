//! TLS of the server: its certificate, and the clients that it knows by certificates.

use std::fmt;
use std::io;
use std::sync::Arc;

use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio_rustls::TlsAcceptor;

use crate::cluster::impersonated;
use crate::kinds::admission::User;
use crate::pki::{Authority, subject_in};

/// The secret that a server proves who it is with.
///
/// ```
/// use ctl_pki::Authority;
/// use ctl_serve::http::{Limits, Server};
/// use ctl_serve::tls::Tls;
///
/// let authority = Authority::generate()?;
/// let server = Server::bind(([127, 0, 0, 1], 0).into(), false, Limits::default())?
///     .with_tls(Tls::of(&authority, "127.0.0.1")?);
/// assert!(server.address().is_some());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
pub struct Tls(pub(crate) TlsAcceptor);

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}

impl Tls {
    /// Makes a certificate for a server that is known by this host too, and that knows clients by
    /// certificates of the authority.
    ///
    /// # Errors
    /// The host is no name, or the machine has no randomness.
    pub fn of(authority: &Authority, host: &str) -> io::Result<Self> {
        let own = authority.server(host)?;
        // Named here: a default of the process would depend on who else links rustls.
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut roots = RootCertStore::empty();
        let root = CertificateDer::from(authority.der()?);
        roots.add(root).map_err(io::Error::other)?;
        // Tokens are credentials too, and probes have none.
        let clients =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
                .allow_unauthenticated()
                .build()
                .map_err(io::Error::other)?;
        // The authority itself is left out: clients have it from the kubeconfig.
        let chain = vec![CertificateDer::from(own.certificate)];
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(own.key));
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_client_cert_verifier(clients)
            .with_single_cert(chain, key)
            .map_err(io::Error::other)?;
        // Go's clients speak HTTP/2 only if the handshake says so.
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }
}

/// Returns the user that a verified certificate names: its common name, in the groups that are its
/// organizations. One without a name identifies nobody.
pub(crate) fn user_of(certificate: &[u8]) -> Option<User> {
    let subject = subject_in(certificate)?;
    Some(impersonated(&subject.name, "", subject.organizations))
}
