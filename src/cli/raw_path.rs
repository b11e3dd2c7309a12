//! `--raw`: what a path of the API answers.

use super::error::CliError;
use crate::api::status::Status;
use crate::cluster::Cluster;
use crate::kinds::admission::User;
use crate::print::json::one_line;
use crate::serve::{self, Body, Reply, Request};

/// What a path answers: JSON in one line, or text.
pub(crate) fn get(cluster: &Cluster, path: &str, user: User) -> Result<String, CliError> {
    let response = match serve::try_open(cluster, &Request::get(path, user))? {
        Reply::Whole(response) => response,
        Reply::Watch(_) => return Err(CliError::text("--raw does not watch")),
    };
    match response.body {
        _ if response.code >= 400 => {
            let mut status = Status::not_found("", "");
            "the server could not find the requested resource".clone_into(&mut status.message);
            Err(status.into())
        }
        Body::Object(object) => Ok(one_line(&object)),
        Body::Text(text) => Ok(text),
    }
}
