//! Verifies server certificates, and configures the client's own certificate.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

use crate::sys::host;

/// The client's side of a handshake.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Client<'a> {
    /// The trusted authorities, as PEM; the machine's own if empty.
    pub(crate) authorities: &'a [u8],
    /// True to accept any certificate.
    pub(crate) insecure: bool,
    /// The client's own certificates and key, as PEM.
    pub(crate) identity: Option<(&'a [u8], &'a [u8])>,
}

impl<'a> Client<'a> {
    /// Returns a client that trusts these authorities, given as PEM, or the machine's own if there are none.
    pub(crate) fn trusting(authorities: &'a [u8]) -> Self {
        Self {
            authorities,
            ..Self::default()
        }
    }

    /// Returns the TLS configuration.
    pub(crate) fn config(self) -> Result<Arc<ClientConfig>, String> {
        let bundle = match self.authorities {
            [] => host::authorities(),
            own => Some(own.to_vec()),
        };
        let mut roots = RootCertStore::empty();
        let mut trusted = Vec::new();
        for certificate in CertificateDer::pem_slice_iter(&bundle.unwrap_or_default()).flatten() {
            // A certificate that is not a valid authority may still be the server's own, so the error is ignored.
            let _ = roots.add(certificate.clone());
            trusted.push(certificate);
        }
        // Explicit, because the default of the process depends on other users of rustls.
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let chains = if self.insecure {
            None
        } else if trusted.is_empty() {
            return Err(
                "tls: failed to verify certificate: x509: certificate signed by unknown authority"
                    .to_owned(),
            );
        } else {
            let (roots, provider) = (Arc::new(roots), Arc::clone(&provider));
            let chains = WebPkiServerVerifier::builder_with_provider(roots, provider);
            Some(chains.build().map_err(|e| e.to_string())?)
        };
        let trust = Trust {
            chains,
            trusted,
            schemes: provider.signature_verification_algorithms,
        };
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|e| e.to_string())?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(trust));
        let config = match self.identity {
            None => builder.with_no_client_auth(),
            Some((certificates, key)) => {
                let chain: Result<Vec<_>, _> =
                    CertificateDer::pem_slice_iter(certificates).collect();
                let chain = chain.map_err(|e| format!("tls: the client's certificate: {e}"))?;
                let key = PrivateKeyDer::from_pem_slice(key)
                    .map_err(|e| format!("tls: the client's key: {e}"))?;
                builder
                    .with_client_auth_cert(chain, key)
                    .map_err(|e| format!("tls: the client's certificate: {e}"))?
            }
        };
        Ok(Arc::new(config))
    }
}

/// Verifies certificates as Go does: it also trusts a server's own certificate if that is in the bundle. Many webhooks
/// have self-signed certificates.
#[derive(Debug)]
struct Trust {
    /// Verifies chains; `None` accepts any certificate, for `insecure-skip-tls-verify`. In any case, the server must
    /// have the certificate's key.
    chains: Option<Arc<WebPkiServerVerifier>>,
    trusted: Vec<CertificateDer<'static>>,
    schemes: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for Trust {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(chains) = &self.chains else {
            return Ok(ServerCertVerified::assertion());
        };
        let verified = chains.verify_server_cert(end_entity, intermediates, name, ocsp, now);
        // An expired certificate is rejected even if it is in the bundle.
        let unchained = |e: &Error| {
            !matches!(
                e,
                Error::InvalidCertificate(
                    CertificateError::Expired
                        | CertificateError::ExpiredContext { .. }
                        | CertificateError::NotValidYet
                        | CertificateError::NotValidYetContext { .. }
                )
            )
        };
        match verified {
            Err(e) if unchained(&e) && self.trusted.iter().any(|own| own == end_entity) => {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.schemes)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.schemes)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.schemes.supported_schemes()
    }
}
