//! The errors of strategic merge patches, in the API server's words.

use thiserror::Error;

use crate::json::{Map, Value};
use crate::patch::go::{self, GoValue};

/// The reason for not applying or not computing a strategic merge patch.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_api::patch::shape::Untyped;
/// use ctl_api::patch::strategic::{StrategicError, apply};
///
/// let patch = json!({"$patch": "unknown"});
/// let refused: Result<_, StrategicError> = apply(json!({"a": 1}), &patch, &Untyped);
/// assert!(matches!(refused, Err(StrategicError::UnknownDirective { .. })));
/// ```
#[derive(Debug, Clone, Error, PartialEq, Eq)]
pub enum StrategicError {
    /// The patch or the object is not a JSON object (400 BadRequest).
    #[error("json: cannot unmarshal {0} into Go value of type map[string]interface {{}}")]
    NotAnObject(&'static str),
    /// An item of a merging list lacks its merge key.
    #[error("map: {item} does not contain declared merge key: {key}")]
    NoMergeKey {
        /// The item as Go prints it.
        item: String,
        /// The merge key.
        key: String,
    },
    /// `$patch` is not a valid directive.
    #[error("unknown patch type: {directive} in map: {map}")]
    UnknownDirective {
        /// The directive as written.
        directive: String,
        /// The map that contains it, as Go prints it.
        map: String,
    },
    /// A value has an unexpected type.
    #[error("expected a {expected}, but received a {received}")]
    WrongType {
        /// Go's name of the expected type.
        expected: &'static str,
        /// Go's name of the type found.
        received: &'static str,
    },
    /// The items of a merging list are of different types.
    #[error("list element types are not identical: {0}")]
    MixedList(String),
    /// An item of a merging list is a list.
    #[error("lists of lists are not supported")]
    ListOfLists,
    /// A merging list contains objects, but its schema has no merge key.
    #[error("cannot merge lists without merge key for type struct")]
    ListWithoutKey,
    /// `$patch: merge` in a list.
    #[error("merging lists cannot yet be specified in the patch")]
    MergeDirective,
    /// `$retainKeys` is not a list.
    #[error("invalid patch format of retainKeys")]
    BadRetainKeys,
    /// The patch sets a field that its `$retainKeys` does not list.
    #[error("patch content doesn't match retainKeys list")]
    OutsideRetainKeys,
    /// `$setElementOrder` is not a list, or its key names no field.
    #[error("invalid patch format of setElementOrder list")]
    BadElementOrder,
    /// `$deleteFromPrimitiveList` is not a list, or its key names no field.
    #[error("invalid patch format of primitive list")]
    BadDeletionList,
    /// The patch's items are in a different order from `$setElementOrder`.
    #[error("The order in patch list:\n{patch}\n doesn't match $setElementOrder list:\n{order}\n")]
    OrderMismatch {
        /// The patch's items as Go prints them.
        patch: String,
        /// The order as Go prints it.
        order: String,
    },
    /// `$patch` in a compared document is not a string.
    #[error("invalid value for special key: $patch")]
    BadMarker,
}

impl StrategicError {
    pub(in crate::patch) fn no_merge_key(item: &Map, key: &str) -> Self {
        Self::NoMergeKey {
            item: GoValue(&Value::Object(item.clone())).to_string(),
            key: key.into(),
        }
    }

    pub(super) fn unknown_directive(directive: &Value, map: &Map) -> Self {
        Self::UnknownDirective {
            directive: GoValue(directive).to_string(),
            map: GoValue(&Value::Object(map.clone())).to_string(),
        }
    }

    pub(in crate::patch) fn not_a_map(value: &Value) -> Self {
        Self::WrongType {
            expected: "map[string]interface {}",
            received: go::type_name(value),
        }
    }

    pub(super) fn not_a_list(value: &Value) -> Self {
        Self::WrongType {
            expected: "[]interface {}",
            received: go::type_name(value),
        }
    }
}
