//! Which kinds a cluster serves: the built-in ones and those of its custom resource definitions.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Cluster, Result, Stored, objects};
use crate::kinds::Catalogue;
use crate::kinds::custom::{is_established, kinds_of};
use crate::kinds::shape;
use crate::store::{Range, Revision, Store as _, View};

/// The resource of custom resource definitions.
pub(crate) const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";

/// What the kinds were when somebody last asked, and by which definitions.
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

/// The kinds that are served in the state that a transaction sees.
pub(crate) fn kinds_in(view: &dyn View) -> Result<Catalogue> {
    catalogue(&view.list(&definitions())?)
}

fn definitions() -> Range {
    Range::resource(DEFINITIONS, None)
}

fn catalogue(definitions: &[Stored]) -> Result<Catalogue> {
    let mut custom = Vec::new();
    for stored in definitions {
        let mut definition = objects::shown(stored)?;
        if is_established(&definition) {
            if let Some(kind) =
                crate::kinds::find("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
            {
                shape::settle(kind, &mut definition);
            }
            custom.extend(kinds_of(&definition));
        }
    }
    Ok(Catalogue::new(custom))
}
