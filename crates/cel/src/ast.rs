//! The syntax tree of a CEL expression.

use super::value::Value;

/// An expression with its position in the source, in characters.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) at: usize,
    pub(super) node: Node,
}

/// The kinds of expressions. An operator is a call of a function with a name such as `_+_`.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Literal(Value),
    Name(String),
    /// `of.field`, `of.?field`, or `has(of.field)`.
    Select {
        of: Box<Expr>,
        field: String,
        how: Select,
    },
    Call {
        target: Option<Box<Expr>>,
        name: String,
        args: Vec<Expr>,
    },
    /// The items. An optional item (`?x`) is omitted if it has no value.
    List(Vec<(bool, Expr)>),
    Map(Vec<(bool, Expr, Expr)>),
    /// An object literal: `Object.metadata{labels: ...}`.
    Message {
        name: String,
        fields: Vec<MessageField>,
    },
    /// A macro over the items of a list or the keys of a map.
    Fold(Box<Fold>),
    /// An expression that binds a name to the content of an optional: `optMap`.
    Bind {
        name: String,
        value: Box<Expr>,
        body: Box<Expr>,
        how: Bind,
    },
}

/// A field of an object literal.
#[derive(Clone, Debug)]
pub(super) struct MessageField {
    pub(super) at: usize,
    /// True if the field is omitted when its optional has no value.
    pub(super) optional: bool,
    pub(super) name: String,
    pub(super) value: Expr,
}

/// How a field is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Select {
    Plain,
    Optional,
    Test,
}

/// The macro that binds a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bind {
    Map,
    FlatMap,
}

/// A macro that iterates over a list or a map.
#[derive(Clone, Debug)]
pub(super) struct Fold {
    pub(super) kind: FoldKind,
    pub(super) range: Expr,
    /// One variable, or two: index and item, or key and value.
    pub(super) names: Vec<String>,
    /// The condition, if any.
    pub(super) filter: Option<Expr>,
    /// The result for each item, if any; for map entries, with the key.
    pub(super) result: Option<Expr>,
}

/// The macros that iterate over a list or a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FoldKind {
    All,
    Exists,
    ExistsOne,
    Filter,
    Map,
    TransformMap,
    TransformMapEntry,
    SortBy,
}
