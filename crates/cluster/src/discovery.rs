//! The kinds that a cluster serves: the built-in ones and those of its custom resource definitions.

use std::sync::{Arc, Mutex, PoisonError};

use crate::api::json::Value;
use crate::kinds::custom::{is_established, kinds_of};
use crate::kinds::{Catalogue, Kind, registry, shape};
use crate::objects;
use crate::store::{CLUSTER_SCOPE, Key, Range, Revision, Store, StoreError, Stored, View};

/// The resource of custom resource definitions.
pub(crate) const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";

/// The last known kinds.
#[derive(Debug, Default)]
pub(crate) struct Discovery(Mutex<CachedKinds>);

/// Kinds, and the state of the definitions that they come from.
#[derive(Debug, Default)]
struct CachedKinds {
    mark: Option<[u64; 3]>,
    was_read: bool,
    revisions: Vec<Revision>,
    kinds: Arc<Catalogue>,
}

impl Discovery {
    /// Returns the kinds that are served now.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub(crate) fn kinds(&self, store: &dyn Store) -> Result<Arc<Catalogue>, StoreError> {
        // Every request to a server needs the kinds. A list would wait for the commits of other requests.
        let mark = match self.was_read() {
            true => store.mark(&definitions())?,
            // A command reads them once, for which a mark would be another read.
            false => None,
        };
        if let Some(kinds) = self.at(mark) {
            return Ok(kinds);
        }
        let definitions = store.list(&definitions())?.items;
        let revisions: Vec<_> = definitions.iter().map(|stored| stored.revision).collect();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.revisions != revisions {
            known.kinds = Arc::new(catalogue(&definitions)?);
            known.revisions = revisions;
        }
        // The mark from before the list: a change in between gives another one.
        (known.mark, known.was_read) = (mark, true);
        Ok(Arc::clone(&known.kinds))
    }

    fn was_read(&self) -> bool {
        let known = self.0.lock();
        known.unwrap_or_else(PoisonError::into_inner).was_read
    }

    /// Returns the kinds if they are those of a mark.
    fn at(&self, mark: Option<[u64; 3]>) -> Option<Arc<Catalogue>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (mark.is_some() && known.mark == mark).then(|| Arc::clone(&known.kinds))
    }
}

/// Returns the custom kind of a resource such as `boats.sea.example.com` in the state of a transaction.
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

/// Returns the versions at which a kind is served in the state of a transaction, its own among them.
pub(crate) fn versions(view: &dyn View, kind: &'static Kind) -> Vec<&'static Kind> {
    let same =
        |own: &&'static Kind| own.served && (own.group, own.plural) == (kind.group, kind.plural);
    // The versions of a built-in kind cannot change in a transaction.
    if kind.custom.is_none() {
        return registry::all().filter(same).collect();
    }
    let find = || {
        let stored = view.get(&Key::new(DEFINITIONS, None, &kind.qualified_resource()).ok()?);
        Some(kinds_of(&definition(&stored.ok()??).ok()?))
    };
    let kinds = find().unwrap_or_default();
    kinds.iter().filter(same).collect()
}

/// Returns the kind of objects with this `apiVersion` and `kind` in the state of a transaction.
pub(crate) fn kind_of(
    view: &dyn View,
    api_version: &str,
    kind: &str,
) -> Result<Option<&'static Kind>, StoreError> {
    // Most objects are of a built-in kind, for which no definition has to be read.
    if let Some(found) = crate::kinds::find_by_api_version(api_version, kind) {
        return Ok(Some(found));
    }
    Ok(catalogue(&view.list(&definitions())?)?.find_by_api_version(api_version, kind))
}

fn definitions() -> Range {
    // In one directory, because a scan of all namespaces would cost each command one call per namespace.
    Range::resource(DEFINITIONS, Some(CLUSTER_SCOPE))
}

/// Returns a definition with its defaults.
fn definition(stored: &Stored) -> Result<Value, StoreError> {
    let mut definition = objects::shown(stored)?;
    let kind = crate::kinds::find("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    if let Some(kind) = kind {
        shape::normalize(kind, &mut definition);
    }
    Ok(definition)
}

fn catalogue(stored: &[Stored]) -> Result<Catalogue, StoreError> {
    let mut custom = Vec::new();
    for stored in stored {
        let definition = definition(stored)?;
        if is_established(&definition) {
            custom.extend(kinds_of(&definition));
        }
    }
    Ok(Catalogue::new(custom))
}
