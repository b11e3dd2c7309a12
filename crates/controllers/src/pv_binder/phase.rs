//! The phase of a volume: it follows from the claim to which the volume refers. A claim without its volume is lost.

use crate::api::json::json;
use crate::kinds::tree::{has, take, text};
use crate::runtime::{Cache, EventNote, Object, Plan, PlannedWrite};
use crate::{views, watched};

// Annotations are the contract with kubectl, CSI sidecars and backup tools, so they have upstream's exact names.
pub(super) const BY_CONTROLLER: &str = "pv.kubernetes.io/bound-by-controller";
pub(super) const PROVISIONED_BY: &str = "pv.kubernetes.io/provisioned-by";

/// Returns the claim to which a volume refers, if it is still the same one.
fn claim_of<'c>(volume: &Object, cache: &'c Cache) -> Option<&'c Object> {
    let reference = views::volume(volume).claim();
    let claim = cache.get(
        watched::claims(),
        text(reference, "namespace"),
        text(reference, "name"),
    );
    claim.filter(|claim| claim.uid() == text(reference, "uid"))
}

/// Returns true if a volume was provisioned for a claim and must not outlive it.
fn is_disposable(volume: &Object) -> bool {
    volume.annotation(PROVISIONED_BY).is_some()
        && views::volume(volume).reclaim_policy() == "Delete"
}

/// Returns the phase of a volume.
pub(super) fn phase(volume: &Object, cache: &Cache) -> &'static str {
    let reference = views::volume(volume).claim();
    // A `claimRef` without a uid is a reservation by an administrator. Nothing is bound until the claim exists and
    // its uid is entered.
    if !has(reference, "name") || text(reference, "uid").is_empty() {
        return "Available";
    }
    let Some(claim) = claim_of(volume, cache) else {
        return "Released";
    };
    match views::claim(claim).volume_name() {
        name if name == volume.name() => "Bound",
        // The claim has yet to name it.
        "" => match views::volume(volume).phase() {
            "Bound" => "Bound",
            _ => "Available",
        },
        // It was provisioned for a claim that another volume has served.
        _ if is_disposable(volume) => "Released",
        _ => "Available",
    }
}

/// Returns the write that ends the reference of a volume to a claim that is bound to another one. A reservation by a
/// user only loses the uid.
pub(super) fn unbinding(volume: &Object, cache: &Cache) -> Option<PlannedWrite> {
    let claim = claim_of(volume, cache)?;
    let name = views::claim(claim).volume_name();
    if name.is_empty() || name == volume.name() || is_disposable(volume) || volume.is_terminating()
    {
        return None;
    }
    let patch = match volume.annotation(BY_CONTROLLER) {
        Some(_) => {
            json!({"metadata": {"annotations": {BY_CONTROLLER: null}}, "spec": {"claimRef": null}})
        }
        None => json!({"spec": {"claimRef": {"uid": null}}}),
    };
    let rule = format!("release: claim {} is bound to {name}", claim.name());
    Some(PlannedWrite::merge(volume, patch, rule))
}

/// The reason why a claim that is marked as bound is lost.
pub(super) struct Loss {
    reason: &'static str,
    message: &'static str,
    rule: &'static str,
}

/// The volume does not exist.
pub(super) const NO_VOLUME: Loss = Loss {
    reason: "ClaimLost",
    message: "Bound claim has lost its PersistentVolume. Data on the volume is lost!",
    rule: "phase: its volume no longer exists",
};

/// The claim names no volume.
pub(super) const NO_REFERENCE: Loss = Loss {
    reason: "ClaimLost",
    message: "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!",
    rule: "phase: it names no volume",
};

/// The volume names another claim.
pub(super) const MISBOUND: Loss = Loss {
    reason: "ClaimMisbound",
    message: "Two claims are bound to the same volume, this one is bound incorrectly",
    rule: "phase: its volume is bound to another claim",
};

/// Plans the phase Lost of a claim.
pub(super) fn lost(claim: &Object, why: &Loss, plan: &mut Plan) {
    let mut status = views::status(claim).clone();
    status["phase"] = json!("Lost");
    // They were those of the volume.
    for name in [
        "accessModes",
        "capacity",
        "currentVolumeAttributesClassName",
    ] {
        take(&mut status, name);
    }
    // The phase stays Lost, and the event is only due at the transition.
    if views::claim(claim).phase() != "Lost" {
        plan.events
            .push(EventNote::warning(claim, why.reason, why.message));
    }
    plan.status
        .extend(PlannedWrite::status(claim, status, why.rule));
}
