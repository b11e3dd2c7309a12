//! Decides steps of a commit ahead of their turn, in a second thread.
//!
//! The last of many steps are decided on a guess: that each step before them succeeds and changes one object, or none
//! if it is a dry run, and that they read none of these objects. If the guess is right, the decisions equal those made
//! in turn; otherwise they are made again in turn.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::commit::round::{Numbered, Outcome, ROOM, Round, StepState, WORTH_A_THREAD};
use crate::store::{Cause, Op, View};
use crate::sys::threads::{between_pieces, locked, with_helper};

/// The number of steps that are begun at a time.
// Small, because the two threads meet in the middle, where each waits for at most one piece of the other.
const PIECE: usize = 8;

/// Decides steps in order, each on the state that the previous ones leave; returns the changes and the outcome of each
/// step.
pub(super) fn decide_in_order(
    view: &(dyn View + Sync),
    cause: &Cause,
    steps: &mut [Numbered<'_, '_>],
    needs: &[Range<usize>],
    states: &mut [StepState],
) -> (Vec<Op>, Vec<Outcome>) {
    if steps.len() < WORTH_A_THREAD {
        let mut round = Round::after(view, cause, 0);
        let outcomes = round.ask_all(steps, needs, states);
        return (round.ops, outcomes);
    }
    ask_ahead(view, cause, steps, needs, states)
}

/// Decides steps as [`decide_in_order`] does, in two threads: the other one repeatedly takes the last half of the rest.
fn ask_ahead(
    view: &(dyn View + Sync),
    cause: &Cause,
    steps: &mut [Numbered<'_, '_>],
    needs: &[Range<usize>],
    states: &mut [StepState],
) -> (Vec<Op>, Vec<Outcome>) {
    // Steps that cannot fit into the commit need no guess.
    let (steps, rest) = steps.split_at_mut(steps.len().min(view.most_objects() - ROOM));
    let guess = Guess::before(steps, needs, states);
    let left = Mutex::new(UndecidedSteps { begun: 0, steps });
    let decided: Mutex<Vec<Ahead<'_, '_, '_, '_>>> = Mutex::default();
    let first = || locked(&left).first();
    let last_half = || locked(&left).last_half();
    let mut state = InTurn::new(view, cause, needs, states);
    with_helper(
        || {
            while let Some(next) = first() {
                state.ask(next);
            }
        },
        || {
            while let Some((start, steps)) = last_half() {
                let ahead = guess.ask(view, cause, start, steps);
                locked(&decided).push(ahead);
                between_pieces();
            }
        },
    );
    let decided = decided.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Halves were taken from the end, so the last one decided is the first in order.
    decided
        .into_iter()
        .rev()
        .for_each(|ahead| state.take(ahead));
    state.ask(rest);
    (state.round.ops, state.outcomes)
}

/// The assumption about earlier steps.
struct Guess<'n> {
    numbers: Vec<usize>,
    /// Tells of each step if it changes an object.
    writes: Vec<bool>,
    needs: &'n [Range<usize>],
    states: Vec<StepState>,
}

impl<'n> Guess<'n> {
    fn before(steps: &[Numbered<'_, '_>], needs: &'n [Range<usize>], states: &[StepState]) -> Self {
        Self {
            numbers: steps.iter().map(|(number, _)| *number).collect(),
            writes: steps
                .iter()
                .map(|(_, step)| !step.options().dry_run)
                .collect(),
            needs,
            states: states.to_vec(),
        }
    }

    /// Decides steps that follow `start` others.
    fn ask<'r, 'v, 'a, 's>(
        &self,
        view: &'v (dyn View + Sync),
        cause: &'v Cause,
        start: usize,
        steps: &'r mut [Numbered<'a, 's>],
    ) -> Ahead<'r, 'v, 'a, 's> {
        let mut states = self.states.clone();
        let before = self.numbers[..start].iter();
        // The guess in full: all earlier steps succeeded. `InTurn::take` verifies it.
        before.for_each(|number| states[*number] = StepState::Done);
        let changes = self.writes[..start].iter().filter(|writes| **writes);
        let changes = changes.count();
        let mut round = Round::after(view, cause, changes);
        let outcomes = round.ask_all(steps, self.needs, &mut states);
        Ahead {
            changes,
            steps,
            round,
            outcomes,
        }
    }
}

/// The steps whose turn it was.
struct InTurn<'v, 't> {
    round: Round<'v>,
    needs: &'t [Range<usize>],
    states: &'t mut [StepState],
    outcomes: Vec<Outcome>,
}

impl<'v, 't> InTurn<'v, 't> {
    fn new(
        view: &'v (dyn View + Sync),
        cause: &'v Cause,
        needs: &'t [Range<usize>],
        states: &'t mut [StepState],
    ) -> Self {
        Self {
            round: Round::after(view, cause, 0),
            needs,
            states,
            outcomes: Vec::new(),
        }
    }

    fn ask(&mut self, steps: &mut [Numbered<'_, '_>]) {
        let outcomes = self.round.ask_all(steps, self.needs, self.states);
        self.outcomes.extend(outcomes);
    }

    /// Takes over the decisions made ahead if their guess was right; otherwise decides the steps again.
    fn take(&mut self, ahead: Ahead<'_, 'v, '_, '_>) {
        // Revisions, and the names and uids derived from them, are correct only if each earlier step made exactly one
        // operation, or none as a dry run.
        let as_guessed = number_of_single_changes(&self.outcomes) == Some(ahead.changes)
            && self.round.ops.len() == ahead.changes;
        if !as_guessed || !self.round.goes_with(&ahead.round) {
            return self.ask(ahead.steps);
        }
        for ((number, _), outcome) in ahead.steps.iter().zip(&ahead.outcomes) {
            self.states[*number] = outcome.state();
        }
        self.round.take_over(ahead.round);
        let outcomes = ahead.outcomes.into_iter();
        self.outcomes
            .extend(outcomes.map(|outcome| outcome.shifted(ahead.changes)));
    }
}

/// Steps that were decided ahead.
struct Ahead<'r, 'v, 'a, 's> {
    /// The assumed number of changes before them.
    changes: usize,
    steps: &'r mut [Numbered<'a, 's>],
    round: Round<'v>,
    outcomes: Vec<Outcome>,
}

/// The steps that no thread has started to decide.
struct UndecidedSteps<'r, 'a, 's> {
    /// The number of steps before them.
    begun: usize,
    steps: &'r mut [Numbered<'a, 's>],
}

impl<'r, 'a, 's> UndecidedSteps<'r, 'a, 's> {
    /// Returns the next few steps.
    fn first(&mut self) -> Option<&'r mut [Numbered<'a, 's>]> {
        let steps = std::mem::take(&mut self.steps);
        let (first, rest) = steps.split_at_mut(steps.len().min(PIECE));
        self.begun += first.len();
        self.steps = rest;
        (!first.is_empty()).then_some(first)
    }

    /// Takes the last half of them, with the number of steps before it, if there are enough.
    fn last_half(&mut self) -> Option<(usize, &'r mut [Numbered<'a, 's>])> {
        // The first thread finishes a shorter rest before the other one could start.
        if self.steps.len() < 2 * PIECE {
            return None;
        }
        let steps = std::mem::take(&mut self.steps);
        let (rest, half) = steps.split_at_mut(steps.len().div_ceil(2));
        self.steps = rest;
        Some((self.begun + self.steps.len(), half))
    }
}

/// Returns the number of steps that changed an object; `None` if a step failed, or changed more than one.
fn number_of_single_changes(outcomes: &[Outcome]) -> Option<usize> {
    let mut changes = 0;
    for outcome in outcomes {
        match outcome {
            Outcome::Decided(taken) if taken.op == Some(changes) => changes += 1,
            Outcome::Decided(taken) if taken.op.is_none() => {}
            _ => return None,
        }
    }
    Some(changes)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;
    use crate::api::json::{Value, json};
    use crate::commit::step::{Decision, Step};
    use crate::commit::transaction::run_in_order;
    use crate::store::{Expect, Key};
    use crate::testing::{fresh, place, pod};
    use crate::{Cluster, Part, PatchType, Request, Verb, WriteOptions, entry, verbs};

    fn create(resource: &str, object: Value) -> Request {
        Request::create(place(resource), object)
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
        {
            let verb = Verb::Patch {
                part: Part::Whole,
                how: PatchType::Merge,
                patch,
            };
            Request::new(place("pods"), name, verb)
        }
    }

    fn pods(numbers: Range<usize>) -> impl Iterator<Item = Request> {
        numbers.map(|number| pod_of(&format!("p{number}")))
    }

    fn pod_of(name: &str) -> Request {
        create("pods", pod(name))
    }

    /// The name of the case, the requests, and their dependencies.
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
            ("dry runs", pods(0..9).map(dry).collect(), vec![]),
            (
                "dry runs among others",
                pods(0..9)
                    .chain([generated(), dry(generated()), generated()])
                    .enumerate()
                    .map(|(number, request)| match number % 3 {
                        0 => dry(request),
                        _ => request,
                    })
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

    fn dry(request: Request) -> Request {
        request.with(WriteOptions {
            dry_run: true,
            ..WriteOptions::default()
        })
    }

    fn gone(name: &str) -> Request {
        Request::new(place("pods"), name, Verb::Delete(Box::default()))
    }

    /// Decides the steps from each of these positions on ahead, one part after the other.
    fn split(
        view: &(dyn View + Sync),
        cause: &Cause,
        steps: &mut [Numbered<'_, '_>],
        needs: &[Range<usize>],
        states: &mut [StepState],
        places: &[usize],
    ) -> (Vec<Op>, Vec<Outcome>) {
        let guess = Guess::before(steps, needs, states);
        let mut left = steps;
        let mut decided = Vec::new();
        for place in places.iter().rev() {
            let (rest, part) = left.split_at_mut(*place);
            decided.push(guess.ask(view, cause, *place, part));
            left = rest;
        }
        let mut state = InTurn::new(view, cause, needs, states);
        state.ask(left);
        decided
            .into_iter()
            .rev()
            .for_each(|ahead| state.take(ahead));
        (state.round.ops, state.outcomes)
    }

    fn steps_of<'s>(cluster: &'s Cluster, requests: &'s [Request]) -> Vec<Step<'s>> {
        let admitted = entry::admit_batch(&cluster.context, None, requests).unwrap();
        let admitted = admitted.into_iter();
        admitted
            .map(|at| verbs::step_of(&cluster.context, at.unwrap()).unwrap())
            .collect()
    }

    #[test]
    fn two_threads_take_each_step_once_from_both_ends() {
        let cluster = fresh();
        let requests: Vec<Request> = (0..100).map(|i| pod_of(&format!("p{i}"))).collect();
        let mut steps = steps_of(&cluster, &requests);
        let mut numbered: Vec<_> = steps.iter_mut().enumerate().collect();
        let mut left = UndecidedSteps {
            begun: 0,
            steps: &mut numbered,
        };
        let (mut front, mut back) = (Vec::new(), Vec::new());
        while let Some(first) = left.first() {
            front.extend(first.iter().map(|(number, _)| *number));
            if let Some((start, half)) = left.last_half() {
                assert_eq!(half[0].0, start);
                back.splice(0..0, half.iter().map(|(number, _)| *number));
            }
        }
        assert!(back.len() > front.len());
        front.extend(back);
        assert_eq!(front, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn a_dry_run_is_decided_once() {
        let cluster = fresh();
        let requests: Vec<Request> = pods(0..100).map(dry).collect();
        let admitted = entry::admit_batch(&cluster.context, None, &requests).unwrap();
        let decided = AtomicUsize::new(0);
        let steps = admitted.into_iter().map(|at| {
            let decide = |_: &dyn View| {
                decided.fetch_add(1, Relaxed);
                let key = Key::new("pods", None, "a").unwrap();
                Ok(Decision::Put(key, Expect::Any, json!({})).into())
            };
            Step::new(at.unwrap(), "create", decide)
        });
        let steps = steps.collect();
        let done = run_in_order(&cluster.context, "test", None, steps, &[]).unwrap();
        assert!(done.iter().flatten().all(Result::is_ok));
        assert_eq!((done.len(), decided.into_inner()), (100, 100));
    }

    #[test]
    fn two_threads_decide_the_same_as_one() {
        let cluster = fresh();
        cluster.all(&[pod_of("there")]).unwrap();
        let cause = Cause::new("test", "create");
        for (what, requests, needs) in batches() {
            let told = |outcome: &Outcome| match outcome {
                Outcome::LeftOut => "left out".to_owned(),
                Outcome::Later => "later".to_owned(),
                Outcome::Refused(e) => e.to_string(),
                Outcome::Asks => "asks".to_owned(),
                Outcome::Decided(taken) => format!("{:?} {}", taken.op, taken.object),
            };
            let asked = |view: &(dyn View + Sync), ahead: Option<&[usize]>| {
                let mut steps = steps_of(&cluster, &requests);
                let mut numbered: Vec<_> = steps.iter_mut().enumerate().collect();
                let mut states = vec![StepState::Open; requests.len()];
                let (ops, outcomes) = match ahead {
                    None => decide_in_order(view, &cause, &mut numbered, &needs, &mut states),
                    Some(ahead) => split(view, &cause, &mut numbered, &needs, &mut states, ahead),
                };
                let told: Vec<String> = outcomes.iter().map(told).collect();
                let states: Vec<bool> = states
                    .iter()
                    .map(|state| *state == StepState::Done)
                    .collect();
                (ops, told, states)
            };
            let mut looked = false;
            let done = cluster.context.store.transact(&cause, &mut |view| {
                let one = asked(view, None);
                for first in 0..=requests.len() {
                    for second in first..=requests.len() {
                        let two = asked(view, Some(&[first, second]));
                        assert_eq!(one.1, two.1, "{what} {first} {second}");
                        assert_eq!(one, two, "{what} {first} {second}");
                    }
                }
                looked = true;
                Ok(None)
            });
            assert!(done.unwrap().is_none() && looked);
        }
    }
}
