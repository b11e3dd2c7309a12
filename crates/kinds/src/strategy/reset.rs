//! The fields that a write to a subresource resets. Such a write does not make its author the manager of these
//! fields.

use std::sync::LazyLock;

use crate::api::patch::fieldset::FieldSet;
use crate::hooks::Fields;
use crate::kind::Kind;
use crate::registry;

type Paths = &'static [Fields];

const STATUS: Paths = &[&["status"]];
const SPEC: Paths = &[&["spec"]];

/// The fields that a status write resets for kinds that also protect their metadata, such as custom resources.
pub(crate) const SPEC_AND_METADATA: Paths = &[&["metadata"], &["spec"]];

/// All sets, built once because every write needs one.
static SETS: LazyLock<Vec<(Paths, FieldSet)>> = LazyLock::new(|| {
    let general: [Paths; 4] = [&[], STATUS, SPEC, SPEC_AND_METADATA];
    let own = registry::all().flat_map(|kind| kind.hooks.reset_fields);
    let all = general.into_iter().chain(own.map(|(_, paths)| *paths));
    let mut sets: Vec<(Paths, FieldSet)> = Vec::new();
    for paths in all {
        if !sets.iter().any(|(known, _)| *known == paths) {
            sets.push((paths, FieldSet::of_fields(paths.iter().copied())));
        }
    }
    sets
});

/// Returns the fields that a write to a subresource resets; an empty name stands for the object itself.
pub fn reset_fields(kind: &Kind, subresource: &str) -> &'static FieldSet {
    let wanted = paths(kind, subresource);
    let found = SETS.iter().find(|(paths, _)| *paths == wanted);
    // The first set is the empty set.
    &found.unwrap_or(&SETS[0]).1
}

fn paths(kind: &Kind, subresource: &str) -> Paths {
    if kind.custom.is_some() && subresource == "status" {
        return SPEC_AND_METADATA;
    }
    // A custom resource has a status subresource only if its definition enables it.
    if kind.custom.is_some() && kind.has_status() {
        return STATUS;
    }
    let own = kind.hooks.reset_fields.iter();
    let mut own = own.filter(|(name, _)| *name == subresource);
    match own.next() {
        Some((_, paths)) => paths,
        None if subresource == "status" => SPEC,
        None if kind.has_status() => STATUS,
        None => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reset_fields_exist_for_every_kind_and_subresource() {
        for kind in registry::all() {
            for subresource in ["", "status", "approval"] {
                let wanted = paths(kind, subresource);
                let set = FieldSet::of_fields(wanted.iter().copied());
                assert_eq!(*reset_fields(kind, subresource), set, "{}", kind.kind);
            }
        }
    }
}
