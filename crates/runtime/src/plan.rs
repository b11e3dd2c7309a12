//! The plan of a controller: writes, events, and the time of the next reconcile.
//!
//! A plan is data, so that tests compare it and planning writes nothing. Every write contains the rule that led to it,
//! in the form `name: detail` (`scale-up: desired 3, current 2`); the history stores it with the trigger of the
//! plan.

use jiff::SignedDuration;

use super::object::Object;
use crate::api::json::{Value, json};
use crate::cluster::{DeleteOptions, Kind, Part, PatchType, Place, Propagation, Repeats, Verb};

/// The result of reconciling one key.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_runtime::{EventNote, Object, Plan, PlannedWrite};
///
/// /// Scales a Deployment to a number of replicas, and reports it in an event.
/// fn scale(deployment: &Object, replicas: i64) -> Plan {
///     let patch = json!({"spec": {"replicas": replicas}});
///     let note = EventNote::normal(deployment, "Scaled", format!("Scaled to {replicas}"));
///     let write = PlannedWrite::merge(deployment, patch, "scale").with_event(note);
///     Plan { changes: vec![write], ..Plan::done() }
/// }
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let web = json!({"metadata": {"namespace": "default", "name": "web", "uid": "1"}});
/// let web = Object::new(cluster.kind("deployments.apps")?, web);
/// assert_eq!(scale(&web, 3).changes[0].rule, "scale");
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The changes to make. Deletions go first, the rest in this order.
    pub changes: Vec<PlannedWrite>,
    /// Status writes, made after the changes and only if all of them succeeded. If one is rejected, the
    /// controller plans again with the failures, so that the status can report them.
    pub status: Vec<PlannedWrite>,
    /// Events that do not depend on the outcome of a write; emitted before those of the writes.
    pub events: Vec<EventNote>,
    /// The delay until the next reconcile if nothing changes before. The cluster is not settled
    /// before: a Pod's start, a back-off, a deadline on the way to the desired state.
    pub requeue_after: Option<SignedDuration>,
    /// The delay until the next reconcile of work that never ends on a settled cluster: a schedule,
    /// a time to live, a resync.
    pub idle_requeue_after: Option<SignedDuration>,
    /// The delay until an event may repeat. Only a system clock is waited for.
    pub repeat_after: Option<SignedDuration>,
    /// The error of the reconcile; the key is retried after a back-off.
    pub error: Option<String>,
    /// True if this is only the first part of the work: if it succeeds, the key is reconciled again
    /// before other controllers run.
    pub partial: bool,
}

/// One write.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedWrite {
    /// The kind and the namespace.
    pub place: Place,
    /// The object's name; empty for a new object that asks for a generated one.
    pub name: String,
    /// The operation with its body, as in a request that is sent alone.
    pub verb: Verb,
    /// The rule that leads to it.
    pub rule: String,
    /// The events to emit once the write succeeded, in order.
    pub on_success: Vec<EventNote>,
    /// The event to emit if the write is rejected.
    pub on_failure: Option<EventNote>,
    /// Writes of a wave above 0 wait for all writes of lower waves above 0 of the same plan, and are skipped if one of
    /// those was rejected. Wave 0 never waits.
    pub wave: u32,
    /// The manager of its fields, if it is not the controller's; empty for the controller's.
    pub field_manager: &'static str,
}

/// An event before it is written. The message may contain `{name}` for the written object's name and `{error}` for the
/// API's error.
#[derive(Clone, Debug, PartialEq)]
pub struct EventNote {
    /// The reference to the object of the event: see [`Object::reference`].
    pub about: Value,
    /// True if it is a warning.
    pub warning: bool,
    /// The reason.
    pub reason: String,
    /// The text.
    pub message: String,
    /// The action, for the scheduler's events.
    pub action: String,
    /// The reference to another object of such an event; null for none.
    pub related: Value,
    /// The node that reports it, for a kubelet; empty for others.
    pub host: String,
    /// The component that reports it, if Kubernetes attributes it to another controller; empty for
    /// the controller itself.
    pub component: &'static str,
    /// The times at which it occurs, if it repeats as long as its cause lasts.
    pub repeats: Option<Repeats>,
}

impl Plan {
    /// Creates a plan without writes.
    pub fn done() -> Self {
        Self::default()
    }

    /// Reconciles again after a time that the cluster is not settled before; the earliest wins.
    pub fn requeue_in(&mut self, after: SignedDuration) {
        self.requeue_after = Some(self.requeue_after.map_or(after, |a| a.min(after)));
    }

    /// Requests another reconcile after a time; until then, the cluster may be settled. The earliest time wins.
    pub fn idle_requeue_in(&mut self, after: SignedDuration) {
        self.idle_requeue_after = Some(self.idle_requeue_after.map_or(after, |a| a.min(after)));
    }

    /// Requests another reconcile when an event may repeat. The earliest time wins.
    pub fn repeat_in(&mut self, after: SignedDuration) {
        self.repeat_after = Some(self.repeat_after.map_or(after, |a| a.min(after)));
    }

    /// Returns true if it contains no writes.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.status.is_empty()
    }
}

impl PlannedWrite {
    /// A write to an existing object.
    pub fn to(object: &Object, verb: Verb, rule: impl Into<String>) -> Self {
        Self::at(object.place(), object.name(), verb, rule)
    }

    /// Creates a write to an object by name.
    pub fn at(place: Place, name: &str, verb: Verb, rule: impl Into<String>) -> Self {
        Self {
            place,
            name: name.to_owned(),
            verb,
            rule: rule.into(),
            on_success: Vec::new(),
            on_failure: None,
            wave: 0,
            field_manager: "",
        }
    }

    /// Creates an object in a namespace.
    pub fn create(place: Place, object: Value, rule: impl Into<String>) -> Self {
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let name = name.to_owned();
        Self::at(place, &name, Verb::Create(object), rule)
    }

    /// Creates an object that `owner` controls, in the owner's namespace.
    pub fn create_for(
        owner: &Object,
        kind: &'static Kind,
        mut object: Value,
        rule: impl Into<String>,
    ) -> Self {
        let place = Place::new(kind, owner.namespace());
        // The API needs both to decode the body; controllers write only the part that differs.
        object["apiVersion"] = Value::from(kind.api_version());
        object["kind"] = Value::from(kind.kind);
        object["metadata"]["namespace"] = Value::from(owner.namespace());
        object["metadata"]["ownerReferences"] = Value::from(vec![owner.controller_reference()]);
        Self::create(place, object, rule)
    }

    /// Replaces an object's spec and metadata.
    pub fn update(object: &Object, value: Value, rule: impl Into<String>) -> Self {
        Self::to(object, Verb::Update(Part::Whole, value), rule)
    }

    /// Replaces an object's status. Returns `None` if the status does not change, because a write of equal content
    /// would trigger the next reconcile forever.
    pub fn status(object: &Object, status: Value, rule: impl Into<String>) -> Option<Self> {
        if object["status"] == status {
            return None;
        }
        let mut value = object.to_value_without("status");
        value["status"] = status;
        Some(Self::to(object, Verb::Update(Part::Status, value), rule))
    }

    /// Patches an object with a JSON merge patch.
    pub fn merge(object: &Object, patch: Value, rule: impl Into<String>) -> Self {
        Self::patch(object, Part::Whole, PatchType::Merge, patch, rule)
    }

    /// Patches a part of an object.
    pub fn patch(
        object: &Object,
        part: Part,
        how: PatchType,
        patch: Value,
        rule: impl Into<String>,
    ) -> Self {
        Self::to(object, Verb::Patch { part, how, patch }, rule)
    }

    /// Patches an object's status with a strategic merge patch of the object.
    pub fn patch_status(object: &Object, patch: Value, rule: impl Into<String>) -> Self {
        Self::patch(object, Part::Status, PatchType::Strategic, patch, rule)
    }

    /// Makes fields of a part the controller's own by server-side apply, whoever owned them.
    pub fn apply(object: &Object, part: Part, fields: &Value, rule: impl Into<String>) -> Self {
        let mut config = json!({
            "apiVersion": object.kind().api_version(),
            "kind": object.kind().kind,
            "metadata": {"name": object.name()},
        });
        if !object.namespace().is_empty() {
            config["metadata"]["namespace"] = json!(object.namespace());
        }
        for (name, value) in fields.as_object().into_iter().flatten() {
            config[name] = value.clone();
        }
        let force = true;
        let verb = Verb::Apply {
            part,
            config,
            force,
        };
        Self::to(object, verb, rule)
    }

    /// Makes the write in the name of another manager.
    #[must_use]
    pub fn managed_by(mut self, manager: &'static str) -> Self {
        self.field_manager = manager;
        self
    }

    /// Deletes an object, and its dependents in the background.
    pub fn delete(object: &Object, rule: impl Into<String>) -> Self {
        Self::delete_with(object, DeleteOptions::default(), rule)
    }

    /// Deletes an object, and its dependents in the background unless the options set another propagation.
    pub fn delete_with(
        object: &Object,
        mut options: DeleteOptions,
        rule: impl Into<String>,
    ) -> Self {
        // Another object may have taken the name since the plan was made, and must not be deleted.
        options.uid = Some(object.uid().to_owned()).filter(|uid| !uid.is_empty());
        options.propagation.get_or_insert(Propagation::Background);
        Self::to(object, Verb::Delete(Box::new(options)), rule)
    }

    /// Deletes a Pod at once: its containers have ended, or no kubelet can end them.
    pub fn delete_now(object: &Object, rule: impl Into<String>) -> Self {
        let options = DeleteOptions {
            grace_period: Some(0),
            ..DeleteOptions::default()
        };
        Self::delete_with(object, options, rule)
    }

    /// Binds a Pod to a node.
    pub fn bind(pod: &Object, node: &str, rule: impl Into<String>) -> Self {
        let target = json!({"kind": "Node", "name": node});
        let metadata = json!({"name": pod.name(), "namespace": pod.namespace(), "uid": pod.uid()});
        let binding =
            json!({"apiVersion": "v1", "kind": "Binding", "metadata": metadata, "target": target});
        Self::to(pod, Verb::Bind(binding), rule)
    }

    /// Emits an event once the write succeeded.
    #[must_use]
    pub fn with_event(mut self, note: EventNote) -> Self {
        self.on_success.push(note);
        self
    }

    /// Emits an event if the write is rejected.
    #[must_use]
    pub fn with_failure_event(mut self, note: EventNote) -> Self {
        self.on_failure = Some(note);
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
        matches!(self.verb, Verb::Delete(_))
    }
}

impl EventNote {
    /// Creates a normal event about an object.
    pub fn normal(about: &Object, reason: &str, message: impl Into<String>) -> Self {
        Self {
            about: about.reference(),
            warning: false,
            reason: reason.to_owned(),
            message: message.into(),
            action: String::new(),
            related: Value::Null,
            host: String::new(),
            component: "",
            repeats: None,
        }
    }

    /// Creates a warning about an object.
    pub fn warning(about: &Object, reason: &str, message: impl Into<String>) -> Self {
        Self {
            warning: true,
            ..Self::normal(about, reason, message)
        }
    }

    /// Attributes the event to another component.
    #[must_use]
    pub fn reported_by(mut self, component: &'static str) -> Self {
        self.component = component;
        self
    }

    /// Fills in the written object's name and the API's error.
    #[must_use]
    pub fn expand(mut self, name: &str, error: &str) -> Self {
        for (place, text) in [("{name}", name), ("{error}", error)] {
            // Few messages have such a place, and every replacement is a new text.
            if self.message.contains(place) {
                self.message = self.message.replace(place, text);
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_requeue_of_each_kind_wins() {
        let seconds = SignedDuration::from_secs;
        let mut plan = Plan::done();
        plan.idle_requeue_in(seconds(60));
        plan.requeue_in(seconds(90));
        plan.requeue_in(seconds(95));
        plan.idle_requeue_in(seconds(10));
        plan.repeat_in(seconds(13));
        plan.repeat_in(seconds(20));
        assert_eq!(plan.repeat_after, Some(seconds(13)));
        assert_eq!(plan.requeue_after, Some(seconds(90)));
        assert_eq!(plan.idle_requeue_after, Some(seconds(10)));
    }

    #[test]
    fn event_message_contains_the_created_object_name() {
        let note = EventNote {
            about: Value::Null,
            warning: false,
            reason: "SuccessfulCreate".to_owned(),
            message: "Created pod: {name}".to_owned(),
            action: String::new(),
            related: Value::Null,
            host: String::new(),
            component: "",
            repeats: None,
        };
        assert_eq!(note.expand("web-x", "").message, "Created pod: web-x");
    }
}
