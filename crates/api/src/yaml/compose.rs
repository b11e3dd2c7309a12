//! Builds a `crate::json::Value` from tokens: nesting, anchors, merge keys and limits.
//!
//! Reports errors in go-yaml's order: syntax errors at once, then decoding errors, then duplicate keys, then values
//! that JSON cannot represent.

mod collections;
mod keys;
mod node;

use std::collections::HashMap;

use crate::json::{MapBuilder, Value, name};

use super::error::{Mark, YamlError};
use super::position::{Find, List, Node, Track};
use super::reader::readable;
use super::scanner::{CommentToken, Kind, Scanner};

/// The maximum depth of lists and maps. go-yaml allows 10,000, far more than any Kubernetes object needs.
pub const MAX_DEPTH: usize = 64;
/// The maximum number of nodes to which the aliases of one document may expand.
pub const MAX_ALIAS_NODES: usize = 100_000;
/// The maximum number of bytes to which the aliases of one document may expand.
pub const MAX_ALIAS_BYTES: usize = 16 << 20;
/// The maximum number of duplicate keys in one error.
const MAX_DUPLICATES: usize = 20;

/// How a reader treats duplicate keys and ambiguous words.
///
/// ```
/// use ctl_api::yaml::{Mode, parse};
///
/// let text = b"replicas: 1\nreplicas: 3\n";
/// assert!(parse(text, Mode::Strict).is_err(), "kubectl rejects a duplicate key");
/// assert_eq!(parse(text, Mode::Lenient)?[0].value["replicas"], 3);
/// # Ok::<(), ctl_api::yaml::YamlError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The last duplicate wins, as in `kubectl get -f`.
    Lenient,
    /// Duplicates are an error, as in `kubectl apply` and `kubectl create`.
    Strict,
    /// The last duplicate wins, and words are read as kustomize reads resources: `yes` and `off` are strings, and a
    /// date is a timestamp.
    Kustomize,
}

/// The cost of copying a value, in nodes and bytes of text.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    nodes: usize,
    bytes: usize,
}

/// The target of an anchor.
enum Anchored {
    /// The node of the anchor is still being read.
    Open,
    Done(Value, Size),
}

/// Builds the tree of the first document in a chunk.
pub(super) struct Composer<'a, 't> {
    scanner: Scanner<'a>,
    mode: Mode,
    depth: usize,
    size: Size,
    aliased: Size,
    anchors: HashMap<&'a str, Anchored>,
    tags: HashMap<String, String>,
    failure: Option<YamlError>,
    duplicates: Vec<String>,
    duplicate_mark: Mark,
    unconvertible: Option<YamlError>,
    pub(super) track: Option<Track<'t>>,
}

/// Reads the first document of a chunk; returns `None` if there is no document.
pub(super) fn compose(chunk: &[u8], mode: Mode) -> Result<Option<Value>, YamlError> {
    Composer::new(chunk, mode, None).document()
}

/// Reads the chunk again and returns the position of a path.
pub(super) fn locate(chunk: &[u8], find: Find<'_>) -> Option<Mark> {
    let mut composer = Composer::new(chunk, Mode::Lenient, Some(Track::Find(find)));
    composer.document().ok()?;
    match composer.track {
        Some(Track::Find(find)) => find.found,
        _ => None,
    }
}

/// A document with the positions of its keys, items and comments.
pub(super) struct Outlined<'a> {
    /// `None` if the document is missing or empty.
    pub(super) value: Option<Value>,
    pub(super) nodes: Vec<Node>,
    pub(super) comments: Vec<CommentToken<'a>>,
}

/// Reads a chunk and records the position of each part.
pub(super) fn outline(chunk: &[u8]) -> Result<Outlined<'_>, YamlError> {
    let track = Track::List(List::default());
    let mut composer = Composer::new(chunk, Mode::Lenient, Some(track));
    composer.scanner.note_comments();
    let value = composer.document()?.filter(|value| !value.is_null());
    // Comments may follow the end of the document, and the scanner collects only those in the text it has scanned.
    while let Ok(token) = composer.scanner.next()
        && token.kind != Kind::StreamEnd
    {}
    let nodes = match composer.track {
        Some(Track::List(list)) => list.nodes,
        _ => Vec::new(),
    };
    Ok(Outlined {
        value,
        nodes,
        comments: composer.scanner.into_comments(),
    })
}

impl<'a, 't> Composer<'a, 't> {
    fn new(chunk: &'a [u8], mode: Mode, track: Option<Track<'t>>) -> Self {
        Self {
            // One limit for flow nesting and indentation: a deeply nested flow collection must fail before it becomes
            // a deep tree.
            scanner: Scanner::new(readable(chunk), MAX_DEPTH),
            mode,
            depth: 0,
            size: Size::default(),
            aliased: Size::default(),
            anchors: HashMap::new(),
            tags: HashMap::new(),
            failure: None,
            duplicates: Vec::new(),
            duplicate_mark: Mark::default(),
            unconvertible: None,
            track,
        }
    }

    fn document(&mut self) -> Result<Option<Value>, YamlError> {
        // `---` and directives start a document, even an empty one.
        let explicit = match self.scanner.peek()?.kind {
            Kind::StreamEnd => return Ok(None),
            Kind::Version(..) | Kind::TagDirective(_) | Kind::DocumentStart => {
                self.directives()?;
                true
            }
            _ => false,
        };
        let empty = explicit
            && matches!(
                self.scanner.peek()?.kind,
                Kind::Version(..)
                    | Kind::TagDirective(_)
                    | Kind::DocumentStart
                    | Kind::DocumentEnd
                    | Kind::StreamEnd
            );
        let value = if empty {
            Value::Null
        } else {
            self.node(true, false)?.value
        };
        // go-yaml reads one token beyond the document and ignores it.
        self.scanner.peek()?;
        self.verdict()?;
        Ok(Some(value))
    }

    /// Returns the first recorded error in go-yaml's order.
    fn verdict(&mut self) -> Result<(), YamlError> {
        // Decoding errors come before duplicates: go-yaml stops at the first decoding error, but collects duplicates.
        if let Some(error) = self.failure.take() {
            return Err(error);
        }
        if !self.duplicates.is_empty() {
            let list = self.duplicates.join("\n  ");
            let text = format!("unmarshal errors:\n  {list}");
            return Err(YamlError::plain(self.duplicate_mark, text));
        }
        match self.unconvertible.take() {
            Some(error) => Err(error),
            // Reported last, because the tree is complete and only its conversion to JSON failed.
            None => Ok(()),
        }
    }

    /// Reads `%YAML`, `%TAG` and the `---` after them.
    fn directives(&mut self) -> Result<(), YamlError> {
        let mut versions = 0;
        loop {
            let token = self.scanner.next()?;
            match token.kind {
                Kind::Version(major, minor) => {
                    versions += 1;
                    if versions > 1 {
                        let problem = "found duplicate %YAML directive";
                        return Err(YamlError::grammar(None, token.mark, problem));
                    }
                    // go-yaml accepts only YAML 1.1.
                    if (major, minor) != (1, 1) {
                        let problem = "found incompatible YAML document";
                        return Err(YamlError::grammar(None, token.mark, problem));
                    }
                }
                Kind::TagDirective(pair) => {
                    if self.tags.contains_key(&pair.0) {
                        let problem = "found duplicate %TAG directive";
                        return Err(YamlError::grammar(None, token.mark, problem));
                    }
                    self.tags.insert(pair.0, pair.1);
                }
                Kind::DocumentStart => return Ok(()),
                _ => {
                    let problem = "did not find expected <document start>";
                    return Err(YamlError::grammar(None, token.mark, problem));
                }
            }
        }
    }

    /// Records a decoding error.
    fn fail(&mut self, mark: Mark, problem: impl AsRef<str>) {
        // Only the first error counts, as in go-yaml; later ones may follow from it.
        self.failure
            .get_or_insert_with(|| YamlError::plain(mark, problem));
    }

    /// Records a value that JSON cannot represent.
    fn refuse(&mut self, mark: Mark, problem: impl AsRef<str>) {
        self.unconvertible
            .get_or_insert_with(|| YamlError::convert(mark, problem));
    }

    fn note_duplicate(&mut self, mark: Mark, key: &str) {
        if self.duplicates.is_empty() {
            self.duplicate_mark = mark;
        }
        // Bounded, because a malicious file could contain a million duplicates.
        if self.duplicates.len() < MAX_DUPLICATES {
            self.duplicates.push(format!(
                "line {}: key {key} already set in map",
                mark.line + 1
            ));
        }
    }

    /// Adds an entry to a map. `set` collects the keys that are not strings.
    fn insert(&mut self, map: &mut MapBuilder, entry: keys::Entry, set: &mut keys::Typed) {
        let keys::Entry { key, value, mark } = entry;
        // Keys that are not strings may have the same text and still differ.
        if self.mode == Mode::Strict && !set.only_strings(&key) {
            if set.is_duplicate(map, &key) {
                self.note_duplicate(mark, &key.quoted());
            }
            map.put(name(&key.text), value);
            return;
        }
        let known = map.put(name(&key.text), value);
        if known && self.mode == Mode::Strict {
            self.note_duplicate(mark, &key.quoted());
        }
    }
}
