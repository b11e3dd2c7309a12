//! Reading objects: get, list, changes.

use crate::api::json::Value;
use crate::context::Context;
use crate::entry::Admitted;
use crate::kinds::convert::convert;
use crate::kinds::{Kind, columns};
use crate::objects;
use crate::read::page;
use crate::read::select::Selection;
use crate::request::Place;
use crate::request::response::ApiError;
use crate::store::{Event, Key, Listing, Range, Revision, StoreError, Stored, VisitEvent};
use crate::sys::threads::{WORTH_A_THREAD, map};
use crate::webhooks::conversion;

/// The number of objects of a list that are read together.
pub(super) const READ_TOGETHER: usize = 1024;

/// The approximate size of a batch of changes, in bytes.
const PAGE: usize = 1 << 20;

/// The objects of a place at one revision.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_cluster::{List, Place};
///
/// # let cluster = ctl_cluster::Cluster::in_memory(
/// #     &ctl_cluster::Open::as_writer("example"),
/// #     ctl_cluster::Settings::new(ctl_sys::entropy::Seed(1)),
/// # );
/// # cluster.bootstrap()?;
/// let pods = Place::new(cluster.kind("pods")?, "default");
/// let web = json!({"metadata": {"name": "web"}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}});
/// cluster.create(&pods, &web, &Default::default())?;
/// let is_pending = |pod: &ctl_api::json::Value| pod["status"]["phase"] == "Pending";
/// let List { items, revision } = cluster.list(&pods, &is_pending, None)?;
/// assert!(items.len() == 1 && revision > 0);
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct List {
    /// The revision that the list shows.
    pub revision: Revision,
    /// The objects in the order of namespace and name.
    pub items: Vec<Value>,
}

/// A change of a watched object.
#[derive(Clone, Debug, PartialEq)]
pub enum WatchEvent {
    /// It was created, or began to match the watch.
    Added(Value),
    /// It changed.
    Modified(Value),
    /// The object was removed, or stopped to match the watch; its last state.
    Deleted(Value),
    /// No further change up to the resource version, which is the only content of this object.
    Bookmark(Value),
}

/// A part of a list. Its items are objects, or pieces of a list in an encoding of the caller.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<I = Value> {
    /// The revision that all parts of the list show.
    pub revision: Revision,
    /// The objects in the order of namespace and name.
    pub items: Vec<I>,
    /// The token of the next page; empty on the last one.
    pub continue_token: String,
    /// The number of objects after this page, if it is known without reading them.
    pub remaining: Option<u64>,
}

/// Returns true for the objects to include.
pub type ObjectFilter<'a> = &'a dyn Fn(&Value) -> bool;

/// Returns the object of an admitted request.
///
/// # Errors
/// The API's error if it does not exist.
pub(crate) fn get(context: &Context, at: &Admitted<'_>) -> Result<Value, ApiError> {
    stored_object(context, at.place(), at.name())
}

/// Returns an object that the server itself reads.
pub(crate) fn stored_object(
    context: &Context,
    place: &Place,
    name: &str,
) -> Result<Value, ApiError> {
    if let Some(standing) = place.kind.synthetic_objects() {
        let named = |object: &Value| objects::meta(object, "name") == name;
        let found = standing.into_iter().find(named);
        return found.ok_or_else(|| objects::not_found(place.kind, name));
    }
    let key = objects::key(place, name)?;
    let stored = context.store.get(&key)?;
    let stored = stored.ok_or_else(|| objects::not_found(place.kind, name))?;
    conversion::one(context, place.kind, objects::shown(&stored)?)
}

/// Returns the matching objects of a collection, now or at an earlier revision.
///
/// # Errors
/// Fails if the directory cannot be read, or the revision is no longer known.
pub(crate) fn list(
    context: &Context,
    admitted: &Admitted<'_>,
    wanted: ObjectFilter<'_>,
    at: Option<Revision>,
) -> Result<List, ApiError> {
    let place = admitted.place();
    let listing = stored_list(context, &objects::range(place), at)?;
    if let Some(mut items) = place.kind.synthetic_objects() {
        items.retain(|object| wanted(object));
        let revision = listing.revision;
        return Ok(List { revision, items });
    }
    let mut items = Vec::with_capacity(listing.items.len());
    // In parts, so that the trees of unmatched objects are freed before the next ones are read.
    for part in listing.items.chunks(READ_TOGETHER) {
        let objects = shown_all(context, place.kind, part)?;
        items.extend(objects.into_iter().filter(|object| wanted(object)));
    }
    Ok(List {
        revision: listing.revision,
        items,
    })
}

/// Maps each selected object of a place with `make`, in the order of namespace and name. `make`
/// receives the fields that [`columns::read_fields`] reads.
///
/// # Errors
/// Fails if the directory cannot be read.
pub(crate) fn map_fields<T>(
    context: &Context,
    at: &Admitted<'_>,
    selection: &Selection,
    make: &mut dyn FnMut(&Value) -> T,
) -> Result<Vec<T>, ApiError> {
    let place = at.place();
    if conversion::webhook(place.kind).is_some() || place.kind.synthetic_objects().is_some() {
        // A webhook needs the whole object, and must not be awaited while the store iterates over its objects.
        let all = list(context, at, &|object| selection.matches(object), None)?;
        return Ok(all.items.iter().map(make).collect());
    }
    let read = |key: &Key, revision, json: &[u8]| {
        let mut object = columns::read_fields(place.kind, json)
            .map_err(|e| StoreError::Refused(format!("{key} cannot be read: {e}")))?;
        objects::set_revision(&mut object, revision);
        convert(&mut object, place.kind);
        Ok(Some(object).filter(|object| selection.matches(object)))
    };
    let (mut made, mut failed): (Vec<(Key, T)>, Option<StoreError>) = (Vec::new(), None);
    context
        .store
        .visit(&objects::range(place), &mut |shown| match shown {
            VisitEvent::Object(key, revision, json) if selection.may_match(key, json) => {
                match read(key, revision, json) {
                    Ok(object) => made.extend(object.map(|o| (key.clone(), make(&o)))),
                    Err(e) => failed = Some(e),
                }
            }
            VisitEvent::Object(..) => {}
            // The store found hand edits among the objects and imported them: a list must not mix two revisions.
            VisitEvent::Again => {
                made.clear();
                failed = None;
            }
        })?;
    if let Some(e) = failed {
        return Err(e.into());
    }
    // The store visits in any order; lists are in the order of the keys.
    made.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(made.into_iter().map(|(_, made)| made).collect())
}

/// Returns stored objects at the version of a kind.
pub(super) fn shown_all(
    context: &Context,
    kind: &'static Kind,
    stored: &[Stored],
) -> Result<Vec<Value>, ApiError> {
    let by_webhook = conversion::webhook(kind).is_some();
    let read = map(stored, WORTH_A_THREAD, &|_, stored| match by_webhook {
        true => objects::shown(stored),
        false => objects::shown_as(kind, stored),
    });
    let objects = read.into_iter().collect::<Result<Vec<_>, _>>()?;
    match by_webhook {
        true => conversion::all(context, kind, objects),
        false => Ok(objects),
    }
}

/// Returns the objects of a place whose stored form contains a text, for the server itself.
pub(crate) fn stored_containing(
    context: &Context,
    place: &Place,
    wanted: &str,
) -> Result<Vec<Value>, ApiError> {
    // A search in the bytes, because most objects do not contain the text and need no tree then.
    let found = sifted(context, &objects::range(place), &|_, json| {
        std::str::from_utf8(json).is_ok_and(|text| text.contains(wanted))
    })?;
    let shown = found.items.iter();
    Ok(shown
        .map(|stored| objects::shown_as(place.kind, stored))
        .collect::<Result<_, _>>()?)
}

/// Returns the objects of a range whose stored form matches.
pub(super) fn sifted(
    context: &Context,
    range: &Range,
    wanted: &dyn Fn(&Key, &[u8]) -> bool,
) -> Result<Listing, StoreError> {
    let mut items = Vec::new();
    let revision = context.store.visit(range, &mut |shown| match shown {
        VisitEvent::Object(key, revision, json) if wanted(key, json) => {
            items.push(Stored {
                key: key.clone(),
                revision,
                json: json.into(),
            });
        }
        VisitEvent::Object(..) => {}
        VisitEvent::Again => items.clear(),
    })?;
    items.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(Listing { revision, items })
}

/// Returns the changes after a revision to objects of a selection, or the first part of very many, and the revision up
/// to which they are complete, for an admitted watch. An object that starts or stops to match is added or deleted.
///
/// # Errors
/// Kubernetes' 410 if they are no longer retained.
pub(crate) fn selected_changes(
    context: &Context,
    place: &Place,
    selection: &Selection,
    after: Revision,
) -> Result<(Vec<WatchEvent>, Revision), ApiError> {
    let events = context.store.events(&objects::range(place), after);
    let (events, revision) = events.map_err(|e| match e {
        StoreError::Gone { asked, oldest } => page::too_old(asked, oldest).into(),
        e => ApiError::from(e),
    })?;
    let mut out = Vec::new();
    let revision = paged(
        &events,
        |event| event,
        after..revision,
        |event| {
            out.extend(changed(context, place, selection, event)?);
            Ok(())
        },
    )?;
    Ok((out, revision))
}

/// Passes changes to `take` until they are very many. The changes are complete `between` two revisions.
/// Returns the revision up to which all were passed.
pub(crate) fn paged<T>(
    changes: &[T],
    event: impl Fn(&T) -> &Event,
    between: std::ops::Range<Revision>,
    mut take: impl FnMut(&T) -> Result<(), ApiError>,
) -> Result<Revision, ApiError> {
    let (mut bytes, mut last) = (0, between.start);
    for change in changes {
        let event = event(change);
        // The changes of a commit belong together, so a page ends only between commits.
        if bytes > PAGE && event.revision > last {
            return Ok(last);
        }
        bytes += event.after.as_ref().map_or(0, |json| json.len());
        last = event.revision;
        take(change)?;
    }
    Ok(between.end)
}

/// Returns the changes after a revision to matching objects, and the revision up to which they are complete. An object
/// that starts or stops to match is added or deleted. Each call continues one watch, so no fault rule applies.
///
/// # Errors
/// Kubernetes' 403, or the changes are no longer retained.
pub(crate) fn changes(
    context: &Context,
    at: &Admitted<'_>,
    wanted: ObjectFilter<'_>,
    after: Revision,
) -> Result<(Vec<WatchEvent>, Revision), ApiError> {
    let place = at.place();
    let (events, revision) = context.store.events(&objects::range(place), after)?;
    let mut out = Vec::new();
    for event in events {
        let shown = |json: &[u8]| -> Result<Value, ApiError> {
            let object = objects::with_revision(json, event.revision, &event.key)?;
            conversion::one(context, place.kind, object)
        };
        let before = event
            .before
            .as_ref()
            .map(|(_, json)| shown(json))
            .transpose()?;
        let after = event.after.as_deref().map(shown).transpose()?;
        let (was, is) = (before.filter(|o| wanted(o)), after.filter(|o| wanted(o)));
        out.extend(match (was, is) {
            (None, Some(object)) => Some(WatchEvent::Added(object)),
            (Some(_), Some(object)) => Some(WatchEvent::Modified(object)),
            (Some(object), None) => Some(WatchEvent::Deleted(object)),
            (None, None) => None,
        });
    }
    Ok((out, revision))
}

/// Returns an object's namespace and name, as its key has them.
pub(super) fn below(key: &Key) -> &str {
    key.as_str().split_once('/').map_or("", |(_, below)| below)
}

/// Returns the event for a watcher of a selection.
pub(crate) fn changed(
    context: &Context,
    place: &Place,
    selection: &Selection,
    event: &Event,
) -> Result<Option<WatchEvent>, ApiError> {
    let shown = |json: &[u8]| -> Result<Option<Value>, ApiError> {
        if !selection.may_match(&event.key, json) {
            return Ok(None);
        }
        let object = objects::with_revision(json, event.revision, &event.key)?;
        let object = conversion::one(context, place.kind, object)?;
        Ok(Some(object).filter(|object| selection.matches(object)))
    };
    let is = event.after.as_deref().map(shown).transpose()?.flatten();
    let before = event.before.as_ref().map(|(_, json)| &**json);
    let all = selection.is_everything();
    Ok(match (before, is) {
        (None, is) => is.map(WatchEvent::Added),
        // The old version is only read if the selectors need it.
        (Some(_), Some(object)) if all => Some(WatchEvent::Modified(object)),
        (Some(before), is) => match (shown(before)?, is) {
            (Some(_), Some(object)) => Some(WatchEvent::Modified(object)),
            (None, Some(object)) => Some(WatchEvent::Added(object)),
            (Some(object), None) => Some(WatchEvent::Deleted(object)),
            (None, None) => None,
        },
    })
}

/// Returns the stored objects of a range, now or at an earlier revision.
pub(crate) fn stored_list(
    context: &Context,
    range: &Range,
    at: Option<Revision>,
) -> Result<Listing, StoreError> {
    match at {
        Some(revision) => context.store.list_at(range, revision),
        None => context.store.list(range),
    }
}

#[cfg(test)]
mod tests {
    use crate::read::page::ListOptions;
    use crate::request::options::WriteOptions;
    use crate::testing::{fresh, place};

    #[test]
    fn components_of_the_control_plane_are_healthy() {
        let cluster = fresh();
        let components = place("componentstatuses");
        let page = cluster
            .select(&components, &ListOptions::default())
            .unwrap();
        let names: Vec<&str> = page
            .items
            .iter()
            .map(|object| object["metadata"]["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["scheduler", "controller-manager", "etcd-0"]);
        let etcd = cluster.get(&components, "etcd-0").unwrap();
        assert_eq!(etcd["conditions"][0]["message"], "ok");
        let missing = cluster.get(&components, "etcd-1").unwrap_err();
        assert_eq!(missing.status().unwrap().reason, "NotFound");
        let refused = cluster.create(&components, &etcd, &WriteOptions::default());
        let refused = refused.unwrap_err();
        assert_eq!(refused.status().unwrap().reason, "MethodNotAllowed");
    }
}
