//! Certificate requests, and the Secrets that contain tokens.

use crate::api::json::Value;
use crate::kinds::tree::{field, opt_int, text, texts};

/// The annotations of a Secret with a token that name its account.
pub(crate) const ACCOUNT_NAME: &str = "kubernetes.io/service-account.name";
pub(crate) const ACCOUNT_UID: &str = "kubernetes.io/service-account.uid";

/// The type of Secrets with tokens.
const TOKEN: &str = "kubernetes.io/service-account-token";

/// A CertificateSigningRequest.
#[derive(Clone, Copy)]
pub(crate) struct SigningRequest<'a>(&'a Value);

/// Reads a CertificateSigningRequest.
pub(crate) fn signing_request(object: &Value) -> SigningRequest<'_> {
    SigningRequest(object)
}

impl<'a> SigningRequest<'a> {
    /// Returns the request, as base64 of PEM.
    pub(crate) fn request(self) -> &'a str {
        text(field(self.0, "spec"), "request")
    }

    /// Returns the name of the signer.
    pub(crate) fn signer(self) -> &'a str {
        text(field(self.0, "spec"), "signerName")
    }

    /// Returns the name of the user who created it.
    pub(crate) fn user(self) -> &'a str {
        text(field(self.0, "spec"), "username")
    }

    /// Returns true if the user may do everything.
    pub(crate) fn is_of_master(self) -> bool {
        texts(field(self.0, "spec"), "groups").any(|group| group == "system:masters")
    }

    /// Returns the usages of the key.
    pub(crate) fn usages(self) -> Vec<&'a str> {
        texts(field(self.0, "spec"), "usages").collect()
    }

    /// Returns the requested lifetime of the certificate in seconds.
    pub(crate) fn expiration_seconds(self) -> Option<i64> {
        opt_int(field(self.0, "spec"), "expirationSeconds")
    }

    /// Returns the issued certificate; empty before.
    pub(crate) fn certificate(self) -> &'a str {
        text(field(self.0, "status"), "certificate")
    }

    /// Returns the status, or null.
    pub(crate) fn status(self) -> &'a Value {
        field(self.0, "status")
    }
}

/// A Secret for the token of a service account.
#[derive(Clone, Copy)]
pub(crate) struct TokenSecret<'a>(&'a Value);

/// Reads a Secret, if it has the type for tokens.
pub(crate) fn token_secret(object: &Value) -> Option<TokenSecret<'_>> {
    (text(object, "type") == TOKEN).then_some(TokenSecret(object))
}

impl<'a> TokenSecret<'a> {
    fn annotations(self) -> &'a Value {
        field(field(self.0, "metadata"), "annotations")
    }

    /// Returns the name of the account.
    pub(crate) fn account(self) -> &'a str {
        text(self.annotations(), ACCOUNT_NAME)
    }

    /// Returns the uid of the account; empty before the token is made.
    pub(crate) fn account_uid(self) -> &'a str {
        text(self.annotations(), ACCOUNT_UID)
    }

    /// Returns the data, or null.
    pub(crate) fn data(self) -> &'a Value {
        field(self.0, "data")
    }

    /// Returns the token, as base64; empty before it is made.
    pub(crate) fn token(self) -> &'a str {
        text(self.data(), "token")
    }
}
