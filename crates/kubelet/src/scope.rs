//! The facts that the conditions of stages test.

use jiff::Timestamp;

use super::container::Container;
use super::image;
use super::outcome::{self, ContainerBehavior, Role};
use super::probe;
use super::stage::{Amount, Delay, Stage};
use crate::api::json::{Value, json};
use crate::cluster::PodMode;
use crate::kinds::condition;
use crate::kinds::moment;
use crate::kinds::tree::{at, field, int, text};
use crate::sys::entropy::Seed;

/// The source of facts: an object and, for some stages, one of its containers.
pub(super) struct Scope<'a> {
    pub(super) object: &'a Value,
    pub(super) mode: PodMode,
    pub(super) now: Timestamp,
    /// The time from which delays count, unless a stage overrides it.
    pub(super) since: Timestamp,
    pub(super) container: Option<ContainerScope<'a>>,
}

/// A container that waits for its next stage.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'a> {
    /// The container's index in the Pod.
    pub(super) index: usize,
    pub(super) behavior: &'a ContainerBehavior,
    /// True if the container may start, because the ones before it are done.
    pub(super) turn: bool,
    /// True if the Pod's own work is done.
    pub(super) over: bool,
}

/// The facts about a container.
pub(super) struct ContainerScope<'a> {
    pub(super) is: &'a Container<'a>,
    pub(super) behavior: &'a ContainerBehavior,
    /// True if the container may start, because the ones before it are done.
    pub(super) turn: bool,
    /// True if the Pod's own work is done.
    pub(super) over: bool,
}

/// The facts of one scope that have been looked up.
#[derive(Default)]
pub(super) struct FactCache<'n>(Vec<(&'n str, Value)>);

impl<'n> FactCache<'n> {
    fn fact(&mut self, scope: &Scope<'_>, name: &'n str) -> &Value {
        // Twenty stages test the same few facts of a container.
        let known = self.0.iter().position(|(own, _)| *own == name);
        let at = known.unwrap_or_else(|| {
            self.0.push((name, scope.fact(name)));
            self.0.len() - 1
        });
        &self.0[at].1
    }
}

impl Scope<'_> {
    /// Returns a fact by name, or null if it is missing.
    pub(super) fn fact(&self, name: &str) -> Value {
        if let Some((first, rest)) = name.split_once('.') {
            return match first {
                "object" | "pod" | "node" => walk(self.object, rest),
                "annotation" => at(self.object, &["metadata", "annotations", rest]).clone(),
                "label" => at(self.object, &["metadata", "labels", rest]).clone(),
                "container" => self
                    .container
                    .as_ref()
                    .map_or(Value::Null, |c| walk(c.is.spec, rest)),
                "says" => self
                    .container
                    .as_ref()
                    .map_or(Value::Null, |c| said(c.behavior, rest)),
                _ => Value::Null,
            };
        }
        match name {
            "mode" => json!(match self.mode {
                PodMode::Default => "default",
                PodMode::Running => "running",
            }),
            "now" => json!(moment::text(self.now)),
            "at" => json!(moment::text(self.since)),
            "stopDelay" => json!(probe::stop_delay(self.object, self.mode)),
            "deleted" => json!(!at(self.object, &["metadata", "deletionTimestamp"]).is_null()),
            _ => match &self.container {
                Some(c) => self.of_container(c, name),
                None if name == "ready" => {
                    let ready = condition::find(self.object, "Ready");
                    ready.map_or(Value::Null, |c| field(c, "status").clone())
                }
                None => at(self.object, &["metadata", name]).clone(),
            },
        }
    }

    fn of_container(&self, c: &ContainerScope<'_>, name: &str) -> Value {
        let restarts = || int(&c.is.status, "restartCount");
        match name {
            "name" => json!(text(c.is.spec, "name")),
            "role" => json!(c.is.role.name()),
            "state" => json!(c.is.state().0),
            "reason" => field(c.is.state().1, "reason").clone(),
            "turn" => json!(c.turn),
            // True if the container is waiting for exactly this missing source.
            "told" => json!(c.behavior.create.as_deref() == Some(text(c.is.state().1, "message"))),
            "over" => json!(c.over),
            "pullFails" => json!(image::fails(self.passed())),
            "pullAgain" => json!(image::again(self.passed())),
            "reference" => json!(image::reference(text(c.is.spec, "image"))),
            "nameProblem" => json!(image::problem(text(c.is.spec, "image"))),
            "restarts" => json!(restarts()),
            "started" | "ready" => field(&c.is.status, name).clone(),
            "changed" => json!(c.is.changed()),
            // A sidecar is not restarted once the Pod's own work is done.
            "restart" => json!(c.is.code().is_some_and(|code| {
                !(c.over && c.is.role == Role::Sidecar)
                    && outcome::restarts(self.object, c.is.spec, c.is.role, code)
            })),
            "backOff" => json!(outcome::back_off(restarts(), ran(c.is))),
            "backOffText" => json!(moment::go_duration(outcome::back_off(
                restarts(),
                ran(c.is)
            ))),
            _ => Value::Null,
        }
    }

    /// Returns true if a stage applies.
    pub(super) fn applies<'n>(&self, stage: &'n Stage, asked: &mut FactCache<'n>) -> bool {
        let mut when = stage.when.iter();
        when.all(|(name, test)| test.holds(asked.fact(self, name)))
    }

    /// Returns how many seconds have passed since the time from which delays count.
    fn passed(&self) -> f64 {
        moment::since(self.since, self.now).as_secs_f64()
    }

    /// Returns true if the container's next step only leads to another restart or pull.
    pub(super) fn circles(&self) -> bool {
        let Some(c) = &self.container else {
            return false;
        };
        let pulls = c.behavior.image.as_deref() == Some("not-found") && c.is.is("waiting");
        // The first pull is progress; from the second one on, it is a cycle.
        if pulls && image::has_been_tried_again(self.passed()) {
            return true;
        }
        if pulls && text(c.is.state().1, "reason") == "ImagePullBackOff" {
            return true;
        }
        // A Job counts failures and gives up, so restarts of its Pods are progress.
        if outcome::is_of_job(self.object) {
            return false;
        }
        let restarted = int(&c.is.status, "restartCount") > 0;
        let ends = |behavior: &ContainerBehavior| {
            let again = |code| outcome::restarts(self.object, c.is.spec, c.is.role, code);
            behavior.exit.is_some_and(|exit| again(exit.code))
        };
        let is_killed = |behavior: &ContainerBehavior| restarted && behavior.killer().is_some();
        // A run that neither ends nor is killed is not part of a cycle, whatever came before it.
        if c.is.is("running") {
            return ends(c.behavior) || is_killed(c.behavior);
        }
        let next = || {
            outcome::behavior(&outcome::Subject {
                pod: self.object,
                container: c.is.spec,
                role: c.is.role,
                restarts: int(&c.is.status, "restartCount") + 1,
                mode: self.mode,
                slow: 0.0,
                address: text(field(self.object, "status"), "podIP"),
            })
        };
        restarted && (ends(&next()) || is_killed(&next()))
    }

    /// Returns the time at which a stage that applies is due.
    pub(super) fn due(&self, stage: &Stage, seed: Seed) -> Timestamp {
        let Delay {
            after,
            seconds,
            jitter,
        } = &stage.delay;
        let from = match after {
            Some(name) => moment::read(&self.fact(name)).unwrap_or(self.since),
            None => self.since,
        };
        let most = self.amount(jitter);
        let extra = if most > 0.0 {
            most * self.draw(seed, &stage.name)
        } else {
            0.0
        };
        moment::after(from, self.amount(seconds) + extra)
    }

    /// Returns a number in [0, 1) that depends on the object, the container's restarts and a word.
    pub(super) fn draw(&self, seed: Seed, word: &str) -> f64 {
        let uid = at(self.object, &["metadata", "uid"]).as_str().unwrap_or("");
        let (name, restarts) = match &self.container {
            Some(c) => (text(c.is.spec, "name"), int(&c.is.status, "restartCount")),
            None => ("", 0),
        };
        let bytes = seed.draw(&["stage", uid, name, &restarts.to_string(), word]);
        let bits = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        // `next_up` keeps the result below 1 even for the largest draw.
        f64::from(bits) / f64::from(u32::MAX).next_up()
    }

    fn amount(&self, amount: &Amount) -> f64 {
        match amount {
            Amount::Seconds(seconds) => *seconds,
            Amount::Fact(name) => match self.fact(name) {
                Value::String(text) => moment::duration(&text).unwrap_or(0.0),
                other => other.as_f64().unwrap_or(0.0),
            },
        }
    }

    /// Fills in the facts `${name}` of a template. A template that is just `${name}` keeps the type of its fact.
    pub(super) fn filled(&self, template: &Value) -> Value {
        match template {
            // Just `${name}`: a number stays a number, for example.
            Value::String(text) => {
                let whole = text.strip_prefix("${").and_then(|t| t.strip_suffix('}'));
                match whole.filter(|name| !name.contains("${")) {
                    Some(name) => self.fact(name),
                    None => Value::String(self.filled_text(text).into()),
                }
            }
            Value::Array(items) => items.iter().map(|item| self.filled(item)).collect(),
            Value::Object(map) => {
                let filled = map.iter().map(|(k, v)| (k.clone(), self.filled(v)));
                Value::Object(filled.collect())
            }
            other => other.clone(),
        }
    }

    /// Fills in the facts of a text.
    pub(super) fn filled_text(&self, template: &str) -> String {
        let (mut out, mut rest) = (String::new(), template);
        while let Some(start) = rest.find("${") {
            // A bracket that is never closed is ordinary text.
            let Some(end) = rest[start..].find('}') else {
                break;
            };
            out.push_str(&rest[..start]);
            match self.fact(&rest[start + 2..start + end]) {
                Value::String(text) => out.push_str(&text),
                Value::Null => {}
                other => out.push_str(&other.to_string()),
            }
            rest = &rest[start + end + 1..];
        }
        out.push_str(rest);
        out
    }
}

/// Returns the duration of the container's last run in seconds.
fn ran(container: &Container<'_>) -> i64 {
    let ended = match container.state() {
        ("terminated", state) => state,
        _ => container.last_end(),
    };
    let time = |name| moment::read(field(ended, name));
    match (time("startedAt"), time("finishedAt")) {
        // The duration of the last run resets the back-off, even if that run ended long ago.
        (Some(from), Some(to)) => moment::since(from, to).as_secs(),
        _ => 0,
    }
}

fn said(behavior: &ContainerBehavior, name: &str) -> Value {
    match name {
        "image" => json!(behavior.image),
        "create" => json!(behavior.create),
        "start" => json!(behavior.start),
        "exit" => json!(behavior.exit.map(|e| e.code)),
        "exitAfter" => json!(behavior.exit.map(|e| e.after)),
        "oom" => json!(behavior.exit.is_some_and(|e| e.oom)),
        "started" => json!(behavior.started),
        "ready" => json!(behavior.ready),
        "readyAfter" => json!(
            behavior
                .ready
                .map(|r| r.max(behavior.started.unwrap_or(0.0)))
        ),
        "killed" => json!(behavior.killer().map(|(after, _)| after)),
        "killedBy" => json!(
            behavior
                .killer()
                .map(|(_, by)| by.kind.to_ascii_lowercase())
        ),
        "killedMessage" => json!(behavior.killer().map(|(_, by)| &by.message)),
        _ => Value::Null,
    }
}

/// Returns the field at a dotted path.
fn walk(value: &Value, path: &str) -> Value {
    path.split('.')
        .fold(value, |v, name| field(v, name))
        .clone()
}
