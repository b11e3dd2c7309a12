//! `ctl create cronjob`.

use clap::Args;

use super::common::{NewArgs, container, name_and_command};
use crate::api::json::json;
use crate::cli::commands::Outcome;
use crate::cli::context::Context;

/// Create a CronJob
///
/// Example: ctl create cronjob nightly --image=busybox --schedule='0 3 * * *' -- date
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct CronjobArgs {
    /// NAME, and after -- the command of the container
    words: Vec<String>,
    /// Image of the container
    #[arg(long, value_name = "IMAGE", required = true)]
    image: String,
    /// Schedule in cron format: minute hour day-of-month month day-of-week
    #[arg(long, value_name = "CRON", required = true)]
    schedule: String,
    /// Restart policy of failed containers: OnFailure or Never
    #[arg(long, value_name = "POLICY")]
    restart: Option<String>,
    #[command(flatten)]
    new: NewArgs,
}

pub(super) fn run(args: &CronjobArgs, context: &Context) -> Outcome {
    let (name, command) = name_and_command(&args.words, context)?;
    args.new.check()?;
    let restart = args.restart.as_deref().filter(|r| !r.is_empty());
    let object = json!({
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name},
        "spec": {
            "jobTemplate": {
                "metadata": {"name": name},
                "spec": {"template": {
                    "metadata": {},
                    "spec": {
                        "containers": [container(name, &args.image, command)],
                        // Jobs reject `Always`, the default of Pods, so kubectl sets a policy that they accept.
                        "restartPolicy": restart.unwrap_or("OnFailure"),
                    },
                }},
            },
            "schedule": args.schedule,
        },
        "status": {},
    });
    args.new
        .create(object, "failed to create cronjob: ", context)
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    #[test]
    fn empty_texts_are_omitted() {
        let shell = Shell::empty();
        let made = shell.made("create cronjob '' --image= --schedule=@daily");
        assert_eq!(made["metadata"], json!({}));
        let pod = &made["spec"]["jobTemplate"]["spec"]["template"]["spec"];
        assert!(pod["containers"][0].get("image").is_none(), "{pod}");
    }

    #[test]
    fn cronjob_name_is_used_for_job_and_container() {
        let shell = Shell::empty();
        let made =
            shell.made("create cronjob nightly --image=busybox --schedule='0 3 * * *' -- date -u");
        assert_eq!(
            made["spec"],
            json!({
                "schedule": "0 3 * * *",
                "jobTemplate": {
                    "metadata": {"name": "nightly"},
                    "spec": {"template": {"metadata": {}, "spec": {
                        "containers": [{
                            "name": "nightly", "image": "busybox", "command": ["date", "-u"], "resources": {},
                        }],
                        "restartPolicy": "OnFailure",
                    }}},
                },
            })
        );
        let made = shell.made("create cj n --image=i --schedule=@daily --restart=Never");
        let spec = &made["spec"]["jobTemplate"]["spec"]["template"]["spec"];
        assert_eq!(spec["restartPolicy"], "Never");
        assert!(spec["containers"][0]["command"].is_null());
    }

    #[test]
    fn cronjob_requires_an_image_and_a_valid_schedule() {
        let shell = Shell::new();
        shell.refuses(&[
            (
                "create cronjob n",
                "required flag(s) \"image\", \"schedule\" not set",
            ),
            (
                "create cronjob n --image=i",
                "required flag(s) \"schedule\" not set",
            ),
        ]);
        let wrong = shell.fails("create cronjob n --image=i --schedule='61 * * * *'");
        assert!(
            wrong.starts_with(
                "error: failed to create cronjob: CronJob.batch \"n\" is invalid: spec.schedule: "
            ),
            "{wrong}"
        );
        let wrong = shell.fails("create cronjob n --image=i --schedule=@daily --restart=Always");
        assert!(wrong.contains("restartPolicy"), "{wrong}");
    }
}
