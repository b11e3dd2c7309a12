//! A page of text in place of a cluster: numbers for Prometheus.

use std::fmt;

use super::{Reply, Request, Response, Service};
use crate::cluster::administrator;
use crate::kinds::admission::User;

/// The type of numbers for Prometheus.
pub(super) const PROMETHEUS: &str = "text/plain; version=0.0.4";

/// Returns a text at `/metrics`.
///
/// ```
/// use ctl_cluster::administrator;
/// use ctl_serve::{Page, Reply, Request, Service as _};
///
/// let page = Page::new(|| "<h1>web</h1>".to_owned());
/// let request = Request::get("/", administrator());
/// assert!(matches!(page.open(&request), Reply::Whole(response) if response.code == 200));
/// ```
pub struct Page(Box<dyn Fn() -> String + Send + Sync>);

impl Page {
    /// A page that shows what this returns.
    pub fn new(text: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self(Box::new(text))
    }
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Page")
    }
}

impl Service for Page {
    fn open<'s>(&'s self, request: &Request<'_>) -> Reply<'s> {
        let path = request.path.split('?').next().unwrap_or_default();
        let response = match (request.method, path) {
            ("GET" | "HEAD", "/metrics" | "/") => Response {
                media: PROMETHEUS,
                ..Response::text(200, (self.0)())
            },
            ("GET" | "HEAD", _) => Response::text(404, "not found\n"),
            _ => Response::text(405, "only GET is allowed\n"),
        };
        Reply::Whole(response)
    }

    fn bearer(&self, _: &str) -> Option<User> {
        None
    }

    fn identity(&self) -> User {
        administrator()
    }
}
