//! Object trees: the representation of Kubernetes objects in every layer.
//!
//! Guarantees: cloning takes constant time, and the clone shares its memory until one of the two is written; the
//! members of an object are sorted by name; short texts need no allocation. As a result, thousands of Pods of one
//! template share most of their trees.
//!
//! Must not know: the meaning of fields.

mod builder;
mod bytes;
mod common;
mod convert;
mod edits;
mod list;
mod map;
mod parts;
mod recent;
mod scanner;
mod serial;
mod text;
mod value;

#[cfg(test)]
mod tests;

pub use builder::MapBuilder;
pub(crate) use bytes::is_short_integer;
pub use bytes::{from_bytes, part_of_bytes, to_bytes};
pub use convert::Json;
pub use edits::Edits;
pub use list::List;
pub use map::{Entry, Iter, IterMut, Map, OccupiedEntry, VacantEntry};
pub use parts::Index;
pub use scanner::{Scanner, plain};
pub use serde_json::Number;
pub use serial::read;
pub use text::{Name, Text, name};
pub use value::Value;

#[doc(inline)]
pub use crate::json;

/// Builds a [`Value`] from JSON-like syntax. Values may be expressions; so may names, if they are in parentheses or a
/// single token.
#[macro_export]
macro_rules! json {
    (null) => { $crate::json::Value::Null };
    ([ $($items:tt)* ]) => { $crate::json_list!([] $($items)*) };
    ({}) => { $crate::json::Value::Object($crate::json::Map::new()) };
    ({ $($members:tt)+ }) => {{
        let mut map = $crate::json::Map::new();
        $crate::json_members!(map () $($members)+);
        $crate::json::Value::Object(map)
    }};
    ($value:expr) => { $crate::json::Json::json(&$value) };
}

/// The items of a list in [`json!`].
#[doc(hidden)]
#[macro_export]
macro_rules! json_list {
    ([ $($done:expr),* ]) => {
        $crate::json::Value::Array($crate::json::List::from([ $($done),* ]))
    };
    ([ $($done:expr),* ] null $(, $($rest:tt)*)?) => {
        $crate::json_list!([ $($done,)* $crate::json!(null) ] $($($rest)*)?)
    };
    ([ $($done:expr),* ] [ $($items:tt)* ] $(, $($rest:tt)*)?) => {
        $crate::json_list!([ $($done,)* $crate::json!([ $($items)* ]) ] $($($rest)*)?)
    };
    ([ $($done:expr),* ] { $($members:tt)* } $(, $($rest:tt)*)?) => {
        $crate::json_list!([ $($done,)* $crate::json!({ $($members)* }) ] $($($rest)*)?)
    };
    ([ $($done:expr),* ] $value:expr $(, $($rest:tt)*)?) => {
        $crate::json_list!([ $($done,)* $crate::json!($value) ] $($($rest)*)?)
    };
}

/// The members of an object in [`json!`]: the tokens of the current name, and the tokens still to read.
#[doc(hidden)]
#[macro_export]
macro_rules! json_members {
    ($map:ident ()) => {};
    ($map:ident ($($name:tt)+) : null $(, $($rest:tt)*)?) => {
        $map.insert($($name)+, $crate::json!(null));
        $crate::json_members!($map () $($($rest)*)?);
    };
    ($map:ident ($($name:tt)+) : [ $($items:tt)* ] $(, $($rest:tt)*)?) => {
        $map.insert($($name)+, $crate::json!([ $($items)* ]));
        $crate::json_members!($map () $($($rest)*)?);
    };
    ($map:ident ($($name:tt)+) : { $($members:tt)* } $(, $($rest:tt)*)?) => {
        $map.insert($($name)+, $crate::json!({ $($members)* }));
        $crate::json_members!($map () $($($rest)*)?);
    };
    ($map:ident ($($name:tt)+) : $value:expr $(, $($rest:tt)*)?) => {
        $map.insert($($name)+, $crate::json!($value));
        $crate::json_members!($map () $($($rest)*)?);
    };
    ($map:ident ($($name:tt)*) $next:tt $($rest:tt)*) => {
        $crate::json_members!($map ($($name)* $next) $($rest)*);
    };
}
