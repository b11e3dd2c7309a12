//! ResourceClaims: created from templates, released when their Pods end.
//!
//! Rules:
//! - `make`: a Pod gets a claim that is created from a ResourceClaimTemplate.
//! - `name`: the Pod's status names the claim that was created for it.
//! - `reserve`: the claim is reserved for a Pod that was bound without the scheduler.
//! - `release`: a Pod that has ended no longer reserves the claim; after the last Pod the devices are deallocated.
//! - `discard`: a claim that was created for a Pod is deleted when the Pod has ended.

use super::{views, watched};
use crate::api::json::{Value, json};
use crate::api::patch::merge;
use crate::cluster::{Part, PatchType};
use crate::kinds::Kind;
use crate::kinds::tree::field;
use crate::runtime::{
    Cache, Controller, EventNote, Key, Object, Plan, PlannedWrite, ReconcileContext, Watch,
};

/// Names the entry of the Pod that a claim was made for.
const POD_CLAIM: &str = "resource.kubernetes.io/pod-claim-name";
/// The manager of the claims in a Pod's status, as upstream's constant names it.
const FIELD_MANAGER: &str = "ResourceClaimController";
/// Leaves room for a hyphen and the generated suffix in a name of 63 characters.
const LONGEST_BASE: usize = 57;

fn claims() -> &'static Kind {
    watched::resource_claims()
}

/// Makes the claims that Pods describe by templates.
#[derive(Debug, Default)]
pub(crate) struct PodClaims;

impl Controller for PodClaims {
    fn name(&self) -> &'static str {
        "resourceclaim-template"
    }

    fn component(&self) -> &'static str {
        "resource_claim"
    }

    fn watches(&self) -> Vec<Watch> {
        let pods = Watch::new(watched::pods(), |change, _| {
            let pod = change.after.iter();
            let uses = |pod: &&Object| views::pod_claims(pod).next().is_some();
            pod.filter(uses).map(|pod| pod.key().clone()).collect()
        });
        let templates = Watch::new(watched::resource_claim_templates(), |change, cache| {
            let Some(template) = change.after.as_ref() else {
                return Vec::new();
            };
            let pods = cache.list(watched::pods(), template.namespace());
            let waits = |pod: &&Object| {
                views::pod_claims(pod).any(|entry| entry.template() == template.name())
            };
            pods.filter(waits).map(|pod| pod.key().clone()).collect()
        });
        let own = Watch::controlled(claims(), watched::pods());
        let used = Watch::new(claims(), |change, cache| {
            let users = change.after.iter().flat_map(|claim| users(claim, cache));
            users.map(|pod| pod.key().clone()).collect()
        });
        vec![pods, templates, own, used]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let found = context.cache.by_key(watched::pods(), context.key);
        let runs = |pod: &&Object| !pod.is_terminating() && !views::pod(pod).has_ended();
        let Some(pod) = found.filter(runs) else {
            return plan;
        };
        let (mut named, mut is_new) = (Vec::new(), false);
        for entry in views::pod_claims(pod) {
            if let Some(claim) = entry.claim(pod, context.cache) {
                reserve(pod, claim, &mut plan);
                if !entry.template().is_empty() {
                    named.push(status_of(entry, claim));
                }
            } else if !entry.template().is_empty() {
                match made_for(pod, entry.name(), context.cache) {
                    Some(claim) => {
                        named.push(status_of(entry, claim));
                        is_new = true;
                    }
                    None => make(
                        pod,
                        entry.name(),
                        entry.template(),
                        context.cache,
                        &mut plan,
                    ),
                }
            }
        }
        if is_new {
            // The manager would give up an entry that it does not name again.
            let status = json!({"status": {"resourceClaimStatuses": named}});
            let rule = "name: the status lists the claims created for the Pod";
            let write = PlannedWrite::apply(pod, Part::Status, &status, rule);
            plan.changes.push(write.managed_by(FIELD_MANAGER));
        }
        plan
    }
}

/// Returns the entry of a Pod's status for a claim that was made for it.
fn status_of(entry: views::PodClaim<'_>, claim: &Object) -> Value {
    json!({"name": entry.name(), "resourceClaimName": claim.name()})
}

/// Returns the claim that was made for an entry of a Pod, if it exists.
fn made_for<'a>(pod: &Object, entry: &str, cache: &'a Cache) -> Option<&'a Object> {
    let mut all = cache.list(claims(), pod.namespace());
    all.find(|claim| views::is_owned(claim, pod) && claim.annotation(POD_CLAIM) == Some(entry))
}

fn make(pod: &Object, entry: &str, template: &str, cache: &Cache, plan: &mut Plan) {
    let kind = watched::resource_claim_templates();
    let Some(found) = cache.get(kind, pod.namespace(), template) else {
        let message = format!(
            "PodResourceClaim {entry}: resource claim template \"{template}\": \
             resourceclaimtemplate.resource.k8s.io \"{template}\" not found"
        );
        let reason = "FailedResourceClaimCreation";
        plan.events.push(EventNote::warning(pod, reason, &message));
        // An error is retried with a back-off, as by kube-controller-manager.
        plan.error = Some(message);
        return;
    };
    // Labels and annotations of the claims are the template's.
    let mut claim = field(found, "spec").clone();
    let own = json!({"metadata": {
        "generateName": base_of(pod.name(), entry), "annotations": {POD_CLAIM: entry},
    }});
    merge::apply(&mut claim, &own);
    let rule = format!(
        "make: ResourceClaimTemplate {} has no claim yet",
        found.name()
    );
    plan.changes
        .push(PlannedWrite::create_for(pod, claims(), claim, rule));
}

/// Returns the start of a claim's name. Both parts are truncated in proportion to their length, so that a long one does
/// not displace the other.
fn base_of(pod: &str, entry: &str) -> String {
    let whole = pod.len() + 1 + entry.len();
    match whole > LONGEST_BASE {
        true => {
            let cut = |text: &str| text[..text.len() * LONGEST_BASE / whole].to_owned();
            format!("{}-{}-", cut(pod), cut(entry))
        }
        false => format!("{pod}-{entry}-"),
    }
}

/// Reserves an allocated claim for a Pod with a node. The scheduler does so for Pods that it places, but a Pod may be
/// created with a node.
fn reserve(pod: &Object, claim: &Object, plan: &mut Plan) {
    let view = views::device_claim(claim);
    let mut all = view.reserved_for().to_vec();
    let has_it = views::is_consumer(&all, pod.uid());
    if !views::pod(pod).is_scheduled() || !view.is_allocated() || has_it {
        return;
    }
    all.push(views::consumer(pod));
    let patch = json!({
        "metadata": {"resourceVersion": claim.revision().to_string()},
        "status": {"reservedFor": all},
    });
    let rule = format!("reserve: {} was bound without the scheduler", pod.name());
    plan.changes.push(status_patch(claim, patch, rule));
}

/// Replaces fields of a claim's status; null removes one.
fn status_patch(claim: &Object, patch: Value, rule: impl Into<String>) -> PlannedWrite {
    PlannedWrite::patch(claim, Part::Status, PatchType::Merge, patch, rule)
}

/// Returns the Pods that name a claim.
fn users<'a>(claim: &Object, cache: &'a Cache) -> impl Iterator<Item = &'a Object> {
    let (namespace, name) = (claim.namespace().to_owned(), claim.name().to_owned());
    let pods = cache.list(watched::pods(), &namespace);
    pods.filter(move |pod| views::pod_claims(pod).any(|entry| entry.claim_name() == name))
}

/// Releases claims.
#[derive(Debug, Default)]
pub(crate) struct ResourceClaims;

impl Controller for ResourceClaims {
    fn name(&self) -> &'static str {
        "resourceclaim"
    }

    fn component(&self) -> &'static str {
        "resource_claim"
    }

    fn watches(&self) -> Vec<Watch> {
        let pods = Watch::new(watched::pods(), |change, _| {
            let ended = change.after.as_ref().is_none_or(is_done);
            let pod = change.object().filter(|_| ended);
            let named = |pod: &Object| {
                let names = views::pod_claims(pod).map(|entry| entry.claim_name().to_owned());
                let key = |name: String| Key::new(pod.namespace(), &name);
                names.filter(|n| !n.is_empty()).map(key).collect()
            };
            pod.map_or_else(Vec::new, named)
        });
        vec![Watch::own(claims()), pods]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let Some(claim) = context.cache.by_key(claims(), context.key) else {
            return plan;
        };
        let view = views::device_claim(claim);
        let holds = |consumer: &&Value| holds(consumer, claim.namespace(), context.cache);
        let left: Vec<&Value> = view.reserved_for().iter().filter(holds).collect();
        let changed = left.len() < view.reserved_for().len();
        // Unused devices are free at once: the next Pod allocates them again, perhaps elsewhere.
        let free = left.is_empty() && (changed || claim.is_terminating());
        // A controller that stopped between the two writes below left the finalizer. While a Pod waits for
        // the claim, the scheduler may be about to allocate it: it adds the finalizer first.
        let forgotten =
            left.is_empty() && !view.is_allocated() && users(claim, context.cache).all(is_done);
        if changed || free && view.is_allocated() {
            // The scheduler may reserve the claim for another Pod meanwhile; its entry must not be lost.
            let version = claim.revision().to_string();
            let status = match free {
                true => json!({"reservedFor": null, "allocation": null, "devices": null}),
                false => json!({"reservedFor": left}),
            };
            let patch = json!({"metadata": {"resourceVersion": version}, "status": status});
            let write = status_patch(
                claim,
                patch,
                "release: a Pod in reservedFor no longer uses it",
            );
            plan.changes.push(write.in_wave(1));
        }
        // Only after the allocation is removed, because the finalizer protects it.
        if (free || forgotten) && claim.has_finalizer(views::CLAIM_FINALIZER) {
            let rest = views::meta(claim).finalizers_without(views::CLAIM_FINALIZER);
            let patch = json!({"metadata": {"finalizers": rest}});
            let rule = "release: the claim has no allocated devices";
            plan.changes
                .push(PlannedWrite::merge(claim, patch, rule).in_wave(2));
        }
        if left.is_empty() && !claim.is_terminating() && is_left_behind(claim, context.cache) {
            let rule = "discard: its owner Pod has ended";
            plan.changes
                .push(PlannedWrite::delete(claim, rule).in_wave(3));
        }
        plan
    }
}

/// Returns true if an entry of `status.reservedFor` still counts.
fn holds(consumer: &Value, namespace: &str, cache: &Cache) -> bool {
    let Some((name, uid)) = views::consuming_pod(consumer) else {
        return true;
    };
    let pod = cache.get(watched::pods(), namespace, name);
    pod.is_some_and(|pod| pod.uid() == uid && !is_done(pod))
}

/// Returns true if a Pod no longer needs its claims: it has ended, or is deleted without having run.
fn is_done(pod: &Object) -> bool {
    views::pod(pod).has_ended() || pod.is_terminating() && !views::pod(pod).is_scheduled()
}

/// Returns true if a claim was created for a Pod that has ended. The garbage collector deletes the claims of deleted
/// Pods.
fn is_left_behind(claim: &Object, cache: &Cache) -> bool {
    let owner = claim.controller().map(|owner| views::owner(owner));
    let Some(owner) = owner.filter(|owner| owner.kind() == "Pod") else {
        return false;
    };
    let pod = cache.get(watched::pods(), claim.namespace(), owner.name());
    pod.is_some_and(|pod| pod.uid() != owner.uid() || is_done(pod))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{ControllerHarness, content, lines};

    const RESOURCE: &str = "resource.k8s.io/v1";

    fn pod(phase: &str) -> Value {
        json!({
            "metadata": {"name": "reader"},
            "spec": {"resourceClaims": [{"name": "lamp", "resourceClaimTemplateName": "a-lamp"}]},
            "status": {"phase": phase},
        })
    }

    fn template() -> Value {
        json!({"metadata": {"name": "a-lamp"}, "spec": {
            "metadata": {"labels": {"kind": "lamp"}},
            "spec": {"devices": {"requests": [{"name": "light"}]}},
        }})
    }

    fn made(reader: &Object) -> Value {
        json!({"metadata": {
            "name": "reader-lamp-x", "annotations": {POD_CLAIM: "lamp"},
            "ownerReferences": [reader.controller_reference()],
        }})
    }

    #[test]
    fn claim_template_creates_a_claim_listed_in_pod_status() {
        let mut harness = ControllerHarness::new(PodClaims);
        let reader = harness.put("v1", "Pod", pod("Pending"));
        let plan = harness.plan("default", "reader");
        assert_eq!(plan.changes, []);
        assert_eq!(
            plan.events[0].message,
            "PodResourceClaim lamp: resource claim template \"a-lamp\": \
             resourceclaimtemplate.resource.k8s.io \"a-lamp\" not found"
        );
        let template = harness.put(RESOURCE, "ResourceClaimTemplate", template());
        assert_eq!(harness.keys(&template), [Key::new("default", "reader")]);
        let plan = harness.plan("default", "reader");
        let claim = content(&plan.changes[0]);
        assert_eq!(claim["metadata"]["generateName"], "reader-lamp-");
        assert_eq!(claim["metadata"]["labels"], json!({"kind": "lamp"}));
        assert_eq!(claim["metadata"]["annotations"][POD_CLAIM], "lamp");
        harness.put(RESOURCE, "ResourceClaim", made(&reader));
        let plan = harness.plan("default", "reader");
        assert_eq!(lines(&plan), ["apply pods reader: name"]);
        assert_eq!(plan.changes[0].field_manager, FIELD_MANAGER);
        assert_eq!(
            content(&plan.changes[0])["status"]["resourceClaimStatuses"],
            json!([{"name": "lamp", "resourceClaimName": "reader-lamp-x"}])
        );
    }

    #[test]
    fn last_pod_releases_devices_and_deletes_the_generated_claim() {
        let mut harness = ControllerHarness::new(ResourceClaims);
        let reader = harness.put("v1", "Pod", pod("Running"));
        let mut claim = made(&reader);
        claim["metadata"]["finalizers"] = json!([views::CLAIM_FINALIZER]);
        claim["status"] = json!({"allocation": {}, "reservedFor": [views::consumer(&reader)]});
        harness.put(RESOURCE, "ResourceClaim", claim);
        assert_eq!(harness.plan("default", "reader-lamp-x"), Plan::done());
        harness.put("v1", "Pod", pod("Succeeded"));
        let plan = harness.plan("default", "reader-lamp-x");
        assert_eq!(
            lines(&plan),
            [
                "patch-status resourceclaims reader-lamp-x: release",
                "patch resourceclaims reader-lamp-x: release",
                "delete resourceclaims reader-lamp-x: discard",
            ]
        );
        assert_eq!(
            content(&plan.changes[0])["status"]["allocation"],
            Value::Null
        );
    }

    #[test]
    fn a_shared_claim_stays_allocated_for_the_others() {
        let mut harness = ControllerHarness::new(ResourceClaims);
        let reader = harness.put("v1", "Pod", pod("Running"));
        let gone = json!({"resource": "pods", "name": "gone", "uid": "uid-gone"});
        let claim = json!({"metadata": {"name": "bright", "finalizers": [views::CLAIM_FINALIZER]}, "status": {
            "allocation": {}, "reservedFor": [views::consumer(&reader), gone],
        }});
        harness.put(RESOURCE, "ResourceClaim", claim);
        let plan = harness.plan("default", "bright");
        assert_eq!(
            lines(&plan),
            ["patch-status resourceclaims bright: release"]
        );
        let patch = content(&plan.changes[0]);
        assert_eq!(
            patch["status"],
            json!({"reservedFor": [views::consumer(&reader)]})
        );
    }

    #[test]
    fn generated_claim_name_truncates_pod_and_claim_name() {
        assert_eq!(base_of("reader", "lamp"), "reader-lamp-");
        let base = base_of(&"p".repeat(90), &"c".repeat(9));
        assert_eq!(base, format!("{}-{}-", "p".repeat(51), "c".repeat(5)));
    }
}
