//! The owner tree: each object below its controller.
//!
//! Must not know: where objects come from, or how a tree is drawn.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::api::json::Value;
use crate::cluster::Revision;
use crate::kinds::tree::{field, flag, list, text};
use crate::kinds::{columns, rollout};
use crate::rollout::Rollout;
use crate::snapshot::{Item, Scope, Snapshot};
use crate::status::Status;

/// The maximum length of an owner chain. Without it, a malicious file could nest objects deeper than the stack allows.
const DEEPEST: usize = 32;

/// The objects of a scope at one revision, arranged by owner.
///
/// ```
/// use ctl_cluster::testing::{in_memory, place, pod};
/// use ctl_scene::{Row, Scene, Scope, Snapshot, tree};
///
/// let cluster = in_memory();
/// cluster.create(&place("pods"), &pod("web"), &Default::default())?;
/// let scope = Scope::namespace("default");
/// let scene: Scene = tree(&Snapshot::read(&cluster, &scope, None)?, &scope);
/// for Row { node, depth, .. } in scene.rows() {
///     println!("{}{}", "  ".repeat(depth), node.label());
/// }
/// assert!(scene.roots.iter().any(|root| root.name == "web"));
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// The revision.
    pub revision: Revision,
    /// The cluster's time at the revision.
    pub time: Timestamp,
    /// The objects without an owner in the scene, sorted by namespace, kind and name.
    pub roots: Vec<Node>,
}

/// An object in a scene.
///
/// ```
/// use ctl_scene::{Node, State};
///
/// /// Counts the objects of a tree that fail.
/// fn failing(node: &Node) -> usize {
///     let below: usize = node.children.iter().map(failing).sum();
///     below + usize::from(node.status.state == State::Failing)
/// }
///
/// assert_eq!(failing(&Node::default()), 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// The kind, such as `ReplicaSet`.
    pub kind: String,
    /// The type in lower case, such as `replicaset`.
    pub resource: String,
    /// The namespace; empty for cluster-scoped objects.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The uid.
    pub uid: String,
    /// The state, with its reason and the next step.
    pub status: Status,
    /// The age, formatted as by kubectl.
    pub age: String,
    /// The creation time.
    pub created: Option<Timestamp>,
    /// The node of a Pod; empty if it has none.
    pub node: String,
    /// The Pods by template, if the object is a workload that rolls out.
    pub rollout: Option<Rollout>,
    /// The objects owned by this one.
    pub children: Vec<Node>,
}

/// A line of the tree: an object and its position.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The object.
    pub node: &'a Node,
    /// The number of owners above the object.
    pub depth: usize,
    /// For each level below the root, true if more siblings follow.
    pub more: [bool; DEEPEST],
}

impl Node {
    /// Returns `TYPE/NAME`.
    pub fn label(&self) -> String {
        format!("{}/{}", self.resource, self.name)
    }
}

impl Scene {
    /// Returns the objects in preorder: each owner before its dependents.
    pub fn rows(&self) -> Vec<Row<'_>> {
        let mut rows = Vec::new();
        for node in &self.roots {
            push_rows(&mut rows, node, 0, [false; DEEPEST]);
        }
        rows
    }
}

fn push_rows<'a>(rows: &mut Vec<Row<'a>>, node: &'a Node, depth: usize, more: [bool; DEEPEST]) {
    rows.push(Row { node, depth, more });
    for (place, child) in node.children.iter().enumerate() {
        let mut below = more;
        // Chains are cut at the length of the array, so there are no deeper levels.
        if let Some(level) = below.get_mut(depth) {
            *level = place + 1 < node.children.len();
        }
        push_rows(rows, child, depth + 1, below);
    }
}

/// The objects by owner, while the tree is built.
struct Builder<'a> {
    items: Vec<&'a Item>,
    below: HashMap<usize, Vec<usize>>,
    now: Timestamp,
}

/// Arranges the objects of a snapshot by their owners.
pub fn tree(snapshot: &Snapshot, scope: &Scope) -> Scene {
    let items: Vec<&Item> = snapshot.items().collect();
    let parents = parents(&items);
    let mut below: HashMap<usize, Vec<usize>> = HashMap::new();
    for (child, parent) in parents.iter().enumerate() {
        if let Some(parent) = parent {
            below.entry(*parent).or_default().push(child);
        }
    }
    let builder = Builder {
        items,
        below,
        now: snapshot.time,
    };
    let is_root = |at: usize| match &scope.root {
        Some((kind, name)) => {
            let item = builder.items[at];
            std::ptr::eq(item.kind, *kind) && metadata(item, "name") == name
        }
        None => parents[at].is_none() && builder.is_shown(at),
    };
    let roots = (0..builder.items.len()).filter(|at| is_root(*at));
    let mut roots: Vec<Node> = roots.map(|at| builder.node(at)).collect();
    // Sorted by kind before name, as in `kubectl get all`.
    roots.sort_by_cached_key(|node| (node.namespace.clone(), node.kind.clone(), node.name.clone()));
    Scene {
        revision: snapshot.revision,
        time: snapshot.time,
        roots,
    }
}

impl Builder<'_> {
    /// Returns true if the tree shows an object that has no owner. Nodes are omitted, and so are custom resources
    /// without dependents.
    fn is_shown(&self, at: usize) -> bool {
        let kind = self.items[at].kind;
        !kind.hosts_pods() && (kind.custom.is_none() || self.below.contains_key(&at))
    }

    fn node(&self, at: usize) -> Node {
        let item = self.items[at];
        let mut below = self.below.get(&at).cloned().unwrap_or_default();
        // ReplicaSets are sorted by revision, so that a rollout reads from old to new.
        below.sort_by_cached_key(|at| {
            let child = self.items[*at];
            (
                child.kind.kind,
                revision(&child.object),
                metadata(child, "name").to_owned(),
            )
        });
        let own = |name: &str| metadata(item, name).to_owned();
        let mut node = Node {
            kind: item.kind.kind.to_owned(),
            resource: item.kind.singular.to_owned(),
            namespace: own("namespace"),
            name: own("name"),
            uid: own("uid"),
            status: Status::from_object(item.kind, &item.object, self.now),
            age: columns::age(&item.object, self.now),
            created: own("creationTimestamp").parse().ok(),
            node: text(field(&item.object, "spec"), "nodeName").to_owned(),
            rollout: None,
            children: below.iter().map(|at| self.node(*at)).collect(),
        };
        // The children have the same order as `below`.
        let template = |place: usize| crate::rollout::template(&self.items[below[place]].object);
        node.rollout = crate::rollout::of(item.kind, &item.object, &node, &template);
        node
    }
}

fn metadata<'a>(item: &'a Item, name: &str) -> &'a str {
    text(field(&item.object, "metadata"), name)
}

/// Returns the revision of a ReplicaSet; 0 for objects without one.
fn revision(object: &Value) -> u64 {
    let annotations = field(field(object, "metadata"), "annotations");
    text(annotations, rollout::REVISION).parse().unwrap_or(0)
}

/// Returns, for each object, the index of its owner if that is among the objects.
fn parents(items: &[&Item]) -> Vec<Option<usize>> {
    let places = items.iter().enumerate();
    let by_uid: HashMap<&str, usize> = places
        .map(|(at, item)| (metadata(item, "uid"), at))
        // An object that was never stored has no uid. It must not become the owner of all objects without one.
        .filter(|(uid, _)| !uid.is_empty())
        .collect();
    let parent = |item: &&Item| {
        let owners = list(field(&item.object, "metadata"), "ownerReferences");
        // The controller is the parent. Other owners only affect garbage collection.
        let controller = owners.iter().find(|owner| flag(owner, "controller"));
        by_uid
            .get(text(controller.or(owners.first())?, "uid"))
            .copied()
    };
    let mut parents: Vec<Option<usize>> = items.iter().map(parent).collect();
    for at in 0..parents.len() {
        let (mut above, mut depth) = (parents[at], 0);
        while let Some(next) = above {
            (above, depth) = (parents[next], depth + 1);
            // A cycle would have no end, so one of its members becomes a root.
            if depth >= DEEPEST {
                parents[at] = None;
                break;
            }
        }
    }
    parents
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::cluster::{PatchType, testing::place};
    use crate::status::State;
    use crate::testing::{owned_pod, small};

    fn drawn(scene: &Scene) -> Vec<String> {
        let rows = scene.rows();
        let line = |row: &Row<'_>| format!("{}{}", " ".repeat(row.depth), row.node.label());
        rows.iter().map(line).collect()
    }

    #[test]
    fn each_object_is_below_its_controller() {
        let cluster = small();
        let scope = Scope::namespace("default");
        let scene = tree(&Snapshot::read(&cluster, &scope, None).unwrap(), &scope);
        assert_eq!(
            drawn(&scene),
            ["pod/alone", "replicaset/web", " pod/web-a", " pod/web-b"]
        );
        assert_eq!(scene.roots[1].status.state, State::Progressing);
        assert_eq!(scene.roots[1].status.next, "2 Pods to create");
    }

    #[test]
    fn one_object_is_shown_with_its_dependents() {
        let cluster = small();
        let kind = crate::kinds::find("apps", "v1", "ReplicaSet").unwrap();
        let scope = Scope::object(kind, "default", "web");
        let scene = tree(&Snapshot::read(&cluster, &scope, None).unwrap(), &scope);
        assert_eq!(
            drawn(&scene),
            ["replicaset/web", " pod/web-a", " pod/web-b"]
        );
    }

    #[test]
    fn owner_cycle_is_drawn_once_without_hanging() {
        let cluster = small();
        let a = owned_pod(&cluster, "a", None);
        let b = owned_pod(&cluster, "b", Some(("Pod", "a", &a)));
        let back = json!({"metadata": {"ownerReferences": [
            {"apiVersion": "v1", "kind": "Pod", "name": "b", "uid": b, "controller": true}]}});
        let pods = place("pods");
        cluster
            .patch(
                &pods,
                "a",
                (PatchType::Merge, &back),
                false,
                &Default::default(),
            )
            .unwrap();
        let scope = Scope::namespace("default");
        let scene = tree(&Snapshot::read(&cluster, &scope, None).unwrap(), &scope);
        let all = drawn(&scene);
        let shown = |name: &str| all.iter().filter(|line| line.trim() == name).count();
        assert_eq!((shown("pod/a"), shown("pod/b")), (1, 1), "{all:?}");
    }
}
