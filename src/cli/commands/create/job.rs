//! `ctl create job`.

use clap::Args;

use super::common::{NewArgs, container, name_and_command};
use crate::api::json::{Value, json};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::resource::{Builder, Info};

/// Create a Job
///
/// Examples:
///   ctl create job once --image=busybox -- date
///   ctl create job now --from=cronjob/nightly    run a Job of the CronJob now
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct JobArgs {
    /// NAME, and after -- the command of the container
    words: Vec<String>,
    /// Image of the container
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,
    /// Create the Job from this CronJob: cronjob/NAME
    #[arg(long, value_name = "CRONJOB")]
    from: Option<String>,
    #[command(flatten)]
    new: NewArgs,
}

pub(super) fn run(args: &JobArgs, context: &Context) -> Outcome {
    let (name, command) = name_and_command(&args.words, context)?;
    args.new.check()?;
    let given = |text: &Option<String>| text.clone().filter(|t| !t.is_empty());
    let object = match (given(&args.image), given(&args.from)) {
        (Some(image), None) => from_image(name, &image, command),
        (None, Some(_)) if !command.is_empty() => {
            return Err(CliError::text("cannot specify --from and command"));
        }
        (None, Some(from)) => {
            let cluster = context.api()?;
            let found = Builder::new(context, Some(&cluster))?
                .words(&[from], false)
                .find()?
                .all()?;
            let [cron_job] = found.as_slice() else {
                return Err(CliError::text("from must be an existing cronjob"));
            };
            from_cron_job(name, cron_job)?
        }
        _ => {
            let text = "either --image or --from must be specified";
            return Err(CliError::text(text));
        }
    };
    args.new.create(object, "failed to create job: ", context)
}

fn from_image(name: &str, image: &str, command: &[String]) -> Value {
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"template": {
            "metadata": {},
            "spec": {
                "containers": [container(name, image, command)],
                "restartPolicy": "Never",
            },
        }},
        "status": {},
    })
}

fn from_cron_job(name: &str, info: &Info) -> Result<Value, CliError> {
    let kind = info.kind;
    let template = kind.pod_spec_path().unwrap_or_default();
    // kubectl's type switch handles only CronJobs, and its error prints the Go type.
    if !template.starts_with(&["spec", "jobTemplate"]) {
        let (version, kind) = (kind.version, kind.kind);
        let text = format!("unknown object type *{version}.{kind}");
        return Err(CliError::text(text));
    }
    let template = &info.object["spec"]["jobTemplate"];
    let meta = &template["metadata"];
    // The annotation marks a manual run. As in kubectl, the template may override it.
    let mut annotations = json!({"cronjob.kubernetes.io/instantiate": "manual"});
    for (key, value) in meta["annotations"].as_object().into_iter().flatten() {
        annotations[key] = value.clone();
    }
    let mut job = json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "annotations": annotations,
            "ownerReferences": [{
                "apiVersion": "batch/v1",
                "kind": "CronJob",
                "name": info.name,
                "uid": info.object["metadata"]["uid"],
                // As in kubectl, `blockOwnerDeletion` is not set, because setting it requires the right to update
                // cronjobs/finalizers.
                "controller": true,
            }],
        },
        "spec": template["spec"],
        "status": {},
    });
    if meta["labels"].is_object() {
        job["metadata"]["labels"] = meta["labels"].clone();
    }
    Ok(job)
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    #[test]
    fn a_job_of_an_image_runs_once() {
        let shell = Shell::empty();
        let made = shell.made("create job once --image=busybox -- sh -c 'exit 0'");
        assert_eq!(
            made["spec"]["template"]["spec"],
            json!({
                "containers": [{
                    "name": "once", "image": "busybox", "command": ["sh", "-c", "exit 0"],
                    "resources": {},
                }],
                "restartPolicy": "Never",
            })
        );
    }

    #[test]
    fn job_from_a_cronjob_has_owner_and_template_annotations() {
        let shell = Shell::new();
        shell.write(
            "cron.yaml",
            "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: nightly, labels: {not: copied}}\nspec:\n  \
             schedule: '@daily'\n  jobTemplate:\n    metadata:\n      labels: {a: b}\n      \
             annotations: {c: d, cronjob.kubernetes.io/instantiate: other}\n    spec:\n      \
             backoffLimit: 3\n      template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}\n",
        );
        let _ = shell.out("create -f @/cron.yaml");
        let out = shell.out("create job now --from=cronjob/nightly");
        assert_eq!(out, "job.batch/now created\n");
        let (job, cron) = (shell.json("get job now"), shell.json("get cronjob nightly"));
        let owner = json!([{
            "apiVersion": "batch/v1", "kind": "CronJob", "name": "nightly", "controller": true,
            "uid": cron["metadata"]["uid"],
        }]);
        assert_eq!(job["metadata"]["ownerReferences"], owner);
        assert_eq!(job["metadata"]["annotations"]["c"], "d");
        assert_eq!(
            job["metadata"]["annotations"]["cronjob.kubernetes.io/instantiate"],
            "other"
        );
        assert_eq!(job["metadata"]["labels"]["a"], "b");
        assert!(job["metadata"]["labels"]["not"].is_null());
        assert_eq!(job["spec"]["backoffLimit"], 3);
    }

    #[test]
    fn job_requires_either_image_or_from() {
        let shell = Shell::new();
        let either = "either --image or --from must be specified";
        shell.refuses(&[
            ("create job j", either),
            ("create job j --image=i --from=cronjob/c", either),
            (
                "create job j --from=cronjob/c -- date",
                "cannot specify --from and command",
            ),
            (
                "create job j --from=namespace/default",
                "unknown object type *v1.Namespace",
            ),
            (
                "create job j --from=cronjob/c",
                "Error from server (NotFound): cronjobs.batch \"c\" not found",
            ),
        ]);
    }
}
