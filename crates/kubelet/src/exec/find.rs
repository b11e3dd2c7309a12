//! The function by which a container finds the objects that its variables and files come from.

use crate::api::json::Value;

/// Finds an object by resource, namespace and name. Without a name, returns the list for the namespace.
pub type Find<'a> = dyn Fn(&str, &str, &str) -> Option<Value> + 'a;
