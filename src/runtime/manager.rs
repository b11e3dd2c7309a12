//! The one loop of all controllers: changes in, plans out, commits, and back into the cache.
//!
//! One thread takes controllers in the order of their list and keys in the order of their queues, so
//! that the same cluster with the same seed on a virtual clock always ends in the same history. All
//! keys of a controller that are due are planned on the same cache and committed together.

use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use jiff::Timestamp;

use super::cache::{Cache, Change};
use super::controller::{Controller, Failure, Sync, Watch};
use super::limits::{Config, Pace};
use super::metrics::{self, Metrics};
use super::object::{Key, Object};
use super::plan::{Note, Plan};
use super::queue::{Due, Lane, Queue};
use super::report::{Observer, Reconciled};
use super::script::{Planned, Script};
use super::tell;
use crate::api::status::Status;
use crate::cluster::{
    Answer, ApiError, ClockMode, Cluster, Kind, Place, Request, Revision, StoreError, WriteOptions,
};
use crate::sys::clock::Stopwatch;

/// A controller with its queue.
pub(crate) struct Runner {
    pub(crate) controller: Box<dyn Controller>,
    pub(crate) watches: Vec<Watch>,
    pub(crate) queue: Queue,
    pub(crate) config: Config,
    pub(crate) metrics: Metrics,
    pace: Pace,
    /// How many keys it takes at a time: fewer while writes are slow or fail.
    batch: usize,
    /// Until when its pace makes it wait.
    held: Option<Timestamp>,
    /// Whether a plan of the last tick was only the first part of what is to be done.
    partial: bool,
    /// Why keys failed last, while they do.
    pub(crate) errors: BTreeMap<Key, String>,
}

/// Who writes events.
const EVENTS: &str = "events";

/// A commit that takes longer makes the next ones smaller.
const SLOW: Duration = Duration::from_secs(1);

/// However slow it is, so many keys are taken at a time.
const LEAST_BATCH: usize = 16;

/// So many keys are planned before what was planned is committed: the plans of more would only fill
/// the memory.
const TOGETHER: usize = 1000;

/// So often in a row a controller goes on with what does not fit into one plan.
const PARTS: usize = 10;

impl Runner {
    fn new(controller: Box<dyn Controller>, config: Config) -> Self {
        Self {
            watches: controller.watches(),
            pace: Pace::new(&config),
            batch: config.workers,
            config,
            controller,
            queue: Queue::default(),
            metrics: Metrics::default(),
            held: None,
            partial: false,
            errors: BTreeMap::new(),
        }
    }

    /// Whether it would work now.
    pub(crate) fn is_ready(&self, now: Timestamp) -> bool {
        self.held.is_none_or(|until| until <= now) && self.queue.has_ready(now)
    }

    /// Until when it waits although keys are due.
    pub(crate) fn held(&self) -> Option<Timestamp> {
        self.held.filter(|_| self.queue.depth() > 0)
    }

    /// Takes what is due, as far as its pace allows.
    fn take(&mut self, now: Timestamp, real_time: bool) -> Vec<Due> {
        self.held = None;
        let full = self.queue.depth() > self.config.queue_size;
        if real_time && !full {
            let wait = self.pace.wait(&self.config, now);
            self.held = wait.and_then(|wait| now.checked_add(wait).ok());
        }
        if self.held.is_some() {
            return Vec::new();
        }
        let limit = if full {
            self.config.workers
        } else {
            self.batch
        };
        let due = self.queue.take(now, limit);
        for due in &due {
            self.queue.forget_times(&due.key);
            let waited = now.duration_since(due.since).as_secs_f64();
            self.metrics.waited(waited);
        }
        due
    }

    /// Learns from a tick how much to take at a time.
    fn learn(&mut self, taken: Duration, failed: bool) {
        self.batch = if failed || taken > SLOW {
            (self.batch / 2).max(LEAST_BATCH.min(self.config.workers))
        } else {
            self.batch.saturating_mul(2).min(self.config.workers)
        };
    }

    /// Whether keys of a namespace are this process's.
    fn minds(&self, namespace: &str) -> bool {
        self.config.shard.is_none_or(|(own, of)| {
            let sum: u32 = namespace.bytes().fold(0x811c_9dc5, |h, b| {
                (h ^ u32::from(b)).wrapping_mul(0x0100_0193)
            });
            sum % of == own
        })
    }
}

/// All controllers of a process on one cluster.
pub struct Manager<'c> {
    pub(crate) cluster: &'c Cluster,
    pub(crate) cache: Cache,
    pub(crate) runners: Vec<Runner>,
    pub(crate) now: Timestamp,
    pub(crate) epoch: Option<u64>,
    pub(crate) observer: Option<Observer>,
    pub(crate) written: Vec<Written>,
    kinds: Vec<&'static Kind>,
    notes: Vec<(&'static str, Note)>,
    /// Which watches of which controllers are about a kind, by its group and name.
    routes: HashMap<(&'static str, &'static str), Vec<(usize, usize)>>,
}

/// A change that a controller made, for those who look for cycles.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) controller: &'static str,
    pub(crate) rule: String,
    pub(crate) kind: &'static Kind,
    pub(crate) key: Key,
    pub(crate) object: Option<Object>,
}

/// What a request of a tick came to: `None` where it was left out.
type Answers = Vec<Option<Result<Answer, ApiError>>>;

impl<'c> Manager<'c> {
    /// The controllers of a process, with nothing read yet.
    pub fn new(
        cluster: &'c Cluster,
        controllers: Vec<Box<dyn Controller>>,
        config: &dyn Fn(&str) -> Config,
    ) -> Self {
        let mut indexes: Vec<_> = controllers.iter().flat_map(|c| c.indexes()).collect();
        indexes.extend(tell::index());
        let runners: Vec<Runner> = controllers
            .into_iter()
            .map(|controller| {
                let config = config(controller.name());
                Runner::new(controller, config)
            })
            .collect();
        Self {
            cluster,
            cache: Cache::new(indexes),
            runners,
            now: Timestamp::UNIX_EPOCH,
            epoch: None,
            observer: None,
            written: Vec::new(),
            kinds: Vec::new(),
            notes: Vec::new(),
            routes: HashMap::new(),
        }
    }

    /// Writes under a leader's epoch: refused as soon as somebody else leads.
    pub fn lead_under(&mut self, epoch: u64) {
        self.epoch = Some(epoch);
    }

    /// Tells of every reconcile.
    pub fn observe(&mut self, observer: Observer) {
        self.observer = Some(observer);
    }

    /// What the controllers see.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// What the controllers did, in Prometheus' text format.
    pub fn metrics(&self) -> String {
        let shown: Vec<_> = self
            .runners
            .iter()
            .map(|runner| metrics::Shown {
                name: runner.controller.name(),
                metrics: &runner.metrics,
                depth: runner.queue.depth(),
                adds: runner.queue.adds(),
            })
            .collect();
        metrics::text(&shown)
    }

    /// Reads everything that the controllers look at, and lets them look at all of it.
    ///
    /// # Errors
    /// Where the cluster cannot be read.
    pub fn load(&mut self) -> Result<(), ApiError> {
        self.kinds = watched_kinds(self.cluster, &self.runners)?;
        let revision = self.cluster.raw_revision()?;
        let mut changes = Vec::new();
        for kind in self.kinds.clone() {
            let list = self.cluster.list(&Place::new(kind, ""), &|_| true, None)?;
            let mut gone = self.cache.keys(kind);
            for value in list.items {
                let object = Object::new(kind, value);
                if let Ok(at) = gone.binary_search(object.key()) {
                    gone.remove(at);
                }
                changes.extend(self.cache.put(object));
            }
            let removed = gone
                .iter()
                .filter_map(|key| self.cache.remove(kind, key, list.revision + 1));
            changes.extend(removed);
        }
        self.cache.set_revision(revision);
        self.now = self.cluster.now()?;
        for change in &changes {
            self.route(change);
        }
        for runner in &mut self.runners {
            for key in runner.controller.start() {
                runner.queue.add(&key, None, self.now);
            }
        }
        Ok(())
    }

    /// Reads what others have changed; answers whether there was anything.
    ///
    /// # Errors
    /// Where the cluster cannot be read.
    pub fn refresh(&mut self) -> Result<bool, ApiError> {
        self.now = self.cluster.now()?;
        if self.cluster.raw_revision()? <= self.cache.revision() {
            return Ok(false);
        }
        if watched_kinds(self.cluster, &self.runners)?.len() != self.kinds.len() {
            // A definition came or went.
            self.load()?;
            return Ok(true);
        }
        let after = self.cache.revision();
        let (changed, revision) = match self.cluster.changes_of(&self.kinds, after) {
            Ok(changes) => changes,
            Err(ApiError::Store(StoreError::Gone { .. })) => {
                self.load()?;
                return Ok(true);
            }
            Err(e) => return Err(e),
        };
        let mut news = Vec::new();
        for change in changed {
            let key = Key::new(&change.namespace, &change.name);
            news.extend(match change.object {
                Some(value) => self.cache.put(Object::new(change.kind, value)),
                None => self.cache.remove(change.kind, &key, change.revision),
            });
        }
        self.cache.set_revision(revision);
        for change in &news {
            self.route(change);
        }
        Ok(!news.is_empty())
    }

    /// Leads a change to the keys that it concerns.
    fn route(&mut self, change: &Change) {
        let Some(object) = change.object() else {
            return;
        };
        let (kind, trigger) = (object.kind(), Some(object.revision()));
        for runner in &mut self.runners {
            runner.controller.observe(change);
        }
        let runners = &mut self.runners;
        let routes = self
            .routes
            .entry((kind.group, kind.kind))
            .or_insert_with(|| watches_of(runners, kind));
        for (runner, watch) in routes {
            let runner = &mut runners[*runner];
            let watch = &runner.watches[*watch];
            for key in (watch.keys)(change, &self.cache) {
                if !runner.minds(&key.namespace) {
                    continue;
                }
                if watch.delay.is_zero() {
                    runner.queue.add(&key, trigger, self.now);
                } else {
                    let queue = &mut runner.queue;
                    queue.add_after(&key, Lane::Wanted, watch.delay, self.now);
                }
            }
        }
    }

    /// Lets every controller work on what is due, once; answers how many keys were looked at.
    ///
    /// # Errors
    /// Where nothing can be written; [`crate::cluster::StoreError::Fenced`] where somebody else leads.
    pub fn pass(&mut self) -> Result<usize, ApiError> {
        let mut looked = 0;
        for index in 0..self.runners.len() {
            for _ in 0..PARTS {
                looked += self.tick(index)?;
                if !std::mem::take(&mut self.runners[index].partial) {
                    break;
                }
            }
        }
        self.tell()?;
        Ok(looked)
    }

    /// Lets one controller work on what is due for it.
    ///
    /// # Errors
    /// As for [`Manager::pass`].
    pub fn tick(&mut self, index: usize) -> Result<usize, ApiError> {
        let real_time = self.cluster.settings().clock == ClockMode::System;
        let runner = &mut self.runners[index];
        let due = runner.take(self.now, real_time);
        if due.is_empty() {
            return Ok(0);
        }
        let count = due.len();
        let mut due = due.into_iter();
        while due.len() > 0 {
            self.work(index, due.by_ref().take(TOGETHER).collect())?;
        }
        Ok(count)
    }

    /// Plans keys on one cache, commits the plans together and takes in what came of it.
    fn work(&mut self, index: usize, due: Vec<Due>) -> Result<(), ApiError> {
        let stopwatch = Stopwatch::start();
        let count = due.len();
        let mut planned: Vec<Planned> = due
            .into_iter()
            .map(|due| self.plan(index, due, &[]))
            .collect();
        let partial = planned.iter().any(|p| p.plan.partial);
        let script = Script::of(&mut planned);
        let (answers, failed) = self.commit(index, &script)?;
        self.take_in(index, planned, &script, answers)?;
        let runner = &mut self.runners[index];
        runner.partial |= partial && !failed;
        runner.metrics.worked(stopwatch.elapsed(), count);
        runner.learn(stopwatch.elapsed(), failed);
        Ok(())
    }

    /// Asks a controller for its plan; one that panics has failed.
    fn plan(&mut self, index: usize, due: Due, refused: &[Failure]) -> Planned {
        let runner = &mut self.runners[index];
        let sync = Sync {
            key: &due.key,
            cache: &self.cache,
            now: self.now,
            failures: runner.queue.failures(&due.key),
            refused,
            seed: self.cluster.settings().seed(),
            pods: self.cluster.settings().pods,
        };
        let controller = &mut runner.controller;
        let plan = catch_unwind(AssertUnwindSafe(|| controller.plan(&sync)));
        let plan = plan.unwrap_or_else(|_| Plan {
            error: Some("the controller panicked".to_owned()),
            ..Plan::default()
        });
        Planned {
            due,
            plan,
            field_manager: self.runners[index].controller.field_manager(),
        }
    }

    /// Commits requests; also answers whether the directory could not be written. Then all of them
    /// count as refused, and are tried again later.
    fn commit(&mut self, index: usize, script: &Script) -> Result<(Answers, bool), ApiError> {
        if script.requests.is_empty() {
            return Ok((Vec::new(), false));
        }
        let runner = &mut self.runners[index];
        let writer = runner.controller.name();
        let (requests, needs) = (&script.requests, &script.needs);
        let answers = self
            .cluster
            .batch_in_order(writer, self.epoch, requests, needs);
        match answers {
            Ok(answers) => {
                runner.metrics.wrote(requests.len());
                runner.pace.count(requests.len());
                Ok((answers, false))
            }
            Err(e @ StoreError::Fenced { .. }) => Err(e.into()),
            Err(e) => {
                let refuse = |_: &Request| Some(Err(Status::internal(e.to_string()).into()));
                Ok((requests.iter().map(refuse).collect(), true))
            }
        }
    }

    /// Takes the answers to a tick's requests into the cache, the queues and the events.
    fn take_in(
        &mut self,
        index: usize,
        planned: Vec<Planned>,
        script: &Script,
        answers: Answers,
    ) -> Result<(), ApiError> {
        let mut failures: Vec<Vec<Failure>> = planned.iter().map(|_| Vec::new()).collect();
        let left_out = self.feed(index, &planned, script, answers, &mut failures)?;
        let mut again = Vec::new();
        for (number, (mut planned, failures)) in planned.into_iter().zip(failures).enumerate() {
            let component = self.runners[index].controller.component();
            let notes = std::mem::take(&mut planned.plan.notes);
            self.notes.extend(notes.into_iter().map(|n| (component, n)));
            self.settle_key(index, &planned, &failures);
            let refused = failures.iter().any(|f| f.index.is_some());
            if refused || left_out.contains(&number) {
                let mut second = self.plan(index, planned.due, &failures);
                let notes = std::mem::take(&mut second.plan.notes);
                self.notes.extend(notes.into_iter().map(|n| (component, n)));
                again.push(second);
            }
        }
        if again.is_empty() {
            return Ok(());
        }
        // What was refused is told in the status.
        let script = Script::of_status(&mut again);
        let (answers, _) = self.commit(index, &script)?;
        let mut ignored: Vec<Vec<Failure>> = again.iter().map(|_| Vec::new()).collect();
        self.feed(index, &again, &script, answers, &mut ignored)?;
        for (planned, failures) in again.iter().zip(ignored) {
            self.add_times(index, planned);
            if !failures.is_empty() {
                self.runners[index]
                    .queue
                    .add(&planned.due.key, None, self.now);
            }
        }
        Ok(())
    }

    /// Feeds answers into the cache and collects refusals; answers the plans whose status was left out.
    fn feed(
        &mut self,
        index: usize,
        planned: &[Planned],
        script: &Script,
        answers: Answers,
        failures: &mut [Vec<Failure>],
    ) -> Result<Vec<usize>, ApiError> {
        let mut own = Vec::new();
        let mut changes = Vec::new();
        let mut left_out = Vec::new();
        let component = self.runners[index].controller.component();
        for ((answer, origin), request) in answers
            .into_iter()
            .zip(&script.origins)
            .zip(&script.requests)
        {
            let plan = &planned[origin.plan].plan;
            let write = match origin.change {
                Some(_) => &plan.changes[origin.place],
                None => &plan.status[origin.place],
            };
            match answer {
                Some(Ok(answer)) => {
                    let kind = request.place.kind;
                    let object = Object::new(kind, answer.object);
                    if let Some(note) = write.done.clone() {
                        self.notes
                            .push((component, note.about_write(object.name(), "")));
                    }
                    if !answer.changed {
                        continue;
                    }
                    own.push(object.revision());
                    let key = object.key().clone();
                    self.written.push(Written {
                        controller: self.runners[index].controller.name(),
                        rule: write.rule.clone(),
                        kind,
                        key: key.clone(),
                        object: (!answer.gone).then(|| object.clone()),
                    });
                    changes.extend(if answer.gone {
                        self.cache.remove(kind, &key, object.revision().max(1))
                    } else {
                        self.cache.put(object)
                    });
                }
                Some(Err(error)) => {
                    let status = refusal(error);
                    if write.is_delete() && status.reason == "NotFound" {
                        continue;
                    }
                    if let Some(note) = write.failed.clone() {
                        let note = note.about_write(&write.name, &status.message);
                        self.notes.push((component, note));
                    }
                    failures[origin.plan].push(Failure {
                        rule: write.rule.clone(),
                        index: origin.change,
                        status,
                    });
                }
                None => left_out.push(origin.plan),
            }
        }
        self.advance(own)?;
        for change in &changes {
            self.route(change);
        }
        Ok(left_out)
    }

    /// Moves the cache's revision over what this process wrote itself, where nobody else came between.
    fn advance(&mut self, mut own: Vec<Revision>) -> Result<(), ApiError> {
        own.sort_unstable();
        let mut next = self.cache.revision() + 1;
        for revision in own {
            if revision == next {
                next += 1;
            }
        }
        self.cache.set_revision(next - 1);
        if self.cluster.raw_revision()? >= next {
            self.refresh()?;
        }
        Ok(())
    }

    /// Decides when a key is looked at again.
    fn settle_key(&mut self, index: usize, planned: &Planned, failures: &[Failure]) {
        let key = &planned.due.key;
        self.add_times(index, planned);
        let (now, runner) = (self.now, &mut self.runners[index]);
        let error = planned.plan.error.clone();
        let error = error.or_else(|| failures.first().map(|f| f.status.message.clone()));
        let class = failures
            .iter()
            .map(Failure::class)
            .chain(
                planned
                    .plan
                    .error
                    .iter()
                    .map(|_| super::backoff::Class::Passing),
            )
            .max();
        if let Some(observer) = &mut self.observer {
            observer(&Reconciled {
                controller: runner.controller.name(),
                key,
                trigger: planned.due.trigger,
                plan: &planned.plan,
                error: error.as_deref(),
                now,
            });
        }
        let Some(class) = class else {
            runner.queue.succeeded(key);
            runner.errors.remove(key);
            runner.metrics.succeeded();
            return;
        };
        let count = runner.queue.failed(key);
        runner.metrics.failed(class);
        runner.errors.insert(key.clone(), error.unwrap_or_default());
        if let Some(wait) = runner.config.backoff.wait(class, count) {
            runner.queue.add_after(key, Lane::Retry, wait, now);
        }
    }

    fn add_times(&mut self, index: usize, planned: &Planned) {
        let runner = &mut self.runners[index];
        let (queue, resync) = (&mut runner.queue, runner.config.resync);
        let key = &planned.due.key;
        if let Some(wait) = planned.plan.again {
            queue.add_after(key, Lane::Wanted, wait, self.now);
        }
        if let Some(wait) = planned.plan.again_idle {
            queue.add_after(key, Lane::Idle, wait, self.now);
        }
        if let Some(period) = resync {
            queue.add_after(key, Lane::Idle, period, self.now);
        }
    }

    /// Writes the events of the pass: one commit for all of them.
    fn tell(&mut self) -> Result<(), ApiError> {
        let notes = std::mem::take(&mut self.notes);
        if notes.is_empty() {
            return Ok(());
        }
        let rule = WriteOptions {
            rule: "event: it is told".to_owned(),
            ..WriteOptions::default()
        };
        let seed = (self.cluster.settings().seed(), self.cache.revision());
        let told = tell::requests(notes, &self.cache, self.now, seed, &rule);
        let answers = match self.cluster.batch(EVENTS, self.epoch, &told) {
            Ok(answers) => answers,
            Err(e @ StoreError::Fenced { .. }) => return Err(e.into()),
            // Events are told as well as may be; what they tell of is done.
            Err(_) => return Ok(()),
        };
        let mut own = Vec::new();
        let mut changes = Vec::new();
        for (answer, request) in answers.into_iter().zip(&told) {
            let Ok(answer) = answer else { continue };
            let object = Object::new(request.place.kind, answer.object);
            if answer.changed {
                own.push(object.revision());
                changes.extend(self.cache.put(object));
            }
        }
        self.advance(own)?;
        for change in &changes {
            self.route(change);
        }
        Ok(())
    }
}

/// The watches of all controllers that are about a kind, in the order of the controllers.
fn watches_of(runners: &[Runner], kind: &Kind) -> Vec<(usize, usize)> {
    let about = |watch: &Watch| {
        let same = |k: &Kind| (k.group, k.kind) == (kind.group, kind.kind);
        watch.kind.is_none_or(same)
    };
    let of = |(at, runner): (usize, &Runner)| -> Vec<(usize, usize)> {
        let watches = runner.watches.iter().enumerate();
        watches
            .filter(|(_, w)| about(w))
            .map(|(i, _)| (at, i))
            .collect()
    };
    runners.iter().enumerate().flat_map(of).collect()
}

/// What a request that was not done was answered; trouble with the directory passes.
fn refusal(error: ApiError) -> Status {
    match error {
        ApiError::Status(status) => *status,
        ApiError::Store(e) => Status::internal(e.to_string()),
    }
}

/// The kinds that anybody watches, in a fixed order.
fn watched_kinds(cluster: &Cluster, runners: &[Runner]) -> Result<Vec<&'static Kind>, ApiError> {
    let watches = || runners.iter().flat_map(|r| &r.watches);
    let mut kinds: BTreeMap<(&str, &str), &'static Kind> = BTreeMap::new();
    if watches().any(|w| w.kind.is_none()) {
        for kind in cluster.watchable()? {
            kinds.insert((kind.group, kind.kind), kind);
        }
    }
    let told = tell::index().map(|index| index.kind);
    for kind in watches().filter_map(|w| w.kind).chain(told) {
        kinds.insert((kind.group, kind.kind), kind);
    }
    Ok(kinds.into_values().collect())
}
