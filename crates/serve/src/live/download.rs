//! Downloads manifests.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use hyper::ext::ReasonPhrase;
use hyper::header::LOCATION;
use hyper::http::response::Parts;
use hyper::{StatusCode, Uri};

use super::connection::{Dial, fetch};
use super::{Access, LiveError, PATIENCE};
use crate::api::go::quoted;
use crate::query::unescaped;
use crate::sys::net::{self, pause, within};

/// The number of attempts and the pause between them, as in kubectl. Only connection errors and server errors are
/// worth retrying.
const ATTEMPTS: usize = 3;
const PAUSE: Duration = Duration::from_secs(1);

/// The maximum number of redirects, as in Go's client.
const REDIRECTS: usize = 10;

/// Downloads the content of a URL.
///
/// # Errors
/// Returns kubectl's error if the server cannot be reached or rejects the request.
pub fn download(url: &str) -> Result<Vec<u8>, LiveError> {
    let unreachable = LiveError::Unreachable;
    // A runtime of its own, because commands have none.
    let runtime = net::runtime(1).map_err(|e| unreachable(e.to_string()))?;
    runtime.block_on(async {
        let mut attempt = 1;
        loop {
            let error = match within(PATIENCE, redirected(url)).await {
                Ok(Ok((head, body))) if head.status == StatusCode::OK => return Ok(body),
                Ok(Ok((head, _))) => refused(url, &head),
                Ok(Err(why)) => unreachable(why),
                Err(_) => unreachable("context deadline exceeded".to_owned()),
            };
            // A file that does not exist will not exist a second later either.
            let is_final = error.code().is_some_and(|code| !(500..600).contains(&code));
            if is_final || attempt == ATTEMPTS {
                return Err(error);
            }
            attempt += 1;
            pause(PAUSE).await;
        }
    })
}

fn refused(url: &str, head: &Parts) -> LiveError {
    let (code, phrase) = (head.status.as_u16(), head.extensions.get::<ReasonPhrase>());
    // Go prints the text that the server sent, whatever the status code's usual name.
    let phrase = phrase.map_or_else(
        || head.status.canonical_reason().unwrap_or_default().into(),
        |phrase| String::from_utf8_lossy(phrase.as_bytes()),
    );
    let url = quoted(url);
    LiveError::Refused {
        code,
        reason: String::new(),
        message: format!(
            "unable to read URL {url}, server reported {code} {phrase}, status code={code}"
        ),
    }
}

/// Requests a URL, following redirects.
async fn redirected(url: &str) -> Result<(Parts, Vec<u8>), String> {
    let mut at = url.to_owned();
    for _ in 0..=REDIRECTS {
        let uri: Uri = at.parse().map_err(|e| format!("{e}"))?;
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        // Go's client sends the user and password in a URL as credentials, never as part of the host.
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, authority),
        };
        let scheme = uri.scheme_str().unwrap_or_default();
        let dial = Dial::new(&Access {
            server: format!("{scheme}://{host}"),
            authorization: user.map(|user| format!("Basic {}", BASE64.encode(unescaped(user)))),
            ..Access::default()
        })?;
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let (head, body) = fetch(&dial, path).await?;
        // Release files are often on a different host from their URL.
        let location = head.headers.get(LOCATION);
        match location.and_then(|location| location.to_str().ok()) {
            Some(location) if head.status.is_redirection() => {
                let origin = format!("{scheme}://{authority}");
                at = resolved(&origin, uri.path(), location);
            }
            _ => return Ok((head, body)),
        }
    }
    Err(format!("stopped after {REDIRECTS} redirects"))
}

/// Resolves a `Location`, which may be relative to the URL that redirects.
fn resolved(origin: &str, path: &str, location: &str) -> String {
    let scheme = origin.split("//").next().unwrap_or_default();
    if location.contains("://") {
        location.to_owned()
    } else if location.starts_with("//") {
        format!("{scheme}{location}")
    } else if location.starts_with('/') {
        format!("{origin}{location}")
    } else {
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
        format!("{origin}{directory}/{location}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_relative_to_the_redirected_url() {
        for (location, url) in [
            ("https://b/x", "https://b/x"),
            ("//b/x", "http://b/x"),
            ("/x", "http://a/x"),
            ("x.yaml", "http://a/d/x.yaml"),
        ] {
            assert_eq!(resolved("http://a", "/d/e", location), url);
        }
    }
}
