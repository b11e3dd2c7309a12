//! `ctl create cronjob`.

use clap::Args;

use super::new::{NewArgs, container, name_and_command};
use crate::api::json::json;
use crate::cli::commands::Outcome;
use crate::cli::context::Context;

/// Create a cron job
///
/// Example: ctl create cronjob nightly --image=busybox --schedule='0 3 * * *' -- date
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct CronjobArgs {
    /// NAME, and after -- the command of the container
    words: Vec<String>,
    /// The image of the container
    #[arg(long, value_name = "IMAGE", required = true)]
    image: String,
    /// When it runs: minute hour day-of-month month day-of-week
    #[arg(long, value_name = "CRON", required = true)]
    schedule: String,
    /// Whether a container that failed starts again: OnFailure or Never
    #[arg(long, value_name = "POLICY")]
    restart: Option<String>,
    #[command(flatten)]
    new: NewArgs,
}

pub(super) fn run(args: &CronjobArgs, context: &Context) -> Outcome {
    let (name, command) = name_and_command(&args.words, context)?;
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
