//! A server that returns one text rather than the objects of a cluster: metrics for Prometheus, or the health of a
//! program.

use std::fmt;

use super::{Reply, Request, Response, Service};
use crate::cluster::{Follower, administrator};
use crate::kinds::admission::User;

/// The media type of metrics for Prometheus.
pub(super) const PROMETHEUS: &str = "text/plain; version=0.0.4";

/// Serves a text at two paths.
///
/// ```
/// use ctl_cluster::administrator;
/// use ctl_serve::{Page, Reply, Request, Service as _};
///
/// let page = Page::new(|| "<h1>web</h1>".to_owned());
/// let request = Request::get("/", administrator());
/// assert!(matches!(page.open(&request), Reply::Whole(response) if response.code == 200));
/// ```
pub struct Page {
    paths: [&'static str; 2],
    media: &'static str,
    text: Box<dyn Fn() -> String + Send + Sync>,
}

impl Page {
    /// Returns a page that serves the text of a function at `/metrics` and `/`.
    pub fn new(text: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self {
            paths: ["/metrics", "/"],
            media: PROMETHEUS,
            text: Box::new(text),
        }
    }

    /// Returns a page that serves the JSON of a function at `/health` and `/readyz`, as `etcd` does.
    pub fn health(text: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self {
            paths: ["/health", "/readyz"],
            media: "application/json",
            text: Box::new(text),
        }
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
            ("GET" | "HEAD", path) if self.paths.contains(&path) => Response {
                media: self.media,
                ..Response::text(200, (self.text)())
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

    fn follower(&self) -> Option<Follower<'_>> {
        None
    }
}
