//! Recycling: a Pod empties a released volume, which is then free for the next claim.

use jiff::Timestamp;

use super::{BY_CONTROLLER, RECYCLE, capacity, failed, views, watched};
use crate::api::json::{Value, json};
use crate::api::quantity::Quantity;
use crate::cluster::Place;
use crate::kinds::tree::text;
use crate::runtime::{Change, EventNote, Key, Object, Plan, PlannedWrite, ReconcileContext, Watch};
use crate::workload::phase;

/// The name of the Pod of a volume, before the volume's.
const PREFIX: &str = "recycler-for-";

/// The namespace of the Pods.
const NAMESPACE: &str = "default";

const SHELL: &str = "/bin/sh";

/// The seconds that a Pod has for each GiB.
const SECONDS_PER_GIB: u64 = 30;

/// Returns the watch on the Pods that empty volumes.
pub(super) fn watch() -> Watch {
    Watch::new(watched::pods(), |change: &Change, _| {
        let pod = change.object().filter(|pod| pod.namespace() == NAMESPACE);
        let volume = pod.and_then(|pod| pod.name().strip_prefix(PREFIX));
        volume.map(|name| Key::new("", name)).into_iter().collect()
    })
}

/// Plans the next step of a released volume.
pub(super) fn recycle(volume: &Object, context: &ReconcileContext<'_>, plan: &mut Plan) {
    let name = format!("{PREFIX}{}", volume.name());
    let pod = context.cache.get(watched::pods(), NAMESPACE, &name);
    let now = context.now;
    let Some(new) = pod_for(volume, &name) else {
        return fail(
            volume,
            "No recycler plugin found for the volume!",
            now,
            plan,
        );
    };
    let Some(pod) = pod else {
        let place = Place::new(watched::pods(), NAMESPACE);
        let rule = format!("{RECYCLE}: a Pod empties the volume");
        plan.changes.push(PlannedWrite::create(place, new, rule));
        return;
    };
    let why = match phase(pod) {
        "Succeeded" => None,
        "Failed" => match views::pod(pod).message() {
            "" => Some("pod failed, pod.Status.Message unknown"),
            message => Some(message),
        },
        _ if pod.is_terminating() => Some("recycler pod was deleted"),
        _ => return,
    };
    let node = views::pod(pod).node_name();
    if !node.is_empty() {
        let message = format!("Recycler pod: Successfully assigned {NAMESPACE}/{name} to {node}");
        plan.events
            .push(EventNote::normal(volume, "RecyclerPod", message));
    }
    if !pod.is_terminating() {
        let rule = format!("{RECYCLE}: the Pod has ended");
        plan.changes.push(PlannedWrite::delete(pod, rule));
    }
    match why {
        Some(why) => {
            let message = format!("Recycle failed: failed to recycle volume: {why}");
            fail(volume, &message, now, plan);
        }
        None => plan.changes.push(free(volume)),
    }
}

/// Returns the write that makes an emptied volume free. A reservation by an administrator stays.
fn free(volume: &Object) -> PlannedWrite {
    let patch = match volume.annotation(BY_CONTROLLER) {
        Some(_) => json!({
            "metadata": {"annotations": {BY_CONTROLLER: null}}, "spec": {"claimRef": null},
        }),
        None => json!({"spec": {"claimRef": {"uid": null, "resourceVersion": null}}}),
    };
    let done = EventNote::normal(volume, "VolumeRecycled", "Volume recycled");
    PlannedWrite::merge(volume, patch, format!("{RECYCLE}: the volume is empty")).with_event(done)
}

fn fail(volume: &Object, why: &str, now: Timestamp, plan: &mut Plan) {
    let write = failed(
        volume,
        why,
        now,
        &format!("{RECYCLE}: the volume cannot be emptied"),
    );
    let told = EventNote::warning(volume, "VolumeFailedRecycle", why);
    plan.status.push(write.with_event(told));
}

/// Returns the Pod that empties a volume, or `None` if no plugin can: those of the host's directories and of NFS are
/// left.
fn pod_for(volume: &Object, name: &str) -> Option<Value> {
    let view = views::volume(volume);
    let (of_pod, least) = match (view.host_path(), view.nfs()) {
        (Value::Null, Value::Null) => return None,
        (Value::Null, share) => (json!({"name": "vol", "nfs": share}), 300),
        (path, _) => {
            let path = text(path, "path");
            (json!({"name": "vol", "hostPath": {"path": path}}), 60)
        }
    };
    Some(json!({
        "apiVersion": "v1", "kind": "Pod",
        // The shell of a fake container has no volume to empty, so it ends at once.
        "metadata": {"name": name, "namespace": NAMESPACE, "annotations": {"ctl.dev/exit-code": "0"}},
        "spec": {
            "activeDeadlineSeconds": seconds(capacity(volume)).max(least),
            "restartPolicy": "Never",
            "volumes": [of_pod],
            "containers": [{
                "name": "pv-recycler",
                "image": "registry.k8s.io/build-image/debian-base:bookworm-v1.0.2",
                "command": [SHELL],
                "args": ["-c", "test -e /scrub && find /scrub -mindepth 1 -delete && test -z \"$(ls -A /scrub)\" || exit 1"],
                "volumeMounts": [{"name": "vol", "mountPath": "/scrub"}],
            }],
        },
    }))
}

/// Returns the seconds that a Pod has for an amount of storage.
fn seconds(amount: Quantity) -> u64 {
    let bytes = u64::try_from(amount.ceil()).unwrap_or(0);
    (bytes >> 30) * SECONDS_PER_GIB
}
