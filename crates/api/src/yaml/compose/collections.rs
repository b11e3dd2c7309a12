//! Reads lists and maps in block and flow style, and merge keys.

use super::super::error::{Mark, YamlError};
use super::super::resolve::Scalar;
use super::super::scanner::Kind;
use super::Composer;
use super::keys::{Entry, Key, Typed, go_syntax};
use super::node::Node;
use crate::json::{Map, MapBuilder, Value};

/// The node of a key.
enum KeyNode {
    Plain(Key, Mark),
    Merge(Mark),
    /// A null key, which JSON does not support.
    Null(Mark),
    /// An unusable key; the problem has been recorded.
    Refused,
}

impl<'a> Composer<'a, '_> {
    /// Reads the list or map that starts here.
    pub(super) fn collection(
        &mut self,
        block: bool,
        indentless: bool,
        start: Mark,
    ) -> Result<Value, YamlError> {
        let token = self.scanner.peek()?;
        let mark = token.mark;
        let kind = match token.kind {
            // The items of a list may have the same indentation as their key.
            Kind::BlockEntry if indentless => Kind::BlockEntry,
            Kind::FlowSequenceStart => Kind::FlowSequenceStart,
            Kind::FlowMappingStart => Kind::FlowMappingStart,
            Kind::BlockSequenceStart if block => Kind::BlockSequenceStart,
            Kind::BlockMappingStart if block => Kind::BlockMappingStart,
            _ => {
                let problem = "did not find expected node content";
                return Err(YamlError::grammar(Some(start), mark, problem));
            }
        };
        // Not decremented on errors, because an error ends the whole document.
        self.descend(mark)?;
        let value = match kind {
            Kind::BlockEntry => self.indentless_sequence()?,
            Kind::FlowSequenceStart => self.flow_sequence()?,
            Kind::FlowMappingStart => self.flow_mapping()?,
            Kind::BlockSequenceStart => self.block_sequence()?,
            _ => self.block_mapping()?,
        };
        self.depth -= 1;
        Ok(value)
    }

    fn indentless_sequence(&mut self) -> Result<Value, YamlError> {
        let mut items = Vec::new();
        while self.scanner.peek()?.kind == Kind::BlockEntry {
            let dash = self.scanner.next()?.mark;
            // A dash without content is a null item.
            let empty = matches!(
                self.scanner.peek()?.kind,
                Kind::BlockEntry | Kind::Key | Kind::Value | Kind::BlockEnd
            );
            self.item(&mut items, Some(dash), empty)?;
        }
        Ok(Value::Array(items.into()))
    }

    fn block_sequence(&mut self) -> Result<Value, YamlError> {
        let start = self.scanner.next()?.mark;
        let mut items = Vec::new();
        loop {
            let token = self.scanner.next()?;
            match token.kind {
                Kind::BlockEntry => {
                    let next = &self.scanner.peek()?.kind;
                    let empty = matches!(next, Kind::BlockEntry | Kind::BlockEnd);
                    self.item(&mut items, Some(token.mark), empty)?;
                }
                Kind::BlockEnd => return Ok(Value::Array(items.into())),
                _ => {
                    let problem = "did not find expected '-' indicator";
                    return Err(YamlError::grammar(Some(start), token.mark, problem));
                }
            }
        }
    }

    /// Reads an item of a block list, after its dash, or of a flow list.
    fn item(
        &mut self,
        items: &mut Vec<Value>,
        dash: Option<Mark>,
        empty: bool,
    ) -> Result<(), YamlError> {
        let mark = self.scanner.peek()?.mark;
        let tracked = self.track_index(items.len(), mark, dash.unwrap_or(mark));
        let value = if empty {
            Value::Null
        // An empty node consumes no token, because the next token belongs to the list.
        } else {
            self.node(dash.is_some(), false)?.value
        };
        self.track_leave(tracked);
        items.push(value);
        Ok(())
    }

    fn block_mapping(&mut self) -> Result<Value, YamlError> {
        let start = self.scanner.next()?.mark;
        let (mut map, mut typed) = (MapBuilder::default(), Typed::default());
        loop {
            let token = self.scanner.next()?;
            match token.kind {
                Kind::Key => {
                    let next = &self.scanner.peek()?.kind;
                    let empty = matches!(next, Kind::Key | Kind::Value | Kind::BlockEnd);
                    let key = self.key(true, empty, token.mark)?;
                    let ends = [Kind::Key, Kind::Value, Kind::BlockEnd];
                    self.entry(&mut map, &mut typed, key, true, &ends)?;
                }
                Kind::BlockEnd => return Ok(Value::Object(map.finish())),
                _ => {
                    let problem = "did not find expected key";
                    return Err(YamlError::grammar(Some(start), token.mark, problem));
                }
            }
        }
    }

    fn flow_sequence(&mut self) -> Result<Value, YamlError> {
        let start = self.scanner.next()?.mark;
        let mut items = Vec::new();
        loop {
            let token = self.scanner.peek()?;
            let mark = token.mark;
            match token.kind {
                Kind::FlowSequenceEnd => break,
                // `[a: b]`: a key within a list starts a map with one entry.
                Kind::Key => {
                    self.scanner.next()?;
                    self.single_pair(&mut items, mark)?;
                }
                _ => self.item(&mut items, None, false)?,
            }
            if !self.flow_separator(
                &Kind::FlowSequenceEnd,
                start,
                "did not find expected ',' or ']'",
            )? {
                break;
            }
        }
        self.scanner.next()?;
        Ok(Value::Array(items.into()))
    }

    /// Skips a comma. Returns false at the end of the collection.
    fn flow_separator(
        &mut self,
        end: &Kind<'_>,
        start: Mark,
        problem: &str,
    ) -> Result<bool, YamlError> {
        let token = self.scanner.peek()?;
        if token.kind == *end {
            return Ok(false);
        }
        if token.kind != Kind::FlowEntry {
            return Err(YamlError::grammar(Some(start), token.mark, problem));
        }
        self.scanner.next()?;
        Ok(true)
    }

    /// Reads the map `a: b` in `[a: b]`.
    fn single_pair(&mut self, items: &mut Vec<Value>, mark: Mark) -> Result<(), YamlError> {
        self.descend(mark)?;
        let (mut map, mut typed) = (MapBuilder::default(), Typed::default());
        let tracked = self.track_index(items.len(), mark, mark);
        let ends = [Kind::Value, Kind::FlowEntry, Kind::FlowSequenceEnd];
        let empty = ends.contains(&self.scanner.peek()?.kind);
        let key = self.key(false, empty, mark)?;
        self.entry(&mut map, &mut typed, key, false, &ends[1..])?;
        self.track_leave(tracked);
        self.depth -= 1;
        items.push(Value::Object(map.finish()));
        Ok(())
    }

    fn flow_mapping(&mut self) -> Result<Value, YamlError> {
        let start = self.scanner.next()?.mark;
        let (mut map, mut typed) = (MapBuilder::default(), Typed::default());
        let ends = [Kind::Value, Kind::FlowEntry, Kind::FlowMappingEnd];
        loop {
            let token = self.scanner.peek()?;
            let mark = token.mark;
            match token.kind {
                Kind::FlowMappingEnd => break,
                Kind::Key => {
                    self.scanner.next()?;
                    let empty = ends.contains(&self.scanner.peek()?.kind);
                    let key = self.key(false, empty, mark)?;
                    self.entry(&mut map, &mut typed, key, false, &ends[1..])?;
                }
                _ => {
                    // `{a, b}` has keys without values.
                    let key = self.key(false, false, mark)?;
                    self.finish_entry(&mut map, &mut typed, key, None)?;
                }
            }
            if !self.flow_separator(
                &Kind::FlowMappingEnd,
                start,
                "did not find expected ',' or '}'",
            )? {
                break;
            }
        }
        self.scanner.next()?;
        Ok(Value::Object(map.finish()))
    }

    fn key(&mut self, block: bool, empty: bool, mark: Mark) -> Result<KeyNode, YamlError> {
        if empty {
            return Ok(self.key_from(None, mark));
        }
        // A path never leads into a key.
        let track = self.track.take();
        let node = self.node_or_key(block, block);
        self.track = track;
        let node = node?;
        let mark = node.mark;
        Ok(self.key_from(Some(node), mark))
    }

    fn key_from(&mut self, node: Option<Node<'a>>, mark: Mark) -> KeyNode {
        let scalar = match node {
            None => Scalar::Null,
            Some(Node {
                scalar: Some(Scalar::Merge),
                ..
            }) => return KeyNode::Merge(mark),
            Some(Node {
                scalar: Some(scalar),
                ..
            }) => scalar,
            Some(Node { value, .. }) => match value {
                Value::Null => Scalar::Null,
                Value::Bool(yes) => Scalar::Bool(yes),
                Value::String(text) => Scalar::Str(String::from(text).into()),
                Value::Number(number) => match number.as_i64() {
                    Some(n) => Scalar::Int(n),
                    None => Scalar::Float(number.as_f64().unwrap_or_default()),
                },
                // Neither Go nor JSON allows a list or map as a key.
                other => {
                    self.fail(mark, format!("invalid map key: {}", go_syntax(&other)));
                    return KeyNode::Refused;
                }
            },
        };
        match Key::new(scalar) {
            Some(key) => KeyNode::Plain(key, mark),
            None => KeyNode::Null(mark),
        }
    }

    /// Reads the rest of an entry: a colon and a value, or nothing.
    fn entry(
        &mut self,
        map: &mut MapBuilder,
        typed: &mut Typed,
        key: KeyNode,
        block: bool,
        ends: &[Kind<'_>],
    ) -> Result<(), YamlError> {
        if self.scanner.peek()?.kind != Kind::Value {
            return self.finish_entry(map, typed, key, None);
        }
        self.scanner.next()?;
        let empty = ends.contains(&self.scanner.peek()?.kind);
        self.finish_entry(map, typed, key, (!empty).then_some(block))
    }

    /// Reads the value (`Some(block)`) or takes null, and adds the entry to the map.
    fn finish_entry(
        &mut self,
        map: &mut MapBuilder,
        typed: &mut Typed,
        key: KeyNode,
        value: Option<bool>,
    ) -> Result<(), YamlError> {
        let tracked = match &key {
            KeyNode::Plain(key, mark) => self.track_key(&key.text, *mark),
            // A merge key and an unusable key have no path.
            _ => self.track_hidden(),
        };
        let node = match value {
            Some(block) => self.node(block, block)?,
            None => {
                // A missing value has no token, so it has the position of its key.
                let mark = match key {
                    KeyNode::Plain(_, mark) | KeyNode::Merge(mark) | KeyNode::Null(mark) => mark,
                    KeyNode::Refused => Mark::default(),
                };
                Node {
                    value: Value::Null,
                    scalar: None,
                    mark,
                    alias: false,
                }
            }
        };
        self.track_leave(tracked);
        match key {
            KeyNode::Plain(key, _) => {
                self.insert(
                    map,
                    Entry {
                        key,
                        value: node.value,
                        mark: node.mark,
                    },
                    typed,
                );
            }
            KeyNode::Merge(_) => self.merge(map, typed, node),
            KeyNode::Null(mark) => {
                let value = match node.value {
                    Value::Null => "<nil>".to_owned(),
                    other => go_syntax(&other),
                };
                // Go's message, including the `%!s` that Go prints for nil.
                let problem = "unsupported map key of type: %!s(<nil>), key: <nil>, value: ";
                self.refuse(mark, format!("{problem}{value}"));
            }
            KeyNode::Refused => {}
        }
        Ok(())
    }

    /// Merges `<<: map` or `<<: [map, map]`. Earlier maps of a list win over later ones.
    fn merge(&mut self, map: &mut MapBuilder, typed: &mut Typed, node: Node<'a>) {
        let mark = node.mark;
        match node.value {
            Value::Object(source) => self.merge_map(map, typed, source, mark),
            // go-yaml accepts a literal list of maps, but rejects an alias to one.
            Value::Array(items) if !node.alias && items.iter().all(Value::is_object) => {
                // Inserted backwards, so that earlier maps come last and win.
                for item in items.into_iter().rev() {
                    if let Value::Object(source) = item {
                        self.merge_map(map, typed, source, mark);
                    }
                }
            }
            _ => self.fail(
                mark,
                "map merge requires map or sequence of maps as the value",
            ),
        }
    }

    fn merge_map(&mut self, map: &mut MapBuilder, typed: &mut Typed, source: Map, mark: Mark) {
        for (text, value) in source {
            self.insert(
                map,
                Entry {
                    key: Key::string(text.into()),
                    value,
                    mark,
                },
                typed,
            );
        }
    }
}
