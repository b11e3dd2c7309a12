//! The keys and certificates of a cluster: its certificate authority, client and server certificates, certificate
//! requests, and the RSA keys that sign tokens.
//!
//! The caller decides where keys are stored, and provides the random bytes for them.
//!
//! Must not know: files, tokens, or the API.

mod authority;
mod certificate;
mod der;
mod pair;
mod request;
mod rsa;
mod unverified_certificate;

pub use authority::{Authority, SERVER_NAMES, ServerKey};
pub use certificate::{Credentials, Subject, Validity, subject_in};
pub use pair::{PairError, check_certificates, check_issued, check_pair};
pub use request::{AlternativeName, CertificateRequest, RequestError};
pub use rsa::{Draw, SigningKey, generate};
pub use unverified_certificate::{PublicKey, UnverifiedCertificate};

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
