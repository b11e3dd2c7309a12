//! Authentication: decides whose request it is, before its body is read.

use std::fmt;

use sha2::{Digest as _, Sha256};

use super::head::Head;
use crate::kinds::admission::User;

/// The paths that need no credentials: probes have none.
const PUBLIC: [&str; 3] = ["/healthz", "/livez", "/readyz"];

/// The token that authenticates the administrator of a server.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Token([u8; 32]);

impl Token {
    /// Keeps the digest of a token. Comparing digests takes as long for any wrong token, so the time of
    /// a refusal does not tell how much of a guess is right.
    pub(super) fn new(text: &str) -> Self {
        Self(Sha256::digest(text).into())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the digest: a log must not help to guess.
        f.write_str("Token")
    }
}

/// The sender of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Caller {
    /// The identity of the service.
    Owner,
    /// The user whom the certificate of the connection names.
    Known(User),
    /// A client without credentials.
    Anonymous,
}

/// Returns the sender of a request, or `None` if the credentials are missing or wrong. Without a token,
/// whoever reaches the server is its owner. `peer` is the user of the connection's certificate.
pub(super) fn caller(head: &Head, token: Option<&Token>, peer: Option<&User>) -> Option<Caller> {
    let Some(token) = token else {
        return Some(Caller::Owner);
    };
    match (peer, bearer(head)) {
        // As on the real server, a certificate counts before a token.
        (Some(peer), _) => Some(Caller::Known(peer.clone())),
        (None, bearer) => by_token(head, token, bearer),
    }
}

fn by_token(head: &Head, token: &Token, bearer: Option<&str>) -> Option<Caller> {
    match bearer {
        Some(given) if Token::new(given) == *token => Some(Caller::Owner),
        // A wrong token is refused on public paths too: a client with a stale one has to learn of it.
        None if is_public(head) => Some(Caller::Anonymous),
        _ => None,
    }
}

/// Returns the token of a request; other schemes are no credentials here.
fn bearer(head: &Head) -> Option<&str> {
    let (scheme, token) = head.field("authorization")?.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Returns true if a request needs no credentials: nobody may act as somebody else without them.
fn is_public(head: &Head) -> bool {
    let path = head.target.split('?').next().unwrap_or_default();
    let acts = ["impersonate-user", "impersonate-group", "impersonate-uid"];
    PUBLIC.contains(&path) && !acts.iter().any(|name| head.field(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(target: &str, fields: &[(&str, &str)]) -> Option<Caller> {
        let mut request = hyper::Request::get(target);
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        let head = Head::new(request.body(()).unwrap().into_parts().0);
        caller(&head, Some(&Token::new("secret")), None)
    }

    #[test]
    fn a_token_makes_the_owner_and_only_probes_need_none() {
        for (target, fields, expected) in [
            (
                "/api",
                &[("authorization", "Bearer secret")][..],
                Some(Caller::Owner),
            ),
            (
                "/api",
                &[("authorization", "bearer  secret ")],
                Some(Caller::Owner),
            ),
            (
                "/readyz",
                &[("authorization", "Bearer secret")],
                Some(Caller::Owner),
            ),
            ("/api", &[("authorization", "Bearer secre")], None),
            ("/api", &[("authorization", "Bearer ")], None),
            ("/api", &[("authorization", "Basic secret")], None),
            ("/readyz", &[("authorization", "Bearer old")], None),
            ("/api", &[], None),
            ("/version", &[], None),
            ("/readyz", &[], Some(Caller::Anonymous)),
            ("/livez?verbose", &[], Some(Caller::Anonymous)),
            ("/readyz", &[("impersonate-user", "system:admin")], None),
            ("/readyz/../api", &[], None),
            ("//readyz", &[], None),
        ] {
            assert_eq!(called(target, fields), expected, "{target} {fields:?}");
        }
        let head = Head::new(hyper::Request::get("/api").body(()).unwrap().into_parts().0);
        assert_eq!(caller(&head, None, None), Some(Caller::Owner));
        assert_eq!(format!("{:?}", Token::new("secret")), "Token");
    }
    #[test]
    fn a_certificate_counts_before_a_token() {
        let ann = crate::cluster::impersonated("ann", "", Vec::new());
        let token = Token::new("secret");
        for bearer in ["Bearer secret", "Bearer old"] {
            let request = hyper::Request::get("/api").header("authorization", bearer);
            let head = Head::new(request.body(()).unwrap().into_parts().0);
            let known = caller(&head, Some(&token), Some(&ann));
            assert_eq!(known, Some(Caller::Known(ann.clone())), "{bearer}");
        }
    }
}
