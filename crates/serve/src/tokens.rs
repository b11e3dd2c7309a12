//! OpenID discovery, with which other programs can verify the tokens of service accounts without calling the server.

use crate::Response;
use crate::api::json::json;
use crate::cluster::{ApiError, Cluster};

/// The path of the public keys.
const KEYS: &str = "/openid/v1/jwks";

/// Returns the response to a request for the keys or for the issuer's configuration; `None` for other paths.
pub(super) fn answer(
    words: &[String],
    cluster: &Cluster,
    host: &str,
) -> Result<Option<Response>, ApiError> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (document, media) = match words[..] {
        ["openid", "v1", "jwks"] => {
            let keys = cluster.rights().keys().public_keys()?;
            (keys, "application/jwk-set+json")
        }
        [".well-known", "openid-configuration"] => {
            // The address that the client used, because nothing listens on the address of the Service `kubernetes`.
            let issuer = cluster.rights().keys().issuer();
            let keys = match host {
                "" => format!("{issuer}{KEYS}"),
                host => format!("https://{host}{KEYS}"),
            };
            let document = json!({
                "issuer": issuer, "jwks_uri": keys,
                "response_types_supported": ["id_token"], "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"],
            });
            (document, "application/json")
        }
        _ => return Ok(None),
    };
    // A text response, because the document has its own media type, whatever `Accept` contains.
    Ok(Some(Response {
        media,
        ..Response::text(200, document.to_string())
    }))
}
