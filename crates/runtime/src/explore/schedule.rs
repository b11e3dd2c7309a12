//! A schedule: the deviations of a scenario's run from the order of `ctl settle`.
//!
//! Only deviations are recorded. Each is addressed by the controller and by the number of its earlier turns or commits,
//! so that removing one deviation moves few others.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::scheduled::SharedObjects;
use crate::cluster::Revision;
use crate::object::Key;
use crate::sys::entropy::Seed;
use crate::sys::threads::locked;

/// The most crashes of one drawn schedule: each costs a restart, and more of them rarely find more problems.
const CRASHES: usize = 2;

/// The most failing requests of one drawn schedule: retries after many of them only lengthen the run.
const FAULTS: usize = 5;

/// The deviation of one turn or commit of a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "act")]
pub enum Act {
    /// The controller waits while the others take their turns.
    Wait,
    /// The controller takes only some of its due keys, starting with one of them.
    Keys {
        /// The place of the first key in the queue.
        first: usize,
        /// The number of keys.
        count: usize,
    },
    /// The process of all controllers crashes after some writes of a commit, and restarts.
    Crash {
        /// The number of writes that are made.
        after: usize,
    },
    /// A write fails with 500 and is not made.
    Refuse {
        /// The place of the write in the commit.
        write: usize,
    },
    /// A write fails with 409, as if another client had written the object.
    Conflict {
        /// The place of the write in the commit.
        write: usize,
    },
    /// A write succeeds, but its response is lost.
    Lose {
        /// The place of the write in the commit.
        write: usize,
    },
}

impl Act {
    /// Returns true if it concerns a turn, and false if it concerns a commit.
    pub(super) fn is_order(self) -> bool {
        matches!(self, Self::Wait | Self::Keys { .. })
    }
}

/// A deviation of a schedule.
///
/// ```
/// use ctl_runtime::explore::{Act, Decision, Shared, Traced, TracedTurn};
///
/// // The Deployment controller crashes after the first write of its second turn.
/// let crash = Decision {
///     controller: "deployment".to_owned(),
///     nth: 2,
///     act: Act::Crash { after: 1 },
/// };
/// let schedule = Shared::listed(&[crash]).traced();
/// // A manager runs under it, and then:
/// for TracedTurn { controller, keys, .. } in schedule.take_turns() {
///     for Traced { key, rules, .. } in keys {
///         println!("{controller} {key}: {}", rules.join(", "));
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The controller.
    pub controller: String,
    /// The number of the turn, or of the commit, of this controller; the first is 1.
    pub nth: u64,
    /// The deviation.
    #[serde(flatten)]
    pub act: Act,
}

impl Display for Decision {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let what = if self.act.is_order() {
            "turn"
        } else {
            "commit"
        };
        write!(f, "{} {what} {}: ", self.controller, self.nth)?;
        match self.act {
            Act::Wait => f.write_str("runs after the other controllers"),
            Act::Keys { first: 0, count } => write!(f, "takes only {count} of its keys"),
            Act::Keys { first, count } => {
                write!(
                    f,
                    "takes only {count} of its keys, starting with key number {}",
                    first + 1
                )
            }
            Act::Crash { after } => write!(f, "the controllers crash after {after} of its writes"),
            Act::Refuse { write } => write!(f, "write {} fails with 500", write + 1),
            Act::Conflict { write } => write!(f, "write {} fails with 409", write + 1),
            Act::Lose { write } => {
                write!(f, "write {} succeeds, but its response is lost", write + 1)
            }
        }
    }
}

/// The deviations that may be drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    /// Crashes of the process between writes.
    pub crash: bool,
    /// Failing requests.
    pub faults: bool,
}

/// A reconcile of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// The key.
    pub key: Key,
    /// The revision of the change that made it due.
    pub trigger: Option<Revision>,
    /// The rules of its writes.
    pub rules: Vec<String>,
}

/// A turn of a controller that had something to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedTurn {
    /// The controller.
    pub controller: &'static str,
    /// The time.
    pub now: Timestamp,
    /// The reconciles that planned a write.
    pub keys: Vec<Traced>,
    /// The deviations that hit it.
    pub decisions: Vec<Decision>,
    /// The revision before its commit.
    pub before: Revision,
    /// The revision after its commit.
    pub after: Revision,
}

/// The source of decisions.
#[derive(Debug)]
enum Source {
    /// Drawn from a seed.
    Drawn(Seed, Kinds),
    /// Listed.
    Listed(Vec<Decision>),
}

/// The number of turns and commits of a controller.
#[derive(Debug, Default)]
struct Counts {
    turns: u64,
    commits: u64,
}

/// The decisions of one run, recorded while it runs.
#[derive(Debug)]
pub(super) struct Schedule {
    source: Source,
    counts: BTreeMap<String, Counts>,
    made: Vec<Decision>,
    /// The decisions since the last recorded turn.
    recent: Vec<Decision>,
    turns: Option<Vec<TracedTurn>>,
}

/// A schedule that the managers of a run share, one after another.
#[derive(Clone, Debug)]
pub struct Shared {
    schedule: Arc<Mutex<Schedule>>,
    known: Option<Arc<SharedObjects>>,
}

impl Shared {
    /// Returns the schedule of a seed.
    pub fn drawn(seed: u64, kinds: Kinds) -> Self {
        Self::from_source(Source::Drawn(Seed(seed), kinds))
    }

    /// Returns a schedule of these decisions. Without any, it is the order of `ctl settle`.
    pub fn listed(decisions: &[Decision]) -> Self {
        Self::from_source(Source::Listed(decisions.to_vec()))
    }

    fn from_source(source: Source) -> Self {
        let schedule = Schedule {
            source,
            counts: BTreeMap::new(),
            made: Vec::new(),
            recent: Vec::new(),
            turns: None,
        };
        Self {
            schedule: Arc::new(Mutex::new(schedule)),
            known: None,
        }
    }

    /// Returns the same schedule for managers that need not read these objects again.
    #[must_use]
    pub fn knowing(&self, known: &Arc<SharedObjects>) -> Self {
        Self {
            known: Some(Arc::clone(known)),
            ..self.clone()
        }
    }

    pub(super) fn known(&self) -> Option<Arc<SharedObjects>> {
        self.known.clone()
    }

    /// Records every turn from now on.
    #[must_use]
    pub fn traced(self) -> Self {
        locked(&self.schedule).turns = Some(Vec::new());
        self
    }

    /// Returns the decisions that were made.
    pub fn made(&self) -> Vec<Decision> {
        locked(&self.schedule).made.clone()
    }

    /// Takes the recorded turns.
    pub fn take_turns(&self) -> Vec<TracedTurn> {
        locked(&self.schedule)
            .turns
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }

    pub(super) fn is_traced(&self) -> bool {
        locked(&self.schedule).turns.is_some()
    }

    pub(super) fn record(&self, turn: TracedTurn) {
        let mut own = locked(&self.schedule);
        let decisions = std::mem::take(&mut own.recent);
        if let Some(turns) = &mut own.turns {
            turns.push(TracedTurn { decisions, ..turn });
        }
    }

    /// Decides on a turn of a controller with `due` due keys.
    pub(super) fn turn(&self, controller: &str, due: usize) -> Option<Act> {
        locked(&self.schedule).turn(controller, due)
    }

    /// Decides on a commit with `writes` writes.
    pub(super) fn commit(&self, controller: &str, writes: usize) -> Option<Act> {
        locked(&self.schedule).commit(controller, writes)
    }
}

/// The random numbers for one decision.
struct Draw([u8; 16]);

impl Draw {
    /// Returns one of four independent numbers.
    fn number(&self, which: usize) -> usize {
        let part = self.0.chunks(4).nth(which).unwrap_or_default();
        part.iter()
            .fold(0, |sum, byte| sum << 8 | usize::from(*byte))
    }

    /// Returns true once in `one_in` cases.
    fn hits(&self, one_in: usize) -> bool {
        self.number(0).is_multiple_of(one_in.max(1))
    }
}

impl Schedule {
    fn turn(&mut self, controller: &str, due: usize) -> Option<Act> {
        let counts = self.counts.entry(controller.to_owned()).or_default();
        counts.turns += 1;
        let nth = counts.turns;
        let act = match &self.source {
            Source::Listed(all) => find(all, controller, nth, true),
            Source::Drawn(seed, _) => {
                let draw = Draw(seed.draw(&["turn", controller, &nth.to_string()]));
                // Some seeds deviate often and some rarely, because many deviations would hide a bug that needs only
                // one.
                let one_in = [2, 5, 16][Draw(seed.draw(&["rate"])).number(0) % 3];
                draw.hits(one_in)
                    .then(|| match draw.number(1).is_multiple_of(2) || due < 2 {
                        true => Act::Wait,
                        false => Act::Keys {
                            first: draw.number(2) % due,
                            count: 1 + draw.number(3) % due,
                        },
                    })
            }
        };
        self.decided(controller, nth, act)
    }

    fn commit(&mut self, controller: &str, writes: usize) -> Option<Act> {
        if writes == 0 {
            return None;
        }
        let counts = self.counts.entry(controller.to_owned()).or_default();
        counts.commits += 1;
        let nth = counts.commits;
        let act = match &self.source {
            Source::Listed(all) => find(all, controller, nth, false),
            Source::Drawn(seed, kinds) => {
                let draw = Draw(seed.draw(&["commit", controller, &nth.to_string()]));
                let wanted = draw.hits(6).then(|| trouble(&draw, *kinds, writes));
                let is_crash = |act: Act| matches!(act, Act::Crash { .. });
                let so_far = |crash| {
                    let troubles = self.made.iter().filter(|made| !made.act.is_order());
                    troubles.filter(|made| is_crash(made.act) == crash).count()
                };
                wanted.flatten().filter(|act| match is_crash(*act) {
                    true => so_far(true) < CRASHES,
                    false => so_far(false) < FAULTS,
                })
            }
        };
        self.decided(controller, nth, act)
    }

    fn decided(&mut self, controller: &str, nth: u64, act: Option<Act>) -> Option<Act> {
        if let Some(act) = act {
            let decision = Decision {
                controller: controller.to_owned(),
                nth,
                act,
            };
            if self.turns.is_some() {
                self.recent.push(decision.clone());
            }
            self.made.push(decision);
        }
        act
    }
}

/// Returns the listed act for a turn or a commit.
fn find(all: &[Decision], controller: &str, nth: u64, order: bool) -> Option<Act> {
    let is_it =
        |d: &&Decision| d.nth == nth && d.act.is_order() == order && d.controller == controller;
    all.iter().find(is_it).map(|decision| decision.act)
}

fn trouble(draw: &Draw, kinds: Kinds, writes: usize) -> Option<Act> {
    let write = draw.number(2) % writes;
    let fault = match draw.number(1) % 3 {
        0 => Act::Refuse { write },
        1 => Act::Conflict { write },
        _ => Act::Lose { write },
    };
    // After none, some, or all of the writes: each leaves a different incomplete state.
    let after = draw.number(2) % (writes + 1);
    match kinds {
        Kinds {
            crash: true,
            faults: true,
        } if draw.number(3).is_multiple_of(2) => Some(fault),
        Kinds { crash: true, .. } => Some(Act::Crash { after }),
        Kinds { faults: true, .. } => Some(fault),
        Kinds { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: Kinds = Kinds {
        crash: true,
        faults: true,
    };

    /// Asks a schedule about a fixed run.
    fn asked(schedule: &Shared) -> Vec<Option<Act>> {
        let mut all = Vec::new();
        for _ in 0..20 {
            for controller in ["deployment", "replicaset"] {
                all.push(schedule.turn(controller, 7));
                all.push(schedule.commit(controller, 3));
            }
        }
        all
    }

    #[test]
    fn seed_and_its_recorded_decisions_produce_the_same_schedule() {
        let mut different = std::collections::BTreeSet::new();
        for seed in 0..50 {
            let drawn = Shared::drawn(seed, BOTH);
            let acts = asked(&drawn);
            assert_eq!(acts, asked(&Shared::drawn(seed, BOTH)));
            assert_eq!(acts, asked(&Shared::listed(&drawn.made())));
            different.insert(format!("{acts:?}"));
            let count = |crash| {
                let troubles = acts.iter().flatten().filter(|act| !act.is_order());
                troubles
                    .filter(|act| matches!(act, Act::Crash { .. }) == crash)
                    .count()
            };
            assert!(count(true) <= CRASHES && count(false) <= FAULTS);
        }
        assert_eq!(different.len(), 50);
        assert!(asked(&Shared::listed(&[])).iter().all(Option::is_none));
    }

    #[test]
    fn only_enabled_kinds_of_decisions_are_drawn() {
        for seed in 0..50 {
            let acts = asked(&Shared::drawn(seed, Kinds::default()));
            assert!(acts.iter().flatten().all(|act| act.is_order()), "{acts:?}");
            let crash = Kinds {
                crash: true,
                faults: false,
            };
            let acts = asked(&Shared::drawn(seed, crash));
            let known = |act: &Act| act.is_order() || matches!(act, Act::Crash { .. });
            assert!(acts.iter().flatten().all(known), "{acts:?}");
        }
    }

    #[test]
    fn decisions_round_trip_through_json() {
        let decision = Decision {
            controller: "job".to_owned(),
            nth: 2,
            act: Act::Crash { after: 1 },
        };
        let text = serde_json::to_string(&decision).unwrap();
        assert_eq!(
            text,
            r#"{"controller":"job","nth":2,"act":"crash","after":1}"#
        );
        assert_eq!(serde_json::from_str::<Decision>(&text).unwrap(), decision);
        assert_eq!(
            decision.to_string(),
            "job commit 2: the controllers crash after 1 of its writes"
        );
    }
}
