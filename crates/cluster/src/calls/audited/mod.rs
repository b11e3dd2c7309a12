//! Requests by calls of the library, in the form for the log: commands, controllers and other programs.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::api::json::Value;
use crate::api::status::Status;
use crate::audit::{AuditLog, Audited, AuditedRequest, ObjectRef, Outcome};
use crate::components;
use crate::context::Context;
use crate::entry;
use crate::read::list::{List, Page};
use crate::read::watch::Watching;
use crate::request::response::{ApiError, Response};
use crate::request::{Request, Verb};
use crate::verbs::log::LogTarget;

/// The result of a call for the log.
pub(crate) trait AuditedResult {
    /// Returns the object of the response, if it is one.
    fn object(&self) -> Option<&Value> {
        None
    }

    /// Returns the status code.
    fn code(&self) -> u16 {
        200
    }
}

impl AuditedResult for Response {
    fn object(&self) -> Option<&Value> {
        Some(&self.object)
    }

    fn code(&self) -> u16 {
        if self.created { 201 } else { 200 }
    }
}

impl AuditedResult for List {}
impl<I> AuditedResult for Page<I> {}
impl<T> AuditedResult for Vec<T> {}
impl AuditedResult for Watching {}
impl AuditedResult for LogTarget {}
impl AuditedResult for Option<LogTarget> {}
impl<A, B> AuditedResult for (A, B) {}

/// Records the arrival of a request; returns it with its notes.
pub(crate) fn received(
    context: &Context,
    log: &Arc<AuditLog>,
    writer: &str,
    request: &Request,
) -> Result<(Request, Audited), ApiError> {
    let acting = context.acting.as_ref();
    let user = entry::author(context, request);
    let component = match acting.is_none() && user.is_master() {
        true => components::user(writer, request),
        false => None,
    };
    let user = component.unwrap_or_else(|| user.clone());
    let sender = acting.and_then(|acting| acting.sender.as_ref());
    // As in Kubernetes, `user` is the authenticated sender and never the user that it impersonates.
    let (user, impersonated) = match sender {
        Some(sender) => (sender.by.clone(), Some(user)),
        None => (user, None),
    };
    let asked = AuditedRequest {
        uri: uri(request),
        verb: request.verb.name().to_owned(),
        user,
        impersonated,
        // The command line, with masked secrets.
        agent: writer.to_owned(),
        object: Some(object(request)),
        ..AuditedRequest::default()
    };
    let audited = log.begin(asked)?;
    if let Some(body) = body(&request.verb) {
        audited.notes().sent(body);
    }
    let mut request = request.clone();
    // Shared with the event: authorization and admission add their annotations while the request is served.
    request.options.notes = Some(audited.notes().clone());
    Ok((request, audited))
}

/// Records the result of a call.
pub(crate) fn answered<T: AuditedResult>(audited: &Audited, result: &Result<T, ApiError>) {
    let error = match result {
        // A watch continues in the program that reads it, and has no end here.
        Ok(_) if audited.is_watch() => return audited.started(200),
        Ok(done) => {
            return audited.complete(Outcome {
                code: done.code(),
                object: done.object(),
            });
        }
        Err(error) => error,
    };
    let status = match error {
        ApiError::Status(status) => (**status).clone(),
        // The API has no status for a failed store; over HTTP the same error is a 500.
        ApiError::Store(e) => Status::internal(e.to_string()),
    };
    audited.complete(Outcome {
        code: status.code,
        object: Some(&status.to_value()),
    });
}

/// Returns the body of a request.
fn body(verb: &Verb) -> Option<&Value> {
    match verb {
        Verb::Create(body) | Verb::Update(_, body) | Verb::Bind(body) | Verb::Token(body) => {
            Some(body)
        }
        Verb::Patch { patch, .. } => Some(patch),
        Verb::Apply { config, .. } => Some(config),
        _ => None,
    }
}

fn object(request: &Request) -> ObjectRef {
    let kind = request.place.kind;
    ObjectRef {
        group: kind.group.to_owned(),
        version: kind.version.to_owned(),
        resource: kind.plural.to_owned(),
        subresource: request.verb.subresource().to_owned(),
        namespace: request.place.namespace.clone(),
        name: request.name.clone(),
    }
}

/// Returns the HTTP path of the request.
fn uri(request: &Request) -> String {
    let (kind, namespace) = (request.place.kind, &request.place.namespace);
    let mut uri = match kind.group {
        "" => format!("/api/{}", kind.version),
        group => format!("/apis/{group}/{}", kind.version),
    };
    if !namespace.is_empty() {
        uri.push_str(&format!("/namespaces/{namespace}"));
    }
    uri.push_str(&format!("/{}", kind.plural));
    // A new object has no path yet.
    if !matches!(request.verb, Verb::Create(_)) && !request.name.is_empty() {
        uri.push_str(&format!("/{}", request.name));
    }
    let subresource = request.verb.subresource();
    if !subresource.is_empty() {
        uri.push_str(&format!("/{subresource}"));
    }
    let mut query = Vec::new();
    if matches!(request.verb, Verb::Watch) {
        query.push("watch=true");
    }
    if request.options.dry_run {
        query.push("dryRun=All");
    }
    match query.is_empty() {
        true => uri,
        false => format!("{uri}?{}", query.join("&")),
    }
}
