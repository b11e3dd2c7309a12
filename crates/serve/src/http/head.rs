//! The head of a request, independent of the protocol version.

use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Version};

/// A request without its body.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) method: Method,
    /// The path and query as sent. For any other form of target, the whole target.
    pub(super) target: String,
    /// The host in the target, as in HTTP/2.
    authority: Option<String>,
    /// The protocol version.
    pub(super) version: Version,
    fields: HeaderMap,
}

impl Head {
    pub(super) fn new(parts: Parts) -> Self {
        let uri = &parts.uri;
        // In HTTP/2, every target contains the host. In HTTP/1.1, clients that take the server for a proxy send it,
        // too, and servers must accept that (RFC 9112). The host in the target takes precedence over the header field.
        let is_whole = parts.version >= Version::HTTP_2 || uri.scheme().is_some();
        let target = match uri.path_and_query() {
            Some(path) if is_whole || uri.authority().is_none() => path.as_str().to_owned(),
            _ => uri.to_string(),
        };
        let authority = uri.authority().filter(|_| is_whole);
        Self {
            authority: authority.map(ToString::to_string),
            target,
            method: parts.method,
            version: parts.version,
            fields: parts.headers,
        }
    }

    /// Returns the first header field with this lower-case name.
    pub(super) fn field(&self, name: &str) -> Option<&str> {
        self.fields(name).next()
    }

    /// Returns all header fields, with lower-case names.
    pub(super) fn all_fields(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let fields = self.fields.iter();
        fields.map(|(name, value)| (name.as_str(), value.as_bytes()))
    }

    /// Returns all textual values of the header fields with this lower-case name.
    pub(super) fn fields<'h>(&'h self, name: &str) -> impl Iterator<Item = &'h str> {
        let values = self.fields.get_all(name).into_iter();
        values.filter_map(|value| std::str::from_utf8(value.as_bytes()).ok())
    }

    /// Returns the items of the lists in the header fields with this name.
    pub(super) fn offered(&self, name: &str) -> Vec<&str> {
        let all = self.fields(name).flat_map(|field| field.split(','));
        all.map(str::trim).filter(|own| !own.is_empty()).collect()
    }

    /// Returns true if the lists in the header fields with this name contain a word.
    pub(super) fn lists(&self, name: &str, word: &str) -> bool {
        let mut words = self.fields(name).flat_map(|field| field.split(','));
        words.any(|own| own.trim().eq_ignore_ascii_case(word))
    }

    /// Returns true if the client requests another protocol.
    pub(super) fn upgrades(&self) -> bool {
        // Only HTTP/1.1 has upgrades.
        self.version == Version::HTTP_11 && self.lists("connection", "upgrade")
    }

    /// Returns true if the client requests a WebSocket.
    pub(super) fn is_socket(&self) -> bool {
        self.upgrades() && self.lists("upgrade", "websocket")
    }

    /// Returns all header fields.
    pub(super) fn all(&self) -> &HeaderMap {
        &self.fields
    }

    /// Returns the hosts that the request names. There should be exactly one.
    pub(super) fn hosts(&self) -> impl Iterator<Item = &str> {
        let named = self.fields("host").filter(|_| self.authority.is_none());
        self.authority.as_deref().into_iter().chain(named)
    }
}
