//! `ctl plot`.

use std::process::ExitCode;

use clap::Args;
use ctl_scene::{Metric, Period, Recording, Scope, points, view};
use jiff::Timestamp;

use super::{Outcome, tree};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cluster::Cluster;
use crate::history::moment;

/// The width of a chart in a pipe, and the height of one on a terminal.
const WIDTH: usize = 80;
const LINES: usize = 8;

/// Plot Pods, replicas, load and the controllers' work over time
///
/// The curves come from the recorded history. A value is valid until the next commit. If the cluster's clock does
/// not move, the horizontal axis counts commits. The metric queue is the number of triggered reconciles without a
/// commit yet; commit is the time from a change to the resulting commit.
///
/// Examples:
///   ctl plot deployment/web                            ready Pods and all Pods
///   ctl plot deployment/web --metric desired,cpu       the load and the replicas of an autoscaler
///   ctl plot deployment/web --since 10m -o svg > rollout.svg
///   ctl plot --metric queue,commit --since before      the work of the controllers since a mark
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct PlotArgs {
    #[arg(value_name = "[TYPE/NAME]", hide = true)]
    words: Vec<String>,
    /// Plot the Pods of all namespaces
    #[arg(short = 'A', long)]
    all_namespaces: bool,
    /// Curves to draw: ready, total, desired, cpu, memory, queue, commit
    #[arg(
        long,
        value_name = "METRICS",
        value_delimiter = ',',
        default_value = "ready,total"
    )]
    metric: Vec<String>,
    /// Begin at this point: a mark, a duration before now such as 10m, a time or a revision
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Output format: svg
    #[arg(short, long, value_name = "FORMAT")]
    output: Option<String>,
}

impl PlotArgs {
    fn metrics(&self) -> Result<Vec<Metric>, CliError> {
        let metric = |name: &String| {
            Metric::named(name).ok_or_else(|| {
                let known: Vec<&str> = Metric::ALL.iter().map(|(name, _)| *name).collect();
                let known = known.join(", ");
                CliError::text(format!("unknown metric {name:?}; choose from {known}"))
            })
        };
        self.metric.iter().map(metric).collect()
    }
}

/// Returns the part of the history after a point: a mark, or a position that [`timed`] parses.
pub(super) fn since(text: &str, cluster: &Cluster) -> Result<Period, CliError> {
    // Names of marks begin with a letter, and no duration, time or revision does.
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return timed(text, cluster);
    }
    let moment = moment(cluster, text)?.map_err(CliError::text)?;
    Ok(Period {
        after: moment.revision,
        ..Period::default()
    })
}

/// Returns the part of the history after a revision, a time, or a duration before now.
fn timed(text: &str, cluster: &Cluster) -> Result<Period, CliError> {
    // A plain number is a revision, so a duration needs its unit.
    if let Ok(after) = text.parse() {
        return Ok(Period {
            after,
            ..Period::default()
        });
    }
    let time = match (text.parse::<Timestamp>(), crate::api::duration::parse(text)) {
        (Ok(time), _) => Some(time),
        (_, Some(span)) => cluster.now()?.checked_sub(span).ok(),
        _ => None,
    };
    let time = time.ok_or_else(|| {
        CliError::text(format!(
            "{text:?} is neither a duration such as 10m, nor a time such as 2026-01-01T00:00:00Z, nor a revision, nor a mark"
        ))
    })?;
    Ok(Period {
        since: Some(time),
        ..Period::default()
    })
}

pub(crate) fn run(args: &PlotArgs, context: &Context) -> Outcome {
    let metrics = args.metrics()?;
    let is_svg = match args.output.as_deref().unwrap_or_default() {
        "" => false,
        "svg" => true,
        other => {
            return Err(CliError::text(format!(
                "unable to match a printer suitable for the output format {other:?}, allowed formats are: svg"
            )));
        }
    };
    let cluster = context.api()?;
    let scope = tree::scope(&args.words, args.all_namespaces, context, &cluster)?;
    let range = match &args.since {
        Some(text) => since(text, &cluster)?,
        None => Period::default(),
    };
    let recording = Recording::read(&cluster, &scope, range)?;
    let points = points(&recording, &scope);
    if is_svg {
        let picture = view::chart::svg(&points, &metrics, &title(&scope));
        context.ui.out(&picture)?;
        return Ok(ExitCode::SUCCESS);
    }
    // A pipe has no width; a fixed one keeps the output reproducible.
    let width = context.ui.size().map_or(WIDTH, |(width, _)| width);
    context
        .ui
        .out(&view::chart::braille(&points, &metrics, width, LINES))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the name of a scope.
pub(super) fn title(scope: &Scope) -> String {
    match (&scope.root, scope.namespace.as_str()) {
        (Some((kind, name)), _) => format!("{}/{name}", kind.singular),
        (None, "") => "all namespaces".to_owned(),
        (None, namespace) => format!("namespace {namespace}"),
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    fn shell() -> Shell {
        let shell = Shell::new();
        shell.all(&[
            "create deployment web --image=i --replicas=2",
            "settle --for 1m",
            "scale deployment web --replicas=5",
            "settle --for 1m",
        ]);
        shell
    }

    #[test]
    fn plot_draws_a_curve_with_a_summary_line() {
        let shell = shell();
        let out = shell.out("plot deployment/web");
        assert!(
            out.starts_with("ready Pods: now 5, lowest 0, highest 5\n5 ┤"),
            "{out}"
        );
        assert!(
            out.contains("\nPods: now 5, lowest 0, highest 5\n"),
            "{out}"
        );
        let other = shell.out("plot deployment/web --metric desired --since 1m");
        assert!(
            other.contains("lowest 2, highest 5\n") && other.contains("+60s\n"),
            "{other}"
        );
        assert_eq!(
            shell.out("plot --metric ready"),
            out.split("\n\n").next().unwrap().to_owned() + "\n"
        );
    }

    #[test]
    fn plot_since_a_mark_shows_queue_and_commit_time() {
        let shell = shell();
        shell.all(&["mark before", "scale deployment web --replicas=9", "settle"]);
        let out = shell.out("plot deployment/web --since before --metric desired,queue,commit");
        assert!(
            out.starts_with("desired replicas: now 9, lowest 5, highest 9\n"),
            "{out}"
        );
        let queue = out.lines().find(|line| line.starts_with("queue depth"));
        let queue = queue.unwrap();
        assert!(queue.starts_with("queue depth (reconciles): now 0, lowest 0, highest "));
        assert!(!queue.ends_with("highest 0"), "{out}");
        assert!(
            out.contains("commit time (ms after the cause): now "),
            "{out}"
        );
    }

    #[test]
    fn svg_plot_has_a_title_and_unknown_metric_fails() {
        let shell = shell();
        let svg = shell.out("plot deployment/web --metric ready,cpu -o svg");
        assert!(
            svg.contains("<title id=\"title\">deployment/web</title>"),
            "{svg}"
        );
        shell.refuses(&[
            (
                "plot --metric odd",
                "unknown metric \"odd\"; choose from ready, total, desired, cpu, memory, queue, commit",
            ),
            (
                "plot -o png",
                "unable to match a printer suitable for the output format \"png\", allowed formats are: svg",
            ),
            (
                "plot --since soon",
                "\"soon\" is not a revision, a time, a duration or a mark in the history",
            ),
            (
                "plot --since 10x",
                "\"10x\" is neither a duration such as 10m, nor a time such as 2026-01-01T00:00:00Z, nor a revision, nor a mark",
            ),
            ("plot deployment/none", "Error from server (NotFound): deployments.apps \"none\" not found"),
        ]);
    }
}
