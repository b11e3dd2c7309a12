//! The type information that a patch needs: which maps and lists merge, and by which keys.
//!
//! A [`Shape`] is a cheap handle on the type of one value. The table of built-in kinds and the schemas of custom
//! resources implement it elsewhere. [`Untyped`] is the shape of a custom resource without a schema: maps merge, lists
//! are replaced.
//! merge, lists are replaced.

use crate::json::Value;

/// The type of one value, as far as patches need it.
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
    /// Returns the form of the value, which determines how server-side apply merges it.
    fn form(&self) -> Form;

    /// Returns the shape of the declared field `name`, including the properties of the field itself.
    fn field(&self, name: &str) -> Option<Self>;

    /// Returns the shape of a list's items or a map's values; for [`Form::Any`], that of everything inside.
    fn element(&self) -> Option<Self>;

    /// Returns the name of the field with this shape, if its schema lives as long as the process.
    fn name(&self) -> Option<&'static str> {
        None
    }

    /// Returns the fields that identify an item of a [`ListForm::Map`].
    fn list_keys(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Returns the JSON value that a missing field defaults to.
    ///
    /// Used only for fields that identify list items.
    fn default_value(&self) -> Option<Value> {
        None
    }

    /// Returns how a strategic merge patch treats this field.
    fn strategy(&self) -> Strategy<'_> {
        Strategy::default()
    }
}

/// The form of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A string, number or boolean.
    Scalar(Scalar),
    /// An object with declared fields only.
    Struct,
    /// A map with arbitrary keys, merged key by key.
    Map,
    /// An object or map that is replaced as a whole.
    AtomicMap,
    /// A list.
    List(ListForm),
    /// Any value: maps merge, lists and scalars are replaced.
    Any,
    /// Any value, replaced as a whole.
    Atomic,
}

/// The type of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    /// A string.
    String,
    /// An integer or a floating-point number.
    Number,
    /// A boolean.
    Boolean,
    /// Any scalar.
    Any,
}

/// How server-side apply treats a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListForm {
    /// Replaced as a whole.
    Atomic,
    /// Unique scalars.
    Set,
    /// Objects identified by [`Shape::list_keys`].
    Map,
}

/// How a strategic merge patch treats a field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Strategy<'a> {
    /// True if the list merges item by item (`merge`).
    pub merge: bool,
    /// True if the map is replaced as a whole (`replace`).
    pub replace: bool,
    /// True if a patch lists the fields to keep (`retainKeys`).
    pub retain_keys: bool,
    /// The field that identifies the items of a merging list; `None` for lists of scalars.
    pub merge_key: Option<&'a str>,
}

impl<'a> Strategy<'a> {
    /// Returns the strategy for a Kubernetes schema's patch strategies and merge key.
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
                // Unknown strategies are ignored, so that newer schemas can be read.
                _ => {}
            }
        }
        found
    }
}

/// The shape of a value without a schema.
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

/// Returns the shape of the field `name`, declared or not; `None` without a schema.
pub(super) fn child<S: Shape>(shape: Option<&S>, name: &str) -> Option<S> {
    let shape = shape?;
    shape.field(name).or_else(|| shape.element())
}
