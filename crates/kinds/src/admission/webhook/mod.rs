//! Admission webhooks: builds the review for a request and interprets the reply.
//!
//! Must not know how to connect to a webhook.

mod http;
mod reply;
#[cfg(test)]
mod tests;

use super::policy::Attributes;
use crate::api::go::quoted;
use crate::api::json::{Value, json};
use crate::api::patch::json::{self as json_patch, JsonPatchError};
use crate::api::status::Status;
use crate::kind::Kind;
use crate::tree::{field, text, texts};

pub(crate) use reply::decoded;
pub use reply::{AdmissionResult, WebhookResponse};

/// The API group of admission reviews.
const GROUP: &str = "admission.k8s.io";

/// The default timeout of a webhook, in seconds.
const TIMEOUT: i64 = 10;

/// The role of a webhook: it may change the object or only reject the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookType {
    /// The webhook may return a patch.
    Mutating,
    /// The webhook may only reject the request.
    Validating,
}

/// A webhook in a configuration.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_kinds::admission::webhook::{Hook, WebhookResponse, AdmissionResult, WebhookType};
///
/// let spec = json!({"name": "limits.example.com", "failurePolicy": "Ignore"});
/// let hook = Hook { spec: &spec, webhook_type: WebhookType::Validating };
/// assert!(hook.fails_open());
///
/// let body = br#"{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
///     "response": {"uid": "1", "allowed": false, "status": {"message": "too large"}}}"#;
/// let received = WebhookResponse { code: 200, content_type: "application/json", body };
/// let AdmissionResult { refusal, .. } = hook.read("1", &received)?;
/// assert!(refusal.unwrap().message.ends_with("too large"));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Hook<'a> {
    /// The entry in the list of the configuration.
    pub spec: &'a Value,
    /// The role, which depends on the kind of the configuration.
    pub webhook_type: WebhookType,
}

impl<'a> Hook<'a> {
    /// Returns the name of the webhook, such as `pods.example.com`.
    pub fn name(&self) -> &'a str {
        text(self.spec, "name")
    }

    /// Returns the timeout, in seconds.
    pub fn timeout(&self) -> u64 {
        let seconds = field(self.spec, "timeoutSeconds").as_i64();
        seconds.unwrap_or(TIMEOUT).unsigned_abs()
    }

    /// Returns true if a failure of the webhook does not fail the request.
    pub fn fails_open(&self) -> bool {
        text(self.spec, "failurePolicy") == "Ignore"
    }

    /// Returns true if the webhook is called again after later webhooks changed the object.
    pub fn reinvocable(&self) -> bool {
        text(self.spec, "reinvocationPolicy") == "IfNeeded"
    }

    /// Rejects a dry run if the webhook may have side effects.
    ///
    /// # Errors
    /// Returns a 400 with the API server's message.
    pub fn check_dry_run(&self) -> Result<(), Status> {
        match text(self.spec, "sideEffects") {
            "None" | "NoneOnDryRun" => Ok(()),
            _ => Err(Status::bad_request(format!(
                "admission webhook {} does not support dry run",
                quoted(self.name())
            ))),
        }
    }

    /// Returns the review version for the webhook: the first one in its list that the API server supports.
    fn version(&self) -> &'static str {
        let known = |own: &str| ["v1", "v1beta1"].into_iter().find(|known| *known == own);
        let mut versions = texts(self.spec, "admissionReviewVersions");
        // Validation requires at least one of the two versions.
        versions.find_map(known).unwrap_or("v1")
    }

    /// Returns the `AdmissionReview` of a request that matched at the version of `matched`, without its uid.
    pub fn review(&self, at: &Attributes<'_>, matched: &'static Kind) -> Value {
        let mut request = at.request(matched);
        let object = |object: Option<&Value>| object.cloned().unwrap_or(Value::Null);
        request["object"] = object(at.object);
        request["oldObject"] = object(at.old);
        json!({
            "apiVersion": format!("{GROUP}/{}", self.version()), "kind": "AdmissionReview",
            "request": request,
        })
    }

    /// Returns the error for a request if the webhook could not be called or its reply cannot be read.
    pub fn failed(&self, why: &str) -> Status {
        let name = quoted(self.name());
        Status::internal_error(format!("failed calling webhook {name}: {why}"))
    }
}

/// Applies the JSON patch of a webhook to an object.
///
/// # Errors
/// Returns a 500 if the patch does not fit the object.
pub fn patched(object: &Value, steps: &Value) -> Result<Value, Status> {
    let mut new = object.clone();
    let why = match json_patch::apply(&mut new, steps) {
        Ok(()) => return Ok(new),
        Err(JsonPatchError::Rejected(step)) => step.to_string(),
        Err(other) => other.to_string(),
    };
    Err(Status::internal_error(why))
}
