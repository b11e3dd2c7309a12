//! Deleting objects: preconditions, the protected namespaces, and the step that `kinds` decides on.

use crate::api::json::Value;
use crate::api::status::Status;
use crate::commit::step::{Decided, Decision, Step};
use crate::commit::transaction::run;
use crate::context::Context;
use crate::discovery::DEFINITIONS;
use crate::entry::Admitted;
use crate::kinds::strategy::deletion;
use crate::kinds::strategy::deletion::Request;
use crate::kinds::{Kind, warnings};
use crate::objects;
use crate::read::list::{self, ObjectFilter};
use crate::request::Place;
use crate::request::options::DeleteOptions;
use crate::request::response::{ApiError, Response};
use crate::rules::{admission, definitions, policies};
use crate::store::{Expect, Key, Range, View};
use crate::verbs::current::current;

/// Deletes an object, or marks it if finalizers or a grace period delay its removal.
///
/// # Errors
/// The API's error if it does not exist or a precondition fails.
pub(crate) fn delete<'a>(
    context: &'a Context,
    at: Admitted<'a>,
    options: &'a DeleteOptions,
) -> Result<Response, ApiError> {
    let delete = || run(context, delete_step(context, at, options)?);
    let answer = delete()?;
    if definitions::is_definition(at.place().kind) && !at.options().dry_run {
        // Objects beyond the limit of one commit are deleted in the next ones.
        while can_clean_up(context, at.name())? {
            delete()?;
        }
    }
    Ok(answer)
}

/// Deletes the selected objects of a collection, one after the other.
///
/// # Errors
/// The first error, except that an object does not exist any more.
pub(crate) fn delete_collection(
    context: &Context,
    at: &Admitted<'_>,
    wanted: ObjectFilter<'_>,
    options: &DeleteOptions,
) -> Result<Vec<Response>, ApiError> {
    let mut answers = Vec::new();
    for object in list::list(context, at, wanted, None)?.items {
        let own = Place::new(at.place().kind, objects::meta(&object, "namespace"));
        let at = at.member(&own, objects::meta(&object, "name"));
        match delete(context, at, options) {
            Ok(answer) => answers.push(answer),
            // The list is not part of the deletions' commits; an object that another client deleted meanwhile is not an
            // error.
            Err(e) if e.status().is_some_and(|s| s.reason == "NotFound") => {}
            Err(e) => return Err(e),
        }
    }
    Ok(answers)
}

/// Returns true if a terminating definition has objects left that no finalizer keeps.
fn can_clean_up(context: &Context, name: &str) -> Result<bool, ApiError> {
    let Ok(key) = Key::new(DEFINITIONS, None, name) else {
        return Ok(false);
    };
    if !context
        .store
        .get(&key)?
        .is_some_and(|definition| definitions::is_terminating(&definition))
    {
        return Ok(false);
    }
    for stored in context.store.list(&Range::resource(name, None))?.items {
        let object = objects::shown(&stored)?;
        if !object["metadata"]["finalizers"].is_array() {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(crate) fn delete_step<'s>(
    context: &'s Context,
    at: Admitted<'s>,
    options: &'s DeleteOptions,
) -> Result<Step<'s>, ApiError> {
    let (place, name) = (at.place(), at.name());
    let key = objects::key(place, name)?;
    let seed = context.seed();
    let decide = move |view: &dyn View| {
        // kube-apiserver's `NamespaceLifecycle` plug-in rejects these before it reads the object.
        check_protected(place.kind, name)?;
        let (revision, old) =
            current(view, &key, &at)?.ok_or_else(|| objects::not_found(place.kind, name))?;
        check_preconditions(place.kind, name, &old, options)?;
        let mut noted = Vec::new();
        policies::deleted(view, place, at.author(), &old, &mut noted)?;
        // The step was decided for this version; a writer in between makes the store refuse it.
        let expect = Expect::At(revision);
        let (old, mut also) = definitions::clean_up(view, place.kind, old)?;
        let decision = match step(place.kind, &old, view, options) {
            deletion::Step::Gone(last) => {
                also.extend(admission::removed(view, place.kind, &old, seed)?);
                Decision::Remove(key.clone(), expect, last)
            }
            deletion::Step::Marked(new) => Decision::Put(key.clone(), expect, new),
            // Equal content is not written, so that a repeated deletion triggers no watch event.
            deletion::Step::Unchanged if also.is_empty() => Decision::Keep(old),
            deletion::Step::Unchanged => Decision::Put(key.clone(), expect, old),
        };
        let silent = options.propagation.is_none();
        let kept = place.kind.kept_dependents_warning().filter(|_| silent);
        let said = warnings::deprecation(place.kind).or(kept);
        Ok(Decided {
            decision,
            also,
            warnings: said.map(str::to_owned).into_iter().chain(noted).collect(),
        })
    };
    Ok(Step::new(at, "delete", decide))
}

/// Rejects the deletion of objects that the cluster needs.
pub(crate) fn check_protected(kind: &Kind, name: &str) -> Result<(), ApiError> {
    match kind.protection(name) {
        Some(why) => Err(Status::forbidden(&kind.qualified_resource(), name, why).into()),
        None => Ok(()),
    }
}

/// Checks the uid and the resource version that the options name.
pub(crate) fn check_preconditions(
    kind: &Kind,
    name: &str,
    old: &Value,
    options: &DeleteOptions,
) -> Result<(), ApiError> {
    // The server names the kind here, not the resource.
    let refuse = |why: String| Err(Status::conflict(&kind.qualified_kind(), name, &why).into());
    // Both preconditions are checked on the state of the commit, under the lock: a check before it
    // could be overtaken.
    let uid = objects::meta(old, "uid");
    if let Some(wanted) = options.uid.as_deref().filter(|wanted| *wanted != uid) {
        return refuse(format!(
            "the UID in the precondition ({wanted}) does not match the UID in record ({uid}). The \
             object might have been deleted and then recreated"
        ));
    }
    let version = objects::meta(old, "resourceVersion");
    let wanted = options.resource_version.as_deref();
    if let Some(wanted) = wanted.filter(|wanted| *wanted != version) {
        return refuse(format!(
            "the ResourceVersion in the precondition ({wanted}) does not match the ResourceVersion \
             in record ({version}). The object might have been modified"
        ));
    }
    Ok(())
}

/// Returns the next step of a deletion request.
pub(crate) fn step(
    kind: &Kind,
    old: &Value,
    view: &dyn View,
    options: &DeleteOptions,
) -> deletion::Step {
    let request = Request {
        grace: options.grace_period,
        propagation: options.propagation,
        now: view.now(),
    };
    deletion::delete(kind, old, &request)
}
