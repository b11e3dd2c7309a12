//! The entry point of the API: every request is authorized and subject to the fault rules here, before any read or
//! write.
//!
//! The functions that read and write take an [`Admitted`], and only this module creates one: an entry point without
//! authorization does not compile. Must not know: the execution of requests.

pub(crate) mod faults;

use std::sync::LazyLock;

use crate::access;
use crate::api::status::Status;
use crate::components::Component;
use crate::context::Context;
use crate::impersonation;
use crate::kinds::admission::User;
use crate::kinds::rbac::AccessAttributes;
use crate::request::options::{Author, Consult, WriteOptions, administrator};
use crate::request::response::ApiError;
use crate::request::{Place, Request, Verb};
use crate::store::StoreError;
use crate::webhooks::Replies;

/// The identity of a request without a user.
static ADMINISTRATOR: LazyLock<User> = LazyLock::new(administrator);

/// A request that its user is allowed to make.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Admitted<'a> {
    request: &'a Request,
    place: &'a Place,
    name: &'a str,
    user: &'a User,
    /// The name of the controller or the program.
    writer: &'a str,
    on_a_copy: bool,
    without_accounts: bool,
}

impl<'a> Admitted<'a> {
    /// Returns the request as one of this controller.
    pub(crate) fn by(self, writer: &'a str) -> Self {
        Self { writer, ..self }
    }

    /// Returns the operation, with its body.
    pub(crate) fn verb(&self) -> &'a Verb {
        &self.request.verb
    }

    /// Returns the options of the request.
    pub(crate) fn options(&self) -> &'a WriteOptions {
        &self.request.options
    }

    /// Returns the kind and the namespace that the request is for.
    pub(crate) fn place(&self) -> &'a Place {
        self.place
    }

    /// Returns the object that the request is for; empty for a collection.
    pub(crate) fn name(&self) -> &'a str {
        self.name
    }

    /// Returns the author of the request.
    pub(crate) fn user(&self) -> &'a User {
        self.user
    }

    /// Returns the author with the options of the request.
    pub(crate) fn author(&self) -> Author<'a> {
        Author {
            user: self.user,
            options: &self.request.options,
            component: Some(Component {
                writer: self.writer,
                request: self.request,
                shown: &self.request.shown,
            }),
            without_accounts: self.without_accounts,
            consult: Some(Consult {
                replies: &self.request.replies,
                on_a_copy: self.on_a_copy,
            }),
        }
    }

    /// Returns the replies of webhooks about the request.
    pub(crate) fn replies(&self) -> &'a Replies {
        &self.request.replies
    }

    /// Returns the deletion of one object of a collection whose deletion was admitted. The right to delete a collection
    /// includes its objects.
    pub(crate) fn member<'m>(&self, place: &'m Place, name: &'m str) -> Admitted<'m>
    where
        'a: 'm,
    {
        debug_assert_eq!(self.request.verb.name(), "deletecollection");
        Admitted {
            place,
            name,
            ..*self
        }
    }
}

/// Admits a request in the name of its author, unless a fault rule makes it fail. A cluster that acts
/// as a user makes every request in that user's name.
pub(crate) fn admit<'a>(
    context: &'a Context,
    request: &'a Request,
) -> Result<Admitted<'a>, ApiError> {
    let admitted = permit(context, request)?;
    // A watch is one request however often its reader polls.
    if !matches!(request.verb, Verb::Resume) {
        let one = std::slice::from_ref(request);
        let refused = faults::meet(context, None, one)?.pop().flatten();
        refused.map_or(Ok(()), Err)?;
    }
    Ok(admitted)
}

/// Admits each request of a batch by itself. All of them are in flight together, so one fault rule delays them once.
pub(crate) fn admit_batch<'a>(
    context: &'a Context,
    epoch: Option<u64>,
    requests: &'a [Request],
) -> Result<Vec<Result<Admitted<'a>, Status>>, StoreError> {
    // The batch consists of requests in flight at the same time, so its latency is that of the slowest one.
    let mut refusals = faults::meet(context, epoch, requests)?.into_iter();
    let admitted = requests.iter().map(|request| {
        let refused = refusals.next().flatten();
        let admitted = permit(context, request).map_err(ApiError::into_status)?;
        refused.map_or(Ok(admitted), Err)
    });
    Ok(admitted.collect())
}

/// Returns the user in whose name a request is made.
pub(crate) fn author<'a>(context: &'a Context, request: &'a Request) -> &'a User {
    let acting = context.acting.as_ref();
    acting.map_or(&request.options.user, |acting| &acting.user)
}

/// Admits a request by the roles only, and records that for the audit log.
pub(crate) fn permit<'a>(
    context: &'a Context,
    request: &'a Request,
) -> Result<Admitted<'a>, ApiError> {
    let permitted = authorized(context, request);
    // HTTP notes the decision itself, before the body of its request is read.
    if let Some(notes) = request
        .options
        .notes
        .as_ref()
        .filter(|_| context.audit.is_some())
    {
        let reason = permitted.as_ref().map_or("", |(_, reason)| reason);
        notes.authorized(permitted.is_ok(), reason);
    }
    permitted.map(|(admitted, _)| admitted)
}

/// Admits a request by the roles, with the reason. The only call of the authorization check.
fn authorized<'a>(
    context: &'a Context,
    request: &'a Request,
) -> Result<(Admitted<'a>, String), ApiError> {
    let mut reason = String::new();
    let acting = context.acting.as_ref();
    let user = author(context, request);
    let sender = acting.and_then(|acting| acting.sender.as_ref());
    // Controllers and most commands are the administrator: no role is read for them.
    if !access::is_master(user) || sender.is_some() {
        let name = match request.verb {
            // Roles cannot name an object that does not exist yet.
            Verb::Create(_) => "",
            _ => &request.name,
        };
        let access = AccessAttributes::Resource {
            verb: request.verb.name(),
            group: request.place.kind.group,
            resource: &resource(request),
            name,
        };
        let namespace = &request.place.namespace;
        if let Some(sender) = sender {
            impersonation::check(&*context.store, sender, &access, namespace)?;
        }
        reason = access::authorize(&*context.store, user, &access, namespace)?;
    }
    let verbs = request.place.kind.verbs;
    // The path of an object without a version.
    if request.place.kind.version.is_empty() {
        let text = "the server could not find the requested resource";
        return Err(Status {
            code: 404,
            reason: "NotFound",
            ..Status::bad_request(text)
        }
        .into());
    }
    let is_whole = request.verb.subresource().is_empty();
    let verb = request.verb.name();
    let has = |verb: &str| verbs.contains(&verb);
    // Reviews and bindings are only created, components are only read. The rules of a definition that is deleted refuse
    // new objects, with an error of their own.
    let checked_later = verb == "watch" || request.place.kind.custom.is_some() || has("create");
    if is_whole && !has(verb) && !(has("get") && checked_later) {
        return Err(not_allowed().into());
    }
    let admitted = Admitted {
        request,
        place: &request.place,
        name: &request.name,
        user,
        writer: &context.writer,
        on_a_copy: context.is_copy,
        without_accounts: context.without_accounts,
    };
    Ok((admitted, reason))
}

/// Returns the error for a method that the resource does not have.
fn not_allowed() -> Status {
    Status {
        code: 405,
        reason: "MethodNotAllowed",
        ..Status::bad_request("the server does not allow this method on the requested resource")
    }
}

/// Returns the reason if the author of an admitted apply may not create its object: an apply that creates needs both
/// rights.
pub(crate) fn refused_create(
    context: &Context,
    at: &Admitted<'_>,
) -> Result<Option<Status>, ApiError> {
    let access = AccessAttributes::Resource {
        verb: "create",
        group: at.place.kind.group,
        resource: &resource(at.request),
        name: at.name,
    };
    let verdict = access::may(&*context.store, at.user, &access, &at.place.namespace)?;
    let refused = || {
        let resource = at.place.kind.qualified_resource();
        Status::forbidden(&resource, at.name, &verdict.reason)
    };
    Ok((!verdict.allowed).then(refused))
}

/// Rejects a user's access to stored objects, which roles do not cover.
pub(crate) fn only_administrator(context: &Context) -> Result<(), StoreError> {
    match context.acting.as_ref().map(|acting| &acting.user) {
        Some(user) if !access::is_master(user) => Err(StoreError::Refused(format!(
            "only the administrator may access stored objects, not user {:?}",
            user.name
        ))),
        _ => Ok(()),
    }
}

/// Returns the user that a cluster acts as, or the administrator.
pub(crate) fn identity(context: &Context) -> &User {
    let acting = context.acting.as_ref();
    acting.map_or(&ADMINISTRATOR, |acting| &acting.user)
}

/// Returns the resource in the form of roles, such as `pods/log`.
fn resource(request: &Request) -> String {
    let plural = request.place.kind.plural;
    match request.verb.subresource() {
        "" => plural.to_owned(),
        part => format!("{plural}/{part}"),
    }
}

#[cfg(test)]
mod tests;
