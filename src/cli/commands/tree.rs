//! `ctl tree`.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use ctl_scene::{Scene, Scope, Snapshot, tree, view};

use super::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::history::AtArgs;
use crate::cli::options::write;
use crate::cli::resource::Kinds;
use crate::cluster::{Cluster, Place};
use crate::print::{Format, Request};
use crate::sys::clock::Stopwatch;

/// The interval at which ages are redrawn if nothing changes.
const REDRAW: Duration = Duration::from_secs(1);

/// Show objects below their owners, with the state of each
///
/// The symbol before a name is its state: a check mark is ready, ~ progressing, a cross failing,
/// - terminating, a dot ended. For a failing or progressing object, the next line gives the reason.
///
/// Examples:
///   ctl tree                             the workloads of the namespace down to their Pods
///   ctl tree deployment/web -w           follow a rollout
///   ctl tree -A -o svg > cluster.svg     a picture
///   ctl tree deployment/web -o mermaid   a diagram for a document
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct TreeArgs {
    #[arg(value_name = "[TYPE/NAME]", hide = true)]
    words: Vec<String>,
    /// Show objects in all namespaces
    #[arg(short = 'A', long)]
    all_namespaces: bool,
    /// Draw the tree again after each change
    #[arg(short, long)]
    watch: bool,
    #[command(flatten)]
    at: AtArgs,
    /// Output format: json, mermaid, dot or svg
    #[arg(short, long, value_name = "FORMAT")]
    output: Option<String>,
}

/// The formats of `-o`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Output {
    Text,
    Json,
    Mermaid,
    Dot,
    Svg,
}

impl TreeArgs {
    fn format(&self) -> Result<Output, CliError> {
        match self.output.as_deref().unwrap_or_default() {
            "" => Ok(Output::Text),
            "json" => Ok(Output::Json),
            "mermaid" => Ok(Output::Mermaid),
            "dot" => Ok(Output::Dot),
            "svg" => Ok(Output::Svg),
            other => Err(CliError::text(format!(
                "unable to match a printer suitable for the output format {other:?}, allowed \
                 formats are: json,mermaid,dot,svg"
            ))),
        }
    }
}

/// Returns the objects that the arguments name, as [`named`] does. A root must exist.
pub(super) fn scope(
    words: &[String],
    all_namespaces: bool,
    context: &Context,
    cluster: &Cluster,
) -> Result<Scope, CliError> {
    let scope = named(words, all_namespaces, context, cluster)?;
    if let Some((kind, name)) = &scope.root {
        cluster.get(&Place::new(kind, &scope.namespace), name)?;
    }
    Ok(scope)
}

/// Returns the objects that the arguments name: one as `TYPE/NAME` or `TYPE NAME`, or all of the namespace.
pub(super) fn named(
    words: &[String],
    all_namespaces: bool,
    context: &Context,
    cluster: &Cluster,
) -> Result<Scope, CliError> {
    let namespace = match all_namespaces {
        true => String::new(),
        false => context.namespace()?,
    };
    let (kind, name) = match words {
        [] => return Ok(Scope::namespace(&namespace)),
        [pair] => pair
            .split_once('/')
            .ok_or_else(|| context.usage("expected TYPE/NAME, such as deployment/web"))?,
        [kind, name] => (kind.as_str(), name.as_str()),
        more => return Err(context.unexpected(&more[2..])),
    };
    if all_namespaces {
        let text = "a resource cannot be retrieved by name across all namespaces";
        return Err(CliError::text(text));
    }
    let kind = Kinds::from_cluster(Some(cluster))?.find(kind)?;
    Ok(Scope::object(kind, &namespace, name))
}

pub(crate) fn run(args: &TreeArgs, context: &Context) -> Outcome {
    let format = args.format()?;
    let cluster = context.api()?;
    args.at.without(&[("--watch", args.watch)], context)?;
    let at = args.at.moment(&cluster)?.map(|at| at.revision);
    let scope = match at {
        // The object may have been deleted since that point.
        Some(_) => named(&args.words, args.all_namespaces, context, &cluster)?,
        None => scope(&args.words, args.all_namespaces, context, &cluster)?,
    };
    if args.watch {
        return watch(format, &scope, &cluster, context);
    }
    let scene = tree(&Snapshot::read(&cluster, &scope, at)?, &scope);
    // A program still expects valid output, even if it is empty.
    if scene.roots.is_empty() && format == Output::Text {
        context.ui.note(&match scope.namespace.as_str() {
            "" => "No resources found".to_owned(),
            namespace => format!("No resources found in {namespace} namespace."),
        });
        return Ok(ExitCode::SUCCESS);
    }
    match format {
        Output::Text => context.ui.out_table(&text(&scene, context))?,
        Output::Json => print_json(&scene, context)?,
        other => context.ui.out(&drawn(other, &scene))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn print_json(scene: &Scene, context: &Context) -> Result<(), CliError> {
    match Format::parse(&Request::parse("json")) {
        Ok(Format::Printer(mut printer)) => write(printer.print(&view::json::of(scene)), context),
        _ => Err(CliError::text("JSON output is not available")),
    }
}

/// Returns the tree as text, cut to the width of a terminal but complete in a pipe.
fn text(scene: &Scene, context: &Context) -> String {
    view::text::of(scene, context.ui.size().map(|(width, _)| width))
}

fn drawn(format: Output, scene: &Scene) -> String {
    match format {
        Output::Mermaid => view::graph::mermaid(scene),
        Output::Dot => view::graph::dot(scene),
        _ => view::svg::of(scene),
    }
}

/// Redraws the tree after each change, until the command is stopped.
fn watch(format: Output, scope: &Scope, cluster: &Cluster, context: &Context) -> Outcome {
    context.exit_on_signal()?;
    let (limit, since) = (context.request_timeout()?, Stopwatch::start());
    let (mut seen, mut first) = (None, true);
    let mut snapshot = Snapshot::read(cluster, scope, None)?;
    loop {
        let (scene, is_screen) = (tree(&snapshot, scope), context.ui.size().is_some());
        // A pipe gets one tree per change, because redrawing needs a cursor.
        if format == Output::Text && is_screen {
            context.ui.redraw(&text(&scene, context), first)?;
        } else if seen != Some(snapshot.revision) {
            match format {
                Output::Text => context.ui.out(&format!("{}\n", text(&scene, context)))?,
                Output::Json => print_json(&scene, context)?,
                other => context.ui.out(&drawn(other, &scene))?,
            }
        }
        (seen, first) = (Some(snapshot.revision), false);
        let left = limit.map_or(REDRAW, |limit| limit.saturating_sub(since.elapsed()));
        // The request timeout ends the watch without an error.
        if left.is_zero() {
            return Ok(ExitCode::SUCCESS);
        }
        // Without a commit only the ages change, so an idle cluster is not read again.
        match cluster.wait(snapshot.revision, left.min(REDRAW))? {
            same if same == snapshot.revision => snapshot.time = cluster.now()?,
            _ => snapshot = Snapshot::read(cluster, scope, None)?,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    fn shell() -> Shell {
        let shell = Shell::new();
        shell.all(&["create deployment web --image=i --replicas=2", "settle"]);
        shell
    }

    #[test]
    fn tree_nests_replica_set_and_pods_below_the_deployment() {
        let shell = shell();
        let out = shell.out("tree");
        let names: Vec<&str> = out
            .lines()
            .skip(1)
            .map(|l| l.split("   ").next().unwrap())
            .collect();
        assert_eq!(names[0], "✓ deployment/web", "{out}");
        assert!(names[1].starts_with("└─ ✓ replicaset/web-"), "{out}");
        assert!(
            out.contains("├─ ✓ pod/web-") && out.contains("└─ ✓ pod/web-"),
            "{out}"
        );
        let kind = shell.out("tree deployment/web");
        assert_eq!(kind, shell.out("tree deploy web"));
        assert_eq!(kind, out);
    }

    #[test]
    fn a_failing_pod_names_the_reason() {
        let shell = shell();
        let _ = shell.out(
            "run picky --image=i --overrides='{\"spec\":{\"nodeSelector\":{\"disk\":\"ssd\"}}}'",
        );
        let _ = shell.run("settle");
        let out = shell.out("tree pod/picky");
        let lines: Vec<&str> = out.lines().collect();
        assert!(
            lines[1].starts_with("✗ pod/picky") && lines[1].contains("Pending"),
            "{out}"
        );
        assert!(lines[2].starts_with("    Unschedulable: 0/"), "{out}");
    }

    #[test]
    fn each_format_shows_the_same_objects() {
        let shell = shell();
        let json = shell.json("tree");
        assert_eq!(json["items"][0]["children"][0]["kind"], "ReplicaSet");
        assert!(
            shell
                .out("tree -o mermaid")
                .starts_with("flowchart LR\n  n0[\"deployment/web<br/>")
        );
        assert!(shell.out("tree -o dot").starts_with("digraph cluster {\n"));
        assert!(shell.out("tree -o svg").starts_with("<svg xmlns="));
        shell.refuses(&[(
            "tree -o yaml",
            "unable to match a printer suitable for the output format \"yaml\", allowed formats \
             are: json,mermaid,dot,svg",
        )]);
    }

    #[test]
    fn tree_at_a_revision_shows_deleted_objects() {
        let shell = shell();
        let before = shell.json("tree")["revision"].as_u64().unwrap();
        shell.all(&["delete deployment web", "settle"]);
        let said = shell.run("tree");
        assert_eq!(said.err, "No resources found in default namespace.\n");
        let out = shell.out(&format!("tree --at {before}"));
        assert_eq!(out.matches("pod/web-").count(), 2, "{out}");
    }

    #[test]
    fn tree_watch_ends_with_its_request() {
        let shell = shell();
        let out = shell.out("tree -w --request-timeout=50ms");
        assert_eq!(out.matches("deployment/web").count(), 1, "{out}");
        shell.refuses(&[
            (
                "tree web",
                "expected TYPE/NAME, such as deployment/web\nSee 'kubectl tree -h' for help and examples",
            ),
            (
                "tree pod/none",
                "Error from server (NotFound): pods \"none\" not found",
            ),
            (
                "tree odd/web",
                "the server doesn't have a resource type \"odd\"",
            ),
            (
                "tree pod/web -A",
                "a resource cannot be retrieved by name across all namespaces",
            ),
        ]);
    }
}
