//! `ctl describe`.

mod related;

use std::process::ExitCode;

use clap::{ArgAction, Args};
use serde_json::Value;

use super::Outcome;
use crate::cli::context::{Context, Scope};
use crate::cli::error::{CliError, FAILURE};
use crate::cli::manifest::{self, ManifestArgs};
use crate::cli::resources::{self, Wanted};
use crate::cluster::{ApiError, Cluster, ListOptions};
use crate::kinds::tree::{field, text};
use crate::kinds::{Catalogue, Kind};
use crate::print::describe::describe;

/// Show objects in detail, with what belongs to them
///
/// Examples:
///   ctl describe pod web              one Pod
///   ctl describe pods web             every Pod whose name begins with web
///   ctl describe deploy -l app=web    what a selector selects
///   ctl describe -f pod.yaml          the objects of a manifest
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct DescribeArgs {
    /// Types with commas between them and then names, or TYPE/NAME pairs
    resources: Vec<String>,
    #[command(flatten)]
    scope: Scope,
    #[command(flatten)]
    manifests: ManifestArgs,
    /// Only objects with these labels
    #[arg(short = 'l', long, default_value = "", hide_default_value = true)]
    selector: String,
    /// Show events; by default where there is one object only
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", action = ArgAction::Set)]
    show_events: Option<bool>,
    /// Accepted for kubectl's sake
    #[arg(long, hide = true, default_value_t = 500)]
    chunk_size: i64,
}

/// An object to describe.
struct Found {
    kind: &'static Kind,
    object: Value,
}

pub(crate) fn run(args: &DescribeArgs, context: &Context) -> Outcome {
    if args.resources.is_empty() && args.manifests.filename.is_empty() {
        return Err(CliError::text(format!(
            "You must specify the type of resource to describe. Use \"{} api-resources\" for a complete list of \
             supported resources.",
            context.program()
        )));
    }
    let cluster = context.api()?;
    let kinds = cluster.kinds()?;
    let mut failures = Vec::new();
    let found = find(&cluster, &kinds, args, &mut failures)?;
    if let ([name], [_, _]) = (failures.as_slice(), args.resources.as_slice())
        && name.is_not_found()
        && describe_by_prefix(&cluster, &kinds, args, context)?
    {
        return Ok(ExitCode::SUCCESS);
    }
    let is_alone = found.len() <= 1 && failures.is_empty();
    let show_events = args.show_events.unwrap_or(is_alone);
    for (at, one) in found.iter().enumerate() {
        let before = if at == 0 { "" } else { "\n\n" };
        let shown = describe_one(&cluster, one, show_events)?;
        context.ui.out(&format!("{before}{shown}"))?;
    }
    if found.is_empty() && failures.is_empty() {
        context.ui.note(&match args.scope.all_namespaces {
            true => "No resources found".to_owned(),
            false => {
                let namespace = args.scope.namespace_or_default();
                format!("No resources found in {namespace} namespace.")
            }
        });
    }
    for failure in &failures {
        context.ui.fail(failure);
    }
    match failures.is_empty() {
        true => Ok(ExitCode::SUCCESS),
        false => Ok(FAILURE.into()),
    }
}

fn describe_one(cluster: &Cluster, found: &Found, show_events: bool) -> Result<String, CliError> {
    let related = related::related(cluster, found.kind, &found.object, show_events)?;
    Ok(describe(&found.object, &related))
}

/// The objects that the command line names; what is not there is a failure of its own.
fn find(
    cluster: &Cluster,
    kinds: &Catalogue,
    args: &DescribeArgs,
    failures: &mut Vec<CliError>,
) -> Result<Vec<Found>, CliError> {
    let mut found = Vec::new();
    let mut one = |kind: &'static Kind, answer: Result<Value, ApiError>| match answer {
        Ok(object) => found.push(Found { kind, object }),
        Err(failure) => failures.push(CliError::from(failure)),
    };
    if !args.manifests.filename.is_empty() {
        for manifest in manifest::read(kinds, &args.manifests, args.scope.namespace.as_deref())? {
            let answer = cluster.get(&manifest.place, manifest.name());
            one(manifest.place.kind, answer);
        }
    }
    let wanted = resources::parse(kinds, &args.resources)?;
    if !args.selector.is_empty() && wanted.iter().any(|one| one.name.is_some()) {
        return Err(CliError::text(
            "name cannot be provided when a selector is specified",
        ));
    }
    for Wanted { kind, name } in wanted {
        let place = args.scope.place(kind);
        match name {
            Some(name) => one(kind, cluster.get(&place, &name)),
            None => {
                let options = ListOptions {
                    labels: args.selector.clone(),
                    ..ListOptions::default()
                };
                let page = cluster.select(&place, &options)?;
                page.items
                    .into_iter()
                    .for_each(|object| one(kind, Ok(object)));
            }
        }
    }
    Ok(found)
}

/// Describes the objects whose names begin as the one does that is not there; answers whether there are any.
fn describe_by_prefix(
    cluster: &Cluster,
    kinds: &Catalogue,
    args: &DescribeArgs,
    context: &Context,
) -> Result<bool, CliError> {
    let wanted = resources::parse(kinds, &args.resources)?;
    let [
        Wanted {
            kind,
            name: Some(prefix),
        },
    ] = wanted.as_slice()
    else {
        return Ok(false);
    };
    let page = cluster.select(&args.scope.place(kind), &ListOptions::default())?;
    let begins = |object: &Value| text(field(object, "metadata"), "name").starts_with(prefix);
    let mut any = false;
    for object in page.items.into_iter().filter(begins) {
        any = true;
        let shown = describe_one(
            cluster,
            &Found { kind, object },
            args.show_events.unwrap_or(false),
        )?;
        context.ui.line(shown)?;
    }
    Ok(any)
}
