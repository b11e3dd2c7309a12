//! The known replies of webhooks to a request, and the calls that it waits for.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{Call, Reply};
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::store::Revision;
use crate::sys::threads::locked;

/// A pending call.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) url: String,
    pub(crate) connect: Option<String>,
    pub(crate) authorities: Vec<u8>,
    pub(crate) timeout: Duration,
    /// The review without its uid.
    pub(crate) review: Value,
    /// The revision on which the request was decided.
    pub(crate) revision: Revision,
}

impl Question {
    pub(crate) fn call(&self, uid: &str) -> Call {
        let mut review = self.review.clone();
        review["request"]["uid"] = json!(uid);
        Call {
            url: self.url.clone(),
            connect: self.connect.clone(),
            authorities: self.authorities.clone(),
            timeout: self.timeout,
            body: review.to_string().into_bytes(),
        }
    }
}

/// The outcome of a call, and the uid of its review.
#[derive(Debug)]
pub(crate) struct SentReview {
    pub(crate) uid: String,
    /// The review that was sent.
    pub(crate) review: Value,
    pub(crate) outcome: Result<Reply, String>,
}

/// The replies to a request. A copy of the request starts without replies.
#[derive(Debug, Default)]
pub(crate) struct Replies(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    known: HashMap<String, Arc<SentReview>>,
    /// In the order of their keys, so that the order of calls does not depend on hashes.
    open: BTreeMap<String, Question>,
    warnings: Vec<String>,
}

impl Clone for Replies {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Replies {
    /// Begins a decision: discards calls and warnings of an earlier one.
    pub(crate) fn begin(&self) {
        let mut state = locked(&self.0);
        state.open.clear();
        state.warnings.clear();
    }

    /// Returns the outcome of the call with this key, if it was made.
    pub(crate) fn known(&self, key: &str) -> Option<Arc<SentReview>> {
        locked(&self.0).known.get(key).cloned()
    }

    /// Records a call to make before the next decision.
    pub(crate) fn ask(&self, key: String, question: Question) {
        locked(&self.0).open.insert(key, question);
    }

    /// Returns the error that ends a decision with recorded calls. It never reaches a client.
    pub(crate) fn missing() -> Status {
        Status::internal("the reply of a webhook is not known yet")
    }

    /// Returns true if the last decision ended because a reply was missing.
    pub(crate) fn are_missing(&self) -> bool {
        !locked(&self.0).open.is_empty()
    }

    pub(crate) fn take_open(&self) -> BTreeMap<String, Question> {
        std::mem::take(&mut locked(&self.0).open)
    }

    pub(crate) fn learn(&self, key: String, known: SentReview) {
        locked(&self.0).known.insert(key, Arc::new(known));
    }

    /// Notes warnings of a webhook that runs before the warnings of a request are collected.
    pub(crate) fn warn(&self, warnings: Vec<String>) {
        locked(&self.0).warnings.extend(warnings);
    }

    /// Takes the warnings of the last decision.
    pub(crate) fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut locked(&self.0).warnings)
    }
}
