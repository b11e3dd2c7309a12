//! Reads what the screen shows, in a thread of its own, so that keys are never waited for.
//!
//! Another thread waits for the next revision. Work that grows with the cluster, such as ages and the controllers' plans, is repeated
//! only after a rest of many times its duration: an idle screen costs next to nothing, whatever it shows.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use ctl_scene::{Scope, Snapshot, Status, tree};
use ctl_tui::{Event, Input, NodeRow, Present, Step, Stop};

use super::Message;
use crate::api::duration::human;
use crate::api::json::Value;
use crate::cli::commands::{controllers, why};
use crate::cli::error::CliError;
use crate::cluster::{ClockMode, Cluster, Key, Place, Revision};
use crate::history::{Filter, History, Names, log, mark_of};
use crate::kinds;
use crate::kinds::convert::stored_as;
use crate::kinds::tree::{field, int, text};
use crate::runtime::{Config, Manager};
use crate::sys::clock::Stopwatch;

/// The longest time until a moved clock is noticed: there is no revision to wait for.
const CLOCK: Duration = Duration::from_secs(1);

/// The rest after a piece of work, as a multiple of its duration.
const REST: u32 = 200;

/// The rest after reading a changed cluster: a busy one is read ten times a second at most, and never takes all of a
/// core.
const BUSY: Duration = Duration::from_millis(100);

/// The events that are shown.
const EVENTS: usize = 200;

/// The resources that change without a person's interest; commits of them alone are no stops.
const NOISE: &[&str] = &[
    "events",
    "events.events.k8s.io",
    "leases.coordination.k8s.io",
    "endpoints",
    "endpointslices.discovery.k8s.io",
    "controllerrevisions.apps",
];

/// A request of the screen to the reader.
pub(super) enum Ask {
    /// The cluster at a revision, or as it is.
    Show(Option<Revision>),
    /// The causes of an object, by its uid.
    Why(String),
    /// The cluster has changed.
    Changed,
    /// Time has passed.
    Time,
    /// The cluster cannot be read.
    Failed(CliError),
}

/// The reader, with what it has read.
pub(super) struct Reader {
    cluster: Arc<Cluster>,
    scope: Scope,
    names: Names,
    sender: Sender<Message>,
    /// The revision that is shown; none for the present.
    at: Option<Revision>,
    current: Option<Snapshot>,
    /// The last commit that the timeline has.
    seen: Revision,
    history: Option<(Revision, History)>,
    /// The object whose causes are shown.
    subject: Option<String>,
    aged: Pause,
    planned: Pause,
    is_plan_old: bool,
}

/// The rest after a piece of work.
struct Pause {
    since: Stopwatch,
    rest: Duration,
}

impl Pause {
    fn none() -> Self {
        Self {
            since: Stopwatch::start(),
            rest: Duration::ZERO,
        }
    }

    fn is_over(&self) -> bool {
        self.since.elapsed() >= self.rest
    }

    fn after(work: &Stopwatch) -> Self {
        Self {
            since: Stopwatch::start(),
            // Proportional to the work, so the share of a core stays the same for a cluster of any size.
            rest: work.elapsed().saturating_mul(REST),
        }
    }
}

impl Reader {
    /// Starts the threads; returns the sender for requests.
    pub(super) fn start(
        cluster: Arc<Cluster>,
        scope: Scope,
        names: Names,
        sender: Sender<Message>,
    ) -> Result<Sender<Ask>, CliError> {
        let (asks, asked) = channel();
        let thread = |name: &str| std::thread::Builder::new().name(name.to_owned());
        let (watched, changes) = (Arc::clone(&cluster), asks.clone());
        thread("changes").spawn(move || watch(&watched, &changes))?;
        let mut reader = Self {
            seen: 0,
            cluster,
            scope,
            names,
            sender,
            at: None,
            current: None,
            history: None,
            subject: None,
            aged: Pause::none(),
            planned: Pause::none(),
            is_plan_old: true,
        };
        // One thread reads, so that results reach the screen in the order of the questions.
        thread("reader").spawn(move || {
            let sender = reader.sender.clone();
            if let Err(error) = reader.run(&asked) {
                // A screen that is closed needs no reason.
                let _ = sender.send(Message::Failed(error));
            }
        })?;
        Ok(asks)
    }

    fn tell(&self, input: Input) {
        let _ = self.sender.send(Message::Input(input));
    }

    fn run(&mut self, asked: &Receiver<Ask>) -> Result<(), CliError> {
        let mut asks = vec![Ask::Changed];
        loop {
            // Questions that piled up during a read are merged: of ten changes, the reader shows the last state once.
            let (mut shows, mut changed, mut time) = (false, false, false);
            for ask in asks.drain(..) {
                match ask {
                    Ask::Show(at) => (self.at, shows) = (at, true),
                    Ask::Why(uid) => {
                        self.subject = Some(uid);
                        self.why()?;
                    }
                    Ask::Changed => changed = true,
                    Ask::Time => time = true,
                    Ask::Failed(error) => return Err(error),
                }
            }
            let work = Stopwatch::start();
            if changed {
                self.stops()?;
                self.is_plan_old = true;
            }
            if shows || changed && self.at.is_none() {
                self.show()?;
                self.why()?;
                std::thread::sleep(BUSY.min(work.elapsed() + BUSY / 10));
            } else if time {
                self.grow_older()?;
            }
            if self.is_plan_old && self.planned.is_over() {
                self.plan()?;
            }
            // A plan that rests is made when the rest is over, also if nothing else happens.
            let first = match self.is_plan_old {
                true => asked.recv_timeout(CLOCK),
                false => asked.recv().map_err(RecvTimeoutError::from),
            };
            match first {
                Ok(first) => asks.push(first),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            // One read serves all questions that wait.
            asks.extend(asked.try_iter());
        }
    }

    /// Reads the cluster at the revision that is shown.
    fn show(&mut self) -> Result<(), CliError> {
        let snapshot = Snapshot::read(&self.cluster, &self.scope, self.at)?;
        self.present(&snapshot)?;
        self.current = Some(snapshot);
        Ok(())
    }

    fn present(&mut self, snapshot: &Snapshot) -> Result<(), CliError> {
        let work = Stopwatch::start();
        let nodes = snapshot.items().filter(|item| item.kind.hosts_pods());
        let nodes = nodes.map(|item| NodeRow {
            name: text(field(&item.object, "metadata"), "name").to_owned(),
            status: Status::of(item.kind, &item.object, snapshot.time),
            pods: Vec::new(),
        });
        let present = Present {
            is_live: self.at.is_none(),
            is_virtual: self.cluster.settings().clock == ClockMode::Virtual,
            events: self.events(snapshot)?,
            ..Present::default()
        };
        let present = present.with_scene(tree(snapshot, &self.scope), nodes.collect());
        self.aged = Pause::after(&work);
        self.tell(Input::State(Box::new(present)));
        Ok(())
    }

    fn events(&self, snapshot: &Snapshot) -> Result<Vec<Event>, CliError> {
        let Some(kind) = kinds::find("", "v1", "Event") else {
            return Ok(Vec::new());
        };
        let place = Place::new(kind, &self.scope.namespace);
        let listed = match self.at {
            None => self.cluster.list(&place, &|_| true, None)?,
            Some(at) => {
                let past = self.cluster.stored().as_of(at, snapshot.time)?;
                past.list(&place, &|_| true, None)?
            }
        };
        let mut all = listed.items;
        let time = |event: &Value| {
            // Events of events.k8s.io leave `lastTimestamp` empty and set `eventTime`; core events do the opposite.
            let own = ["lastTimestamp", "eventTime", "firstTimestamp"];
            let found = own.iter().map(|name| text(event, name));
            let found = found.chain([text(field(event, "metadata"), "creationTimestamp")]);
            let parsed = found.filter_map(|time| time.parse::<jiff::Timestamp>().ok());
            parsed.max()
        };
        all.sort_by_cached_key(|event| std::cmp::Reverse(time(event)));
        all.truncate(EVENTS);
        let shown = all.iter().map(|event| {
            let subject = field(event, "involvedObject");
            let count = int(event, "count");
            let times = match count {
                0 | 1 => String::new(),
                many => format!(" (x{many})"),
            };
            let age = time(event).map_or_else(String::new, |time| {
                human(snapshot.time.duration_since(time).as_secs())
            });
            Event {
                age,
                is_warning: text(event, "type") == "Warning",
                reason: text(event, "reason").to_owned(),
                object: format!(
                    "{}/{}",
                    text(subject, "kind").to_lowercase(),
                    text(subject, "name")
                ),
                message: format!("{}{times}", text(event, "message")),
            }
        });
        Ok(shown.collect())
    }

    /// Shows the new time, and now and then the new ages.
    fn grow_older(&mut self) -> Result<(), CliError> {
        let now = self.cluster.now()?;
        self.tell(Input::Time(now));
        if self.at.is_none()
            && self.aged.is_over()
            && let Some(mut snapshot) = self.current.take()
        {
            snapshot.time = now;
            self.present(&snapshot)?;
            self.current = Some(snapshot);
        }
        Ok(())
    }

    /// Reads the commits that the timeline does not have yet.
    fn stops(&mut self) -> Result<(), CliError> {
        let filter = Filter {
            after: self.seen,
            ..Filter::default()
        };
        let (mut stops, mut seen) = (Vec::new(), self.seen);
        let namespace = self.scope.namespace.clone();
        let is_own = |key: &str| {
            let mut parts = key.split('/');
            let (resource, own) = (parts.next().unwrap_or_default(), parts.next());
            // Nodes and other cluster-scoped objects concern every namespace.
            let is_near =
                namespace.is_empty() || own.is_none_or(|own| own == namespace || own == "_cluster");
            is_near && !NOISE.contains(&resource)
        };
        log(&self.cluster, &filter, &mut |entry| {
            seen = seen.max(entry.revision);
            let mark = mark_of(&entry.rule).map(str::to_owned);
            if mark.is_some() || entry.changes.iter().any(|change| is_own(&change.key)) {
                stops.push(Stop {
                    revision: entry.revision,
                    time: entry.time,
                    writer: entry.origin.author(&entry.writer).to_owned(),
                    rule: entry.reason().to_owned(),
                    mark,
                });
            }
            true
        })?;
        self.seen = seen;
        self.tell(Input::Stops(stops));
        Ok(())
    }

    /// Reads the causes of the selected object.
    fn why(&mut self) -> Result<(), CliError> {
        let (Some(uid), Some(snapshot)) = (&self.subject, &self.current) else {
            return Ok(());
        };
        let is_it = |item: &&ctl_scene::Item| text(field(&item.object, "metadata"), "uid") == uid;
        let Some(item) = snapshot.items().find(is_it) else {
            return Ok(());
        };
        let metadata = field(&item.object, "metadata");
        let namespace = item.kind.namespaced.then(|| text(metadata, "namespace"));
        let resource = stored_as(item.kind).qualified_resource();
        let Ok(key) = Key::new(&resource, namespace, text(metadata, "name")) else {
            return Ok(());
        };
        let revision = self.cluster.stored().revision()?;
        // Reading the history grows with its length, so one copy serves all questions about the same revision.
        let history = match self.history.take() {
            Some((read, history)) if read == revision => history,
            _ => History::read(&self.cluster)?,
        };
        let until = self.at.unwrap_or(Revision::MAX);
        let last = history.changes().rev();
        let last = last
            .filter(|change| change.revision <= until)
            .find(|change| change.key == key.as_str());
        let chain = history.why_at(last.map_or(0, |change| change.revision));
        let told = why::told(&chain, false, &self.names, &self.cluster)?;
        let lines = told.lines().map(str::to_owned).collect();
        let uid = uid.clone();
        self.history = Some((revision, history));
        self.tell(Input::Why { uid, lines });
        Ok(())
    }

    /// Plans the controllers' next steps.
    fn plan(&mut self) -> Result<(), CliError> {
        let work = Stopwatch::start();
        let all = controllers::all(&controllers::Which::default())?;
        // A manager without an epoch and never run: it plans on a cache of its own and writes nothing.
        let mut manager = Manager::new(&self.cluster, all, &|_| Config::default());
        manager.load()?;
        let steps = manager.upcoming().into_iter().map(|step| Step {
            controller: step.controller.to_owned(),
            key: step.key.to_string(),
            at: step.at,
            what: match step.rules.is_empty() {
                true => "waits".to_owned(),
                false => step.rules.join("; "),
            },
        });
        self.tell(Input::Queue(steps.collect()));
        self.is_plan_old = false;
        self.planned = Pause::after(&work);
        Ok(())
    }
}

/// Waits for changes, and for the time.
fn watch(cluster: &Cluster, asks: &Sender<Ask>) {
    let mut seen = 0;
    let mut time = None;
    loop {
        let ask = match cluster
            .wait(seen, CLOCK)
            .and_then(|at| Ok((at, cluster.now()?)))
        {
            // The revision that is known already means that the wait timed out.
            Ok((at, _)) if at != seen => {
                seen = at;
                Ask::Changed
            }
            // A virtual clock mostly stands still: nothing is drawn then.
            Ok((_, now)) if time != Some(now) => {
                time = Some(now);
                Ask::Time
            }
            Ok(_) => continue,
            Err(error) => Ask::Failed(error.into()),
        };
        let is_last = matches!(ask, Ask::Failed(_));
        if asks.send(ask).is_err() || is_last {
            return;
        }
    }
}
