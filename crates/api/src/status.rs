//! The errors of the API: one type with one constructor per reason.

use std::collections::HashSet;
use std::fmt;

use crate::go::quoted;
use crate::json::{Value, json};

/// An error response of the API, in the form of its `Status` object.
///
/// ```
/// use ctl_api::status::{Cause, CauseReason, Details, Status};
///
/// let cause = Cause {
///     reason: CauseReason::Required,
///     field: "spec.selector".into(),
///     message: "Required value".into(),
/// };
/// let status = Status::invalid("apps", "Deployment", "web", vec![cause]);
/// assert_eq!((status.code, status.reason), (422, "Invalid"));
/// let details: &Details = status.details.as_deref().unwrap();
/// assert_eq!(details.causes[0].to_string(), "spec.selector: Required value");
/// assert_eq!(status.to_value()["details"]["name"], "web");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Status {
    /// HTTP status code.
    pub code: u16,
    /// The machine-readable reason, such as `NotFound`; empty if Kubernetes gives none.
    pub reason: &'static str,
    /// The message for users.
    pub message: String,
    /// The object that the error is about.
    pub details: Option<Box<Details>>,
    /// The warnings sent with the response, which are not part of the object.
    pub warnings: Vec<String>,
}

/// The object and the fields that an error is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Details {
    /// Object name.
    pub name: String,
    /// API group.
    pub group: String,
    /// The kind if the reason is `Invalid`, the resource for most other reasons.
    pub kind: String,
    /// Uid of the object.
    pub uid: String,
    /// The number of seconds to wait before a retry; 0 if the response does not say.
    pub retry_after_seconds: u32,
    /// One cause per violated rule.
    pub causes: Vec<Cause>,
    /// The token that continues an expired list at the current revision; part of the response's metadata.
    pub continue_token: String,
}

/// A rule that the object violates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The class of the rule.
    pub reason: CauseReason,
    /// Path of the field, such as `spec.containers[0].name`.
    pub field: String,
    /// The message, without the field.
    pub message: String,
}

/// The classes of rules that a field can violate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CauseReason {
    /// A required field is missing.
    Required,
    /// A value is used twice.
    Duplicate,
    /// A value is malformed or contradicts another.
    Invalid,
    /// A value is not one of the supported ones.
    NotSupported,
    /// A reference has no target.
    NotFound,
    /// A field may not be set here.
    Forbidden,
    /// A value is too long.
    TooLong,
    /// A list has too many items.
    TooMany,
    /// A value has the wrong type.
    TypeInvalid,
    /// The namespace is being deleted.
    NamespaceTerminating,
    /// A disruption budget does not allow the eviction.
    DisruptionBudget,
    /// The cluster has not reached the requested resource version yet.
    ResourceVersionTooLarge,
    /// Another manager owns the field.
    FieldManagerConflict,
    /// A policy does not allow the request, or the server has failed; the API gives no reason.
    Policy,
}

impl CauseReason {
    /// All classes that have a name.
    const NAMED: [Self; 13] = [
        Self::Required,
        Self::Duplicate,
        Self::Invalid,
        Self::NotSupported,
        Self::NotFound,
        Self::Forbidden,
        Self::TooLong,
        Self::TooMany,
        Self::TypeInvalid,
        Self::NamespaceTerminating,
        Self::DisruptionBudget,
        Self::ResourceVersionTooLarge,
        Self::FieldManagerConflict,
    ];

    /// Returns the class with this name, or [`Self::Policy`] if the API has no such class.
    pub fn named(name: &str) -> Self {
        let mut all = Self::NAMED.into_iter();
        all.find(|own| own.as_str() == name).unwrap_or(Self::Policy)
    }

    /// Returns the name of the class in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Duplicate => "FieldValueDuplicate",
            Self::Invalid => "FieldValueInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::NotFound => "FieldValueNotFound",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::NamespaceTerminating => "NamespaceTerminating",
            Self::DisruptionBudget => "DisruptionBudget",
            Self::ResourceVersionTooLarge => "ResourceVersionTooLarge",
            Self::FieldManagerConflict => "FieldManagerConflict",
            Self::Policy => "",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

impl Status {
    /// Returns 422: the object violates rules. `kind` is the kind without its group.
    pub fn invalid(group: &str, kind: &str, name: &str, causes: Vec<Cause>) -> Self {
        let qualified = match group {
            "" => kind.to_owned(),
            group => format!("{kind}.{group}"),
        };
        let message = format!(
            "{qualified} {} is invalid: {}",
            quoted(name),
            aggregate(&causes)
        );
        let details = Details {
            name: name.to_owned(),
            group: group.to_owned(),
            kind: kind.to_owned(),
            causes,
            ..Details::default()
        };
        Self {
            code: 422,
            reason: "Invalid",
            message,
            details: Some(Box::new(details)),
            warnings: Vec::new(),
        }
    }

    /// Returns 400: the request cannot be understood.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self {
            code: 400,
            reason: "BadRequest",
            message: message.into(),
            details: None,
            warnings: Vec::new(),
        }
    }

    /// Returns 500 without a reason: an error that the API server did not classify.
    pub fn internal(message: impl Into<String>) -> Self {
        Self {
            code: 500,
            reason: "",
            message: message.into(),
            details: None,
            warnings: Vec::new(),
        }
    }

    /// Returns 500 with a reason: an error that the API server classified as its own.
    pub fn internal_error(why: impl Into<String>) -> Self {
        let cause = Cause {
            reason: CauseReason::Policy,
            field: String::new(),
            message: why.into(),
        };
        Self {
            reason: "InternalError",
            details: Some(Box::new(Details {
                causes: vec![cause.clone()],
                ..Details::default()
            })),
            ..Self::internal(format!("Internal error occurred: {}", cause.message))
        }
    }

    /// Returns 403: the request is not allowed. `resource` includes the group, such as `deployments.apps`.
    pub fn forbidden(resource: &str, name: &str, why: &str) -> Self {
        let message = format!("{resource} {} is forbidden: {why}", quoted(name));
        Self::about(403, "Forbidden", resource, name, message)
    }

    /// Returns 401: the credentials in the request belong to no user.
    pub fn unauthorized() -> Self {
        Self {
            code: 401,
            reason: "Unauthorized",
            message: "Unauthorized".to_owned(),
            details: None,
            warnings: Vec::new(),
        }
    }

    /// Returns 404: the object does not exist.
    pub fn not_found(resource: &str, name: &str) -> Self {
        let message = format!("{resource} {} not found", quoted(name));
        Self::about(404, "NotFound", resource, name, message)
    }

    /// Returns 409: the object already exists.
    pub fn already_exists(resource: &str, name: &str) -> Self {
        let message = format!("{resource} {} already exists", quoted(name));
        Self::about(409, "AlreadyExists", resource, name, message)
    }

    /// Returns 409: the object has changed since the client read it.
    pub fn conflict(resource: &str, name: &str, why: &str) -> Self {
        let message = format!(
            "Operation cannot be fulfilled on {resource} {}: {why}",
            quoted(name)
        );
        Self::about(409, "Conflict", resource, name, message)
    }

    /// Returns the response with this code that a failing server gives to a request about `resource`, or `None` if no
    /// server returns this code. Includes `why` if the response has a field for it.
    pub fn trouble(code: u16, resource: &str, name: &str, why: &str) -> Option<Self> {
        let about =
            |reason, message: &str| Self::about(code, reason, resource, name, message.to_owned());
        Some(match code {
            401 => about("Unauthorized", "Unauthorized"),
            403 => Self::forbidden(resource, name, why),
            404 => Self::not_found(resource, name),
            409 => {
                let why = "the object has been modified; please apply your changes to the latest \
                           version and try again";
                Self::conflict(resource, name, why)
            }
            429 => {
                let mut status = about(
                    "TooManyRequests",
                    "Too many requests, please try again later.",
                );
                if let Some(details) = &mut status.details {
                    details.retry_after_seconds = 1;
                }
                status
            }
            500 => about("InternalError", &format!("Internal error occurred: {why}")),
            503 => about(
                "ServiceUnavailable",
                "the server is currently unable to handle the request",
            ),
            504 => about(
                "Timeout",
                "Timeout: request did not complete within requested timeout - context deadline \
                 exceeded",
            ),
            _ => return None,
        })
    }

    fn about(code: u16, reason: &'static str, resource: &str, name: &str, message: String) -> Self {
        let (kind, group) = resource.split_once('.').unwrap_or((resource, ""));
        let details = Details {
            name: name.to_owned(),
            group: group.to_owned(),
            kind: kind.to_owned(),
            ..Details::default()
        };
        Self {
            code,
            reason,
            message,
            details: Some(Box::new(details)),
            warnings: Vec::new(),
        }
    }

    /// Returns the causes; empty if there are none.
    pub fn causes(&self) -> &[Cause] {
        self.details.as_deref().map_or(&[], |d| &d.causes)
    }

    /// Returns the `Status` object as the API sends it.
    pub fn to_value(&self) -> Value {
        let mut out = json!({
            "apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Failure",
            "message": self.message, "code": self.code,
        });
        if !self.reason.is_empty() {
            out["reason"] = json!(self.reason);
        }
        if let Some(details) = &self.details {
            // The token of an expired list is in the metadata alone; other empty details are sent as such.
            match details.continue_token.is_empty() {
                true => out["details"] = details.to_value(),
                false => out["metadata"]["continue"] = json!(details.continue_token),
            }
        }
        out
    }
}

impl Details {
    fn to_value(&self) -> Value {
        let mut out = crate::json::Map::new();
        for (key, text) in [
            ("name", &self.name),
            ("group", &self.group),
            ("kind", &self.kind),
            ("uid", &self.uid),
        ] {
            if !text.is_empty() {
                out.insert(key.to_owned(), json!(text));
            }
        }
        if self.retry_after_seconds > 0 {
            out.insert(
                "retryAfterSeconds".to_owned(),
                json!(self.retry_after_seconds),
            );
        }
        if !self.causes.is_empty() {
            let causes = self.causes.iter().map(|c| {
                // The cause of a policy's denial or of an internal error has only a message.
                let mut cause = json!({"message": c.message});
                for (name, text) in [("reason", c.reason.as_str()), ("field", &*c.field)] {
                    if !text.is_empty() {
                        cause[name] = json!(text);
                    }
                }
                cause
            });
            out.insert("causes".to_owned(), causes.collect());
        }
        Value::Object(out)
    }
}

/// Joins the causes without duplicates: a single one as it is, several in brackets.
fn aggregate(causes: &[Cause]) -> String {
    let texts = distinct(causes);
    match texts.as_slice() {
        [one] => one.clone(),
        many => format!("[{}]", many.join(", ")),
    }
}

/// Returns the unique texts of causes.
pub fn distinct(causes: &[Cause]) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut texts: Vec<String> = causes.iter().map(Cause::to_string).collect();
    texts.retain(|text| seen.insert(text.clone()));
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(field: &str) -> Cause {
        Cause {
            reason: CauseReason::Required,
            field: field.to_owned(),
            message: "Required value".to_owned(),
        }
    }

    #[test]
    fn names_are_quoted_as_in_go() {
        let missing = Status::not_found("pods", "a\0\"");
        assert_eq!(missing.message, r#"pods "a\x00\"" not found"#);
    }

    #[test]
    fn an_internal_error_has_its_message_as_a_cause() {
        let status = Status::internal_error("range is full").to_value();
        assert_eq!(status["reason"], "InternalError");
        assert_eq!(status["message"], "Internal error occurred: range is full");
        assert_eq!(
            status["details"],
            json!({"causes": [{"message": "range is full"}]})
        );
    }

    #[test]
    fn several_causes_are_listed_in_brackets() {
        let one = Status::invalid("apps", "Deployment", "web", vec![cause("spec.a")]);
        assert_eq!(
            one.message,
            "Deployment.apps \"web\" is invalid: spec.a: Required value"
        );
        let causes = vec![cause("a"), cause("b"), cause("a")];
        let many = Status::invalid("", "Pod", "p", causes);
        assert_eq!(
            many.message,
            "Pod \"p\" is invalid: [a: Required value, b: Required value]"
        );
        assert_eq!(
            many.to_value()["details"]["causes"]
                .as_array()
                .map(|causes| causes.len()),
            Some(3)
        );
    }

    #[test]
    fn details_split_the_qualified_resource() {
        let status = Status::not_found("deployments.apps", "web");
        assert_eq!(status.message, "deployments.apps \"web\" not found");
        assert_eq!(
            status.to_value()["details"],
            json!({"name": "web", "group": "apps", "kind": "deployments"})
        );
    }
}
