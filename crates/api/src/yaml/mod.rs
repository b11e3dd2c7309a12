//! YAML as kubectl reads and writes it, over `crate::json::Value`.
//!
//! Reading follows YAML 1.1 as Go's yaml.v2 does (`yes` is true, `0644` is 420, `<<` merges) and keeps kubectl's error
//! texts. Writing is byte for byte what `kubectl get -o yaml` prints. Both sides bound depth, aliases and time, so a
//! hostile file ends in an error. Must not know: files, kinds, or what a document means.
//!
//! The way of a document: `stream` cuts the text into `---` chunks, `scanner` makes tokens, `compose` builds the tree
//! and `resolve` decides what a plain word means. `position` finds the line of a field again, only when asked;
//! `comments` takes what people wrote beside the content out of one text and puts it into another.

mod comments;
mod compose;
mod emit;
mod error;
mod float;
mod json;
mod position;
mod reader;
mod resolve;
mod scanner;
mod stream;
mod timestamp;

pub use comments::{Comment, Item, Place, Step, extract, weave};
pub use compose::{MAX_ALIAS_BYTES, MAX_ALIAS_NODES, MAX_DEPTH, Mode};
pub use emit::{emit, to_string};
pub use error::YamlError;
pub(crate) use float::format_g;
pub use position::PathStep;
pub use stream::{Document, parse, parse_one, parse_until_error};

#[cfg(test)]
mod tests;
