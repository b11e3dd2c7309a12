//! The parameters of a policy from its binding.

use crate::api::json::Value;
use crate::api::selector::LabelSelector;
use crate::discovery::kind_of;
use crate::kinds::Kind;
use crate::kinds::admission::policy::Attributes;
use crate::kinds::tree::{field, has, text};
use crate::objects;
use crate::request::Place;
use crate::request::response::ApiError;
use crate::store::View;

/// Returns the parameters for each evaluation of a policy: one `None` for a policy without parameters. The inner error
/// is the reason why they cannot be found, with the text for the rejection.
pub(super) fn of(
    view: &dyn View,
    at: &Attributes<'_>,
    policy: &Value,
    binding: &Value,
) -> Result<Result<Vec<Option<Value>>, String>, ApiError> {
    let (wanted, reference) = (field(policy, "paramKind"), field(binding, "paramRef"));
    // One evaluation without parameters; an empty list would mean none, and the policy would not apply.
    if wanted.is_null() || reference.is_null() {
        return Ok(Ok(vec![None]));
    }
    let (version, name) = (text(wanted, "apiVersion"), text(wanted, "kind"));
    let Some(kind) = kind_of(view, version, name)? else {
        return Ok(Err(format!(
            "failed to configure policy: failed to find resource referenced by paramKind: \
             '{version}, Kind={name}'"
        )));
    };
    let namespace = match namespace(at, kind, text(reference, "namespace")) {
        Ok(namespace) => namespace,
        Err(why) => return Ok(Err(format!("failed to configure binding: {why}"))),
    };
    let found = find(view, &Place::new(kind, namespace), reference)?;
    if found.is_empty() && text(reference, "parameterNotFoundAction") == "Deny" {
        return Ok(Err(
            "failed to configure binding: no params found for policy binding with `Deny` \
             parameterNotFoundAction"
                .to_owned(),
        ));
    }
    Ok(Ok(found.into_iter().map(Some).collect()))
}

fn namespace<'a>(
    at: &Attributes<'a>,
    kind: &Kind,
    given: &'a str,
) -> Result<&'a str, &'static str> {
    match (kind.namespaced, given, at.namespace) {
        (false, "", _) => Ok(""),
        (false, ..) => {
            Err("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
        }
        (true, "", "") => Err(
            "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
        ),
        // Without a namespace the parameters are in that of the request, so that one binding serves every team.
        (true, "", own) => Ok(own),
        (true, given, _) => Ok(given),
    }
}

fn find(view: &dyn View, place: &Place, reference: &Value) -> Result<Vec<Value>, ApiError> {
    if !has(reference, "selector") {
        let key = objects::key(place, text(reference, "name"));
        let stored = key.ok().map(|key| view.get(&key)).transpose()?.flatten();
        let shown = stored.map(|stored| objects::shown_as(place.kind, &stored));
        return Ok(shown.transpose()?.into_iter().collect());
    }
    // Validation rejects such a selector; a stored one selects nothing.
    let Ok(selector) = LabelSelector::from_object(reference.get("selector")) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for stored in view.list(&objects::range(place))? {
        let object = objects::shown_as(place.kind, &stored)?;
        if selector.matches_object(&object) {
            found.push(object);
        }
    }
    Ok(found)
}
