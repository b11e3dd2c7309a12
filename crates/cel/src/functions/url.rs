//! URLs: absolute URLs and absolute paths.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::value::{Key, Outcome, Value};

/// The parts of a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    scheme: String,
    host: String,
    path: String,
    query: String,
}

impl Url {
    /// Parses a URL that is absolute or starts with a slash.
    fn parse(text: &str) -> Option<Self> {
        let bad = |c: char| c.is_control() || c == ' ' || c == '<' || c == '>' || c == '"';
        if text.chars().any(bad) || !well_escaped(text) {
            return None;
        }
        let text = text.split('#').next().unwrap_or_default();
        let (text, query) = text.split_once('?').unwrap_or((text, ""));
        let (scheme, rest) = match text.split_once(':') {
            Some((scheme, rest)) if is_scheme(scheme) => (scheme.to_ascii_lowercase(), rest),
            _ if text.starts_with('/') => (String::new(), text),
            _ => return None,
        };
        let (host, path) = match rest.strip_prefix("//") {
            Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
            None => ("", rest),
        };
        // CEL does not expose user names.
        let host = host.rsplit('@').next().unwrap_or_default();
        let port = port(host);
        if !port.bytes().all(|b| b.is_ascii_digit())
            || host.matches('[').count() != host.matches(']').count()
        {
            return None;
        }
        Some(Self {
            scheme,
            host: host.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
        })
    }
}

fn is_scheme(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(fits)
}

/// Returns true if every percent sign is followed by two hexadecimal digits.
fn well_escaped(text: &str) -> bool {
    let bytes = text.as_bytes();
    let hex = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    let signs = bytes.iter().enumerate().filter(|(_, b)| **b == b'%');
    signs.into_iter().all(|(at, _)| hex(at + 1) && hex(at + 2))
}

/// Returns the part of a host after its last colon outside brackets.
fn port(host: &str) -> &str {
    // The colons of an IPv6 address are inside brackets.
    let after = host.rsplit(']').next().unwrap_or(host);
    after.rsplit_once(':').map_or("", |(_, port)| port)
}

fn hostname(host: &str) -> &str {
    let bare = match port(host) {
        "" => host.strip_suffix(':').unwrap_or(host),
        port => &host[..host.len() - port.len() - 1],
    };
    bare.trim_start_matches('[').trim_end_matches(']')
}

fn decoded(text: &str) -> String {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'+' => out.push(b' '),
            b'%' => {
                let digits = [bytes.next().unwrap_or(b'0'), bytes.next().unwrap_or(b'0')];
                let digits = String::from_utf8_lossy(&digits).into_owned();
                out.push(u8::from_str_radix(&digits, 16).unwrap_or(b'?'));
            }
            byte => out.push(byte),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn query(text: &str) -> Value {
    let mut all: BTreeMap<Key, Vec<Value>> = BTreeMap::new();
    for pair in text.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let key = Key::Text(Arc::from(decoded(name)));
        all.entry(key)
            .or_default()
            .push(Value::text(decoded(value)));
    }
    let lists = all
        .into_iter()
        .map(|(key, values)| (key, Value::list(values)));
    Value::Map(Arc::new(lists.collect()))
}

pub(super) fn call(name: &str, args: &[Value]) -> Option<Outcome> {
    match args {
        [Value::Text(text)] => match name {
            "url" => {
                let wrong = || {
                    format!(
                        "URL parse error during conversion from string: parse {text:?}: invalid URI for request"
                    )
                };
                Some(
                    Url::parse(text)
                        .map(|url| Value::Url(Arc::new(url)))
                        .ok_or_else(wrong),
                )
            }
            "isURL" => Some(Ok(Value::Bool(Url::parse(text).is_some()))),
            _ => None,
        },
        [Value::Url(url)] => Some(Ok(match name {
            "getScheme" => Value::text(&url.scheme),
            "getHost" => Value::text(&url.host),
            "getHostname" => Value::text(hostname(&url.host)),
            "getPort" => Value::text(port(&url.host)),
            "getEscapedPath" => Value::text(&url.path),
            "getQuery" => query(&url.query),
            _ => return None,
        })),
        _ => None,
    }
}
