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
    /// Parses a URL that is absolute or starts with a slash, like Go's `ParseRequestURI`, which knows no fragments.
    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("empty url".to_owned());
        }
        if text.bytes().any(|byte| byte.is_ascii_control()) {
            return Err("net/url: invalid control character in URL".to_owned());
        }
        // A colon after a slash is part of the path.
        let (scheme, rest) = match text.split_once(':') {
            Some(("", _)) => return Err("missing protocol scheme".to_owned()),
            Some((scheme, rest)) if is_scheme(scheme) => (scheme.to_ascii_lowercase(), rest),
            _ => (String::new(), text),
        };
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (host, path) = match rest.strip_prefix("//").filter(|_| !scheme.is_empty()) {
            Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
            None if rest.starts_with('/') => ("", rest),
            None if scheme.is_empty() => return Err("invalid URI for request".to_owned()),
            // Without a slash, the rest is opaque.
            None => ("", ""),
        };
        // CEL does not expose user names.
        let host = host.rsplit('@').next().unwrap_or_default();
        host_error(host).map_or(Ok(()), Err)?;
        escape_error(path).map_or(Ok(()), Err)?;
        Ok(Self {
            scheme,
            host: host.to_owned(),
            path: escaped(path),
            query: query.to_owned(),
        })
    }
}

/// Parses a URL; the error contains it.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let url = Url::parse(text).map(|url| Value::Url(Arc::new(url)));
    url.map_err(|wrong| format!("parse {text:?}: {wrong}"))
}

/// Returns the error about a host with its port.
fn host_error(host: &str) -> Option<String> {
    // Only a port may follow an address in brackets.
    let port = match host.rsplit_once(']') {
        None if host.starts_with('[') => return Some("missing ']' in host".to_owned()),
        Some((address, port)) if address.starts_with('[') => port,
        _ => host.rfind(':').map_or("", |at| &host[at..]),
    };
    let digits = port.strip_prefix(':').unwrap_or_default();
    if !port.is_empty() && !port.starts_with(':') || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Some(format!("invalid port {port:?} after host"));
    }
    let wrong = host
        .chars()
        .find(|c| matches!(c, ' ' | '#' | '\\' | '^' | '`' | '{' | '|' | '}'));
    wrong.map(|c| format!("invalid character {:?} in host name", c.to_string()))
}

/// Returns the error about the first percent sign without two hexadecimal digits after it.
fn escape_error(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let hex = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    let mut signs = text.match_indices('%').map(|(at, _)| at);
    let at = signs.find(|at| !(hex(at + 1) && hex(at + 2)))?;
    let wrong: String = text[at..].chars().take(3).collect();
    Some(format!("invalid URL escape {wrong:?}"))
}

/// Returns a path in the form that a request has: as it was written, or escaped if that is not valid.
fn escaped(path: &str) -> String {
    let plain = |byte: u8, others: &str| {
        byte.is_ascii_alphanumeric() || others.bytes().any(|other| other == byte)
    };
    if path
        .bytes()
        .all(|byte| plain(byte, "-_.~$&+,/:;=@!'()*[]%"))
    {
        return path.to_owned();
    }
    // One invalid character makes Go escape the whole path anew.
    let escape = |byte: u8| match plain(byte, "-_.~$&+,/:;=@") {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    decoded(path, false).into_iter().map(escape).collect()
}

fn is_scheme(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(fits)
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

/// Decodes percent signs, and in a query also plus signs.
fn decoded(text: &str, query: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'+' if query => out.push(b' '),
            b'%' => {
                let digits = [bytes.next().unwrap_or(b'0'), bytes.next().unwrap_or(b'0')];
                let digits = String::from_utf8_lossy(&digits).into_owned();
                out.push(u8::from_str_radix(&digits, 16).unwrap_or(b'?'));
            }
            byte => out.push(byte),
        }
    }
    out
}

fn query(text: &str) -> Value {
    let mut all: BTreeMap<Key, Vec<Value>> = BTreeMap::new();
    let text_of = |part: &str| String::from_utf8_lossy(&decoded(part, true)).into_owned();
    // Go skips pairs that it cannot read.
    let readable =
        |pair: &&str| !pair.is_empty() && !pair.contains(';') && escape_error(pair).is_none();
    for pair in text.split('&').filter(readable) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let key = Key::Text(text_of(name).into());
        all.entry(key)
            .or_default()
            .push(Value::text(text_of(value)));
    }
    let lists = all
        .into_iter()
        .map(|(key, values)| (key, Value::list(values)));
    Value::Map(Arc::new(lists.collect()))
}

pub(super) fn call(name: &str, args: &[Value]) -> Option<Outcome> {
    match args {
        [Value::Text(text)] => match name {
            "url" => Some(parse(text).map_err(|wrong| {
                format!("URL parse error during conversion from string: {wrong}")
            })),
            "isURL" => Some(Ok(Value::Bool(parse(text).is_ok()))),
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
