//! The error of this module: the position of the problem, in kubectl's words.

use thiserror::Error;

/// The position and reason of a YAML error, with kubectl's wording if it has one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct YamlError {
    /// The line of the problem in the whole input, from 1.
    pub line: usize,
    /// The column of the problem in characters, from 1.
    pub column: usize,
    /// The text to print. A line number inside it is kubectl's own count, which starts at the chunk and can be one
    /// less.
    pub message: String,
}

/// A position in a chunk, both numbers from 0, columns in characters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// The prefix that kubectl puts before every error of its YAML library.
const PREFIX: &str = "error converting YAML to JSON: ";

impl YamlError {
    /// Makes an error without the YAML prefix.
    pub(super) fn bare(mark: Mark, message: impl Into<String>) -> Self {
        Self {
            line: mark.line + 1,
            column: mark.column + 1,
            message: message.into(),
        }
    }

    /// Makes an error of the YAML library without a line number in its text.
    pub(super) fn plain(mark: Mark, problem: impl AsRef<str>) -> Self {
        Self::bare(mark, format!("{PREFIX}yaml: {}", problem.as_ref()))
    }

    /// Makes an error of the step from the YAML tree to JSON.
    pub(super) fn convert(mark: Mark, problem: impl AsRef<str>) -> Self {
        Self::bare(mark, format!("{PREFIX}{}", problem.as_ref()))
    }

    /// Makes a scanner error: the text counts lines from 1 but leaves the first line out, as go-yaml does.
    pub(super) fn scanner(context: Option<Mark>, mark: Mark, problem: &str) -> Self {
        let line = if mark.line != 0 {
            mark.line + 1
        } else {
            context.map_or(0, |c| c.line)
        };
        Self::located(line, mark, problem)
    }

    /// Makes a grammar error: the text counts lines from 0, as go-yaml does.
    pub(super) fn grammar(context: Option<Mark>, mark: Mark, problem: &str) -> Self {
        let line = if mark.line != 0 {
            // go-yaml counts lines from 0 here and from 1 in the scanner.
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
