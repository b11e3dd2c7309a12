//! The common parts of the subcommands that create an object from flags.

use std::process::ExitCode;

use clap::Args;

use crate::api::json::{Value, json};
use crate::cli::commands::Outcome;
use crate::cli::commands::make::MakeArgs;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::ValidateArgs;

/// The common flags.
#[derive(Args, Clone, Debug)]
pub(super) struct NewArgs {
    #[command(flatten)]
    make: MakeArgs,
    #[command(flatten)]
    validate: ValidateArgs,
}

impl NewArgs {
    /// Rejects invalid values of the dry run, the format and the validation, as kubectl does before it makes an object.
    pub(super) fn check(&self) -> Result<(), CliError> {
        self.make.check()?;
        self.validate.get().map(|_| ())
    }

    /// Returns the flags without `--save-config`.
    pub(super) fn unsaved(&self) -> Self {
        Self {
            make: self.make.unsaved(),
            ..self.clone()
        }
    }

    /// Creates an object. `failure` is the prefix of an error, which is unchanged if the prefix is empty.
    pub(super) fn create(&self, mut object: Value, failure: &str, context: &Context) -> Outcome {
        // Go omits an empty text.
        if let Some(metadata) = object["metadata"].as_object_mut()
            && metadata.get("name").and_then(Value::as_str) == Some("")
        {
            metadata.remove("name");
        }
        let mut printer = self.make.printer(context)?;
        let validation = self.validate.get()?;
        let info = self
            .make
            .send(object, "kubectl-create", validation, &printer, context);
        printer.print_result(&info.map_err(|e| told(e, failure))?, "created")?;
        Ok(ExitCode::SUCCESS)
    }
}

fn told(error: CliError, failure: &str) -> CliError {
    match failure.is_empty() {
        // kubectl prints no prefix for `create namespace` and `create role`.
        true => error,
        false => error.reworded(|status| format!("{failure}{}", status.message)),
    }
}

/// Returns the single name before `--` and the words after it.
pub(super) fn name_and_command<'a>(
    words: &'a [String],
    context: &Context,
) -> Result<(&'a str, &'a [String]), CliError> {
    // The parser joins the words around `--`, so the number of words before it decides.
    let count = context.before_dash().unwrap_or(words.len());
    match words {
        [name, command @ ..] if count == 1 => Ok((name, command)),
        _ => Err(context.usage(format_args!("exactly one NAME is required, got {count}"))),
    }
}

/// Returns the single required name.
pub(super) fn name<'a>(words: &'a [String], context: &Context) -> Result<&'a str, CliError> {
    name_and_command(words, context).map(|(name, _)| name)
}

/// Rejects an empty name, as kubectl does for some kinds.
pub(super) fn require(name: &str) -> Result<(), CliError> {
    match name.is_empty() {
        true => Err(CliError::text("name must be specified")),
        false => Ok(()),
    }
}

/// Returns a container as kubectl's generators make it.
pub(super) fn container(name: &str, image: &str, command: &[String]) -> Value {
    let mut container = json!({"name": name, "resources": {}});
    // Go omits an empty text.
    if !image.is_empty() {
        container["image"] = json!(image);
    }
    if !command.is_empty() {
        container["command"] = json!(command);
    }
    container
}
