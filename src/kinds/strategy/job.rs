//! Jobs find their Pods by labels made of their own uid.

use crate::api::json::{Value, json};
use crate::kinds::tree::{as_text, ensure, field, flag, set};

const CONTROLLER_UID: &str = "batch.kubernetes.io/controller-uid";
const JOB_NAME: &str = "batch.kubernetes.io/job-name";

/// Labels the template and the selector with the Job's uid, unless the user selects by hand.
pub(super) fn generate_selector(job: &mut Value, uid: &str) {
    if flag(field(job, "spec"), "manualSelector") {
        return;
    }
    let name = as_text(field(field(job, "metadata"), "name")).to_owned();
    let spec = ensure(job, "spec");
    let labels = ensure(ensure(ensure(spec, "template"), "metadata"), "labels");
    for (key, value) in [
        ("controller-uid", uid),
        (CONTROLLER_UID, uid),
        ("job-name", &name),
        (JOB_NAME, &name),
    ] {
        set(labels, key, value);
    }
    let selector = ensure(ensure(spec, "selector"), "matchLabels");
    set(selector, CONTROLLER_UID, json!(uid));
}
