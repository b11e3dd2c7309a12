//! A Deployment with its ReplicaSets while a plan is made.

use std::cell::Cell;

use super::status::Counts;
use crate::api::int_or_percent::IntOrPercent;
use crate::api::json::{List, Map, Value, json};
use crate::cluster::Place;
use crate::kinds::tree::{at, field, int, opt_int, text};
use crate::runtime::{EventNote, Object, Plan, PlannedWrite, ReconcileContext};
use crate::watched;
use crate::workload::{fnv1a, letters, time};

pub(super) const REVISION: &str = "deployment.kubernetes.io/revision";
pub(super) const HISTORY: &str = "deployment.kubernetes.io/revision-history";
pub(super) const DESIRED: &str = "deployment.kubernetes.io/desired-replicas";
pub(super) const MOST: &str = "deployment.kubernetes.io/max-replicas";
pub(super) const ROLLBACK: &str = "deprecated.deployment.rollback.to";
const APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
pub(super) const HASH: &str = "pod-template-hash";

/// The longest list of revisions in an annotation.
const HISTORY_LENGTH: usize = 2000;

/// The longest name.
const NAME_LENGTH: usize = 253;

/// A ReplicaSet while a plan is made.
#[derive(Clone, Debug)]
pub(super) struct Set {
    /// As it is; nothing where this plan makes it.
    pub(super) object: Option<Object>,
    pub(super) name: String,
    /// The size that it had.
    pub(super) was: i64,
    /// The size that it gets.
    pub(super) size: i64,
    pub(super) counts: Counts,
    /// Annotations that it gets.
    annotations: Map,
    min_ready: Option<i64>,
    rule: String,
    /// The events to emit, each with its position.
    told: Vec<(usize, EventNote)>,
    /// When its turn is among those that are written.
    pub(super) turn: usize,
}

impl Set {
    fn of(object: &Object) -> Self {
        let size = opt_int(field(object, "spec"), "replicas").unwrap_or(1);
        Self {
            object: Some(object.clone()),
            name: object.name().to_owned(),
            was: size,
            size,
            counts: Counts::of(object),
            annotations: Map::new(),
            min_ready: None,
            rule: String::new(),
            told: Vec::new(),
            turn: 0,
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

    /// When it was made, and its name where that is the same: one that is made now is the latest.
    pub(super) fn age(&self) -> (bool, Option<jiff::Timestamp>, &str) {
        let created = self.object.as_ref();
        let at = created.and_then(|o| time(&o["metadata"]["creationTimestamp"]));
        (created.is_none(), at, &self.name)
    }

    fn annotate(&mut self, name: &str, value: &str) {
        if self.annotation(name) != Some(value) {
            self.annotations.insert(name.to_owned(), json!(value));
        }
    }
}

/// A Deployment with its ReplicaSets while a plan is made.
pub(super) struct Rollout<'a> {
    pub(super) deployment: &'a Object,
    pub(super) context: &'a ReconcileContext<'a>,
    /// How many Pods are wanted.
    pub(super) wanted: i64,
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
    /// How much is told of sets.
    told: Cell<usize>,
}

impl<'a> Rollout<'a> {
    pub(super) fn new(
        deployment: &'a Object,
        sets: &[&Object],
        context: &'a ReconcileContext<'a>,
    ) -> Self {
        let template = at(deployment, &["spec", "template"]);
        let mut sets: Vec<Set> = sets.iter().map(|set| Set::of(set)).collect();
        sets.sort_by(|a, b| a.age().cmp(&b.age()));
        let same = |set: &Set| {
            let object = set.object.as_ref();
            object.is_some_and(|o| same_template(at(o, &["spec", "template"]), template))
        };
        let new = sets.iter().position(same).map(|i| sets.remove(i));
        let conditions = at(deployment, &["status", "conditions"]).as_array();
        Self {
            deployment,
            context,
            wanted: opt_int(field(deployment, "spec"), "replicas").unwrap_or(1),
            new,
            old: sets,
            conditions: conditions.cloned().unwrap_or_default(),
            claims: Vec::new(),
            also: Vec::new(),
            events: Vec::new(),
            revision: None,
            told: Cell::new(0),
        }
    }

    fn tell_of(&self, set: &mut Set, message: String) {
        let note = EventNote::normal(self.deployment, "ScalingReplicaSet", message);
        set.told
            .push((self.told.replace(self.told.get() + 1), note));
    }

    /// How many Pods may be there beyond the wanted ones.
    pub(super) fn surge(&self) -> i64 {
        self.bounds().0
    }

    /// How many of the wanted Pods may be away.
    pub(super) fn away(&self) -> i64 {
        self.bounds().1.min(self.wanted)
    }

    fn bounds(&self) -> (i64, i64) {
        let strategy = at(self.deployment, &["spec", "strategy"]);
        if text(strategy, "type") == "Recreate" || self.wanted == 0 {
            let surge = if text(strategy, "type") == "Recreate" {
                0
            } else {
                self.surge_of(strategy)
            };
            return (surge, 0);
        }
        let away = field(field(strategy, "rollingUpdate"), "maxUnavailable");
        let away = IntOrPercent::from_value(away).and_then(|v| v.scaled(self.wanted, false));
        let (surge, away) = (self.surge_of(strategy), away.unwrap_or(0));
        // With neither, nothing could ever happen.
        (surge, if surge == 0 && away == 0 { 1 } else { away })
    }

    fn surge_of(&self, strategy: &Value) -> i64 {
        let surge = field(field(strategy, "rollingUpdate"), "maxSurge");
        let surge = IntOrPercent::from_value(surge);
        surge.and_then(|v| v.scaled(self.wanted, true)).unwrap_or(0)
    }

    /// All ReplicaSets, the old ones first.
    pub(super) fn all(&self) -> impl Iterator<Item = &Set> {
        self.old.iter().chain(&self.new)
    }

    /// Brings the ReplicaSet of the template up to date, and makes it where it is missing and wanted.
    pub(super) fn find_new(&mut self, make: bool) {
        let revision = self.old.iter().map(Set::revision).max().unwrap_or(0) + 1;
        let progress = self.has_deadline() && self.condition("Progressing").is_none();
        match self.new.take() {
            Some(mut set) => {
                self.annotate(&mut set, revision);
                let min_ready = int(field(self.deployment, "spec"), "minReadySeconds");
                let own = set
                    .object
                    .as_ref()
                    .map_or(&Value::Null, |o| field(o, "spec"));
                if int(own, "minReadySeconds") != min_ready {
                    set.min_ready = Some(min_ready);
                }
                self.revision = set.annotation(REVISION).map(str::to_owned);
                if progress {
                    let message = format!("Found new replica set \"{}\"", set.name);
                    self.set_condition("Progressing", "True", "FoundNewReplicaSet", &message);
                }
                self.new = Some(set);
            }
            None if make => self.make_new(revision),
            None => {}
        }
    }

    fn make_new(&mut self, revision: i64) {
        let mut set = Set {
            object: None,
            name: self.new_name(),
            was: 0,
            size: 0,
            counts: Counts::default(),
            annotations: Map::new(),
            min_ready: None,
            rule: "new-replica-set: no replica set has this template".to_owned(),
            told: Vec::new(),
            turn: 0,
        };
        self.annotate(&mut set, revision);
        set.size = self.new_size(&set);
        set.was = set.size;
        set.annotate(DESIRED, &self.wanted.to_string());
        set.annotate(MOST, &(self.wanted + self.surge()).to_string());
        if set.size > 0 {
            let text = format!("Scaled up replica set {} from 0 to {}", set.name, set.size);
            self.tell_of(&mut set, text);
        }
        self.revision = Some(revision.to_string());
        if self.has_deadline() {
            let message = format!("Created new replica set \"{}\"", set.name);
            self.set_condition("Progressing", "True", "NewReplicaSetCreated", &message);
        }
        self.new = Some(set);
    }

    /// Gives a set the Deployment's annotations and the revision.
    fn annotate(&self, set: &mut Set, revision: i64) {
        let skipped = [APPLIED, REVISION, HISTORY, DESIRED, MOST, ROLLBACK];
        let annotations = at(self.deployment, &["metadata", "annotations"]).as_object();
        for (name, value) in annotations.into_iter().flatten() {
            if !skipped.contains(&name.as_str()) {
                set.annotate(name, value.as_str().unwrap_or_default());
            }
        }
        let old = set.annotation(REVISION).map(str::to_owned);
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
        let template = at(self.deployment, &["spec", "template"]).to_string();
        let collisions = opt_int(field(self.deployment, "status"), "collisionCount");
        let seed = collisions.map(|c| c.to_string()).unwrap_or_default();
        letters(fnv1a(format!("{template}{seed}").as_bytes()))
    }

    fn new_name(&self) -> String {
        let hash = self.hash();
        let mut name = self.deployment.name().to_owned();
        name.truncate(NAME_LENGTH - hash.len() - 1);
        format!("{name}-{hash}")
    }

    /// Sets the size of a set, and says so.
    pub(super) fn resize(&self, set: &mut Set, size: i64, why: &str) -> bool {
        if size == set.size {
            return false;
        }
        let (up, from) = (size > set.size, set.size);
        let (word, rule) = if up {
            ("up", "scale-up")
        } else {
            ("down", "scale-down")
        };
        let text = format!(
            "Scaled {word} replica set {} from {from} to {size}",
            set.name
        );
        self.tell_of(set, text);
        set.rule = format!("{rule}: {why}, from {from} to {size}");
        set.size = size;
        self.note_wanted(set);
        true
    }

    /// Notes on a set for which number of wanted Pods it has its size.
    pub(super) fn note_wanted(&self, set: &mut Set) {
        set.annotate(DESIRED, &self.wanted.to_string());
        set.annotate(MOST, &(self.wanted + self.surge()).to_string());
    }

    /// The plan that it comes to.
    pub(super) fn into_plan(mut self) -> Plan {
        let refused = self.refused_new();
        let mut plan = Plan {
            changes: std::mem::take(&mut self.claims),
            ..Plan::default()
        };
        // What is new comes first, so that nothing goes that is not on its way already.
        let mut sets: Vec<Set> = self.new.iter().chain(&self.old).cloned().collect();
        sets.sort_by_key(|set| set.turn);
        let mut told = Vec::new();
        for set in sets {
            let write = match &set.object {
                None => Some(self.creation(&set)),
                Some(object) => change(object, &set),
            };
            if let Some(write) = write {
                let place = plan.changes.len();
                told.extend(set.told.into_iter().map(|(at, note)| (at, place, note)));
                plan.changes.push(write);
            }
        }
        // One set may be resized twice, with another in between: each is told of in its turn, with the
        // write that makes it so or a later one.
        told.sort_by_key(|(at, ..)| *at);
        let mut last = 0;
        for (_, place, note) in told {
            last = place.max(last);
            plan.changes[last].on_success.push(note);
        }
        plan.changes.append(&mut self.also);
        plan.events.append(&mut self.events);
        self.tell(&mut plan, refused);
        plan
    }

    fn creation(&self, set: &Set) -> PlannedWrite {
        let spec = field(self.deployment, "spec");
        let hash = set.name.rsplit('-').next().unwrap_or_default();
        let mut template = field(spec, "template").clone();
        template["metadata"]["labels"][HASH] = json!(hash);
        let mut selector = field(spec, "selector").clone();
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
                "replicas": set.size,
                "minReadySeconds": int(spec, "minReadySeconds"),
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
    if set.size != set.was {
        patch["spec"]["replicas"] = json!(set.size);
    }
    if let Some(seconds) = set.min_ready {
        patch["spec"]["minReadySeconds"] = json!(seconds);
    }
    if patch == json!({}) {
        return None;
    }
    patch["metadata"]["uid"] = json!(object.uid());
    let rule = match set.rule.as_str() {
        "" => "annotate: revision and wanted number",
        rule => rule,
    };
    Some(PlannedWrite::merge(object, patch, rule))
}

/// Returns true if two templates are the same but for the hash that was put in.
pub(super) fn same_template(a: &Value, b: &Value) -> bool {
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

/// A number in an annotation; 0 where it is none.
pub(super) fn number(text: Option<&str>) -> i64 {
    text.and_then(|t| t.parse().ok()).unwrap_or(0)
}
