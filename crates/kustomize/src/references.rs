//! Updates name references after objects were renamed or moved.

use super::id::{Gvk, Id};
use super::resource::Resource;
use super::resources::Resources;
use super::spec::FieldSpec;
use super::table::NameReference;
use super::{KustomizeError, Result};
use crate::api::json::{Value, json};

/// The facts about an object that updating references needs.
struct RenamedObject {
    id: Id,
    original_namespace: String,
    past: Vec<Id>,
    prefixes: Vec<String>,
    suffixes: Vec<String>,
}

impl RenamedObject {
    fn from_resource(resource: &Resource) -> Self {
        Self {
            id: resource.id(),
            original_namespace: resource.original_id().effective_namespace().to_owned(),
            past: resource.past_ids(),
            prefixes: resource.prefixes.clone(),
            suffixes: resource.suffixes.clone(),
        }
    }
}

/// Updates the references in all objects.
pub(super) fn fix(resources: &mut Resources, references: &[NameReference]) -> Result<()> {
    // Identities are copied before the first change, so that the result does not depend on the order of the objects.
    let known: Vec<RenamedObject> = resources
        .list
        .iter()
        .map(RenamedObject::from_resource)
        .collect();
    for at in 0..resources.list.len() {
        // Field specs apply to the kind before any patch with `allowKindChange`.
        let original = resources.list[at].original_id();
        let mut candidates: Option<Vec<&RenamedObject>> = None;
        for reference in references {
            for spec in &reference.field_specs {
                if !original.gvk.is_selected(&spec.gvk()) {
                    continue;
                }
                // Computed once per object, and never for the many kinds without references.
                let candidates = candidates.get_or_insert_with(|| {
                    could_be_meant(&known, &known[at].id, &resources.list[at].object)
                });
                let search = Search {
                    referrer: &known[at],
                    kind: &reference.gvk,
                    role: role(&resources.list[at].object, spec),
                    candidates,
                };
                fix_field(&mut resources.list[at].object, spec, &search)?;
            }
        }
    }
    Ok(())
}

/// Returns the kind that a `roleRef` contains, if the field is in one.
fn role(object: &Value, spec: &FieldSpec) -> Option<Gvk> {
    let role = &object["roleRef"];
    // `roleRef` may refer to a Role or a ClusterRole. Without its kind, two of the same name would be ambiguous.
    let is_role = spec.path.ends_with("roleRef/name");
    let (group, kind) = (role["apiGroup"].as_str()?, role["kind"].as_str()?);
    is_role.then(|| Gvk::new(group, "", kind))
}

/// Returns the objects that may be referenced: those without a namespace, those in the same namespace, and those in
/// the namespaces of ServiceAccounts that are subjects of a binding.
fn could_be_meant<'a>(
    known: &'a [RenamedObject],
    referrer: &Id,
    object: &Value,
) -> Vec<&'a RenamedObject> {
    if referrer.gvk.is_cluster_scoped() {
        return known.iter().collect();
    }
    // Of the namespaced kinds, only a RoleBinding may refer to another namespace.
    let subjects = object["subjects"].as_array().into_iter().flatten();
    let accounts =
        subjects.filter(|s| referrer.gvk.kind == "RoleBinding" && s["kind"] == "ServiceAccount");
    let elsewhere: Vec<&str> = accounts.filter_map(|s| s["namespace"].as_str()).collect();
    let in_reach = |other: &&RenamedObject| {
        other.id.gvk.is_cluster_scoped()
            || other.id.same_namespace(referrer)
            || elsewhere.contains(&other.id.namespace.as_str())
    };
    known.iter().filter(in_reach).collect()
}

struct Search<'a> {
    referrer: &'a RenamedObject,
    /// The kind to which the field refers.
    kind: &'a Gvk,
    role: Option<Gvk>,
    candidates: &'a [&'a RenamedObject],
}

impl Search<'_> {
    /// Returns the renamed object to which a name refers, if any.
    fn find(
        &self,
        name: &str,
        among: &[&RenamedObject],
        with_namespace: bool,
    ) -> Result<Option<&Id>> {
        // A name that matches no earlier identity stays as it is, because it refers to an object outside the
        // kustomization.
        let was_called = |known: &&&RenamedObject| {
            known.past.iter().any(|id| id.name == name)
                && known.past.iter().any(|id| id.gvk.is_selected(self.kind))
        };
        let is_role = |known: &&&RenamedObject| match &self.role {
            Some(role) => known.past.iter().any(|id| id.gvk.is_selected(role)),
            None => true,
        };
        let own = &self.referrer.id;
        let near = |known: &&&RenamedObject| {
            own.gvk.is_cluster_scoped()
                || known.id.gvk.is_cluster_scoped()
                || known.id.gvk.kind == "ServiceAccount"
                || known.id.same_namespace(own)
        };
        let mut found: Vec<&RenamedObject> = among
            .iter()
            .filter(was_called)
            .filter(is_role)
            .filter(near)
            .copied()
            .collect();
        // Two bases may contain the same name under different prefixes. The object with the same overlays as the
        // referrer wins, at first by a lenient comparison, then by a strict one.
        for allow_empty in [true, false] {
            if let [only] = found.as_slice() {
                return Ok(self.current(only));
            }
            found.retain(|known| self.same_ends(known, allow_empty));
        }
        let Some(first) = found.first() else {
            return Ok(None);
        };
        let same = |other: &&RenamedObject| {
            other.id.name == first.id.name
                && (!with_namespace || other.id.namespace == first.id.namespace)
        };
        // Several matches are fine if they lead to the same result.
        if found.len() == 1 || found.iter().all(same) {
            return Ok(self.current(first));
        }
        let ids: Vec<String> = found.iter().map(|known| known.id.to_string()).collect();
        Err(KustomizeError::new(format!(
            " found multiple possible referrals: {}",
            ids.join(", ")
        )))
    }

    /// Returns the identity with the lifetime of the search.
    fn current(&self, found: &RenamedObject) -> Option<&Id> {
        self.candidates
            .iter()
            .find(|known| std::ptr::eq(**known, found))
            .map(|known| &known.id)
    }

    fn same_ends(&self, other: &RenamedObject, allow_empty: bool) -> bool {
        let same = |a: &[String], b: &[String]| {
            let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
            if short.is_empty() {
                return allow_empty || long.is_empty();
            }
            // The lists grow from the innermost overlay outward, so objects in the same outer overlay share the end.
            long.ends_with(short)
        };
        same(&self.referrer.prefixes, &other.prefixes)
            && same(&self.referrer.suffixes, &other.suffixes)
    }
}

fn fix_field(object: &mut Value, spec: &FieldSpec, search: &Search<'_>) -> Result<()> {
    // The kind was matched on the original identity; a patch that changed the kind must not prevent the update.
    let mut any_kind = FieldSpec::new(&Gvk::default(), &spec.path, false);
    any_kind.create = false;
    any_kind
        .apply(object, None, &mut |field| match field {
            Value::Array(items) => items
                .iter_mut()
                .try_for_each(|item| fix_value(item, search)),
            other => fix_value(other, search),
        })
        .map_err(|e| {
            let id = &search.referrer.id;
            e.of(format!(
                "updating name reference in '{}' field of '{id}'",
                spec.path
            ))
        })
}

fn fix_value(value: &mut Value, search: &Search<'_>) -> Result<()> {
    match value {
        // A plain name has no namespace, so objects that differ only in their namespaces must not be ambiguous.
        Value::String(name) => {
            if let Some(id) = search.find(name, search.candidates, false)? {
                *name = id.name.as_str().into();
            }
            Ok(())
        }
        Value::Object(map) => {
            let Some(name) = map.get("name") else {
                return Err(KustomizeError::new(
                    "path config error; no 'name' field in node",
                ));
            };
            let name = name.as_str().unwrap_or_default().to_owned();
            let among = match map.get("namespace").and_then(Value::as_str) {
                None => search.candidates.to_vec(),
                Some(namespace) => in_namespace(search.candidates, namespace),
            };
            let Some(id) = search.find(&name, &among, true)? else {
                return Ok(());
            };
            map.insert("name".to_owned(), json!(id.name));
            if !id.namespace.is_empty() {
                // A subject also contains its namespace, because its ServiceAccount may have moved as well.
                map.insert("namespace".to_owned(), json!(id.namespace));
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Returns the candidates whose original namespace matches, or else those whose current namespace does.
fn in_namespace<'a>(candidates: &[&'a RenamedObject], namespace: &str) -> Vec<&'a RenamedObject> {
    let at_first = |known: &&&RenamedObject| known.original_namespace == namespace;
    let found: Vec<&RenamedObject> = candidates.iter().filter(at_first).copied().collect();
    if !found.is_empty() {
        return found;
    }
    let now = |known: &&&RenamedObject| known.id.effective_namespace() == namespace;
    candidates.iter().filter(now).copied().collect()
}
