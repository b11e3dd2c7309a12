//! Patching objects: JSON, merge and strategic merge patches.

use std::borrow::Cow;

use crate::api::go::{GoValue, quoted};
use crate::api::json::{Map, Text, Value};
use crate::api::patch::json::JsonPatchError;
use crate::api::patch::strategic::StrategicError;
use crate::api::patch::{json, merge, strategic};
use crate::api::status::{Cause, CauseReason, Status};
use crate::commit::step::{Decided, Step};
use crate::context::Context;
use crate::entry::Admitted;
use crate::kinds::schema::{decode, strategic_shape, unstructured};
use crate::kinds::shape::Decoded;
use crate::kinds::warnings::of_finalizers;
use crate::kinds::{Kind, shape, strategy};
use crate::objects;
use crate::objects::seconds;
use crate::request::PatchType;
use crate::request::Place;
use crate::request::options::{FieldValidation, WriteOptions};
use crate::request::part::Part;
use crate::request::response::ApiError;
use crate::rules::admission::{self, Update};
use crate::store::View;
use crate::verbs::current::current;
use crate::verbs::owners;
use crate::verbs::write::{by, changed, kept_or_gone, unknown, update_warnings};

pub(crate) fn patch_step<'s>(
    context: &'s Context,
    at: Admitted<'s>,
    how: PatchType,
    patch: &'s Value,
    part: Part,
) -> Result<Step<'s>, ApiError> {
    let (place, name, options) = (at.place(), at.name(), at.options());
    options.check("PatchOptions")?;
    let key = objects::key(place, name)?;
    let seed = context.seed();
    // Applied under the lock to the current state, so that patches without a version never conflict.
    let decide = move |view: &dyn View| {
        let (revision, old) =
            current(view, &key, &at)?.ok_or_else(|| objects::not_found(place.kind, name))?;
        // The result is decoded as if it had been sent, so that unknown fields and wrong types are found.
        let mut decoded = patched(place.kind, &old, how, patch, options)?;
        let repeated = owners::deduplicate(&mut decoded.object, owners::PATCHED);
        check_identity(place, name, &decoded.object, &old)?;
        let mut warnings = unknown(&decoded, options);
        warnings.extend(repeated);
        at.replies().warn(warnings.clone());
        let time = seconds(view);
        let by = by(options, part.name(), &time);
        let new = changed(
            view,
            place,
            &old,
            decoded.object,
            part,
            at.author(),
            Some(by),
        )?;
        // A patch is an update, which warns less than the creation of the same object.
        warnings.extend(update_warnings(place.kind, part, &new, &old));
        warnings.extend(of_finalizers(place.kind, &new, Some(&old)));
        let update = Update {
            new: &new,
            old: &old,
        };
        let (author, noted) = (at.author(), &mut warnings);
        let also = admission::updated(view, place, part, update, author, seed, noted)?;
        let ends = strategy::deletion::ends(place.kind, &new, &old);
        Ok(Decided {
            warnings,
            also,
            ..kept_or_gone(&key, revision, new, ends).into()
        })
    };
    Ok(Step::new(at, part.patched(), decide))
}

impl PatchType {
    /// Applies a patch to an object, without defaults, admission or a check of the types.
    ///
    /// # Errors
    /// The server's error if the patch does not apply.
    pub fn apply(self, kind: &Kind, old: &Value, patch: &Value) -> Result<Value, ApiError> {
        let mut new = old.clone();
        match self {
            PatchType::Json => json::apply(&mut new, patch).map_err(|e| refused(&e))?,
            PatchType::Merge => {
                merge::check(patch).map_err(|e| Status::bad_request(e.to_string()))?;
                if !patch.is_null() {
                    merge::apply_request(&mut new, patch);
                }
            }
            PatchType::Strategic => {
                let shape = strategic_shape(kind).ok_or_else(unsupported)?;
                new = strategic::apply(new, patch, &shape).map_err(|e| not_merged(&e))?;
            }
        }
        Ok(new)
    }
}

/// Applies a patch to an object of a kind, which may be the body of a subresource. A patch without a resource version
/// applies to any version.
///
/// # Errors
/// The server's error if the patch does not apply, or its result is not such an object.
pub(crate) fn patched(
    kind: &Kind,
    old: &Value,
    how: PatchType,
    patch: &Value,
    options: &WriteOptions,
) -> Result<Decoded, ApiError> {
    let mut new = how.apply(kind, old, patch)?;
    // The server quotes a strategic patch as Go prints a map, and for the other types the resulting object.
    let shown = |new: &Value| match how {
        PatchType::Strategic => GoValue(&without_secrets(kind, patch)).to_string(),
        _ => as_sent(&without_secrets(kind, new), touches_metadata(how, patch)),
    };
    // The server merges a strategic patch as a map first, so that wrong types show before the object is decoded.
    if how == PatchType::Strategic
        && let Some(why) = unstructured::mismatch(kind, &new)
    {
        return Err(unfit(&shown(&new), &why).into());
    }
    if how == PatchType::Strategic {
        // The map becomes an object of the resource's type, whatever it says about that.
        for name in ["apiVersion", "kind"] {
            new[name] = old[name].clone();
        }
    }
    let mut decoded = shape::read(kind, &new).map_err(|e| unfit(&shown(&new), why(&e.message)))?;
    if options.field_validation == FieldValidation::Strict {
        let unknown = decoded
            .unknown
            .iter()
            .map(|path| decode::unknown_field(path));
        let problems: Vec<String> = options.complaints.iter().cloned().chain(unknown).collect();
        if !problems.is_empty() {
            let all = format!("strict decoding error: {}", problems.join(", "));
            return Err(unfit(&shown(&new), &all).into());
        }
    }
    if objects::meta(&decoded.object, "resourceVersion").is_empty() {
        // A patch is applied to the current state, so without a version it cannot conflict.
        let version = old["metadata"]["resourceVersion"].clone();
        decoded.object["metadata"]["resourceVersion"] = version;
    }
    Ok(decoded)
}

/// Checks identity as for any update, except that another uid is an invalid change of an immutable field and not a
/// failed precondition.
pub(super) fn check_identity(
    place: &Place,
    name: &str,
    new: &Value,
    old: &Value,
) -> Result<(), Status> {
    // Annotations and managed fields can be large and play no part in the checks.
    let kept = |name: &str| !matches!(name, "uid" | "managedFields" | "annotations");
    let metadata = new["metadata"].as_object().into_iter().flatten();
    let metadata: Map = metadata
        .filter(|(name, _)| kept(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let identity = Map::from_iter([("metadata".to_owned(), Value::Object(metadata))]);
    let identity = Value::Object(identity);
    strategy::check_update(place.kind, &identity, old, name, &place.namespace)
}

/// Returns the decoder's reason without its description of the request.
fn why(message: &str) -> &str {
    let (_, after) = message
        .split_once(" cannot be handled as a ")
        .unwrap_or(("", message));
    after.split_once(": ").map_or(message, |(_, why)| why)
}

/// Returns a Secret, or a patch of one, in a form for messages.
fn without_secrets<'v>(kind: &Kind, value: &'v Value) -> Cow<'v, Value> {
    if !kind.is_confidential() {
        return Cow::Borrowed(value);
    }
    let mut shown = value.clone();
    for name in ["data", "stringData"] {
        match shown.get_mut(name) {
            Some(Value::Object(data)) => {
                // Errors end up in terminals and logs.
                data.values_mut().for_each(|value| *value = "***".into());
            }
            Some(other) => *other = "***".into(),
            None => {}
        }
    }
    Cow::Owned(shown)
}

/// Returns a 422 without an object: the result of the patch cannot be read.
fn unfit(shown: &str, why: &str) -> Status {
    let cause = Cause {
        reason: CauseReason::Invalid,
        field: "patch".to_owned(),
        message: format!("Invalid value: {}: {why}", quoted(shown)),
    };
    Status::invalid("", "", "", vec![cause])
}

/// Returns the server's text for a JSON patch that does not apply.
fn refused(error: &JsonPatchError) -> Status {
    match error {
        JsonPatchError::Decode(_) => Status::bad_request(error.to_string()),
        JsonPatchError::TooManyOperations(_) => Status {
            code: 413,
            reason: "RequestEntityTooLarge",
            ..Status::bad_request(error.to_string())
        },
        // kube-apiserver hides the reason of a failed step: the caller learns only that the patch was rejected.
        JsonPatchError::Rejected(_) => unprocessable(),
    }
}

/// Returns a 422 for errors without a reason in the server's response.
fn unprocessable() -> Status {
    Status {
        code: 422,
        reason: "Invalid",
        // Empty, but present, as on the real server.
        details: Some(Box::default()),
        ..Status::bad_request("the server rejected our request due to an error in our request")
    }
}

fn not_merged(error: &StrategicError) -> Status {
    match error {
        StrategicError::NotAnObject(_)
        | StrategicError::BadDeletionList
        | StrategicError::BadElementOrder
        | StrategicError::BadRetainKeys => Status::bad_request(error.to_string()),
        StrategicError::ListOfLists | StrategicError::OutsideRetainKeys => unprocessable(),
        _ => Status::internal(error.to_string()),
    }
}

/// Returns the error for a strategic merge patch of a custom resource.
pub(super) fn unsupported() -> Status {
    Status {
        code: 415,
        reason: "UnsupportedMediaType",
        ..Status::bad_request(
            "the body of the request was in an unknown format - accepted media types include: \
             application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
        )
    }
}

fn touches_metadata(how: PatchType, patch: &Value) -> bool {
    match how {
        PatchType::Json => patch.as_array().into_iter().flatten().any(|step| {
            let at = |field: &str| step[field].as_str().unwrap_or_default();
            at("path").starts_with("/metadata") || at("from").starts_with("/metadata")
        }),
        _ => patch.get("metadata").is_some(),
    }
}

/// Returns a patched object as the server quotes it: sorted, with the metadata in the order of its type unless the
/// patch touched it.
fn as_sent(object: &Value, metadata_touched: bool) -> String {
    let mut out = String::from("{");
    for (i, (name, value)) in object.as_object().into_iter().flatten().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        let value = match name.as_str() {
            "metadata" if !metadata_touched => in_order(value, METADATA),
            _ => value.to_string(),
        };
        out.push_str(&format!("{comma}{}:{value}", Value::from(name.as_str())));
    }
    out.push('}');
    crate::api::go::escaped_json(out)
}

const METADATA: &[&str] = &[
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
];

const MANAGED: &[&str] = &[
    "manager",
    "operation",
    "apiVersion",
    "time",
    "fieldsType",
    "fieldsV1",
    "subresource",
];

fn in_order(value: &Value, order: &[&str]) -> String {
    let Some(fields) = value.as_object() else {
        return value.to_string();
    };
    // Fields unknown to the type were dropped before; the default only keeps the order total.
    let place = |name: &str| order.iter().position(|o| *o == name).unwrap_or(order.len());
    let mut names: Vec<&Text> = fields.keys().collect();
    names.sort_by_key(|name| place(name));
    let one = |name: &&Text| {
        let value = &fields[name.as_str()];
        let text = match (name.as_str(), value.as_array()) {
            ("managedFields", Some(entries)) => {
                let entries: Vec<_> = entries.iter().map(|e| in_order(e, MANAGED)).collect();
                format!("[{}]", entries.join(","))
            }
            _ => value.to_string(),
        };
        format!("{}:{text}", Value::from(name.as_str()))
    };
    let fields: Vec<_> = names.iter().map(one).collect();
    format!("{{{}}}", fields.join(","))
}

#[cfg(test)]
mod table;
#[cfg(test)]
mod tests;
