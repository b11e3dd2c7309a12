//! The comments of a document and their places, separate from the text around them.
//!
//! A comment is above a key or item, at the end of its line, below it, or at the head or end of the file.
//! [`extract()`] determines the place of each comment. [`insert_comments()`] inserts the comments into the text that
//! `emit` writes for a later state of the same object.

mod extract;
mod insert;

pub use extract::extract;
pub use insert::insert_comments;

use std::collections::HashMap;
use std::rc::Rc;

use crate::json::Value;

/// Keys that identify list items; the first one that an item has is used.
const NAMES: &[&str] = &[
    "name",
    "key",
    "containerPort",
    "port",
    "mountPath",
    "topologyKey",
    "devicePath",
    "type",
    "ip",
    "uid",
];

/// One line of a comment.
///
/// ```
/// use ctl_api::yaml::{self, Comment, Item, Place, Step};
///
/// let text = "containers:\n- name: web # the shop\n";
/// let comments: Vec<Comment> = yaml::extract(text.as_bytes());
/// assert_eq!((comments[0].place, comments[0].text.as_str()), (Place::Line, "# the shop"));
/// let Step::Item(Item { index, .. }) = &comments[0].at[1] else {
///     panic!("{:?}", comments[0].at);
/// };
/// assert_eq!(*index, 0);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The position of the comment relative to the node at `at`.
    pub place: Place,
    /// The path of the key or item that the comment belongs to; empty at the head and the end.
    pub at: Vec<Step>,
    /// The comment, from its `#` to the end of the line.
    pub text: String,
}

/// The position of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Above everything.
    Head,
    /// On its own line above a key or an item.
    Before,
    /// At the end of the line of a key or an item.
    Line,
    /// On its own line below a key or item, with the same indentation.
    After,
    /// Below everything.
    End,
}

/// One step of a comment's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The entry of a map.
    Key(String),
    /// The item of a list.
    Item(Item),
}

/// Identifies a list item even if other items are inserted or removed before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The index of the item in the list.
    pub index: usize,
    /// The number of items in the list.
    pub of: usize,
    /// The item's name, or its whole content.
    pub id: String,
    /// The number of earlier items with the same `id`.
    pub nth: usize,
}

impl Place {
    /// All places, with their names.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Head, "head"),
        (Self::Before, "before"),
        (Self::Line, "line"),
        (Self::After, "after"),
        (Self::End, "end"),
    ];
}

/// For each item of a list, its name and the number of earlier items with the same name.
type Called = Rc<[(String, usize)]>;

/// The names of list items, computed once per list.
#[derive(Default)]
struct Names {
    known: HashMap<(*const Value, usize), Called>,
}

impl Names {
    fn of(&mut self, items: &[Value]) -> Called {
        let list = (items.as_ptr(), items.len());
        let names = self.known.entry(list).or_insert_with(|| {
            let mut seen = HashMap::new();
            let name = |item| {
                let id = id(item);
                let count = seen.entry(id.clone()).or_insert(0);
                *count += 1;
                (id, *count - 1)
            };
            items.iter().map(name).collect()
        });
        Rc::clone(names)
    }
}

fn id(item: &Value) -> String {
    let named = NAMES.iter().find_map(|name| {
        let value = item.get(*name)?;
        let scalar = !value.is_object() && !value.is_array() && !value.is_null();
        scalar.then(|| format!("{name}={value}"))
    });
    let id = named.unwrap_or_else(|| item.to_string());
    // A checksum identifies longer content.
    if id.len() <= 64 {
        id
    } else {
        format!("crc32c:{:08x}", crc32c::crc32c(id.as_bytes()))
    }
}

#[cfg(test)]
mod tests;
