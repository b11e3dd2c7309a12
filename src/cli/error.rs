//! The errors of commands, their messages, and the exit codes for scripts.

use std::io;
use std::process::ExitCode;

use thiserror::Error;

use crate::api::status::{Status, distinct};
use crate::cluster::{ApiError, StoreError};

/// The exit code of a command that failed.
pub(crate) const FAILURE: u8 = 1;

/// `get --exit-code` and `wait`: no object was found.
pub(crate) const NOTHING_FOUND: u8 = 3;

/// With `--exit-codes`: an object does not exist.
pub(crate) const NOT_FOUND: u8 = 4;

/// With `--exit-codes`: another writer changed, created or owns the object.
pub(crate) const CONFLICT: u8 = 5;

/// With `--exit-codes`: the object is not valid.
pub(crate) const INVALID: u8 = 6;

/// With `--exit-codes`: a timeout expired.
pub(crate) const TIMED_OUT: u8 = 7;

/// The reason why a command failed.
#[derive(Debug, Error)]
pub(crate) enum CliError {
    /// The cluster could not be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The API's error.
    #[error("{}", .0.message)]
    Server(Box<Status>),
    /// The API's error in the words of a command.
    #[error("{text}")]
    Reworded {
        /// The words.
        text: String,
        /// The API's error, which decides on the exit code.
        status: Box<Status>,
    },
    /// Input or output failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The reader of the output has closed it.
    #[error("the output is closed")]
    ReaderGone,
    /// Anything else.
    #[error("{0}")]
    Text(String),
    /// Anything else, without `error:` in front.
    #[error("{0}")]
    Bare(String),
    /// A timeout expired.
    #[error("{0}")]
    TimedOut(String),
    /// Several things went wrong.
    #[error("{}", listed(.0))]
    Many(Vec<CliError>),
    /// An error with its own exit code.
    #[error("{0}")]
    Coded(Box<CliError>, u8),
    /// An error with a hint for a person.
    #[error("{0}")]
    Hinted(Box<CliError>, String),
    /// Ends with an exit code; the message is printed already.
    #[error("exit code {0}")]
    Exit(u8),
}

/// Returns the text of a system error.
pub(crate) fn system_words(error: &io::Error) -> String {
    match error.kind() {
        // Go's texts: Rust appends "(os error 2)", which kubectl's messages do not have.
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
        // The form of Go's `Aggregate`, which kubectl prints inside a longer message.
        many => format!("[{}]", many.join(", ")),
    }
}

impl CliError {
    /// Returns an error with this text.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Returns an error in the command line, followed by a pointer to the help.
    pub(crate) fn usage(command: &str, text: impl std::fmt::Display) -> Self {
        Self::Text(format!("{text}\nSee '{command} -h' for help and examples"))
    }

    /// Adds a hint for a person, if there is one.
    pub(crate) fn hinted(self, hint: Option<String>) -> Self {
        match hint {
            Some(hint) => Self::Hinted(Box::new(self), hint),
            None => self,
        }
    }

    /// Returns the hints, which only a person sees.
    pub(crate) fn hints(&self) -> Vec<&str> {
        match self {
            Self::Hinted(_, hint) => vec![hint],
            Self::Coded(error, _) => error.hints(),
            Self::Many(errors) => {
                let mut hints: Vec<&str> = errors.iter().flat_map(Self::hints).collect();
                // Several objects of one unknown kind fail with the same hint.
                hints.dedup();
                hints
            }
            _ => Vec::new(),
        }
    }

    /// Returns the error for an unreadable file, in the system's words.
    pub(crate) fn unread(file: &str, error: &io::Error) -> Self {
        Self::Text(format!("open {file}: {}", system_words(error)))
    }

    /// Rewords an error of the API and keeps its exit code; other errors stay as they are.
    pub(crate) fn reworded(self, words: impl FnOnce(&Status) -> String) -> Self {
        match self {
            Self::Server(status) => Self::Reworded {
                text: words(&status),
                status,
            },
            other => other,
        }
    }

    /// Joins several errors. Succeeds if there are none.
    pub(crate) fn all(mut errors: Vec<Self>) -> Result<(), Self> {
        match errors.len() {
            0 => Ok(()),
            1 => errors.pop().map_or(Ok(()), Err),
            _ => Err(Self::Many(errors)),
        }
    }

    /// Returns the error of a rejected object of a manifest.
    pub(crate) fn while_doing(error: ApiError, doing: &str, source: &str) -> Self {
        Self::from(error).within(&format!("error when {doing} \"{source}\": "))
    }

    /// Adds context in front of the message.
    pub(crate) fn within(self, context: &str) -> Self {
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
            Self::Hinted(error, hint) => Self::Hinted(Box::new(error.within(context)), hint),
            other => other,
        }
    }

    /// Returns the API's error, if it is one.
    pub(crate) fn status(&self) -> Option<&Status> {
        match self {
            Self::Server(status) => Some(status),
            _ => None,
        }
    }

    /// Returns the warnings that came with refusals.
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

    /// Returns true if an object does not exist.
    pub(crate) fn is_not_found(&self) -> bool {
        self.status().is_some_and(|s| s.reason == "NotFound")
    }

    /// Returns true if another write came between a read and the write that was made of it.
    pub(crate) fn is_conflict(&self) -> bool {
        self.status().is_some_and(|s| s.reason == "Conflict")
    }

    /// Returns the error with its causes, in one line.
    pub(crate) fn in_one_line(&self) -> String {
        let chain = anyhow::Chain::new(self).map(ToString::to_string);
        chain.collect::<Vec<_>>().join(": ")
    }

    /// Returns the texts of the joined errors, however deep they are.
    fn leaves(&self) -> Vec<String> {
        match self {
            Self::Many(errors) => errors.iter().flat_map(Self::leaves).collect(),
            one => vec![one.in_one_line()],
        }
    }

    /// Returns the message and true if `error:` belongs in front of it.
    pub(crate) fn told(&self) -> (String, bool) {
        match self {
            Self::Exit(_) | Self::ReaderGone => (String::new(), false),
            // kubectl prints the API's refusals in forms of their own, without `error:`.
            Self::Server(status) if status.reason == "Invalid" => (invalid_text(status), false),
            Self::Server(status) => (server_text(status), false),
            Self::Bare(text) => (text.clone(), false),
            Self::Coded(error, _) | Self::Hinted(error, _) => error.told(),
            Self::Many(errors) => {
                // As kubectl does, one level of a single error is taken apart.
                let errors = match errors.as_slice() {
                    [Self::Many(inner)] => inner,
                    [one] => return one.told(),
                    _ => errors,
                };
                let lines: Vec<String> = errors.iter().map(Self::told_among_others).collect();
                // kubectl prints several errors on lines of their own, none of them with `error:`. A line feed at the end
                // of the last one is not an end of the message.
                let end = match lines.last() {
                    Some(last) if last.ends_with('\n') => "\n",
                    _ => "",
                };
                (lines.join("\n") + end, false)
            }
            // Some texts of kubectl bring their own prefix.
            Self::Text(text) if text.starts_with("error: ") => (text.clone(), false),
            other => (other.in_one_line(), true),
        }
    }

    fn told_among_others(&self) -> String {
        match self {
            // Among others, an invalid object has no form of its own in kubectl.
            Self::Server(status) => server_text(status),
            Self::Hinted(error, _) => error.told_among_others(),
            other => other.in_one_line(),
        }
    }

    /// Returns the program's exit code; `distinct` tells failures apart.
    pub(crate) fn exit_code(&self, distinct: bool) -> ExitCode {
        let code = match self {
            Self::Exit(code) | Self::Coded(_, code) => *code,
            other if distinct => other.distinct_code(),
            _ => FAILURE,
        };
        code.into()
    }

    /// Returns true if a command waited for something that did not happen.
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
                // A script can act on a distinct code only if it holds for every object.
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

/// Returns a rejection as kubectl prints it.
fn server_text(status: &Status) -> String {
    match status.reason {
        "" => format!("Error from server: {}", status.message),
        // kubectl's `StandardErrorMessage` rewords this reason only.
        "Unauthorized" => format!(
            "error: You must be logged in to the server ({})",
            status.message
        ),
        reason => format!("Error from server ({reason}): {}", status.message),
    }
}

/// Returns the message for an invalid object: as in kubectl, its kind without the group, and each cause
/// once, several of them on lines of their own.
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
    // kubectl joins the causes through an aggregate, which drops repeated messages.
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
        assert_eq!(one.told(), ("no way".to_owned(), true));
        let many = CliError::all(vec![missing("a"), CliError::text("no way")]).unwrap_err();
        let text = "Error from server (NotFound): pods \"a\" not found\nno way";
        assert_eq!(many.told(), (text.to_owned(), false));
        let alone = CliError::all(vec![CliError::text("no way")]).unwrap_err();
        assert!(alone.told().1);
        CliError::all(Vec::new()).unwrap();
    }

    #[test]
    fn joined_errors_among_others_are_listed_once_each() {
        let text = CliError::text;
        let inner = CliError::all(vec![text("a"), missing("x"), text("a")]).unwrap_err();
        let outer = CliError::Many(vec![text("b"), inner]);
        assert_eq!(outer.told().0, "b\n[a, pods \"x\" not found]");
        let both = CliError::Many(vec![outer, text("c")]);
        assert_eq!(both.told().0, "[b, a, pods \"x\" not found]\nc");
        let one = || CliError::Many(vec![text("a")]);
        assert_eq!(one().told(), ("a".to_owned(), true));
        assert_eq!(CliError::Many(vec![one()]).told(), ("a".to_owned(), false));
    }

    #[test]
    fn context_is_prepended_to_the_message() {
        let text = missing("a").within("error when deleting \"x\": ").told().0;
        assert_eq!(
            text,
            "Error from server (NotFound): error when deleting \"x\": pods \"a\" not found"
        );
    }

    #[test]
    fn hint_changes_neither_message_nor_prefix() {
        let hinted = |text: &str| CliError::text(text).hinted(Some(format!("{text}?")));
        let one = hinted("a").within("b: ");
        assert_eq!(one.told(), ("b: a".to_owned(), true));
        assert_eq!(one.hints(), ["a?"]);
        assert_eq!(one.to_string(), "b: a");
        let many = CliError::Many(vec![missing("x"), hinted("a"), hinted("a"), hinted("c")]);
        assert_eq!(many.hints(), ["a?", "c?"]);
        assert!(many.told().0.ends_with("\na\na\nc"), "{many:?}");
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
