//! Which kinds a cluster serves: the built-in ones and those of its custom resource definitions.

use std::sync::{Arc, Mutex, PoisonError};

use crate::api::json::Value;
use crate::api::status::Status;
use crate::cluster::{Cluster, Result};
use crate::kinds::custom::{is_established, kinds_of};
use crate::kinds::{Catalogue, Kind, shape};
use crate::objects;
use crate::request::ApiError;
use crate::store::{Key, Range, Revision, Store as _, Stored, View};

/// The resource of custom resource definitions.
pub(crate) const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";

/// The last known kinds, and the definitions they came from.
#[derive(Debug, Default)]
pub(crate) struct Discovery(Mutex<(Vec<Revision>, Arc<Catalogue>)>);

impl Cluster {
    /// The kinds that are served now.
    ///
    /// # Errors
    /// Where the directory cannot be read.
    pub fn kinds(&self) -> Result<Arc<Catalogue>> {
        let definitions = self.store.list(&definitions())?.items;
        let revisions: Vec<_> = definitions.iter().map(|stored| stored.revision).collect();
        let mut known = self
            .discovery
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if known.0 != revisions {
            *known = (revisions, Arc::new(catalogue(&definitions)?));
        }
        Ok(Arc::clone(&known.1))
    }
}

impl Cluster {
    /// The kind that a name means, such as `deployments.apps`, `pod` or `cj`.
    ///
    /// # Errors
    /// Where no kind is served under the name, or the directory cannot be read.
    pub fn kind(&self, name: &str) -> std::result::Result<&'static Kind, ApiError> {
        let found = self.kinds()?.resolve(name);
        found.ok_or_else(|| {
            let mut status = Status::not_found(name, "");
            status.message = format!("the server doesn't have a resource type {name:?}");
            status.into()
        })
    }
}

/// The custom kind of a resource such as `boats.sea.example.com` in the state that a transaction sees.
pub(crate) fn custom_kind(
    view: &dyn View,
    resource: &str,
    api_version: &str,
) -> Option<&'static Kind> {
    // A definition is named as its resource is.
    let stored = view.get(&Key::new(DEFINITIONS, None, resource).ok()?);
    let definition = definition(&stored.ok()??).ok()?;
    let served = |kind: &&Kind| kind.served && kind.api_version() == api_version;
    let kinds = is_established(&definition).then(|| kinds_of(&definition))?;
    kinds.iter().find(served)
}

fn definitions() -> Range {
    Range::resource(DEFINITIONS, None)
}

/// A definition with its defaults.
fn definition(stored: &Stored) -> Result<Value> {
    let mut definition = objects::shown(stored)?;
    let kind = crate::kinds::find("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    if let Some(kind) = kind {
        shape::settle(kind, &mut definition);
    }
    Ok(definition)
}

fn catalogue(stored: &[Stored]) -> Result<Catalogue> {
    let mut custom = Vec::new();
    for stored in stored {
        let definition = definition(stored)?;
        if is_established(&definition) {
            custom.extend(kinds_of(&definition));
        }
    }
    Ok(Catalogue::new(custom))
}
