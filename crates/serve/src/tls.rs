//! TLS of the server: its certificate, and the clients that it knows by certificates.

use std::fmt;
use std::io;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
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
        // The authority itself is left out: clients have it from the kubeconfig.
        let chain = vec![CertificateDer::from(own.certificate)];
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(own.key));
        let root = CertificateDer::from(authority.der()?);
        Self::with(chain, key, vec![root])
    }

    /// Takes a certificate and its key from PEM, and the authorities that vouch for clients; none of them may be there.
    ///
    /// # Errors
    /// One of the texts cannot be read, or the key is not the certificate's.
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
        // Named here: a default of the process would depend on who else links rustls.
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut roots = RootCertStore::empty();
        for authority in authorities {
            roots.add(authority).map_err(io::Error::other)?;
        }
        // Tokens are credentials too, and probes have none.
        let clients = match roots.is_empty() {
            // A verifier without an authority cannot be made.
            true => WebPkiClientVerifier::no_client_auth(),
            false => {
                let roots = Arc::new(roots);
                WebPkiClientVerifier::builder_with_provider(roots, Arc::clone(&provider))
                    .allow_unauthenticated()
                    .build()
                    .map_err(io::Error::other)?
            }
        };
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
