//! The one way from a decision to a commit: one request or many, each decided on the state that the
//! ones before it leave, all of them one record of the journal.

use std::collections::BTreeMap;

use super::overlay::Overlay;
use super::request::{Answer, ApiError, WriteOptions};
use super::{Cluster, Expect, Key, Revision, definitions, objects};
use crate::api::json::Value;
use crate::api::status::Status;
use crate::kinds::Kind;
use crate::store::{Batch, Cause, MAX_BATCH_OBJECTS, Op, Store as _, StoreError, View, Why};

/// A commit is ended before it gets larger than this; a batch goes on in the next one.
const COMFORTABLE_SIZE: usize = 8 << 20;

/// What a decision comes to.
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
    /// What happens to the object of the request.
    pub(crate) decision: Decision,
    /// Changes of other objects in the same commit. One of an object that the commit changes
    /// already replaces that change.
    pub(crate) also: Vec<Op>,
    /// The texts of the warnings that go with the answer.
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

/// Decides on the state that it is shown; may be asked more than once.
pub(crate) type Decide<'s> = Box<dyn FnMut(&dyn View) -> Result<Decided, ApiError> + 's>;

/// One request on its way into a commit.
pub(crate) struct Step<'s> {
    /// The verb, which is the rule where the options give none.
    pub(crate) verb: &'static str,
    /// The kind of the object.
    pub(crate) kind: &'static Kind,
    /// How the write is done.
    pub(crate) options: &'s WriteOptions,
    /// What is decided.
    pub(crate) decide: Decide<'s>,
}

impl Step<'_> {
    fn why(&self) -> Why {
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

/// What became of an earlier step that others need.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// Its turn is still to come.
    Open,
    /// It was done.
    Done,
    /// It was refused or left out.
    Lost,
}

/// What one round made of a step.
enum Outcome {
    /// A step that it needs was not done.
    LeftOut,
    /// It was not asked: its turn is in a later commit.
    Later,
    /// It was refused.
    Refused(ApiError),
    /// It was decided.
    Decided(Taken),
}

impl Outcome {
    fn turn(&self) -> Turn {
        match self {
            Self::Later => Turn::Open,
            Self::Decided(_) => Turn::Done,
            Self::Refused(_) | Self::LeftOut => Turn::Lost,
        }
    }
}

/// A decision that was taken into a commit.
struct Taken {
    object: Value,
    /// The revision that the object had.
    revision: Revision,
    /// The number of the operation, where there is one.
    op: Option<usize>,
    gone: bool,
    warnings: Vec<String>,
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
            gone: self.gone,
        }
    }
}

impl Cluster {
    /// Runs one step in a transaction and answers with the object it leads to.
    pub(crate) fn run(&self, step: Step<'_>) -> Result<Answer, ApiError> {
        let epoch = step.options.epoch;
        let mut answers = self.run_all(&self.writer, epoch, vec![step])?;
        answers
            .pop()
            .unwrap_or_else(|| Err(Status::internal("the transaction made no decision").into()))
    }

    /// Runs steps in as few commits as they fit in: several only where one changes what another
    /// has changed, or where they are too large together. Answers in the order of the steps.
    pub(crate) fn run_all(
        &self,
        writer: &str,
        epoch: Option<u64>,
        steps: Vec<Step<'_>>,
    ) -> Result<Vec<Result<Answer, ApiError>>, StoreError> {
        let answers = self.run_in_order(writer, epoch, steps, &[])?;
        Ok(answers.into_iter().flatten().collect())
    }

    /// The same for steps that need earlier ones: one of which a needed step was not done is left
    /// out and answered by `None`.
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
                let mut round = Round::new(view, &cause);
                turns.clone_from(&before);
                outcomes = open
                    .iter()
                    .map(|i| {
                        let needed = needs.get(*i).map_or(&[][..], |n| &turns[n.clone()]);
                        let outcome = round.ask_if(needed, &mut steps[*i]);
                        turns[*i] = outcome.turn();
                        outcome
                    })
                    .collect();
                let ops = round.ops;
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

/// What the commit says of itself: the reason of its first change.
fn commit_cause(writer: &str, mut whys: impl Iterator<Item = Why>) -> Cause {
    let first = whys.next();
    Cause {
        trigger: first.as_ref().and_then(|why| why.trigger),
        ..Cause::new(writer, first.map(|why| why.rule).unwrap_or_default())
    }
}

/// The steps of one commit while they are asked.
struct Round<'v> {
    cause: &'v Cause,
    view: Overlay<'v>,
    ops: Vec<Op>,
    at: BTreeMap<Key, usize>,
    size: usize,
}

impl<'v> Round<'v> {
    fn new(base: &'v dyn View, cause: &'v Cause) -> Self {
        let view = Overlay::new(base);
        Self {
            cause,
            view,
            ops: Vec::new(),
            at: BTreeMap::new(),
            size: 0,
        }
    }

    /// Asks a step whose turn depends on what became of others.
    fn ask_if(&mut self, needed: &[Turn], step: &mut Step<'_>) -> Outcome {
        if needed.contains(&Turn::Lost) {
            Outcome::LeftOut
        } else if needed.contains(&Turn::Open) {
            Outcome::Later
        } else {
            self.ask(step)
        }
    }

    fn ask(&mut self, step: &mut Step<'_>) -> Outcome {
        if self.ops.len() + 16 > MAX_BATCH_OBJECTS || self.size > COMFORTABLE_SIZE {
            return Outcome::Later;
        }
        let decided = match (step.decide)(&self.view) {
            Ok(decided) => decided,
            Err(e) => return Outcome::Refused(e),
        };
        match self.take(step, decided) {
            Ok(outcome) => outcome,
            Err(e) => Outcome::Refused(e),
        }
    }

    fn take(&mut self, step: &Step<'_>, decided: Decided) -> Result<Outcome, ApiError> {
        if self.ops.len() + decided.also.len() + 16 > MAX_BATCH_OBJECTS {
            return Ok(Outcome::Later);
        }
        let more = definitions::has_consequences(step.kind, &decided.decision);
        let mut taken = Taken {
            object: Value::Null,
            revision: 0,
            op: None,
            gone: matches!(decided.decision, Decision::Remove(..)),
            warnings: decided.warnings,
        };
        let op = match decided.decision {
            Decision::Keep(object) => {
                taken.object = object;
                return Ok(Outcome::Decided(taken));
            }
            Decision::Put(key, expect, object) => {
                if self.at.contains_key(&key) {
                    return Ok(Outcome::Later);
                }
                let exists = self.view.revision_of(&key)?;
                if let (Expect::Absent, Some(_)) = (expect, &exists) {
                    return Err(Status::already_exists(key.resource(), key.name()).into());
                }
                let op = Op::put(key, objects::bytes(step.kind, &object), expect);
                (taken.object, taken.revision) = (object, exists.unwrap_or_default());
                op
            }
            Decision::Remove(key, ..) if self.at.contains_key(&key) => return Ok(Outcome::Later),
            Decision::Remove(key, expect, object) => {
                taken.object = object;
                Op::delete(key, expect)
            }
        };
        if step.options.dry_run {
            return Ok(Outcome::Decided(taken));
        }
        taken.op = Some(self.push(op, step));
        for op in decided.also {
            self.push(op, step);
        }
        if more {
            for op in definitions::consequences(&self.view, step.kind, &taken.object)? {
                self.push(op, step);
            }
        }
        Ok(Outcome::Decided(taken))
    }

    /// Takes an operation into the commit; answers its number.
    fn push(&mut self, mut op: Op, step: &Step<'_>) -> usize {
        let why = step.why();
        let same = why.rule == self.cause.rule && why.trigger == self.cause.trigger;
        op.why = op.why.or_else(|| (!same).then_some(why));
        self.size += op.json.as_ref().map_or(0, |json| json.len());
        self.view.change(&op);
        if let Some(number) = self.at.get(&op.key) {
            let first = &mut self.ops[*number];
            op.expect = first.expect;
            *first = op;
            return *number;
        }
        self.at.insert(op.key.clone(), self.ops.len());
        self.ops.push(op);
        self.ops.len() - 1
    }
}
