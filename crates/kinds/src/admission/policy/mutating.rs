//! Evaluates a MutatingAdmissionPolicy for a request.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::types::Names;
use super::values::{Inputs, conditions};
use crate::api::json::{Map, Value};
use crate::api::patch::apply::{atomics, merged, mistyped};
use crate::api::patch::json::{self as json_patch, JsonPatchError, StepError};
use crate::api::patch::shape::Untyped;
use crate::cel::{self, Type};
use crate::custom::program;
use crate::kind::Kind;
use crate::schema::patch_shape;
use crate::tree::{field, list, text};

/// The type name of the object in an ApplyConfiguration.
const OBJECT: &str = "Object";

/// The type of an operation of a JSON patch.
const JSON_PATCH: &str = "JSONPatch";

/// Returns the names that mutations can use, which also include the types for literals.
pub(crate) fn names(names: &Names) -> Names {
    let operation = [
        ("op", Type::Text),
        ("path", Type::Text),
        ("from", Type::Text),
        ("value", Type::Dyn),
    ];
    let operation = operation.map(|(name, ty)| (name.to_owned(), ty));
    let operation = Type::Object(Arc::new(BTreeMap::from(operation)));
    let mut names = names.clone();
    // A policy may match several kinds, so the fields of the object are checked only when the patch is applied.
    names.push((OBJECT, Type::Message(Arc::new(Type::Dyn))));
    names.push((JSON_PATCH, Type::Message(Arc::new(operation))));
    names
}

/// Returns the type that the expression of a patch must have.
pub(crate) fn result(patch: &str) -> Type {
    match patch {
        "ApplyConfiguration" => Type::Made(OBJECT.into()),
        _ => Type::list(Type::Made(JSON_PATCH.into())),
    }
}

/// Returns true if the match conditions of a policy are true.
///
/// # Errors
/// Returns the errors if they prevent a decision and the policy fails closed.
pub fn applies(spec: &Value, inputs: &mut Inputs) -> Result<bool, String> {
    match conditions(list(spec, "matchConditions"), inputs) {
        Err(e) if text(spec, "failurePolicy") != "Ignore" => Err(e),
        // A policy that ignores failures does not apply if its conditions fail.
        outcome => Ok(outcome.unwrap_or(false)),
    }
}

/// Returns the object after one mutation of a policy; `kind` is `None` for the body of a subresource.
///
/// # Errors
/// Returns the reason why the mutation has no result.
pub fn mutate(
    kind: Option<&Kind>,
    object: &Value,
    mutation: &Value,
    inputs: &mut Inputs,
) -> Result<Value, String> {
    match text(mutation, "patchType") {
        "ApplyConfiguration" => {
            let expression = text(field(mutation, "applyConfiguration"), "expression");
            apply_configuration(kind, object, expression, inputs)
        }
        _ => {
            let expression = text(field(mutation, "jsonPatch"), "expression");
            json_patch(object, expression, inputs)
        }
    }
}

fn apply_configuration(
    kind: Option<&Kind>,
    object: &Value,
    expression: &str,
    inputs: &mut Inputs,
) -> Result<Value, String> {
    let made = inputs.eval(expression)?;
    // The type checker does not follow dynamic values. Like upstream, compare the names on use.
    if let Some(wrong) = program(expression).ok().and_then(|p| p.misnamed(OBJECT)) {
        return Err(format!("type mismatch: {wrong}"));
    }
    let Value::Object(mut config) = plain(&made)? else {
        return Err(format!(
            "unsupported return type from ApplyConfiguration expression: {}",
            made.type_name()
        ));
    };
    // The configuration gets the type of the object, which expressions cannot set.
    for name in ["apiVersion", "kind"] {
        config.insert(name, field(object, name).clone());
    }
    let config = Value::Object(config);
    let shape = kind.and_then(patch_shape);
    // Fields that the kind does not have would later be dropped silently.
    if let Some(why) = shape.as_ref().and_then(|shape| mistyped(&config, shape)) {
        return Err(format!(
            "error applying patch: failed to convert patch object to typed object: {why}"
        ));
    }
    let found = match &shape {
        Some(shape) => atomics(&config, shape),
        None => atomics(&config, &Untyped),
    };
    // An apply would remove the fields of an atomic value that the author of the policy omitted.
    if !found.is_empty() {
        let found = found.join(", ");
        return Err(format!(
            "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: {found}"
        ));
    }
    Ok(match &shape {
        Some(shape) => merged(object, &config, shape),
        None => merged(object, &config, &Untyped),
    })
}

fn json_patch(object: &Value, expression: &str, inputs: &mut Inputs) -> Result<Value, String> {
    let made = inputs.eval(expression)?;
    let patch = plain(&made)?;
    let mut new = object.clone();
    match json_patch::apply(&mut new, &patch) {
        Ok(()) => Ok(new),
        // A failed `test` means that the patch does not apply to this object.
        Err(JsonPatchError::Rejected(StepError::TestFailed(_))) => Ok(object.clone()),
        Err(JsonPatchError::Rejected(step)) => Err(format!("JSON Patch: {step}")),
        Err(other) => Err(format!("JSON Patch: {other}")),
    }
}

/// Converts the value of an expression to JSON.
fn plain(value: &cel::Value) -> Result<Value, String> {
    Ok(match value {
        cel::Value::Null => Value::Null,
        cel::Value::Bool(flag) => Value::from(*flag),
        cel::Value::Int(number) => Value::from(*number),
        cel::Value::Uint(number) => Value::from(*number),
        cel::Value::Double(number) => Value::from(*number),
        cel::Value::Text(text) => Value::from(&**text),
        cel::Value::List(list) => {
            let items: Result<Vec<Value>, _> = list.items.iter().map(plain).collect();
            Value::Array(items?.into())
        }
        cel::Value::Map(map) => {
            let mut out = Map::new();
            for (key, value) in map.iter() {
                let cel::value::Key::Text(name) = key else {
                    return Err(
                        "unsupported key type of a map: only strings are field names".to_owned(),
                    );
                };
                out.insert(&**name, plain(value)?);
            }
            Value::Object(out)
        }
        cel::Value::Quantity(quantity) => Value::from(quantity.to_string()),
        cel::Value::Timestamp(time) => Value::from(time.to_string()),
        cel::Value::Optional(Some(value)) => plain(value)?,
        other => {
            return Err(format!(
                "unsupported type in a patch: {}",
                other.type_name()
            ));
        }
    })
}
