//! The syntax tree of a CEL expression.

use super::value::Value;

/// An expression with where it stands in the text, in characters.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) at: usize,
    pub(super) node: Node,
}

/// The kinds of expressions. Operators are calls of functions with names such as `_+_`.
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
    /// Items; optional ones (`?x`) are left out where they have no value.
    List(Vec<(bool, Expr)>),
    Map(Vec<(bool, Expr, Expr)>),
    /// An object that is written out: `Object.metadata{labels: ...}`.
    Message {
        name: String,
        fields: Vec<MessageField>,
    },
    /// A macro over the items of a list or the keys of a map.
    Fold(Box<Fold>),
    /// A value with a name for an expression: `cel.bind`, and `optMap` of what an optional holds.
    Bind {
        name: String,
        value: Box<Expr>,
        body: Box<Expr>,
        how: Bind,
    },
}

/// A field of an object that is written out.
#[derive(Clone, Debug)]
pub(super) struct MessageField {
    pub(super) at: usize,
    /// True if it is left out where the value is an optional without one.
    pub(super) optional: bool,
    pub(super) name: String,
    pub(super) value: Expr,
}

/// How a field is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Select {
    Plain,
    Optional,
    Test,
}

/// Which macro binds a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bind {
    Plain,
    Map,
    FlatMap,
}

/// A macro that goes through a list or a map.
#[derive(Clone, Debug)]
pub(super) struct Fold {
    pub(super) kind: FoldKind,
    pub(super) range: Expr,
    /// One name, or two: index and item, or key and value.
    pub(super) names: Vec<String>,
    /// The condition, where there is one.
    pub(super) filter: Option<Expr>,
    /// The result for an item, if there is one; for a map entry also its key.
    pub(super) result: Option<Expr>,
}

/// The macros that go through a list or a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FoldKind {
    All,
    Exists,
    ExistsOne,
    Filter,
    Map,
    TransformMap,
}
