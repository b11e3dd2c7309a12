//! A Deployment with its ReplicaSets while a plan is made.

use std::cell::Cell;

use super::status::Counts;
use crate::api::int_or_percent::IntOrPercent;
use crate::api::json::{List, Map, Value, json};
use crate::cluster::Place;
use crate::runtime::{EventNote, Object, Plan, PlannedWrite, ReconcileContext};
use crate::views;
use crate::watched;
use crate::workload::{fnv1a, letters};

pub(super) const REVISION: &str = "deployment.kubernetes.io/revision";
pub(super) const HISTORY: &str = "deployment.kubernetes.io/revision-history";
pub(super) const DESIRED_REPLICAS: &str = "deployment.kubernetes.io/desired-replicas";
pub(super) const MAX_REPLICAS: &str = "deployment.kubernetes.io/max-replicas";
pub(super) const ROLLBACK: &str = "deprecated.deployment.rollback.to";
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
pub(super) const HASH: &str = "pod-template-hash";

/// The longest list of revisions in an annotation.
// Upstream's limit for the annotation, which grows with each rollback.
const HISTORY_LENGTH: usize = 2000;

/// The longest name.
const NAME_LENGTH: usize = 253;

/// A ReplicaSet while a plan is made.
#[derive(Clone, Debug)]
pub(super) struct Set {
    /// The current object; `None` if this plan creates it.
    pub(super) object: Option<Object>,
    pub(super) name: String,
    /// The desired replicas before this plan.
    pub(super) replicas_before: i64,
    /// The desired replicas after this plan.
    pub(super) replicas: i64,
    pub(super) counts: Counts,
    /// The annotations to set.
    annotations: Map,
    min_ready: Option<i64>,
    rule: String,
    /// The events to emit, each with its position.
    events: Vec<(usize, EventNote)>,
    /// Its position among the writes.
    pub(super) event_order: usize,
}

impl Set {
    fn from_object(object: &Object) -> Self {
        let replicas = views::workload(object).desired_replicas();
        Self {
            object: Some(object.clone()),
            name: object.name().to_owned(),
            replicas_before: replicas,
            replicas,
            counts: Counts::from_set(object),
            annotations: Map::new(),
            min_ready: None,
            rule: String::new(),
            events: Vec::new(),
            event_order: 0,
        }
    }

    pub(super) fn annotation(&self, name: &str) -> Option<&str> {
        let own = self.annotations.get(name).and_then(Value::as_str);
        own.or_else(|| self.object.as_ref()?.annotation(name))
    }

    pub(super) fn revision(&self) -> i64 {
        number(self.annotation(REVISION))
    }

    pub(super) fn uid(&self) -> &str {
        self.object.as_ref().map_or("", |o| o.uid())
    }

    /// Returns the creation time, and the name to break ties; a set that this plan creates is the youngest.
    pub(super) fn age(&self) -> (bool, Option<jiff::Timestamp>, &str) {
        let created = self.object.as_ref();
        let at = created.and_then(|o| views::meta(o).created());
        (created.is_none(), at, &self.name)
    }

    fn annotate(&mut self, name: &str, value: &str) {
        if self.annotation(name) != Some(value) {
            self.annotations.insert(name.to_owned(), json!(value));
        }
    }
}

/// The bounds of a rolling update, in Pods.
struct RollingBounds {
    max_surge: i64,
    max_unavailable: i64,
}

/// A Deployment with its ReplicaSets while a plan is made.
pub(super) struct Rollout<'a> {
    pub(super) deployment: &'a Object,
    pub(super) context: &'a ReconcileContext<'a>,
    /// The Deployment's `spec.replicas`.
    pub(super) desired_replicas: i64,
    /// The ReplicaSet of the template.
    pub(super) new: Option<Set>,
    /// The others, oldest first.
    pub(super) old: Vec<Set>,
    pub(super) conditions: List,
    pub(super) claims: Vec<PlannedWrite>,
    pub(super) also: Vec<PlannedWrite>,
    pub(super) events: Vec<EventNote>,
    /// The Deployment's annotation.
    pub(super) revision: Option<String>,
    /// The number of scaling events so far, which orders them across sets.
    event_count: Cell<usize>,
}

impl<'a> Rollout<'a> {
    pub(super) fn new(
        deployment: &'a Object,
        sets: &[&Object],
        context: &'a ReconcileContext<'a>,
    ) -> Self {
        let template = views::workload(deployment).template();
        let mut sets: Vec<Set> = sets.iter().map(|set| Set::from_object(set)).collect();
        // Of several ReplicaSets with the template, the oldest is the new one, as in `FindNewReplicaSet`.
        sets.sort_by(|a, b| a.age().cmp(&b.age()));
        let same = |set: &Set| {
            let object = set.object.as_ref();
            object.is_some_and(|o| same_template(views::workload(o).template(), template))
        };
        let new = sets.iter().position(same).map(|i| sets.remove(i));
        Self {
            deployment,
            context,
            desired_replicas: views::workload(deployment).desired_replicas(),
            new,
            old: sets,
            conditions: views::meta(deployment).conditions().into(),
            claims: Vec::new(),
            also: Vec::new(),
            events: Vec::new(),
            revision: None,
            event_count: Cell::new(0),
        }
    }

    fn add_scaling_event(&self, set: &mut Set, message: String) {
        let note = EventNote::normal(self.deployment, "ScalingReplicaSet", message);
        set.events
            .push((self.event_count.replace(self.event_count.get() + 1), note));
    }

    /// Returns the number of Pods allowed beyond the desired number.
    pub(super) fn max_surge(&self) -> i64 {
        self.rolling_bounds().max_surge
    }

    /// Returns the number of desired Pods that may be unavailable.
    pub(super) fn max_unavailable(&self) -> i64 {
        self.rolling_bounds()
            .max_unavailable
            .min(self.desired_replicas)
    }

    fn rolling_bounds(&self) -> RollingBounds {
        let view = views::workload(self.deployment);
        // Without Pods or with Recreate none may be unavailable; the surge still appears in the annotation.
        if view.is_recreate() || self.desired_replicas == 0 {
            let max_surge = if view.is_recreate() {
                0
            } else {
                self.scaled_surge()
            };
            return RollingBounds {
                max_surge,
                max_unavailable: 0,
            };
        }
        // Percentages of maxUnavailable round down and those of maxSurge round up, as in Kubernetes.
        let unavailable = IntOrPercent::from_value(view.max_unavailable())
            .and_then(|v| v.scaled(self.desired_replicas, false));
        let (max_surge, unavailable) = (self.scaled_surge(), unavailable.unwrap_or(0));
        // Both may round to 0; the rollout could then neither add a Pod nor remove one.
        let stuck = max_surge == 0 && unavailable == 0;
        RollingBounds {
            max_surge,
            max_unavailable: if stuck { 1 } else { unavailable },
        }
    }

    fn scaled_surge(&self) -> i64 {
        let surge = views::workload(self.deployment).max_surge();
        let surge = IntOrPercent::from_value(surge);
        surge
            .and_then(|v| v.scaled(self.desired_replicas, true))
            .unwrap_or(0)
    }

    /// Returns all ReplicaSets, old before new.
    pub(super) fn all(&self) -> impl Iterator<Item = &Set> {
        self.old.iter().chain(&self.new)
    }

    /// Updates the annotations of the template's ReplicaSet; creates it if it does not exist and `create`.
    pub(super) fn find_new_set(&mut self, create: bool) {
        // A rollback reuses a ReplicaSet and gives it a new number, so the numbers only grow.
        let revision = self.old.iter().map(Set::revision).max().unwrap_or(0) + 1;
        let progress = self.has_deadline() && self.condition("Progressing").is_none();
        match self.new.take() {
            Some(mut set) => {
                self.annotate(&mut set, revision);
                let min_ready = views::workload(self.deployment).min_ready_seconds();
                let own = set.object.as_ref();
                if own.map_or(0, |o| views::workload(o).min_ready_seconds()) != min_ready {
                    set.min_ready = Some(min_ready);
                }
                self.revision = set.annotation(REVISION).map(str::to_owned);
                if progress {
                    let message = format!("Found new replica set \"{}\"", set.name);
                    self.set_condition("Progressing", "True", "FoundNewReplicaSet", &message);
                }
                self.new = Some(set);
            }
            None if create => self.create_new_set(revision),
            None => {}
        }
    }

    fn create_new_set(&mut self, revision: i64) {
        let mut set = Set {
            object: None,
            name: self.new_name(),
            replicas_before: 0,
            replicas: 0,
            counts: Counts::default(),
            annotations: Map::new(),
            min_ready: None,
            rule: "new-replica-set: no ReplicaSet has this Pod template".to_owned(),
            events: Vec::new(),
            event_order: 0,
        };
        self.annotate(&mut set, revision);
        set.replicas = self.new_set_replicas(&set);
        set.replicas_before = set.replicas;
        set.annotate(DESIRED_REPLICAS, &self.desired_replicas.to_string());
        set.annotate(
            MAX_REPLICAS,
            &(self.desired_replicas + self.max_surge()).to_string(),
        );
        if set.replicas > 0 {
            let text = format!(
                "Scaled up replica set {} from 0 to {}",
                set.name, set.replicas
            );
            self.add_scaling_event(&mut set, text);
        }
        self.revision = Some(revision.to_string());
        if self.has_deadline() {
            let message = format!("Created new replica set \"{}\"", set.name);
            self.set_condition("Progressing", "True", "NewReplicaSetCreated", &message);
        }
        self.new = Some(set);
    }

    /// Copies the Deployment's annotations to a set and sets its revision.
    fn annotate(&self, set: &mut Set, revision: i64) {
        // These belong to the ReplicaSet itself or to kubectl; all other annotations are copied.
        let skipped = [
            LAST_APPLIED,
            REVISION,
            HISTORY,
            DESIRED_REPLICAS,
            MAX_REPLICAS,
            ROLLBACK,
        ];
        let annotations = views::meta(self.deployment).annotations().as_object();
        for (name, value) in annotations.into_iter().flatten() {
            if !skipped.contains(&name.as_str()) {
                set.annotate(name, value.as_str().unwrap_or_default());
            }
        }
        let old = set.annotation(REVISION).map(str::to_owned);
        // It is the newest already, and a repeated reconcile must not raise its number.
        if number(old.as_deref()) >= revision {
            return;
        }
        if let Some(old) = old {
            let history = match set.annotation(HISTORY) {
                None | Some("") => old,
                Some(history) => format!("{history},{old}"),
            };
            let mut history = history.as_str();
            while history.len() > HISTORY_LENGTH {
                history = history.split_once(',').map_or("", |(_, rest)| rest);
            }
            set.annotate(HISTORY, history);
        }
        set.annotate(REVISION, &revision.to_string());
    }

    fn hash(&self) -> String {
        let template = views::workload(self.deployment).template().to_string();
        let collisions = views::meta(self.deployment).collision_count();
        // Another hash after each collision, or the same name would be refused forever.
        let seed = collisions.map(|c| c.to_string()).unwrap_or_default();
        letters(fnv1a(format!("{template}{seed}").as_bytes()))
    }

    fn new_name(&self) -> String {
        let hash = self.hash();
        let mut name = self.deployment.name().to_owned();
        name.truncate(NAME_LENGTH - hash.len() - 1);
        format!("{name}-{hash}")
    }

    /// Scales a set and adds the event; returns false if it has that size already.
    pub(super) fn resize(&self, set: &mut Set, size: i64, why: &str) -> bool {
        if size == set.replicas {
            return false;
        }
        let (up, from) = (size > set.replicas, set.replicas);
        let (word, rule) = if up {
            ("up", "scale-up")
        } else {
            ("down", "scale-down")
        };
        let text = format!(
            "Scaled {word} replica set {} from {from} to {size}",
            set.name
        );
        self.add_scaling_event(set, text);
        set.rule = format!("{rule}: {why}, from {from} to {size}");
        set.replicas = size;
        self.annotate_replicas(set);
        true
    }

    /// Records the desired and maximum replicas that a set was scaled for. The next change of
    /// `spec.replicas` shares the difference by these annotations.
    pub(super) fn annotate_replicas(&self, set: &mut Set) {
        set.annotate(DESIRED_REPLICAS, &self.desired_replicas.to_string());
        set.annotate(
            MAX_REPLICAS,
            &(self.desired_replicas + self.max_surge()).to_string(),
        );
    }

    /// Returns the plan.
    pub(super) fn into_plan(mut self) -> Plan {
        let refused = self.refused_new();
        let mut plan = Plan {
            changes: std::mem::take(&mut self.claims),
            ..Plan::default()
        };
        // The new set is written first: if that fails, no old Pod has been removed for it.
        let mut sets: Vec<Set> = self.new.iter().chain(&self.old).cloned().collect();
        sets.sort_by_key(|set| set.event_order);
        let mut events = Vec::new();
        for set in sets {
            let write = match &set.object {
                None => Some(self.creation(&set)),
                Some(object) => change(object, &set),
            };
            if let Some(write) = write {
                let place = plan.changes.len();
                events.extend(set.events.into_iter().map(|(at, note)| (at, place, note)));
                plan.changes.push(write);
            }
        }
        // A set may be scaled twice in one plan, with another set in between. Events keep the order of
        // these decisions, each attached to the write that makes it true or to a later one.
        events.sort_by_key(|(at, ..)| *at);
        let mut last = 0;
        for (_, place, note) in events {
            last = place.max(last);
            plan.changes[last].on_success.push(note);
        }
        plan.changes.append(&mut self.also);
        plan.events.append(&mut self.events);
        self.write_status(&mut plan, refused);
        plan
    }

    fn creation(&self, set: &Set) -> PlannedWrite {
        let view = views::workload(self.deployment);
        let hash = set.name.rsplit('-').next().unwrap_or_default();
        let mut template = view.template().clone();
        template["metadata"]["labels"][HASH] = json!(hash);
        let mut selector = view.selector().clone();
        selector["matchLabels"][HASH] = json!(hash);
        let object = json!({
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                "name": set.name,
                "namespace": self.deployment.namespace(),
                "labels": template["metadata"]["labels"],
                "annotations": set.annotations,
                "ownerReferences": [self.deployment.controller_reference()],
            },
            "spec": {
                "replicas": set.replicas,
                "minReadySeconds": view.min_ready_seconds(),
                "selector": selector,
                "template": template,
            },
        });
        let place = Place::new(watched::replica_sets(), self.deployment.namespace());
        PlannedWrite::create(place, object, set.rule.clone())
    }
}

/// Returns the change of an existing ReplicaSet.
fn change(object: &Object, set: &Set) -> Option<PlannedWrite> {
    let mut patch = json!({});
    if !set.annotations.is_empty() {
        patch["metadata"]["annotations"] = json!(set.annotations);
    }
    if set.replicas != set.replicas_before {
        patch["spec"]["replicas"] = json!(set.replicas);
    }
    if let Some(seconds) = set.min_ready {
        patch["spec"]["minReadySeconds"] = json!(seconds);
    }
    if patch == json!({}) {
        return None;
    }
    // The patch must not reach another ReplicaSet that has taken the name meanwhile.
    patch["metadata"]["uid"] = json!(object.uid());
    let rule = match set.rule.as_str() {
        "" => "annotate: revision and desired replicas",
        rule => rule,
    };
    Some(PlannedWrite::merge(object, patch, rule))
}

/// Returns true if two templates are equal apart from the `pod-template-hash` label.
pub(super) fn same_template(a: &Value, b: &Value) -> bool {
    // The controller adds this label to each ReplicaSet's template, so the Deployment's template never has it.
    let plain = |template: &Value| {
        let mut template = template.clone();
        if let Some(labels) = template
            .pointer_mut("/metadata/labels")
            .and_then(Value::as_object_mut)
        {
            labels.remove(HASH);
        }
        template
    };
    plain(a) == plain(b)
}

/// Parses the number in an annotation; 0 if it is none.
pub(super) fn number(text: Option<&str>) -> i64 {
    text.and_then(|t| t.parse().ok()).unwrap_or(0)
}
