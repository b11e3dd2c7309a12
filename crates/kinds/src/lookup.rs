//! Looks up built-in kinds by name.

use std::sync::LazyLock;

use super::kind::{Kind, split_api_version};
use super::registry;
use super::schema::names::Names;

/// The built-in kinds and an index by name.
static BY_NAME: LazyLock<(Vec<&'static Kind>, Names)> = LazyLock::new(|| {
    let kinds: Vec<_> = registry::all().collect();
    // Every read of an object looks up its kind, so a linear search would be noticeable.
    let names = Names::new(kinds.iter().map(|kind| kind.kind));
    (kinds, names)
});

/// Returns the built-in kind called `kind` in a group and version.
///
/// The custom kinds of a cluster are in [`super::Catalogue`].
pub fn find(group: &str, version: &str, kind: &str) -> Option<&'static Kind> {
    let (kinds, names) = &*BY_NAME;
    let is = |at: usize| {
        let found = kinds[at];
        found.kind == kind && found.version == version && found.group == group
    };
    names.find(kind, is).map(|at| kinds[at])
}

/// Returns the built-in kind for the `apiVersion` and `kind` of an object.
pub fn find_by_api_version(api_version: &str, kind: &str) -> Option<&'static Kind> {
    let (group, version) = split_api_version(api_version);
    find(group, version, kind)
}

/// Returns the built-in kind served as `resource` in a group and version.
pub fn find_resource(group: &str, version: &str, resource: &str) -> Option<&'static Kind> {
    registry::all().find(|k| k.plural == resource && k.version == version && k.group == group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registry_kinds_are_unique_and_have_columns() {
        let kinds: Vec<_> = registry::all().collect();
        let made_up = |kind: &&&Kind| kind.group == "example.dev";
        assert_eq!(kinds.iter().filter(made_up).count(), 1);
        assert_eq!(kinds.len(), 89 + 1);
        for kind in &kinds {
            assert!(
                std::ptr::eq(find(kind.group, kind.version, kind.kind).unwrap(), *kind),
                "{} is listed twice",
                kind.qualified_kind()
            );
            let lists = kind.verbs.contains(&"list");
            assert!(
                !lists || !kind.served || !kind.columns.is_empty(),
                "{} has no columns",
                kind.qualified_kind()
            );
        }
    }
}
