//! `ctl describe`.

mod related;

use std::process::ExitCode;

use clap::{ArgAction, Args};

use super::Outcome;
use crate::api::json::Value;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::history::AtArgs;
use crate::cli::resource::{Builder, FileArgs, Info, Kinds, SelectorArgs};
use crate::cluster::{Cluster, ListOptions, Place};
use crate::kinds::tree::{field, text};
use crate::print::describe::describe;

/// Show details of objects and of related objects
///
/// Examples:
///   ctl describe pod web              one Pod
///   ctl describe pods web             every Pod whose name begins with web
///   ctl describe deploy -l app=web    the Deployments that a selector selects
///   ctl describe -f pod.yaml          the objects of a manifest
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct DescribeArgs {
    /// Types with commas between them and then names, or TYPE/NAME pairs
    resources: Vec<String>,
    #[command(flatten)]
    files: FileArgs,
    /// Select objects in all namespaces
    #[arg(short = 'A', long)]
    all_namespaces: bool,
    /// Label selector
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// Show events; by default only for a single object
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", action = ArgAction::Set)]
    show_events: Option<bool>,
    /// Accepted for compatibility with kubectl
    #[arg(long, hide = true, default_value_t = 500)]
    chunk_size: i64,
    #[command(flatten)]
    at: AtArgs,
}

pub(crate) fn run(args: &DescribeArgs, context: &Context) -> Outcome {
    if args.resources.is_empty() && args.files.is_empty() {
        return Err(CliError::text(format!(
            "You must specify the type of resource to describe. Use \"{} api-resources\" for a complete list of \
             supported resources.",
            context.program
        )));
    }
    let cluster = args.at.api(context)?;
    let selectors = SelectorArgs {
        selector: args.selector.clone(),
        field_selector: None,
    };
    let mut found = Builder::new(context, Some(&cluster))?
        .files(&args.files)
        .selectors(&selectors)
        .all_namespaces(args.all_namespaces)
        .words(&args.resources, true)
        .latest_later()
        .find()?;
    for item in &mut found.items {
        // A manifest without a name refers to no object to describe.
        if let Ok(info) = item
            && let Err(e) = info.require_name()
        {
            *item = Err(e);
        }
    }
    let found = match args.files.is_empty() {
        true => found,
        false => found.collected(),
    };
    let (found, unread) = found.read_later().readable();
    let (infos, missing) = found.split();
    let failures: Vec<CliError> = unread.into_iter().chain(missing).collect();
    if let ([missing], [word, _]) = (failures.as_slice(), args.resources.as_slice())
        && missing.is_not_found()
    {
        // As in kubectl, the second of two words is tried as a prefix, even if it is TYPE/NAME, which no name begins
        // with. The objects that were found are not described then.
        if word.contains('/') {
            return CliError::all(failures).map(|()| ExitCode::SUCCESS);
        }
        if describe_by_prefix(&cluster, args, context)? {
            return Ok(ExitCode::SUCCESS);
        }
    }
    // kubectl shows events only for a single object, because each object costs a request.
    let is_alone = infos.len() <= 1 && failures.is_empty();
    let show_events = args.show_events.unwrap_or(is_alone);
    for (at, info) in infos.iter().enumerate() {
        // kubectl separates descriptions by two empty lines.
        let before = if at == 0 { "" } else { "\n\n" };
        let shown = describe_one(&cluster, info, show_events)?;
        context.ui.out(&format!("{before}{shown}"))?;
    }
    if infos.is_empty() && failures.is_empty() {
        context.ui.note(&match args.all_namespaces {
            true => "No resources found".to_owned(),
            false => format!("No resources found in {} namespace.", context.namespace()?),
        });
    }
    CliError::all(failures)?;
    Ok(ExitCode::SUCCESS)
}

fn describe_one(cluster: &Cluster, info: &Info, show_events: bool) -> Result<String, CliError> {
    let related = related::related(cluster, info.kind, &info.object, show_events)?;
    Ok(describe(&info.object, &related))
}

/// Describes the objects whose names begin with a name that does not exist. Returns false if there are none.
fn describe_by_prefix(
    cluster: &Cluster,
    args: &DescribeArgs,
    context: &Context,
) -> Result<bool, CliError> {
    let [word, prefix] = args.resources.as_slice() else {
        return Ok(false);
    };
    let kind = Kinds::from_cluster(Some(cluster))?.find_and_warn(word, context)?;
    let place = Place::new(kind, &context.namespace()?);
    let page = cluster.select(&place, &ListOptions::default())?;
    let begins = |object: &Value| text(field(object, "metadata"), "name").starts_with(prefix);
    let mut any = false;
    for object in page.items.into_iter().filter(begins) {
        any = true;
        let info = Info {
            kind,
            namespace: place.namespace.clone(),
            name: text(field(&object, "metadata"), "name").to_owned(),
            source: String::new(),
            object,
        };
        let shown = describe_one(cluster, &info, args.show_events.unwrap_or(false))?;
        context.ui.line(shown)?;
    }
    Ok(any)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    fn shell() -> Shell {
        let shell = Shell::new();
        shell.all(&[
            "create configmap web-a",
            "create configmap web-b",
            "create sa robot",
        ]);
        shell
    }

    #[test]
    fn describe_of_several_objects_omits_events_by_default() {
        let shell = shell();
        assert!(
            shell
                .out("describe cm web-a")
                .ends_with("\nEvents:  <none>\n")
        );
        assert!(
            !shell
                .out("describe cm web-a --show-events=false")
                .contains("Events:")
        );
        let both = shell.out("describe cm web-a web-b");
        assert!(
            !both.contains("Events:") && both.contains("\n\n\nName:         web-b\n"),
            "{both}"
        );
        assert_eq!(
            shell
                .out("describe cm web-a web-b --show-events")
                .matches("Events:")
                .count(),
            2
        );
    }

    #[test]
    fn name_prefix_describes_all_matching_objects() {
        let shell = shell();
        let out = shell.out("describe cm web-");
        assert_eq!(out.matches("Name:         web-").count(), 2);
        shell.refuses(&[
            (
                "describe cm nope",
                "Error from server (NotFound): configmaps \"nope\" not found",
            ),
            (
                "describe cm/web-",
                "Error from server (NotFound): configmaps \"web-\" not found",
            ),
        ]);
        let said = shell.run("describe pods");
        assert_eq!(
            (said.code, said.err.as_str()),
            (0, "No resources found in default namespace.\n")
        );
        let none = shell.fails("describe");
        assert!(none.starts_with("error: You must specify the type of resource to describe. Use \"kubectl api-resources\""), "{none}");
    }

    #[test]
    fn missing_object_is_reported_after_existing_ones() {
        let shell = shell();
        shell.refuses(&[(
            "describe cm/none sa/robot",
            "Error from server (NotFound): configmaps \"none\" not found",
        )]);
        let said = shell.run("describe cm/none sa/robot sa/default --show-events=false");
        assert!(
            said.out.starts_with("Name:                robot\n") && !said.out.contains("Events:"),
            "{said:?}"
        );
        assert_eq!(
            (said.code, said.err.as_str()),
            (
                1,
                "Error from server (NotFound): configmaps \"none\" not found\n"
            )
        );
    }
}
