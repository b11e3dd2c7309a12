//! The steps of one commit while they are decided, each on the state that the previous ones leave.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::api::json::Value;
use crate::api::status::Status;
use crate::commit::overlay::Overlay;
use crate::commit::step::{Decided, Decision, Step};
use crate::request::Place;
use crate::request::response::ApiError;
use crate::rules::definitions;
use crate::store::{Cause, Expect, Key, Op, Revision, View};
use crate::webhooks::conversion;

/// A commit ends before it gets larger than this; a batch continues in the next one.
const COMFORTABLE_SIZE: usize = 8 << 20;

/// The number of operations of a commit that are reserved for side effects of a step.
pub(super) const ROOM: usize = 16;

/// Batches of at least this many steps are decided by two threads.
pub(crate) const WORTH_A_THREAD: usize = 48;

/// The state of an earlier step that others need.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StepState {
    /// It has not been decided yet.
    Open,
    /// It was done.
    Done,
    /// It was rejected or skipped.
    Lost,
}

/// The result of a step in one round.
pub(super) enum Outcome {
    /// A step that it needs was not done.
    LeftOut,
    /// It was not decided: its turn is in a later commit.
    Later,
    /// It needs a reply of a webhook before it can be decided.
    Asks,
    /// It was rejected.
    Refused(ApiError),
    /// It was decided.
    Decided(AcceptedStep),
}

impl Outcome {
    pub(super) fn state(&self) -> StepState {
        match self {
            Self::Later | Self::Asks => StepState::Open,
            Self::Decided(_) => StepState::Done,
            Self::Refused(_) | Self::LeftOut => StepState::Lost,
        }
    }

    /// Returns the outcome with its operation index shifted by earlier operations.
    pub(super) fn shifted(mut self, operations: usize) -> Self {
        if let Self::Decided(taken) = &mut self {
            taken.op = taken.op.map(|op| op + operations);
        }
        self
    }
}

/// A decision that was taken into a commit.
pub(super) struct AcceptedStep {
    /// The object after the step, or before it if the step removes it.
    pub(super) object: Value,
    /// The revision that the object had.
    pub(super) revision: Revision,
    /// The index of the operation, if any.
    pub(super) op: Option<usize>,
    /// True if the object did not exist before.
    pub(super) created: bool,
    /// True if the object is removed.
    pub(super) gone: bool,
    /// The texts of the warnings that go with the response.
    pub(super) warnings: Vec<String>,
}

/// A step with its number among all of the batch.
pub(super) type Numbered<'a, 's> = (usize, &'a mut Step<'s>);

/// The steps of one commit while they are decided.
pub(super) struct Round<'v> {
    cause: &'v Cause,
    view: Overlay<'v>,
    pub(super) ops: Vec<Op>,
    at: BTreeMap<Key, usize>,
    size: usize,
    /// The objects of the steps that wait for a webhook.
    waiting: Vec<(Place, String)>,
}

impl<'v> Round<'v> {
    /// Creates a round that follows `changes` changes of unknown content.
    pub(super) fn after(base: &'v (dyn View + Sync), cause: &'v Cause, changes: usize) -> Self {
        let view = Overlay::after(base, changes);
        Self {
            cause,
            view,
            ops: Vec::new(),
            at: BTreeMap::new(),
            size: 0,
            waiting: Vec::new(),
        }
    }

    pub(super) fn ask_all(
        &mut self,
        steps: &mut [Numbered<'_, '_>],
        needs: &[Range<usize>],
        states: &mut [StepState],
    ) -> Vec<Outcome> {
        let asked = steps.iter_mut().map(|(number, step)| {
            let needed = needs.get(*number).map_or(&[][..], |n| &states[n.clone()]);
            let outcome = self.ask_if(needed, step);
            states[*number] = outcome.state();
            outcome
        });
        asked.collect()
    }

    /// Returns true if no decision made ahead depends on a decision made here, and all fit into one commit.
    pub(super) fn goes_with(&self, ahead: &Self) -> bool {
        let fits = self.ops.len() + ahead.ops.len() + ROOM <= self.view.most_objects()
            && self.size + ahead.size <= self.comfortable();
        let twice = ahead.at.keys().any(|key| self.at.contains_key(key));
        fits && !twice && !ahead.view.looked_at_changes_of(&self.view)
    }

    pub(super) fn take_over(&mut self, ahead: Self) {
        let before = self.ops.len();
        self.ops.extend(ahead.ops);
        self.at
            .extend(ahead.at.into_iter().map(|(key, at)| (key, before + at)));
        self.size += ahead.size;
        self.view.take_over(ahead.view);
    }

    /// Decides a step that depends on the outcome of others.
    fn ask_if(&mut self, needed: &[StepState], step: &mut Step<'_>) -> Outcome {
        if needed.contains(&StepState::Lost) {
            Outcome::LeftOut
        } else if needed.contains(&StepState::Open) {
            Outcome::Later
        } else {
            self.ask(step)
        }
    }

    /// Returns the size beyond which the commit ends.
    fn comfortable(&self) -> usize {
        // The step that crosses it may contain an object of the largest size.
        COMFORTABLE_SIZE.min(self.view.most_bytes() / 3)
    }

    fn ask(&mut self, step: &mut Step<'_>) -> Outcome {
        if self.ops.len() + ROOM > self.view.most_objects() || self.size > self.comfortable() {
            return Outcome::Later;
        }
        // A second write of an object must not overtake the first.
        let target = step.target();
        if target.is_some_and(|(place, name)| self.waits(place, name)) {
            return Outcome::Later;
        }
        let decided = match step.decide(&self.view) {
            Ok(decided) => decided,
            Err(e) => return self.not_taken(step, e),
        };
        match self.take(step, decided) {
            Ok(outcome) => outcome,
            Err(e) => self.not_taken(step, e),
        }
    }

    /// Returns the outcome of a step that ended with an error; a step with a missing reply is decided again.
    fn not_taken(&mut self, step: &Step<'_>, error: ApiError) -> Outcome {
        if step.missing_replies().is_none() {
            return Outcome::Refused(error);
        }
        let target = step.target();
        self.waiting
            .extend(target.map(|(place, name)| (place.clone(), name.to_owned())));
        Outcome::Asks
    }

    fn waits(&self, place: &Place, name: &str) -> bool {
        let mut waiting = self.waiting.iter();
        waiting.any(|(other, own)| own == name && other == place)
    }

    fn take(&mut self, step: &Step<'_>, decided: Decided) -> Result<Outcome, ApiError> {
        if self.ops.len() + decided.also.len() + ROOM > self.view.most_objects() {
            return Ok(Outcome::Later);
        }
        let more = definitions::has_consequences(step.kind(), &decided.decision);
        let mut taken = AcceptedStep {
            object: Value::Null,
            revision: 0,
            op: None,
            created: false,
            gone: matches!(decided.decision, Decision::Remove(..)),
            warnings: decided.warnings,
        };
        let op = match decided.decision {
            Decision::Keep(object) => {
                taken.object = object;
                return Ok(Outcome::Decided(taken));
            }
            Decision::Put(key, expect, object) => {
                // A commit changes each object once; a second write of it waits for the next
                // commit.
                if self.at.contains_key(&key) {
                    return Ok(Outcome::Later);
                }
                // The revision is enough here, and it is known without reading the body.
                let exists = self.view.revision_of(&key)?;
                if let (Expect::Absent, Some(_)) = (expect, &exists) {
                    return Err(Status::already_exists(key.resource(), key.name()).into());
                }
                taken.created = exists.is_none();
                // A dry run stores nothing, and only a webhook could still reject the object. The bytes of each Pod
                // took 9 % of a dry run.
                let is_needed = !step.options().dry_run || conversion::is_called(step.kind());
                let bytes = match is_needed {
                    true => conversion::bytes(step.replies(), &self.view, step.kind(), &object)?,
                    false => Vec::new(),
                };
                let op = Op::put(key, bytes, expect);
                (taken.object, taken.revision) = (object, exists.unwrap_or_default());
                op
            }
            Decision::Remove(key, ..) if self.at.contains_key(&key) => return Ok(Outcome::Later),
            Decision::Remove(key, expect, object) => {
                taken.object = object;
                Op::delete(key, expect)
            }
        };
        // Checked like a real write, but not added to the commit or the overlay.
        if step.options().dry_run {
            return Ok(Outcome::Decided(taken));
        }
        taken.op = Some(self.push(op, step));
        for op in decided.also {
            self.push(op, step);
        }
        if more {
            for op in definitions::consequences(&self.view, step.kind(), &taken.object)? {
                self.push(op, step);
            }
        }
        Ok(Outcome::Decided(taken))
    }

    /// Takes an operation into the commit; returns its number.
    fn push(&mut self, mut op: Op, step: &Step<'_>) -> usize {
        let why = step.why();
        // Most operations of a commit share its cause; only a different one is stored with the operation.
        let same = why.rule == self.cause.rule && why.trigger == self.cause.trigger;
        op.why = op.why.or_else(|| (!same).then_some(why));
        self.size += op.json.as_ref().map_or(0, |json| json.len());
        self.view.change(&op);
        if let Some(number) = self.at.get(&op.key) {
            let first = &mut self.ops[*number];
            // Two objects of a commit may charge one quota: the last content counts, but the precondition is about the
            // state before the commit.
            op.expect = first.expect;
            *first = op;
            return *number;
        }
        self.at.insert(op.key.clone(), self.ops.len());
        self.ops.push(op);
        self.ops.len() - 1
    }
}
