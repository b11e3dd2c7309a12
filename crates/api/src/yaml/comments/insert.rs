//! Inserts comments into the text that `emit` wrote.

use std::collections::HashMap;

use super::{Comment, Item, Names, Place, Step};
use crate::json::{List, Value};
use crate::yaml::compose::{self, Mode, Outlined};
use crate::yaml::emit::is_literal;
use crate::yaml::position::{Node, PathStep};
use crate::yaml::stream::parse_one;

/// Inserts comments into the text that `emit` wrote for a value, each at the current place of its node. Omits a
/// comment whose node no longer exists.
///
/// Returns `None` if the comments would change the value of the text.
pub fn insert_comments(text: &[u8], comments: &[Comment]) -> Option<Vec<u8>> {
    let outlined = compose::outline(text).ok()?;
    let value = outlined.value.as_ref()?;
    let lines: Vec<&[u8]> = text.split_inclusive(|b| *b == b'\n').collect();
    let mut places = Places::new(&outlined, value);
    let mut woven = Woven::new(lines.len());
    for comment in comments {
        woven.put(comment, &mut places, &lines);
    }
    let woven = woven.text(&lines, text.len());
    // Parsed again: a misplaced comment must never change the content of a file.
    (parse_one(&woven, Mode::Strict).ok()?.as_ref() == Some(value)).then_some(woven)
}

/// The positions of a text's keys and items.
struct Places<'o> {
    outlined: &'o Outlined<'o>,
    value: &'o Value,
    /// The child node for a step below a node; the number of nodes stands for the root.
    children: HashMap<(usize, &'o PathStep), usize>,
    /// The last line of each node.
    ends: Vec<usize>,
    names: Names,
}

impl<'o> Places<'o> {
    fn new(outlined: &'o Outlined<'o>, value: &'o Value) -> Self {
        let nodes = &outlined.nodes;
        let root = nodes.len();
        let children = nodes
            .iter()
            .enumerate()
            .map(|(at, node)| ((node.parent.unwrap_or(root), &node.step), at))
            .collect();
        // Nodes are in the order of the text, so a single pass with a stack finds each end: a node ends before the
        // next one outside of it.
        let mut ends = vec![usize::MAX; root];
        let mut open: Vec<usize> = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            while let Some(last) = open.last()
                && Some(*last) != node.parent
            {
                ends[*last] = node.mark.line.saturating_sub(1).max(nodes[*last].mark.line);
                open.pop();
            }
            open.push(at);
        }
        Self {
            outlined,
            value,
            children,
            ends,
            names: Names::default(),
        }
    }

    /// Returns the node at a path, and its value.
    fn find(&mut self, path: &[Step]) -> Option<(&Node, usize, &Value)> {
        let mut at = self.outlined.nodes.len();
        let mut value = self.value;
        for step in path {
            let step = match step {
                Step::Key(key) => {
                    // Follows the value as well, because items are identified by their content.
                    value = value.get(key.as_str())?;
                    PathStep::Key(key.clone())
                }
                Step::Item(item) => {
                    let items = value.as_array().map_or(&[][..], List::as_slice);
                    let index = find_item(&self.names.of(items), item)?;
                    value = items.get(index)?;
                    PathStep::Index(index)
                }
            };
            at = *self.children.get(&(at, &step))?;
        }
        let node = self.outlined.nodes.get(at)?;
        Some((node, self.ends[at], value))
    }
}

/// Finds an item by its name, or by its index if the list has the same length and no item of that name.
fn find_item(names: &[(String, usize)], item: &Item) -> Option<usize> {
    let named = |(id, nth): &(String, usize)| *id == item.id && *nth == item.nth;
    let found = names.iter().position(named);
    // If no item has the name and the length is unchanged, the item was edited and keeps its comments.
    found.or_else(|| (names.len() == item.of).then_some(item.index))
}

/// A text, with the lines to insert before and after its lines and the comments at the ends of lines.
struct Woven {
    before: Vec<Vec<String>>,
    behind: Vec<String>,
    after: Vec<Vec<String>>,
}

impl Woven {
    fn new(lines: usize) -> Self {
        Self {
            before: vec![Vec::new(); lines + 1],
            behind: vec![String::new(); lines],
            after: vec![Vec::new(); lines + 1],
        }
    }

    fn put(&mut self, comment: &Comment, places: &mut Places<'_>, lines: &[&[u8]]) {
        let last = lines.len().saturating_sub(1);
        let text = &comment.text;
        // If the document ends in an open-ended literal, a comment after it would become content.
        let open_ended = lines.last() == Some(&&b"...\n"[..]);
        match comment.place {
            Place::Head => self.before[0].push(text.clone()),
            // A comment behind the end marker of the document would not be found again.
            Place::End if open_ended => self.before[0].push(text.clone()),
            Place::End => self.after[lines.len()].push(text.clone()),
            place => {
                let Some((node, end, value)) = places.find(&comment.at) else {
                    return;
                };
                let (line, end) = (node.mark.line.min(last), end.min(last));
                let indent = " ".repeat(match place {
                    Place::Before => indentation(lines[line]),
                    _ => node.mark.column,
                });
                match place {
                    Place::Before => self.before[line].push(indent + text),
                    Place::After => self.after[end].push(indent + text),
                    _ => {
                        // A folded string spans several lines, and YAML allows a comment only after the last one.
                        let folded = value.as_str().is_some_and(|text| !is_literal(text));
                        let line = if folded { end } else { line };
                        self.behind[line].push(' ');
                        self.behind[line].push_str(text);
                    }
                }
            }
        }
    }

    fn text(self, lines: &[&[u8]], size: usize) -> Vec<u8> {
        let mut text = Vec::with_capacity(size * 2);
        let put = |text: &mut Vec<u8>, comments: &[String]| {
            for comment in comments {
                text.extend_from_slice(comment.as_bytes());
                text.push(b'\n');
            }
        };
        for (number, line) in lines.iter().enumerate() {
            put(&mut text, &self.before[number]);
            // The line break follows below, after a comment at the end of the line.
            text.extend_from_slice(line.strip_suffix(b"\n").unwrap_or(line));
            text.extend_from_slice(self.behind[number].as_bytes());
            text.push(b'\n');
            put(&mut text, &self.after[number]);
        }
        put(&mut text, &self.after[lines.len()]);
        text
    }
}

fn indentation(line: &[u8]) -> usize {
    line.iter().take_while(|b| **b == b' ').count()
}
