//! `ctl get`.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde_json::Value;

use super::Outcome;
use crate::cli::context::{Context, Scope};
use crate::cli::error::CliError;
use crate::cli::output::{self, Format, TableOptions};
use crate::cli::resources::{self, Wanted};
use crate::cluster::{Cluster, Place, WatchEvent};
use crate::kinds::Kind;

/// How long a watch sleeps between looks where nothing tells it to look.
const PATIENCE: Duration = Duration::from_secs(60);

/// Show objects
///
/// Examples:
///   ctl get pods                    the Pods of the namespace
///   ctl get deploy/web svc/web      these objects
///   ctl get all -A -o wide          everything, everywhere, with more columns
///   ctl get node node-0 -o yaml     one object as YAML
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct GetArgs {
    /// Types with commas between them and then names, or TYPE/NAME pairs
    resources: Vec<String>,
    #[command(flatten)]
    scope: Scope,
    /// json, yaml, name or wide
    #[arg(short, long, value_name = "FORMAT")]
    output: Option<String>,
    /// Watch for changes after showing what is there
    #[arg(short, long)]
    watch: bool,
    /// Leave out the headers
    #[arg(long)]
    no_headers: bool,
    /// Show all labels in a last column
    #[arg(long)]
    show_labels: bool,
    /// Show these labels in columns
    #[arg(short = 'L', long, value_delimiter = ',')]
    label_columns: Vec<String>,
    /// Show the type in front of the name
    #[arg(long)]
    show_kind: bool,
    /// An object that is not there is no error
    #[arg(long)]
    ignore_not_found: bool,
}

/// The objects of one kind.
struct Group {
    kind: &'static Kind,
    objects: Vec<Value>,
}

pub(crate) fn run(args: &GetArgs, context: &Context) -> Outcome {
    if args.resources.is_empty() {
        return Err(CliError::text("Required resource not specified."));
    }
    let format = Format::parse(args.output.as_deref())?;
    let cluster = context.api()?;
    let kinds = cluster.kinds()?;
    let wanted = resources::parse(&kinds, &args.resources)?;
    let mut failures = Vec::new();
    let groups = fetch(&cluster, args, &wanted, &mut failures)?;
    let single = wanted.len() == 1 && wanted[0].name.is_some();
    let found: usize = groups.iter().map(|g| g.objects.len()).sum();
    match format {
        Format::Yaml | Format::Json => {
            let objects: Vec<Value> = groups.iter().flat_map(|g| g.objects.clone()).collect();
            if found > 0 || !single {
                context.ui.out(&output::objects(format, &objects, single))?;
            }
        }
        Format::Name => context.ui.out(&names(&groups))?,
        Format::Table | Format::Wide => tables(&cluster, args, format, &groups, context)?,
    }
    let empty = found == 0 && failures.is_empty() && !single && !args.watch;
    if empty && matches!(format, Format::Table | Format::Wide) && !args.ignore_not_found {
        context.ui.note(&match (
            args.scope.all_namespaces,
            wanted.iter().any(|w| w.kind.namespaced),
        ) {
            (false, true) => {
                format!(
                    "No resources found in {} namespace.",
                    args.scope.namespace_or_default()
                )
            }
            _ => "No resources found".to_owned(),
        });
    }
    if args.watch {
        follow(&cluster, args, format, &wanted, context)?;
    }
    let failed = !failures.is_empty();
    for failure in failures {
        context.ui.fail(&failure);
    }
    Ok(if failed {
        crate::cli::error::FAILURE.into()
    } else {
        ExitCode::SUCCESS
    })
}

/// Reads what is wanted, objects of one kind together; what is not there is a failure of its own.
fn fetch(
    cluster: &Cluster,
    args: &GetArgs,
    wanted: &[Wanted],
    failures: &mut Vec<CliError>,
) -> Result<Vec<Group>, CliError> {
    let mut groups: Vec<Group> = Vec::new();
    for one in wanted {
        let place = args.scope.place(one.kind);
        let objects = match &one.name {
            None => cluster.list(&place, &|_| true, None)?.items,
            Some(name) => match cluster.get(&place, name).map_err(CliError::from) {
                Ok(object) => vec![object],
                Err(e) if e.is_not_found() && args.ignore_not_found => Vec::new(),
                Err(e) => {
                    failures.push(e);
                    Vec::new()
                }
            },
        };
        match groups.last_mut().filter(|g| g.kind == one.kind) {
            Some(group) => group.objects.extend(objects),
            None => groups.push(Group {
                kind: one.kind,
                objects,
            }),
        }
    }
    Ok(groups)
}

fn names(groups: &[Group]) -> String {
    let name = |kind: &Kind, object: &Value| {
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        output::type_and_name(kind, name) + "\n"
    };
    groups
        .iter()
        .flat_map(|g| g.objects.iter().map(|o| name(g.kind, o)))
        .collect()
}

fn options(args: &GetArgs, format: Format, kind: &Kind, several: bool) -> TableOptions {
    TableOptions {
        wide: format == Format::Wide,
        no_headers: args.no_headers,
        show_labels: args.show_labels,
        show_kind: args.show_kind || several,
        with_namespace: args.scope.all_namespaces && kind.namespaced,
        label_columns: args.label_columns.clone(),
    }
}

fn tables(
    cluster: &Cluster,
    args: &GetArgs,
    format: Format,
    groups: &[Group],
    context: &Context,
) -> Result<(), CliError> {
    let now = cluster.now()?;
    let several = groups.len() > 1;
    let shown: Vec<String> = groups
        .iter()
        .filter(|g| !g.objects.is_empty())
        .map(|g| {
            output::table(
                g.kind,
                &g.objects,
                now,
                &options(args, format, g.kind, several),
            )
            .render()
        })
        .collect();
    context.ui.out(&shown.join("\n"))
}

/// Shows changes as they come, until somebody ends it.
fn follow(
    cluster: &Cluster,
    args: &GetArgs,
    format: Format,
    wanted: &[Wanted],
    context: &Context,
) -> Result<(), CliError> {
    let [one] = wanted else {
        return Err(CliError::text(
            "you may only specify a single resource type",
        ));
    };
    let place: Place = args.scope.place(one.kind);
    let named = |object: &Value| {
        one.name
            .as_ref()
            .is_none_or(|name| object["metadata"]["name"] == name.as_str())
    };
    let mut at = cluster.list(&place, &|_| false, None)?.revision;
    loop {
        let (events, seen) = cluster.changes(&place, &named, at)?;
        for event in events {
            let (WatchEvent::Added(object)
            | WatchEvent::Modified(object)
            | WatchEvent::Deleted(object)) = event
            else {
                continue;
            };
            let objects = [object];
            context.ui.out(&match format {
                Format::Yaml | Format::Json => output::objects(format, &objects, true),
                Format::Name => names(&[Group {
                    kind: one.kind,
                    objects: objects.to_vec(),
                }]),
                Format::Table | Format::Wide => {
                    let options = TableOptions {
                        no_headers: true,
                        ..options(args, format, one.kind, false)
                    };
                    output::table(one.kind, &objects, cluster.now()?, &options).render()
                }
            })?;
        }
        at = seen;
        cluster.wait(at, PATIENCE)?;
    }
}
