//! `ctl import --watch`: records every change of a live cluster as a commit.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::live::{Objects, Resource, Source};
use crate::api::json::Value;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cluster::{Cluster, LiveChange};
use crate::kinds::{Kind, find_by_api_version};
use crate::serve::live::{Ended, LiveError, LiveEvent};
use crate::sys::clock::Stopwatch;
use crate::sys::signal;

/// The interval at which the loop checks for a stop request and for retries.
const GLANCE: Duration = Duration::from_millis(200);

/// The pause before a watch restarts after it ended; it doubles with each failure.
const PAUSE: Duration = Duration::from_secs(1);

/// The longest such pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The namespace and the name of an object.
type Name = (String, String);

fn name_of(object: &Value) -> Name {
    let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
    (text("namespace").to_owned(), text("name").to_owned())
}

/// A watched resource.
pub(super) struct Watched {
    resource: Resource,
    /// The revision of the live cluster up to which everything is recorded; empty if unknown.
    version: String,
    /// The objects that exist in the live cluster.
    names: BTreeSet<Name>,
    /// The time at which the watch restarts, if it is not running.
    due: Option<Duration>,
    pause: Duration,
}

impl Watched {
    pub(super) fn new(resource: &Resource, objects: &Objects) -> Self {
        Self {
            resource: resource.clone(),
            version: objects.version.clone(),
            names: objects.items.iter().map(name_of).collect(),
            due: Some(Duration::ZERO),
            pause: PAUSE,
        }
    }
}

/// The state of a recording.
struct Recorder<'a> {
    source: Source,
    watched: Vec<Watched>,
    cluster: &'a Cluster,
    context: &'a Context,
    stopwatch: Stopwatch,
    /// The number of changes recorded so far.
    count: usize,
    /// True if a definition has changed, so that there may be new resources.
    is_stale: bool,
    /// True if the server is unreachable.
    is_lost: bool,
    /// True if the server rejects the credentials.
    is_denied: bool,
}

/// Records changes until the user interrupts the command.
pub(super) fn run(
    source: Source,
    watched: Vec<Watched>,
    cluster: &Cluster,
    context: &Context,
) -> Result<(), CliError> {
    let stop = signal::stop_flag()?;
    let kinds = watched.len();
    context.ui.note(&format!(
        "recording the changes of {kinds} kinds; interrupt with Ctrl-C"
    ));
    let mut recorder = Recorder {
        source,
        watched,
        cluster,
        context,
        stopwatch: Stopwatch::start(),
        count: 0,
        is_stale: false,
        is_lost: false,
        is_denied: false,
    };
    while !stop.load(Ordering::Relaxed) {
        recorder.start_due()?;
        if let Some(heard) = recorder.source.live.next(GLANCE) {
            recorder.hear(heard)?;
        } else if recorder.is_stale {
            // This waits for a quiet moment, because a chart creates several definitions at once.
            recorder.discover();
        }
    }
    let (count, revision) = (recorder.count, cluster.stored().revision()?);
    let plural = if count == 1 { "" } else { "s" };
    let line = format!("recorded {count} change{plural} up to revision {revision}");
    context.ui.line(line)
}

impl Recorder<'_> {
    /// Starts the watches that are due. A resource without a revision is listed first.
    fn start_due(&mut self) -> Result<(), CliError> {
        let now = self.stopwatch.elapsed();
        if self.is_denied
            && self
                .watched
                .iter()
                .any(|w| w.due.is_some_and(|due| due <= now))
        {
            self.log_in_again(now);
        }
        for number in 0..self.watched.len() {
            let watched = &self.watched[number];
            if watched.due.is_none_or(|due| due > now) {
                continue;
            }
            if watched.version.is_empty() && !self.list_again(number)? {
                continue;
            }
            let watched = &mut self.watched[number];
            watched.due = None;
            // Bookmarks keep the revision of a quiet resource recent enough to resume its watch.
            let path = format!(
                "{}?watch=true&allowWatchBookmarks=true&resourceVersion={}",
                watched.resource.path, watched.version
            );
            self.source.live.watch(number, path);
        }
        Ok(())
    }

    /// Connects again with the current credentials in the kubeconfig.
    fn log_in_again(&mut self, now: Duration) {
        // A plugin may fail while the server is away. The next failure of a watch leads to another attempt.
        self.is_denied = self.source.log_in_again().is_err();
        if !self.is_denied {
            // The watches of the old connection have ended with it.
            self.watched.iter_mut().for_each(|w| w.due = Some(now));
        }
    }

    /// Lists a resource again and records the differences. Returns false if the server does not return a list.
    fn list_again(&mut self, number: usize) -> Result<bool, CliError> {
        let resource = self.watched[number].resource.clone();
        let objects = match self.source.list(&resource) {
            Ok(objects) => objects,
            Err(e) => {
                self.fail(number, &e);
                return Ok(false);
            }
        };
        let now: BTreeSet<Name> = objects.items.iter().map(name_of).collect();
        let before = std::mem::replace(&mut self.watched[number].names, now.clone());
        let mut changes = Vec::new();
        for (namespace, name) in before.difference(&now) {
            changes.push(LiveChange::deleted(
                &resource.api_version,
                &resource.kind,
                namespace,
                name,
            ));
        }
        changes.extend(objects.items.into_iter().map(LiveChange::changed));
        for change in changes {
            self.record(change)?;
        }
        self.watched[number].version = objects.version;
        Ok(true)
    }

    fn hear(&mut self, heard: LiveEvent) -> Result<(), CliError> {
        let number = heard.watch;
        let event = match heard.event {
            Ok(event) => event,
            Err(Ended::ByServer) => {
                self.later(number);
                return Ok(());
            }
            Err(Ended::Failed(e)) => {
                self.fail(number, &e);
                return Ok(());
            }
        };
        let object = event["object"].clone();
        if event["type"] == "ERROR" {
            // A new list has a valid revision, whatever was wrong with the old one.
            self.watched[number].version.clear();
            return Ok(());
        }
        self.found();
        let watched = &mut self.watched[number];
        watched.pause = PAUSE;
        if let Some(version) = object["metadata"]["resourceVersion"].as_str() {
            version.clone_into(&mut watched.version);
        }
        let resource = watched.resource.clone();
        // The name is remembered, so that a later list reveals deletions in between.
        let name = name_of(&object);
        let change = match event["type"].as_str() {
            Some("ADDED" | "MODIFIED") => {
                let _ = watched.names.insert(name);
                let kind = find_by_api_version(&resource.api_version, &resource.kind);
                self.is_stale |= kind.is_some_and(Kind::defines_kinds);
                LiveChange::changed(self.source.taken(&resource, object))
            }
            Some("DELETED") => {
                let _ = watched.names.remove(&name);
                let (namespace, name) = &name;
                LiveChange::deleted(&resource.api_version, &resource.kind, namespace, name)
            }
            _ => return Ok(()),
        };
        self.record(change)
    }

    fn record(&mut self, change: LiveChange) -> Result<(), CliError> {
        match self.cluster.stored().record(change)? {
            Ok(changed) => self.count += usize::from(changed),
            Err(why) => self.context.ui.warn(&format!("not recorded: {why}")),
        }
        Ok(())
    }

    /// Schedules a watch to restart after a pause.
    fn later(&mut self, number: usize) {
        let watched = &mut self.watched[number];
        watched.due = Some(self.stopwatch.elapsed() + watched.pause);
    }

    /// Schedules a retry after a pause that grows with each failure.
    fn fail(&mut self, number: usize, error: &LiveError) {
        self.later(number);
        let watched = &mut self.watched[number];
        watched.pause = (watched.pause * 2).min(LONGEST_PAUSE);
        match error.code() {
            // The server no longer retains that revision.
            Some(410) => watched.version.clear(),
            Some(401) => self.is_denied = true,
            _ => {}
        }
        // The error is reported once rather than for each resource.
        if !std::mem::replace(&mut self.is_lost, true) {
            self.context.ui.note(&format!("{error}; trying again"));
        }
    }

    fn found(&mut self) {
        if std::mem::take(&mut self.is_lost) {
            self.context.ui.note("the server is back");
        }
    }

    /// Watches new resources.
    fn discover(&mut self) {
        // If the server is unreachable, the next change of a definition finds them.
        let Ok(resources) = self.source.discover() else {
            return;
        };
        self.is_stale = false;
        for resource in resources {
            let known = |watched: &Watched| watched.resource.path == resource.path;
            if !self.watched.iter().any(known) {
                let none = Objects {
                    items: Vec::new(),
                    version: String::new(),
                };
                self.watched.push(Watched::new(&resource, &none));
            }
        }
    }
}
