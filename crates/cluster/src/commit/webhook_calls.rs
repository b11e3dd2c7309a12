//! The calls of webhooks between two decisions of a request.

use crate::context::Context;
use crate::webhooks::{Replies, SentReview};

/// Makes the calls that the decisions of some requests have noted.
pub(super) fn call_noted<'r>(context: &Context, asking: impl Iterator<Item = &'r Replies>) {
    let noted: Vec<_> = asking
        .flat_map(|replies| {
            let open = replies.take_open();
            open.into_iter()
                .map(move |(key, question)| (replies, key, question))
        })
        .collect();
    let mut uids = Vec::with_capacity(noted.len());
    let mut calls = Vec::with_capacity(noted.len());
    for (_, key, question) in &noted {
        let revision = question.revision.to_string();
        let uid = context.seed().uid(&["review", key, &revision]);
        calls.push(question.call(&uid));
        uids.push(uid);
    }
    let outcomes = match &context.webhooks {
        Some(caller) => caller.call(&calls),
        None => vec![Err("this program does not call webhooks".to_owned()); calls.len()],
    };
    for (((replies, key, question), uid), outcome) in noted.into_iter().zip(uids).zip(outcomes) {
        let known = SentReview {
            uid,
            review: question.review,
            outcome,
        };
        replies.learn(key, known);
    }
}
