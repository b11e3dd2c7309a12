//! Responses to requests that the API does not see: rejections, and the way into the web view.

use crate::Response;
use crate::api::status::Status;

/// The reason why a request is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The status code; 0 if nothing is said.
    pub(super) code: u16,
    why: String,
    fields: Vec<(&'static str, String)>,
}

impl Refusal {
    /// The connection is closed with a response.
    pub(super) fn closing(code: u16, why: &str) -> Self {
        Self {
            code,
            why: why.to_owned(),
            fields: Vec::new(),
        }
    }

    /// A browser is sent to another path with a cookie.
    pub(super) fn sending_to(path: String, cookie: String) -> Self {
        Self {
            fields: vec![
                ("location", path),
                ("set-cookie", cookie),
                // The address with the token must not be stored, nor sent on to another site.
                ("cache-control", "no-store".to_owned()),
                ("referrer-policy", "no-referrer".to_owned()),
            ],
            ..Self::closing(303, "the web view is at another path")
        }
    }

    /// The connection is closed without a word: there is nobody to hear it.
    pub(super) fn silent() -> Self {
        Self::closing(0, "")
    }

    /// The memory for requests is spent: it is worth trying again.
    pub(super) fn no_memory() -> Self {
        Self::closing(
            429,
            "the server's memory for requests is exhausted, try again later",
        )
    }

    /// As many are served as may be at a time: it is worth trying again.
    pub(super) fn too_many(of: &str) -> Self {
        Self::closing(429, &format!("too many {of}, try again later"))
    }

    /// Returns the response, if there is somebody to hear it.
    pub(super) fn response(&self) -> Option<Response> {
        (self.code != 0).then(|| self.said())
    }

    /// Returns the words of the refusal.
    pub(super) fn said(&self) -> Response {
        let reason = match self.code {
            303 => "SeeOther",
            401 => "Unauthorized",
            403 => "Forbidden",
            413 => "RequestEntityTooLarge",
            415 => "UnsupportedMediaType",
            429 => "TooManyRequests",
            503 => "ServiceUnavailable",
            _ => "BadRequest",
        };
        let status = Status {
            code: self.code,
            reason,
            ..Status::bad_request(self.why.as_str())
        };
        let mut response = Response::from(status);
        response.fields.clone_from(&self.fields);
        response
    }
}
