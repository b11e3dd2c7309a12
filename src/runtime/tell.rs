//! From the notes of plans to events: told once and counted after that.

use std::collections::HashMap;

use jiff::Timestamp;

use super::cache::Cache;
use super::index::Index;
use super::manager::Manager;
use super::object::Object;
use super::plan::Note;
use crate::api::json::Value;
use crate::cluster::{
    ApiError, Request, StoreError, Telling, WriteOptions, find_kind, namespace_of, plan_events,
};
use crate::sys::threads::map;

/// Who writes events.
const EVENTS: &str = "events";

/// The events about so many objects are made by two threads.
const WORTH_A_THREAD: usize = 32;

/// The index of events by the object that they are about.
const ABOUT: &str = "about";

/// The index that finds the events about an object.
pub(crate) fn index() -> Option<Index> {
    Some(Index {
        kind: find_kind("v1", "Event")?,
        name: ABOUT,
        values: |event| vec![about(&event["involvedObject"])],
    })
}

fn about(reference: &Value) -> String {
    let text = |name: &str| reference[name].as_str().unwrap_or_default();
    match text("uid") {
        "" => format!("{}/{}/{}", text("kind"), text("namespace"), text("name")),
        uid => uid.to_owned(),
    }
}

/// The requests that tell notes, in the order in which their objects came up.
pub(crate) fn requests(
    notes: Vec<(&'static str, Note)>,
    cache: &Cache,
    now: Timestamp,
    revision: u64,
    options: &WriteOptions,
) -> Vec<Request> {
    let Some(events) = find_kind("v1", "Event") else {
        return Vec::new();
    };
    let mut groups: Vec<(String, Vec<Telling>)> = Vec::new();
    let mut at: HashMap<String, usize> = HashMap::new();
    for (component, note) in notes {
        let object = about(&note.about);
        let group = *at.entry(object.clone()).or_insert_with(|| {
            groups.push((object, Vec::new()));
            groups.len() - 1
        });
        groups[group].1.push(telling(component, note));
    }
    let mut before = Vec::with_capacity(groups.len());
    let mut count = 0;
    for (_, tellings) in &groups {
        before.push(count);
        count += tellings.len();
    }
    let requests = map(&groups, WORTH_A_THREAD, &|group, (object, tellings)| {
        let existing: Vec<Value> = cache
            .indexed(events, ABOUT, object)
            .map(Object::to_value)
            .collect();
        let told = plan_events(&existing, tellings, now, (revision, before[group]));
        // What is told twice in one pass is written once, as it is last.
        let mut latest: Vec<Request> = Vec::new();
        let mut names: HashMap<String, usize> = HashMap::new();
        for (told, telling) in told.iter().zip(tellings) {
            let namespace = namespace_of(&telling.about);
            let Some(mut request) = told.request(namespace, options) else {
                continue;
            };
            request.options.rule = format!("event: {}", telling.reason);
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
        Verb::Update(name, _) => name.clone(),
        _ => String::new(),
    }
}

/// A later state of an event takes the place of an earlier one that is not written yet.
fn merge(first: &mut Request, later: Request) {
    use crate::cluster::Verb;
    match (&mut first.verb, later.verb) {
        (Verb::Create(event), Verb::Update(_, later))
        | (Verb::Update(_, event), Verb::Update(_, later)) => *event = later,
        _ => {}
    }
}

fn telling(component: &str, mut note: Note) -> Telling {
    // An event with an action must say which instance of its component tells it.
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
    }
}

impl Manager<'_> {
    /// Writes the events of the pass: one commit for all of them.
    pub(super) fn tell(&mut self) -> Result<(), ApiError> {
        let notes = std::mem::take(&mut self.notes);
        if notes.is_empty() {
            return Ok(());
        }
        let rule = WriteOptions {
            rule: "event: it is told".to_owned(),
            ..WriteOptions::default()
        };
        let revision = self.cache.revision();
        let told = requests(notes, &self.cache, self.now, revision, &rule);
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
        self.route(&changes);
        self.advance(own)?;
        Ok(())
    }
}
