//! Turns text into tokens like go-yaml's YAML 1.1 scanner, which derives from libyaml.
//!
//! Only the colon in `a: 1` shows that `a` is a key, so `Key` and `BlockMappingStart` may have to be inserted before
//! an earlier token. This is why there is a queue of tokens and a list of possible simple keys. The depth limit bounds
//! both.

mod block;
mod cursor;
mod fetch;
mod quoted;
mod scalar;
mod tag;
mod text;

use std::borrow::Cow;
use std::collections::VecDeque;

use super::error::{Mark, YamlError};
use super::reader::{Readable, broken_error};

/// The notation of a scalar, as far as it affects the scalar's meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Quoted,
}

/// The kind of a token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind<'a> {
    StreamEnd,
    Version(u32, u32),
    TagDirective(Box<(String, String)>),
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(&'a str),
    Anchor(&'a str),
    /// The handle and the suffix.
    Tag(Box<(String, String)>),
    Scalar(Cow<'a, str>, Style),
}

/// A token with its position.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    pub(super) mark: Mark,
}

/// A comment, its position, and whether it is on a line of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommentToken<'a> {
    pub(super) mark: Mark,
    pub(super) alone: bool,
    /// The text, from its `#` on.
    pub(super) text: &'a str,
}

/// A token that becomes a mapping key if a colon follows it.
#[derive(Debug, Clone, Copy, Default)]
struct SimpleKey {
    possible: bool,
    required: bool,
    token: usize,
    position: usize,
    mark: Mark,
}

/// Splits one chunk of text into tokens.
pub(super) struct Scanner<'a> {
    text: &'a str,
    broken: Option<&'static str>,
    pos: usize,
    line: usize,
    /// A byte position on the current line and its column; counting of columns starts here.
    counted: (usize, usize),
    tokens: VecDeque<Token<'a>>,
    taken: usize,
    ended: bool,
    flow: usize,
    indent: isize,
    indents: Vec<isize>,
    simple_keys: Vec<SimpleKey>,
    key_allowed: bool,
    max_depth: usize,
    /// The comments found so far, if they were requested.
    comments: Option<Vec<CommentToken<'a>>>,
}

impl<'a> Scanner<'a> {
    /// Starts at the beginning of a chunk. Nesting deeper than `max_depth` is an error.
    pub(super) fn new(input: Readable<'a>, max_depth: usize) -> Self {
        Self {
            text: input.text,
            broken: input.broken,
            pos: 0,
            line: 0,
            counted: (0, 0),
            tokens: VecDeque::new(),
            taken: 0,
            ended: false,
            flow: 0,
            indent: -1,
            indents: Vec::new(),
            simple_keys: vec![SimpleKey::default()],
            key_allowed: true,
            max_depth,
            comments: None,
        }
    }

    /// Records comments from here on.
    pub(super) fn note_comments(&mut self) {
        self.comments = Some(Vec::new());
    }

    /// Returns the recorded comments.
    pub(super) fn into_comments(self) -> Vec<CommentToken<'a>> {
        self.comments.unwrap_or_default()
    }

    /// Returns the next token without removing it from the queue.
    pub(super) fn peek(&mut self) -> Result<&Token<'a>, YamlError> {
        self.fill()?;
        if self.tokens.is_empty() {
            let mark = Mark {
                line: self.line,
                column: 0,
            };
            self.tokens.push_back(Token {
                kind: Kind::StreamEnd,
                mark,
            });
        }
        Ok(&self.tokens[0])
    }

    /// Removes the next token from the queue.
    pub(super) fn next(&mut self) -> Result<Token<'a>, YamlError> {
        let mark = self.peek()?.mark;
        self.taken += 1;
        Ok(self.tokens.pop_front().unwrap_or(Token {
            kind: Kind::StreamEnd,
            mark,
        }))
    }

    /// Scans until the first token in the queue can no longer become a key.
    fn fill(&mut self) -> Result<(), YamlError> {
        while self.tokens.is_empty() || self.head_may_be_key()? {
            if self.ended {
                break;
            }
            if let Err(error) = self.fetch() {
                return Err(self.end_error().unwrap_or(error));
            }
            if self.ended
                && let Some(error) = self.end_error()
            {
                return Err(error);
            }
        }
        Ok(())
    }

    /// Returns the reader's error if the scanner has reached the end of the readable text.
    fn end_error(&mut self) -> Option<YamlError> {
        let problem = self.broken?;
        (self.pos >= self.text.len()).then(|| broken_error(self.mark(), problem))
    }

    fn head_may_be_key(&mut self) -> Result<bool, YamlError> {
        let head = self.taken;
        match self
            .simple_keys
            .iter()
            .position(|key| key.possible && key.token == head)
        {
            Some(index) => self.key_is_valid(index),
            None => Ok(false),
        }
    }

    /// Returns true if a possible key is still valid: it is on this line and at most 1,024 characters back.
    fn key_is_valid(&mut self, index: usize) -> Result<bool, YamlError> {
        let key = self.simple_keys[index];
        if !key.possible {
            return Ok(false);
        }
        let far = self.pos > key.position + 1024
            && self.text[key.position..self.pos]
                .chars()
                .nth(1024)
                .is_some();
        if key.mark.line >= self.line && !far {
            return Ok(true);
        }
        if key.required {
            return Err(self.error_from(key.mark, "could not find expected ':'"));
        }
        self.simple_keys[index].possible = false;
        Ok(false)
    }

    fn save_simple_key(&mut self) -> Result<(), YamlError> {
        let mark = self.mark();
        let required = self.flow == 0 && self.indent == column(mark);
        if self.key_allowed {
            self.remove_simple_key()?;
            let token = self.taken + self.tokens.len();
            let position = self.pos;
            if let Some(last) = self.simple_keys.last_mut() {
                *last = SimpleKey {
                    possible: true,
                    required,
                    token,
                    position,
                    mark,
                };
            }
        }
        Ok(())
    }

    fn remove_simple_key(&mut self) -> Result<(), YamlError> {
        let Some(last) = self.simple_keys.last_mut() else {
            return Ok(());
        };
        if last.possible && last.required {
            let mark = last.mark;
            return Err(self.error_from(mark, "could not find expected ':'"));
        }
        last.possible = false;
        Ok(())
    }

    fn roll_indent(
        &mut self,
        mark: Mark,
        at: Option<usize>,
        kind: Kind<'a>,
    ) -> Result<(), YamlError> {
        if self.flow > 0 || self.indent >= column(mark) {
            return Ok(());
        }
        self.indents.push(self.indent);
        self.indent = column(mark);
        if self.indents.len() > self.max_depth {
            return Err(self.too_deep(mark));
        }
        let token = Token { kind, mark };
        match at {
            Some(number) => self.tokens.insert(number - self.taken, token),
            None => self.tokens.push_back(token),
        }
        Ok(())
    }

    fn unroll_indent(&mut self, to: isize) {
        if self.flow > 0 {
            return;
        }
        let mark = self.mark();
        while self.indent > to {
            self.tokens.push_back(Token {
                kind: Kind::BlockEnd,
                mark,
            });
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    fn too_deep(&mut self, context: Mark) -> YamlError {
        let problem = format!("exceeded max depth of {}", self.max_depth);
        self.error_from(context, &problem)
    }

    fn error_from(&mut self, context: Mark, problem: &str) -> YamlError {
        let mark = self.mark();
        YamlError::scanner(Some(context), mark, problem)
    }
}

/// Returns a column as an indentation. Outside all collections, the indentation is -1.
fn column(mark: Mark) -> isize {
    isize::try_from(mark.column).unwrap_or(isize::MAX)
}
