//! `ctl create job`.

use clap::Args;

use super::new::{NewArgs, container, name_and_command};
use crate::api::json::{Value, json};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::resource::{Builder, Info};

/// Create a job
///
/// Examples:
///   ctl create job once --image=busybox -- date
///   ctl create job now --from=cronjob/nightly    run a cron job's job now
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct JobArgs {
    /// NAME, and after -- the command of the container
    words: Vec<String>,
    /// The image of the container
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,
    /// The cron job whose job it is: cronjob/NAME
    #[arg(long, value_name = "CRONJOB")]
    from: Option<String>,
    #[command(flatten)]
    new: NewArgs,
}

pub(super) fn run(args: &JobArgs, context: &Context) -> Outcome {
    let (name, command) = name_and_command(&args.words, context)?;
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
    if kind.group != "batch" || kind.kind != "CronJob" {
        let (version, kind) = (kind.version, kind.kind);
        let text = format!("unknown object type *{version}.{kind}");
        return Err(CliError::text(text));
    }
    let template = &info.object["spec"]["jobTemplate"];
    let meta = &template["metadata"];
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
