//! Watching objects: the existing ones, then every change, in order and without gaps.

use std::time::Duration;

use crate::api::json::{Value, json};
use crate::context::Context;
use crate::entry::Admitted;
use crate::kinds::convert::stored_as;
use crate::kinds::schema;
use crate::objects;
use crate::read::list::WatchEvent;
use crate::read::list::{changed, paged, selected_changes, stored_list};
use crate::read::page;
use crate::read::page::ListOptions;
use crate::read::recent::RecentChange;
use crate::read::select::Selection;
use crate::request::Place;
use crate::request::response::ApiError;
use crate::store::{Listing, Range, Revision, StoreError, Stored};
use crate::webhooks::conversion;

/// The size of changes, in bytes, from which decoding them takes milliseconds.
const LARGE: usize = 256 << 10;

/// The annotation of the bookmark that ends the existing objects.
const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// A watch on a selection of a place's objects.
///
/// ```
/// use std::time::Duration;
///
/// use ctl_api::json::json;
/// use ctl_cluster::{ListOptions, Place, WatchEvent, Watching};
///
/// # let cluster = ctl_cluster::Cluster::in_memory(
/// #     &ctl_cluster::Open::as_writer("example"),
/// #     ctl_cluster::Settings::new(ctl_sys::entropy::Seed(1)),
/// # );
/// # cluster.bootstrap()?;
/// let pods = Place::new(cluster.kind("pods")?, "default");
/// let web = json!({"metadata": {"name": "web"}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}});
/// let mut watching: Watching = cluster.watch(&pods, &ListOptions::default())?;
/// cluster.create(&pods, &web, &Default::default())?;
/// let events = watching.next(Duration::from_secs(1))?;
/// assert!(matches!(&events[0], WatchEvent::Added(pod) if pod["metadata"]["name"] == "web"));
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Debug)]
pub struct Watching {
    context: Context,
    place: Place,
    selection: Selection,
    /// The keys of the place's objects, and the resource in them.
    range: Range,
    resource: String,
    /// The revision of the cluster at the request.
    opened: Revision,
    /// The revision up to which all changes were returned; `None` before the existing objects were.
    at: Option<Revision>,
    /// The start of the recent changes to which that revision belongs; `None` before the store was read.
    starts: Option<u64>,
    /// True if a bookmark ends the existing objects.
    marks_end: bool,
}

/// Watches the selected objects: after the resource version of the options, or from the current state if they name
/// none.
///
/// # Errors
/// The API's error if the options are invalid.
pub(crate) fn watch(
    context: &Context,
    at: &Admitted<'_>,
    options: &ListOptions,
) -> Result<Watching, ApiError> {
    let place = at.place();
    let selection = Selection::parse(place.kind, &options.labels, &options.fields)?;
    options.check_watch()?;
    let mut after = options.after()?;
    let current = context.store.revision()?;
    match after {
        // There is one store and no cache that could lag behind it, so waiting for such a revision would be useless.
        Some(asked) if asked > current => {
            return Err(page::too_large(asked, current).into());
        }
        // `sendInitialEvents=false` without a version: only changes from now on.
        Some(0) => after = Some(current),
        _ => {}
    }
    Ok(Watching {
        // Its own, so that a server need not keep a thread for each watch that borrows the cluster.
        context: context.clone(),
        place: place.clone(),
        selection,
        range: objects::range(place),
        resource: stored_as(place.kind).qualified_resource(),
        opened: current,
        at: after,
        starts: None,
        marks_end: options.send_initial_events == Some(true),
    })
}

impl Watching {
    /// Waits until something may have happened since the last call, for at most `timeout`.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn wait(&self, timeout: Duration) -> Result<(), ApiError> {
        if let Some(at) = self.at {
            self.context.store.wait(at, timeout)?;
        }
        Ok(())
    }

    /// Returns the changes since the last call, or the first part of very many; waits for them for at most `timeout`.
    ///
    /// # Errors
    /// Kubernetes' 410 if changes in between are no longer retained: the watch has ended.
    pub fn next(&mut self, timeout: Duration) -> Result<Vec<WatchEvent>, ApiError> {
        let Some(at) = self.at else {
            return self.begin();
        };
        self.context.store.wait(at, timeout)?;
        // Before the store is read, which may be that of another history by the next call.
        self.starts = Some(self.context.recent.starts());
        let (events, revision) = selected_changes(&self.context, &self.place, &self.selection, at)?;
        // Advances even without matching events, so that the next call does not scan the same changes again.
        self.at = Some(revision.max(at));
        Ok(events)
    }

    /// Appends the changes since the last call, or the first part of very many, to `out`, if a follower has them in
    /// memory; returns false if only [`Watching::next`] knows them. `encode` appends one event. Watches of everything
    /// share the encoding of a `form`. Large work is done only if the call `may_block`.
    ///
    /// # Errors
    /// A change cannot be read.
    pub fn recent(
        &mut self,
        may_block: bool,
        form: Option<&'static str>,
        out: &mut Vec<u8>,
        encode: &mut dyn FnMut(WatchEvent, &mut Vec<u8>),
    ) -> Result<bool, ApiError> {
        let (Some(at), Some(starts)) = (self.at, self.starts) else {
            return Ok(false);
        };
        let recent = &self.context.recent;
        let Some((changes, until)) = recent.after(&self.resource, &self.range, (starts, at)) else {
            return Ok(false);
        };
        let is_large = || changes.iter().map(|c| c.length()).sum::<usize>() > LARGE;
        // A webhook replies over the network.
        let is_remote = || !changes.is_empty() && conversion::webhook(self.place.kind).is_some();
        if !may_block && (is_large() || is_remote()) {
            return Ok(false);
        }
        let form = form.filter(|_| self.selection.is_everything());
        let event = |change: &RecentChange| {
            changed(&self.context, &self.place, &self.selection, &change.event)
        };
        let until = paged(
            &changes,
            |change| &change.event,
            at..until,
            |change| {
                let Some(form) = form else {
                    event(change)?
                        .into_iter()
                        .for_each(|event| encode(event, out));
                    return Ok(());
                };
                let shared = change.form(self.place.kind, form, || {
                    let mut bytes = Vec::new();
                    event(change)?
                        .into_iter()
                        .for_each(|event| encode(event, &mut bytes));
                    Ok::<_, ApiError>(bytes)
                })?;
                out.extend_from_slice(&shared);
                Ok(())
            },
        )?;
        self.at = Some(until);
        Ok(true)
    }

    /// Returns the resource of the watched objects, with its group after a dot if it has one.
    pub fn resource(&self) -> &str {
        &self.resource
    }

    /// Returns the revision up to which all changes were returned.
    pub fn revision(&self) -> Revision {
        self.at.unwrap_or(0)
    }

    /// Returns a bookmark: an event with only the revision up to which all changes were returned.
    pub fn bookmark(&self) -> WatchEvent {
        let kind = self.place.kind;
        // client-go decodes a bookmark as an object of the kind, so it has the fields that are always present.
        let known = match kind.custom {
            Some(_) => None,
            None => schema::of_kind(kind.group, kind.version, kind.kind),
        };
        let mut object = known.map_or_else(|| json!({"metadata": {}}), |s| s.empty().clone());
        object["apiVersion"] = json!(kind.api_version());
        object["kind"] = json!(kind.kind);
        objects::set_revision(&mut object, self.revision());
        WatchEvent::Bookmark(object)
    }

    fn begin(&mut self) -> Result<Vec<WatchEvent>, ApiError> {
        self.starts = Some(self.context.recent.starts());
        let present = stored_list(&self.context, &self.range, None)?;
        let newest = present.revision;
        let listing = self.state_at_request(present)?;
        let may_match = |stored: &&Stored| self.selection.may_match(&stored.key, &stored.json);
        let objects = listing.items.iter().filter(may_match).map(objects::shown);
        let objects = conversion::all(
            &self.context,
            self.place.kind,
            objects.collect::<Result<_, _>>()?,
        )?;
        let selected = objects
            .into_iter()
            .filter(|object| self.selection.matches(object));
        let mut events: Vec<_> = selected.map(WatchEvent::Added).collect();
        let at = listing.revision;
        self.at = Some(at);
        if self.marks_end
            && let WatchEvent::Bookmark(mut mark) = self.bookmark()
        {
            mark["metadata"]["annotations"] = Value::Object(
                [(INITIAL_EVENTS_END.to_owned(), json!("true"))]
                    .into_iter()
                    .collect(),
            );
            events.push(WatchEvent::Bookmark(mark));
        }
        // Read here, because nothing may wake the reader for changes that precede its first wait.
        if newest > at {
            let (later, until) = selected_changes(&self.context, &self.place, &self.selection, at)?;
            events.extend(later);
            self.at = Some(until.max(at));
        }
        Ok(events)
    }

    /// Returns the state at the request if it is retained: a client that writes as soon as the watch is open expects an
    /// event for each write. Otherwise returns the present state.
    fn state_at_request(&self, present: Listing) -> Result<Listing, ApiError> {
        if present.revision <= self.opened {
            return Ok(present);
        }
        match stored_list(&self.context, &self.range, Some(self.opened)) {
            Err(StoreError::Gone { .. }) => Ok(present),
            then => Ok(then?),
        }
    }
}

#[cfg(test)]
mod tests;
