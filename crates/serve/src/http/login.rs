//! Authentication: determines the sender of a request before its body is read.

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use super::head::Head;
use super::refusal::Refusal;
use crate::Service;
use crate::cluster::anonymous;
use crate::kinds::admission::User;
use crate::tls::Peer;

/// The paths that require no credentials, because probes have none.
const PUBLIC: [&str; 3] = ["/healthz", "/livez", "/readyz"];

/// The path of the web view, to which all paths below it belong.
const VIEW: &str = "/ui";

/// The token of the server's administrator, and the key derived from it for the web view.
#[derive(Clone)]
pub(super) struct Token {
    api: [u8; 32],
    view: [u8; 32],
    key: String,
    users: Vec<([u8; 32], User)>,
}

impl Token {
    /// Stores the digest of a token. Comparing digests takes the same time for any wrong token, so it reveals nothing
    /// about a guess.
    pub(super) fn new(text: &str) -> Self {
        let key = view_key(text);
        Self {
            api: digest(text),
            view: digest(&key),
            key,
            users: Vec::new(),
        }
    }

    /// Adds the tokens of other users.
    pub(super) fn and_users(mut self, users: &[(String, User)]) -> Self {
        let users = users.iter();
        self.users = users
            .map(|(token, user)| (digest(token), user.clone()))
            .collect();
        self
    }

    /// Returns the user to whom a token belongs.
    fn user(&self, given: &str) -> Option<&User> {
        let given = digest(given);
        let mut users = self.users.iter();
        users.find(|(own, _)| *own == given).map(|(_, user)| user)
    }

    /// Returns the user for a token in a TokenReview.
    pub(super) fn reviewed(&self, given: &str, service: &dyn Service) -> Option<User> {
        match self.is(given) {
            true => Some(service.identity()),
            false => self.user(given).cloned(),
        }
    }

    fn is(&self, given: &str) -> bool {
        digest(given) == self.api
    }

    fn opens_view(&self, given: &str) -> bool {
        digest(given) == self.view
    }

    /// Returns the name of the web view's cookie.
    fn cookie(&self) -> String {
        // Browsers send a cookie to all ports of a host. Servers on the same host therefore need different names;
        // otherwise, each login would end the one before it. A part of the digest reveals nothing about the key.
        let part: String = self.view[..4].iter().map(|b| format!("{b:02x}")).collect();
        format!("ctl-view-{part}")
    }
}

fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

/// Returns the key for the web view of a server with this token. It gives access only to the view, because neither a
/// link in a terminal's scrollback nor a browser's cookie must be a credential for the API.
pub fn view_key(token: &str) -> String {
    let digest = digest(&format!("web view\n{token}"));
    digest.iter().map(|b| format!("{b:02x}")).collect()
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Omits the digest, because a log must not help anyone guess the token.
        f.write_str("Token")
    }
}

/// The sender of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Caller {
    /// The service's own identity.
    Owner,
    /// The user in the connection's certificate.
    Known(User),
    /// A client without credentials.
    Anonymous,
}

impl Caller {
    /// Returns the user.
    pub(super) fn user(self, service: &dyn Service) -> User {
        match self {
            Self::Owner => service.identity(),
            Self::Known(user) => user,
            Self::Anonymous => anonymous(),
        }
    }
}

/// The credentials in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Credentials {
    /// They identify the sender.
    Of(Caller),
    /// A token that may belong to a ServiceAccount, which the cluster must verify.
    Token(String),
}

/// Returns the sender of a request, or `None` if the credentials are missing or wrong. If the server requires no
/// token, every client is the owner. `peer` is the client according to its certificate.
pub(super) fn caller(
    head: &Head,
    token: Option<&Token>,
    peer: Option<&Peer>,
) -> Option<Credentials> {
    let Some(token) = token else {
        return Some(Credentials::Of(Caller::Owner));
    };
    match (peer, bearer(head)) {
        // As in the real API server, a certificate takes precedence over a token.
        (Some(Peer::Known(user)), _) => Some(Credentials::Of(Caller::Known(user.clone()))),
        // A valid token counts, but wrong credentials are rejected even on public paths.
        (Some(Peer::Unknown), bearer) => by_token(head, token, bearer.as_deref())
            .filter(|found| *found != Credentials::Of(Caller::Anonymous)),
        (None, bearer) => by_token(head, token, bearer.as_deref()),
    }
}

fn by_token(head: &Head, token: &Token, bearer: Option<&str>) -> Option<Credentials> {
    match bearer {
        Some(given) if token.is(given) => Some(Credentials::Of(Caller::Owner)),
        // As in the real API server, the file of tokens takes precedence over ServiceAccounts.
        Some(given) if token.user(given).is_some() => {
            let user = token.user(given)?;
            Some(Credentials::Of(Caller::Known(user.clone())))
        }
        // The tokens of ServiceAccounts have three parts.
        Some(given) if given.matches('.').count() == 2 => {
            Some(Credentials::Token(given.to_owned()))
        }
        None if is_view(head) && cookie(head, token).is_some_and(|key| token.opens_view(key)) => {
            Some(Credentials::Of(Caller::Owner))
        }
        // A wrong token is rejected even on public paths, so that a client with a stale token notices.
        None if is_public(head) => Some(Credentials::Of(Caller::Anonymous)),
        _ => None,
    }
}

/// Returns the bearer token of a request. Other schemes are not supported.
fn bearer(head: &Head) -> Option<Cow<'_, str>> {
    let Some(field) = head.field("authorization") else {
        return in_protocol(head).map(Cow::Owned);
    };
    let (scheme, token) = field.trim().split_once(' ')?;
    let is_bearer = scheme.eq_ignore_ascii_case("bearer");
    is_bearer.then(|| Cow::Borrowed(token.trim()))
}

/// The prefix of a WebSocket protocol that carries a token, because browsers cannot set other headers.
const BEARER: &str = "base64url.bearer.authorization.k8s.io.";

/// Returns true if a WebSocket protocol carries a token.
pub(super) fn is_bearer(protocol: &str) -> bool {
    protocol.starts_with(BEARER)
}

/// Returns the token among the WebSocket protocols.
fn in_protocol(head: &Head) -> Option<String> {
    if !head.is_socket() {
        return None;
    }
    let offered = head.offered("sec-websocket-protocol");
    let mut tokens = offered.iter().filter(|own| is_bearer(own));
    // As in the API server, there must be exactly one token, and another protocol for the response.
    let token = tokens.next()?.strip_prefix(BEARER)?;
    if tokens.next().is_some() || offered.len() < 2 {
        return None;
    }
    String::from_utf8(URL_SAFE_NO_PAD.decode(token).ok()?).ok()
}

/// Returns true if a request is for the web view, the only part of a server that accepts the cookie.
pub(super) fn is_view(head: &Head) -> bool {
    let path = path(head);
    let below = path.strip_prefix(VIEW);
    below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
}

/// Handles a link into the web view: returns a redirect that sets the cookie, or the rejection of an invalid link.
/// Returns `None` for any other request.
pub(super) fn enter(head: &Head, token: Option<&Token>, is_encrypted: bool) -> Option<Refusal> {
    let (path, query) = head.target.split_once('?')?;
    if path != VIEW || head.method != hyper::Method::GET {
        return None;
    }
    let fields = query.split('&');
    let (keys, others): (Vec<&str>, Vec<&str>) = fields.partition(|f| f.starts_with("token="));
    let given = keys.first()?.strip_prefix("token=")?;
    let Some(token) = token else {
        // The server requires no credentials, so no cookie is needed.
        return None;
    };
    if !token.opens_view(given) && !token.is(given) {
        return Some(unknown(head));
    }
    // Scripts must not be able to read the cookie, and browsers must not send it with requests from other sites.
    let mut cookie = format!(
        "{}={}; Path={VIEW}; HttpOnly; SameSite=Strict",
        token.cookie(),
        token.key
    );
    if is_encrypted {
        cookie.push_str("; Secure");
    }
    let path = match others.is_empty() {
        true => VIEW.to_owned(),
        false => format!("{VIEW}?{}", others.join("&")),
    };
    Some(Refusal::sending_to(path, cookie))
}

/// Returns the rejection of a request without valid credentials.
pub(super) fn unknown(head: &Head) -> Refusal {
    let why = match is_view(head) {
        true => {
            "Unauthorized: open the link that the server printed when it started; every start prints a new link"
        }
        false => "Unauthorized",
    };
    Refusal::closing(401, why)
}

/// Returns the value of the web view's cookie.
fn cookie<'h>(head: &'h Head, token: &Token) -> Option<&'h str> {
    let name = token.cookie();
    // HTTP/2 may split the header field.
    let mut pairs = head.fields("cookie").flat_map(|field| field.split(';'));
    pairs.find_map(|pair| pair.trim().strip_prefix(&name)?.strip_prefix('='))
}

fn path(head: &Head) -> &str {
    head.target.split('?').next().unwrap_or_default()
}

/// Returns true if a request requires no credentials. Impersonation always requires them.
fn is_public(head: &Head) -> bool {
    let acts = ["impersonate-user", "impersonate-group", "impersonate-uid"];
    PUBLIC.contains(&path(head)) && !acts.iter().any(|name| head.field(name).is_some())
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
        let credentials = caller(&head, Some(&Token::new("secret")), None)?;
        match credentials {
            Credentials::Of(caller) => Some(caller),
            Credentials::Token(token) => panic!("{token}"),
        }
    }

    #[test]
    fn token_file_entry_authenticates_its_user() {
        let ann = crate::cluster::impersonated("ann", "1", vec!["dev".to_owned()]);
        let users = [("a.b.c".to_owned(), ann.clone())];
        let token = Token::new("secret").and_users(&users);
        let asked = |given: &str| {
            let request =
                hyper::Request::get("/api").header("authorization", format!("Bearer {given}"));
            let head = Head::new(request.body(()).unwrap().into_parts().0);
            caller(&head, Some(&token), None)
        };
        assert_eq!(asked("a.b.c"), Some(Credentials::Of(Caller::Known(ann))));
        assert_eq!(asked("secret"), Some(Credentials::Of(Caller::Owner)));
        assert_eq!(asked("a.b"), None);
        assert_eq!(asked("a.b.d"), Some(Credentials::Token("a.b.d".to_owned())));
    }

    #[test]
    fn owner_token_is_required_except_for_probes() {
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
        assert_eq!(
            caller(&head, None, None),
            Some(Credentials::Of(Caller::Owner))
        );
        assert_eq!(format!("{:?}", Token::new("secret")), "Token");
    }

    #[test]
    fn a_protocol_of_a_websocket_may_be_the_token() {
        // The encoded texts are "secret" and "guess".
        let (right, wrong) = (format!("{BEARER}c2VjcmV0"), format!("{BEARER}Z3Vlc3M"));
        let owner = Some(Caller::Owner);
        for (protocols, upgrade, expected) in [
            (
                format!("{right}, v4.channel.k8s.io"),
                "websocket",
                owner.clone(),
            ),
            (format!("v4.channel.k8s.io,{right}"), "websocket", owner),
            (format!("{wrong}, v4.channel.k8s.io"), "websocket", None),
            // No protocol is left for the response.
            (right.clone(), "websocket", None),
            (format!("{right}, {right}, a"), "websocket", None),
            (format!("{right}, a"), "spdy/3.1", None),
        ] {
            let fields = [
                ("connection", "Upgrade"),
                ("upgrade", upgrade),
                ("sec-websocket-protocol", protocols.as_str()),
            ];
            assert_eq!(called("/api", &fields), expected, "{protocols} {upgrade}");
        }
    }

    fn entered(target: &str) -> Option<crate::Response> {
        let request = hyper::Request::get(target).body(()).unwrap();
        let head = Head::new(request.into_parts().0);
        enter(&head, Some(&Token::new("secret")), true).map(|refusal| refusal.said())
    }

    #[test]
    fn login_link_sets_a_cookie_for_the_ui_only() {
        let key = view_key("secret");
        assert_ne!(key, view_key("other"));
        for (link, to) in [
            (format!("/ui?token={key}"), "/ui"),
            ("/ui?token=secret".to_owned(), "/ui"),
            (
                format!("/ui?namespace=a&token={key}&x=y"),
                "/ui?namespace=a&x=y",
            ),
        ] {
            let response = entered(&link).unwrap();
            let field = |name: &str| {
                let found = response.fields.iter().find(|(own, _)| *own == name);
                found.unwrap().1.clone()
            };
            assert_eq!((response.code, field("location")), (303, to.to_owned()));
            let cookie = field("set-cookie");
            let attributes = "; Path=/ui; HttpOnly; SameSite=Strict; Secure";
            let pair = cookie.strip_suffix(attributes).unwrap();
            assert!(!cookie.contains("secret"), "{cookie}");
            let with = |target: &str, value: &str| called(target, &[("cookie", value)]);
            for open in ["/ui", "/ui?x=y", "/ui/events", "/ui/state?at=3"] {
                assert_eq!(with(open, pair), Some(Caller::Owner), "{open}");
                let among = format!("a=b; {pair}; c=d");
                assert_eq!(with(open, &among), Some(Caller::Owner), "{open}");
                let wrong = format!("{}0", &pair[..pair.len() - 1]);
                assert_eq!(with(open, &wrong), None, "{open}");
                assert_eq!(with(open, ""), None, "{open}");
            }
            for closed in ["/api", "/uid", "/", "/ui/../api", "/metrics"] {
                let expected = closed.starts_with("/ui/").then_some(Caller::Owner);
                assert_eq!(with(closed, pair), expected, "{closed}");
            }
            let bearer = format!("Bearer {key}");
            assert_eq!(called("/api", &[("authorization", &*bearer)]), None);
        }
        for (link, code) in [
            ("/ui?token=guess", Some(401)),
            ("/ui?token=", Some(401)),
            ("/ui", None),
            ("/ui?x=token", None),
            ("/ui/events?token=secret", None),
            ("/api?token=secret", None),
        ] {
            assert_eq!(entered(link).map(|r| r.code), code, "{link}");
        }
    }

    #[test]
    fn three_part_token_is_passed_to_token_review() {
        let token = Token::new("secret");
        for (bearer, credentials) in [
            ("a.b.c", Some(Credentials::Token("a.b.c".to_owned()))),
            ("a.b", None),
            ("a.b.c.d", None),
            ("abc", None),
        ] {
            let request = hyper::Request::get("/api");
            let request = request.header("authorization", format!("Bearer {bearer}"));
            let head = Head::new(request.body(()).unwrap().into_parts().0);
            assert_eq!(caller(&head, Some(&token), None), credentials, "{bearer}");
        }
    }

    #[test]
    fn client_certificate_takes_precedence_over_a_token() {
        let ann = crate::cluster::impersonated("ann", "", Vec::new());
        let token = Token::new("secret");
        let called = |path: &str, bearer: &str, peer: &Peer| {
            let request = hyper::Request::get(path).header("authorization", bearer);
            let head = Head::new(request.body(()).unwrap().into_parts().0);
            caller(&head, Some(&token), Some(peer))
        };
        for bearer in ["Bearer secret", "Bearer old"] {
            let known = called("/api", bearer, &Peer::Known(ann.clone()));
            let expected = Credentials::Of(Caller::Known(ann.clone()));
            assert_eq!(known, Some(expected), "{bearer}");
        }
        // A certificate from another authority does not count, but does not make its client anonymous either.
        let owner = Some(Credentials::Of(Caller::Owner));
        assert_eq!(called("/api", "Bearer secret", &Peer::Unknown), owner);
        for path in ["/api", "/readyz"] {
            assert_eq!(called(path, "Bearer old", &Peer::Unknown), None, "{path}");
            assert_eq!(called(path, "Basic x", &Peer::Unknown), None, "{path}");
        }
    }
}
