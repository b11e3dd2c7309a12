//! Writes the events of plans. A repeated event is counted in the existing object, as Kubernetes' event
//! correlator does.

use std::collections::HashMap;

use jiff::Timestamp;

use super::cache::Cache;
use super::controller::Controller;
use super::index::Index;
use super::manager::Manager;
use super::object::{Key, Object};
use super::plan::EventNote;
use super::runner::ChangeSource;
use crate::api::json::{Value, json};
use crate::cluster::{
    ApiError, CausingChange, Cluster, Kind, Request, Response, Revision, StoreError, Telling,
    WriteOptions, find_kind, namespace_of, plan_events, write_times,
};
use crate::sys::threads::{WORTH_A_THREAD, map};

/// The writer of events.
const EVENTS: &str = "events";

/// The number of objects whose events share a commit. Larger commits would only need more memory.
const TOGETHER: usize = 1000;

/// The index of events by the object that they are about.
const ABOUT: &str = "about";

/// Returns the index that finds the events about an object.
pub(crate) fn index() -> Option<Index> {
    Some(Index {
        kind: find_kind("v1", "Event")?,
        name: ABOUT,
        reads: &["/involvedObject"],
        values: |event| vec![about(&event["involvedObject"])],
    })
}

/// Returns what the cache stores of the events about an object: reasons, counts, and as `lastTimestamp` the last write.
pub fn events_about<'c>(object: &Object, cache: &'c Cache) -> impl Iterator<Item = &'c Object> {
    let about = about(&object.reference());
    let kind = find_kind("v1", "Event");
    let found = kind.map(|kind| cache.indexed(kind, ABOUT, &about));
    found.into_iter().flatten()
}

fn about(reference: &Value) -> String {
    let text = |name: &str| reference[name].as_str().unwrap_or_default();
    // Events about nodes and users have references without a uid; their index value is the name.
    match text("uid") {
        "" => format!("{}/{}/{}", text("kind"), text("namespace"), text("name")),
        uid => uid.to_owned(),
    }
}

/// Returns an event that was written.
fn written<'a>(
    response: &'a Result<Response, ApiError>,
    request: &Request,
) -> Option<(&'static Kind, &'a Value)> {
    let response = response.as_ref().ok().filter(|response| response.changed)?;
    Some((request.place.kind, &response.object))
}

/// Returns the part of an event that the cache stores: its index key and the fields that other code reads. There is at
/// least one event per Pod, and the rest is needed only if the event repeats.
pub(super) fn brief(event: &Value) -> Value {
    let mut about = event["involvedObject"].clone();
    if about["uid"].as_str().is_some_and(|uid| !uid.is_empty())
        && let Some(about) = about.as_object_mut()
    {
        about.retain(|name, _| name == "uid");
    }
    // All have the same format, in which the later one is the greater one.
    let written = write_times(event).filter_map(Value::as_str).max();
    let mut metadata = event["metadata"].clone();
    if let Some(metadata) = metadata.as_object_mut() {
        metadata.remove("managedFields");
    }
    let (reason, count) = (&event["reason"], &event["count"]);
    json!({"involvedObject": about, "metadata": metadata, "reason": reason, "count": count,
        "lastTimestamp": written})
}

/// Returns true if the new events can be planned without reading the existing ones: the reasons differ, so no event is
/// counted, and there are too few for the rate limit.
fn are_others(events: &[&Object], tellings: &[Telling]) -> bool {
    let again = |event: &&Object| tellings.iter().any(|t| event["reason"] == *t.reason);
    let told = events
        .iter()
        .map(|event| event["count"].as_i64().unwrap_or(1).max(1))
        .sum::<i64>();
    let all = usize::try_from(told)
        .unwrap_or(usize::MAX)
        .saturating_add(tellings.len());
    all < FEW_TELLINGS && !events.iter().any(again)
}

/// Whole events that repeated. The cache stores only a projection, and an event that repeated once is likely to repeat
/// again.
#[derive(Debug, Default)]
pub(crate) struct Repeated(HashMap<Key, (Revision, Value)>);

/// The number of events about one object below which the rate limit never applies.
const FEW_TELLINGS: usize = 20;

/// The capacity, after which the map starts again.
const REPEATED: usize = 256;

impl Repeated {
    /// Returns the whole event of a projection in the cache, or `None` if it was deleted.
    fn whole(&mut self, cluster: &Cluster, brief: &Object) -> Option<Value> {
        let known = self.0.get(brief.key());
        if let Some((_, event)) = known.filter(|(revision, _)| *revision == brief.revision()) {
            return Some(event.clone());
        }
        let event = cluster.get(&brief.place(), brief.name()).ok()?;
        // Clearing is enough: the map contains recently repeated events, and a miss costs one read.
        if self.0.len() == REPEATED {
            self.0.clear();
        }
        let kept = (brief.revision(), event.clone());
        self.0.insert(brief.key().clone(), kept);
        Some(event)
    }
}

/// The controller that reports an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reporter {
    component: &'static str,
    field_manager: &'static str,
}

impl Reporter {
    pub(super) fn from_controller(controller: &dyn Controller) -> Self {
        Self {
            component: controller.component(),
            field_manager: controller.field_manager(),
        }
    }
}

/// An event of a pass before it is written.
#[derive(Debug)]
pub(crate) struct PendingEvent {
    by: Reporter,
    note: EventNote,
    /// The change that led to it: the write that it reports, or the trigger of the reconcile.
    cause: Option<CausingChange>,
}

impl PendingEvent {
    pub(super) fn new(by: Reporter, note: EventNote, cause: Option<CausingChange>) -> Self {
        Self { by, note, cause }
    }
}

/// The events of one pass about one object.
pub(crate) struct Subject {
    /// The index key of the events about it.
    object: String,
    tellings: Vec<Telling>,
    /// The manager of the fields of each, and the change that led to it.
    origins: Vec<(&'static str, Option<CausingChange>)>,
    /// The number of events of the pass about earlier objects.
    before: usize,
}

/// Returns the subjects of notes in the order in which they appear.
fn subjects(notes: Vec<PendingEvent>) -> Vec<Subject> {
    let mut subjects: Vec<Subject> = Vec::new();
    let mut at: HashMap<String, usize> = HashMap::new();
    for noted in notes {
        let (by, note) = (noted.by, noted.note);
        let object = about(&note.about);
        let place = *at.entry(object.clone()).or_insert_with(|| {
            subjects.push(Subject {
                object,
                tellings: Vec::new(),
                origins: Vec::new(),
                before: 0,
            });
            subjects.len() - 1
        });
        let component = match note.component {
            "" => by.component,
            other => other,
        };
        subjects[place].tellings.push(to_telling(component, note));
        let origin = (by.field_manager, noted.cause);
        subjects[place].origins.push(origin);
    }
    // Names of events derive from their number within the pass, and two threads compute them, so the number of earlier
    // events is fixed here.
    let mut count = 0;
    for subject in &mut subjects {
        subject.before = count;
        count += subject.tellings.len();
    }
    subjects
}

/// Returns the requests for the events about these objects, in their order. `existing` returns the events of an object.
fn requests(
    subjects: &[Subject],
    existing: &mut dyn FnMut(&Subject) -> Vec<Value>,
    now: Timestamp,
    revision: u64,
    options: &WriteOptions,
) -> Vec<Request> {
    let subjects: Vec<(Vec<Value>, &Subject)> = subjects.iter().map(|s| (existing(s), s)).collect();
    let requests = map(&subjects, WORTH_A_THREAD, &|_, (existing, subject)| {
        let tellings = &subject.tellings;
        let told = plan_events(existing, tellings, now, revision, subject.before);
        // Events that repeat within one pass are written once, in their last state.
        let mut latest: Vec<Request> = Vec::new();
        let mut names: HashMap<String, usize> = HashMap::new();
        let tellings = tellings.iter().zip(&subject.origins);
        for (told, (telling, (manager, cause))) in told.iter().zip(tellings) {
            let namespace = namespace_of(&telling.about);
            let Some(mut request) = told.request(namespace, options) else {
                continue;
            };
            request.options.rule = format!("event: {}", telling.reason);
            request.options.trigger.clone_from(cause);
            (*manager).clone_into(&mut request.options.field_manager);
            let name = name_of(&request);
            match names.get(&name) {
                Some(at) => merge(&mut latest[*at], request),
                None => {
                    names.insert(name, latest.len());
                    latest.push(request);
                }
            }
        }
        latest
    });
    requests.into_iter().flatten().collect()
}

fn name_of(request: &Request) -> String {
    use crate::cluster::Verb;
    match &request.verb {
        Verb::Create(event) => event["metadata"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        Verb::Update(..) => request.name.clone(),
        _ => String::new(),
    }
}

/// Replaces an unwritten event by its later state.
fn merge(first: &mut Request, later: Request) {
    use crate::cluster::Verb;
    let Verb::Update(_, later) = later.verb else {
        return;
    };
    if let Verb::Create(event) | Verb::Update(_, event) = &mut first.verb {
        *event = later;
    }
}

fn to_telling(component: &str, mut note: EventNote) -> Telling {
    // An event with an action must name the instance of its component.
    if note.host.is_empty() && !note.action.is_empty() {
        note.host = format!("{component}-ctl");
    }
    Telling {
        about: note.about,
        warning: note.warning,
        reason: note.reason,
        message: note.message,
        component: component.to_owned(),
        host: note.host,
        action: Some(note.action).filter(|action| !action.is_empty()),
        related: note.related,
        repeats: note.repeats,
    }
}

impl Manager<'_> {
    /// Writes the events of the pass in a few commits.
    pub(super) fn emit_events(&mut self) -> Result<(), ApiError> {
        let subjects = subjects(std::mem::take(&mut self.events));
        let revision = self.cache.revision();
        for part in subjects.chunks(TOGETHER) {
            // Events are best effort: a prompt stop matters more.
            if self.is_stopped() {
                break;
            }
            self.tell_of(part, revision)?;
        }
        Ok(())
    }

    fn tell_of(&mut self, subjects: &[Subject], revision: Revision) -> Result<(), ApiError> {
        let rule = WriteOptions {
            rule: "event: it is told".to_owned(),
            ..WriteOptions::default()
        };
        let (cache, cluster, repeated) = (&self.cache, self.cluster, &mut self.repeated);
        let mut existing = |subject: &Subject| {
            let kind = find_kind("v1", "Event").into_iter();
            let found = kind.flat_map(|kind| cache.indexed(kind, ABOUT, &subject.object));
            let found: Vec<&Object> = found.collect();
            if are_others(&found, &subject.tellings) {
                return Vec::new();
            }
            let whole = found
                .into_iter()
                .filter_map(|event| repeated.whole(cluster, event));
            whole.collect()
        };
        let told = requests(subjects, &mut existing, self.now, revision, &rule);
        let responses = match self.cluster.batch(EVENTS, self.epoch, &told) {
            Ok(responses) => responses,
            Err(e @ StoreError::Fenced { .. }) => return Err(e.into()),
            // Events are best effort, as in Kubernetes: the writes that they report are committed.
            Err(_) => return Ok(()),
        };
        let there = |(response, request)| written(response, request);
        let ready: Vec<_> = responses.iter().zip(&told).map(there).collect();
        let ready = self.cache.ready(&ready);
        let (mut own, mut changes) = (Vec::new(), Vec::new());
        for object in ready.into_iter().flatten() {
            own.push(object.revision());
            changes.extend(self.cache.take(object));
        }
        // No single controller is the writer, because the events of all are written together.
        self.route(&changes, ChangeSource::Others);
        let (last, _) = self.cluster.stored().known_moment()?;
        self.advance(own, last)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::testing::{fresh, place, pod};
    use crate::limits::Config;

    #[test]
    fn repeated_event_is_counted_with_a_projected_cache() {
        let cluster = fresh();
        let mut manager = Manager::new(&cluster, Vec::new(), &|_| Config::default());
        manager.load().unwrap();
        let options = WriteOptions::default();
        let made = cluster.create(&place("pods"), &pod("a"), &options).unwrap();
        let object = Object::new(place("pods").kind, made.object);
        manager.refresh().unwrap();
        for told in 1..=3 {
            let note = EventNote::normal(&object, "Tested", "it works");
            let cause = Some(object.revision());
            let by = Reporter {
                component: "tester",
                field_manager: "test-manager",
            };
            manager
                .events
                .push(PendingEvent::new(by, note, cause.map(Into::into)));
            if told == 3 {
                // As in a process that has not reported the event before.
                manager.repeated = Repeated::default();
            }
            manager.emit_events().unwrap();
        }
        let about = |event: &&Value| event["involvedObject"]["uid"].as_str() == Some(object.uid());
        let events = cluster
            .list(&place("events"), &|_| true, None)
            .unwrap()
            .items;
        let [event] = events.iter().filter(about).collect::<Vec<_>>()[..] else {
            panic!("{events:?}")
        };
        let entry = &event["metadata"]["managedFields"][0];
        assert_eq!(entry["manager"], "test-manager");
        assert_eq!(
            (&event["count"], &event["message"]),
            (&json!(3), &json!("it works"))
        );
        let kept: Vec<Value> = manager
            .cache
            .indexed(place("events").kind, ABOUT, object.uid())
            .map(Object::to_value)
            .collect();
        let [kept] = &kept[..] else {
            panic!("{kept:?}")
        };
        assert_eq!(kept["involvedObject"], json!({"uid": object.uid()}));
        assert_eq!(kept["reason"], "Tested");
        assert_eq!(kept["metadata"]["uid"], event["metadata"]["uid"]);
        assert!(kept.get("message").is_none());
        assert!(kept["metadata"].get("managedFields").is_none());
    }
}
