//! `ctl delete`.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::Outcome;
use crate::cli::context::{Context, Scope};
use crate::cli::error::{CliError, FAILURE};
use crate::cli::manifest::{self, ManifestArgs};
use crate::cli::{output, resources};
use crate::cluster::{Cluster, DeleteOptions, Place, Propagation};

/// Delete objects by type and name, or those of a file, a directory or standard input
///
/// Examples:
///   ctl delete pod web-0
///   ctl delete -f web.yaml
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct DeleteArgs {
    /// Types with commas between them and then names, or TYPE/NAME pairs
    resources: Vec<String>,
    #[command(flatten)]
    manifests: ManifestArgs,
    #[command(flatten)]
    scope: Scope,
    /// Delete all objects of the type
    #[arg(long)]
    all: bool,
    /// What happens to what the object owns
    #[arg(long, value_enum, default_value = "background")]
    cascade: Cascade,
    /// Seconds that a Pod has to end
    #[arg(long)]
    grace_period: Option<i64>,
    /// An object that is not there is no error
    #[arg(long)]
    ignore_not_found: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Cascade {
    Background,
    Foreground,
    Orphan,
}

/// An object to delete, and the manifest that named it.
struct Target {
    place: Place,
    name: String,
    source: Option<String>,
}

pub(crate) fn run(args: &DeleteArgs, context: &Context) -> Outcome {
    let cluster = context.api()?;
    let targets = targets(args, &cluster)?;
    let options = DeleteOptions {
        grace_period: args.grace_period.filter(|seconds| *seconds >= 0),
        propagation: Some(match args.cascade {
            Cascade::Background => Propagation::Background,
            Cascade::Foreground => Propagation::Foreground,
            Cascade::Orphan => Propagation::Orphan,
        }),
        ..DeleteOptions::default()
    };
    let mut failed = false;
    for target in &targets {
        match cluster.delete(&target.place, &target.name, &options) {
            Ok(_) => {
                let kind = target.place.kind;
                let name = output::type_and_name(kind, &target.name);
                let (kind, name) = name.split_once('/').unwrap_or_default();
                let namespace = match target.place.namespace.as_str() {
                    "" => String::new(),
                    namespace => format!(" from {namespace} namespace"),
                };
                context
                    .ui
                    .line(format_args!("{kind} \"{name}\" deleted{namespace}"))?;
            }
            Err(e) if args.ignore_not_found && e.status().is_some_and(|s| s.code == 404) => {}
            Err(e) => {
                failed = true;
                context.ui.fail(&match &target.source {
                    Some(source) => CliError::while_doing(e, "deleting", source),
                    None => e.into(),
                });
            }
        }
    }
    if targets.is_empty() {
        context.ui.line("No resources found")?;
    }
    Ok(if failed {
        FAILURE.into()
    } else {
        ExitCode::SUCCESS
    })
}

fn targets(args: &DeleteArgs, cluster: &Cluster) -> Result<Vec<Target>, CliError> {
    let mut targets = Vec::new();
    let kinds = cluster.kinds()?;
    if !args.manifests.filename.is_empty() || args.manifests.kustomize.is_some() {
        for one in manifest::read(&kinds, &args.manifests, args.scope.namespace.as_deref())? {
            let name = one.name().to_owned();
            targets.push(Target {
                place: one.place,
                name,
                source: Some(one.source),
            });
        }
        return Ok(targets);
    }
    for wanted in resources::parse(&kinds, &args.resources)? {
        let place = args.scope.place(wanted.kind);
        match wanted.name {
            Some(name) => targets.push(Target {
                place,
                name,
                source: None,
            }),
            None if args.all => {
                for object in cluster.list(&place, &|_| true, None)?.items {
                    let text = |f: &str| {
                        object["metadata"][f]
                            .as_str()
                            .unwrap_or_default()
                            .to_owned()
                    };
                    let place = Place::new(wanted.kind, &text("namespace"));
                    targets.push(Target {
                        place,
                        name: text("name"),
                        source: None,
                    });
                }
            }
            None => {
                return Err(CliError::text(
                    "resource(s) were provided, but no name was specified",
                ));
            }
        }
    }
    if args.resources.is_empty() {
        return Err(CliError::text(
            "You must provide one or more resources by argument or filename.",
        ));
    }
    Ok(targets)
}
