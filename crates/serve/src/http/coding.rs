//! Compresses responses.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::Body;

/// As in the real API server, smaller objects are not compressed, because that would cost more than it saves.
const LARGE: usize = 128 * 1024;

/// Returns the compressed bytes if the object is large and the client accepts gzip.
pub(super) fn packed(body: &Body, bytes: &[u8], accepted: &str) -> Option<Vec<u8>> {
    // The API server never compresses text such as logs.
    let is_large = !matches!(body, Body::Text(_)) && bytes.len() > LARGE;
    // As in the API server, a coding with a quality value (`gzip;q=1`) is ignored.
    if !is_large || !accepted.split(',').any(|coding| coding.trim() == "gzip") {
        return None;
    }
    // The fastest level, as in the real API server: lists are so repetitive that higher levels save little more.
    let mut packer = GzEncoder::new(Vec::with_capacity(bytes.len() / 8), Compression::fast());
    packer.write_all(bytes).and_then(|()| packer.finish()).ok()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;
    use crate::api::json::json;

    #[test]
    fn large_objects_are_compressed_for_clients_that_accept_it() {
        let (object, text) = (Body::Object(json!({})), Body::Text(String::new()));
        let bytes = b"{\"kind\":\"Pod\"}".repeat(10_000);
        let small = &bytes[..LARGE];
        for (body, bytes, accepted, expected) in [
            (&object, &bytes[..], "gzip", true),
            (&object, &bytes[..], "deflate, gzip , br", true),
            (&object, &bytes[..], "deflate", false),
            (&object, &bytes[..], "", false),
            (&object, small, "gzip", false),
            (&text, &bytes[..], "gzip", false),
        ] {
            let packed = packed(body, bytes, accepted);
            assert_eq!(packed.is_some(), expected, "{accepted}");
            if let Some(packed) = packed {
                let mut again = Vec::new();
                let mut reader = flate2::read::GzDecoder::new(&packed[..]);
                reader.read_to_end(&mut again).unwrap();
                assert!(again == bytes && packed.len() < bytes.len() / 10);
            }
        }
    }
}
