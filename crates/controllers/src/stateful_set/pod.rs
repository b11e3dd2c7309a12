//! The Pods of a StatefulSet and their claims.

use super::{POD_INDEX, POD_NAME, REVISION, claim_templates, ordinal};
use crate::api::json::{Value, json};
use crate::cluster::Place;
use crate::kinds::tree::{at, field, list, text};
use crate::revisions::Revision;
use crate::runtime::{Cache, EventNote, Failure, Object, PlannedWrite};
use crate::views;
use crate::watched;
use crate::workload::pod_of;

/// The rule by which claims are created.
pub(super) const CLAIM: &str = "claim";

/// Returns the Pod of an ordinal, from a revision's template.
pub(super) fn of(set: &Object, number: i64, revision: &Revision) -> Value {
    let mut pod = pod_of(set, &revision.template());
    let name = format!("{}-{number}", set.name());
    let metadata = &mut pod["metadata"];
    metadata["name"] = json!(name);
    metadata["labels"][POD_NAME] = json!(name);
    metadata["labels"][POD_INDEX] = json!(number.to_string());
    metadata["labels"][REVISION] = json!(revision.name);
    let spec = &mut pod["spec"];
    spec["hostname"] = json!(name);
    // Hostname and subdomain give the Pod its stable DNS name below the governing Service.
    spec["subdomain"] = views::workload(set).service_name().clone();
    let mut volumes = Vec::new();
    for template in claim_templates(set) {
        let volume = text(field(template, "metadata"), "name");
        volumes.push(json!({
            "name": volume,
            "persistentVolumeClaim": {"claimName": claim_name(set, template, number)},
        }));
    }
    // A claim template wins over a volume of the same name in the Pod template.
    let claimed = |v: &Value| volumes.iter().any(|own| own["name"] == v["name"]);
    let others: Vec<Value> = list(spec, "volumes")
        .iter()
        .filter(|v| !claimed(v))
        .cloned()
        .collect();
    volumes.extend(others);
    if !volumes.is_empty() {
        spec["volumes"] = json!(volumes);
    }
    pod
}

fn claim_name(set: &Object, template: &Value, number: i64) -> String {
    let name = text(field(template, "metadata"), "name");
    format!("{name}-{}-{number}", set.name())
}

/// Creates a Pod and records an event.
pub(super) fn creation(set: &Object, pod: Value, number: i64, cache: &Cache) -> PlannedWrite {
    let place = Place::new(watched::pods(), set.namespace());
    let (name, owner) = (format!("{}-{number}", set.name()), set.name());
    let done = format!("Create Pod {name} in StatefulSet {owner} successful");
    let failed = format!("Create Pod {name} in StatefulSet {owner} failed error: {{error}}");
    let write = PlannedWrite::create(place, pod, format!("create: ordinal {number} is missing"))
        .with_event(EventNote::normal(set, "SuccessfulCreate", done));
    // As upstream, the set does not report that a Pod which does not belong to it has the name.
    match cache.get(watched::pods(), set.namespace(), &name) {
        Some(_) => write,
        None => write.with_failure_event(EventNote::warning(set, "FailedCreate", failed)),
    }
}

/// Reports that a Pod or its claims were brought in line with the set.
pub(super) fn updated(set: &Object, number: i64) -> EventNote {
    let owner = set.name();
    let message = format!("Update Pod {owner}-{number} in StatefulSet {owner} successful");
    EventNote::normal(set, "SuccessfulUpdate", message)
}

/// Returns the names of the claims of an ordinal that are missing, with their templates.
fn missing<'a>(set: &'a Object, number: i64, cache: &Cache) -> Vec<(String, &'a Value)> {
    let named = |template| (claim_name(set, template, number), template);
    let mut all: Vec<_> = claim_templates(set).iter().map(named).collect();
    all.retain(|claim| {
        let found = cache.get(watched::claims(), set.namespace(), &claim.0);
        found.is_none()
    });
    all
}

/// Returns the event about a Pod that is not created because these refusals are about its claims; takes the refusals
/// that it reports.
pub(super) fn without_claims<'a>(
    set: &Object,
    number: i64,
    cache: &Cache,
    refused: &mut impl Iterator<Item = &'a Failure>,
) -> Option<EventNote> {
    let (missing, owner) = (missing(set, number, cache), set.name());
    let errors = missing.iter().zip(refused).map(|(claim, failure)| {
        let why = &failure.status.message;
        format!("failed to create PVC {}: {why}", claim.0)
    });
    let errors: Vec<String> = errors.collect();
    let why = match errors.as_slice() {
        [] => return None,
        [one] => one.clone(),
        // Go's aggregate of errors.
        several => format!("[{}]", several.join(", ")),
    };
    let message = format!("Create Pod {owner}-{number} in StatefulSet {owner} failed error: {why}");
    Some(EventNote::warning(set, "FailedCreate", message))
}

/// Returns the claims of an ordinal that are missing.
pub(super) fn claims(set: &Object, number: i64, cache: &Cache) -> Vec<PlannedWrite> {
    let place = Place::new(watched::claims(), set.namespace());
    let pod = format!("{}-{number}", set.name());
    let mut writes = Vec::new();
    for (name, template) in missing(set, number, cache) {
        let mut claim = template.clone();
        claim["apiVersion"] = json!("v1");
        claim["kind"] = json!("PersistentVolumeClaim");
        if let Some(claim) = claim.as_object_mut() {
            claim.remove("status");
        }
        let metadata = &mut claim["metadata"];
        metadata["name"] = json!(name);
        metadata["namespace"] = json!(set.namespace());
        let labels = at(set, &["spec", "selector", "matchLabels"]).as_object();
        // Claims get the labels of the selector, by which users find them; upstream does the same.
        for (key, value) in labels.into_iter().flatten() {
            metadata["labels"][key] = value.clone();
        }
        if retention(set, "whenDeleted") {
            metadata["ownerReferences"] = json!([set.controller_reference()]);
        }
        let owner = set.name();
        let done = format!("Create Claim {name} Pod {pod} in StatefulSet {owner} success");
        let failed = format!(
            "Create Claim {name} for Pod {pod} in StatefulSet {owner} failed error: {{error}}"
        );
        writes.push(
            PlannedWrite::create(
                place.clone(),
                claim,
                format!("{CLAIM}: the claim of its volumeClaimTemplate is missing"),
            )
            .with_event(EventNote::normal(set, "SuccessfulCreate", done))
            .with_failure_event(EventNote::warning(set, "FailedCreate", failed))
            .in_wave(1),
        );
    }
    writes
}

/// Returns a terminating claim of an ordinal; no Pod is created while there is one.
pub(super) fn leaving_claim<'a>(set: &Object, number: i64, cache: &'a Cache) -> Option<&'a str> {
    let mut claims = claims_of(set, number, cache).into_iter();
    claims
        .find(|claim| claim.is_terminating())
        .map(Object::name)
}

/// Returns true if claims are deleted when the set is, or when it is scaled down.
fn retention(set: &Object, when: &str) -> bool {
    let policy = views::workload(set).claim_retention_policy();
    text(policy, when) == "Delete"
}

fn claims_of<'a>(set: &Object, number: i64, cache: &'a Cache) -> Vec<&'a Object> {
    claim_templates(set)
        .iter()
        .filter_map(|template| {
            let name = claim_name(set, template, number);
            cache.get(watched::claims(), set.namespace(), &name)
        })
        .collect()
}

/// Sets the owners of the claims of a Pod by the retention policy: a surplus Pod if they are deleted when the set is scaled
/// down, otherwise the set if they are deleted with it.
pub(super) fn claim_owners(
    set: &Object,
    pod: &Object,
    surplus: bool,
    cache: &Cache,
) -> Vec<PlannedWrite> {
    let Some(number) = ordinal(set, pod) else {
        return Vec::new();
    };
    let wanted = match surplus && retention(set, "whenScaled") {
        true => Some(pod.controller_reference()),
        false => retention(set, "whenDeleted").then(|| set.controller_reference()),
    };
    let claims = claims_of(set, number, cache).into_iter();
    claims
        .filter_map(|claim| owned(claim, [set, pod], wanted.clone()))
        .collect()
}

/// Makes `wanted` the only one of two owners of a claim.
fn owned(claim: &Object, [set, pod]: [&Object; 2], wanted: Option<Value>) -> Option<PlannedWrite> {
    // By the name, because a reference to an earlier object of the name is out of date.
    let is = |o: &Value, owner: &Object, kind: &str| {
        views::owner(o).kind() == kind && views::owner(o).name() == owner.name()
    };
    let is_own = |o: &Value| is(o, set, "StatefulSet") || is(o, pod, "Pod");
    let mut others = claim.owners().iter().filter(|o| !is_own(o));
    // The claims of another controller do not belong to the set.
    let is_foreign = others.any(|o| views::owner(o).controller());
    let wanted = wanted.filter(|_| !is_foreign);
    let own: Vec<&Value> = claim.owners().iter().filter(|o| is_own(o)).collect();
    if own.into_iter().eq(wanted.as_ref()) || claim.is_terminating() {
        return None;
    }
    let mut owners: Vec<Value> = claim.owners().to_vec();
    owners.retain(|o| !is_own(o));
    owners.extend(wanted);
    let mut value = claim.to_value();
    match owners.is_empty() {
        true => drop(value["metadata"].as_object_mut()?.remove("ownerReferences")),
        false => value["metadata"]["ownerReferences"] = json!(owners),
    }
    Some(PlannedWrite::update(
        claim,
        value,
        "retention: the owners of the claim changed",
    ))
}
