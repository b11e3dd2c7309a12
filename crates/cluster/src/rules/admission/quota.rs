//! Resource quotas: rejected or counted in the commit that creates the object.

use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::kinds::admission::quota;
use crate::kinds::find;
use crate::objects;
use crate::request::Place;
use crate::request::response::ApiError;
use crate::rules::managed;
use crate::store::{Expect, Op, Range, View};

/// Charges a new object, or the increase of an update, to the quotas of its namespace.
pub(super) fn check_and_update_usage(
    view: &dyn View,
    place: &Place,
    object: &Value,
    old: Option<&Value>,
) -> Result<Vec<Op>, ApiError> {
    if !place.kind.namespaced {
        return Ok(Vec::new());
    }
    let stored = view.list(&Range::resource("resourcequotas", Some(&place.namespace)))?;
    let Some(kind) = find("", "v1", "ResourceQuota").filter(|_| !stored.is_empty()) else {
        return Ok(Vec::new());
    };
    let quotas: Vec<Value> = stored
        .iter()
        .map(objects::shown)
        .collect::<Result<_, _>>()?;
    let used = quota::check_and_add_usage(&quotas, place.kind, object, old).map_err(|why| {
        let resource = place.kind.qualified_resource();
        ApiError::from(Status::forbidden(
            &resource,
            objects::meta(object, "name"),
            &why,
        ))
    })?;
    let mut ops = Vec::new();
    for ((stored, mut quota), used) in stored.into_iter().zip(quotas).zip(used) {
        let Some(used) = used else {
            continue;
        };
        let old = quota.clone();
        quota["status"]["used"] = json!(used);
        managed::note_own(kind, &old, &mut quota, &objects::seconds(view));
        let json = objects::bytes(kind, &quota);
        // The usage is committed with the object, so two writers cannot both use the last unit.
        ops.push(Op::put(stored.key, json, Expect::At(stored.revision)));
    }
    Ok(ops)
}
