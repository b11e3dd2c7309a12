//! Calls of webhooks, for admission and for the conversion of custom resources.
//!
//! A request is decided under the lock of the store, where no webhook may be awaited. A decision that needs the reply
//! of a webhook records the call and ends with an error; the call is made without the lock, and the request is decided
//! again with the reply. A reply is identified by its review, so a request whose object has changed meanwhile calls
//! again, as the API server does after a conflict.

pub(crate) mod conversion;
pub(crate) mod endpoint;
mod replies;
pub(crate) mod review_template;
#[cfg(test)]
mod tests;

use std::fmt::Debug;
use std::time::Duration;

use crate::kinds::admission::webhook::WebhookResponse;
pub(crate) use replies::{Question, Replies, SentReview};

/// A call of a webhook: a POST of an `AdmissionReview` or a `ConversionReview`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The address, with `https` and the timeout as its query.
    pub url: String,
    /// The host and port to connect to if they are not those of the address.
    pub connect: Option<String>,
    /// The certificates of the authorities in PEM that may vouch for the webhook; empty for those of the machine.
    pub authorities: Vec<u8>,
    /// The time until the call fails.
    pub timeout: Duration,
    /// The review in JSON.
    pub body: Vec<u8>,
}

/// The response to a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The status code of HTTP.
    pub code: u16,
    /// The media type.
    pub content_type: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Reply {
    /// Returns the reply as its readers take it.
    pub(crate) fn received(&self) -> WebhookResponse<'_> {
        WebhookResponse {
            code: self.code,
            content_type: &self.content_type,
            body: &self.body,
        }
    }
}

/// Makes the calls of a cluster.
///
/// ```
/// use std::sync::Arc;
///
/// use ctl_cluster::{Call, Caller, Open, Reply};
///
/// /// Calls no webhook: each one counts as unreachable.
/// #[derive(Debug)]
/// struct Offline;
///
/// impl Caller for Offline {
///     fn call(&self, calls: &[Call]) -> Vec<Result<Reply, String>> {
///         calls.iter().map(|call| Err(format!("{} is unreachable", call.url))).collect()
///     }
/// }
///
/// let open = Open { webhooks: Some(Arc::new(Offline)), ..Open::as_writer("example") };
/// ```
pub trait Caller: Debug + Send + Sync {
    /// Makes calls at the same time. Returns the replies in the order of the calls, or an error with Go's text, such as
    /// `context deadline exceeded`.
    fn call(&self, calls: &[Call]) -> Vec<Result<Reply, String>>;
}
