//! The properties of an object's type that a patch needs: which maps and lists merge, and by which
//! keys.
//!
//! A [`Shape`] is a cheap handle on the type of one value. The table of built-in kinds and the schemas
//! of custom resources each implement it elsewhere; [`Untyped`] is the shape of a custom resource whose
//! schema says nothing: maps merge, lists are replaced.

use crate::json::Value;

/// The type of one value, as far as patches ask.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_api::patch::shape::{Form, ListForm, Scalar, Shape, Strategy};
/// use ctl_api::patch::strategic;
///
/// /// `{"ports": [{"port": .., "name": ..}]}`, where a port identifies an item.
/// #[derive(Clone)]
/// enum Service {
///     Whole,
///     Ports,
///     Port,
///     Leaf,
/// }
///
/// impl Shape for Service {
///     fn form(&self) -> Form {
///         match self {
///             Self::Whole | Self::Port => Form::Struct,
///             Self::Ports => Form::List(ListForm::Map),
///             Self::Leaf => Form::Scalar(Scalar::Any),
///         }
///     }
///
///     fn field(&self, name: &str) -> Option<Self> {
///         match (self, name) {
///             (Self::Whole, "ports") => Some(Self::Ports),
///             (Self::Port, "port" | "name") => Some(Self::Leaf),
///             _ => None,
///         }
///     }
///
///     fn element(&self) -> Option<Self> {
///         matches!(self, Self::Ports).then_some(Self::Port)
///     }
///
///     fn strategy(&self) -> Strategy<'_> {
///         match self {
///             Self::Ports => Strategy::new(["merge"], Some("port")),
///             _ => Strategy::default(),
///         }
///     }
/// }
///
/// let service = json!({"ports": [{"port": 80, "name": "http"}]});
/// let patch = json!({"ports": [{"port": 80, "name": "web"}, {"port": 443}]});
/// let patched = strategic::apply(service, &patch, &Service::Whole)?;
/// assert_eq!(patched["ports"].as_array().map(|ports| ports.len()), Some(2));
/// # Ok::<(), ctl_api::patch::strategic::StrategicError>(())
/// ```
pub trait Shape: Clone {
    /// Returns the kind of the value and how server-side apply merges it.
    fn form(&self) -> Form;

    /// The declared field `name` of an object, with what is said at the field (not only at its type).
    fn field(&self, name: &str) -> Option<Self>;

    /// The shape of a list's items or a map's values; for [`Form::Any`], of everything in it.
    fn element(&self) -> Option<Self>;

    /// The name of the field that this is the shape of, where it is one of a schema that lasts.
    fn name(&self) -> Option<&'static str> {
        None
    }

    /// The fields that identify an item of a [`ListForm::Map`].
    fn list_keys(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// The value that counts when the field is missing, as JSON.
    ///
    /// Asked only of the fields that identify list items.
    fn default_value(&self) -> Option<Value> {
        None
    }

    /// Returns how a strategic merge patch treats this field.
    fn strategy(&self) -> Strategy<'_> {
        Strategy::default()
    }
}

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Text, number or truth value.
    Scalar(Scalar),
    /// An object with declared fields only.
    Struct,
    /// A map from any text, merged key by key.
    Map,
    /// An object or map that is replaced as a whole.
    AtomicMap,
    /// A list.
    List(ListForm),
    /// Anything: maps merge, lists and scalars are replaced.
    Any,
    /// Anything, replaced as a whole.
    Atomic,
}

/// The kind of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    /// Text.
    String,
    /// Integer or floating point.
    Number,
    /// True or false.
    Boolean,
    /// Any of them.
    Any,
}

/// How server-side apply merges a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListForm {
    /// Replaced as a whole.
    Atomic,
    /// Scalars, each at most once.
    Set,
    /// Objects, found by [`Shape::list_keys`].
    Map,
}

/// How a strategic merge patch treats a field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Strategy<'a> {
    /// A list merges item by item (`merge`).
    pub merge: bool,
    /// A map is replaced as a whole (`replace`).
    pub replace: bool,
    /// A patch names the fields to keep (`retainKeys`).
    pub retain_keys: bool,
    /// The field by which items of a merging list are found; none for lists of scalars.
    pub merge_key: Option<&'a str>,
}

impl<'a> Strategy<'a> {
    /// Reads the strategies and the merge key as Kubernetes' schemas state them.
    pub fn new(strategies: impl IntoIterator<Item = &'a str>, merge_key: Option<&'a str>) -> Self {
        let mut found = Self {
            merge_key,
            ..Self::default()
        };
        for name in strategies {
            match name {
                "merge" => found.merge = true,
                "replace" => found.replace = true,
                "retainKeys" => found.retain_keys = true,
                // Unknown strategies are left out: a newer schema must still be readable.
                _ => {}
            }
        }
        found
    }
}

/// The shape of a value of which nothing is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Untyped;

impl Shape for Untyped {
    fn form(&self) -> Form {
        Form::Any
    }

    fn field(&self, _: &str) -> Option<Self> {
        None
    }

    fn element(&self) -> Option<Self> {
        Some(Self)
    }
}

/// The shape of `name` in a value of this shape, declared or not; none where nothing is known.
pub(super) fn child<S: Shape>(shape: Option<&S>, name: &str) -> Option<S> {
    let shape = shape?;
    shape.field(name).or_else(|| shape.element())
}
