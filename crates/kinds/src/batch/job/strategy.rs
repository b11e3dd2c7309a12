//! Prepares a Job: its selector selects Pods by the Job's uid.

use crate::api::json::Value;
use crate::strategy::WriteContext;
use crate::tree::{as_text, ensure, field, flag, set, set_default};

const CONTROLLER_UID: &str = "batch.kubernetes.io/controller-uid";
const JOB_NAME: &str = "batch.kubernetes.io/job-name";

/// Adds the Job's uid to the template's labels and the selector, unless the user sets the selector. If the Job took
/// its labels from the template, it gets these labels, too. If the template has no labels, the stored Job gets them
/// later, by defaulting and without validation.
///
/// Keeps existing labels. They come from a saved Job, whose Pods the selector would match, so validation rejects
/// them.
pub(super) fn generate_selector(job: &mut Value, write_context: &WriteContext<'_>) {
    if !flag(field(job, "spec"), "manualSelector") {
        let uid = write_context.uid;
        let name = as_text(field(field(job, "metadata"), "name")).to_owned();
        let spec = ensure(job, "spec");
        let labels = ensure(ensure(ensure(spec, "template"), "metadata"), "labels");
        for (key, value) in [
            ("controller-uid", uid),
            (CONTROLLER_UID, uid),
            ("job-name", &name),
            (JOB_NAME, &name),
        ] {
            set_default(labels, key, value);
        }
        let selector = ensure(ensure(spec, "selector"), "matchLabels");
        set_default(selector, CONTROLLER_UID, uid);
    }
    let labels = field(field(job, "metadata"), "labels");
    if !write_context.labeled && labels.as_object().is_some_and(|labels| !labels.is_empty()) {
        let template = field(field(job, "spec"), "template");
        let labels = field(field(template, "metadata"), "labels").clone();
        set(ensure(job, "metadata"), "labels", labels);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn made(labels: &Value, template: &Value, labeled: bool) -> Value {
        let mut job = json!({"metadata": {"name": "j", "labels": labels},
            "spec": {"template": {"metadata": {"labels": template}}}});
        let write_context = WriteContext {
            now: "",
            uid: "u",
            labeled,
        };
        generate_selector(&mut job, &write_context);
        job
    }

    #[test]
    fn job_without_labels_copies_its_template_labels() {
        let own = json!({"app": "x"});
        let all = json!({"app": "x", "controller-uid": "u", "job-name": "j",
            "batch.kubernetes.io/controller-uid": "u", "batch.kubernetes.io/job-name": "j"});
        let job = made(&own, &own, false);
        assert_eq!(job["metadata"]["labels"], all);
        assert_eq!(job["spec"]["template"]["metadata"]["labels"], all);
        let job = made(&own, &own, true);
        assert_eq!(job["metadata"]["labels"], own);
        let job = made(&Value::Null, &Value::Null, false);
        assert!(job["metadata"]["labels"].is_null());
    }

    #[test]
    fn an_existing_label_is_not_replaced() {
        let old = json!({"controller-uid": "old", "batch.kubernetes.io/controller-uid": "old"});
        let job = made(&Value::Null, &old, false);
        let labels = &job["spec"]["template"]["metadata"]["labels"];
        assert_eq!(labels["controller-uid"], "old");
        assert_eq!(labels["job-name"], "j");
    }
}
