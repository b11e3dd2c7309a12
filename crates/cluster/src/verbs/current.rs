//! The current state of an object for a write.

use crate::api::json::Value;
use crate::entry::Admitted;
use crate::kinds::convert::stored_as;
use crate::objects;
use crate::request::response::ApiError;
use crate::store::{Key, Revision, Stored, View};
use crate::webhooks::conversion;

/// Returns an object for modification, with the revision of its last change. If the object that the writer has read is
/// still current, it is used and nothing is read.
pub(crate) fn current(
    view: &dyn View,
    key: &Key,
    at: &Admitted<'_>,
) -> Result<Option<(Revision, Value)>, ApiError> {
    let kind = at.place().kind;
    if let Some((revision, object)) = &at.options().seen
        // An object read at another version would lose fields that the version cannot express.
        && std::ptr::eq(stored_as(kind), kind)
        // An informer reads objects without their webhook, so the fields of an earlier stored version may be missing.
        && conversion::webhook(kind).is_none()
        && view.revision_of(key)? == Some(*revision)
    {
        return Ok(Some((*revision, object.clone())));
    }
    let stored = view.get(key)?;
    let read = |stored: Stored| {
        let object = conversion::decided(Some(at.replies()), view, kind, objects::shown(&stored)?)?;
        Ok((stored.revision, object))
    };
    stored.map(read).transpose()
}
