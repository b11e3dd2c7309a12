//! PersistentVolumes and their claims: binding, dynamic provisioning and reclaiming.
//!
//! A class whose provisioner is not `kubernetes.io/no-provisioner` gets its volumes from a fake
//! provisioner, and they grow if the class allows it. With `--pods running` nothing provisions or resizes.
//!
//! Rules:
//! - `bind`: a claim and a volume are bound to each other.
//! - `provision`: a volume is created for a claim.
//! - `resize`: a claim requests more than its volume has, and the class allows expansion.
//! - `phase`: the phase of a claim or a volume is updated to match the other one.
//! - `release`: the claim of a volume no longer exists, or is bound to another one.
//! - `reclaim`: the claim no longer exists and the reclaim policy is Delete; the volume is deleted.
//! - `recycle`: the claim no longer exists and the reclaim policy is Recycle; a Pod empties the volume.
//! - `protect`, `unprotect`: finalizers keep claims, volumes and VolumeAttributesClasses while they are in use.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::volume_match::{fits, is_for, not_for, why_not};
use super::{views, watched};
use crate::api::json::{Value, json};
use crate::api::quantity::Quantity;
use crate::cluster::{Part, PatchType, Place, Verb};
use crate::kinds::admission::classes::{default_storage_class, wants_storage_class};
use crate::kinds::condition;
use crate::kinds::moment;
use crate::kinds::tree::{at, field, has, text, texts};
use crate::runtime::{
    Cache, Change, Controller, EventNote, Key, Object, Plan, PlannedWrite, ReconcileContext, Watch,
    events_about,
};

mod attributes_classes;
mod drivers;
mod phase;
mod recycle;

pub(crate) use self::attributes_classes::AttributesClasses;
use self::drivers::{deletes, expand, provision, undeletable};
use self::phase::{
    BY_CONTROLLER, MISBOUND, NO_REFERENCE, NO_VOLUME, PROVISIONED_BY, lost, phase, unbinding,
};

// Annotations and finalizers are the contract with kubectl, CSI sidecars and backup tools, so they have upstream's
// exact names.
const COMPLETED: &str = "pv.kubernetes.io/bind-completed";
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
/// The interval at which upstream's controller looks at every claim again, and reports again why one is not bound.
const RESYNC: SignedDuration = SignedDuration::from_secs(15);
/// The reason and the message of the event about a claim without a Pod.
const WAIT_FOR_CONSUMER: (&str, &str) = (
    "WaitForFirstConsumer",
    "waiting for first consumer to be created before binding",
);
/// The rule by which volumes grow.
const RESIZE: &str = "resize";
/// The rule by which volumes are emptied.
const RECYCLE: &str = "recycle";
const CLAIM_FINALIZER: &str = "kubernetes.io/pvc-protection";
const VOLUME_FINALIZER: &str = "kubernetes.io/pv-protection";

fn claims() -> &'static crate::kinds::Kind {
    watched::claims()
}

fn volumes() -> &'static crate::kinds::Kind {
    watched::persistent_volumes()
}

/// Binds claims to volumes.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    /// The claims whose request grew, until their event is recorded.
    grown: BTreeSet<Key>,
    /// The claims that were seen before the scheduler chose anything for them, until they are reconciled.
    fresh: BTreeSet<Key>,
    /// The last message about each unbound claim, its time and the revision of the claim.
    told: BTreeMap<Key, (Timestamp, u64, String)>,
}

impl Controller for Claims {
    fn name(&self) -> &'static str {
        "persistentvolume-binder"
    }

    fn component(&self) -> &'static str {
        "persistentvolume-controller"
    }

    fn watches(&self) -> Vec<Watch> {
        let waiting = |_: &_, cache: &Cache| -> Vec<Key> {
            let claims = cache.list(claims(), "");
            let open = claims.filter(|c| views::claim(c).phase() != "Bound");
            open.map(|c| c.key().clone()).collect()
        };
        let volumes = Watch::new(volumes(), |change, cache| {
            let mut keys = Vec::new();
            for volume in change.versions() {
                let claim = views::volume(volume).claim();
                if has(claim, "name") {
                    keys.push(Key::new(text(claim, "namespace"), text(claim, "name")));
                } else {
                    let open = cache.list(claims(), "");
                    // A free volume may suit any claim that is still unbound, so all of them are reconciled.
                    let open = open.filter(|c| views::claim(c).volume_name().is_empty());
                    keys.extend(open.map(|c| c.key().clone()));
                }
            }
            keys
        });
        let pods = Watch::new(watched::pods(), |change, _| {
            let waits = |pod: &Object| condition::status(pod, "PodScheduled") == "False";
            // Most writes of a Pod do not affect its claims. Relevant are those that release a claim (the end of the
            // Pod) and those that the events of a waiting claim report.
            let over = change.after.is_none()
                || change.differs("/status/phase")
                || change.before.is_none()
                || change.after.as_ref().is_some_and(waits)
                    && !change.before.as_ref().is_some_and(waits);
            let pod = change.object().into_iter().filter(|_| over);
            pod.flat_map(|pod| {
                let names = claims_of(pod);
                names
                    .into_iter()
                    .map(|name| Key::new(pod.namespace(), &name))
                    .collect::<Vec<_>>()
            })
            .collect()
        });
        let classes = Watch::new(watched::storage_classes(), waiting);
        vec![Watch::own(claims()), volumes, pods, classes]
    }

    // A reconcile sees only the current request, so growth has to be recorded when the change is observed.
    fn observe(&mut self, change: &Change, _: &Cache) {
        let Some(after) = &change.after else {
            return;
        };
        if after.kind() != watched::claims() {
            return;
        }
        match &change.before {
            Some(before) if requested(after) > requested(before) => {
                self.grown.insert(after.key().clone());
            }
            None if after.annotation(SELECTED_NODE).is_none() => {
                self.fresh.insert(after.key().clone());
            }
            _ => {}
        }
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let grown = self.grown.remove(context.key);
        let is_fresh = self.fresh.remove(context.key);
        let Some(claim) = context.cache.by_key(claims(), context.key) else {
            self.told.remove(context.key);
            return plan;
        };
        expand(claim, context, &mut plan);
        // A request that grew before this process started is seen by its expansion.
        let expands = !plan.changes.is_empty();
        if (grown || expands) && views::claim(claim).phase() == "Bound" {
            let message = "waiting for an external controller to expand this PVC";
            let note = EventNote::normal(claim, "ExternalExpanding", message);
            plan.events.push(note.reported_by("volume_expand"));
        }
        protect(claim, context.cache, &mut plan);
        // Each of these writes raises the resourceVersion that binding records in `claimRef`, so binding waits for
        // the next reconcile.
        if !plan.changes.is_empty() || claim.is_terminating() {
            return plan;
        }
        let told = plan.events.len();
        match views::claim(claim).volume_name() {
            "" => {
                if is_fresh {
                    tell_of_waiting(claim, context.cache, &mut plan);
                }
                unbound(claim, context, &mut plan);
            }
            name => named(claim, name, context, &mut plan),
        }
        if plan.events.len() > told {
            let after = self.resync(context, claim, &mut plan);
            plan.idle_requeue_in(after);
        } else {
            self.told.remove(context.key);
        }
        plan
    }
}

impl Claims {
    /// Drops the event if a claim is reconciled early because of other claims and volumes. Returns the time to the next one.
    fn resync(
        &mut self,
        context: &ReconcileContext<'_>,
        claim: &Object,
        plan: &mut Plan,
    ) -> SignedDuration {
        let (Some(last), now, revision) = (plan.events.last(), context.now, claim.revision())
        else {
            return RESYNC;
        };
        let since = match self.told.get(context.key) {
            Some((since, seen, message)) => {
                ((*seen, message) == (revision, &last.message)).then_some(*since)
            }
            // Each `settle` is a new process, and a second one must not count what the first has reported.
            None => reported(claim, &last.reason, context.cache),
        };
        if let Some(since) = since
            && now.duration_since(since) < RESYNC
        {
            let told = (since, revision, last.message.clone());
            self.told.insert(context.key.clone(), told);
            plan.events.pop();
            return RESYNC - now.duration_since(since);
        }
        let told = (now, revision, last.message.clone());
        self.told.insert(context.key.clone(), told);
        RESYNC
    }
}

/// Returns the time of the last event with a reason about the present version of a claim.
fn reported(claim: &Object, reason: &str, cache: &Cache) -> Option<Timestamp> {
    let events = events_about(claim, cache);
    let since = events.filter(|event| event.revision() > claim.revision());
    let since = since.filter(|event| text(event, "reason") == reason);
    since
        .filter_map(|event| text(event, "lastTimestamp").parse().ok())
        .max()
}

/// Returns the claims that a Pod uses.
fn claims_of(pod: &Object) -> Vec<String> {
    let mut names = Vec::new();
    for volume in views::pod(pod).volumes() {
        let claim = text(field(volume, "persistentVolumeClaim"), "claimName");
        if !claim.is_empty() {
            names.push(claim.to_owned());
        } else if has(volume, "ephemeral") {
            names.push(format!("{}-{}", pod.name(), text(volume, "name")));
        }
    }
    names
}

/// Keeps a claim while Pods use it; every claim gets the finalizer.
fn protect(claim: &Object, cache: &Cache, plan: &mut Plan) {
    let has_it = claim.has_finalizer(CLAIM_FINALIZER);
    let finalizers = views::meta(claim).finalizers();
    if !claim.is_terminating() && !has_it {
        let mut all = finalizers.to_vec();
        all.push(json!(CLAIM_FINALIZER));
        let patch = json!({"metadata": {"finalizers": all}});
        plan.changes.push(PlannedWrite::merge(
            claim,
            patch,
            "protect: the claim lacks the finalizer pvc-protection",
        ));
    }
    if claim.is_terminating() && has_it {
        let mut pods = cache.list(watched::pods(), claim.namespace());
        let used = pods.any(|pod| {
            // As in pvc-protection-controller, a Pod without a node uses nothing, since the kubelet starts no Pod whose
            // claim is terminating, and one that has ended still does.
            let bound = views::pod(pod).is_scheduled();
            bound && claims_of(pod).iter().any(|name| name == claim.name())
        });
        if !used {
            let left = views::meta(claim).finalizers_without(CLAIM_FINALIZER);
            let patch = json!({"metadata": {"finalizers": left}});
            plan.changes.push(PlannedWrite::merge(
                claim,
                patch,
                "unprotect: no Pod uses the claim",
            ));
        }
    }
}

/// Plans for a claim without a volume name.
fn unbound(claim: &Object, context: &ReconcileContext<'_>, plan: &mut Plan) {
    if claim.annotation(COMPLETED).is_some() {
        return lost(claim, &NO_REFERENCE, plan);
    }
    let class_name = views::claim(claim).storage_class_name();
    let class = context
        .cache
        .get(watched::storage_classes(), "", class_name);
    let mut found: Vec<&Object> = context
        .cache
        .list(volumes(), "")
        .filter(|v| fits(v, claim))
        .collect();
    // First a volume made for the claim, then the smallest that suffices.
    found.sort_by_cached_key(|v| {
        let modes = texts(field(v, "spec"), "accessModes").count();
        (!is_for(v, claim), modes, capacity(v), v.name().to_owned())
    });
    let waits = class.is_some_and(|c| text(c, "volumeBindingMode") == "WaitForFirstConsumer");
    let chosen = claim.annotation(SELECTED_NODE).is_some();
    let own = found.first().filter(|v| is_for(v, claim)).copied();
    // The scheduler chooses the node first, because a local volume can be used on one node only. A volume that names
    // the claim leaves no choice, so that pair is bound at once.
    if waits && !chosen && own.is_none() {
        return tell_of_consumers(claim, context.cache, plan);
    }
    if let Some(volume) = own.or_else(|| found.first().copied()) {
        return bind(claim, volume, true, context, plan);
    }
    // `RetroactiveDefaultStorageClass`: a claim without a class takes the default class even if that was created
    // after the claim.
    if wants_storage_class(claim) {
        let classes = context.cache.list(watched::storage_classes(), "");
        let classes: Vec<Value> = classes.map(|class| (**class).clone()).collect();
        if let Some(name) = default_storage_class(&classes) {
            let patch = json!({"spec": {"storageClassName": name}});
            let why = "classify: there is a default StorageClass now";
            return plan.changes.push(PlannedWrite::merge(claim, patch, why));
        }
    }
    match class {
        Some(class) => match drivers::external(views::provisioner(class)) {
            Some(provisioner) => provision(claim, class, provisioner, context, plan),
            None => {
                let name = views::provisioner(class);
                let message = format!("no volume plugin matched name: {name}");
                plan.events
                    .push(EventNote::warning(claim, "ProvisioningFailed", message));
            }
        },
        None if class_name.is_empty() => {
            let message =
                "no persistent volumes available for this claim and no storage class is set";
            emit_event(claim, plan, "FailedBinding", message);
        }
        None => {
            let message = format!("storageclass.storage.k8s.io \"{class_name}\" not found");
            plan.events
                .push(EventNote::warning(claim, "ProvisioningFailed", message));
        }
    }
}

/// Reports that a claim waited for a consumer which the scheduler has already served.
// The volume controller of Kubernetes looks at a new claim before the scheduler at its Pod.
fn tell_of_waiting(claim: &Object, cache: &Cache, plan: &mut Plan) {
    let class = views::claim(claim).storage_class_name();
    let class = cache.get(watched::storage_classes(), "", class);
    let waits = class.is_some_and(|c| text(c, "volumeBindingMode") == "WaitForFirstConsumer");
    let is_reserved = |v: &Object| is_for(v, claim) && v.annotation(BY_CONTROLLER).is_some();
    let served =
        || claim.annotation(SELECTED_NODE).is_some() || cache.list(volumes(), "").any(is_reserved);
    if waits && served() {
        emit_event(claim, plan, WAIT_FOR_CONSUMER.0, WAIT_FOR_CONSUMER.1);
    }
}

/// Reports the reason why a `WaitForFirstConsumer` claim is not bound: no Pod exists, or no Pod has a node.
fn tell_of_consumers(claim: &Object, cache: &Cache, plan: &mut Plan) {
    let pods = cache.list(watched::pods(), claim.namespace());
    // The scheduler of the cluster places a Pod before this controller looks again, unless it refused it.
    let waits = |pod: &Object| {
        condition::status(pod, "PodScheduled") == "False"
            || !matches!(views::pod(pod).scheduler_name(), "" | "default-scheduler")
    };
    let waiting = pods.filter(|pod| {
        waits(pod)
            && views::pod(pod).node_name().is_empty()
            && !views::pod(pod).has_ended()
            && claims_of(pod).iter().any(|name| name == claim.name())
    });
    let names: Vec<&str> = waiting.map(Object::name).collect();
    let (reason, message) = match names.as_slice() {
        [] => (WAIT_FOR_CONSUMER.0, WAIT_FOR_CONSUMER.1.to_owned()),
        [one] => (
            "WaitForPodScheduled",
            format!("waiting for pod {one} to be scheduled"),
        ),
        all => (
            "WaitForPodScheduled",
            format!("waiting for pods {} to be scheduled", all.join(",")),
        ),
    };
    emit_event(claim, plan, reason, &message);
}

fn emit_event(claim: &Object, plan: &mut Plan, reason: &str, message: &str) {
    plan.events.push(EventNote::normal(claim, reason, message));
}

fn capacity(volume: &Value) -> Quantity {
    views::volume(volume).capacity()
}

fn requested(claim: &Value) -> Quantity {
    views::claim(claim).requested()
}

/// Plans for a claim with a volume name.
fn named(claim: &Object, name: &str, context: &ReconcileContext<'_>, plan: &mut Plan) {
    let completed = claim.annotation(COMPLETED).is_some();
    let Some(volume) = context.cache.get(volumes(), "", name) else {
        if completed {
            lost(claim, &NO_VOLUME, plan);
        }
        return;
    };
    let reference = views::volume(volume).claim();
    let is_reserved = has(reference, "name");
    let taken = is_reserved && !is_for(volume, claim);
    match () {
        // A claim that is marked as bound needs its uid in the volume: a reservation by name is not enough.
        () if completed && is_reserved && text(reference, "uid") != claim.uid() => {
            lost(claim, &MISBOUND, plan);
        }
        () if taken => {
            let message = format!("volume \"{name}\" already bound to a different claim.");
            plan.events
                .push(EventNote::warning(claim, "FailedBinding", message));
        }
        // A pair that a user bound on both sides may even be too small.
        () => match why_not(volume, claim).filter(|_| !is_reserved && !completed) {
            None => bind(claim, volume, false, context, plan),
            Some(why) => {
                let message = format!("Cannot bind to requested volume \"{name}\": {why}");
                plan.events
                    .push(EventNote::warning(claim, "VolumeMismatch", message));
            }
        },
    }
}

/// Makes both objects refer to each other, and then marks them as bound.
fn bind(
    claim: &Object,
    volume: &Object,
    chosen: bool,
    context: &ReconcileContext<'_>,
    plan: &mut Plan,
) {
    let rule = format!("bind: claim {} to volume {}", claim.name(), volume.name());
    let reference = views::volume(volume).claim();
    if text(reference, "uid") != claim.uid() {
        let by_us = !has(reference, "name");
        let mut patch = json!({"spec": {"claimRef": {
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": claim.namespace(),
            "name": claim.name(), "uid": claim.uid(), "resourceVersion": claim.revision().to_string(),
        }}});
        // Another claim may take the volume in the same batch: only one write of the current version succeeds, and the
        // binding of the other claim, in a later wave, is skipped.
        patch["metadata"] = json!({"resourceVersion": volume.revision().to_string()});
        if by_us {
            patch["metadata"]["annotations"] = json!({BY_CONTROLLER: "yes"});
        }
        plan.changes
            .push(PlannedWrite::merge(volume, patch, rule.clone()).in_wave(1));
    }
    let named = views::claim(claim).volume_name() == volume.name();
    if !named || claim.annotation(COMPLETED).is_none() {
        let mut annotations = json!({COMPLETED: "yes"});
        if chosen && !named {
            annotations[BY_CONTROLLER] = json!("yes");
        }
        // The volume is written first (wave 1): a volume reserved for a claim is bound by the next reconcile if the
        // second write fails, while a claim that already counts as bound could lose its volume to another one.
        let patch = json!({"metadata": {"annotations": annotations}, "spec": {"volumeName": volume.name()}});
        plan.changes
            .push(PlannedWrite::merge(claim, patch, rule).in_wave(2));
        return;
    }
    let mut status = field(claim, "status").clone();
    // Afterwards only the driver that grows a volume reports its size.
    if views::claim(claim).phase() != "Bound" || drivers::grows(volume, context) {
        status["capacity"] = json!({"storage": capacity(volume).to_string()});
    }
    let attributes = views::volume(volume).attributes_class_name();
    if views::claim(claim).phase() == "Pending" && !attributes.is_empty() {
        status["currentVolumeAttributesClassName"] = json!(attributes);
    }
    status["phase"] = json!("Bound");
    status["accessModes"] = volume["spec"]["accessModes"].clone();
    plan.status.extend(PlannedWrite::status(
        claim,
        status,
        format!("phase: bound to {}", volume.name()),
    ));
}

/// Follows volumes through their phases.
#[derive(Debug, Default)]
pub(crate) struct Volumes;

impl Controller for Volumes {
    fn name(&self) -> &'static str {
        "persistentvolume"
    }

    fn component(&self) -> &'static str {
        "persistentvolume-controller"
    }

    fn watches(&self) -> Vec<Watch> {
        let claims = Watch::new(claims(), |change, _| {
            let name = change
                .object()
                .map_or("", |c| views::claim(c).volume_name());
            if name.is_empty() {
                Vec::new()
            } else {
                vec![Key::new("", name)]
            }
        });
        vec![Watch::own(volumes()), claims, recycle::watch()]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let Some(volume) = context.cache.by_key(volumes(), context.key) else {
            return plan;
        };
        let phase = phase(volume, context.cache);
        guard(volume, phase, &mut plan);
        plan.changes.extend(unbinding(volume, context.cache));
        if !plan.changes.is_empty() || volume.is_terminating() {
            return plan;
        }
        let now = views::volume(volume).phase();
        let reclaimed = phase == "Released" && views::volume(volume).reclaim_policy() == "Delete";
        let kept = undeletable(volume).filter(|_| reclaimed);
        let recycled = views::volume(volume).reclaim_policy() == "Recycle";
        if recycled && phase == "Released" && now == phase {
            recycle::recycle(volume, context, &mut plan);
            return plan;
        }
        // A volume that could not be reclaimed stays Failed, so that users see it.
        if now != phase && (phase, now) != ("Released", "Failed") {
            let rule = match phase {
                "Released" => "release: its claim no longer exists".to_owned(),
                _ => format!("phase: {now} to {phase}"),
            };
            plan.status.push(phase_of(volume, phase, context.now, rule));
        }
        match kept {
            Some(why) if now == "Released" => {
                let rule = "reclaim: no plugin can delete its storage";
                let write = failed(volume, &why, context.now, rule);
                let told = EventNote::warning(volume, "VolumeFailedDelete", why);
                plan.status.push(write.with_event(told));
            }
            None if reclaimed && deletes(volume, context) => plan.changes.push(
                PlannedWrite::delete(volume, "reclaim: its claim no longer exists, policy Delete")
                    .in_wave(1),
            ),
            _ => {}
        }
        plan
    }
}

fn phase_of(volume: &Object, phase: &str, now: Timestamp, rule: String) -> PlannedWrite {
    let mut status = json!({"phase": phase, "lastPhaseTransitionTime": moment::text(now)});
    // A message explains one phase only.
    if !views::volume(volume).message().is_empty() {
        status["message"] = Value::Null;
    }
    let patch = json!({"status": status});
    PlannedWrite::patch(volume, Part::Status, PatchType::Merge, patch, rule)
}

/// Returns the write of the phase Failed with its reason.
fn failed(volume: &Object, why: &str, now: Timestamp, rule: &str) -> PlannedWrite {
    let mut write = phase_of(volume, "Failed", now, rule.to_owned());
    if let Verb::Patch { patch, .. } = &mut write.verb {
        patch["status"]["message"] = Value::from(why);
    }
    write
}

/// Keeps a volume while it is bound; every volume gets the finalizer.
fn guard(volume: &Object, phase: &str, plan: &mut Plan) {
    let has_it = volume.has_finalizer(VOLUME_FINALIZER);
    let finalizers = views::meta(volume).finalizers();
    if !volume.is_terminating() && !has_it {
        let mut all = finalizers.to_vec();
        all.push(json!(VOLUME_FINALIZER));
        let patch = json!({"metadata": {"finalizers": all}});
        plan.changes.push(PlannedWrite::merge(
            volume,
            patch,
            "protect: the volume lacks the finalizer pv-protection",
        ));
    }
    if volume.is_terminating() && has_it && phase != "Bound" {
        let left = views::meta(volume).finalizers_without(VOLUME_FINALIZER);
        let patch = json!({"metadata": {"finalizers": left}});
        plan.changes.push(PlannedWrite::merge(
            volume,
            patch,
            "unprotect: the volume is not bound",
        ));
    }
}

/// Creates the claims of ephemeral volumes.
#[derive(Debug, Default)]
pub(crate) struct EphemeralClaims;

impl Controller for EphemeralClaims {
    fn name(&self) -> &'static str {
        "ephemeral-volume"
    }

    fn component(&self) -> &'static str {
        "ephemeral_volume"
    }

    fn watches(&self) -> Vec<Watch> {
        let pods = Watch::new(watched::pods(), |change, _| {
            // The volumes of a Pod are immutable, so only its creation can require a claim; the watch on controlled
            // claims covers their deletion.
            let fresh = change.after.iter().filter(|_| change.before.is_none());
            let wants = |p: &&Object| views::pod(p).volumes().iter().any(|v| has(v, "ephemeral"));
            fresh.filter(wants).map(|p| p.key().clone()).collect()
        });
        vec![pods, Watch::controlled(claims(), watched::pods())]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let found = context.cache.by_key(watched::pods(), context.key);
        // A terminating Pod needs no claim any more, and the claim would outlive it.
        let Some(pod) = found.filter(|p| !p.is_terminating()) else {
            return plan;
        };
        for volume in views::pod(pod).volumes() {
            let template = at(volume, &["ephemeral", "volumeClaimTemplate"]);
            if template.is_null() {
                continue;
            }
            let (own, volume) = (pod.name(), text(volume, "name"));
            let name = format!("{own}-{volume}");
            let failed = |why: &str| {
                let message = format!("ephemeral volume {volume}: {why}");
                EventNote::warning(pod, "FailedBinding", message)
            };
            if let Some(claim) = context.cache.get(claims(), pod.namespace(), &name) {
                if !claim.is_controlled_by(pod) {
                    let why = not_for(pod.namespace(), own, &name);
                    plan.events.push(failed(&why));
                    // The claim may be deleted, and then the Pod gets its own.
                    plan.error = Some(why);
                    return plan;
                }
                continue;
            }
            let mut claim = json!({
                "apiVersion": "v1", "kind": "PersistentVolumeClaim",
                "metadata": field(template, "metadata"), "spec": field(template, "spec"),
            });
            if !claim["metadata"].is_object() {
                claim["metadata"] = json!({});
            }
            claim["metadata"]["name"] = json!(name);
            // The reference makes the garbage collector delete the claim with its Pod; nothing else would.
            claim["metadata"]["ownerReferences"] = json!([pod.controller_reference()]);
            let place = Place::new(claims(), pod.namespace());
            let rule = format!("provision: for the Pod {own}");
            let write = PlannedWrite::create(place, claim, rule);
            let refused = failed(&format!("create PVC {name}: {{error}}"));
            plan.changes.push(write.with_failure_event(refused));
        }
        plan
    }
}

#[cfg(test)]
mod tests;
