//! Reads and writes YAML as kubectl does, over `crate::json::Value`.
//!
//! Reading follows YAML 1.1 as Go's yaml.v2 does (`yes` is true, `0644` is 420, `<<` merges), with kubectl's error
//! messages. Writing produces the output of `kubectl get -o yaml` byte for byte. Both bound depth, aliases and time,
//! so that malicious input ends in an error. Must not know: files, kinds, or the meaning of a document.
//!
//! The steps: `stream` splits the text into `---` chunks, `scanner` turns them into tokens, `compose` builds the tree,
//! and `resolve` determines the meaning of plain words. `position` finds the line of a field on demand. `comments`
//! moves comments from one text to another.

mod comments;
mod compose;
mod emit;
mod error;
mod float;
mod json;
mod position;
mod reader;
mod repeated;
mod resolve;
mod scanner;
mod stream;
mod timestamp;

pub use comments::{Comment, Item, Place, Step, extract, insert_comments};
pub use compose::{MAX_ALIAS_BYTES, MAX_ALIAS_NODES, MAX_DEPTH, Mode};
pub use emit::{Change, emit, to_string, transcribe};
pub use error::YamlError;
pub use float::format_g;
pub use position::PathStep;
pub use repeated::RepeatedKey;
pub use stream::{Document, parse, parse_as_yaml, parse_one, parse_until_error};

#[cfg(test)]
mod tests;
