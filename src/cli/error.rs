//! The errors of commands, with their messages and exit codes.

use std::io;
use std::process::ExitCode;

use thiserror::Error;

use crate::api::status::{Status, distinct};
use crate::cluster::{ApiError, StoreError};

/// The exit code of a command that failed.
pub(crate) const FAILURE: u8 = 1;

/// The exit code of `get --exit-code` and `wait` if no object was found.
pub(crate) const NOTHING_FOUND: u8 = 3;

/// The exit code with `--exit-codes` if an object does not exist.
pub(crate) const NOT_FOUND: u8 = 4;

/// The exit code with `--exit-codes` if another writer has changed, created or owns the object.
pub(crate) const CONFLICT: u8 = 5;

/// The exit code with `--exit-codes` if the object is invalid.
pub(crate) const INVALID: u8 = 6;

/// The exit code with `--exit-codes` if a timeout has expired.
pub(crate) const TIMED_OUT: u8 = 7;

/// The reason why a command failed.
#[derive(Debug, Error)]
pub(crate) enum CliError {
    /// The cluster cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An error of the API.
    #[error("{}", .0.message)]
    Server(Box<Status>),
    /// An error of the API with a command's own text.
    #[error("{text}")]
    Reworded {
        /// The text.
        text: String,
        /// The original error, which decides on the exit code.
        status: Box<Status>,
    },
    /// Input or output failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The reader has closed the output.
    #[error("the output is closed")]
    ReaderGone,
    /// Any other error.
    #[error("{0}")]
    Text(String),
    /// Any other error, printed without the prefix `error:`.
    #[error("{0}")]
    Bare(String),
    /// A timeout expired.
    #[error("{0}")]
    TimedOut(String),
    /// Several errors.
    #[error("{}", listed(.0))]
    Many(Vec<CliError>),
    /// An error with a specific exit code.
    #[error("{0}")]
    Coded(Box<CliError>, u8),
    /// An error with a hint for the user.
    #[error("{0}")]
    Hinted(Box<CliError>, String),
    /// The exit code of a command that has already printed its message.
    #[error("exit code {0}")]
    Exit(u8),
}

/// Returns the text of a system error.
pub(crate) fn system_words(error: &io::Error) -> String {
    match error.kind() {
        // These are Go's texts: Rust appends "(os error 2)", which kubectl's messages lack.
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::NotADirectory => "not a directory".to_owned(),
        io::ErrorKind::IsADirectory => "is a directory".to_owned(),
        io::ErrorKind::AddrInUse => "address already in use".to_owned(),
        io::ErrorKind::AddrNotAvailable => "cannot assign requested address".to_owned(),
        _ => error.to_string(),
    }
}

fn listed(errors: &[CliError]) -> String {
    let mut texts = Vec::new();
    for text in errors.iter().flat_map(CliError::leaves) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    match texts.as_slice() {
        [one] => one.clone(),
        // Go's `Aggregate` has this form, which kubectl prints within a longer message.
        many => format!("[{}]", many.join(", ")),
    }
}

impl CliError {
    /// Returns an error with this text.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Returns an error in the command line, followed by a reference to the help.
    pub(crate) fn usage(command: &str, text: impl std::fmt::Display) -> Self {
        Self::Text(format!("{text}\nSee '{command} -h' for help and examples"))
    }

    /// Adds a hint for the user, if there is one.
    pub(crate) fn hinted(self, hint: Option<String>) -> Self {
        match hint {
            Some(hint) => Self::Hinted(Box::new(self), hint),
            None => self,
        }
    }

    /// Returns the hints, which only a terminal shows.
    pub(crate) fn hints(&self) -> Vec<&str> {
        match self {
            Self::Hinted(_, hint) => vec![hint],
            Self::Coded(error, _) => error.hints(),
            Self::Many(errors) => {
                let mut hints: Vec<&str> = errors.iter().flat_map(Self::hints).collect();
                // Several objects of one unknown kind cause the same hint.
                hints.dedup();
                hints
            }
            _ => Vec::new(),
        }
    }

    /// Returns the error about a file that cannot be read.
    pub(crate) fn unread(file: &str, error: &io::Error) -> Self {
        match error.kind() {
            // Go opens a directory and only fails to read it.
            io::ErrorKind::IsADirectory => {
                Self::Text(format!("read {file}: {}", system_words(error)))
            }
            _ => Self::unopened(file, error),
        }
    }

    /// Returns the error about a file that cannot be opened or created.
    pub(crate) fn unopened(file: &str, error: &io::Error) -> Self {
        Self::Text(format!("open {file}: {}", system_words(error)))
    }

    /// Rewords an error of the API but keeps its exit code. Other errors are returned as they are.
    pub(crate) fn reworded(self, words: impl FnOnce(&Status) -> String) -> Self {
        match self {
            Self::Server(status) => Self::Reworded {
                text: words(&status),
                status,
            },
            other => other,
        }
    }

    /// Joins several errors. Returns success if there are none.
    pub(crate) fn all(mut errors: Vec<Self>) -> Result<(), Self> {
        match errors.len() {
            0 => Ok(()),
            1 => errors.pop().map_or(Ok(()), Err),
            _ => Err(Self::Many(errors)),
        }
    }

    /// Returns the error about a rejected object in a manifest.
    pub(crate) fn while_doing(error: ApiError, doing: &str, source: &str) -> Self {
        Self::from(error).with_context(&format!("error when {doing} \"{source}\": "))
    }

    /// Adds context before the message.
    pub(crate) fn with_context(self, context: &str) -> Self {
        match self {
            Self::Server(mut status) => {
                status.message = format!("{context}{}", status.message);
                Self::Server(status)
            }
            Self::Text(text) => Self::Text(format!("{context}{text}")),
            Self::Reworded { text, status } => Self::Reworded {
                text: format!("{context}{text}"),
                status,
            },
            Self::Hinted(error, hint) => Self::Hinted(Box::new(error.with_context(context)), hint),
            other => other,
        }
    }

    /// Returns the API's error, if this is one.
    pub(crate) fn status(&self) -> Option<&Status> {
        match self {
            Self::Server(status) => Some(status),
            _ => None,
        }
    }

    /// Returns the warnings that accompany rejections.
    pub(crate) fn warnings(&self) -> Vec<&str> {
        match self {
            Self::Server(status) | Self::Reworded { status, .. } => {
                status.warnings.iter().map(String::as_str).collect()
            }
            Self::Coded(error, _) | Self::Hinted(error, _) => error.warnings(),
            Self::Many(errors) => errors.iter().flat_map(Self::warnings).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns true if the object does not exist.
    pub(crate) fn is_not_found(&self) -> bool {
        self.status().is_some_and(|s| s.reason == "NotFound")
    }

    /// Returns true if another write came between a read and the write that depends on it.
    pub(crate) fn is_conflict(&self) -> bool {
        self.status().is_some_and(|s| s.reason == "Conflict")
    }

    /// Returns the error and its causes in one line.
    pub(crate) fn in_one_line(&self) -> String {
        let chain = anyhow::Chain::new(self).map(ToString::to_string);
        chain.collect::<Vec<_>>().join(": ")
    }

    /// Returns the texts of joined errors at any depth.
    fn leaves(&self) -> Vec<String> {
        match self {
            Self::Many(errors) => errors.iter().flat_map(Self::leaves).collect(),
            one => vec![one.in_one_line()],
        }
    }

    /// Returns the message, and true if it needs the prefix `error:`.
    pub(crate) fn message(&self) -> (String, bool) {
        match self {
            Self::Exit(_) | Self::ReaderGone => (String::new(), false),
            // kubectl prints rejections by the API in their own form, without `error:`.
            Self::Server(status) if status.reason == "Invalid" => (invalid_text(status), false),
            Self::Server(status) => (server_text(status), false),
            Self::Bare(text) => (text.clone(), false),
            Self::Coded(error, _) | Self::Hinted(error, _) => error.message(),
            Self::Many(errors) => {
                // Like kubectl, unwraps one level if there is a single error.
                let errors = match errors.as_slice() {
                    [Self::Many(inner)] => inner,
                    [one] => return one.message(),
                    _ => errors,
                };
                let lines: Vec<String> = errors.iter().map(Self::message_among_others).collect();
                // kubectl prints several errors on separate lines, all without `error:`. A line feed at the end of the
                // last one is part of the text.
                let end = match lines.last() {
                    Some(last) if last.ends_with('\n') => "\n",
                    _ => "",
                };
                (lines.join("\n") + end, false)
            }
            // Some of kubectl's texts contain the prefix.
            Self::Text(text) if text.starts_with("error: ") => (text.clone(), false),
            other => (other.in_one_line(), true),
        }
    }

    fn message_among_others(&self) -> String {
        match self {
            // Among several errors, kubectl does not format an invalid object differently.
            Self::Server(status) => server_text(status),
            Self::Hinted(error, _) => error.message_among_others(),
            other => other.in_one_line(),
        }
    }

    /// Returns the exit code of the program. If `distinct` is true, it depends on the kind of failure.
    pub(crate) fn exit_code(&self, distinct: bool) -> ExitCode {
        let code = match self {
            Self::Exit(code) | Self::Coded(_, code) => *code,
            other if distinct => other.distinct_code(),
            _ => FAILURE,
        };
        code.into()
    }

    /// Returns true if a command waited in vain.
    pub(crate) fn is_timeout(&self) -> bool {
        self.distinct_code() == TIMED_OUT
    }

    fn distinct_code(&self) -> u8 {
        match self {
            Self::TimedOut(_) => TIMED_OUT,
            Self::Server(status) | Self::Reworded { status, .. } => match status.reason {
                "NotFound" => NOT_FOUND,
                "Conflict" | "AlreadyExists" => CONFLICT,
                "Invalid" => INVALID,
                "Timeout" | "ServerTimeout" => TIMED_OUT,
                _ => FAILURE,
            },
            Self::Many(errors) => {
                let mut codes = errors.iter().map(Self::distinct_code);
                let first = codes.next().unwrap_or(FAILURE);
                // A script can rely on a distinct code only if it applies to every object.
                if codes.all(|code| code == first) {
                    first
                } else {
                    FAILURE
                }
            }
            Self::Exit(code) | Self::Coded(_, code) => *code,
            Self::Hinted(error, _) => error.distinct_code(),
            _ => FAILURE,
        }
    }
}

impl From<ApiError> for CliError {
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::Status(status) => Self::Server(status),
            ApiError::Store(e) => Self::Store(e),
        }
    }
}

impl From<Status> for CliError {
    fn from(status: Status) -> Self {
        Self::Server(Box::new(status))
    }
}

/// Returns a rejection in the form that kubectl prints.
fn server_text(status: &Status) -> String {
    match status.reason {
        "" => format!("Error from server: {}", status.message),
        // kubectl's `StandardErrorMessage` rewords only this reason.
        "Unauthorized" => format!(
            "error: You must be logged in to the server ({})",
            status.message
        ),
        reason => format!("Error from server ({reason}): {}", status.message),
    }
}

/// Returns kubectl's message for an invalid object: its kind without the group, and each distinct cause, several of
/// them on separate lines.
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
    // kubectl joins the causes in an aggregate, which drops duplicates.
    let causes = distinct(&details.causes);
    match causes.as_slice() {
        [] => head,
        [one] => format!("{head}: {one}"),
        many => format!("{head}: \n* {}", many.join("\n* ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(name: &str) -> CliError {
        Status::not_found("pods", name).into()
    }

    #[test]
    fn only_a_single_failure_is_prefixed_with_error() {
        let one = CliError::text("no way");
        assert_eq!(one.message(), ("no way".to_owned(), true));
        let many = CliError::all(vec![missing("a"), CliError::text("no way")]).unwrap_err();
        let text = "Error from server (NotFound): pods \"a\" not found\nno way";
        assert_eq!(many.message(), (text.to_owned(), false));
        let alone = CliError::all(vec![CliError::text("no way")]).unwrap_err();
        assert!(alone.message().1);
        CliError::all(Vec::new()).unwrap();
    }

    #[test]
    fn joined_errors_among_others_are_listed_once_each() {
        let text = CliError::text;
        let inner = CliError::all(vec![text("a"), missing("x"), text("a")]).unwrap_err();
        let outer = CliError::Many(vec![text("b"), inner]);
        assert_eq!(outer.message().0, "b\n[a, pods \"x\" not found]");
        let both = CliError::Many(vec![outer, text("c")]);
        assert_eq!(both.message().0, "[b, a, pods \"x\" not found]\nc");
        let one = || CliError::Many(vec![text("a")]);
        assert_eq!(one().message(), ("a".to_owned(), true));
        assert_eq!(
            CliError::Many(vec![one()]).message(),
            ("a".to_owned(), false)
        );
    }

    #[test]
    fn context_is_prepended_to_the_message() {
        let text = missing("a")
            .with_context("error when deleting \"x\": ")
            .message()
            .0;
        assert_eq!(
            text,
            "Error from server (NotFound): error when deleting \"x\": pods \"a\" not found"
        );
    }

    #[test]
    fn hint_changes_neither_message_nor_prefix() {
        let hinted = |text: &str| CliError::text(text).hinted(Some(format!("{text}?")));
        let one = hinted("a").with_context("b: ");
        assert_eq!(one.message(), ("b: a".to_owned(), true));
        assert_eq!(one.hints(), ["a?"]);
        assert_eq!(one.to_string(), "b: a");
        let many = CliError::Many(vec![missing("x"), hinted("a"), hinted("a"), hinted("c")]);
        assert_eq!(many.hints(), ["a?", "c?"]);
        assert!(many.message().0.ends_with("\na\na\nc"), "{many:?}");
        assert!(CliError::text("a").hinted(None).hints().is_empty());
    }

    #[test]
    fn failures_have_distinct_exit_codes() {
        assert_eq!(missing("a").distinct_code(), NOT_FOUND);
        let both = CliError::Many(vec![missing("a"), missing("b")]);
        assert_eq!(both.distinct_code(), NOT_FOUND);
        let mixed = CliError::Many(vec![missing("a"), CliError::text("b")]);
        assert_eq!(mixed.distinct_code(), FAILURE);
        assert_eq!(CliError::TimedOut(String::new()).distinct_code(), TIMED_OUT);
    }
}
