//! Finds the comments of a text and the node that each belongs to.

use super::{Comment, Item, Names, Place, Step};
use crate::json::{List, Value};
use crate::yaml::compose::{self, Outlined};
use crate::yaml::position::{Node, PathStep};
use crate::yaml::scanner::CommentToken;
use crate::yaml::stream::{chunks, decode};

/// Returns the comments of a single document, in order, or none if the text is not YAML.
pub fn extract(text: &[u8]) -> Vec<Comment> {
    let Ok(text) = decode(text) else {
        return Vec::new();
    };
    let mut text = text.into_owned();
    if !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    let (mut comments, mut is_behind) = (Vec::new(), false);
    let (chunks, wrong) = chunks(&text);
    if wrong.is_some() {
        return Vec::new();
    }
    for chunk in chunks {
        let Ok(outlined) = compose::outline(&text[chunk.range]) else {
            return Vec::new();
        };
        let document = outlined.value.is_some() && !is_behind;
        let mut names = Names::default();
        for noted in &outlined.comments {
            let (place, at) = match document {
                true => place(&outlined, noted, &mut names),
                false if is_behind => (Place::End, Vec::new()),
                false => (Place::Head, Vec::new()),
            };
            let text = noted.text.trim_end().to_owned();
            comments.push(Comment { place, at, text });
        }
        is_behind |= document;
    }
    comments
}

/// Determines the node that a comment belongs to.
fn place(
    outlined: &Outlined<'_>,
    noted: &CommentToken<'_>,
    names: &mut Names,
) -> (Place, Vec<Step>) {
    let nodes = &outlined.nodes;
    let mut at = |place, node: usize| (place, path(outlined, node, names));
    let line = noted.mark.line;
    if !noted.alone {
        let upto = nodes.partition_point(|node| node.mark.line <= line);
        return match upto.checked_sub(1) {
            Some(node) => at(Place::Line, node),
            None => (Place::Head, Vec::new()),
        };
    }
    let next = nodes.partition_point(|node| node.mark.line <= line);
    let column = noted.mark.column;
    let Some(previous) = next.checked_sub(1) else {
        return (Place::Head, Vec::new());
    };
    let floor = nodes.get(next).map(|node| node.mark.column);
    let deeper = |node: &Node| node.mark.column <= column;
    let below = floor.is_none_or(|floor| column > floor).then(|| {
        let fits =
            |n: &usize| deeper(&nodes[*n]) && floor.is_none_or(|f| nodes[*n].mark.column > f);
        chain(nodes, previous).find(fits)
    });
    match (below.flatten(), floor) {
        (Some(node), _) if nodes[node].mark.column > 0 => at(Place::After, node),
        (_, Some(_)) => at(Place::Before, next),
        (_, None) => (Place::End, Vec::new()),
    }
}

/// Returns a node and its ancestors, from the inside out.
fn chain(nodes: &[Node], from: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(from), |node| nodes[*node].parent)
}

/// Returns the path of a node.
fn path(outlined: &Outlined<'_>, node: usize, names: &mut Names) -> Vec<Step> {
    let mut steps: Vec<usize> = chain(&outlined.nodes, node).collect();
    steps.reverse();
    let mut value = outlined.value.as_ref();
    let mut path = Vec::new();
    for step in steps {
        match &outlined.nodes[step].step {
            PathStep::Key(key) => {
                value = value.and_then(|value| value.get(key.as_str()));
                path.push(Step::Key(key.clone()));
            }
            PathStep::Index(index) => {
                let items = value
                    .and_then(Value::as_array)
                    .map_or(&[][..], List::as_slice);
                let (id, nth) = names.of(items).get(*index).cloned().unwrap_or_default();
                let of = items.len();
                value = items.get(*index);
                path.push(Step::Item(Item {
                    index: *index,
                    of,
                    id,
                    nth,
                }));
            }
        }
    }
    path
}
