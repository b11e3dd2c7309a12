//! A set of objects with unique identities.

use super::id::Id;
use super::resource::{Behavior, Resource};
use super::{KustomizeError, Result};

/// The objects of a kustomization, in the order in which they were read.
#[derive(Debug, Clone, Default)]
pub(super) struct Resources {
    pub(super) list: Vec<Resource>,
}

impl Resources {
    /// Adds an object that must not exist yet.
    pub(super) fn append(&mut self, resource: Resource) -> Result<()> {
        let id = resource.id();
        if self.list.iter().any(|r| r.id().is(&id)) {
            return Err(KustomizeError::new(format!(
                "may not add resource with an already registered id: {id}"
            )));
        }
        self.list.push(resource);
        Ok(())
    }

    pub(super) fn append_all(
        &mut self,
        resources: impl IntoIterator<Item = Resource>,
    ) -> Result<()> {
        resources.into_iter().try_for_each(|r| self.append(r))
    }

    /// Adds a generated object, or replaces an existing one by it or merges both.
    pub(super) fn absorb(&mut self, mut made: Resource) -> Result<()> {
        let id = made.id();
        let matches = self.with_any_id(&id);
        let refused = |why: &str| Err(KustomizeError::new(format!("id {} {why}", go_id(&id))));
        match (matches.as_slice(), made.behavior) {
            ([], Behavior::Create | Behavior::Unspecified) => self.append(made),
            ([], _) => refused("does not exist; cannot merge or replace"),
            ([_], behavior @ (Behavior::Create | Behavior::Unspecified)) => {
                let behavior = format!("{behavior:?}").to_lowercase();
                refused(&format!(
                    "exists; can not use behavior: '{behavior}', behavior must be merge or replace"
                ))
            }
            ([at], behavior) => {
                let old = &self.list[*at];
                made.succeed(old);
                if behavior == Behavior::Merge {
                    // The new object's keys take precedence and come first; missing keys are added from the old
                    // object.
                    for field in ["data", "binaryData"] {
                        let Some(inherited) = old.object[field].as_object() else {
                            continue;
                        };
                        let own = super::resource::map_at(&mut made.object, field);
                        for (key, value) in inherited {
                            own.entry(key.clone()).or_insert_with(|| value.clone());
                        }
                    }
                }
                self.list[*at] = made;
                Ok(())
            }
            _ => Err(KustomizeError::new(format!(
                "found multiple objects that could accept merge of {id}"
            ))),
        }
    }

    /// Returns the indexes of the objects that have, or had, this identity.
    pub(super) fn with_any_id(&self, id: &Id) -> Vec<usize> {
        let fits = |(_, r): &(usize, &Resource)| r.ids().iter().any(|own| own.is(id));
        self.list
            .iter()
            .enumerate()
            .filter(fits)
            .map(|(at, _)| at)
            .collect()
    }

    /// Returns the index of the only object that has, or had, this identity.
    pub(super) fn only(&self, id: &Id) -> Result<usize> {
        let why = match self.with_any_id(id).as_slice() {
            [at] => return Ok(*at),
            [] => "no matches",
            _ => "multiple matches",
        };
        Err(KustomizeError::new(format!(
            "{why} for Id {id}; failed to find unique target for patch {id}"
        )))
    }
}

/// Formats an identity as Go prints the struct.
fn go_id(id: &Id) -> String {
    format!(
        "resid.ResId{{Gvk:resid.Gvk{{Group:{:?}, Version:{:?}, Kind:{:?}, isClusterScoped:{}}}, Name:{:?}, Namespace:{:?}}}",
        id.gvk.group,
        id.gvk.version,
        id.gvk.kind,
        id.gvk.is_cluster_scoped(),
        id.name,
        id.namespace
    )
}
