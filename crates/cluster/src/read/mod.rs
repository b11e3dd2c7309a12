//! Reading: objects, lists in parts, selections, watches with the recent changes that they share, and the changes that
//! informers follow.

pub(crate) mod informer;
pub(crate) mod list;
pub(crate) mod page;
pub(crate) mod recent;
pub(crate) mod select;
pub(crate) mod selected;
pub(crate) mod stored_fields;
pub(crate) mod watch;
