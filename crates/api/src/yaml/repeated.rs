//! Finds duplicate keys, which version 3 of go-yaml rejects.

use super::compose;
use super::position::{Node, PathStep};
use super::stream::Document;

/// Two entries of one map with the same key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepeatedKey {
    /// The key.
    pub key: String,
    /// The line of the first entry.
    pub first: usize,
    /// The line of the second entry.
    pub line: usize,
    /// The index of the list item that contains the map, if the document is a list of objects.
    pub item: Option<usize>,
}

impl Document {
    /// Returns all pairs of entries with the same key. Lines are counted from 1 at the start of the object and without
    /// blank lines, as in the printed object.
    ///
    /// ```
    /// use ctl_api::yaml::{Mode, RepeatedKey, YamlError, parse};
    ///
    /// let documents = parse(b"data:\n  a: 1\n\n  a: 2\n", Mode::Kustomize)?;
    /// let found: Vec<RepeatedKey> = documents[0].repeated_keys();
    /// assert_eq!((found[0].first, found[0].line), (2, 3));
    /// # Ok::<(), YamlError>(())
    /// ```
    pub fn repeated_keys(&self) -> Vec<RepeatedKey> {
        // Reads the text again: most callers never ask for duplicates, so the first reading records no positions.
        let chunk = self.chunk();
        let Ok(outlined) = compose::outline(chunk) else {
            return Vec::new();
        };
        let nodes = &outlined.nodes;
        let mut entries: Vec<Vec<usize>> = vec![Vec::new(); nodes.len() + 1];
        for (at, node) in nodes.iter().enumerate() {
            entries[node.parent.map_or(0, |parent| parent + 1)].push(at);
        }
        let line = |at: usize| printed_line(chunk, nodes[at].mark.line);
        let mut found = Vec::new();
        // In the order of the maps, because go-yaml checks a map before its content.
        for entries in entries.iter().filter(|entries| entries.len() > 1) {
            for (nth, first) in entries.iter().enumerate() {
                let PathStep::Key(key) = &nodes[*first].step else {
                    continue;
                };
                let same = |at: &&usize| nodes[**at].step == nodes[*first].step;
                let item = item_of(nodes, *first);
                let start = item.map_or(1, |(_, node)| line(node));
                found.extend(
                    entries[nth + 1..]
                        .iter()
                        .filter(same)
                        .map(|again| RepeatedKey {
                            key: key.clone(),
                            first: line(*first) + 1 - start,
                            line: line(*again) + 1 - start,
                            item: item.map(|(item, _)| item),
                        }),
                );
            }
        }
        found
    }
}

/// Returns the number of a line, counted from 1 at the first line with content and without blank lines.
fn printed_line(chunk: &[u8], line: usize) -> usize {
    let is_counted = |line: &&[u8]| {
        let line = line.trim_ascii();
        !line.is_empty() && line != b"---"
    };
    let lines = chunk.split(|byte| *byte == b'\n').take(line + 1);
    lines.filter(is_counted).count()
}

/// Returns the index and the node of the item in the top-level `items` that contains a node.
fn item_of(nodes: &[Node], at: usize) -> Option<(usize, usize)> {
    let mut below = None;
    let mut above = at;
    while let Some(parent) = nodes[above].parent {
        below = Some(above);
        above = parent;
    }
    let item = below?;
    match (&nodes[above].step, &nodes[item].step) {
        (PathStep::Key(key), PathStep::Index(index)) if key == "items" => Some((*index, item)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Mode, parse};

    /// A key, the two lines, and the item.
    type Repeated = (String, usize, usize, Option<usize>);

    fn repeated(text: &str) -> Vec<Vec<Repeated>> {
        let documents = parse(text.as_bytes(), Mode::Kustomize).unwrap();
        let of = |document: &super::Document| {
            let keys = document.repeated_keys().into_iter();
            keys.map(|k| (k.key, k.first, k.line, k.item)).collect()
        };
        documents.iter().map(of).collect()
    }

    #[test]
    fn every_pair_of_equal_keys_is_found() {
        let text =
            "a: {b: 1, c: 2, b: 3}\n\na: 2\nd:\n- b: 1\n  b: 2\n  b: 3\n---\n\n# c\na: 1\nb: 2\n";
        let found = |key: &str, first, line| (key.to_owned(), first, line, None);
        assert_eq!(
            repeated(text),
            [
                vec![
                    found("a", 1, 2),
                    found("b", 1, 1),
                    found("b", 4, 5),
                    found("b", 4, 6),
                    found("b", 5, 6),
                ],
                vec![],
            ]
        );
        assert_eq!(repeated("{\"a\": 1,\n\"a\": 2}"), [vec![found("a", 1, 2)]]);
    }

    #[test]
    fn the_items_of_a_list_have_lines_of_their_own() {
        let text = "kind: List\nitems:\n- a: 1\n- b: 1\n  b: 2\n";
        assert_eq!(repeated(text), [vec![("b".to_owned(), 1, 2, Some(1))]]);
    }
}
