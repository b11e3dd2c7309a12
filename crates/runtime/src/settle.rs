//! Runs controllers until nothing is left to do.
//!
//! On a virtual clock, time jumps to the next due key; on the system clock, the loop waits for it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::controller::Controller;
use super::limits::Config;
use super::manager::{Manager, RecordedWrite};
use super::object::{Key, Object};
use super::queue::{Due, Lane};
use crate::api::status::Status;
use crate::cluster::{ApiError, ClockMode, Cluster, Kind, find_kind};
use crate::sys::clock::Stopwatch;
use crate::sys::signal;

/// The limits of a run.
///
/// ```
/// use ctl_runtime::Until;
/// use jiff::SignedDuration;
///
/// // Lets ten minutes of the virtual clock pass.
/// let until = Until { pass: Some(SignedDuration::from_mins(10)), ..Until::default() };
/// assert!(until.timeout.is_none());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Until {
    /// Lets this much of the cluster's time pass, including schedules and times to live. If `None`, the run stops as
    /// soon as only those are left.
    pub pass: Option<SignedDuration>,
    /// The most of the machine's time to spend.
    pub timeout: Option<Duration>,
}

/// An object that is not in its desired state although no controller has anything left to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// The object by its kind and name.
    pub object: String,
    /// The condition that it waits for.
    pub reason: String,
    /// The reason without the object's own name, to compare it with those of others.
    pub alike: String,
    /// The object's uid; empty if the object does not exist.
    pub uid: String,
    /// The uids of its controlling owner, of the owner's owner, and so on.
    pub owners: Vec<String>,
}

/// The outcome of a run.
///
/// ```
/// use ctl_runtime::{Outcome, Stuck};
///
/// fn report(outcome: Outcome) -> String {
///     match outcome {
///         Outcome::Settled => "settled".to_owned(),
///         Outcome::Stopped => "stopped".to_owned(),
///         Outcome::Stuck(objects) => {
///             let line = |stuck: &Stuck| format!("{}: {}", stuck.object, stuck.reason);
///             objects.iter().map(line).collect::<Vec<_>>().join("\n")
///         }
///         Outcome::Oscillating(writes) => format!("these writes repeat: {}", writes.join(", ")),
///     }
/// }
///
/// assert_eq!(report(Outcome::Settled), "settled");
/// ```
#[must_use = "an unsettled cluster must be handled"]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing is left to do.
    Settled,
    /// Nothing is left to do, but objects are not in their desired state, each with the reason.
    Stuck(Vec<Stuck>),
    /// Writes repeat in a cycle: one round of them.
    Oscillating(Vec<String>),
    /// The run was asked to stop.
    Stopped,
}

/// Returns true if the loop must stop.
pub type Stop<'s> = &'s dyn Fn() -> bool;

/// The longest time that a virtual clock may move to settle, if the caller sets no limit.
pub(super) const HORIZON: SignedDuration = SignedDuration::from_hours(1);

/// The number of fruitless failures in a row after which a key no longer delays settling.
///
/// Failures by chance exceed it too: if 37 % of the writes are rejected, one in 1,050 keys that fail does so seven times in
/// a row, and a rollout of ten Pods in twelve has such a key. A higher number would let `settle` wait longer for writes
/// that always fail: each further failure doubles the wait.
const PATIENT_FAILURES: u32 = 6;

/// The number of times that an object may return to an earlier state without an outside change before that is a cycle.
const RETURNS: usize = 6;

/// The number of recent writes that are kept to show one pass through a cycle.
const LAST: usize = 200;

/// The longest sleep between checks of the stop flag. Shorter ones would use CPU time on an idle machine.
const NAP: Duration = Duration::from_millis(500);

/// The number of levels of owners that are followed.
const MAX_OWNERS: usize = 8;

/// The maximum delay of the YAML files while a run does not settle.
const SHOW: Duration = Duration::from_secs(1);

/// Runs controllers with their default settings until the process is asked to stop (SIGINT, SIGTERM).
///
/// They write at the same time as the leader of the cluster's own controllers, without an epoch.
///
/// # Errors
/// Fails if the cluster cannot be read or written.
pub fn run(cluster: &Cluster, controllers: Vec<Box<dyn Controller>>) -> Result<(), ApiError> {
    let stop = signal::stop_flag().map_err(|e| Status::internal(e.to_string()))?;
    let mut manager = Manager::new(cluster, controllers, &|_| Config::default());
    manager.set_stop_flag(Arc::clone(&stop));
    manager.load()?;
    manager.run(&|| stop.load(Ordering::Relaxed), &mut |_| {})
}

/// The result of one step of a run.
pub(crate) enum Step {
    /// Something was done, or may have become due.
    Worked,
    /// Nothing is due before the time, or at all.
    Quiet(Option<Timestamp>),
    /// Equal changes repeat.
    Cycle(Vec<String>),
}

impl Manager<'_> {
    /// Runs the controllers until nothing is left to do.
    ///
    /// # Errors
    /// Fails if the cluster cannot be read or written.
    pub fn settle(&mut self, until: &Until, stop: Stop<'_>) -> Result<Outcome, ApiError> {
        let spent = Stopwatch::start();
        let mut cycles = Cycles::default();
        let system = self.cluster.settings().clock == ClockMode::System;
        // Another process may have moved a virtual clock since the last step.
        let begin = self.now.max(self.cluster.now()?);
        let end = until
            .pass
            .map(|pass| begin.checked_add(pass).unwrap_or(Timestamp::MAX));
        let horizon = end.unwrap_or_else(|| begin.checked_add(HORIZON).unwrap_or(Timestamp::MAX));
        loop {
            if stop() {
                return Ok(Outcome::Stopped);
            }
            // On a virtual clock, a run takes no time in which a file could be saved.
            if system {
                self.cluster.files().notice_edits();
            }
            // The limit is checked before the step but applied after it, so that even a limit of zero makes one step.
            let over = until.timeout.is_some_and(|t| spent.elapsed() >= t);
            match self.step(end.is_some(), &mut cycles)? {
                Step::Cycle(cycle) => return Ok(Outcome::Oscillating(cycle)),
                Step::Worked if over => return Ok(self.verdict(Some("still busy"))),
                Step::Worked => {}
                Step::Quiet(Some(at)) if at <= horizon => {
                    if over {
                        return Ok(self.verdict(Some("still waiting")));
                    }
                    if self.next_in(Lane::Idle) == Some(at) {
                        // A schedule rightly repeats equal changes: they are not cycles.
                        cycles.forget();
                    }
                    let left = until.timeout.map(|t| t.saturating_sub(spent.elapsed()));
                    self.sleep_until(at, left)?;
                }
                Step::Quiet(_) => match end.filter(|end| *end > self.now) {
                    Some(_) if over => return Ok(self.verdict(Some("still waiting"))),
                    Some(end) => {
                        let left = until.timeout.map(|t| t.saturating_sub(spent.elapsed()));
                        self.sleep_until(end, left)?;
                    }
                    // The requested time has passed. Keys that are due later do not make it stuck.
                    None if end.is_some() && self.next_in(Lane::Wanted).is_some() => {
                        return Ok(Outcome::Settled);
                    }
                    None if system && self.is_news_of_editors()? => cycles.forget(),
                    None => return Ok(self.verdict(None)),
                },
            }
        }
    }

    /// Returns true if a file was saved just before the cluster settled.
    fn is_news_of_editors(&mut self) -> Result<bool, ApiError> {
        self.cluster.files().notice_last_edits();
        self.refresh()
    }

    /// Returns the time at which the next key of a lane is due.
    fn next_in(&self, lane: Lane) -> Option<Timestamp> {
        let queues = self.runners.iter().map(|r| &r.queue);
        queues.filter_map(|queue| queue.next(&[lane])).min()
    }

    /// Does the due work. If nothing is due, returns the time of the next key.
    pub(crate) fn step(&mut self, idle: bool, cycles: &mut Cycles) -> Result<Step, ApiError> {
        if self.pass()? > 0 {
            let written = std::mem::take(&mut self.written);
            return Ok(cycles.look(&written).map_or(Step::Worked, Step::Cycle));
        }
        if self.refresh()? {
            cycles.forget();
            return Ok(Step::Worked);
        }
        if self.runners.iter().any(|r| r.is_ready(self.now)) {
            return Ok(Step::Worked);
        }
        Ok(Step::Quiet(self.next_due(idle)))
    }

    /// Returns the time at which the next key is due that the desired state needs, or with `idle` any key.
    pub(super) fn next_due(&self, idle: bool) -> Option<Timestamp> {
        const LANES: &[Lane] = &[Lane::Wanted, Lane::Refused, Lane::Idle, Lane::Repeat];
        let lanes = match (idle, self.cluster.settings().clock) {
            (false, _) => &LANES[..1],
            // A simulated day would otherwise stop for thousands of repeated events.
            (true, ClockMode::Virtual) => &LANES[..3],
            (true, ClockMode::System) => LANES,
        };
        let next = self.runners.iter().filter_map(|r| {
            // A key that keeps failing without progress waits for an outside change, so waiting for it would never end.
            let retry = r
                .queue
                .later_in(&[Lane::Retry])
                .find(|(_, key)| idle || r.queue.fruitless(key) <= PATIENT_FAILURES)
                .map(|(at, _)| at);
            // Keys beyond the size of a batch are due now, although they have no timer.
            let waiting = (r.queue.depth() > 0).then_some(self.now);
            let next = r.queue.next(lanes).into_iter().chain(retry).chain(waiting);
            next.min()
                // A controller that is rate-limited or pauses works later than its first key is due.
                .map(|at| r.held().map_or(at, |held| held.max(at)))
        });
        next.min()
    }

    /// Moves a virtual clock to the time or to an earlier retry of a refused key, or waits for the time or a change.
    pub(crate) fn sleep_until(
        &mut self,
        at: Timestamp,
        most: Option<Duration>,
    ) -> Result<(), ApiError> {
        if self.cluster.settings().clock == ClockMode::Virtual {
            // Refusals do not make time pass. When it passes anyway, they repeat as on a real cluster.
            let refused = self.next_in(Lane::Refused).filter(|next| *next > self.now);
            let at = refused.map_or(at, |next| next.min(at));
            let rule = format!("clock: nothing is due before {at}");
            let (_, now) = self
                .cluster
                .election()
                .move_clock("clock", &rule, self.epoch, at)?;
            self.now = now;
            return Ok(());
        }
        let wait = at.duration_since(self.now).unsigned_abs();
        let wait = most.map_or(wait, |most| wait.min(most)).min(NAP);
        // The next step reads the changes.
        self.cluster.wait(self.cache.revision(), wait)?;
        Ok(())
    }

    /// Runs the controllers until `stop` returns true, and waits for changes if nothing is due.
    ///
    /// A virtual clock is moved only as far as the desired state needs: schedules wait until a user moves it. `tell` is
    /// called when the cluster has settled, and every second while it has not.
    ///
    /// # Errors
    /// Fails if the cluster cannot be read or written.
    pub fn run(&mut self, stop: Stop<'_>, tell: &mut dyn FnMut(&Self)) -> Result<(), ApiError> {
        let mut cycles = Cycles::default();
        let system = self.cluster.settings().clock == ClockMode::System;
        let mut was_busy = false;
        let mut shown = Stopwatch::start();
        while !stop() {
            self.divide()?;
            self.cluster.files().notice_edits();
            let next = match self.step(system, &mut cycles)? {
                Step::Worked => {
                    // YAML files are projected when the loop is idle, and at least once a second while it is not:
                    // a projection per commit would write files that the next commit replaces.
                    let late = was_busy && shown.elapsed() > SHOW;
                    if late {
                        self.cluster.files().show_held()?;
                        tell(self);
                    }
                    if late || !was_busy {
                        self.cluster.files().hold_tree();
                        (was_busy, shown) = (true, Stopwatch::start());
                    }
                    continue;
                }
                Step::Cycle(_) => {
                    // Another client may take part in the cycle. Waiting keeps the CPU idle meanwhile.
                    cycles.forget();
                    None
                }
                Step::Quiet(next) => next,
            };
            if std::mem::take(&mut was_busy) {
                self.cluster.files().show_held()?;
                tell(self);
            }
            match next {
                next if system => self.rest(next, stop)?,
                Some(at) => self.sleep_until(at, None)?,
                // Another process may move the clock, which makes no revision to wait for.
                None => {
                    self.cluster.wait(self.cache.revision(), NAP)?;
                }
            }
        }
        Ok(())
    }

    /// Does only the work that is due now.
    ///
    /// # Errors
    /// As for [`Manager::run`].
    pub fn run_once(&mut self, stop: Stop<'_>) -> Result<(), ApiError> {
        let mut cycles = Cycles::default();
        self.cluster.files().hold_tree();
        let mut result = Ok(());
        while !stop() {
            match self.step(false, &mut cycles) {
                Ok(Step::Worked) => {}
                Ok(_) => break,
                Err(e) => {
                    result = Err(e);
                    break;
                }
            }
        }
        // After a stop, the next writer projects the files: the stop must be prompt.
        if !self.is_stopped() {
            self.cluster.files().show_held()?;
        }
        result
    }

    /// Waits for the time, for a change, or for a request to stop.
    fn rest(&self, until: Option<Timestamp>, stop: Stop<'_>) -> Result<(), ApiError> {
        let whole = until.map(|at| at.duration_since(self.now).unsigned_abs());
        let spent = Stopwatch::start();
        while !stop() && !self.is_division_due() {
            let left = whole.map_or(NAP, |whole| whole.saturating_sub(spent.elapsed()));
            let seen = self.cache.revision();
            if left.is_zero() || self.cluster.wait(seen, left.min(NAP))? > seen {
                break;
            }
        }
        Ok(())
    }

    /// Returns the loaded objects that are not in their desired state. Runs no controller.
    pub fn stuck(&self) -> Vec<Stuck> {
        self.unmet().into_values().collect()
    }

    /// Returns the time until the controllers of a kind reconcile an object again if nothing changes, according to
    /// their current plans; `None` if they would only wait for a change. Writes nothing.
    pub fn next_attempt(&mut self, kind: &Kind, key: &Key) -> Option<SignedDuration> {
        let now = self.now;
        let mut next: Option<SignedDuration> = None;
        for index in 0..self.runners.len() {
            let own = self.runners[index].watches.first().and_then(|w| w.kind);
            if own.is_none_or(|own| (own.group, own.kind) != (kind.group, kind.kind)) {
                continue;
            }
            let due = Due {
                key: key.clone(),
                trigger: None,
                since: now,
            };
            let plan = self.plan(index, due, &[]).plan;
            // Both lanes count, because a schedule is an attempt as well as a back-off.
            let waits = [next, plan.requeue_after, plan.idle_requeue_after];
            next = waits.into_iter().flatten().min();
        }
        next
    }

    /// Returns the outcome of a quiet cluster, with its unmet conditions.
    fn verdict(&self, busy: Option<&str>) -> Outcome {
        let stuck = self.unmet();
        // First the limit: objects that are on their way to the desired state would look like the cause.
        let busy = busy.map(|busy| Stuck::of_controllers(&format!("{busy} at the time limit")));
        let stuck: Vec<Stuck> = busy.into_iter().chain(stuck.into_values()).collect();
        match stuck.is_empty() {
            true => Outcome::Settled,
            false => Outcome::Stuck(stuck),
        }
    }

    /// Returns the unmet conditions, by the names of the objects.
    fn unmet(&self) -> BTreeMap<String, Stuck> {
        let mut stuck: BTreeMap<String, Stuck> = BTreeMap::new();
        for runner in &self.runners {
            // The first watch is the controller's own kind; only objects of that kind can be judged.
            let kind = runner.watches.first().and_then(|w| w.kind);
            let judged = kind.into_iter().flat_map(|k| self.cache.list(k, ""));
            for object in judged {
                let Some(reason) = runner.controller.stuck(object, &self.cache) else {
                    continue;
                };
                let name = format!("{} {}", object.kind().kind, object.key());
                let unmet = self.unmet_by(&name, reason, Some(object));
                // Several controllers may report one object; the first in their fixed order names the reason.
                stuck.entry(name).or_insert(unmet);
            }
            for (key, error) in &runner.errors {
                let name = format!("{} {key}", runner.controller.name());
                let object = kind.and_then(|k| self.cache.get(k, &key.namespace, &key.name));
                let unmet = self.unmet_by(&name, error.clone(), object);
                stuck.entry(name).or_insert(unmet);
            }
        }
        stuck
    }

    fn unmet_by(&self, name: &str, reason: String, object: Option<&Object>) -> Stuck {
        // Similar objects share everything but the names of their own and of the Pods that they would create.
        let alike = object.map_or_else(
            || reason.clone(),
            |object| nameless(&reason, object.name()).replace(object.uid(), "*"),
        );
        Stuck {
            object: name.to_owned(),
            reason,
            alike,
            uid: object.map_or_else(String::new, |object| object.uid().to_owned()),
            owners: object.map_or_else(Vec::new, |object| self.owners(object)),
        }
    }

    /// Returns the uids of an object's owner, of the owner's owner, and so on.
    fn owners(&self, object: &Object) -> Vec<String> {
        let (mut owners, mut next) = (Vec::new(), Some(object));
        // Bounded, because owners may form a circle.
        while let Some(owner) = next.and_then(Object::controller)
            && owners.len() < MAX_OWNERS
        {
            let text = |field: &str| owner[field].as_str().unwrap_or_default();
            owners.push(text("uid").to_owned());
            let kind = find_kind(text("apiVersion"), text("kind"));
            next = kind.and_then(|k| self.cache.get(k, object.namespace(), text("name")));
        }
        owners
    }
}

/// Replaces a name, also as the beginning of the generated names of its dependents.
fn nameless(text: &str, name: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(name).filter(|_| !name.is_empty()) {
        let (before, found) = rest.split_at(at);
        let after = &found[name.len()..];
        let is_whole = |c: Option<char>| !c.is_some_and(|c| c.is_ascii_alphanumeric());
        out.push_str(before);
        if !(is_whole(out.chars().next_back()) && is_whole(after.chars().next())) {
            out.push_str(name);
            rest = after;
            continue;
        }
        out.push('*');
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
        rest = match after.starts_with('-') {
            true => after.trim_start_matches(is_part),
            false => after,
        };
    }
    out + rest
}

/// The beginning of the reasons of controllers, which are not objects.
const CONTROLLERS: &str = "controllers";

impl Stuck {
    /// Returns true if the run ended before the controllers had done everything.
    pub fn is_of_controllers(&self) -> bool {
        self.object == CONTROLLERS
    }

    /// Reports that a run ended before the controllers had done everything.
    pub fn of_controllers(reason: &str) -> Self {
        Self {
            object: CONTROLLERS.to_owned(),
            reason: reason.to_owned(),
            alike: String::new(),
            uid: String::new(),
            owners: Vec::new(),
        }
    }
}

/// Detects objects that repeatedly return to earlier states.
#[derive(Debug, Default)]
pub(crate) struct Cycles {
    /// How often each object was written, by the hash of its kind and name. A collision only starts the
    /// comparison of states a little earlier.
    writes: HashMap<u64, usize>,
    /// How often each frequently written object had the same state.
    same: HashMap<(&'static str, Key, u64), usize>,
    last: Vec<RecordedWrite>,
}

fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Cycles {
    /// Forgets all writes: after an outside change, repetition has a reason.
    fn forget(&mut self) {
        *self = Self::default();
    }

    /// Records a pass's writes; returns one round of a cycle if there is one.
    fn look(&mut self, written: &[RecordedWrite]) -> Option<Vec<String>> {
        let mut found = None;
        for write in written {
            let Some(object) = &write.object else {
                continue;
            };
            let name = hash_of((write.kind.kind, &write.key));
            let writes = self.writes.entry(name).or_default();
            *writes += 1;
            if *writes < RETURNS {
                continue;
            }
            let state = (write.kind.kind, write.key.clone(), state_of(object));
            let count = self.same.entry(state.clone()).or_default();
            *count += 1;
            if *count >= RETURNS {
                found = Some(state);
            }
        }
        let excess = written.len().saturating_sub(LAST);
        self.last.extend(written[excess..].iter().cloned());
        let excess = self.last.len().saturating_sub(LAST);
        self.last.drain(..excess);
        found.map(|(kind, key, state)| self.round(kind, &key, state))
    }

    /// Returns the writes of one object between two occurrences of a state, each once.
    fn round(&self, kind: &str, key: &Key, state: u64) -> Vec<String> {
        let own = self
            .last
            .iter()
            .filter(|w| w.kind.kind == kind && w.key == *key);
        let own: Vec<&RecordedWrite> = own.collect();
        let mut same = own.iter().enumerate().rev().filter(|(_, write)| {
            let object = write.object.as_ref();
            object.is_some_and(|object| state_of(object) == state)
        });
        let end = same.next().map_or(own.len(), |(at, _)| at + 1);
        let begin = same.next().map_or(0, |(at, _)| at + 1);
        let mut told = BTreeSet::new();
        own[begin..end]
            .iter()
            .map(|w| format!("{} {}: {}: {}", w.kind.kind, w.key, w.controller, w.rule))
            .filter(|line| told.insert(line.clone()))
            .collect()
    }
}

/// Returns a hash of an object's state, independent of its history.
fn state_of(object: &Object) -> u64 {
    let mut value = object.to_value();
    // These change with every write; with them no state would ever return.
    for field in ["resourceVersion", "generation", "managedFields"] {
        if let Some(metadata) = value["metadata"].as_object_mut() {
            metadata.remove(field);
        }
    }
    hash_of(value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_names_are_left_out_of_a_comparison() {
        for (text, name, alike) in [
            (
                r#"pods "web-6d4-hd4f8" is forbidden"#,
                "web-6d4",
                r#"pods "*" is forbidden"#,
            ),
            (
                r#"claim "data-web-0" not found"#,
                "web-0",
                r#"claim "data-*" not found"#,
            ),
            ("a node has a taint", "a", "* node has * taint"),
            ("nodes node.", "node", "nodes *."),
        ] {
            assert_eq!(nameless(text, name), alike);
        }
    }
}
