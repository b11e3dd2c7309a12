//! `ctl patch`.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::Outcome;
use super::writes::WriteFlags;
use crate::api::yaml::{self, Mode};
use crate::cli::context::{Context, Scope};
use crate::cli::error::CliError;
use crate::cli::resources;
use crate::cluster::{ApiError, PatchType, Place};
use crate::kinds::Kind;

/// Change fields of an object
///
/// Examples:
///   ctl patch deploy web -p '{"spec":{"replicas":3}}'
///   ctl patch deploy web --type=json -p '[{"op":"remove","path":"/spec/paused"}]'
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct PatchArgs {
    /// TYPE NAME or TYPE/NAME
    resources: Vec<String>,
    #[command(flatten)]
    scope: Scope,
    #[command(flatten)]
    flags: WriteFlags,
    /// The patch, JSON or YAML
    #[arg(short, long)]
    patch: Option<String>,
    /// A file with the patch
    #[arg(long, value_name = "FILE", conflicts_with = "patch")]
    patch_file: Option<std::path::PathBuf>,
    /// How the patch says what should change
    #[arg(long = "type", value_enum, default_value = "strategic")]
    kind: TypeArg,
    /// `status` patches the status
    #[arg(long)]
    subresource: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TypeArg {
    Json,
    Merge,
    Strategic,
}

pub(crate) fn run(args: &PatchArgs, context: &Context) -> Outcome {
    let text = match (&args.patch, &args.patch_file) {
        (Some(text), _) => text.clone(),
        (None, Some(file)) => std::fs::read_to_string(file)?,
        (None, None) => {
            return Err(CliError::text(
                "must specify --patch or --patch-file containing the contents of the patch",
            ));
        }
    };
    let patch = yaml::parse_one(text.as_bytes(), Mode::Strict)
        .map_err(|e| CliError::text(format!("unable to parse {text:?}: {}", e.message)))?
        .unwrap_or_default();
    let status = match args.subresource.as_deref() {
        None => false,
        Some("status") => true,
        Some(other) => {
            return Err(CliError::text(format!(
                "invalid subresource value: \"{other}\""
            )));
        }
    };
    let how = match args.kind {
        TypeArg::Json => PatchType::Json,
        TypeArg::Merge => PatchType::Merge,
        TypeArg::Strategic => PatchType::Strategic,
    };
    let cluster = context.api()?;
    let kinds = cluster.kinds()?;
    for wanted in resources::parse(&kinds, &args.resources)? {
        let place: Place = args.scope.place(wanted.kind);
        let Some(name) = wanted.name else {
            return Err(CliError::text(
                "resource(s) were provided, but no name was specified",
            ));
        };
        let options = args.flags.options("kubectl-patch");
        let answer = cluster
            .patch(&place, &name, (how, &patch), status, &options)
            .map_err(|e| unsupported(e, args.kind, wanted.kind))?;
        let done = if answer.changed || args.flags.is_dry_run() {
            "patched"
        } else {
            "patched (no change)"
        };
        args.flags.tell(&place, &answer, done, context)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Names the patch type where the kind does not take it, which custom resources do of strategic ones.
fn unsupported(error: ApiError, how: TypeArg, kind: &Kind) -> CliError {
    if error.status().is_none_or(|s| s.code != 415) {
        return error.into();
    }
    let media = match how {
        TypeArg::Json => "application/json-patch+json",
        TypeArg::Merge => "application/merge-patch+json",
        TypeArg::Strategic => "application/strategic-merge-patch+json",
    };
    CliError::text(format!(
        "{media} is not supported by {}, Kind={}: {error}",
        kind.api_version(),
        kind.kind
    ))
}
