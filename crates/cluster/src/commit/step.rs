//! One request before its commit: a closure that decides on a given state.

use crate::api::json::Value;
use crate::api::status::Status;
use crate::entry::Admitted;
use crate::kinds::Kind;
use crate::request::Place;
use crate::request::options::WriteOptions;
use crate::request::response::{ApiError, add_warnings};
use crate::store::{ChangeReason, Expect, Key, Op, View};
use crate::webhooks::Replies;

/// The result of a decision.
pub(crate) enum Decision {
    /// The object gets a new content.
    Put(Key, Expect, Value),
    /// The object is removed; the value is its last content.
    Remove(Key, Expect, Value),
    /// Nothing changes; the value is the object.
    Keep(Value),
}

/// A decision with its side effects.
pub(crate) struct Decided {
    /// The change of the requested object.
    pub(crate) decision: Decision,
    /// Changes of other objects in the same commit. One of an object that the commit changes
    /// already replaces that change.
    pub(crate) also: Vec<Op>,
    /// The texts of the warnings that go with the response.
    pub(crate) warnings: Vec<String>,
}

impl From<Decision> for Decided {
    fn from(decision: Decision) -> Self {
        Self {
            decision,
            also: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

/// Decides on the given state; may be called repeatedly, and by another thread.
// `FnMut` and not `FnOnce`: a decision made ahead on a wrong guess is made again, as is one whose commit failed.
pub(crate) type Decide<'s> = Box<dyn FnMut(&dyn View) -> Result<Decided, ApiError> + Send + 's>;

/// One request before its commit.
pub(crate) struct Step<'s> {
    verb: &'static str,
    kind: &'static Kind,
    options: &'s WriteOptions,
    target: Option<(&'s Place, &'s str)>,
    replies: Option<&'s Replies>,
    decide: Decide<'s>,
}

impl<'s> Step<'s> {
    /// Creates the step of an admitted request; `verb` is the rule of the commit if the options contain none.
    pub(crate) fn new(
        at: Admitted<'s>,
        verb: &'static str,
        decide: impl FnMut(&dyn View) -> Result<Decided, ApiError> + Send + 's,
    ) -> Self {
        Self {
            verb,
            kind: at.place().kind,
            options: at.options(),
            target: (!at.name().is_empty()).then(|| (at.place(), at.name())),
            replies: Some(at.replies()),
            decide: Box::new(decide),
        }
    }

    /// Returns the step as one that writes an object of another kind than that of the request.
    pub(crate) fn writes(self, kind: &'static Kind) -> Self {
        Self {
            kind,
            target: None,
            ..self
        }
    }

    /// Creates the step of a request that was rejected before any read.
    pub(crate) fn refused(kind: &'static Kind, options: &'s WriteOptions, status: Status) -> Self {
        Self {
            verb: "refused",
            kind,
            options,
            target: None,
            replies: None,
            decide: Box::new(move |_| Err(status.clone().into())),
        }
    }

    /// Returns the kind of the object.
    pub(crate) fn kind(&self) -> &'static Kind {
        self.kind
    }

    /// Returns the options of the request.
    pub(crate) fn options(&self) -> &'s WriteOptions {
        self.options
    }

    /// Decides on the state that it is shown.
    pub(crate) fn decide(&mut self, view: &dyn View) -> Result<Decided, ApiError> {
        let Some(replies) = self.replies else {
            return (self.decide)(view);
        };
        replies.begin();
        if let Some(notes) = &self.options.notes {
            notes.begin();
        }
        match (self.decide)(view) {
            Ok(mut decided) => {
                add_warnings(&mut decided.warnings, &replies.take_warnings());
                Ok(decided)
            }
            // The client gets the warnings of a rejected request as well.
            Err(e) => Err(e.warned(&replies.take_warnings())),
        }
    }

    /// Returns the replies of webhooks about the request; none if it was refused before.
    pub(crate) fn replies(&self) -> Option<&'s Replies> {
        self.replies
    }

    /// Returns the replies of webhooks if the last decision ended because one was missing.
    pub(crate) fn missing_replies(&self) -> Option<&'s Replies> {
        self.replies.filter(|replies| replies.are_missing())
    }

    /// Returns the object that the request names; `None` if only its body does.
    pub(crate) fn target(&self) -> Option<(&'s Place, &'s str)> {
        self.target
    }

    pub(crate) fn why(&self) -> ChangeReason {
        // The history of a command without a rule contains the verb.
        let rule = match self.options.rule.as_str() {
            "" => self.verb.to_owned(),
            rule => rule.to_owned(),
        };
        ChangeReason {
            trigger: self.options.trigger.clone(),
            rule,
        }
    }
}
