//! What happens in the cluster when a custom resource definition is written or removed.

use serde_json::Value;

use super::discovery::DEFINITIONS;
use super::request::ApiError;
use super::{objects, write};
use crate::kinds::Kind;
use crate::kinds::custom;
use crate::store::{Range, View};

/// Whether a kind is that of definitions.
pub(crate) fn is_definition(kind: &Kind) -> bool {
    (kind.group, kind.kind) == ("apiextensions.k8s.io", "CustomResourceDefinition")
}

/// Accepts a definition's names where no other has them: its kinds are served from this commit on.
pub(crate) fn establish(view: &dyn View, kind: &Kind, object: &mut Value) -> Result<(), ApiError> {
    if !is_definition(kind) {
        return Ok(());
    }
    let own = objects::meta(object, "name").to_owned();
    let mut others = Vec::new();
    for stored in view.list(&Range::resource(DEFINITIONS, None))? {
        if stored.key.name() != own {
            others.push(objects::shown(&stored)?);
        }
    }
    custom::establish(object, &others, &write::seconds(view));
    Ok(())
}
