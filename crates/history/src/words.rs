//! Describes objects and commits in words.

use std::collections::HashMap;

use crate::kinds::{Catalogue, Kind};
use crate::read::ChangeKind;

/// The maximum number of groups of changes in a summary.
const NAMED: usize = 3;

/// The names of objects as on a command line: `deployment.apps/web` for `deployments.apps/default/web`.
///
/// ```
/// use ctl_history::{ChangeKind, Names};
/// use ctl_kinds::Catalogue;
///
/// let names = Names::new(&Catalogue::default(), "default");
/// assert_eq!(names.object("deployments.apps/default/web"), "deployment.apps/web");
/// let changes = [("pods/default/a", ChangeKind::Created), ("pods/default/b", ChangeKind::Created)];
/// assert_eq!(names.summary(changes.into_iter()), "2 pods created");
/// ```
#[derive(Debug)]
pub struct Names {
    types: HashMap<String, String>,
    namespace: String,
}

impl Names {
    /// Returns the names for a cluster with these kinds. Objects outside `namespace` are shown with their namespaces.
    pub fn new(kinds: &Catalogue, namespace: &str) -> Self {
        let none = Self {
            types: HashMap::new(),
            namespace: namespace.to_owned(),
        };
        none.and(kinds)
    }

    /// Adds the names of further kinds, such as those at a later point in the history.
    #[must_use]
    pub fn and(mut self, kinds: &Catalogue) -> Self {
        let named = |kind: &Kind| {
            let singular = kind.kind.to_lowercase();
            let shown = match kind.group {
                "" => singular,
                group => format!("{singular}.{group}"),
            };
            (kind.qualified_resource(), shown)
        };
        // All versions of a kind share the name, so the order does not matter.
        self.types.extend(kinds.all().map(named));
        self
    }

    /// Returns the name of an object: `deployment.apps/web`, or `deployment.apps/web in blue`.
    pub fn object(&self, key: &str) -> String {
        let mut parts = key.splitn(3, '/');
        let resource = parts.next().unwrap_or_default();
        let namespace = parts.next().unwrap_or_default();
        let name = parts.next().unwrap_or_default();
        // Without a definition, the resource stands for the kind.
        let shown = self.types.get(resource).map_or(resource, String::as_str);
        match namespace {
            "_cluster" => format!("{shown}/{name}"),
            own if own == self.namespace => format!("{shown}/{name}"),
            // A log covers all namespaces, and equal names in two of them must be distinguishable.
            other => format!("{shown}/{name} in {other}"),
        }
    }

    /// Summarizes changes, for example `2 pods created, replicaset.apps/web-7f9 updated`.
    pub fn summary<'k>(&self, changes: impl Iterator<Item = (&'k str, ChangeKind)>) -> String {
        let mut groups: Vec<(&str, ChangeKind, &str, usize)> = Vec::new();
        for (key, action) in changes {
            let resource = key.split('/').next().unwrap_or_default();
            let same = |group: &&mut (&str, ChangeKind, &str, usize)| {
                group.0 == resource && group.1 == action
            };
            match groups.iter_mut().find(same) {
                Some(group) => group.3 += 1,
                None => groups.push((resource, action, key, 1)),
            }
        }
        // Limited to one line of a terminal.
        let more: usize = groups.iter().skip(NAMED).map(|group| group.3).sum();
        let shown = groups
            .iter()
            .take(NAMED)
            .map(|(resource, action, key, count)| {
                let done = action.participle();
                match count {
                    1 => format!("{} {done}", self.object(key)),
                    count => format!("{count} {resource} {done}"),
                }
            });
        let mut shown: Vec<String> = shown.collect();
        if more > 0 {
            shown.push(format!("{more} more"));
        }
        shown.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_names_single_objects_and_counts_several() {
        let names = Names::new(&Catalogue::default(), "default");
        assert_eq!(
            names.object("deployments.apps/default/web"),
            "deployment.apps/web"
        );
        assert_eq!(names.object("pods/blue/a"), "pod/a in blue");
        assert_eq!(names.object("nodes/_cluster/a"), "node/a");
        assert_eq!(names.object("odds.x.io/_cluster/a"), "odds.x.io/a");
        let changes = [
            ("pods/default/a", ChangeKind::Created),
            ("pods/default/b", ChangeKind::Created),
            ("replicasets.apps/default/r", ChangeKind::Updated),
            ("nodes/_cluster/n", ChangeKind::Deleted),
            ("events/default/e", ChangeKind::Created),
        ];
        let all = "2 pods created, replicaset.apps/r updated, node/n deleted, 1 more";
        assert_eq!(names.summary(changes.into_iter()), all);
        assert_eq!(names.summary(changes.into_iter().take(1)), "pod/a created");
    }
}
