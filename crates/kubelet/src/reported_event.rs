//! The events that a play reports.

use crate::api::json::Value;
use crate::cluster::Repeats;
use crate::kinds::tree::{field, text};
use crate::runtime::{EventNote, Object};

/// An event about a Pod or one of its containers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReportedEvent {
    /// `Normal` or `Warning`.
    pub kind: String,
    /// The reason, in one word.
    pub reason: String,
    /// The message.
    pub message: String,
    /// The container as a field of the Pod, such as `spec.containers{web}`; empty for the Pod itself.
    pub field: String,
    /// The times at which it occurs, if it repeats.
    pub repeats: Option<Repeats>,
}

impl ReportedEvent {
    /// Returns the note for the Event of a Pod or node.
    pub(super) fn note(&self, object: &Object) -> EventNote {
        let mut note = match self.kind.as_str() {
            "Warning" => EventNote::warning(object, &self.reason, self.message.clone()),
            _ => EventNote::normal(object, &self.reason, self.message.clone()),
        };
        // The source of an event is the component and the node on which it runs.
        note.host = match object.kind().is_pod() {
            true => text(field(object, "spec"), "nodeName").to_owned(),
            false => object.name().to_owned(),
        };
        note.repeats = self.repeats;
        if !self.field.is_empty() {
            // `fieldPath` tells `kubectl logs` and `describe` which container an event is about.
            note.about["fieldPath"] = Value::from(self.field.as_str());
        }
        note
    }
}
