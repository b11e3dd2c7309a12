//! Keys and certificates of a cluster: its authority, the certificates of clients and servers, certificate requests,
//! and the RSA keys that sign tokens.
//!
//! The caller decides where a key is stored, and draws the random bytes for it.
//!
//! Must not know: files, tokens, the API.

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
