//! A dry run of creating objects that replace others.

use crate::cluster::Cluster;
use crate::request::options::WriteOptions;
use crate::request::response::{ApiError, Response};
use crate::verbs::recreate::{self, Recreated};

/// Decides on the creation of each object as if all old ones were deleted and the previous new ones existed. Writes
/// nothing; returns the results of a dry run, in order.
///
/// # Errors
/// Fails if the directory cannot be read, or the writer may not create one of the objects. The result of a rejected
/// object is its rejection.
pub fn check_recreation(
    cluster: &Cluster,
    all: &[Recreated],
    options: &WriteOptions,
) -> Result<Vec<Result<Response, ApiError>>, ApiError> {
    recreate::check_recreation(&cluster.context, all, options)
}
