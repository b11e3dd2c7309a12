//! The response to a request, and the errors instead of one.

use thiserror::Error;

use crate::api::json::Value;
use crate::api::status::Status;
use crate::store::StoreError;

/// An object as returned, with its resource version.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The object.
    pub object: Value,
    /// The texts of the warnings that go with it.
    pub warnings: Vec<String>,
    /// True if anything changed.
    pub changed: bool,
    /// True if the request created the object: 201 in HTTP, otherwise 200.
    pub created: bool,
    /// True if the object is no longer there.
    pub gone: bool,
}

/// The reason why a request failed.
///
/// ```
/// use ctl_cluster::{ApiError, Place};
///
/// # let cluster = ctl_cluster::Cluster::in_memory(
/// #     &ctl_cluster::Open::as_writer("example"),
/// #     ctl_cluster::Settings::new(ctl_sys::entropy::Seed(1)),
/// # );
/// # cluster.bootstrap()?;
/// let pods = Place::new(cluster.kind("pods")?, "default");
/// match cluster.get(&pods, "web") {
///     Err(ApiError::Status(status)) => assert_eq!((status.code, status.reason), (404, "NotFound")),
///     Err(ApiError::Store(error)) => panic!("the directory cannot be read: {error}"),
///     Ok(pod) => panic!("a new cluster has no Pod: {pod}"),
/// }
/// # Ok::<(), ApiError>(())
/// ```
#[derive(Debug, Error)]
pub enum ApiError {
    /// The API's error.
    #[error(transparent)]
    // Boxed, so that the result of every call is not as large as a Status with its details.
    Status(Box<Status>),
    /// The directory could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<Status> for ApiError {
    fn from(status: Status) -> Self {
        Self::Status(Box::new(status))
    }
}

impl ApiError {
    /// Returns the response of a server: a store that fails is its internal error.
    pub(crate) fn into_status(self) -> Status {
        match self {
            Self::Status(status) => *status,
            Self::Store(e) => Status::internal(e.to_string()),
        }
    }

    /// Puts warnings in front of those that go with the error, each text once.
    #[must_use]
    pub fn warned(mut self, warnings: &[String]) -> Self {
        if let Self::Status(status) = &mut self {
            let later = std::mem::take(&mut status.warnings);
            add_warnings(&mut status.warnings, warnings);
            add_warnings(&mut status.warnings, &later);
        }
        self
    }

    /// Returns the warnings that go with the error.
    pub fn warnings(&self) -> &[String] {
        self.status().map_or(&[], |status| &status.warnings)
    }

    /// Returns the `Status`, if the error contains one.
    pub fn status(&self) -> Option<&Status> {
        match self {
            Self::Status(status) => Some(status),
            Self::Store(_) => None,
        }
    }
}

/// Adds the warnings with a new text, as the recorder of the API server does.
pub fn add_warnings(to: &mut Vec<String>, more: &[String]) {
    for text in more {
        if !to.contains(text) {
            to.push(text.clone());
        }
    }
}

impl Response {
    /// Returns the response for an object that exists only in the response and is not stored.
    pub(crate) fn transient(object: Value) -> Self {
        Self {
            object,
            warnings: Vec::new(),
            changed: false,
            created: false,
            gone: false,
        }
    }
}
