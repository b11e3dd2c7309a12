//! The Endpoints of a removed Service, which the API server deletes along with it, whoever wrote them.

use crate::api::json::Value;
use crate::kinds::strategy::deletion;
use crate::kinds::{Kind, find};
use crate::objects;
use crate::request::Place;
use crate::request::response::ApiError;
use crate::store::{Expect, Op, View};

/// Returns the operations that delete the Endpoints of a removed Service; none for other kinds.
pub(super) fn removed(view: &dyn View, kind: &Kind, service: &Value) -> Result<Vec<Op>, ApiError> {
    if !kind.is_addressed() {
        return Ok(Vec::new());
    }
    let Some(kind) = find("", "v1", "Endpoints") else {
        return Ok(Vec::new());
    };
    let place = Place::new(kind, objects::meta(service, "namespace"));
    let key = objects::key(&place, objects::meta(service, "name"))?;
    let Some(stored) = view.get(&key)? else {
        return Ok(Vec::new());
    };
    let request = deletion::Request {
        grace: None,
        propagation: None,
        now: view.now(),
    };
    let expect = Expect::At(stored.revision);
    let op = match deletion::delete(kind, &objects::shown(&stored)?, &request) {
        deletion::Step::Gone(_) => Op::delete(key, expect),
        // They wait for their finalizers, but the Service does not wait for them.
        deletion::Step::Marked(new) => Op::put(key, objects::bytes(kind, &new), expect),
        deletion::Step::Unchanged => return Ok(Vec::new()),
    };
    Ok(vec![op])
}
