//! What all commands share that write the objects of manifests.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::Outcome;
use crate::cli::context::{Context, Scope};
use crate::cli::error::{CliError, FAILURE};
use crate::cli::manifest::{self, Manifest, ManifestArgs};
use crate::cli::output::{self, Format};
use crate::cluster::{Answer, ApiError, Cluster, FieldValidation, Place, WriteOptions};

/// Flags of commands that write.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct WriteFlags {
    /// `server`: do everything but keep it; `none`: do it
    #[arg(long, value_enum, default_value = "none", default_missing_value = "server",
        num_args = 0..=1, require_equals = true)]
    pub(crate) dry_run: DryRun,
    /// What is done about unknown fields: strict (an error), warn or ignore
    #[arg(long, value_enum, default_value = "strict", default_missing_value = "strict",
        num_args = 0..=1, require_equals = true)]
    pub(crate) validate: Validate,
    /// json, yaml or name
    #[arg(short, long, value_name = "FORMAT")]
    pub(crate) output: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DryRun {
    #[default]
    None,
    Server,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Validate {
    #[default]
    #[value(alias = "true")]
    Strict,
    Warn,
    #[value(alias = "false")]
    Ignore,
}

impl WriteFlags {
    /// The options of a write by a command's field manager.
    pub(crate) fn options(&self, manager: &str) -> WriteOptions {
        WriteOptions {
            field_manager: manager.to_owned(),
            dry_run: self.dry_run == DryRun::Server,
            field_validation: match self.validate {
                Validate::Strict => FieldValidation::Strict,
                Validate::Warn => FieldValidation::Warn,
                Validate::Ignore => FieldValidation::Ignore,
            },
            ..WriteOptions::default()
        }
    }

    /// Whether nothing is kept.
    pub(crate) fn is_dry_run(&self) -> bool {
        self.dry_run == DryRun::Server
    }

    /// Tells what was done to an object, as the flags ask.
    pub(crate) fn tell(
        &self,
        place: &Place,
        answer: &Answer,
        done: &str,
        context: &Context,
    ) -> Result<(), CliError> {
        for warning in &answer.warnings {
            context.ui.note(&format!("Warning: {warning}"));
        }
        let name = answer.object["metadata"]["name"]
            .as_str()
            .unwrap_or_default();
        let name = output::type_and_name(place.kind, name);
        match Format::parse(self.output.as_deref())? {
            Format::Table | Format::Wide => {
                let mode = if self.dry_run == DryRun::Server {
                    " (server dry run)"
                } else {
                    ""
                };
                context.ui.line(format_args!("{name} {done}{mode}"))
            }
            Format::Name => context.ui.line(name),
            format => context.ui.out(&output::objects(
                format,
                std::slice::from_ref(&answer.object),
                true,
            )),
        }
    }
}

/// Does the same to each object of the manifests, going on after a refusal.
pub(crate) fn each(
    manifests: &ManifestArgs,
    scope: &Scope,
    flags: &WriteFlags,
    context: &Context,
    (doing, manager): (&str, &str),
    deed: impl Fn(&Cluster, &Manifest, &WriteOptions) -> Result<(Answer, &'static str), ApiError>,
) -> Outcome {
    let cluster = context.api()?;
    let kinds = cluster.kinds()?;
    let manifests = manifest::read(&kinds, manifests, scope.namespace.as_deref())?;
    let options = flags.options(manager);
    let mut failed = false;
    for one in &manifests {
        match deed(&cluster, one, &options) {
            Ok((answer, done)) => flags.tell(&one.place, &answer, done, context)?,
            Err(e) => {
                failed = true;
                context
                    .ui
                    .fail(&CliError::while_doing(e, doing, &one.source));
            }
        }
    }
    Ok(if failed {
        FAILURE.into()
    } else {
        ExitCode::SUCCESS
    })
}
