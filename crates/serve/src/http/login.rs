//! Authentication: decides whose request it is, before its body is read.

use std::fmt;

use sha2::{Digest as _, Sha256};

use super::head::Head;
use super::reply::Refusal;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Caller {
    /// The identity of the service; it may act as somebody else.
    Owner,
    /// A client without credentials.
    Anonymous,
}

/// Finds out who sends a request. Without a token, whoever reaches the server is its owner.
///
/// # Errors
/// 401 if the credentials are missing or wrong.
pub(super) fn check(head: &Head, token: Option<&Token>) -> Result<Caller, Refusal> {
    let Some(token) = token else {
        return Ok(Caller::Owner);
    };
    match bearer(head) {
        Some(given) if Token::new(given) == *token => Ok(Caller::Owner),
        // A wrong token is refused on public paths too: a client with a stale one has to learn of it.
        None if is_public(head) => Ok(Caller::Anonymous),
        _ => Err(Refusal::closing(401, "Unauthorized")),
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

    fn called(target: &str, fields: &[(&str, &str)]) -> Result<Caller, u16> {
        let mut request = hyper::Request::get(target);
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        let head = Head::new(request.body(()).unwrap().into_parts().0);
        check(&head, Some(&Token::new("secret"))).map_err(|refusal| refusal.code)
    }

    #[test]
    fn a_token_makes_the_owner_and_only_probes_need_none() {
        for (target, fields, expected) in [
            (
                "/api",
                &[("authorization", "Bearer secret")][..],
                Ok(Caller::Owner),
            ),
            (
                "/api",
                &[("authorization", "bearer  secret ")],
                Ok(Caller::Owner),
            ),
            (
                "/readyz",
                &[("authorization", "Bearer secret")],
                Ok(Caller::Owner),
            ),
            ("/api", &[("authorization", "Bearer secre")], Err(401)),
            ("/api", &[("authorization", "Bearer ")], Err(401)),
            ("/api", &[("authorization", "Basic secret")], Err(401)),
            ("/readyz", &[("authorization", "Bearer old")], Err(401)),
            ("/api", &[], Err(401)),
            ("/version", &[], Err(401)),
            ("/readyz", &[], Ok(Caller::Anonymous)),
            ("/livez?verbose", &[], Ok(Caller::Anonymous)),
            ("/readyz", &[("impersonate-user", "system:admin")], Err(401)),
            ("/readyz/../api", &[], Err(401)),
            ("//readyz", &[], Err(401)),
        ] {
            assert_eq!(called(target, fields), expected, "{target} {fields:?}");
        }
        let head = Head::new(hyper::Request::get("/api").body(()).unwrap().into_parts().0);
        assert_eq!(check(&head, None), Ok(Caller::Owner));
        assert_eq!(format!("{:?}", Token::new("secret")), "Token");
    }
}
