//! What the commands that make an object from flags have in common.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{
    DryRun, DryRunArgs, ManagerArgs, OutputArgs, Teller, ValidateArgs, write_options,
};
use crate::cli::resource::Info;
use crate::kinds::{self, last_applied};

/// The flags of each of them.
#[derive(Args, Debug)]
pub(super) struct NewArgs {
    /// Keep the configuration in an annotation, so that apply can go on from it
    #[arg(long)]
    save_config: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
    #[command(flatten)]
    validate: ValidateArgs,
    #[command(flatten)]
    manager: ManagerArgs,
    #[command(flatten)]
    output: OutputArgs,
}

impl NewArgs {
    /// Creates an object; `failure` goes before what the cluster has against it, and where that is
    /// empty its answer is told as it is.
    pub(super) fn create(&self, mut object: Value, failure: &str, context: &Context) -> Outcome {
        let dry_run = self.dry_run.get(context)?;
        let validation = self.validate.get()?;
        let mut teller = Teller::typed(&self.output, dry_run, context)?;
        let text = |field: &str| object[field].as_str().unwrap_or_default();
        let kind = kinds::find_by_api_version(text("apiVersion"), text("kind"))
            .ok_or_else(|| CliError::text(format!("there is no kind {:?}", text("kind"))))?;
        let mut namespace = String::new();
        if kind.namespaced {
            namespace = context.namespace()?;
            if context.asked_namespace().is_some() {
                object["metadata"]["namespace"] = json!(namespace);
            }
        }
        if self.save_config {
            object = last_applied::annotated(&object);
        }
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let mut info = Info {
            kind,
            namespace,
            name: name.to_owned(),
            source: String::new(),
            object,
        };
        if dry_run != DryRun::Client {
            let manager = self.manager.get("kubectl-create");
            let options = write_options(context, dry_run, manager, validation);
            let answer = context.api()?.create(&info.place(), &info.object, &options);
            let answer = answer.map_err(|e| told(e.into(), failure))?;
            teller.warn(&answer);
            info = info.with(answer.object);
        }
        teller.tell(&info, "created")?;
        Ok(ExitCode::SUCCESS)
    }
}

fn told(error: CliError, failure: &str) -> CliError {
    match error.status() {
        Some(status) if !failure.is_empty() => {
            CliError::text(format!("{failure}{}", status.message))
        }
        _ => error,
    }
}

/// The one name that must stand before `--`, and the words behind it.
pub(super) fn name_and_command<'a>(
    words: &'a [String],
    context: &Context,
) -> Result<(&'a str, &'a [String]), CliError> {
    let count = context.before_dash().unwrap_or(words.len());
    match words {
        [name, command @ ..] if count == 1 => Ok((name, command)),
        _ => Err(context.usage(format_args!("exactly one NAME is required, got {count}"))),
    }
}

/// The one name that must be there.
pub(super) fn name<'a>(words: &'a [String], context: &Context) -> Result<&'a str, CliError> {
    name_and_command(words, context).map(|(name, _)| name)
}

/// A container as generators write it.
pub(super) fn container(name: &str, image: &str, command: &[String]) -> Value {
    let mut container = json!({"name": name, "image": image, "resources": {}});
    if !command.is_empty() {
        container["command"] = json!(command);
    }
    container
}
