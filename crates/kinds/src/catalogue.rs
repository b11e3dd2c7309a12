//! The kinds that a cluster serves, and their lookup by name.

use super::kind::{Kind, split_api_version};
use super::registry;
use super::versions::by_version;

/// The kinds that a cluster serves: the built-in kinds and those of CustomResourceDefinitions.
///
/// ```
/// use ctl_kinds::Catalogue;
///
/// let catalogue = Catalogue::default();
/// let names: Vec<_> = ["po", "pod", "pods", "pods.v1."].map(|name| catalogue.resolve(name)).into();
/// assert!(names.iter().all(|kind| kind.is_some_and(|kind| kind.kind == "Pod")));
/// assert!(catalogue.category("all").iter().any(|kind| kind.kind == "Deployment"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogue {
    custom: Vec<&'static Kind>,
}

impl Catalogue {
    /// Creates a catalogue of the built-in kinds and of `custom`, which it sorts in discovery order.
    pub fn new(mut custom: Vec<&'static Kind>) -> Self {
        custom.sort_by(|a, b| {
            let versions = || by_version(a.version, b.version);
            let groups = a.group.cmp(b.group);
            groups.then_with(versions).then(a.plural.cmp(b.plural))
        });
        Self { custom }
    }

    /// Returns the catalogue with more kinds, such as those of an aggregated server.
    #[must_use]
    pub fn with(&self, more: &[&'static Kind]) -> Self {
        Self::new([&self.custom, more].concat())
    }

    /// Returns every kind, served or not, in discovery order.
    pub fn all(&self) -> impl Iterator<Item = &'static Kind> + '_ {
        // Built-in kinds come first: as in kubectl, they take precedence over custom kinds of the same name.
        registry::all().chain(self.custom.iter().copied())
    }

    /// Returns the kinds that `kubectl api-resources` lists: each served kind, at the version that clients prefer.
    pub fn preferred(&self) -> impl Iterator<Item = &'static Kind> + '_ {
        self.all().filter(|kind| kind.served && kind.preferred)
    }

    /// Returns the served kind called `kind` in a group and version.
    pub fn find(&self, group: &str, version: &str, kind: &str) -> Option<&'static Kind> {
        let named = |k: &&Kind| k.kind == kind && k.version == version && k.group == group;
        self.all().find(|k| named(k) && k.served)
    }

    /// Returns the kind for the `apiVersion` and `kind` of an object.
    pub fn find_by_api_version(&self, api_version: &str, kind: &str) -> Option<&'static Kind> {
        let (group, version) = split_api_version(api_version);
        self.find(group, version, kind)
    }

    /// Returns the kind served as `resource` in a group and version, which are the names in URLs.
    pub fn find_resource(
        &self,
        group: &str,
        version: &str,
        resource: &str,
    ) -> Option<&'static Kind> {
        let named = |k: &&Kind| k.plural == resource && k.version == version && k.group == group;
        self.all().find(|k| named(k) && k.served)
    }

    /// Returns the preferred version of the kind called `kind` in a group.
    pub fn find_kind(&self, group: &str, kind: &str) -> Option<&'static Kind> {
        self.preferred()
            .find(|k| k.kind == kind && k.group == group)
    }

    /// Returns the preferred version of the kind with a resource name in a group. An empty group means any group. A
    /// prefix of the group's name suffices if no group has exactly this name.
    pub fn find_named(&self, name: &str, group: &str) -> Option<&'static Kind> {
        let find = |fits: &dyn Fn(&Kind) -> bool| {
            NAMED
                .iter()
                .find_map(|named| self.preferred().find(|k| named(k, name) && fits(k)))
        };
        // Try whole names first, so that a group stays reachable if its name is a prefix of another.
        find(&|k| group.is_empty() || k.group == group)
            .or_else(|| find(&|k| k.group.starts_with(group)))
    }

    /// Returns the members of a category such as `all`.
    pub fn category(&self, name: &str) -> Vec<&'static Kind> {
        self.preferred()
            .filter(|kind| kind.categories.contains(&name))
            .collect()
    }

    /// Returns the kind that a name on kubectl's command line stands for.
    ///
    /// The name is a resource or a singular in any case, a short name or a kind (which may be in lower case), alone
    /// or as `resource.group` or `resource.version.group`. A prefix of a group's name suffices if no group has
    /// exactly this name. If several kinds match, the first in discovery order wins, so `events` means those of the
    /// core group. Kinds that are not served are not found.
    ///
    /// kubectl replaces a short name by the resource without its version, so a short name always means the preferred
    /// version. The name of a kind (`StatefulSet`) finds it even if the version does not exist; the name of a
    /// resource does not.
    pub fn resolve(&self, name: &str) -> Option<&'static Kind> {
        let (word, rest) = name.split_once('.').unwrap_or((name, ""));
        let find = |named: NameTest, fits: &dyn Fn(&Kind) -> bool| {
            self.all()
                .find(|kind| named(kind, word) && kind.served && fits(kind))
        };
        let group = rest.split_once('.').map_or("", |(_, group)| group);
        let of_group = |kind: &Kind| kind.preferred && !group.is_empty() && kind.group == group;
        let [resource, short_name, own] = *NAMED;
        let exact = find(resource, &|kind| is_suffix_of(kind, rest))
            .or_else(|| {
                find(short_name, &|kind| {
                    of_group(kind) || is_suffix_of(kind, rest)
                })
            })
            .or_else(|| find(own, &|kind| is_suffix_of(kind, rest)));
        if exact.is_some() || rest.is_empty() {
            return exact;
        }
        // The last resort of kubectl's mapper, after every exact reading of the name.
        let begins = |kind: &Kind| kind.preferred && kind.group.starts_with(rest);
        NAMED
            .iter()
            .find_map(|named| find(*named, &begins))
            .or_else(|| find(own, &|kind| kind.kind == word && of_group(kind)))
    }
}

type NameTest = fn(&Kind, &str) -> bool;

/// The ways to name a kind. As in kubectl, resource names take precedence over short names.
const NAMED: &[NameTest; 3] = &[
    |kind, name| kind.plural.eq_ignore_ascii_case(name) || kind.singular.eq_ignore_ascii_case(name),
    |kind, name| kind.short_names.contains(&name),
    |kind, name| kind.kind == name || kind.kind.to_ascii_lowercase() == name,
];

fn is_suffix_of(kind: &Kind, suffix: &str) -> bool {
    if suffix.is_empty() {
        return kind.preferred;
    }
    // `pods.v1.` means the core group, whose name is empty. In `pods.v1`, kubectl takes `v1` for a group.
    let after_version = suffix.strip_prefix(kind.version);
    if after_version.and_then(|rest| rest.strip_prefix('.')) == Some(kind.group) {
        return true;
    }
    !kind.group.is_empty() && kind.preferred && kind.group == suffix
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(name: &str) -> Option<String> {
        let kind = Catalogue::default().resolve(name)?;
        Some(format!("{}/{}", kind.qualified_resource(), kind.version))
    }

    #[test]
    fn names_resolve_as_kubectl_resolves_them() {
        for (name, resource) in [
            ("po", "pods/v1"),
            ("Pod", "pods/v1"),
            ("PODS", "pods/v1"),
            ("dePloyment", "deployments.apps/v1"),
            ("deploy", "deployments.apps/v1"),
            ("deployments.apps", "deployments.apps/v1"),
            ("deployments.v1.apps", "deployments.apps/v1"),
            ("events", "events/v1"),
            ("events.events.k8s.io", "events.events.k8s.io/v1"),
            ("hpa", "horizontalpodautoscalers.autoscaling/v2"),
            (
                "hpa.v1.autoscaling",
                "horizontalpodautoscalers.autoscaling/v2",
            ),
            (
                "horizontalpodautoscalers.v1.autoscaling",
                "horizontalpodautoscalers.autoscaling/v1",
            ),
            ("StatefulSet.v1beta9.apps", "statefulsets.apps/v1"),
            ("pods.v1.", "pods/v1"),
            ("sts.v1beta9.apps", "statefulsets.apps/v1"),
            ("po.v1.", "pods/v1"),
            ("hpa.autoscal", "horizontalpodautoscalers.autoscaling/v2"),
            ("deploy.ap", "deployments.apps/v1"),
            ("sc.storage", "storageclasses.storage.k8s.io/v1"),
        ] {
            assert_eq!(resolved(name).as_deref(), Some(resource), "{name}");
        }
        for name in [
            "",
            "pods.apps",
            "pods.v1",
            "pods.v9",
            "DEPLOY",
            "Po",
            "deployments.APPS",
            "deploy.pps",
            "deployments.v1beta1.apps",
            "statefulset.v1beta1.apps",
            "deployments.apps.v1",
            "leasecandidates",
            "foo",
        ] {
            assert_eq!(resolved(name), None, "{name}");
        }
    }
}
