//! From tokens to a `crate::json::Value`: nesting, anchors, merge keys and the limits.
//!
//! Errors come in go-yaml's order: grammar errors at once, then what go-yaml finds while decoding, then duplicate keys,
//! then what JSON can not hold.

mod collections;
mod keys;
mod node;

use std::collections::HashMap;

use crate::json::{MapBuilder, Value, name};

use super::error::{Mark, YamlError};
use super::position::{Find, List, Node, Track};
use super::reader::readable;
use super::scanner::{Kind, Noted, Scanner};

/// How deep lists and maps may nest; go-yaml allows 10,000, which no Kubernetes object comes near.
pub const MAX_DEPTH: usize = 64;
/// How many nodes the aliases of one document may stand for together.
pub const MAX_ALIAS_NODES: usize = 100_000;
/// How many bytes of text the aliases of one document may stand for together.
pub const MAX_ALIAS_BYTES: usize = 16 << 20;
/// How many duplicate keys one error lists.
const MAX_DUPLICATES: usize = 20;

/// How exact a reader is about keys that appear twice, and about words.
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
    /// The last one wins, as in `kubectl get -f`.
    Lenient,
    /// An error, as in `kubectl apply` and `kubectl create`.
    Strict,
    /// The last one wins, and words are read as kustomize reads resources: `yes` and `off` are
    /// texts, and a date is a point in time.
    Kustomize,
}

/// The cost of copying a chunk: nodes and bytes of text.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    nodes: usize,
    bytes: usize,
}

/// The target of an anchor.
enum Anchored {
    /// Its own node is still being read.
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

/// Reads the first document of a chunk; no document at all is `None`.
pub(super) fn compose(chunk: &[u8], mode: Mode) -> Result<Option<Value>, YamlError> {
    Composer::new(chunk, mode, None).document()
}

/// Reads the chunk again to find where a path leads.
pub(super) fn locate(chunk: &[u8], find: Find<'_>) -> Option<Mark> {
    let mut composer = Composer::new(chunk, Mode::Lenient, Some(Track::Find(find)));
    composer.document().ok()?;
    match composer.track {
        Some(Track::Find(find)) => find.found,
        _ => None,
    }
}

/// A document with where its keys, its items and its comments stand.
pub(super) struct Outlined<'a> {
    /// `None` where there is no document, or an empty one.
    pub(super) value: Option<Value>,
    pub(super) nodes: Vec<Node>,
    pub(super) comments: Vec<Noted<'a>>,
}

/// Reads a chunk and notes where everything in it stands.
pub(super) fn outline(chunk: &[u8]) -> Result<Outlined<'_>, YamlError> {
    let track = Track::List(List::default());
    let mut composer = Composer::new(chunk, Mode::Lenient, Some(track));
    composer.scanner.note_comments();
    let value = composer.document()?.filter(|value| !value.is_null());
    // What stands behind the end of the document has comments, too.
    // The scanner collects comments as it reads, so it must come to the end.
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
            // Flow levels and indentations each count as one level of the tree at most.
            // One limit for both: a deep flow collection must fail before it is a deep tree.
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
        // `---` and directives make a document even if nothing follows.
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
        // go-yaml looks at one token after the document and ignores what it is.
        self.scanner.peek()?;
        self.verdict()?;
        Ok(Some(value))
    }

    /// Raises what was found wrong on the way, in go-yaml's order.
    fn verdict(&mut self) -> Result<(), YamlError> {
        // Problems of decoding come before duplicates: go-yaml stops at the first and collects the
        // second.
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
            // Last of all: the tree is built, and only its way to JSON failed.
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
                    // go-yaml reads YAML 1.1 only.
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

    /// Notes a decoding problem; go-yaml stops at the first.
    fn fail(&mut self, mark: Mark, problem: impl AsRef<str>) {
        // The first one counts; what follows may be its consequence.
        self.failure
            .get_or_insert_with(|| YamlError::plain(mark, problem));
    }

    /// Notes something that JSON can not hold.
    fn refuse(&mut self, mark: Mark, problem: impl AsRef<str>) {
        self.unconvertible
            .get_or_insert_with(|| YamlError::convert(mark, problem));
    }

    fn note_duplicate(&mut self, mark: Mark, key: &str) {
        if self.duplicates.is_empty() {
            self.duplicate_mark = mark;
        }
        // Bounded: a hostile file could name a million keys.
        if self.duplicates.len() < MAX_DUPLICATES {
            self.duplicates.push(format!(
                "line {}: key {key} already set in map",
                mark.line + 1
            ));
        }
    }

    /// Puts an entry into a map; `set` collects the entries whose key was no string.
    fn insert(&mut self, map: &mut MapBuilder, entry: keys::Entry, set: &mut keys::Typed) {
        let keys::Entry { key, value, mark } = entry;
        // Keys that are not strings may look alike as text and still be two keys.
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
