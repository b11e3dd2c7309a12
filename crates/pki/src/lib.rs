//! The keys and certificates of a cluster: its certificate authority, client and server certificates, certificate
//! requests, and the RSA keys that sign tokens.
//!
//! The caller decides where keys are stored, and provides the random bytes for them.
//!
//! Must not know: files, tokens, or the API.

mod authority;
mod certificate;
mod der;
mod outline;
mod pair;
mod request;
mod rsa;

pub use authority::{Authority, SERVER_NAMES, ServerKey};
pub use certificate::{Credentials, Subject, Validity, subject_in};
pub use outline::{Outline, PublicKey};
pub use pair::{PairError, check_pair};
pub use request::{AlternativeName, CertificateRequest, RequestError};
pub use rsa::{Draw, SigningKey, generate};

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
