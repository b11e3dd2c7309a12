//! The objects of a kind and the changes of many kinds at once, for informers.

use std::collections::HashMap;

use crate::api::json::Value;
use crate::context::Context;
use crate::entry::Admitted;
use crate::kinds::Kind;
use crate::kinds::convert::{convert, stored_as};
use crate::objects;
use crate::read::list::{self, List};
use crate::request::response::ApiError;
use crate::store::{Range, Revision};
use crate::webhooks::conversion;

/// A change of an object of one of several kinds.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// The kind.
    pub kind: &'static Kind,
    /// The namespace; empty for cluster-scoped objects.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The revision of the change.
    pub revision: Revision,
    /// The object after the change; `None` if it was removed.
    pub object: Option<Value>,
}

/// Returns all objects of a kind. Those at the stored version of their kind are not sent to a conversion webhook, as in
/// [`changes_of`]: a webhook that is down must not stop an informer of many kinds.
///
/// # Errors
/// Fails if the directory cannot be read.
pub(crate) fn objects_of(context: &Context, admitted: &Admitted<'_>) -> Result<List, ApiError> {
    let place = admitted.place();
    let is_stored = std::ptr::eq(stored_as(place.kind), place.kind);
    if !is_stored || conversion::webhook(place.kind).is_none() {
        return list::list(context, admitted, &|_| true, None);
    }
    let listing = list::stored_list(context, &objects::range(place), None)?;
    let shown = listing.items.iter();
    let shown = shown.map(|stored| objects::shown_as(place.kind, stored));
    Ok(List {
        revision: listing.revision,
        items: shown.collect::<Result<_, _>>()?,
    })
}

/// Returns the changes after a revision to objects of some kinds, in order, and the revision up to which they are
/// complete.
///
/// # Errors
/// Fails if they are no longer retained.
pub(crate) fn changes_of(
    context: &Context,
    admitted: &[Admitted<'_>],
    after: Revision,
) -> Result<(Vec<Changed>, Revision), ApiError> {
    let resources: HashMap<String, &'static Kind> = admitted
        .iter()
        .map(|at| at.place().kind)
        .map(|kind| (stored_as(kind).qualified_resource(), kind))
        .collect();
    // One pass over the changes serves all kinds and keeps their common order, which a pass per kind would lose.
    let (events, revision) = context.store.events(&Range::all(), after)?;
    let mut changes = Vec::new();
    for event in events {
        let Some(kind) = resources.get(event.key.resource()) else {
            continue;
        };
        let shown = |json: &[u8]| -> Result<Value, ApiError> {
            let mut object = objects::with_revision(json, event.revision, &event.key)?;
            convert(&mut object, kind);
            Ok(object)
        };
        changes.push(Changed {
            kind,
            namespace: event.key.namespace().unwrap_or_default().to_owned(),
            name: event.key.name().to_owned(),
            revision: event.revision,
            object: event.after.as_deref().map(shown).transpose()?,
        });
    }
    Ok((changes, revision))
}

/// Returns true if the objects of a kind are stored as another kind.
pub(crate) fn is_view(kind: &'static Kind) -> bool {
    let stored = stored_as(kind);
    // `Event` of events.k8s.io is the core `Event`: an informer of both would count each object twice.
    (stored.group, stored.kind) != (kind.group, kind.kind)
}
