//! Verifies client certificates.
//!
//! The handshake accepts any certificate if the client has its key; the authorities decide afterwards. As with the
//! real API server, a client with another authority's certificate then gets a response rather than a TLS alert.
//! Certificates of version 1 are verified here, because Go accepts them and `webpki` does not.

use std::fmt;
use std::io;
use std::sync::Arc;

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{
    WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature,
    verify_tls13_signature_with_raw_key,
};
use rustls::pki_types::{
    CertificateDer, SignatureVerificationAlgorithm, SubjectPublicKeyInfoDer, UnixTime,
};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, RootCertStore,
    SignatureScheme,
};

use crate::pki::{PublicKey, UnverifiedCertificate};

/// The authorities that sign client certificates.
pub(crate) struct Clients {
    chains: Arc<dyn ClientCertVerifier>,
    authorities: Vec<UnverifiedCertificate>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl fmt::Debug for Clients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clients")
    }
}

impl Clients {
    /// # Errors
    /// Returns an error if there is no authority or one of them has no valid certificate.
    pub(crate) fn new(authorities: Vec<CertificateDer<'static>>) -> io::Result<Self> {
        // Explicit, because the default of the process depends on other users of rustls.
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let algorithms = provider.signature_verification_algorithms;
        let outlines = authorities
            .iter()
            .filter_map(|own| UnverifiedCertificate::parse(own));
        let outlines = outlines.collect();
        let mut roots = RootCertStore::empty();
        for authority in authorities {
            roots.add(authority).map_err(io::Error::other)?;
        }
        let chains = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
        Ok(Self {
            // Optional, because tokens are credentials, too, and probes have none.
            chains: chains
                .allow_unauthenticated()
                .build()
                .map_err(io::Error::other)?,
            authorities: outlines,
            algorithms,
        })
    }

    /// Returns true if an authority signed the first certificate of a chain, directly or through the others.
    pub(crate) fn accepts(&self, chain: &[CertificateDer<'_>], now: UnixTime) -> bool {
        let Some((own, others)) = chain.split_first() else {
            return false;
        };
        match first_version(own) {
            Some(own) => self.signed(&own, now),
            None => self.chains.verify_client_cert(own, others, now).is_ok(),
        }
    }

    /// Returns true if an authority signed the certificate and the certificate is currently valid.
    fn signed(&self, own: &UnverifiedCertificate, now: UnixTime) -> bool {
        let now = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
        let is_valid = (own.valid.from..=own.valid.until).contains(&now);
        let mut issuers = self
            .authorities
            .iter()
            .filter(|authority| authority.subject == own.issuer);
        is_valid
            && issuers.any(|authority| {
                let all = self.algorithms.all.iter();
                let mut all = all.filter(|one| *one.signature_alg_id() == *own.algorithm);
                let signature = Signature {
                    message: &own.signed,
                    bytes: &own.signature,
                };
                let key = authority.key();
                key.is_some_and(|key| all.any(|one| signature.is_of(&key, *one)))
            })
    }
}

/// Parses a certificate of version 1; returns `None` for any other version.
fn first_version(certificate: &[u8]) -> Option<UnverifiedCertificate> {
    UnverifiedCertificate::parse(certificate).filter(|own| own.is_first_version)
}

/// A message and its signature.
struct Signature<'a> {
    message: &'a [u8],
    bytes: &'a [u8],
}

impl Signature<'_> {
    /// Returns true if the key made the signature with this algorithm.
    fn is_of(&self, key: &PublicKey, algorithm: &dyn SignatureVerificationAlgorithm) -> bool {
        *algorithm.public_key_alg_id() == *key.algorithm
            && algorithm
                .verify_signature(&key.bytes, self.message, self.bytes)
                .is_ok()
    }
}

impl ClientCertVerifier for Clients {
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.chains.root_hint_subjects()
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        // `accepts` decides after the handshake.
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let Some(key) = first_version(certificate).and_then(|own| own.key()) else {
            return verify_tls12_signature(message, certificate, signed, &self.algorithms);
        };
        let signature = Signature {
            message,
            bytes: signed.signature(),
        };
        let mut schemes = self.algorithms.mapping.iter();
        let scheme = schemes.find(|scheme| scheme.0 == signed.scheme);
        let is_valid = scheme.is_some_and(|scheme| {
            let mut all = scheme.1.iter();
            all.any(|one| signature.is_of(&key, *one))
        });
        match is_valid {
            true => Ok(HandshakeSignatureValid::assertion()),
            false => Err(CertificateError::BadSignature.into()),
        }
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        match first_version(certificate) {
            None => verify_tls13_signature(message, certificate, signed, &self.algorithms),
            Some(own) => {
                let key = SubjectPublicKeyInfoDer::from(own.public_key);
                verify_tls13_signature_with_raw_key(message, &key, signed, &self.algorithms)
            }
        }
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use std::slice;
    use std::time::Duration;

    use rustls::pki_types::pem::PemObject as _;

    use super::*;
    use crate::pki::Authority;

    const AUTHORITY: &str = include_str!("../../../testdata/tls/version-1-authority.crt");
    const FIRST_VERSION: &str = include_str!("../../../testdata/tls/version-1.crt");

    fn parsed(pem: &str) -> CertificateDer<'static> {
        CertificateDer::from_pem_slice(pem.as_bytes()).unwrap()
    }

    fn accepts(clients: &Clients, own: &CertificateDer<'_>, year: u64) -> bool {
        let seconds = Duration::from_secs((year - 1970) * 31_556_952);
        clients.accepts(slice::from_ref(own), UnixTime::since_unix_epoch(seconds))
    }

    #[test]
    fn certificate_of_version_1_is_valid_if_an_authority_signed_it() {
        let clients = Clients::new(vec![parsed(AUTHORITY)]).unwrap();
        let own = parsed(FIRST_VERSION);
        assert!(first_version(&own).is_some());
        assert!(accepts(&clients, &own, 2030));
        for year in [2020, 2200] {
            assert!(!accepts(&clients, &own, year), "{year}");
        }
        // Changes the name, then the signature.
        for at in [own.len() / 3, own.len() - 4] {
            let mut changed = own.to_vec();
            changed[at] ^= 1;
            assert!(!accepts(&clients, &changed.into(), 2030), "{at}");
        }
        let other = Authority::generate().unwrap();
        let others = Clients::new(vec![parsed(other.certificate())]).unwrap();
        assert!(!accepts(&others, &own, 2030));
        let stranger = other.client("ann", &[]).unwrap();
        let stranger = parsed(&stranger.certificate);
        assert!(accepts(&others, &stranger, 2030));
        assert!(!accepts(&clients, &stranger, 2030));
        assert!(!clients.accepts(&[], UnixTime::now()));
    }
}
