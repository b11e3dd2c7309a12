//! TLS to etcd: the client verifies etcd's certificate against one authority, and may present its own certificate.

use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

use crate::error::{EtcdError, Result};

/// The contents of the files for `--ca`, `--cert` and `--key`, in PEM.
///
/// ```no_run
/// use ctl_etcd::{Client, Tls};
/// use ctl_sys::bounded::{SETTINGS, read};
///
/// let tls = Tls {
///     ca: read("ca.pem", SETTINGS)?,
///     identity: Some((read("client.pem", SETTINGS)?, read("client-key.pem", SETTINGS)?)),
/// };
/// let client = Client::new(&["etcd.example.com:2379".to_owned()], Some(&tls))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Tls {
    /// The certificate authority that signed etcd's certificate.
    pub ca: Vec<u8>,
    /// The client's certificate and key, if etcd requires them.
    pub identity: Option<(Vec<u8>, Vec<u8>)>,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Keeps the key out of logs.
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}

impl Tls {
    pub(crate) fn config(&self) -> Result<Arc<ClientConfig>> {
        // The machine's own authorities are not trusted here, because they issue certificates to anyone.
        let mut roots = RootCertStore::empty();
        for certificate in certificates(&self.ca, "--ca")? {
            roots.add(certificate).map_err(|e| wrong("--ca", &e))?;
        }
        // Explicit, because the default of the process depends on other users of rustls.
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|e| wrong("TLS", &e))?
            .with_root_certificates(roots);
        let mut config = match &self.identity {
            None => config.with_no_client_auth(),
            Some((certificate, key)) => {
                let chain = certificates(certificate, "--cert")?;
                let key = PrivateKeyDer::from_pem_slice(key).map_err(|e| wrong("--key", &e))?;
                config
                    .with_client_auth_cert(chain, key)
                    .map_err(|e| wrong("--cert and --key", &e))?
            }
        };
        // gRPC needs HTTP/2, which a server selects only if the client offers it.
        config.alpn_protocols = vec![b"h2".to_vec()];
        Ok(Arc::new(config))
    }
}

/// Returns the error of a handshake with a message that says what to do.
pub(crate) fn of_handshake(error: std::io::Error) -> std::io::Error {
    use std::io::ErrorKind;

    use rustls::{CertificateError, Error};
    let inner = error.get_ref().and_then(|e| e.downcast_ref::<Error>());
    let hint = match inner {
        Some(Error::InvalidCertificate(
            CertificateError::UnknownIssuer | CertificateError::BadSignature,
        )) => "the authority of --ca has not signed its certificate",
        Some(Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        )) => "its certificate does not name this host",
        Some(Error::InvalidMessage(_)) => "it does not use TLS: omit --ca",
        // etcd closes a connection that does not begin with HTTP; if the client has sent more by then, the connection
        // is reset.
        _ if matches!(
            error.kind(),
            ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset
        ) =>
        {
            "it ended the handshake; if it does not use TLS, omit --ca"
        }
        _ => return error,
    };
    std::io::Error::other(format!("{hint} ({error})"))
}

/// Returns the error for a member that rejects the client in the handshake, if that is why the connection ended. With
/// TLS 1.3, the client learns of it only after its first request, which the member never read.
pub(crate) fn refusal(reason: &str) -> Option<EtcdError> {
    reason.contains("received fatal alert").then(|| {
        EtcdError::Config(format!(
            "etcd refuses the client: it requires a certificate that its authority has signed; use --cert and --key ({reason})"
        ))
    })
}

fn certificates(pem: &[u8], of: &str) -> Result<Vec<CertificateDer<'static>>> {
    let found: std::result::Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let found = found.map_err(|e| wrong(of, &e))?;
    if found.is_empty() {
        return Err(EtcdError::Config(format!("{of}: no certificate in PEM")));
    }
    Ok(found)
}

fn wrong(of: &str, error: &dyn std::fmt::Display) -> EtcdError {
    EtcdError::Config(format!("{of}: {error}"))
}
