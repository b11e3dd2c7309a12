//! Reads the data of the screen from a cluster, for the terminal and the web.
//!
//! Must not know: threads that draw, connections.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use ctl_scene::{Event, NodeRow, Present, Scope, Snapshot, Status, Step, Stop, tree};

use crate::api::duration::human;
use crate::api::json::Value;
use crate::cli::commands::{controllers, why};
use crate::cli::error::CliError;
use crate::cluster::{ClockMode, Cluster, Place, Revision, stored_key};
use crate::history::{Filter, History, Names, log, mark_of};
use crate::kinds;
use crate::kinds::tree::{field, int, text};
use crate::runtime::{Config, Manager};
use crate::sys::clock::Stopwatch;

/// The interval at which the clock is polled, because setting it creates no revision to wait for.
pub(super) const CLOCK: Duration = Duration::from_secs(1);

/// The pause after work that grows with the cluster, as a multiple of its duration: such work uses at most 0.5 % of a
/// core.
const REST: u32 = 200;

/// The pause after a changed cluster is read. A busy cluster is read at most ten times a second and never uses a whole
/// core.
pub(super) const BUSY: Duration = Duration::from_millis(100);

/// The maximum number of events shown.
const EVENTS: usize = 200;

/// Resources whose changes do not interest users. The timeline skips commits that change nothing else.
const NOISE: &[&str] = &[
    "events",
    "events.events.k8s.io",
    "leases.coordination.k8s.io",
    "endpoints",
    "endpointslices.discovery.k8s.io",
    "controllerrevisions.apps",
];

/// The history up to a revision. Reading it takes time that grows with its length, so it is cached for all requests
/// about the revision.
pub(super) type CachedHistory = Option<(Revision, History)>;

/// The displayed part of a cluster.
pub(super) struct View {
    pub(super) cluster: Arc<Cluster>,
    pub(super) scope: Scope,
    names: Names,
}

impl View {
    pub(super) fn new(cluster: Arc<Cluster>, scope: Scope) -> Result<Self, CliError> {
        let names = Names::new(&*cluster.kinds()?, &scope.namespace);
        Ok(Self {
            cluster,
            scope,
            names,
        })
    }

    /// Reads the objects, now or at an earlier revision.
    pub(super) fn snapshot(&self, at: Option<Revision>) -> Result<Snapshot, CliError> {
        Ok(Snapshot::read(&self.cluster, &self.scope, at)?)
    }

    /// Arranges objects for the screen. `at` is the revision if it is not the current one.
    pub(super) fn present(
        &self,
        snapshot: &Snapshot,
        at: Option<Revision>,
    ) -> Result<Present, CliError> {
        let nodes = snapshot.items().filter(|item| item.kind.hosts_pods());
        let nodes = nodes.map(|item| NodeRow {
            name: text(field(&item.object, "metadata"), "name").to_owned(),
            status: Status::from_object(item.kind, &item.object, snapshot.time),
            pods: Vec::new(),
        });
        let present = Present {
            is_live: at.is_none(),
            is_virtual: self.cluster.settings().clock == ClockMode::Virtual,
            events: self.events(snapshot, at)?,
            ..Present::default()
        };
        Ok(present.with_scene(tree(snapshot, &self.scope), nodes.collect()))
    }

    fn events(&self, snapshot: &Snapshot, at: Option<Revision>) -> Result<Vec<Event>, CliError> {
        let Some(kind) = kinds::find("", "v1", "Event") else {
            return Ok(Vec::new());
        };
        let place = Place::new(kind, &self.scope.namespace);
        let listed = match at {
            None => self.cluster.list(&place, &|_| true, None)?,
            Some(at) => {
                let past = self.cluster.stored().as_of(at, snapshot.time)?;
                past.list(&place, &|_| true, None)?
            }
        };
        Ok(newest(listed.items, snapshot.time))
    }

    /// Reads the commits after a revision that affect the scope. Also returns the last revision that was read.
    pub(super) fn stops(&self, after: Revision) -> Result<(Vec<Stop>, Revision), CliError> {
        let filter = Filter {
            after,
            ..Filter::default()
        };
        let (mut stops, mut seen) = (Vec::new(), after);
        let namespace = &self.scope.namespace;
        let is_own = |key: &str| {
            let mut parts = key.split('/');
            let (resource, own) = (parts.next().unwrap_or_default(), parts.next());
            // Nodes and other cluster-scoped objects affect every namespace.
            let is_near = namespace.is_empty()
                || own.is_none_or(|own| own == *namespace || own == "_cluster");
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
        Ok((stops, seen))
    }

    /// Reads the causes of an object in a snapshot; none if the object does not exist.
    pub(super) fn why(
        &self,
        snapshot: &Snapshot,
        uid: &str,
        at: Option<Revision>,
        kept: &mut CachedHistory,
    ) -> Result<Option<Vec<String>>, CliError> {
        let is_it = |item: &&ctl_scene::Item| text(field(&item.object, "metadata"), "uid") == uid;
        let Some(item) = snapshot.items().find(is_it) else {
            return Ok(None);
        };
        let metadata = field(&item.object, "metadata");
        let (namespace, name) = (text(metadata, "namespace"), text(metadata, "name"));
        let Ok(key) = stored_key(item.kind, namespace, name) else {
            return Ok(None);
        };
        let revision = self.cluster.stored().revision()?;
        let history = match kept.take() {
            Some((read, history)) if read == revision => history,
            _ => History::read(&self.cluster)?,
        };
        let until = at.unwrap_or(Revision::MAX);
        let last = history.changes().rev();
        let last = last
            .filter(|change| change.revision <= until)
            .find(|change| change.key == key.as_str());
        let chain = history.why_at(last.map_or(0, |change| change.revision), key.as_str());
        let told = why::format_chain(&chain, false, &self.names, &self.cluster)?;
        *kept = Some((revision, history));
        Ok(Some(told.lines().map(str::to_owned).collect()))
    }
}

/// Returns the events to show, the newest first.
fn newest(mut all: Vec<Value>, now: jiff::Timestamp) -> Vec<Event> {
    let time = |event: &Value| {
        // Events of events.k8s.io leave `lastTimestamp` empty and set `eventTime`; core events do the opposite.
        let own = ["lastTimestamp", "eventTime", "firstTimestamp"];
        let found = own.iter().map(|name| text(event, name));
        let found = found.chain([text(field(event, "metadata"), "creationTimestamp")]);
        let parsed = found.filter_map(|time| time.parse::<jiff::Timestamp>().ok());
        parsed.max()
    };
    // Core events have whole seconds, so the revision decides which of them is newest.
    let revision = |event: &Value| {
        let metadata = field(event, "metadata");
        text(metadata, "resourceVersion").parse::<Revision>().ok()
    };
    all.sort_by_cached_key(|event| std::cmp::Reverse((time(event), revision(event))));
    all.truncate(EVENTS);
    let shown = all.iter().map(|event| {
        let subject = field(event, "involvedObject");
        let times = match int(event, "count") {
            0 | 1 => String::new(),
            many => format!(" (x{many})"),
        };
        let time = time(event);
        let age = time.map(|time| human(now.duration_since(time).as_secs()));
        let (kind, name) = (text(subject, "kind").to_lowercase(), text(subject, "name"));
        Event {
            age: age.unwrap_or_default(),
            time,
            is_warning: text(event, "type") == "Warning",
            reason: text(event, "reason").to_owned(),
            object: format!("{kind}/{name}"),
            message: format!("{}{times}", text(event, "message")),
        }
    });
    shown.collect()
}

/// A pause after a piece of work.
pub(super) struct Pause {
    since: Stopwatch,
    rest: Duration,
}

impl Pause {
    pub(super) fn none() -> Self {
        Self {
            since: Stopwatch::start(),
            rest: Duration::ZERO,
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.left().is_zero()
    }

    fn left(&self) -> Duration {
        self.rest.saturating_sub(self.since.elapsed())
    }

    pub(super) fn after(work: &Stopwatch) -> Self {
        Self {
            since: Stopwatch::start(),
            // The pause is proportional to the work, so the share of a core does not depend on the size of the cluster.
            rest: work.elapsed().saturating_mul(REST),
        }
    }
}

/// Starts a thread that plans the next reconciles after each message and ends with the sender. A plan reads the whole
/// cluster, so its own thread keeps it from delaying objects and requests.
pub(super) fn plan_aside(
    cluster: Arc<Cluster>,
    tell: impl Fn(Result<Vec<Step>, CliError>) + Send + 'static,
) -> Result<Sender<()>, CliError> {
    let (sender, asked) = channel();
    let thread = std::thread::Builder::new().name("planner".to_owned());
    thread.spawn(move || {
        let mut pause = Pause::none();
        while is_asked(&asked, &pause) {
            let work = Stopwatch::start();
            tell(plan(&cluster));
            pause = Pause::after(&work);
        }
    })?;
    Ok(sender)
}

/// Waits for a request and for the end of a pause. Requests during the pause are merged. Returns false if the sender is
/// gone.
fn is_asked(asked: &Receiver<()>, pause: &Pause) -> bool {
    let mut is_asked = asked.recv().is_ok();
    while is_asked && !pause.is_over() {
        let next = asked.recv_timeout(pause.left());
        is_asked = next != Err(RecvTimeoutError::Disconnected);
    }
    is_asked
}

fn plan(cluster: &Cluster) -> Result<Vec<Step>, CliError> {
    let all = controllers::all(&controllers::ControllerSelection::default())?;
    // The manager has no epoch and never runs: it plans on its own cache and writes nothing.
    let mut manager = Manager::new(cluster, all, &|_| Config::default());
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
    Ok(steps.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn events_of_the_same_second_are_ordered_by_revision() {
        let event = |name: &str, time: &str, revision: &str| json!({"metadata": {"name": name, "resourceVersion": revision}, "lastTimestamp": time, "reason": name});
        let (first, second) = ("2026-01-02T12:00:00Z", "2026-01-02T12:00:01Z");
        let events = vec![
            event("Scheduled", first, "9"),
            event("Created", first, "10"),
            event("Killing", second, "8"),
            event("Started", first, "11"),
        ];
        let shown = newest(events, second.parse().unwrap());
        let reasons: Vec<&str> = shown.iter().map(|event| event.reason.as_str()).collect();
        assert_eq!(reasons, ["Killing", "Started", "Created", "Scheduled"]);
        assert_eq!(shown[3].age, "1s");
    }
}
