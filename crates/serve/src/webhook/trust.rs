//! The certificates that a webhook may show.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

use crate::sys::host;

/// Returns the configuration of a client that trusts these authorities, in PEM, or those of the machine if there are
/// none.
pub(super) fn config(authorities: &[u8]) -> Result<Arc<ClientConfig>, String> {
    let bundle = match authorities {
        [] => host::authorities(),
        own => Some(own.to_vec()),
    };
    let mut roots = RootCertStore::empty();
    let mut trusted = Vec::new();
    for certificate in CertificateDer::pem_slice_iter(&bundle.unwrap_or_default()).flatten() {
        // A certificate that cannot be an authority may still be the webhook's own, so its error does not count.
        let _ = roots.add(certificate.clone());
        trusted.push(certificate);
    }
    if trusted.is_empty() {
        return Err(
            "tls: failed to verify certificate: x509: certificate signed by unknown authority"
                .to_owned(),
        );
    }
    // Named here: a default of the process would depend on who else links rustls.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier =
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
            .build()
            .map_err(|e| e.to_string())?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| e.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Trust { verifier, trusted }))
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// Verifies certificates as Go does, which also trusts a server's own certificate if it is in the bundle. Many
/// webhooks sign their certificate with itself.
#[derive(Debug)]
struct Trust {
    verifier: Arc<WebPkiServerVerifier>,
    trusted: Vec<CertificateDer<'static>>,
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
        let verified = self
            .verifier
            .verify_server_cert(end_entity, intermediates, name, ocsp, now);
        // A certificate that has expired is refused, even if it is in the bundle.
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
        self.verifier
            .verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier
            .verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.verifier.supported_verify_schemes()
    }
}
