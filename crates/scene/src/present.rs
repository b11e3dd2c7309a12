//! A cluster at one revision, in the form in which screens display it: the objects as lines, the nodes, the events,
//! the controllers' next steps and the commits of the history. The terminal UI and the web page share it.
//!
//! Must not know: keys, widgets, or the transport.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::{Node, Rollout, Scene, State, Status};

/// An object of the tree, as one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The type in lower case, such as `replicaset`.
    pub resource: String,
    /// The namespace; empty for cluster-scoped objects.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The uid.
    pub uid: String,
    /// The lines of the tree that precede the name.
    pub lead: String,
    /// The number of owners above the object.
    pub depth: usize,
    /// The number of descendants.
    pub below: usize,
    /// The state.
    pub status: Status,
    /// The age, formatted as by kubectl.
    pub age: String,
    /// The creation time.
    pub created: Option<Timestamp>,
    /// The node, if the object is a Pod.
    pub node: String,
    /// The Pods by template, if the object is a workload that rolls out.
    pub rollout: Option<Rollout>,
}

impl Entry {
    /// Returns `TYPE/NAME`.
    pub fn label(&self) -> String {
        format!("{}/{}", self.resource, self.name)
    }
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeRow {
    /// The name.
    pub name: String,
    /// The state.
    pub status: Status,
    /// The states of the displayed Pods on the node.
    pub pods: Vec<State>,
}

/// An event of the API.
///
/// ```
/// use ctl_scene::{Event, Present};
///
/// let warnings = |present: &Present| present.events.iter().filter(|event| event.is_warning).count();
/// let failed = Event { is_warning: true, reason: "Failed".to_owned(), ..Event::default() };
/// let present = Present { events: vec![failed], ..Present::default() };
/// assert_eq!(warnings(&present), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The time since the event was last seen, formatted as by kubectl.
    pub age: String,
    /// The time at which the event was last seen.
    pub time: Option<Timestamp>,
    /// True for the type `Warning`.
    pub is_warning: bool,
    /// The reason.
    pub reason: String,
    /// The object, as `TYPE/NAME`.
    pub object: String,
    /// The message, with the number of occurrences.
    pub message: String,
}

/// One of the next reconciles.
///
/// ```
/// use ctl_scene::Step;
///
/// fn line(step: &Step) -> String {
///     let when = step.at.map_or("now".to_owned(), |time| time.to_string());
///     format!("{when}  {}  {}  {}", step.controller, step.key, step.what)
/// }
///
/// let step = Step {
///     controller: "deployment".to_owned(),
///     key: "default/web".to_owned(),
///     at: None,
///     what: "scale-up".to_owned(),
/// };
/// assert_eq!(line(&step), "now  deployment  default/web  scale-up");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The controller.
    pub controller: String,
    /// The key of the object.
    pub key: String,
    /// The time until which it waits; `None` if it is due now.
    pub at: Option<Timestamp>,
    /// The rules of its writes, or the reason for waiting.
    pub what: String,
}

/// A commit that the timeline can stop at.
///
/// ```
/// use ctl_scene::Stop;
///
/// /// Returns the stop of a mark.
/// fn marked<'s>(stops: &'s [Stop], name: &str) -> Option<&'s Stop> {
///     stops.iter().find(|stop| stop.mark.as_deref() == Some(name))
/// }
/// # assert!(marked(&[], "before-v2").is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stop {
    /// The revision.
    pub revision: u64,
    /// The cluster's time of the commit.
    pub time: Timestamp,
    /// The command line or the controller that wrote it.
    pub writer: String,
    /// The rule that caused the commit.
    pub rule: String,
    /// The name of the mark at this commit.
    pub mark: Option<String>,
}

/// A cluster at one revision.
///
/// ```
/// use ctl_scene::{Entry, NodeRow, Present, Scope, Snapshot, tree};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let scope = Scope::namespace("kube-system");
/// let snapshot = Snapshot::read(&cluster, &scope, None)?;
/// let present = Present::default().with_scene(tree(&snapshot, &scope), Vec::<NodeRow>::new());
/// let labels: Vec<String> = present.entries.iter().map(Entry::label).collect();
/// assert_eq!(present.pods(), (0, 0), "{labels:?}");
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Present {
    /// The revision.
    pub revision: u64,
    /// True if this was the latest revision when it was read, false if an earlier one was requested.
    pub is_live: bool,
    /// The cluster's time.
    pub time: Timestamp,
    /// True if the time advances only by commands.
    pub is_virtual: bool,
    /// The objects in the order of the tree.
    pub entries: Vec<Entry>,
    /// The nodes.
    pub nodes: Vec<NodeRow>,
    /// The events, the newest first.
    pub events: Vec<Event>,
}

impl Present {
    /// Sets the objects of a scene and counts the Pods of each node.
    #[must_use]
    pub fn with_scene(mut self, scene: Scene, mut nodes: Vec<NodeRow>) -> Self {
        (self.revision, self.time) = (scene.revision, scene.time);
        // The namespace is redundant if all objects share one.
        let first = scene.roots.first().map(|node| node.namespace.clone());
        let many = scene
            .roots
            .iter()
            .any(|node| Some(&node.namespace) != first.as_ref());
        let mut entries = Vec::new();
        for node in scene.roots {
            let lead = match many && !node.namespace.is_empty() {
                true => format!("{}: ", node.namespace),
                false => String::new(),
            };
            flatten(&mut entries, node, 0, lead, "");
        }
        let by_name = nodes.iter().enumerate();
        let by_name: HashMap<String, usize> =
            by_name.map(|(at, node)| (node.name.clone(), at)).collect();
        // A Pod on a missing node is not counted.
        for entry in &entries {
            if let Some(at) = by_name.get(&entry.node) {
                nodes[*at].pods.push(entry.status.state);
            }
        }
        for node in &mut nodes {
            // The most alarming states come first, because a long row of Pods is truncated.
            node.pods.sort_by(|a, b| b.cmp(a));
        }
        (self.entries, self.nodes) = (entries, nodes);
        self
    }

    /// Returns the number of ready Pods, and the number of all Pods that have not ended.
    pub fn pods(&self) -> (usize, usize) {
        let pods = self.entries.iter().filter(|entry| entry.resource == "pod");
        // The Pods of a Job end, and the count would never become complete.
        let alive = pods.filter(|pod| pod.status.state != State::Ended);
        alive.fold((0, 0), |(ready, all), pod| {
            let is_ready = pod.status.state == State::Ready;
            (ready + usize::from(is_ready), all + 1)
        })
    }

    /// Returns the workloads with their rollouts.
    pub fn rollouts(&self) -> impl Iterator<Item = (&Entry, Rollout)> {
        self.entries
            .iter()
            .filter_map(|entry| Some((entry, entry.rollout?)))
    }
}

/// Appends an object and its descendants. `above` holds the lines of the tree that run beside its children.
fn flatten(entries: &mut Vec<Entry>, node: Node, depth: usize, lead: String, above: &str) {
    let own = entries.len();
    entries.push(Entry {
        resource: node.resource,
        namespace: node.namespace,
        name: node.name,
        uid: node.uid,
        lead,
        depth,
        below: 0,
        status: node.status,
        age: node.age,
        created: node.created,
        node: node.node,
        rollout: node.rollout,
    });
    let count = node.children.len();
    for (place, child) in node.children.into_iter().enumerate() {
        let (branch, beside) = match place + 1 < count {
            true => ("├─ ", "│  "),
            false => ("└─ ", "   "),
        };
        let (lead, above) = (format!("{above}{branch}"), format!("{above}{beside}"));
        flatten(entries, child, depth + 1, lead, &above);
    }
    // Set last, after the children have appended their entries.
    entries[own].below = entries.len() - own - 1;
}
