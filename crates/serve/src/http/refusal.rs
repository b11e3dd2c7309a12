//! Responses to requests that do not reach the API: rejections, and the redirect into the web view.

use crate::Response;
use crate::api::status::{Details, Status};

/// The rejection of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The status code; 0 for no response.
    pub(super) code: u16,
    why: String,
    fields: Vec<(&'static str, String)>,
}

impl Refusal {
    /// Returns a rejection after which the connection is closed.
    pub(super) fn closing(code: u16, why: &str) -> Self {
        Self {
            code,
            why: why.to_owned(),
            fields: Vec::new(),
        }
    }

    /// Redirects a browser to another path and sets a cookie.
    pub(super) fn sending_to(path: String, cookie: String) -> Self {
        Self {
            fields: vec![
                ("location", path),
                ("set-cookie", cookie),
                // The URL with the token must be neither stored nor sent to another site.
                ("cache-control", "no-store".to_owned()),
                ("referrer-policy", "no-referrer".to_owned()),
            ],
            ..Self::closing(303, "the web view is at another path")
        }
    }

    /// Closes the connection without a response, because the client has gone.
    pub(super) fn silent() -> Self {
        Self::closing(0, "")
    }

    /// Returns the rejection for exhausted memory; the client may retry.
    pub(super) fn no_memory() -> Self {
        Self::closing(
            429,
            "the server's memory for requests is exhausted, try again later",
        )
    }

    /// Returns the rejection for too many concurrent requests; the client may retry.
    pub(super) fn too_many(of: &str) -> Self {
        Self::closing(429, &format!("too many {of}, try again later"))
    }

    /// Returns true if the client gets no response.
    pub(super) fn is_silent(&self) -> bool {
        self.code == 0
    }

    /// Returns the rejection as a response.
    pub(super) fn said(&self) -> Response {
        let mut response = Response::from(self.status());
        response.fields.clone_from(&self.fields);
        response
    }

    /// Returns the rejection as a `Status`.
    pub(super) fn status(&self) -> Status {
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
        // client-go retries on its own after this time.
        let details = (self.code == 429).then(|| {
            Box::new(Details {
                retry_after_seconds: 1,
                ..Details::default()
            })
        });
        Status {
            code: self.code,
            reason,
            details,
            ..Status::bad_request(self.why.as_str())
        }
    }
}
