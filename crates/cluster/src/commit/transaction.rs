//! The only way from a decision to a commit: one request or many, each decided on the state that the previous ones
//! leave, all in one record of the journal.

use crate::api::status::Status;
use crate::commit::parallel::decide_in_order;
use crate::commit::round::{AcceptedStep, Outcome, StepState};
use crate::commit::step::Step;
use crate::commit::webhook_calls::call_noted;
use crate::context::Context;
use crate::objects;
use crate::request::response::{ApiError, Response};
use crate::store::{Batch, Cause, ChangeReason, Revision, StoreError};

/// The number of times that a request may call webhooks: once for each of many, and again after each change of its
/// object meanwhile.
const MAX_ROUNDS: usize = 500;

impl AcceptedStep {
    fn answer(self, revisions: &[Option<Revision>]) -> Response {
        let new = self.op.and_then(|op| revisions.get(op).copied().flatten());
        let mut object = self.object;
        match new {
            Some(revision) => objects::set_revision(&mut object, revision),
            // An unchanged object keeps its version, as in a dry run.
            None if self.revision > 0 => objects::set_revision(&mut object, self.revision),
            None => {}
        }
        Response {
            object,
            warnings: self.warnings,
            changed: new.is_some(),
            created: self.created,
            gone: self.gone,
        }
    }
}

/// Runs one step in a transaction and returns the resulting object.
pub(crate) fn run(context: &Context, step: Step<'_>) -> Result<Response, ApiError> {
    let epoch = step.options().epoch;
    // One server writes for many clients, so its own command line would not identify them.
    let writer = match step.options().client.as_str() {
        "" => context.writer.as_str(),
        client => client,
    };
    let mut answers = run_in_order(context, writer, epoch, vec![step], &[])?;
    answers
        .pop()
        .flatten()
        .unwrap_or_else(|| Err(Status::internal("the transaction made no decision").into()))
}

/// Runs steps that depend on earlier ones: a step is skipped, with the result `None`, if one that it needs was not
/// done.
pub(crate) fn run_in_order(
    context: &Context,
    writer: &str,
    epoch: Option<u64>,
    mut steps: Vec<Step<'_>>,
    needs: &[std::ops::Range<usize>],
) -> Result<Vec<Option<Result<Response, ApiError>>>, StoreError> {
    let mut answers: Vec<Option<Result<Response, ApiError>>> = Vec::new();
    answers.resize_with(steps.len(), || None);
    let mut states = vec![StepState::Open; steps.len()];
    let mut open: Vec<usize> = (0..steps.len()).collect();
    let mut rounds = 0;
    // Steps that did not fit, or change an object that the commit changes already, go into the next commit.
    while !open.is_empty() {
        let cause = commit_cause(writer, open.iter().map(|i| steps[*i].why()));
        let (mut outcomes, before) = (Vec::new(), states.clone());
        let waiting = context.commits.wait();
        let done = context.store.transact(&cause, &mut |view| {
            // The store decides again if it had to import files first or a shared sync failed, so no state of the first
            // attempt may remain.
            states.clone_from(&before);
            let asked = steps.iter_mut().enumerate();
            let mut asked: Vec<_> = asked
                .filter(|(i, _)| before[*i] == StepState::Open)
                .collect();
            let ops;
            (ops, outcomes) = decide_in_order(view, &cause, &mut asked, needs, &mut states);
            // Without a change there is no commit: no revision, no sync.
            Ok((!ops.is_empty()).then(|| Batch {
                epoch,
                ..Batch::new(ops)
            }))
        })?;
        if done.is_some() {
            waiting.committed();
        }
        drop(waiting);
        let revisions = done.map(|done| done.revisions).unwrap_or_default();
        let (mut later, mut asking) = (Vec::new(), Vec::new());
        for (step, outcome) in open.into_iter().zip(outcomes) {
            answers[step] = match outcome {
                Outcome::Later => {
                    later.push(step);
                    None
                }
                Outcome::Asks if rounds == MAX_ROUNDS => {
                    states[step] = StepState::Lost;
                    Some(Err(changing().into()))
                }
                Outcome::Asks => {
                    later.push(step);
                    asking.extend(steps[step].missing_replies());
                    None
                }
                Outcome::LeftOut => None,
                Outcome::Refused(e) => Some(Err(e)),
                Outcome::Decided(decided) => Some(Ok(decided.answer(&revisions))),
            };
        }
        open = later;
        if !asking.is_empty() {
            call_noted(context, asking.into_iter());
            rounds += 1;
        }
    }
    Ok(answers)
}

/// Returns the API server's error for a request that takes too long, because its object changes before a webhook has
/// replied.
fn changing() -> Status {
    let why = "request did not complete within requested timeout - context deadline exceeded";
    Status {
        code: 504,
        reason: "Timeout",
        ..Status::internal(format!("Timeout: {why}"))
    }
}

/// Returns the cause of the commit, which is the cause of its first change.
fn commit_cause(writer: &str, mut whys: impl Iterator<Item = ChangeReason>) -> Cause {
    let first = whys.next();
    Cause {
        trigger: first.as_ref().and_then(|why| why.trigger.clone()),
        ..Cause::new(writer, first.map(|why| why.rule).unwrap_or_default())
    }
}
