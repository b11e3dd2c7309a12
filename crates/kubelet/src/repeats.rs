//! The events that a kubelet repeats with every attempt: back-offs, containers that cannot be created, and volumes that
//! cannot be filled.
//!
//! Nothing is written for a single attempt: the number of attempts follows from the clock, and the next write counts
//! them. A timer makes the Pod due for that; a virtual clock does not stop for it.

use jiff::Timestamp;

use super::container::Container;
use super::lifecycle_events;
use super::play::{PlayOutcome, PodSimulation, World, events, field_path};
use super::reported_event::ReportedEvent;
use super::scope::Candidate;
use super::stage::{self, Stage};
use super::status;
use crate::api::json::Value;
use crate::cluster::{PodMode, Repeats, next_allowed};
use crate::kinds::condition;
use crate::kinds::moment;
use crate::kinds::tree::{field, text};
use crate::runtime::{Object, Plan, ReconcileContext, events_about};

/// The seconds between two syncs of a Pod that fails: a kubelet waits for 10 to 15 s, and a sync takes some time.
const SYNC: i64 = 13;

/// The longest interval between two attempts to fill a volume, in seconds.
const LONGEST: i64 = 122;

/// The reason of a container that cannot be created.
pub(super) const NOT_CREATED: &str = "CreateContainerConfigError";

/// Reports the volumes that cannot be filled. Returns the time of the next attempt.
pub(super) fn of_volumes(
    pod: &Value,
    world: &World<'_>,
    played: &mut PlayOutcome,
) -> Option<Timestamp> {
    let known = condition::find(pod, status::SANDBOX).filter(|c| text(c, "status") == "False");
    let first = match known {
        Some(known) => moment::read(field(known, "lastTransitionTime"))?,
        None => world.now,
    };
    // Each interval is twice the previous one, counted from the first failure.
    // The condition stores the time of the first failure, so a later process continues the intervals.
    let repeats = Repeats {
        longest: LONGEST,
        ..Repeats::every(1, first)
    };
    let volumes = world.missing.map(|m| m.volumes.as_slice());
    let failures = volumes.unwrap_or_default().iter();
    let failures = failures.map(|(volume, why)| ReportedEvent {
        kind: "Warning".to_owned(),
        reason: "FailedMount".to_owned(),
        message: format!("MountVolume.SetUp failed for volume \"{volume}\" : {why}"),
        field: String::new(),
        repeats: Some(repeats),
    });
    match known {
        Some(_) => played.repeats.extend(failures),
        None => {
            played.events.extend(failures);
            played.stages.push("volume-not-filled".to_owned());
        }
    }
    Some(repeats.next(first, world.now))
}

/// Repeats the events of the stages that made containers wait.
pub(super) fn of_waiting(play: &PodSimulation<'_>, played: &mut PlayOutcome) {
    // A Pod without its volumes is not synced any further.
    if play.deleted || play.unfilled || play.world.mode != PodMode::Default {
        return;
    }
    for (index, container) in play.containers.iter().enumerate() {
        let (state, why) = container.state();
        let (reason, message) = (text(why, "reason"), text(why, "message"));
        let mut stages = stage::built_in().iter();
        let stage = stages.find(|stage| state == "waiting" && leads_to(stage, reason));
        // Stages of users say themselves when they repeat.
        let Some(stage) = stage else { continue };
        let mut behavior = play.behavior(index);
        let mut repeated = Vec::new();
        if reason == NOT_CREATED {
            // The reason may be gone since the last attempt.
            behavior.create = Some(message.to_owned());
        }
        let of = Candidate {
            index,
            behavior: &behavior,
            turn: true,
            over: false,
        };
        let scope = play.scope(Some(of));
        let state = stage.next.state.as_ref().map(|state| scope.filled(state));
        // With another message, such as that of another image, it waits for something else.
        if state.is_none_or(|state| field(&state, "waiting") != why) {
            continue;
        }
        // Each attempt to create the container begins with its image.
        if reason == NOT_CREATED {
            repeated.extend(lifecycle_events::of_pull(play, of));
        }
        repeated.extend(events(&scope, &stage.next, &field_path(container)));
        let repeats = repeats(container, scope.since);
        played
            .repeats
            .extend(repeated.into_iter().map(|event| ReportedEvent {
                repeats: Some(repeats),
                ..event
            }));
    }
}

/// Returns true if a stage makes a container wait for this reason, and each sync repeats its events.
fn leads_to(stage: &Stage, reason: &str) -> bool {
    let state = stage.next.state.as_ref();
    let own = state.map_or("", |state| text(field(state, "waiting"), "reason"));
    // The sync after a failed pull backs off.
    !reason.is_empty() && own == reason && own != "ErrImagePull"
}

/// Returns when the events of a waiting container occur.
fn repeats(container: &Container<'_>, since: Timestamp) -> Repeats {
    let ended = match container.state() {
        ("terminated", ended) => ended,
        _ => container.last_end(),
    };
    Repeats {
        // The back-off before the last run, of which the rate limit may have dropped the end.
        earlier: moment::read(field(ended, "startedAt")),
        ..Repeats::every(SYNC, since)
    }
}

/// Makes the events of a back-off that begins count those of the last one that were dropped.
pub(super) fn begin(
    happened: &mut [ReportedEvent],
    why: &Value,
    container: &Container<'_>,
    since: Timestamp,
) {
    if matches!(text(why, "reason"), "CrashLoopBackOff" | "ImagePullBackOff") {
        let repeats = Repeats {
            is_now: true,
            ..repeats(container, since)
        };
        let events = happened.iter_mut();
        events.for_each(|event| event.repeats = Some(repeats));
    }
}

/// Adds the events that have occurred again to a plan, and the time at which that may happen next.
pub(super) fn add(
    plan: &mut Plan,
    pod: &Object,
    repeated: Vec<ReportedEvent>,
    context: &ReconcileContext<'_>,
) {
    if repeated.is_empty() {
        return;
    }
    let told: Vec<&Object> = events_about(pod, context.cache).collect();
    let allowed = next_allowed(told.iter().map(|event| event.value()));
    let mut again = Vec::new();
    for event in repeated {
        let Some(repeats) = event.repeats else {
            continue;
        };
        let own = told
            .iter()
            .filter(|old| text(old, "reason") == event.reason);
        let last = own.filter_map(|old| moment::read(field(old, "lastTimestamp")));
        // Without an earlier event, the first sync reported it, and it has expired.
        let last = last.max().unwrap_or(repeats.since);
        // Until the rate limit lets an event through, there is nothing to write.
        let next = repeats.next(last, context.now).max(allowed);
        plan.repeat_in(context.now.duration_until(next));
        if allowed <= context.now && repeats.after(last, context.now).0 > 0 {
            again.push(event.note(pod));
        }
    }
    // They occurred before the changes of this plan.
    plan.events.splice(0..0, again);
}
