//! Splits a file into documents as kubectl does.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::compose::{self, Mode};
use super::error::{Mark, YamlError};
use super::json::{self, Outcome};
use super::position::{Find, PathStep};
use crate::json::Value;

/// One document of a stream.
///
/// ```
/// use ctl_api::yaml::{Document, Mode, PathStep, YamlError, parse};
///
/// let documents: Vec<Document> = parse(b"kind: A\n---\nspec:\n  replicas: x\n", Mode::Strict)?;
/// assert_eq!(documents.len(), 2);
/// let replicas = ["spec", "replicas"].map(|key| PathStep::Key(key.into()));
/// assert_eq!(documents[1].position(&replicas), Some((4, 3)));
/// # Ok::<(), YamlError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Document {
    /// The value of the document.
    pub value: Value,
    /// The line of the stream on which the content starts, counted from 1.
    pub line: usize,
    text: Arc<[u8]>,
    range: Range<usize>,
    lines_before: usize,
}

impl Document {
    /// Returns the text of the document.
    pub(super) fn chunk(&self) -> &[u8] {
        &self.text[self.range.clone()]
    }

    /// Returns the line and column of a field, counted from 1: those of a map entry's key or a list item's start.
    ///
    /// Reads the document again, so use it only for messages. Fields that come from an alias or a merge key have no
    /// position.
    pub fn position(&self, path: &[PathStep]) -> Option<(usize, usize)> {
        if path.is_empty() {
            return Some((self.line, 1));
        }
        let mark = compose::locate(self.chunk(), Find::new(path))?;
        Some((mark.line + self.lines_before + 1, mark.column + 1))
    }
}

/// Reads all documents of a stream as kubectl does: `---` lines separate chunks, only the first document of a chunk
/// counts, empty chunks are skipped, and a stream that begins with `{` may be a sequence of JSON objects.
///
/// # Errors
/// Returns the first problem, with its position in the whole stream.
pub fn parse(text: &[u8], mode: Mode) -> Result<Vec<Document>, YamlError> {
    let mut documents = Vec::new();
    parse_into(&mut documents, decode(text)?, mode)?;
    Ok(documents)
}

/// Reads a file of manifests. Returns the documents before the first error, and the error.
///
/// kubectl reads manifests line by line and ends every line with a line feed, so a literal block in the last line ends
/// with one even if the file does not.
pub fn parse_until_error(text: &[u8], mode: Mode) -> (Vec<Document>, Option<YamlError>) {
    let mut documents = Vec::new();
    let parsed = decode(text).and_then(|mut text| {
        if !text.is_empty() && !text.ends_with(b"\n") {
            text.to_mut().push(b'\n');
        }
        parse_into(&mut documents, text, mode)
    });
    (documents, parsed.err())
}

fn parse_into(
    documents: &mut Vec<Document>,
    text: Cow<'_, [u8]>,
    mode: Mode,
) -> Result<(), YamlError> {
    if text.trim_ascii_start().starts_with(b"{")
        && let Ok(valid) = std::str::from_utf8(&text)
    {
        match json::parse(valid, mode) {
            Outcome::Values(values) => {
                documents.extend(json_documents(&text, values));
                return Ok(());
            }
            Outcome::Refused(error) => return Err(error),
            Outcome::NotJson => {}
        }
    }
    let shared: Arc<[u8]> = Arc::from(text.into_owned());
    let (chunks, wrong) = chunks(&shared);
    for chunk in chunks {
        let bytes = &shared[chunk.range.clone()];
        let value = match compose::compose(bytes, mode) {
            Ok(Some(Value::Null) | None) => continue,
            Ok(Some(value)) => value,
            Err(mut error) => {
                error.line += chunk.lines_before;
                return Err(error);
            }
        };
        documents.push(Document {
            value,
            line: chunk.lines_before + 1 + lines_to_content(bytes),
            text: Arc::clone(&shared),
            range: chunk.range,
            lines_before: chunk.lines_before,
        });
    }
    wrong.map_or(Ok(()), Err)
}

/// Reads a text that contains at most one document.
///
/// # Errors
/// Returns an error as [`parse`] does, and also if there is more than one document.
pub fn parse_one(text: &[u8], mode: Mode) -> Result<Option<Value>, YamlError> {
    let mut documents = parse(text, mode)?;
    if let Some(second) = documents.get(1) {
        let mark = Mark {
            line: second.line - 1,
            column: 0,
        };
        let count = documents.len();
        return Err(YamlError::bare(
            mark,
            format!("expected one document, found {count}"),
        ));
    }
    Ok(documents.pop().map(|document| document.value))
}

/// Reads the first document of a text as YAML even if it is JSON, so that errors name lines.
///
/// # Errors
/// Returns the first problem.
pub fn parse_as_yaml(text: &[u8], mode: Mode) -> Result<Option<Value>, YamlError> {
    compose::compose(&decode(text)?, mode)
}

fn json_documents(text: &[u8], values: Vec<(Value, Range<usize>)>) -> Vec<Document> {
    let shared: Arc<[u8]> = Arc::from(text);
    let (mut lines_before, mut at) = (0, 0);
    let mut documents = Vec::new();
    for (value, range) in values {
        lines_before += count_lines(&text[at..range.start]);
        at = range.start;
        if value.is_null() {
            continue;
        }
        documents.push(Document {
            value,
            line: lines_before + 1 + lines_to_content(&text[range.clone()]),
            text: Arc::clone(&shared),
            range,
            lines_before,
        });
    }
    documents
}

fn count_lines(text: &[u8]) -> usize {
    text.iter().filter(|b| **b == b'\n').count()
}

/// Counts the lines before the content of a chunk: white space, comments or the `---`.
fn lines_to_content(chunk: &[u8]) -> usize {
    let is_content = |line: &&[u8]| {
        let line = line.trim_ascii();
        !(line.is_empty() || line.starts_with(b"#") || line.starts_with(b"%") || line == b"---")
    };
    let mut lines = chunk.split(|b| *b == b'\n');
    lines.position(|line| is_content(&line)).unwrap_or(0)
}

/// The part of the stream between two separators.
pub(super) struct Chunk {
    pub(super) range: Range<usize>,
    lines_before: usize,
}

/// Splits a text at its separators, up to one that is invalid; the error is about that one.
pub(super) fn chunks(text: &[u8]) -> (Vec<Chunk>, Option<YamlError>) {
    let mut chunks = Vec::new();
    let (mut start, mut start_line, mut at, mut line) = (0, 0, 0, 0);
    while at < text.len() {
        let end = text[at..]
            .iter()
            .position(|b| *b == b'\n')
            .map_or(text.len(), |i| at + i + 1);
        if let Some(rest) = text[at..end].strip_prefix(b"---") {
            let wrong = check_separator(rest, line).err();
            // A separator at the start of a chunk belongs to that chunk.
            if at > start {
                chunks.push(Chunk {
                    range: start..at,
                    lines_before: start_line,
                });
                (start, start_line) = (end, line + 1);
            }
            if wrong.is_some() {
                return (chunks, wrong);
            }
        }
        at = end;
        line += 1;
    }
    if start < text.len() {
        chunks.push(Chunk {
            range: start..text.len(),
            lines_before: start_line,
        });
    }
    (chunks, None)
}

fn check_separator(rest: &[u8], line: usize) -> Result<(), YamlError> {
    let rest = rest.trim_ascii();
    if rest.is_empty() || rest.starts_with(b"#") {
        return Ok(());
    }
    let shown = String::from_utf8_lossy(&rest[..rest.len().min(200)]);
    let message = format!("invalid Yaml document separator: {shown}");
    Err(YamlError::bare(Mark { line, column: 0 }, message))
}

/// Removes a byte order mark. As in kubectl, converts UTF-16 with such a mark to UTF-8.
pub(super) fn decode(text: &[u8]) -> Result<Cow<'_, [u8]>, YamlError> {
    let (big_endian, units) = match text {
        [0xEF, 0xBB, 0xBF, rest @ ..] => return Ok(Cow::Borrowed(rest)),
        [0xFE, 0xFF, rest @ ..] => (true, rest),
        [0xFF, 0xFE, rest @ ..] => (false, rest),
        _ => return Ok(Cow::Borrowed(text)),
    };
    let pairs = units.chunks_exact(2);
    let whole = pairs.remainder().is_empty();
    let units = pairs.map(|pair| match big_endian {
        true => u16::from_be_bytes([pair[0], pair[1]]),
        false => u16::from_le_bytes([pair[0], pair[1]]),
    });
    match char::decode_utf16(units).collect::<Result<String, _>>() {
        Ok(text) if whole => Ok(Cow::Owned(text.into_bytes())),
        _ => Err(YamlError::plain(
            Mark::default(),
            "incomplete UTF-16 character",
        )),
    }
}
