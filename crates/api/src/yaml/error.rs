//! The error of this module: a position and a message in kubectl's words.

use thiserror::Error;

/// The position and message of a YAML error, in kubectl's words if it has a message for the problem.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct YamlError {
    /// The line of the problem in the whole input, counted from 1.
    pub line: usize,
    /// The column of the problem in characters, counted from 1.
    pub column: usize,
    /// The message to print. A line number in it is kubectl's own count, which starts at the chunk and can be one too
    /// low.
    pub message: String,
}

/// A position in a chunk, counted from 0, with the column in characters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// The prefix that kubectl adds to every error of its YAML library.
const PREFIX: &str = "error converting YAML to JSON: ";

impl YamlError {
    /// Returns an error without the YAML prefix.
    pub(super) fn bare(mark: Mark, message: impl Into<String>) -> Self {
        Self {
            line: mark.line + 1,
            column: mark.column + 1,
            message: message.into(),
        }
    }

    /// Returns an error of the YAML library whose message has no line number.
    pub(super) fn plain(mark: Mark, problem: impl AsRef<str>) -> Self {
        Self::bare(mark, format!("{PREFIX}yaml: {}", problem.as_ref()))
    }

    /// Returns an error of the conversion from YAML to JSON.
    pub(super) fn convert(mark: Mark, problem: impl AsRef<str>) -> Self {
        Self::bare(mark, format!("{PREFIX}{}", problem.as_ref()))
    }

    /// Returns a scanner error. As in go-yaml, its message counts lines from 1, but omits the first line.
    pub(super) fn scanner(context: Option<Mark>, mark: Mark, problem: &str) -> Self {
        let line = if mark.line != 0 {
            mark.line + 1
        } else {
            context.map_or(0, |c| c.line)
        };
        Self::located(line, mark, problem)
    }

    /// Returns a syntax error. As in go-yaml, its message counts lines from 0.
    pub(super) fn grammar(context: Option<Mark>, mark: Mark, problem: &str) -> Self {
        let line = if mark.line != 0 {
            // go-yaml's parser counts lines from 0, its scanner from 1.
            mark.line
        } else {
            context.map_or(0, |c| c.line)
        };
        Self::located(line, mark, problem)
    }

    fn located(line: usize, mark: Mark, problem: &str) -> Self {
        if line == 0 {
            Self::plain(mark, problem)
        } else {
            Self::plain(mark, format!("line {line}: {problem}"))
        }
    }
}
