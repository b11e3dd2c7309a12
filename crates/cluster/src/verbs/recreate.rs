//! Objects to delete and create again.
//!
//! A deletion cannot be undone, so each new object is decided on before the first old one is deleted: on the state
//! after the deletions, once finalizers and grace periods are over.

use crate::api::json::Value;
use crate::commit::overlay::Overlay;
use crate::commit::step::Decision;
use crate::context::Context;
use crate::entry::{self, Admitted};
use crate::objects;
use crate::request::Place;
use crate::request::options::{DeleteOptions, WriteOptions};
use crate::request::response::{ApiError, Response};
use crate::request::{Request, Verb};
use crate::rules::admission;
use crate::store::{Cause, Expect, Op, Stored, View};
use crate::verbs::delete::delete_step;
use crate::verbs::review::is_review;
use crate::verbs::write::create_step;

/// An object that replaces another one with the same name.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_cluster::{Place, Recreated};
///
/// # let cluster = ctl_cluster::Cluster::in_memory(
/// #     &ctl_cluster::Open::as_writer("example"),
/// #     ctl_cluster::Settings::new(ctl_sys::entropy::Seed(1)),
/// # );
/// # cluster.bootstrap()?;
/// let pods = Place::new(cluster.kind("pods")?, "default");
/// let web = json!({"metadata": {"name": "web"}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}});
/// cluster.create(&pods, &web, &Default::default())?;
/// // As `kubectl replace --force`: checked before anything is deleted.
/// let object = Recreated { place: pods.clone(), name: "web".to_owned(), object: web.clone() };
/// ctl_cluster::check_recreation(&cluster, &[object], &Default::default())?;
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Recreated {
    /// The place of both.
    pub place: Place,
    /// Their name; empty if the new one gets a generated one.
    pub name: String,
    /// The new object.
    pub object: Value,
}

impl Recreated {
    /// Returns the deletion of the old object and the creation of the new one.
    fn requests(&self, options: &WriteOptions) -> (Request, Request) {
        let user = WriteOptions {
            user: options.user.clone(),
            ..WriteOptions::default()
        };
        let request = |verb| Request::new(self.place.clone(), self.name.clone(), verb);
        let delete = request(Verb::Delete(Box::default())).with(user);
        let create = request(Verb::Create(self.object.clone()));
        (delete, create.with(options.clone()))
    }
}

/// Decides on the creation of each object as if all old ones were deleted and the previous new ones existed. Writes
/// nothing; the responses are those of a dry run, in order.
///
/// # Errors
/// Fails if the directory cannot be read, or the writer may not create one of the objects; a rejected object has its
/// rejection as its result.
pub(crate) fn check_recreation(
    context: &Context,
    all: &[Recreated],
    options: &WriteOptions,
) -> Result<Vec<Result<Response, ApiError>>, ApiError> {
    let requests: Vec<_> = all.iter().map(|one| one.requests(options)).collect();
    let mut admitted = Vec::new();
    for ((delete, create), one) in requests.iter().zip(all) {
        let delete = entry::permit(context, delete)?;
        admitted.push((delete, entry::permit(context, create)?, &one.object));
    }
    let mut answers = Vec::new();
    let cause = Cause::new(&context.writer, "check-recreation");
    // A transaction without operations: it reads one consistent state and writes nothing.
    context.store.transact(&cause, &mut |view| {
        let mut state = Overlay::after(view, 0);
        let gone: Vec<_> = admitted
            .iter()
            .map(|(delete, ..)| leave(context, &mut state, *delete))
            .collect();
        answers = admitted
            .iter()
            .zip(gone)
            .map(|((_, create, object), gone)| enter(context, &mut state, *create, object, gone?))
            .collect();
        Ok(None)
    })?;
    Ok(answers)
}

/// Shows the state without the old object; returns it.
fn leave(
    context: &Context,
    state: &mut Overlay<'_>,
    at: Admitted<'_>,
) -> Result<Option<Stored>, ApiError> {
    let (place, name) = (at.place(), at.name());
    if name.is_empty() || is_review(place.kind) {
        return Ok(None);
    }
    let Some(stored) = state.get(&objects::key(place, name)?)? else {
        return Ok(None);
    };
    let delete = DeleteOptions::default();
    let mut step = delete_step(context, at, &delete)?;
    let decided = step.decide(state)?;
    drop(step);
    let mut also = decided.also;
    if !matches!(decided.decision, Decision::Remove(..)) {
        // It is only marked now; the side effects of its removal happen when no finalizer keeps it any more.
        let old = objects::shown_as(place.kind, &stored)?;
        let seed = context.seed();
        also.extend(admission::removed(state, place.kind, &old, seed)?);
    }
    // The name must be free for the new object, even if a finalizer still keeps the old one.
    also.push(Op::delete(stored.key.clone(), Expect::Any));
    also.iter().for_each(|op| state.change(op));
    Ok(Some(stored))
}

/// Updates the state with the new object, or with the old one if the new one is rejected.
fn enter(
    context: &Context,
    state: &mut Overlay<'_>,
    at: Admitted<'_>,
    object: &Value,
    gone: Option<Stored>,
) -> Result<Response, ApiError> {
    let kind = at.place().kind;
    let decided = create_step(context, at, object);
    let decided = decided.and_then(|mut step| step.decide(state));
    let decided = match (decided, gone) {
        (Ok(decided), _) => decided,
        (Err(e), None) => return Err(e),
        (Err(e), Some(old)) => {
            state.change(&Op::put(old.key, old.json.to_vec(), Expect::Any));
            return Err(e);
        }
    };
    let object = match decided.decision {
        Decision::Put(key, expect, object) => {
            state.change(&Op::put(key, objects::bytes(kind, &object), expect));
            object
        }
        Decision::Remove(_, _, object) | Decision::Keep(object) => object,
    };
    decided.also.iter().for_each(|op| state.change(op));
    Ok(Response {
        warnings: decided.warnings,
        ..Response::transient(object)
    })
}
