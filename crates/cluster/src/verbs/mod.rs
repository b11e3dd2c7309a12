//! The verbs of the API: each takes an admitted request and returns the step of a commit, or the response if nothing is
//! stored.

pub(crate) mod apply;
pub(crate) mod binding;
pub(crate) mod condition;
pub(crate) mod current;
pub(crate) mod delete;
pub(crate) mod eviction;
pub(crate) mod log;
pub(crate) mod owners;
pub(crate) mod patch;
pub(crate) mod posted;
pub(crate) mod recreate;
pub(crate) mod review;
mod same_template;
pub(crate) mod scale;
pub(crate) mod token;
pub(crate) mod token_review;
pub(crate) mod write;

use std::borrow::Cow;
use std::ops::Range;

use crate::api::status::Status;
use crate::commit::round::WORTH_A_THREAD;
use crate::commit::step::{Decision, Step};
use crate::commit::transaction::{run, run_in_order};
use crate::context::Context;
use crate::entry::{self, Admitted};
use crate::read::list;
use crate::request::part::Part;
use crate::request::response::{ApiError, Response};
use crate::request::{Request, Verb};
use crate::store::{StoreError, View};
use crate::sys::threads::map;

use review::is_review;

/// Executes one request.
pub(crate) fn submit(context: &Context, at: Admitted<'_>) -> Result<Response, ApiError> {
    check_part(&at)?;
    let answer = match at.verb() {
        Verb::Get(Part::Scale) => Response::transient(scale::get(context, &at)?),
        Verb::Get(_) => Response::transient(list::get(context, &at)?),
        Verb::Token(token) => Response::transient(token::issue(context, &at, token)?),
        Verb::Create(object) if is_review(at.place().kind) => {
            review::reviewed(context, &at, object)?
        }
        // Creations and deletions may take several commits: a generated name that is taken is drawn again, and a
        // definition's objects go in portions.
        Verb::Create(object) if !at.place().kind.is_binding() => {
            write::create(context, at, object)?
        }
        Verb::Delete(options) => delete::delete(context, at, options)?,
        _ => run(context, step_of(context, at)?)?,
    };
    Ok(as_asked(at.place().kind, at.verb(), answer))
}

/// Rejects a request for a part that the kind does not have, as a path would not be there.
fn check_part(at: &Admitted<'_>) -> Result<(), Status> {
    let (Verb::Get(part)
    | Verb::Update(part, _)
    | Verb::Patch { part, .. }
    | Verb::Apply { part, .. }) = at.verb()
    else {
        return Ok(());
    };
    // A scale has its own error.
    let is_there = matches!(part, Part::Whole | Part::Scale)
        || at.place().kind.subresource(part.name()).is_some();
    match is_there {
        true => Ok(()),
        false => Err(not_served()),
    }
}

/// Returns the 404 of an unknown subresource.
pub(crate) fn not_served() -> Status {
    Status {
        code: 404,
        reason: "NotFound",
        // Empty, but present, as on the real server.
        details: Some(Box::default()),
        ..Status::bad_request("the server could not find the requested resource")
    }
}

/// Executes requests in order, each on the state that the previous ones leave, in as few commits as possible.
pub(crate) fn submit_in_order(
    context: &Context,
    writer: &str,
    epoch: Option<u64>,
    requests: &[Request],
    needs: &[Range<usize>],
) -> Result<Vec<Option<Result<Response, ApiError>>>, StoreError> {
    let admitted = entry::admit_batch(context, epoch, requests)?;
    let asked: Vec<_> = requests.iter().zip(admitted).collect();
    // Parsing and checking need no state, so they happen before the lock is taken and on two threads.
    let steps = map(&asked, WORTH_A_THREAD, &|_, (request, admitted)| {
        let step = match admitted {
            Ok(at) => step_of(context, at.by(writer)).map_err(ApiError::into_status),
            Err(refused) => Err(refused.clone()),
        };
        // A rejected request keeps its place as a step, so that the results have the order of the requests.
        step.unwrap_or_else(|e| Step::refused(request.place.kind, &request.options, e))
    });
    run_in_order(context, writer, epoch, steps, needs)
}

/// Returns the step of a request in a commit.
pub(crate) fn step_of<'s>(context: &'s Context, at: Admitted<'s>) -> Result<Step<'s>, ApiError> {
    match at.verb() {
        Verb::Create(object) if is_review(at.place().kind) => {
            review::review_step(context, at, object)
        }
        Verb::Create(object) if at.place().kind.is_binding() => binding::created_step(at, object),
        Verb::Create(object) => write::create_step(context, at, object),
        Verb::Update(Part::Scale, scale) => scale::update_step(context, at, scale),
        Verb::Update(part, object) => write::update_step(context, at, object, *part),
        Verb::Patch { part, how, patch } if *part == Part::Scale => {
            scale::patch_step(context, at, *how, patch)
        }
        Verb::Patch { part, how, patch } => patch::patch_step(context, at, *how, patch, *part),
        Verb::Apply {
            part: Part::Scale,
            config,
            force,
        } => scale::apply_step(context, at, config, *force),
        Verb::Apply {
            part,
            config,
            force,
        } => apply::apply_step(context, at, Cow::Borrowed(config), *part, *force),
        Verb::Bind(binding) => binding::bind_step(at, binding),
        Verb::Delete(options) => delete::delete_step(context, at, options),
        Verb::Evict(options) => eviction::evict_step(at, options),
        Verb::Get(_) | Verb::Token(_) => {
            // A read in a batch shows the state before the batch.
            let object = submit(context, at)?.object;
            let decide = move |_: &dyn View| Ok(Decision::Keep(object.clone()).into());
            Ok(Step::new(at, "get", decide))
        }
        Verb::List
        | Verb::Watch
        | Verb::Resume
        | Verb::Log
        | Verb::Connect(_)
        | Verb::Modify(_)
        | Verb::DeleteCollection => Err(not_of_one_object().into()),
    }
}

/// Returns a 405: requests for several objects, and those with a function, have separate methods.
fn not_of_one_object() -> Status {
    Status {
        code: 405,
        reason: "MethodNotAllowed",
        ..Status::bad_request("the request is not for one object")
    }
}

/// Returns the response to a write of a scale as a scale.
pub(crate) fn as_asked(kind: &crate::kinds::Kind, verb: &Verb, answer: Response) -> Response {
    match verb {
        Verb::Update(Part::Scale, _)
        | Verb::Patch {
            part: Part::Scale, ..
        }
        | Verb::Apply {
            part: Part::Scale, ..
        } => scale::shown(kind, answer),
        _ => answer,
    }
}
