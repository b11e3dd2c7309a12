//! The one way from a decision to a commit: one request or many, each decided on the state that the
//! ones before it leave, all of them one record of the journal.

use crate::api::json::Value;
use crate::api::status::Status;
use crate::cluster::Cluster;
use crate::commit::round;
use crate::commit::round::{Outcome, Taken, Turn};
use crate::door::Admitted;
use crate::kinds::Kind;
use crate::objects;
use crate::request::{Answer, ApiError, WriteOptions};
use crate::store::{Batch, Cause, Expect, Key, Op, Revision, Store as _, StoreError, View, Why};

/// The result of a decision.
pub(crate) enum Decision {
    /// The object gets this content.
    Put(Key, Expect, Value),
    /// The object goes; this is what it was.
    Remove(Key, Expect, Value),
    /// Nothing is to be done; this is the object.
    Keep(Value),
}

/// A decision with what goes with it.
pub(crate) struct Decided {
    /// The change of the requested object.
    pub(crate) decision: Decision,
    /// Changes of other objects in the same commit. One of an object that the commit changes
    /// already replaces that change.
    pub(crate) also: Vec<Op>,
    /// The texts of the warnings that go with the response.
    pub(crate) warnings: Vec<String>,
}

impl From<Decision> for Decided {
    fn from(decision: Decision) -> Self {
        Self {
            decision,
            also: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

/// Decides on the state that it is shown; may be asked more than once, and by another thread.
pub(crate) type Decide<'s> = Box<dyn FnMut(&dyn View) -> Result<Decided, ApiError> + Send + 's>;

/// One request on its way into a commit.
pub(crate) struct Step<'s> {
    verb: &'static str,
    kind: &'static Kind,
    options: &'s WriteOptions,
    decide: Decide<'s>,
}

impl<'s> Step<'s> {
    /// The step of a request that was admitted; `verb` is the rule of the commit if the options give
    /// none.
    pub(crate) fn new(
        at: Admitted<'s>,
        verb: &'static str,
        options: &'s WriteOptions,
        decide: impl FnMut(&dyn View) -> Result<Decided, ApiError> + Send + 's,
    ) -> Self {
        Self {
            verb,
            kind: at.place().kind,
            options,
            decide: Box::new(decide),
        }
    }

    /// The step of a request that was refused before anything was read for it.
    pub(crate) fn refused(kind: &'static Kind, options: &'s WriteOptions, status: Status) -> Self {
        Self {
            verb: "refused",
            kind,
            options,
            decide: Box::new(move |_| Err(status.clone().into())),
        }
    }

    /// The kind of the object.
    pub(super) fn kind(&self) -> &'static Kind {
        self.kind
    }

    /// The options of the request.
    pub(super) fn options(&self) -> &'s WriteOptions {
        self.options
    }

    /// Decides on the state that it is shown.
    pub(crate) fn decide(&mut self, view: &dyn View) -> Result<Decided, ApiError> {
        (self.decide)(view)
    }

    pub(super) fn why(&self) -> Why {
        let rule = match self.options.rule.as_str() {
            "" => self.verb.to_owned(),
            rule => rule.to_owned(),
        };
        Why {
            trigger: self.options.trigger,
            rule,
        }
    }
}

impl Taken {
    fn answer(self, revisions: &[Option<Revision>]) -> Answer {
        let new = self.op.and_then(|op| revisions.get(op).copied().flatten());
        let mut object = self.object;
        match new {
            Some(revision) => objects::set_revision(&mut object, revision),
            None if self.revision > 0 => objects::set_revision(&mut object, self.revision),
            None => {}
        }
        Answer {
            object,
            warnings: self.warnings,
            changed: new.is_some(),
            created: self.created,
            gone: self.gone,
        }
    }
}

impl Cluster {
    /// Runs one step in a transaction and returns the object it leads to.
    pub(crate) fn run(&self, step: Step<'_>) -> Result<Answer, ApiError> {
        let epoch = step.options.epoch;
        let mut answers = self.run_all(&self.writer, epoch, vec![step])?;
        answers
            .pop()
            .unwrap_or_else(|| Err(Status::internal("the transaction made no decision").into()))
    }

    /// Runs steps in as few commits as they fit in: several only where one changes what another
    /// has changed, or where they are too large together. Results are in the order of the steps.
    pub(crate) fn run_all(
        &self,
        writer: &str,
        epoch: Option<u64>,
        steps: Vec<Step<'_>>,
    ) -> Result<Vec<Result<Answer, ApiError>>, StoreError> {
        let answers = self.run_in_order(writer, epoch, steps, &[])?;
        Ok(answers.into_iter().flatten().collect())
    }

    /// Runs steps that depend on earlier ones: a step is skipped, with the result `None`, if one it
    /// needs was not done.
    pub(crate) fn run_in_order(
        &self,
        writer: &str,
        epoch: Option<u64>,
        mut steps: Vec<Step<'_>>,
        needs: &[std::ops::Range<usize>],
    ) -> Result<Vec<Option<Result<Answer, ApiError>>>, StoreError> {
        let mut answers: Vec<Option<Result<Answer, ApiError>>> = Vec::new();
        answers.resize_with(steps.len(), || None);
        let mut turns = vec![Turn::Open; steps.len()];
        let mut open: Vec<usize> = (0..steps.len()).collect();
        while !open.is_empty() {
            let cause = commit_cause(writer, open.iter().map(|i| steps[*i].why()));
            let (mut outcomes, before) = (Vec::new(), turns.clone());
            let done = self.store.transact(&cause, &mut |view| {
                turns.clone_from(&before);
                let asked = steps.iter_mut().enumerate();
                let mut asked: Vec<_> = asked.filter(|(i, _)| before[*i] == Turn::Open).collect();
                let ops;
                (ops, outcomes) = round::ask(view, &cause, &mut asked, needs, &mut turns);
                Ok((!ops.is_empty()).then(|| Batch {
                    epoch,
                    ..Batch::of(ops)
                }))
            })?;
            let revisions = done.map(|done| done.revisions).unwrap_or_default();
            let mut later = Vec::new();
            for (step, outcome) in open.into_iter().zip(outcomes) {
                answers[step] = match outcome {
                    Outcome::Later => {
                        later.push(step);
                        None
                    }
                    Outcome::LeftOut => None,
                    Outcome::Refused(e) => Some(Err(e)),
                    Outcome::Decided(decided) => Some(Ok(decided.answer(&revisions))),
                };
            }
            open = later;
        }
        Ok(answers)
    }
}

/// Returns the cause of the commit, which is the cause of its first change.
fn commit_cause(writer: &str, mut whys: impl Iterator<Item = Why>) -> Cause {
    let first = whys.next();
    Cause {
        trigger: first.as_ref().and_then(|why| why.trigger),
        ..Cause::new(writer, first.map(|why| why.rule).unwrap_or_default())
    }
}
