//! Interprets the reply of a webhook like the API server.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::http::refusal;
use super::{GROUP, Hook, WebhookType};
use crate::api::go::{json_kind, quoted};
use crate::api::json::Value;
use crate::api::json_syntax;
use crate::api::status::{Cause, CauseReason, Details, Status};
use crate::api::yaml::{Mode, parse_one};
use crate::tree::{field, has, list, text, texts};

/// The Go type whose decoding fails if a reply is not an object.
const TYPE_META: &str = r#"struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }"#;

/// A reply that has not been decoded yet.
#[derive(Clone, Copy, Debug)]
pub struct WebhookResponse<'a> {
    /// The HTTP status code.
    pub code: u16,
    /// The content type.
    pub content_type: &'a str,
    /// The body.
    pub body: &'a [u8],
}

/// The decision of a webhook.
#[derive(Clone, Debug, PartialEq)]
pub struct AdmissionResult {
    /// The error of the request if the webhook rejects it.
    pub refusal: Option<Status>,
    /// The warnings for the client.
    pub warnings: Vec<String>,
    /// The operations of the JSON patch; null if there are none.
    pub patch: Value,
    /// The keys and values for the audit log.
    pub annotations: Vec<(String, String)>,
}

impl Hook<'_> {
    /// Reads the reply to the review with the given uid.
    ///
    /// # Errors
    /// Returns the reason if the reply contains no decision.
    pub fn read(
        &self,
        uid: &str,
        received: &WebhookResponse<'_>,
    ) -> Result<AdmissionResult, String> {
        let review = decoded(received).map_err(|e| format!("failed to call webhook: {e}"))?;
        let response = self
            .verified(uid, &review)
            .map_err(|e| format!("received invalid webhook response: {e}"))?;
        let refusal = (*field(response, "allowed") != true)
            .then(|| denial(self.name(), field(response, "status")));
        let patch = text(response, "patch");
        let patch = match refusal.is_none() && !patch.is_empty() {
            true => steps(patch)
                .map_err(|e| format!("received undecodable patch in webhook response: {e}"))?,
            false => Value::Null,
        };
        Ok(AdmissionResult {
            refusal,
            warnings: texts(response, "warnings").map(str::to_owned).collect(),
            patch,
            annotations: annotations(response),
        })
    }

    /// Checks a review like the API server, and returns its response.
    fn verified<'r>(&self, uid: &str, review: &'r Value) -> Result<&'r Value, String> {
        if !field(review, "response").is_object() {
            return Err("webhook response was absent".to_owned());
        }
        let response = field(review, "response");
        let (patched, typed) = (
            !text(response, "patch").is_empty(),
            has(response, "patchType"),
        );
        // The uid of a v1beta1 review was never checked, and old webhooks rely on that.
        if self.version() != "v1" {
            return Ok(response);
        }
        let own = text(response, "uid");
        if own != uid {
            let (uid, own) = (quoted(uid), quoted(own));
            return Err(format!("expected response.uid={uid}, got {own}"));
        }
        let (version, kind) = (text(review, "apiVersion"), text(review, "kind"));
        if (version, kind) != (&*format!("{GROUP}/v1"), "AdmissionReview") {
            // Go prints a version of the core group with an empty group in front.
            let version = match version.contains('/') {
                true => version.to_owned(),
                false => format!("/{version}"),
            };
            return Err(format!(
                "expected webhook response of {GROUP}/v1, Kind=AdmissionReview, got {version}, Kind={kind}"
            ));
        }
        let wrong = match (self.webhook_type, patched, typed) {
            (WebhookType::Mutating, true, false) => {
                "webhook returned response.patch but not response.patchType"
            }
            (WebhookType::Mutating, false, true) => {
                "webhook returned response.patchType but not response.patch"
            }
            (WebhookType::Mutating, true, true) if text(response, "patchType").is_empty() => {
                r#"webhook returned invalid response.patchType of """#
            }
            (WebhookType::Validating, true, _) => {
                "validating webhook may not return response.patch"
            }
            (WebhookType::Validating, _, true) => {
                "validating webhook may not return response.patchType"
            }
            _ => return supported(response),
        };
        Err(wrong.to_owned())
    }
}

fn annotations(response: &Value) -> Vec<(String, String)> {
    let all = field(response, "auditAnnotations").as_object();
    let pair = |(key, value): (&str, &Value)| {
        let value = value.as_str()?;
        Some((key.to_owned(), value.to_owned()))
    };
    let all = all.into_iter().flatten();
    all.filter_map(|(key, value)| pair((key.as_str(), value)))
        .collect()
}

/// Returns the response if its patch, if any, is a JSON patch.
///
/// # Errors
/// Returns an error if the patch has another type.
fn supported(response: &Value) -> Result<&Value, String> {
    match text(response, "patchType") {
        "" | "JSONPatch" => Ok(response),
        other => Err(format!("unsupported patch type {}", quoted(other))),
    }
}

/// Returns the object in the body of a reply.
pub(crate) fn decoded(received: &WebhookResponse<'_>) -> Result<Value, String> {
    if !(200..=206).contains(&received.code) {
        return Err(refusal(received));
    }
    if received.body.is_empty() {
        return Err(format!(
            "0-length response with status code: {} and content type: {}",
            received.code, received.content_type
        ));
    }
    let unreadable = |e: &str| format!("couldn't get version/kind; json parse error: {e}");
    // The API server's decoder also recognizes YAML, in which any body is at least a string.
    let value = match serde_json::from_slice(received.body) {
        Ok(value) => value,
        Err(_) => parse_one(received.body, Mode::Lenient)
            .map_err(|e| unreadable(&e.to_string()))?
            .unwrap_or(Value::Null),
    };
    if !value.is_object() {
        let kind = json_kind(&value);
        let why = format!("json: cannot unmarshal {kind} into Go value of type {TYPE_META}");
        return Err(unreadable(&why));
    }
    // client-go takes a failed `Status` for an error even if the HTTP status code is a success.
    if (text(&value, "apiVersion"), text(&value, "kind")) == ("v1", "Status")
        && text(&value, "status") != "Success"
    {
        return Err(text(&value, "message").to_owned());
    }
    Ok(value)
}

/// Decodes the operations of a patch from base64.
fn steps(patch: &str) -> Result<Value, String> {
    let bytes = STANDARD.decode(patch).map_err(|e| e.to_string())?;
    json_syntax::check(&bytes)?;
    let steps: Value = serde_json::from_slice(&bytes).map_err(|e| e.to_string())?;
    let wrong = |value: &Value, name: &str| {
        let kind = json_kind(value);
        format!("json: cannot unmarshal {kind} into Go value of type jsonpatch.{name}")
    };
    match steps.as_array() {
        None if steps.is_null() => Ok(Value::Null),
        None => Err(wrong(&steps, "Patch")),
        // An empty patch counts as none.
        Some(all) if all.is_empty() => Ok(Value::Null),
        Some(all) => match all.iter().find(|step| !step.is_object()) {
            Some(step) => Err(wrong(step, "Operation")),
            None => Ok(steps),
        },
    }
}

/// Returns the error of a request that a webhook denies: the status in the reply, with a message that names the
/// webhook.
fn denial(name: &str, status: &Value) -> Status {
    let by = format!("admission webhook {} denied the request", quoted(name));
    let message = match (text(status, "message"), text(status, "reason")) {
        ("", "") => format!("{by} without explanation"),
        ("", why) | (why, _) => format!("{by}: {why}"),
    };
    let code = field(status, "code").as_i64().unwrap_or_default();
    Status {
        // A denial with a success code gets an error code.
        code: u16::try_from(code).unwrap_or_default().max(400),
        reason: known_reason(text(status, "reason")),
        message,
        details: details(field(status, "details")),
        warnings: Vec::new(),
    }
}

fn details(details: &Value) -> Option<Box<Details>> {
    let cause = |cause: &Value| Cause {
        reason: CauseReason::named(text(cause, "reason")),
        field: text(cause, "field").to_owned(),
        message: text(cause, "message").to_owned(),
    };
    let wait = field(details, "retryAfterSeconds").as_u64();
    let details = details.is_object().then(|| Details {
        name: text(details, "name").to_owned(),
        group: text(details, "group").to_owned(),
        kind: text(details, "kind").to_owned(),
        uid: text(details, "uid").to_owned(),
        retry_after_seconds: wait.and_then(|w| u32::try_from(w).ok()).unwrap_or(0),
        causes: list(details, "causes").iter().map(cause).collect(),
        ..Details::default()
    });
    details.map(Box::new)
}

/// Returns the reason if the API defines it; otherwise an empty one, because the message already contains it.
fn known_reason(reason: &str) -> &'static str {
    const KNOWN: [&str; 18] = [
        "Unauthorized",
        "Forbidden",
        "NotFound",
        "AlreadyExists",
        "Conflict",
        "Gone",
        "Invalid",
        "ServerTimeout",
        "StoreReadError",
        "Timeout",
        "TooManyRequests",
        "BadRequest",
        "MethodNotAllowed",
        "NotAcceptable",
        "RequestEntityTooLarge",
        "UnsupportedMediaType",
        "InternalError",
        "ServiceUnavailable",
    ];
    let known = KNOWN.into_iter().find(|known| *known == reason);
    known.unwrap_or_default()
}
