//! Objects and changes as informers and tables read them: several kinds at once, or only a part of each object.

use crate::access;
use crate::api::json::Value;
use crate::cluster::Cluster;
use crate::context::Context;
use crate::entry;
use crate::kinds::Kind;
use crate::kinds::admission::User;
use crate::kinds::convert::stored_as;
use crate::kinds::custom::conversion::webhook;
use crate::read::informer::{self, Changed, is_view};
use crate::read::list::{self, List, ObjectFilter, Page, WatchEvent};
use crate::read::page::ListOptions;
use crate::read::recent::Follower;
use crate::read::select::Selection;
use crate::read::selected::{self, Encode, Room};
use crate::request::response::ApiError;
use crate::request::{Place, Request, Verb};
use crate::store::Revision;

/// The feed of a cluster, for informers and tables.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_cluster::{Changed, Feed, Place};
///
/// # let cluster = ctl_cluster::Cluster::in_memory(
/// #     &ctl_cluster::Open::as_writer("example"),
/// #     ctl_cluster::Settings::new(ctl_sys::entropy::Seed(1)),
/// # );
/// # cluster.bootstrap()?;
/// let pods = Place::new(cluster.kind("pods")?, "default");
/// let web = json!({"metadata": {"name": "web"}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}});
/// let before = cluster.stored().revision()?;
/// cluster.create(&pods, &web, &Default::default())?;
/// let feed: Feed<'_> = cluster.feed();
/// let (changes, _) = feed.changes_of(&[pods.kind], before)?;
/// let created: &Changed = &changes[0];
/// assert!(created.name == "web" && created.object.is_some());
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Feed<'c>(pub(super) &'c Cluster);

impl<'c> Feed<'c> {
    /// Reads the changes from now on into memory, for all watches of the cluster.
    pub fn follower(&self) -> Follower<'c> {
        Follower::new(&self.0.context)
    }

    /// Returns true if a user's read of one object is unlikely to wait: no commit of this process is under way, no
    /// roles have to be read, no fault is injected, and nothing is logged.
    pub fn is_prompt(&self, user: &User) -> bool {
        let Context { store, audit, .. } = &self.0.context;
        let is_free = access::is_master(user) && audit.is_none() && store.is_idle();
        is_free && store.faults().is_empty()
    }

    /// Returns the objects of a place that the options select, or a page of them, after reserving the memory for them if
    /// there is a `room`.
    ///
    /// # Errors
    /// The API's error if the options are invalid, the revision is not known, or there is not enough memory.
    pub fn select(
        &self,
        place: &Place,
        options: &ListOptions,
        room: Option<Room<'_>>,
    ) -> Result<Page, ApiError> {
        let request = Request::new(place.clone(), options.only_name(), Verb::List);
        self.0.admitted(&request, |at| {
            selected::select(&self.0.context, &at, options, room)
        })
    }

    /// Returns the objects as [`Feed::select`] does, in pieces that `encode` has written, without a tree of each.
    ///
    /// # Errors
    /// As those of [`Feed::select`].
    pub fn select_encoded(
        &self,
        place: &Place,
        options: &ListOptions,
        encode: Encode<'_>,
        room: Option<Room<'_>>,
    ) -> Result<Page<Vec<u8>>, ApiError> {
        let request = Request::new(place.clone(), options.only_name(), Verb::List);
        self.0.admitted(&request, |at| {
            selected::select_encoded(&self.0.context, &at, options, encode, room)
        })
    }

    /// Returns the kinds that can be listed and watched now, each at its preferred version, or at the stored one if a
    /// webhook converts between versions.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub fn watchable(&self) -> Result<Vec<&'static Kind>, ApiError> {
        let kinds = self.0.kinds()?;
        let own = |k: &&'static Kind| k.served && k.verbs.contains(&"watch") && !is_view(k);
        // A failing webhook must not block the controllers of other kinds.
        let calm = |kind: &'static Kind| match webhook(kind) {
            Some(_) => stored_as(kind),
            None => kind,
        };
        Ok(kinds.preferred().filter(own).map(calm).collect())
    }

    /// Returns the objects of a place for an informer. Objects of a kind at its stored version are read without its
    /// conversion webhook: one that was stored at an earlier version has its metadata, and only those fields that both
    /// versions have.
    ///
    /// # Errors
    /// Kubernetes' 403, or the directory cannot be read.
    pub fn objects_of(&self, place: &Place) -> Result<List, ApiError> {
        let request = Request::new(place.clone(), "", Verb::List);
        self.0
            .admitted(&request, |at| informer::objects_of(&self.0.context, &at))
    }

    /// Maps each selected object of a place with `make`, in the order of namespace and name. `make`
    /// receives the fields that [`crate::kinds::columns::read_fields`] reads.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub fn map_fields<T>(
        &self,
        place: &Place,
        selection: &Selection,
        make: &mut dyn FnMut(&Value) -> T,
    ) -> Result<Vec<T>, ApiError> {
        self.0
            .admitted(&Request::new(place.clone(), "", Verb::List), |at| {
                list::map_fields(&self.0.context, &at, selection, make)
            })
    }

    /// Returns the objects of a place whose stored form contains a text. The server itself reads them, so neither
    /// rights nor fault rules apply.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub fn containing(&self, place: &Place, text: &str) -> Result<Vec<Value>, ApiError> {
        list::stored_containing(&self.0.context, place, text)
    }

    /// Returns the changes after a revision to matching objects, and the revision up to which they are complete. An
    /// object that starts or stops to match is added or deleted. Each call resumes one watch, so no fault rule applies.
    ///
    /// # Errors
    /// Kubernetes' 403, or the changes are no longer retained.
    pub fn changes(
        &self,
        place: &Place,
        wanted: ObjectFilter<'_>,
        after: Revision,
    ) -> Result<(Vec<WatchEvent>, Revision), ApiError> {
        self.0
            .admitted(&Request::new(place.clone(), "", Verb::Resume), |at| {
                list::changes(&self.0.context, &at, wanted, after)
            })
    }

    /// Returns the changes after a revision to objects of some kinds, in order, and the revision up to which they are
    /// complete.
    ///
    /// # Errors
    /// Kubernetes' 403, or the changes are no longer retained.
    pub fn changes_of(
        &self,
        kinds: &[&'static Kind],
        after: Revision,
    ) -> Result<(Vec<Changed>, Revision), ApiError> {
        // One request for each kind, because a role that lacks one of the kinds must reject the watch.
        let resume = |kind: &&'static Kind| Request::new(Place::new(kind, ""), "", Verb::Resume);
        let requests: Vec<Request> = kinds.iter().map(resume).collect();
        let admitted: Result<Vec<_>, _> = requests
            .iter()
            .map(|request| entry::admit(&self.0.context, request))
            .collect();
        informer::changes_of(&self.0.context, &admitted?, after)
    }
}
