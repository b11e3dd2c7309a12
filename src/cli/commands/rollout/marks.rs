//! `ctl rollout pause`, `resume` and `restart`: one change of the workload each.

use std::process::ExitCode;

use clap::Args;

use super::Subject;
use crate::api::json::Value;
use crate::cli::commands::{Outcome, pairs};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{DryRun, ManagerArgs, OutputArgs, Teller, write_options};
use crate::cli::resource::Info;
use crate::cluster::FieldValidation;
use crate::kinds::rollout::{paused, restarted};

/// Mark the provided resource as paused
///
/// Examples:
///   ctl rollout pause deployment/web
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct PauseArgs {
    #[command(flatten)]
    common: MarkArgs,
}

/// Resume a paused resource
///
/// Examples:
///   ctl rollout resume deployment/web
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct ResumeArgs {
    #[command(flatten)]
    common: MarkArgs,
}

/// Restart a resource
///
/// Examples:
///   ctl rollout restart deployment/web
///   ctl rollout restart deployment --selector=app=web
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct RestartArgs {
    #[command(flatten)]
    common: MarkArgs,
}

#[derive(Args, Debug)]
struct MarkArgs {
    #[command(flatten)]
    subject: Subject,
    #[command(flatten)]
    manager: ManagerArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn pause(args: &PauseArgs, context: &Context) -> Outcome {
    mark(&args.common, context, "paused", &|object| {
        paused(object, true)
    })
}

pub(super) fn resume(args: &ResumeArgs, context: &Context) -> Outcome {
    mark(&args.common, context, "resumed", &|object| {
        paused(object, false)
    })
}

pub(super) fn restart(args: &RestartArgs, context: &Context) -> Outcome {
    let now = context.api()?.now()?;
    let now = now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    mark(&args.common, context, "restarted", &|object| {
        restarted(object, &now)
    })
}

type Change<'a> = &'a dyn Fn(&Value) -> Result<Value, String>;

fn mark(args: &MarkArgs, context: &Context, done: &str, change: Change<'_>) -> Outcome {
    let mut teller = Teller::typed(&args.output, DryRun::None, context)?;
    let cluster = context.api()?;
    let manager = args.manager.get("kubectl-rollout");
    let options = write_options(context, DryRun::None, manager, FieldValidation::Ignore);
    let (infos, mut errors) = args.subject.find(&cluster, context)?.split();
    super::say_if_nothing(&infos, &errors, context)?;
    for info in &infos {
        let changed = change(&info.object).map_err(|why| refused(info, &why));
        let sent = changed.and_then(|new| pairs::send(&cluster, info, &new, "", &options));
        match sent {
            Err(e) => errors.push(e),
            Ok(answer) => {
                teller.warn(&answer);
                teller.tell(&info.with(answer.object), done)?;
            }
        }
    }
    CliError::all(errors)?;
    Ok(ExitCode::SUCCESS)
}

fn refused(info: &Info, why: &str) -> CliError {
    let resource = info.kind.qualified_resource();
    CliError::text(format!("error: {resource} {:?} {why}", info.name))
}
