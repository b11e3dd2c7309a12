//! Conversion of custom resources by webhooks.
//!
//! A read calls the webhook at once, for all its objects together. A write is decided under the lock of the store and
//! notes the call, as for admission. Objects that are stored at the requested version are never sent.

use std::time::Duration;

use super::{Question, Replies, SentReview, endpoint, review_template};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::api::json::{Value, json};
use crate::context::Context;
use crate::kinds::Kind;
use crate::kinds::convert::{convert, stored_as};
use crate::kinds::custom::{CustomKind, conversion};
use crate::kinds::tree::{field, list, text};
use crate::objects;
use crate::request::Place;
use crate::request::response::ApiError;
use crate::store::{Revision, View};

/// The number of objects of one review: a reply must not exceed the size that the client reads.
const TOGETHER: usize = 500;

pub(crate) use crate::kinds::custom::conversion::webhook;

/// Returns an object at the version of a kind.
///
/// # Errors
/// The API server's 500 if the webhook fails.
pub(crate) fn one(
    context: &Context,
    kind: &'static Kind,
    object: Value,
) -> Result<Value, ApiError> {
    let converted = all(context, kind, vec![object])?.pop();
    Ok(converted.unwrap_or_default())
}

/// Returns objects at the version of a kind, in order. No lock may be held.
///
/// # Errors
/// The API server's 500 if the webhook fails.
pub(crate) fn all(
    context: &Context,
    kind: &'static Kind,
    mut objects: Vec<Value>,
) -> Result<Vec<Value>, ApiError> {
    let hooked = kind.custom.zip(conversion::webhook(kind));
    let Some((custom, hook)) = hooked else {
        objects.iter_mut().for_each(|object| convert(object, kind));
        return Ok(objects);
    };
    let (mut open, mut originals) = (Vec::new(), Vec::new());
    for (index, object) in objects.iter_mut().enumerate() {
        match conversion::differs(custom, object) {
            false => convert(object, kind),
            true => {
                conversion::prepare(custom, object);
                open.push(index);
                originals.push(std::mem::take(object));
            }
        }
    }
    for (indices, originals) in open.chunks(TOGETHER).zip(originals.chunks(TOGETHER)) {
        let converted = called(context, custom, hook, originals)?;
        for (index, object) in indices.iter().zip(converted) {
            objects[*index] = object;
        }
    }
    Ok(objects)
}

/// Calls the webhook about some objects.
fn called(
    context: &Context,
    custom: &CustomKind,
    hook: &Value,
    originals: &[Value],
) -> Result<Vec<Value>, ApiError> {
    let find = |namespace: &str, name: &str| {
        let kind = crate::kinds::find("", "v1", "Service")?;
        let key = objects::key(&Place::new(kind, namespace), name).ok()?;
        let stored = context.store.get(&key).ok()??;
        objects::shown(&stored).ok()
    };
    let revision = context.store.revision()?;
    let question = question(custom, hook, originals, &find, revision)?;
    let uid = context.seed().uid(&["conversion", &revision.to_string()]);
    let outcome = match &context.webhooks {
        Some(caller) => caller.call(&[question.call(&uid)]).pop(),
        None => None,
    };
    let none = || Err("this program does not call webhooks".to_owned());
    let known = SentReview {
        uid,
        review: question.review,
        outcome: outcome.unwrap_or_else(none),
    };
    understood(custom, hook, originals, &known)
}

/// Returns an object at the version of a kind, in a decision under the lock.
///
/// # Errors
/// [`Replies::missing`] if the webhook must be called first; the API server's 500 if it fails.
pub(crate) fn decided(
    replies: Option<&Replies>,
    view: &dyn View,
    kind: &'static Kind,
    mut object: Value,
) -> Result<Value, ApiError> {
    let hooked = kind.custom.zip(conversion::webhook(kind));
    let hooked = hooked.filter(|(custom, _)| conversion::differs(custom, &object));
    let (Some((custom, hook)), Some(replies)) = (hooked, replies) else {
        convert(&mut object, kind);
        return Ok(object);
    };
    conversion::prepare(custom, &mut object);
    let key = format!(
        "conversion to {} of {}",
        custom.api_version(),
        review_template::text(&json!({"request": {"object": object}}))
    );
    if let Some(known) = replies.known(&key) {
        // The object in the request has the uid of an earlier decision, and only its unchanging parts count.
        let sent = list(field(&known.review, "request"), "objects");
        let converted = understood(custom, hook, sent, &known)?.pop();
        let converted = converted.unwrap_or_default();
        return Ok(conversion::with_metadata_of(&object, converted));
    }
    let originals = [object];
    let find = |namespace: &str, name: &str| objects::find(view, "services", namespace, name);
    let question = question(custom, hook, &originals, &find, view.revision())?;
    replies.ask(key, question);
    Err(Replies::missing().into())
}

/// Returns the bytes to store of an object, converted in a decision under the lock.
///
/// # Errors
/// Those of [`decided`].
pub(crate) fn bytes(
    replies: Option<&Replies>,
    view: &dyn View,
    kind: &'static Kind,
    object: &Value,
) -> Result<Vec<u8>, ApiError> {
    if !is_called(kind) {
        return Ok(objects::bytes(kind, object));
    }
    let stored = stored_as(kind);
    let converted = decided(replies, view, stored, object.clone())?;
    Ok(objects::bytes(stored, &converted))
}

/// Returns true if a webhook converts objects of a kind before they are stored.
pub(crate) fn is_called(kind: &'static Kind) -> bool {
    conversion::webhook(kind).is_some() && !std::ptr::eq(stored_as(kind), kind)
}

/// Returns the call of the webhook about some objects.
fn question(
    custom: &CustomKind,
    hook: &Value,
    originals: &[Value],
    find: endpoint::Find<'_>,
    revision: Revision,
) -> Result<Question, ApiError> {
    let config = field(hook, "clientConfig");
    let url = endpoint::address(config, conversion::TIMEOUT);
    let connect = endpoint::forwarded(find, field(config, "service"))
        .map_err(|why| unreachable(originals, &url, &why))?;
    let authorities = STANDARD.decode(text(config, "caBundle"));
    Ok(Question {
        url,
        connect,
        authorities: authorities.unwrap_or_default(),
        timeout: Duration::from_secs(conversion::TIMEOUT),
        review: conversion::review(custom, originals),
        revision,
    })
}

/// Returns the converted objects of a call's outcome.
fn understood(
    custom: &CustomKind,
    hook: &Value,
    originals: &[Value],
    known: &SentReview,
) -> Result<Vec<Value>, ApiError> {
    let reply = known.outcome.as_ref().map_err(|why| {
        let url = endpoint::address(field(hook, "clientConfig"), conversion::TIMEOUT);
        unreachable(originals, &url, why)
    })?;
    Ok(conversion::read(
        custom,
        originals,
        &known.uid,
        &reply.received(),
    )?)
}

fn unreachable(originals: &[Value], url: &str, why: &str) -> ApiError {
    let first = originals.first().unwrap_or(&Value::Null);
    conversion::failed(first, &format!("Post \"{url}\": {why}")).into()
}

#[cfg(test)]
mod tests;
