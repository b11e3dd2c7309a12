//! `ctl render`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use ctl_scene::{Period, Recording, Scope, Snapshot, Timeline, tree, view};

use super::{Outcome, plot, tree as tree_command};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::history::{AtArgs, point};
use crate::cli::output::write_file;
use crate::cluster::{Cluster, Revision};

/// The limits on frames in a page and in a picture. In a longer history, a frame covers several commits.
const PAGE_FRAMES: usize = 2000;
const PICTURE_FRAMES: usize = 60;

/// Write the recorded history as an animated page or picture
///
/// The page is one file that loads nothing from the network, for a bug report or an email. The picture is for a
/// README; with --at, it is static. `-` writes to standard output.
///
/// Examples:
///   ctl render --html rollout.html                           the whole history, frame by frame
///   ctl render deployment/web --svg web.svg --range 40..95   an animated picture of some revisions
///   ctl render --html rollout.html --range before..          the history after a mark
///   ctl render --svg web.svg --at 10m                        a picture of the cluster ten minutes ago
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct RenderArgs {
    #[arg(value_name = "[TYPE/NAME]", hide = true)]
    words: Vec<String>,
    /// Write the history as an HTML page
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "svg",
        required_unless_present = "svg"
    )]
    html: Option<PathBuf>,
    /// Write a picture
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Show objects in all namespaces
    #[arg(short = 'A', long)]
    all_namespaces: bool,
    /// Show the changes after A up to B, each a revision, a time, a duration ago, or a mark; you can omit A or B
    #[arg(long, value_name = "A..B", conflicts_with = "at")]
    range: Option<String>,
    #[command(flatten)]
    at: AtArgs,
    /// Begin at this point: a mark, a duration before now such as 10m, a time or a revision
    #[arg(long, value_name = "WHEN", conflicts_with_all = ["range", "at"])]
    since: Option<String>,
    /// Title of the page or the picture
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
}

impl RenderArgs {
    fn period(&self, at: Option<Revision>, cluster: &Cluster) -> Result<Period, CliError> {
        if let Some(revision) = at {
            return Ok(Period {
                after: revision,
                until: Some(revision),
                since: None,
            });
        }
        match (&self.range, &self.since) {
            (Some(range), _) => period(range, cluster),
            (None, Some(when)) => plot::since(when, cluster),
            (None, None) => Ok(Period::default()),
        }
    }
}

/// Returns the revisions of `A..B`, `A..` or `..B`.
fn period(range: &str, cluster: &Cluster) -> Result<Period, CliError> {
    let wrong = |why: &str| {
        let text = format!("{range:?} is not a range such as 40..95 or MARK..MARK{why}");
        CliError::text(text)
    };
    let (begin, end) = range.split_once("..").ok_or_else(|| wrong(""))?;
    let after = bound(begin, cluster)?.unwrap_or_default();
    let until = bound(end, cluster)?;
    match until.is_none_or(|until| until >= after) {
        true => Ok(Period {
            after,
            until,
            since: None,
        }),
        false => Err(wrong(": it ends before it begins")),
    }
}

/// Returns the revision at one end of a range; none if the end is open.
fn bound(text: &str, cluster: &Cluster) -> Result<Option<Revision>, CliError> {
    match (text, text.parse::<Revision>()) {
        ("", _) => Ok(None),
        // A number outside the history is accepted as a bound.
        (_, Ok(revision)) => Ok(Some(revision)),
        _ => Ok(Some(point(cluster, text)?.revision)),
    }
}

pub(crate) fn run(args: &RenderArgs, context: &Context) -> Outcome {
    let cluster = context.api()?;
    let at = args.at.moment(&cluster)?.map(|at| at.revision);
    let scope = match at {
        // The object may have been deleted since that point.
        Some(_) => tree_command::named(&args.words, args.all_namespaces, context, &cluster)?,
        None => tree_command::scope(&args.words, args.all_namespaces, context, &cluster)?,
    };
    let title = args.title.clone().unwrap_or_else(|| plot::title(&scope));
    if let (Some(file), Some(revision)) = (&args.svg, at) {
        let scene = tree(&Snapshot::read(&cluster, &scope, Some(revision))?, &scope);
        return written(file, &view::svg::of(&scene), context);
    }
    let recording = Recording::read(&cluster, &scope, args.period(at, &cluster)?)?;
    match (&args.html, &args.svg) {
        (Some(file), _) => {
            let timeline = timeline(&recording, &scope, PAGE_FRAMES);
            written(file, &view::html::of(&timeline, &title), context)
        }
        (None, Some(file)) => {
            let timeline = timeline(&recording, &scope, PICTURE_FRAMES);
            written(file, &view::film::of(&timeline, &title), context)
        }
        (None, None) => Err(context.usage("one of --html and --svg is required")),
    }
}

fn timeline(recording: &Recording, scope: &Scope, limit: usize) -> Timeline {
    Timeline::from_recording(recording, scope, limit)
}

fn written(file: &Path, text: &str, context: &Context) -> Outcome {
    match file.as_os_str() == "-" {
        true => context.ui.out(text)?,
        false => {
            let failed = |e: std::io::Error| {
                // The system's error does not name the file, so it is added.
                std::io::Error::new(e.kind(), format!("{}: {e}", file.display()))
            };
            write_file(file, text).map_err(failed)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    fn shell() -> Shell {
        let shell = Shell::new();
        shell.all(&[
            "create deployment web --image=i --replicas=2",
            "settle",
            "set image deployment/web i=j",
            "settle",
        ]);
        shell
    }

    #[test]
    fn a_page_embeds_the_rollout() {
        let shell = shell();
        assert_eq!(shell.out("render --html @/web.html deployment/web"), "");
        let page = std::fs::read_to_string(shell.path("web.html")).unwrap();
        assert!(
            page.starts_with("<!DOCTYPE html>") && page.contains("<title>deployment/web</title>")
        );
        assert!(page.contains("\"label\":\"replicaset/web-"));
        let all = shell.out("render --html - --title Rollout");
        assert!(all.contains("<h1>Rollout</h1>"));
    }

    #[test]
    fn svg_is_animated_or_static_with_at() {
        let shell = shell();
        let film = shell.out("render deployment/web --svg -");
        assert!(
            film.contains("@keyframes") && film.contains(" old, "),
            "{film}"
        );
        let revision = shell.json("tree")["revision"].as_u64().unwrap();
        let _ = shell.out("delete deployment web");
        let still = shell.out(&format!("render deployment/web --svg - --at {revision}"));
        assert!(
            !still.contains("@keyframes") && still.contains("deployment/web"),
            "{still}"
        );
        let some = shell.out(&format!("render --svg - --range ..{revision}"));
        assert!(some.contains("@keyframes"), "{some}");
    }

    #[test]
    fn marks_times_and_durations_name_what_is_shown() {
        let shell = Shell::new();
        shell.all(&[
            "create deployment web --image=i",
            "settle",
            "mark before",
            "clock advance 10m",
            "scale deployment web --replicas=2",
            "settle",
            "mark after",
            "scale deployment web --replicas=3",
            "settle",
        ]);
        let still = |at: &str| shell.out(&format!("render deployment/web --svg - --at {at}"));
        for (at, ready) in [
            ("before", "1/1"),
            ("after", "2/2"),
            ("5m", "1/1"),
            ("1s", "1/1"),
        ] {
            assert!(still(at).contains(ready), "{at}: {}", still(at));
        }
        let page = |range: &str| shell.out(&format!("render --html - --range {range}"));
        // The counts of the Deployment's bar: old, new, ready and desired Pods.
        let shows =
            |page: &str, pods: usize| page.contains(&format!("\"r\":[0,{pods},{pods},{pods}]"));
        for (range, counts) in [
            ("before..after", [true, true, false]),
            ("after..", [false, true, true]),
            ("..before", [true, false, false]),
            ("..5m", [true, false, false]),
        ] {
            let page = page(range);
            let found = [1, 2, 3].map(|pods| shows(&page, pods));
            assert_eq!(found, counts, "{range}");
        }
    }

    #[test]
    fn ranges_and_files_that_make_no_sense_are_refused() {
        let shell = shell();
        let form = "is not a range such as 40..95 or MARK..MARK";
        for (range, wrong) in [
            ("5", format!("error: \"5\" {form}")),
            ("", format!("error: \"\" {form}")),
            (
                "9..5",
                format!("error: \"9..5\" {form}: it ends before it begins"),
            ),
            (
                "a..b",
                "error: \"a\" is not a revision, a time, a duration or a mark in the history"
                    .to_owned(),
            ),
        ] {
            let said = shell.fails(&format!("render --svg - --range '{range}'"));
            assert_eq!(said.trim_end(), wrong);
        }
        let said = shell.fails("render --svg @/none/web.svg");
        assert!(
            said.starts_with("error: @/none/web.svg: No such file"),
            "{said}"
        );
        assert!(shell.fails("render").contains("--html <FILE>"));
    }
}
