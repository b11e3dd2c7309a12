//! Why a command failed, and the exit code that says so.

use std::io;
use std::process::ExitCode;

use thiserror::Error;

use crate::cluster::StoreError;

/// The exit code of a command that failed.
pub(crate) const FAILURE: u8 = 1;

/// Why a command failed.
#[derive(Debug, Error)]
pub(crate) enum CliError {
    /// The cluster refused or could not be used.
    #[error(transparent)]
    Store(#[from] StoreError),
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

    /// The error and what it came from, once each.
    pub(crate) fn in_one_line(&self) -> String {
        let mut text = self.to_string();
        let mut source = std::error::Error::source(self);
        while let Some(cause) = source {
            text.push_str(": ");
            text.push_str(&cause.to_string());
            source = cause.source();
        }
        text
    }

    /// The program's exit code.
    pub(crate) fn exit_code(&self) -> ExitCode {
        FAILURE.into()
    }
}
