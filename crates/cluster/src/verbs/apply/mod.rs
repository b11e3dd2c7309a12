//! Server-side apply: the configuration of one manager becomes part of an object.

use std::borrow::Cow;

use crate::api::json::Value;
use crate::api::status::{Cause, CauseReason, Status};
use crate::commit::step::{Decided, Decision, Step};
use crate::context::Context;
use crate::entry::{self, Admitted};
use crate::kinds::warnings::{of, of_finalizers};
use crate::kinds::{Kind, shape, strategy};
use crate::objects;
use crate::objects::seconds;
use crate::request::Place;
use crate::request::options::WriteOptions;
use crate::request::part::Part;
use crate::request::response::ApiError;
use crate::rules::admission::Update;
use crate::rules::managed::FieldWriter;
use crate::rules::{admission, managed};
use crate::store::{Expect, Stored, View};
use crate::verbs::patch::check_identity;
use crate::verbs::write::{Origin, changed, kept_or_gone, new_object, update_warnings};
use crate::webhooks::conversion;

pub(crate) fn apply_step<'s>(
    context: &'s Context,
    at: Admitted<'s>,
    config: Cow<'s, Value>,
    part: Part,
    force: bool,
) -> Result<Step<'s>, ApiError> {
    let (place, name, options) = (at.place(), at.name(), at.options());
    check_options(options)?;
    check_type(place.kind, &config)?;
    let key = objects::key(place, name)?;
    let seed = context.seed();
    // The object's existence is known only in the commit. The right to create it is checked before, and used there.
    let refused_create = entry::refused_create(context, &at)?;
    let decide = move |view: &dyn View| {
        let stored = view.get(&key)?;
        let shown = |stored: &Stored| {
            let object = objects::shown(stored)?;
            conversion::decided(Some(at.replies()), view, place.kind, object)
        };
        let old = stored.as_ref().map(shown).transpose()?;
        // A subresource is never created through its own path.
        if old.is_none() && part != Part::Whole {
            return Err(objects::not_found(place.kind, name));
        }
        let merged = managed::applied(
            place.kind,
            old.as_ref(),
            &config,
            FieldWriter {
                manager: options.manager(),
                subresource: part.name(),
                time: &seconds(view),
            },
            force,
        )?;
        if old.is_none() {
            check_new(place, name, &merged)?;
        }
        let labeled = strategy::labeled(&merged);
        let decoded = shape::read_own(place.kind, merged)?;
        let mut warnings = decoded.unknown_fields();
        at.replies().warn(decoded.unknown_fields());
        let mut noted = |told: Vec<String>, new: &Value, old: Option<&Value>| {
            warnings.extend(told);
            warnings.extend(of_finalizers(place.kind, new, old));
        };
        let (decision, also) = match old.as_ref().zip(stored.as_ref()) {
            None => {
                // An apply that creates needs the verb `create` as well as `patch`.
                if let Some(status) = &refused_create {
                    return Err(status.clone().into());
                }
                let origin = Origin {
                    author: at.author(),
                    seed,
                    by: None,
                    labeled,
                };
                let told = of(place.kind, &decoded.object);
                let object = new_object(view, place, decoded.object, &origin)?;
                noted(told, &object, None);
                let noted = &mut warnings;
                let also = admission::created(view, place, &object, at.author(), seed, noted)
                    .map_err(|e| e.warned(noted))?;
                (Decision::Put(key.clone(), Expect::Absent, object), also)
            }
            Some((old, stored)) => {
                let new = decoded.object;
                check_identity(place, name, &new, old)?;
                let new = changed(view, place, old, new, part, at.author(), None)?;
                let told = update_warnings(place.kind, part, &new, old);
                noted(told, &new, Some(old));
                let update = Update { new: &new, old };
                let (author, noted) = (at.author(), &mut warnings);
                let also = admission::updated(view, place, part, update, author, seed, noted)?;
                let ends = strategy::deletion::ends(place.kind, &new, old);
                let decision = kept_or_gone(&key, stored.revision, new, ends);
                (decision, also)
            }
        };
        Ok(Decided {
            decision,
            also,
            warnings,
        })
    };
    Ok(Step::new(at, part.applied(), decide))
}

/// Checks the object that a configuration creates.
fn check_new(place: &Place, name: &str, merged: &Value) -> Result<(), Status> {
    let uid = objects::meta(merged, "uid");
    if !uid.is_empty() {
        let why = format!(
            "uid mismatch: the provided object specified uid {uid}, and no existing object was \
             found"
        );
        return Err(Status::conflict(
            &place.kind.qualified_resource(),
            name,
            &why,
        ));
    }
    check_name(place, name, merged)
}

fn check_options(options: &WriteOptions) -> Result<(), Status> {
    // A name is required only here: the fields need an owner that the next apply can find again.
    if !options.field_manager.is_empty() {
        return options.check("PatchOptions");
    }
    let cause = Cause {
        reason: CauseReason::Required,
        field: "fieldManager".to_owned(),
        message: "Required value: is required for apply patch".to_owned(),
    };
    Err(Status::invalid(
        "meta.k8s.io",
        "PatchOptions",
        "",
        vec![cause],
    ))
}

/// Checks that the configuration has the kind that it is applied to.
pub(super) fn check_type(wanted: &Kind, config: &Value) -> Result<(), Status> {
    let text = |field: &str| config.get(field).and_then(Value::as_str).unwrap_or("");
    let (version, kind) = (text("apiVersion"), text("kind"));
    if version == wanted.api_version() && kind == wanted.kind {
        return Ok(());
    }
    let group = if version.contains('/') { "" } else { "/" };
    Err(Status::bad_request(format!(
        "invalid object type: {group}{version}, Kind={kind}"
    )))
}

/// Checks that a new object has the name and namespace of the request.
fn check_name(place: &Place, name: &str, object: &Value) -> Result<(), Status> {
    strategy::check_create(object, &place.namespace)?;
    match objects::meta(object, "name") {
        own if own == name => Ok(()),
        "" => Err(objects::nameless(name)),
        own => Err(Status::bad_request(format!(
            "the name of the object ({own}) does not match the name on the URL ({name})"
        ))),
    }
}

#[cfg(test)]
mod tests;
