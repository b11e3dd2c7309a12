//! Lists of clients: selected objects, whole or in pages, as trees or in an encoding, within the memory of the server.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::ops::ControlFlow;

use jiff::SignedDuration;

use crate::api::json::{Value, to_bytes};
use crate::api::status::Status;
use crate::context::Context;
use crate::entry::Admitted;
use crate::kinds::Kind;
use crate::objects;
use crate::read::list::{Page, READ_TOGETHER, below, shown_all, sifted, stored_list};
use crate::read::page::{self, ListOptions, ListRevision, Token};
use crate::read::select::Selection;
use crate::request::Place;
use crate::request::response::ApiError;
use crate::store::{HistoryQuery, Key, Listing, Range, StoreError, Stored};
use crate::sys::threads::map;
use crate::webhooks::conversion;

/// The memory of a server for lists.
pub trait Memory: fmt::Debug + Sync {
    /// Reserves bytes for the rest of the request, and may wait for other requests to free some if `waits`.
    ///
    /// # Errors
    /// The error of the request: there is not enough memory.
    fn reserve(&self, bytes: usize, waits: bool) -> Result<(), ApiError>;
}

/// Reserves the memory for a list before it is built.
///
/// ```
/// use ctl_cluster::{ApiError, ListOptions, Memory, Page, Place, Room};
///
/// #[derive(Debug)]
/// struct Unlimited;
///
/// impl Memory for Unlimited {
///     fn reserve(&self, _bytes: usize, _waits: bool) -> Result<(), ApiError> {
///         Ok(())
///     }
/// }
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let namespaces = Place::new(cluster.kind("namespaces")?, "");
/// let room = Room { memory: &Unlimited, per_byte: 5 };
/// let page: Page = cluster.feed().select(&namespaces, &ListOptions::default(), Some(room))?;
/// assert!(!page.items.is_empty());
/// # Ok::<(), ApiError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Room<'a> {
    /// The memory.
    pub memory: &'a dyn Memory,
    /// The bytes that a list needs for each byte of its stored objects, apart from a copy of these.
    pub per_byte: usize,
}

/// The room of a list while it is read.
struct Reserved<'a> {
    room: Option<Room<'a>>,
    /// The stored bytes that are paid for in advance.
    credit: Cell<usize>,
}

impl<'a> Reserved<'a> {
    fn new(room: Option<Room<'a>>) -> Self {
        Self {
            room,
            credit: Cell::new(0),
        }
    }

    /// Reserves memory before objects are copied from the store, and with `and_rest` for everything that is made of
    /// them.
    fn copy(&self, bytes: usize, and_rest: bool, waits: bool) -> Result<(), ApiError> {
        // Programs that open the cluster themselves have no limit.
        let Some(Room { memory, per_byte }) = self.room else {
            return Ok(());
        };
        if !and_rest {
            return memory.reserve(bytes, waits);
        }
        // At once, because lists that hold a part and wait for another one would wait for each other.
        memory.reserve(bytes.saturating_mul(1 + per_byte), waits)?;
        self.credit.set(self.credit.get() + bytes);
        Ok(())
    }

    /// Reserves memory for what is made of stored objects.
    fn make(&self, stored: &[Stored]) -> Result<(), ApiError> {
        let Some(Room { memory, per_byte }) = self.room else {
            return Ok(());
        };
        let bytes: usize = stored.iter().map(|stored| stored.json.len()).sum();
        // A list at an earlier revision may be larger than the current objects, which were counted.
        let paid = self.credit.get().min(bytes);
        self.credit.set(self.credit.get() - paid);
        memory.reserve((bytes - paid).saturating_mul(per_byte), true)
    }
}

/// Returns the objects of a place that the options select, or a page of them.
///
/// # Errors
/// The API's error if the options are invalid, or the revision is not known.
pub(crate) fn select(
    context: &Context,
    at: &Admitted<'_>,
    options: &ListOptions,
    room: Option<Room<'_>>,
) -> Result<Page, ApiError> {
    page_of(context, at.place(), options, room, &|selection, found| {
        let mut objects = match found {
            PlaceObjects::Stored(stored) => shown_all(context, at.place().kind, stored)?,
            PlaceObjects::Standing(objects) => objects,
        };
        objects.retain(|object| selection.matches(object));
        Ok((objects.len(), objects))
    })
}

/// Returns the same objects in pieces that `encode` has written.
///
/// # Errors
/// As those of [`select`].
pub(crate) fn select_encoded(
    context: &Context,
    at: &Admitted<'_>,
    options: &ListOptions,
    encode: Encode<'_>,
    room: Option<Room<'_>>,
) -> Result<Page<Vec<u8>>, ApiError> {
    page_of(context, at.place(), options, room, &|selection, found| {
        let stored = match found {
            PlaceObjects::Stored(stored) => stored,
            PlaceObjects::Standing(mut objects) => {
                objects.retain(|object| selection.matches(object));
                let mut piece = Vec::new();
                for object in &objects {
                    let odd = || StoreError::Refused("an object is not JSON".to_owned());
                    encode(&to_bytes(object, &[]), &mut piece).ok_or_else(odd)?;
                }
                return Ok((objects.len(), vec![piece]));
            }
        };
        encoded(context, at.place().kind, selection, stored, encode)
    })
}

/// Appends an object, given its JSON, to a piece of a list; returns `None` if the text is not JSON.
pub type Encode<'a> = &'a (dyn Fn(&[u8], &mut Vec<u8>) -> Option<()> + Sync);

/// The objects of a place.
enum PlaceObjects<'a> {
    Stored(&'a [Stored]),
    /// They always exist and are not stored.
    Standing(Vec<Value>),
}

/// Reads the selected ones among the objects; returns their number, and the items that show them.
type Read<'a, I> = &'a dyn Fn(&Selection, PlaceObjects<'_>) -> Result<(usize, Vec<I>), ApiError>;

/// Returns the token of the page that a client wants, if it is not the first.
fn token_of(options: &ListOptions) -> Result<Option<Token>, Status> {
    let token = match options.continue_token.as_str() {
        "" => return Ok(None),
        text => Token::decode(text)?,
    };
    // As in kube-apiserver: the token contains the revision, and a second one could contradict it.
    if !matches!(options.resource_version.as_str(), "" | "0") {
        let why = "specifying resource version is not allowed when using continue";
        return Err(Status::bad_request(why));
    }
    Ok(Some(token))
}

fn page_of<I>(
    context: &Context,
    place: &Place,
    options: &ListOptions,
    room: Option<Room<'_>>,
    read: Read<'_, I>,
) -> Result<Page<I>, ApiError> {
    let selection = Selection::parse(place.kind, &options.labels, &options.fields)?;
    options.check_list()?;
    let token = token_of(options)?;
    let reserved = Reserved::new(room);
    let scope = Scope {
        selection: &selection,
        options,
        token: token.as_ref(),
    };
    let listing = listed(context, place, scope, &reserved)?;
    if let Some(objects) = place.kind.synthetic_objects() {
        let (_, items) = read(&selection, PlaceObjects::Standing(objects))?;
        return Ok(Page {
            revision: listing.revision,
            items,
            continue_token: String::new(),
            remaining: None,
        });
    }
    let after = token.as_ref().map_or("", |token| token.after.as_str());
    let limit = usize::try_from(options.limit).unwrap_or(0);
    // The list is sorted, so a page starts after the last key of the previous page even if that object is deleted.
    let begin = listing.items.partition_point(|i| below(&i.key) <= after);
    let (mut items, mut found, mut seen, mut last) = (Vec::new(), 0, begin, "");
    let mut rest = &listing.items[begin..];
    if limit == 0 {
        reserved.make(rest)?;
    }
    while !rest.is_empty() && (limit == 0 || found < limit) {
        // At most as many as the page still has room for, so that none is read in vain.
        let size = if limit > 0 {
            limit - found
        } else {
            READ_TOGETHER
        };
        let (part, behind) = rest.split_at(size.min(rest.len()));
        if limit > 0 {
            reserved.make(part)?;
        }
        let may_match = |stored: &&Stored| selection.may_match(&stored.key, &stored.json);
        let (count, read) = match selection.is_everything() {
            true => read(&selection, PlaceObjects::Stored(part))?,
            false => {
                let stored: Vec<Stored> = part.iter().filter(may_match).cloned().collect();
                read(&selection, PlaceObjects::Stored(&stored))?
            }
        };
        found += count;
        items.extend(read);
        last = part.last().map_or(last, |stored| below(&stored.key));
        seen += part.len();
        rest = behind;
    }
    let left = listing.items.len() - seen;
    let next = Token {
        revision: Some(listing.revision),
        after: last.to_owned(),
    };
    // kube-apiserver omits `remainingItemCount` if there is a selector, because counting would read every object.
    let known = left > 0 && selection.is_everything();
    Ok(Page {
        revision: listing.revision,
        items,
        continue_token: if left > 0 {
            next.encode()
        } else {
            String::new()
        },
        remaining: known.then_some(left as u64),
    })
}

/// The number of objects of a piece.
const PIECE: usize = 64;

/// Returns the number of selected objects, and the pieces that `encode` has written for them.
fn encoded(
    context: &Context,
    kind: &'static Kind,
    selection: &Selection,
    stored: &[Stored],
    encode: Encode<'_>,
) -> Result<(usize, Vec<Vec<u8>>), ApiError> {
    let has_trees = !selection.is_everything() || conversion::webhook(kind).is_some();
    let version = kind.api_version();
    let pieces: Vec<&[Stored]> = stored.chunks(PIECE).collect();
    // From two pieces on, a second thread pays for its handover.
    let made = map(&pieces, 2, &|_,
                                 part|
     -> Result<(usize, Vec<u8>), ApiError> {
        let size: usize = part.iter().map(|stored| stored.json.len() + 64).sum();
        let (mut count, mut out) = (0, Vec::with_capacity(size));
        let mut put = |key: &Key, json: &[u8]| {
            count += 1;
            let odd = || StoreError::Refused(format!("{key} cannot be read: it is not JSON"));
            encode(json, &mut out).ok_or_else(odd)
        };
        if has_trees {
            let objects = shown_all(context, kind, part)?;
            for (stored, object) in part.iter().zip(&objects) {
                if selection.matches(object) {
                    put(&stored.key, &to_bytes(object, &[]))?;
                }
            }
        } else {
            let mut json = Vec::new();
            for stored in *part {
                json.clear();
                objects::write_as(kind, &version, stored, &mut json)?;
                put(&stored.key, &json)?;
            }
        }
        Ok((count, out))
    });
    let made = made.into_iter().collect::<Result<Vec<_>, _>>()?;
    let count = made.iter().map(|(count, _)| count).sum();
    Ok((count, made.into_iter().map(|(_, piece)| piece).collect()))
}

/// The scope of a list.
#[derive(Clone, Copy)]
struct Scope<'a> {
    selection: &'a Selection,
    options: &'a ListOptions,
    token: Option<&'a Token>,
}

/// Returns the stored objects for a list. Objects that certainly do not match may be missing, unless the list is paged.
fn listed(
    context: &Context,
    place: &Place,
    scope: Scope<'_>,
    reserved: &Reserved<'_>,
) -> Result<Listing, ApiError> {
    let Scope {
        selection,
        options,
        token,
    } = scope;
    let range = objects::range(place);
    // A token without a revision continues at the newest state; a client gets it with `410 Gone`.
    let at = match token {
        Some(Token { revision, .. }) => {
            revision.map_or(ListRevision::Newest(0), ListRevision::Exactly)
        }
        None => options.at()?,
    };
    let exactly = match at {
        ListRevision::Exactly(revision) => Some(revision),
        ListRevision::Newest(_) => None,
    };
    if let Some(token) = token
        && is_compacted(context, token)?
    {
        return Err(page::expired_token(token).into());
    }
    // A page counts the objects after it, so only a whole list may omit any.
    let whole = options.limit <= 0 && token.is_none();
    let listing = if exactly.is_none() && whole && !selection.is_everything() {
        picked(context, &range, selection, reserved)?
    } else {
        // The count walks the index, so it is left out for those who need none.
        if reserved.room.is_some() {
            let copied = context.store.copied(&range)?;
            reserved.copy(copied, options.limit <= 0, true)?;
        }
        stored_list(context, &range, exactly).map_err(|e| match e {
            StoreError::Gone { .. } => match token {
                Some(token) => page::expired_token(token).into(),
                None => page::expired().into(),
            },
            StoreError::Future { asked, current } => page::too_large(asked, current).into(),
            e => ApiError::from(e),
        })?
    };
    // The real server waits up to three seconds for the revision; here it can only be a mistake.
    match at {
        ListRevision::Newest(asked) if asked > listing.revision => {
            Err(page::too_large(asked, listing.revision).into())
        }
        _ => Ok(listing),
    }
}

/// The time for which a list can be continued after its objects have changed.
const COMPACTION: SignedDuration = SignedDuration::from_mins(5);

/// Returns true if the API server would have compacted the revision of a token: there was a change after it, longer ago
/// than its interval of compaction. The history here may go back further, but clients rely on lists that end.
fn is_compacted(context: &Context, token: &Token) -> Result<bool, ApiError> {
    let Some(after) = token.revision else {
        return Ok(false);
    };
    let mut found = false;
    let past = HistoryQuery {
        after,
        // Only the next change matters, so that no other history is read.
        until: after + 1,
        before: Some(
            context
                .store
                .now()?
                .saturating_sub(COMPACTION)
                .unwrap_or_default(),
        ),
        ..HistoryQuery::default()
    };
    let seen = context.store.visit_history(&past, &mut |change| {
        // A move of the clock is a commit without a change.
        found = !change.events.is_empty();
        match found {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    match seen {
        Err(StoreError::Gone { .. }) => Ok(true),
        seen => Ok(seen.map(|()| found)?),
    }
}

/// Returns the objects of a range that may match.
fn picked(
    context: &Context,
    range: &Range,
    selection: &Selection,
    reserved: &Reserved<'_>,
) -> Result<Listing, ApiError> {
    let refused = RefCell::new(None);
    let found = sifted(context, range, &|key, json| {
        // The visit cannot be ended early, so the rest is skipped.
        if refused.borrow().is_some() || !selection.may_match(key, json) {
            return false;
        }
        // Without waiting for other requests, because the store may hold a lock meanwhile.
        let room = reserved.copy(json.len(), true, false);
        let is_ok = room.is_ok();
        *refused.borrow_mut() = room.err();
        is_ok
    })?;
    match refused.into_inner() {
        Some(refused) => Err(refused),
        None => Ok(found),
    }
}
