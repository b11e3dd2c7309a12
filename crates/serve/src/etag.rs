//! Documents with an entity tag: a client whose copy is current gets a 304 without the document.
//!
//! client-go's cache of discovery and OpenAPI sends the tag of its copy with every request.

use sha2::{Digest as _, Sha256};

use super::{Request, Response};

/// Returns a document with its tag; a 304 if the client's copy is current. `document` is called only if the document
/// is sent, because building it may be expensive.
pub(super) fn respond(
    request: &Request<'_>,
    tag: &str,
    document: impl FnOnce() -> Response,
) -> Response {
    let tag = format!("\"{tag}\"");
    let mut response = match is_known(request.if_none_match, &tag) {
        true => Response::text(304, ""),
        false => document(),
    };
    response.fields.push(("etag", tag));
    // One URL returns documents of several media types.
    response.fields.push(("vary", "Accept".to_owned()));
    response
}

/// Returns the tag of a document: the digest of its content in upper-case hexadecimal, as Kubernetes prints it.
pub(super) fn tag_of(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    digest.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// Returns true if an `If-None-Match` header contains the tag.
fn is_known(header: &str, tag: &str) -> bool {
    let mut tags = header.split(',').map(str::trim);
    // A proxy that compresses documents converts their tags to weak ones.
    tags.any(|own| own == "*" || own.trim_start_matches("W/") == tag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::administrator;

    #[test]
    fn client_with_the_current_document_gets_304() {
        let tag = tag_of(b"abc");
        assert_eq!(&tag[..8], "BA7816BF");
        let quoted = format!("\"{tag}\"");
        for (header, code) in [
            ("", 200),
            ("\"BA7816BF\"", 200),
            (&*tag, 200),
            (&*quoted, 304),
            (&*format!("\"A\", W/{quoted}"), 304),
            ("*", 304),
        ] {
            let request = Request {
                if_none_match: header,
                ..Request::get("/", administrator())
            };
            let response = respond(&request, &tag, || Response::text(200, "abc"));
            assert_eq!(response.code, code, "{header}");
            assert!(response.fields.contains(&("etag", quoted.clone())));
        }
    }
}
