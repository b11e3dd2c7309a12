//! Why a command failed, and the exit code that says so.

use std::io;
use std::process::ExitCode;

use thiserror::Error;

use crate::api::status::Status;
use crate::cluster::{ApiError, StoreError};

/// The exit code of a command that failed.
pub(crate) const FAILURE: u8 = 1;

/// Why a command failed.
#[derive(Debug, Error)]
pub(crate) enum CliError {
    /// The cluster refused or could not be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Kubernetes' answer, in kubectl's words.
    #[error("{0}")]
    Server(String, Box<Status>),
    /// Input or output failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Whoever read our output has gone.
    #[error("nobody reads the output")]
    ReaderGone,
    /// Anything else, told as it is.
    #[error("{0}")]
    Text(String),
}

impl CliError {
    /// A failure told as it is.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A refusal that came while an object of a manifest was written.
    pub(crate) fn while_doing(error: ApiError, doing: &str, source: &str) -> Self {
        match error {
            ApiError::Status(status) => {
                let text = server_text(&status, &format!("error when {doing} \"{source}\": "));
                Self::Server(text, status)
            }
            ApiError::Store(e) => Self::Store(e),
        }
    }

    /// Whether it says that an object is not there.
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self, Self::Server(_, status) if status.reason == "NotFound")
    }

    /// Whether the text says itself that it is an error.
    pub(crate) fn is_from_server(&self) -> bool {
        matches!(self, Self::Server(..))
    }

    /// The error and what it came from, once each.
    pub(crate) fn in_one_line(&self) -> String {
        let chain = anyhow::Chain::new(self).map(ToString::to_string);
        chain.collect::<Vec<_>>().join(": ")
    }

    /// The program's exit code.
    pub(crate) fn exit_code(&self) -> ExitCode {
        FAILURE.into()
    }
}

impl From<ApiError> for CliError {
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::Status(status) => Self::Server(server_text(&status, ""), status),
            ApiError::Store(e) => Self::Store(e),
        }
    }
}

/// A refusal as kubectl prints it.
fn server_text(status: &Status, context: &str) -> String {
    match status.reason {
        "Invalid" => invalid_text(status),
        "" => format!("Error from server: {context}{}", status.message),
        reason => format!("Error from server ({reason}): {context}{}", status.message),
    }
}

/// An invalid object: kubectl says its kind without the group, and each cause once, several of
/// them on lines of their own.
fn invalid_text(status: &Status) -> String {
    let Some(details) = &status.details else {
        return format!("The request is invalid: {}", status.message);
    };
    let mut head = format!("The {} \"{}\" is invalid", details.kind, details.name);
    if details.kind.is_empty() && details.name.is_empty() {
        head = "The request is invalid".to_owned();
        if details.causes.is_empty() {
            return format!("{head}: {}", status.message);
        }
    }
    let mut causes: Vec<String> = Vec::new();
    for cause in &details.causes {
        let text = cause.to_string();
        if !causes.contains(&text) {
            causes.push(text);
        }
    }
    match causes.as_slice() {
        [] => head,
        [one] => format!("{head}: {one}"),
        many => many.iter().fold(format!("{head}: "), |text, cause| {
            format!("{text}\n* {cause}")
        }),
    }
}
