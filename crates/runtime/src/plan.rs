//! The plan of a controller: writes, events, and the time of the next reconcile.
//!
//! A plan is data, so that tests compare it and nothing is written while it is made. Every write says
//! the rule that led to it, in the form `name: detail` (`scale-up: wanted 3, had 2`); the history keeps
//! it together with the change that triggered the plan.

use jiff::SignedDuration;

use super::object::Object;
use crate::api::json::Value;
use crate::cluster::{Kind, PatchType, Place, Propagation, Revision};

/// The result of reconciling one key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The changes to make. Deletions go first, the rest in this order.
    pub changes: Vec<Write>,
    /// Written after the changes and only if all of them were done; else the controller is asked
    /// again with the failures.
    pub status: Vec<Write>,
    /// Events that do not depend on the outcome of a write; told before those of the writes.
    pub notes: Vec<Note>,
    /// After how long to look again although nothing has changed; the cluster is not settled before:
    /// a Pod's start, a back-off, a deadline on the way to the wanted state.
    pub again: Option<SignedDuration>,
    /// The delay until the next reconcile of work that never ends on a settled cluster: a schedule,
    /// a time to live, a resync.
    pub again_idle: Option<SignedDuration>,
    /// Why the key cannot be dealt with now; it is tried again after a back-off.
    pub error: Option<String>,
    /// True if this is only the first part of what is to be done: where it succeeds, the key is
    /// looked at again before other controllers are.
    pub partial: bool,
}

/// One write.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// The kind and the namespace.
    pub place: Place,
    /// The object's name; empty for a new object that asks for a generated one.
    pub name: String,
    /// The action on the object.
    pub action: Action,
    /// The rule that leads to it.
    pub rule: String,
    /// The events that tell of it, in order.
    pub done: Vec<Note>,
    /// The event that tells that it was refused.
    pub failed: Option<Note>,
    /// Writes of a wave above 0 wait for all writes of lower waves above 0 of the same plan, and are
    /// left out if one of those was refused. Wave 0 waits for nothing.
    pub wave: u32,
}

/// An action on an object.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// It is made.
    Create(Value),
    /// Its spec and metadata become these. Carries the resource version that it was derived from.
    Update(Value),
    /// Its status becomes this one's. Carries the resource version that it was derived from.
    UpdateStatus(Value),
    /// It is patched, or its status is.
    Patch {
        /// How the patch says it.
        how: PatchType,
        /// The patch.
        patch: Value,
        /// True if the status is meant.
        status: bool,
    },
    /// It is deleted, if it still is the object with this uid.
    Delete {
        /// The uid that it must have.
        uid: String,
        /// The resource version that it must have, where that matters.
        resource_version: Option<String>,
        /// The treatment of its dependents.
        propagation: Propagation,
        /// Seconds that a Pod has to end; the Pod's own without.
        grace_period: Option<i64>,
    },
    /// A namespace gets these finalizers in its spec. Carries the resource version that it was derived
    /// from.
    Finalize(Value),
    /// A Pod is bound to a node.
    Bind {
        /// The node.
        node: String,
    },
}

/// An event to be told, with `{name}` for the written object's name and `{error}` for the refusal.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// The object that it is about: see [`Object::reference`].
    pub about: Value,
    /// True if it is a warning.
    pub warning: bool,
    /// The reason.
    pub reason: String,
    /// The text.
    pub message: String,
    /// The action, for events that carry one (the scheduler's).
    pub action: String,
    /// Where it was seen: a node, for a kubelet; empty for others.
    pub host: String,
    /// The component that reports it, if Kubernetes attributes it to another controller; empty for
    /// the controller itself.
    pub component: &'static str,
}

impl Plan {
    /// Nothing to do.
    pub fn done() -> Self {
        Self::default()
    }

    /// Looks again after a time that the cluster is not settled before; the earliest wins.
    pub fn look_again(&mut self, after: SignedDuration) {
        self.again = Some(self.again.map_or(after, |a| a.min(after)));
    }

    /// Looks again after a time that the cluster may be settled through; the earliest wins.
    pub fn look_again_idle(&mut self, after: SignedDuration) {
        self.again_idle = Some(self.again_idle.map_or(after, |a| a.min(after)));
    }

    /// Returns true if nothing is to be written.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.status.is_empty()
    }
}

impl Write {
    /// A write to an object that is there.
    pub fn to(object: &Object, action: Action, rule: impl Into<String>) -> Self {
        Self::at(object.place(), object.name(), action, rule)
    }

    /// A write to an object by name.
    pub fn at(place: Place, name: &str, action: Action, rule: impl Into<String>) -> Self {
        Self {
            place,
            name: name.to_owned(),
            action,
            rule: rule.into(),
            done: Vec::new(),
            failed: None,
            wave: 0,
        }
    }

    /// Makes an object in a place.
    pub fn create(place: Place, object: Value, rule: impl Into<String>) -> Self {
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let name = name.to_owned();
        Self::at(place, &name, Action::Create(object), rule)
    }

    /// Makes an object that `owner` controls, in its namespace.
    pub fn create_for(
        owner: &Object,
        kind: &'static Kind,
        mut object: Value,
        rule: impl Into<String>,
    ) -> Self {
        let place = Place::new(kind, owner.namespace());
        object["apiVersion"] = Value::from(kind.api_version());
        object["kind"] = Value::from(kind.kind);
        object["metadata"]["namespace"] = Value::from(owner.namespace());
        object["metadata"]["ownerReferences"] = Value::from(vec![owner.controller_reference()]);
        Self::create(place, object, rule)
    }

    /// Replaces an object's spec and metadata.
    pub fn update(object: &Object, value: Value, rule: impl Into<String>) -> Self {
        Self::to(object, Action::Update(value), rule)
    }

    /// Replaces an object's status; nothing where it stays the same.
    pub fn status(object: &Object, status: Value, rule: impl Into<String>) -> Option<Self> {
        if object["status"] == status {
            return None;
        }
        let mut value = object.to_value_without("status");
        value["status"] = status;
        Some(Self::to(object, Action::UpdateStatus(value), rule))
    }

    /// Patches an object by merging.
    pub fn merge(object: &Object, patch: Value, rule: impl Into<String>) -> Self {
        let action = Action::Patch {
            how: PatchType::Merge,
            patch,
            status: false,
        };
        Self::to(object, action, rule)
    }

    /// Deletes an object, what it owns in the background.
    pub fn delete(object: &Object, rule: impl Into<String>) -> Self {
        let action = Action::Delete {
            uid: object.uid().to_owned(),
            resource_version: None,
            propagation: Propagation::Background,
            grace_period: None,
        };
        Self::to(object, action, rule)
    }

    /// Tells of it in an event.
    #[must_use]
    pub fn telling(mut self, note: Note) -> Self {
        self.done.push(note);
        self
    }

    /// Tells of its refusal in an event.
    #[must_use]
    pub fn telling_failure(mut self, note: Note) -> Self {
        self.failed = Some(note);
        self
    }

    /// Puts it into a wave.
    #[must_use]
    pub fn in_wave(mut self, wave: u32) -> Self {
        self.wave = wave;
        self
    }

    /// Returns true if it deletes.
    pub fn is_delete(&self) -> bool {
        matches!(self.action, Action::Delete { .. })
    }
}

impl Note {
    /// A normal event about an object.
    pub fn normal(about: &Object, reason: &str, message: impl Into<String>) -> Self {
        Self {
            about: about.reference(),
            warning: false,
            reason: reason.to_owned(),
            message: message.into(),
            action: String::new(),
            host: String::new(),
            component: "",
        }
    }

    /// A warning about an object.
    pub fn warning(about: &Object, reason: &str, message: impl Into<String>) -> Self {
        Self {
            warning: true,
            ..Self::normal(about, reason, message)
        }
    }

    /// The event as another controller's.
    #[must_use]
    pub fn told_by(mut self, component: &'static str) -> Self {
        self.component = component;
        self
    }

    /// The event with the written object's name and the refusal put in.
    #[must_use]
    pub fn about_write(mut self, name: &str, error: &str) -> Self {
        self.message = self
            .message
            .replace("{name}", name)
            .replace("{error}", error);
        self
    }
}

/// The revision that triggered a plan, stored with each of its writes.
pub type Trigger = Option<Revision>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_look_of_each_sort_wins() {
        let seconds = SignedDuration::from_secs;
        let mut plan = Plan::done();
        plan.look_again_idle(seconds(60));
        plan.look_again(seconds(90));
        plan.look_again(seconds(95));
        plan.look_again_idle(seconds(10));
        assert_eq!(plan.again, Some(seconds(90)));
        assert_eq!(plan.again_idle, Some(seconds(10)));
    }

    #[test]
    fn notes_name_the_object_that_was_made() {
        let note = Note {
            about: Value::Null,
            warning: false,
            reason: "SuccessfulCreate".to_owned(),
            message: "Created pod: {name}".to_owned(),
            action: String::new(),
            host: String::new(),
            component: "",
        };
        assert_eq!(note.about_write("web-x", "").message, "Created pod: web-x");
    }
}
