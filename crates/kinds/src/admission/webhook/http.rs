//! HTTP errors with the messages of client-go, which the API server uses to call webhooks.

use super::WebhookResponse;
use crate::api::go::quoted;
use crate::api::json::Value;
use crate::tree::text;

/// Returns the error for a response with a status code other than success.
pub(super) fn refusal(received: &WebhookResponse<'_>) -> String {
    // If the body is a `Status`, it already has a message.
    if let Ok(status) = serde_json::from_slice::<Value>(received.body)
        && text(&status, "kind") == "Status"
    {
        return text(&status, "message").to_owned();
    }
    let code = received.code;
    // client-go quotes the body only if its content type is text.
    let is_text = received.content_type.is_empty() || received.content_type.starts_with("text/");
    let said = String::from_utf8_lossy(received.body);
    let said = if is_text { said.trim() } else { "unknown" };
    let message = match code {
        400 => "the server rejected our request for an unknown reason",
        401 => "the server has asked for the client to provide credentials",
        403 => said,
        404 => "the server could not find the requested resource",
        405 => "the server does not allow this method on the requested resource",
        406 if matches!(said, "" | "unknown") => {
            "the server was unable to respond with a content type that the client supports"
        }
        415 if matches!(said, "" | "unknown") => {
            "the body of the request was in an unknown format - accepted media types include: \
             application/json"
        }
        406 | 415 => said,
        409 => "the server reported a conflict",
        410 => "the server reported that the requested resource is gone",
        422 => "the server rejected our request due to an error in our request",
        429 => "the server has received too many requests and has asked us to try again later",
        503 => "the server is currently unable to handle the request",
        504 => {
            "the server was unable to return a response in the time allotted, but may still be \
             processing the request"
        }
        500.. => {
            let said = quoted(said);
            return format!(
                "an error on the server ({said}) has prevented the request from succeeding"
            );
        }
        _ => {
            return format!(
                "the server responded with the status code {code} but did not return more information"
            );
        }
    };
    message.to_owned()
}
