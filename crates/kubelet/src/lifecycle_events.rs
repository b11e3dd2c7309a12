//! The events of a kubelet that no stage reports: about starts, stops and hooks, and about each attempt of a failing
//! probe.

use jiff::Timestamp;

use super::container::Container;
use super::image;
use super::outcome::Role;
use super::play::{PlayOutcome, PodSimulation, World, field_path};
use super::probe::{self, Failing};
use super::repeats::NOT_CREATED;
use super::reported_event::ReportedEvent;
use super::scope::Candidate;
use crate::kinds::moment;
use crate::kinds::tree::{at, field, int, list, text};

/// The maximum delay at which a reconcile still counts as being on time.
const LATE: f64 = 1.0;

/// The maximum delay at which a reconcile still counts as the first one after a deletion, whose time is stored in
/// whole seconds.
const LATE_STOP: f64 = 2.0;

fn happened(kind: &str, reason: &str, message: String, container: &Container<'_>) -> ReportedEvent {
    ReportedEvent {
        kind: kind.to_owned(),
        reason: reason.to_owned(),
        message,
        field: field_path(container),
        repeats: None,
    }
}

/// Reports the probes that fail right now, and requests a reconcile for the next attempt.
pub(super) fn of_probes(play: &PodSimulation<'_>, played: &mut PlayOutcome) {
    // A kubelet stops the probes before the containers.
    if play.deleted || played.delete {
        return;
    }
    for index in 0..play.containers.len() {
        let container = &play.containers[index];
        let (true, Some(start)) = (container.is("running"), container.since()) else {
            continue;
        };
        let behavior = play.behavior(index);
        // Init containers have no probes, and the API rejects probes of ephemeral containers.
        if behavior.failing.is_empty() || !matches!(container.role, Role::Main | Role::Sidecar) {
            continue;
        }
        played.fails = true;
        let ran_before = ran_before(play, container, start);
        let scope = play.scope(Some(Candidate {
            index,
            behavior: &behavior,
            turn: true,
            over: false,
        }));
        let circles = scope.circles();
        for failing in &behavior.failing {
            let (now, next) = tries(failing, start, play.world.now);
            // Otherwise, the reconcile that starts the container and one right after it would both report the first
            // attempt.
            if now.is_some_and(|at| (at == start) != ran_before) {
                let message = failing.message.clone();
                let event = happened("Warning", "Unhealthy", message, container);
                // A stage may have reported this failure already, for example the one that led to a kill.
                if !played.events.contains(&event) {
                    played.events.push(event);
                }
            }
            if let Some(next) = next {
                // A container that is never killed fails forever, which must not keep the cluster from settling.
                played.wake_at(next, circles || failing.tries.is_none());
            }
        }
    }
}

/// Returns true if a container was already running when the Pod's status was last written.
fn ran_before(play: &PodSimulation<'_>, container: &Container<'_>, start: Timestamp) -> bool {
    let status = field(play.pod, "status");
    let lists = ["initContainerStatuses", "containerStatuses"];
    let mut before = lists.iter().flat_map(|name| list(status, name));
    let own = before.find(|own| text(own, "name") == text(container.spec, "name"));
    // A different start time means a different run, even if the container ran before.
    let since = own.and_then(|own| moment::read(at(own, &["state", "running", "startedAt"])));
    since == Some(start)
}

/// Returns the time of a failing attempt that is due now, and the time of the next one.
fn tries(
    failing: &Failing,
    start: Timestamp,
    now: Timestamp,
) -> (Option<Timestamp>, Option<Timestamp>) {
    let passed = moment::since(start, now).as_secs_f64();
    let of_try = |number: f64| moment::after(start, failing.first + number * failing.every);
    // Counted from the start, because no state is kept between reconciles.
    let number = ((passed - failing.first) / failing.every).floor();
    // The last failure before a kill is reported together with the kill.
    let counts = |number: f64| match failing.tries {
        Some(tries) => number < (tries - 1) as f64,
        None => true,
    };
    // Before the first attempt, there is nothing to report.
    let last = (number >= 0.0 && counts(number)).then(|| of_try(number));
    let is_now = |at: &Timestamp| moment::since(*at, now).as_secs_f64() < LATE;
    let next = (number + 1.0).max(0.0);
    (last.filter(is_now), counts(next).then(|| of_try(next)))
}

/// Returns the events about a container that is about to start.
pub(super) fn of_start(play: &PodSimulation<'_>, of: Candidate<'_>) -> Vec<ReportedEvent> {
    let container = &play.containers[of.index];
    let mut told = of_pull(play, of);
    if !told.is_empty() {
        for (reason, message) in [
            ("Created", "Container created"),
            ("Started", "Container started"),
        ] {
            told.push(happened("Normal", reason, message.to_owned(), container));
        }
    }
    told
}

/// Returns the events about the image of a container that is about to be created.
pub(super) fn of_pull(play: &PodSimulation<'_>, of: Candidate<'_>) -> Vec<ReportedEvent> {
    let Some(images) = play.world.images else {
        return Vec::new();
    };
    let container = &play.containers[of.index];
    let image = text(container.spec, "image");
    // Another container of the Pod, or an earlier attempt to run this one, may have pulled the image.
    let has = |c: &Container<'_>| {
        let is_pulled = text(c.state().1, "reason") == NOT_CREATED;
        text(c.spec, "image") == image && (is_pulled || !text(&c.status, "imageID").is_empty())
    };
    let pulls = match text(container.spec, "imagePullPolicy") {
        "Always" => true,
        "Never" => false,
        _ => !images.contains(image::id(image).as_str()) && !play.containers.iter().any(has),
    };
    let messages = match pulls {
        true => {
            // On the cluster's clock, only the start delay passes.
            let took = moment::go_duration(of.behavior.start as i64);
            let bytes = image::size(image);
            let pulled = format!(
                "Successfully pulled image \"{image}\" in {took} ({took} including waiting). Image size: {bytes} bytes."
            );
            vec![
                ("Pulling", format!("Pulling image \"{image}\"")),
                ("Pulled", pulled),
            ]
        }
        false => vec![(
            "Pulled",
            format!(
                "Container image \"{image}\" already present on machine and can be accessed by the pod"
            ),
        )],
    };
    let told = messages.into_iter();
    told.map(|(reason, message)| happened("Normal", reason, message, container))
        .collect()
}

/// Returns the event about a container that is made to end rather than ending by itself.
pub(super) fn of_end(play: &PodSimulation<'_>, of: Candidate<'_>) -> Option<ReportedEvent> {
    let container = &play.containers[of.index];
    let is_stopped = container.role == Role::Sidecar && of.over;
    is_stopped.then(|| of_stop(play.world, container)).flatten()
}

/// Returns the event about a container that its kubelet stops.
pub(super) fn of_stop(world: &World<'_>, container: &Container<'_>) -> Option<ReportedEvent> {
    // A kubelet without a list of images reports only failures.
    world.images?;
    let message = format!("Stopping container {}", text(container.spec, "name"));
    Some(happened("Normal", "Killing", message, container))
}

/// Reports the containers that stop because their Pod was deleted, and their failing hooks.
pub(super) fn of_deletion(play: &PodSimulation<'_>, played: &mut PlayOutcome) {
    if !play.deleted {
        return;
    }
    let since = moment::read(at(play.pod, &["metadata", "deletionTimestamp"]));
    let grace = int(field(play.pod, "metadata"), "deletionGracePeriodSeconds");
    let asked = since.map(|end| moment::after(end, -(grace as f64)));
    let late = asked.map_or(0.0, |at| moment::since(at, play.world.now).as_secs_f64());
    // A later reconcile must not report this again. If ending takes time, the reconcile that ends the Pod is a later
    // one.
    let is_second = played.delete && probe::stop_delay(play.pod, play.world.mode) >= LATE;
    if late >= LATE_STOP || is_second {
        return;
    }
    // In their stored state, because a reconcile may have ended the containers already.
    for spec in probe::running(play.pod) {
        let is_own = |c: &&Container<'_>| text(c.spec, "name") == text(spec, "name");
        let Some(container) = play.containers.iter().find(is_own) else {
            continue;
        };
        played.events.extend(of_stop(play.world, container));
        let hook = probe::hook(spec, play.pod, play.world.mode);
        if hook.is_some_and(|(_, works)| !works) {
            let message = "PreStopHook failed".to_owned();
            let event = happened("Warning", "FailedPreStopHook", message, container);
            played.events.push(event);
        }
    }
}
