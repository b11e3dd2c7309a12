//! Reads a node: its anchor and tag, then a scalar, a collection or an alias.

use std::borrow::Cow;

use super::super::error::{Mark, YamlError};
use super::super::float::float_value;
use super::super::resolve::{Scalar, resolve_for_kustomize, resolve_plain, resolve_tagged};
use super::super::scanner::{Kind, Style};
use super::{Anchored, Composer, MAX_ALIAS_BYTES, MAX_ALIAS_NODES, MAX_DEPTH, Mode, Size};
use crate::json::Value;

/// A node, with the scalar it was read from.
pub(super) struct Node<'a> {
    pub(super) value: Value,
    /// The scalar before its conversion to JSON, because the node may become a key.
    pub(super) scalar: Option<Scalar<'a>>,
    pub(super) mark: Mark,
    pub(super) alias: bool,
}

/// The anchor and tag before a node.
#[derive(Default)]
struct Properties<'a> {
    anchor: Option<&'a str>,
    tag: Option<String>,
}

impl<'a> Composer<'a, '_> {
    /// Reads a node and converts its value.
    pub(super) fn node(&mut self, block: bool, indentless: bool) -> Result<Node<'a>, YamlError> {
        let mut node = self.node_or_key(block, indentless)?;
        // Converted late, because a scalar used as a key stays text.
        if let Some(scalar) = node.scalar.take() {
            node.value = self.scalar_value(scalar, node.mark);
        }
        Ok(node)
    }

    /// Reads a node. Leaves the conversion of a scalar without an anchor to the caller.
    pub(super) fn node_or_key(
        &mut self,
        block: bool,
        indentless: bool,
    ) -> Result<Node<'a>, YamlError> {
        let token = self.scanner.peek()?;
        let mark = token.mark;
        // Every node counts toward the alias limit.
        self.size.nodes += 1;
        match token.kind {
            Kind::Scalar(..) => {
                let scalar = self.take_scalar(None, mark)?;
                Ok(Node {
                    value: Value::Null,
                    scalar: Some(scalar),
                    mark,
                    alias: false,
                })
            }
            Kind::Alias(name) => {
                self.scanner.next()?;
                let value = self.alias(name, mark)?;
                Ok(Node {
                    value,
                    scalar: None,
                    mark,
                    alias: true,
                })
            }
            Kind::Anchor(_) | Kind::Tag(_) => self.node_with_properties(block, indentless, mark),
            _ => {
                let value = self.collection(block, indentless, mark)?;
                Ok(Node {
                    value,
                    scalar: None,
                    mark,
                    alias: false,
                })
            }
        }
    }

    fn node_with_properties(
        &mut self,
        block: bool,
        indentless: bool,
        start: Mark,
    ) -> Result<Node<'a>, YamlError> {
        let properties = self.properties(start)?;
        let before = self.size;
        if let Some(name) = properties.anchor {
            // Marked as open until the node is complete: an alias within its own anchor must be an error rather than a
            // loop.
            self.anchors.insert(name, Anchored::Open);
        }
        let token = self.scanner.peek()?;
        let mark = token.mark;
        let mut node = Node {
            value: Value::Null,
            scalar: None,
            mark,
            alias: false,
        };
        match token.kind {
            Kind::Scalar(..) => {
                node.scalar = Some(self.take_scalar(properties.tag.as_deref(), mark)?)
            }
            Kind::FlowSequenceStart | Kind::FlowMappingStart => {
                node.value = self.collection(block, indentless, start)?;
            }
            Kind::BlockSequenceStart | Kind::BlockMappingStart if block => {
                node.value = self.collection(block, indentless, start)?;
            }
            Kind::BlockEntry if indentless => {
                node.value = self.collection(block, indentless, start)?;
            }
            // An anchor or tag without content makes an empty scalar, as in `a: !!str`.
            _ => {
                node.scalar = Some(self.tagged(
                    properties.tag.as_deref(),
                    Cow::Borrowed(""),
                    Style::Plain,
                    mark,
                ))
            }
        }
        if let Some(name) = properties.anchor {
            if let Some(scalar) = &node.scalar {
                // Cloned, because the caller may still need the scalar for a key.
                node.value = self.scalar_value(scalar.clone(), mark);
            }
            let size = Size {
                nodes: self.size.nodes - before.nodes + 1,
                bytes: self.size.bytes - before.bytes,
            };
            self.anchors
                .insert(name, Anchored::Done(node.value.clone(), size));
        }
        Ok(node)
    }

    fn properties(&mut self, start: Mark) -> Result<Properties<'a>, YamlError> {
        let mut found = Properties::default();
        loop {
            let token = self.scanner.peek()?;
            let mark = token.mark;
            match &token.kind {
                Kind::Anchor(name) if found.anchor.is_none() => found.anchor = Some(name),
                Kind::Tag(pair) if found.tag.is_none() => {
                    let (handle, suffix) = (**pair).clone();
                    found.tag = Some(self.full_tag(&handle, suffix, start, mark)?);
                }
                _ => return Ok(found),
            }
            self.scanner.next()?;
        }
    }

    fn full_tag(
        &self,
        handle: &str,
        suffix: String,
        start: Mark,
        mark: Mark,
    ) -> Result<String, YamlError> {
        if handle.is_empty() {
            return Ok(suffix);
        }
        // A declared handle takes precedence over the two predefined ones.
        let declared = self.tags.get(handle);
        let prefix = match (declared, handle) {
            (Some(prefix), _) => prefix.as_str(),
            (None, "!") => "!",
            (None, "!!") => "tag:yaml.org,2002:",
            _ => {
                return Err(YamlError::grammar(
                    Some(start),
                    mark,
                    "found undefined tag handle",
                ));
            }
        };
        Ok(format!("{prefix}{suffix}"))
    }

    fn take_scalar(&mut self, tag: Option<&str>, mark: Mark) -> Result<Scalar<'a>, YamlError> {
        let Kind::Scalar(text, style) = self.scanner.next()?.kind else {
            return Ok(Scalar::Null);
        };
        self.size.bytes += text.len();
        Ok(self.tagged(tag, text, style, mark))
    }

    fn tagged(
        &mut self,
        tag: Option<&str>,
        text: Cow<'a, str>,
        style: Style,
        mark: Mark,
    ) -> Scalar<'a> {
        match tag {
            // A quoted scalar is always a string.
            None if style == Style::Quoted => Scalar::Str(text),
            None | Some("!") if self.mode == Mode::Kustomize => resolve_for_kustomize(text),
            None | Some("!") => resolve_plain(text),
            Some(tag) => resolve_tagged(tag, text).unwrap_or_else(|problem| {
                self.fail(mark, problem);
                Scalar::Null
            }),
        }
    }

    /// Converts a scalar to JSON. As in Go's JSON, whole numbers lose their `.0`.
    pub(super) fn scalar_value(&mut self, scalar: Scalar<'a>, mark: Mark) -> Value {
        match scalar {
            Scalar::Null => Value::Null,
            Scalar::Bool(yes) => Value::Bool(yes),
            Scalar::Int(n) => Value::Number(n.into()),
            Scalar::Uint(n) => Value::Number(n.into()),
            // `<<` has no special meaning as a value.
            Scalar::Merge => Value::String("<<".to_owned().into()),
            Scalar::Timestamp(text) | Scalar::Str(text) => Value::String(text.into_owned().into()),
            Scalar::Float(n) => match float_value(n) {
                Some(number) => Value::Number(number),
                None => {
                    let name = if n.is_nan() {
                        "NaN"
                    } else if n > 0.0 {
                        "+Inf"
                    } else {
                        "-Inf"
                    };
                    // JSON has no such number. The message is that of Go's encoder.
                    self.refuse(mark, format!("json: unsupported value: {name}"));
                    Value::Null
                }
            },
        }
    }

    fn alias(&mut self, name: &str, mark: Mark) -> Result<Value, YamlError> {
        let (nodes, bytes) = match self.anchors.get(name) {
            None => {
                return Err(YamlError::plain(
                    mark,
                    format!("unknown anchor '{name}' referenced"),
                ));
            }
            Some(Anchored::Open) => {
                self.fail(mark, format!("anchor '{name}' value contains itself"));
                return Ok(Value::Null);
            }
            Some(Anchored::Done(_, size)) => (size.nodes, size.bytes),
        };
        // Checked before the copy, because the limit applies to its size.
        for total in [&mut self.aliased, &mut self.size] {
            total.nodes = total.nodes.saturating_add(nodes);
            total.bytes = total.bytes.saturating_add(bytes);
        }
        // The second part is go-yaml's rule for documents of this size: at least 99 % of the nodes come from aliases.
        let (aliased, all) = (self.aliased.nodes, self.size.nodes);
        if aliased > MAX_ALIAS_NODES
            || self.aliased.bytes > MAX_ALIAS_BYTES
            || (aliased > 100 && all > 1000 && aliased > all / 100 * 99)
        {
            return Err(YamlError::plain(
                mark,
                "document contains excessive aliasing",
            ));
        }
        match self.anchors.get(name) {
            Some(Anchored::Done(value, _)) => Ok(value.clone()),
            _ => Ok(Value::Null),
        }
    }

    /// Enters a nesting level.
    pub(super) fn descend(&mut self, mark: Mark) -> Result<(), YamlError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let problem = format!("exceeded max depth of {MAX_DEPTH}");
            // go-yaml has a different limit, but the same message.
            return Err(YamlError::scanner(None, mark, &problem));
        }
        Ok(())
    }
}
