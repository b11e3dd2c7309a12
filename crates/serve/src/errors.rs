//! Errors of requests that fail before an object is read.

use super::MAX_BODY;
use crate::api::status::{Details, Status};
use crate::kinds::Kind;

/// Returns the error for a watch of objects that can only be listed.
pub(super) fn not_watched(kind: &Kind) -> Status {
    let resource = kind.qualified_resource();
    Status {
        message: format!("watch is not supported on resources of kind {resource:?}"),
        details: Some(Box::new(Details {
            group: kind.group.to_owned(),
            kind: kind.plural.to_owned(),
            ..Details::default()
        })),
        ..not_allowed()
    }
}

/// Returns the error for a request body that exceeds the limit.
pub(super) fn too_large() -> Status {
    Status {
        code: 413,
        reason: "RequestEntityTooLarge",
        ..Status::bad_request(format!("Request entity too large: limit is {MAX_BODY}"))
    }
}

/// Returns the error for a method that the path does not support.
pub(super) fn not_allowed() -> Status {
    Status {
        code: 405,
        reason: "MethodNotAllowed",
        // Empty, but present, as on the real server.
        details: Some(Box::default()),
        ..Status::bad_request("the server does not allow this method on the requested resource")
    }
}

/// Returns the error for an unknown resource.
pub(super) fn no_resource() -> Status {
    Status {
        code: 404,
        reason: "NotFound",
        details: Some(Box::default()),
        ..Status::bad_request("the server could not find the requested resource")
    }
}
