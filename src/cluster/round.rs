//! The steps of one commit while they are asked, the second half of many by a second thread.
//!
//! That half is decided ahead on a guess: that each step of the first half is done and changes one
//! object, and none that the second half looks at. Where the guess was right, the decisions are the
//! ones that would have been made in turn; where it was wrong, they are made again in turn.

use std::collections::BTreeMap;
use std::ops::Range;

use super::overlay::Overlay;
use super::request::ApiError;
use super::transaction::{Decided, Decision, Step};
use super::{Expect, Key, Revision, definitions, objects};
use crate::api::json::Value;
use crate::api::status::Status;
use crate::store::{Cause, MAX_BATCH_OBJECTS, Op, View};
use crate::sys::threads::both;

/// A commit is ended before it gets larger than this; a batch goes on in the next one.
const COMFORTABLE_SIZE: usize = 8 << 20;

/// So many objects of a commit are kept free for what a step changes beside its own.
const ROOM: usize = 16;

/// So many steps are asked by two threads.
pub(super) const WORTH_A_THREAD: usize = 48;

/// What became of an earlier step that others need.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Its turn is still to come.
    Open,
    /// It was done.
    Done,
    /// It was refused or left out.
    Lost,
}

/// What one round made of a step.
pub(super) enum Outcome {
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
    pub(super) fn turn(&self) -> Turn {
        match self {
            Self::Later => Turn::Open,
            Self::Decided(_) => Turn::Done,
            Self::Refused(_) | Self::LeftOut => Turn::Lost,
        }
    }

    /// The same behind so many operations of others.
    fn shifted(mut self, operations: usize) -> Self {
        if let Self::Decided(taken) = &mut self {
            taken.op = taken.op.map(|op| op + operations);
        }
        self
    }
}

/// A decision that was taken into a commit.
pub(super) struct Taken {
    /// The object after it; before it where it goes.
    pub(super) object: Value,
    /// The revision that the object had.
    pub(super) revision: Revision,
    /// The number of the operation, where there is one.
    pub(super) op: Option<usize>,
    /// Whether the object goes.
    pub(super) gone: bool,
    /// The texts of the warnings that go with the answer.
    pub(super) warnings: Vec<String>,
}

/// A step with its number among all of the batch.
pub(super) type Numbered<'a, 's> = (usize, &'a mut Step<'s>);

/// Asks steps in order, each on the state that the ones before it leave; answers the changes that
/// they come to, and what was made of each.
pub(super) fn ask(
    view: &(dyn View + Sync),
    cause: &Cause,
    steps: &mut [Numbered<'_, '_>],
    needs: &[Range<usize>],
    turns: &mut [Turn],
) -> (Vec<Op>, Vec<Outcome>) {
    if steps.len() < WORTH_A_THREAD {
        let mut round = Round::after(view, cause, 0);
        let outcomes = round.ask_all(steps, needs, turns);
        return (round.ops, outcomes);
    }
    ask_ahead(view, cause, steps, needs, turns)
}

/// The same by two threads.
fn ask_ahead(
    view: &(dyn View + Sync),
    cause: &Cause,
    steps: &mut [Numbered<'_, '_>],
    needs: &[Range<usize>],
    turns: &mut [Turn],
) -> (Vec<Op>, Vec<Outcome>) {
    let mut round = Round::after(view, cause, 0);
    // What would not fit into the commit need not be guessed at.
    let (steps, rest) = steps.split_at_mut(steps.len().min(MAX_BATCH_OBJECTS - ROOM));
    let half = steps.len() / 2;
    let (first, second) = steps.split_at_mut(half);
    let mut guessed = turns.to_vec();
    first.iter().for_each(|(i, _)| guessed[*i] = Turn::Done);
    let (mut outcomes, (ahead, told)) = both(
        || round.ask_all(first, needs, turns),
        || {
            let mut ahead = Round::after(view, cause, half);
            let outcomes = ahead.ask_all(second, needs, &mut guessed);
            (ahead, outcomes)
        },
    );
    if is_as_guessed(&outcomes) && round.ops.len() == half && round.goes_with(&ahead) {
        round.take_over(ahead);
        for ((number, _), outcome) in second.iter().zip(&told) {
            turns[*number] = outcome.turn();
        }
        outcomes.extend(told.into_iter().map(|outcome| outcome.shifted(half)));
    } else {
        outcomes.extend(round.ask_all(second, needs, turns));
    }
    outcomes.extend(round.ask_all(rest, needs, turns));
    (round.ops, outcomes)
}

/// Whether all steps were done, each by an operation of its own in their order.
fn is_as_guessed(outcomes: &[Outcome]) -> bool {
    let as_guessed = |(at, outcome): (usize, &Outcome)| match outcome {
        Outcome::Decided(taken) => taken.op == Some(at),
        _ => false,
    };
    outcomes.iter().enumerate().all(as_guessed)
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
    /// A round that comes after so many changes of which nothing is known.
    fn after(base: &'v (dyn View + Sync), cause: &'v Cause, changes: usize) -> Self {
        let view = Overlay::after(base, changes);
        Self {
            cause,
            view,
            ops: Vec::new(),
            at: BTreeMap::new(),
            size: 0,
        }
    }

    fn ask_all(
        &mut self,
        steps: &mut [Numbered<'_, '_>],
        needs: &[Range<usize>],
        turns: &mut [Turn],
    ) -> Vec<Outcome> {
        let asked = steps.iter_mut().map(|(number, step)| {
            let needed = needs.get(*number).map_or(&[][..], |n| &turns[n.clone()]);
            let outcome = self.ask_if(needed, step);
            turns[*number] = outcome.turn();
            outcome
        });
        asked.collect()
    }

    /// Whether nothing that was decided ahead depends on what was decided here, and all of it fits
    /// into one commit.
    fn goes_with(&self, ahead: &Self) -> bool {
        let fits = self.ops.len() + ahead.ops.len() + ROOM <= MAX_BATCH_OBJECTS
            && self.size + ahead.size <= COMFORTABLE_SIZE;
        let twice = ahead.at.keys().any(|key| self.at.contains_key(key));
        fits && !twice && !ahead.view.looked_at_changes_of(&self.view)
    }

    fn take_over(&mut self, ahead: Self) {
        let before = self.ops.len();
        self.ops.extend(ahead.ops);
        self.at
            .extend(ahead.at.into_iter().map(|(key, at)| (key, before + at)));
        self.size += ahead.size;
        self.view.take_over(ahead.view);
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
        if self.ops.len() + ROOM > MAX_BATCH_OBJECTS || self.size > COMFORTABLE_SIZE {
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
        if self.ops.len() + decided.also.len() + ROOM > MAX_BATCH_OBJECTS {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::cluster::testing::{fresh, place, pod};
    use crate::cluster::{PatchType, Request, Verb, WriteOptions};
    use crate::store::Store as _;

    fn request(resource: &str, verb: Verb) -> Request {
        Request {
            place: place(resource),
            verb,
            options: WriteOptions::default(),
        }
    }

    fn create(resource: &str, object: Value) -> Request {
        request(resource, Verb::Create(object))
    }

    fn unnamed(resource: &str, kind: &str, name: &str) -> Request {
        let metadata = json!({"generateName": name});
        create(
            resource,
            json!({"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": {"ports": [{"port": 80}]}}),
        )
    }

    fn label(name: &str, value: &str) -> Request {
        let patch = json!({"metadata": {"labels": {"step": value}}});
        request(
            "pods",
            Verb::Patch(name.to_owned(), PatchType::Merge, patch, false),
        )
    }

    fn pods(numbers: Range<usize>) -> impl Iterator<Item = Request> {
        numbers.map(|number| pod_of(&format!("p{number}")))
    }

    fn pod_of(name: &str) -> Request {
        create("pods", pod(name))
    }

    /// What it is about, the requests, and what they need.
    type Case = (&'static str, Vec<Request>, Vec<Range<usize>>);

    /// Batches of which the second half depends on the first in some way, or in none.
    fn batches() -> Vec<Case> {
        let quota = json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"},
            "spec": {"hard": {"pods": "3"}}});
        let bad = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bad"}});
        let spaces = (0..4)
            .map(|_| unnamed("services", "Service", "s-"))
            .collect();
        let service = unnamed("services", "Service", "s-");
        let two = vec![pod_of("p0"), service, generated(), generated()];
        let kept = [label("there", "one"), label("there", "one")];
        vec![
            ("in none", pods(0..8).collect(), vec![]),
            ("names", (0..9).map(|_| generated()).collect(), vec![]),
            ("addresses", spaces, vec![]),
            ("two changes of one step", two, vec![]),
            (
                "the same object",
                pods(0..3).chain(pods(2..5)).collect(),
                vec![],
            ),
            (
                "a change of a new object",
                pods(0..3).chain([label("p1", "x")]).collect(),
                vec![],
            ),
            (
                "a quota",
                [create("resourcequotas", quota)]
                    .into_iter()
                    .chain(pods(0..6))
                    .collect(),
                vec![],
            ),
            (
                "what is needed",
                pods(0..1)
                    .chain([create("pods", bad)])
                    .chain(pods(1..5))
                    .collect(),
                vec![0..0, 0..0, 0..0, 1..2, 0..1, 3..4],
            ),
            (
                "a delete",
                pods(0..2)
                    .chain([gone("there"), label("there", "x")])
                    .collect(),
                vec![],
            ),
            (
                "nothing to do",
                kept.into_iter().chain(pods(0..2)).collect(),
                vec![],
            ),
        ]
    }

    fn generated() -> Request {
        let mut object = pod("");
        object["metadata"] = json!({"generateName": "g-"});
        create("pods", object)
    }

    fn gone(name: &str) -> Request {
        request("pods", Verb::Delete(name.to_owned(), Box::default()))
    }

    #[test]
    fn two_threads_come_to_what_one_comes_to() {
        let cluster = fresh();
        cluster.all(&[pod_of("there")]).unwrap();
        let cause = Cause::new("test", "create");
        for (what, requests, needs) in batches() {
            let told = |outcome: &Outcome| match outcome {
                Outcome::LeftOut => "left out".to_owned(),
                Outcome::Later => "later".to_owned(),
                Outcome::Refused(e) => e.to_string(),
                Outcome::Decided(taken) => format!("{:?} {}", taken.op, taken.object),
            };
            let asked = |view: &(dyn View + Sync), ahead: bool| {
                let steps = requests.iter().map(|r| cluster.step_of(r).unwrap());
                let mut steps: Vec<Step<'_>> = steps.collect();
                let mut numbered: Vec<_> = steps.iter_mut().enumerate().collect();
                let mut turns = vec![Turn::Open; requests.len()];
                let ask = if ahead { ask_ahead } else { ask };
                let (ops, outcomes) = ask(view, &cause, &mut numbered, &needs, &mut turns);
                let told: Vec<String> = outcomes.iter().map(told).collect();
                let turns: Vec<bool> = turns.iter().map(|turn| *turn == Turn::Done).collect();
                (ops, told, turns)
            };
            let mut looked = false;
            let done = cluster.store.transact(&cause, &mut |view| {
                let (one, two) = (asked(view, false), asked(view, true));
                assert_eq!(one.1, two.1, "{what}");
                assert_eq!(one, two, "{what}");
                looked = true;
                Ok(None)
            });
            assert!(done.unwrap().is_none() && looked);
        }
    }
}
