//! `ctl explore`.

pub(super) mod recipe;
pub(super) mod scenario;

use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;

use super::Outcome;
use crate::api::json::{Value, json};
use crate::cli::context::Context;
use crate::cli::durations::span;
use crate::cli::error::{CliError, FAILURE};
use crate::cli::options::StructuredOutputArgs;
use crate::cli::run_on_fork;
use crate::runtime::explore::{FoundProblem, Kinds, Options, Report, explore};
use crate::sys::signal;
use recipe::lines;
use scenario::{Prepared, ScenarioSource, given};

/// The exit code if the scenario cannot be run.
pub(super) const CANNOT_RUN: u8 = 2;

/// The number of seeds that are listed for a problem.
const SEEDS: usize = 5;

/// Run a scenario under many schedules, and find those that end differently
///
/// A scenario is a command, a file with commands of ctl, or a test case of `ctl test`. It runs on a copy of the
/// cluster in memory (a test case runs on its own cluster), once in the order of `ctl settle` and then once for
/// each seed. In these runs, controllers wait for each other and take only some of their keys. With --crash they
/// crash between two writes, and with --api-faults writes fail. The comparison of the final states ignores
/// generated names, uids, times, revisions, addresses, nodes of Pods, and events.
///
/// For each problem, the command writes the shortest schedule that still fails to explore-SEED.json; `ctl replay`
/// steps through it. With --save, it writes only the first one, to FILE.
///
/// Exit codes: 0 if all runs end alike; 1 if one ends differently or violates a condition; 2 if the scenario cannot
/// run.
///
/// Examples:
///   ctl explore -- set image deploy/web web=nginx:2
///   ctl explore --seeds 1000 --crash --api-faults -- rollout.test.yaml
///   ctl explore --object deploy/web --always 'ready >= 2' -- commands.txt
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ExploreArgs {
    /// After --: a command, a file with commands, or a file or directory with test cases
    #[arg(value_name = "SCENARIO", required = true)]
    words: Vec<String>,
    /// Number of schedules, or the range of their seeds
    #[arg(long, value_name = "N|FIRST..LAST", value_parser = seeds, default_value = "100")]
    seeds: Range<u64>,
    /// Also crash the controllers between their writes
    #[arg(long)]
    crash: bool,
    /// Let some writes of the controllers fail
    #[arg(long)]
    api_faults: bool,
    /// Object of the conditions; by default the namespace
    #[arg(long, value_name = "TYPE/NAME")]
    object: Option<String>,
    /// Condition of `ctl assert` that must hold in every state; can be repeated
    #[arg(long, value_name = "CONDITION")]
    always: Vec<String>,
    /// Condition of `ctl assert` that must hold in no state; can be repeated
    #[arg(long, value_name = "CONDITION")]
    never: Vec<String>,
    /// Condition of `ctl assert` that must hold in some state; can be repeated
    #[arg(long, value_name = "CONDITION")]
    eventually: Vec<String>,
    /// File for the first schedule that fails, instead of explore-SEED.json for each problem
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Number of runs at the same time; 0 for one on each processor
    #[arg(long, value_name = "N", default_value_t = 0)]
    parallel: usize,
    /// Maximum real time until the controllers of one run have nothing left to do
    #[arg(long, value_name = "DURATION", value_parser = span, default_value = "5m")]
    timeout: jiff::SignedDuration,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

/// Parses a number of seeds, or a range of seeds.
fn seeds(text: &str) -> Result<Range<u64>, String> {
    let number = |text: &str| text.parse::<u64>().ok();
    let range = match text.split_once("..") {
        Some((first, last)) => number(first).zip(number(last)),
        None => number(text).map(|count| (1, count)),
    };
    match range {
        Some((first, last)) if first <= last && last < u64::MAX => Ok(first..last + 1),
        _ => Err("expected a number of schedules or a range of seeds such as 1..100".to_owned()),
    }
}

pub(crate) fn run(args: &ExploreArgs, context: &Context) -> Outcome {
    // Exit code 1 means that a schedule failed, so an error needs another one.
    explored(args, context).map_err(|e| CliError::Coded(Box::new(e), CANNOT_RUN))
}

fn explored(args: &ExploreArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    if context.before_dash() != Some(0) {
        return Err(context.usage("put the scenario after --"));
    }
    let timeout = args.timeout.unsigned_abs();
    let mut start = None;
    let scenarios = match given(&args.words, context, timeout)? {
        ScenarioSource::Cases(cases) => {
            let prepared = cases.into_iter().map(|case| {
                let own = conditions(args)?;
                Prepared::case(context, case, own, timeout)
            });
            prepared.collect::<Result<Vec<_>, _>>()?
        }
        ScenarioSource::Commands(name, commands) => {
            let (fork, exported) = beginning(context, timeout)?;
            start = exported;
            let own = conditions(args)?;
            vec![Prepared::commands(context, name, commands, own, &fork)?]
        }
    };
    let stop = signal::stop_flag()?;
    let mut all = Vec::new();
    for scenario in &scenarios {
        let options = options(args);
        let count = options.seeds.end - options.seeds.start;
        let report = explore(scenario, &options, &|ended, failed| {
            let text = format!("{ended} of {count} schedules, {failed} failed");
            context.ui.show_progress(Some(&text));
            !stop.load(Ordering::Relaxed)
        });
        context.ui.show_progress(None);
        let report = report.map_err(CliError::Bare)?;
        let saved = save(args, scenario, &report, start.as_deref(), context)?;
        all.push((scenario, report, saved));
        if stop.load(Ordering::Relaxed) {
            break;
        }
    }
    match args.answer.is_human() {
        true => {
            for (scenario, report, saved) in &all {
                context.ui.out(&text(&scenario.name, report, saved))?;
            }
        }
        false => {
            let all = all
                .iter()
                .map(|(scenario, report, saved)| data(&scenario.name, report, saved));
            args.answer
                .print(context, "", &json!({"scenarios": all.collect::<Vec<_>>()}))?;
        }
    }
    // The reports above are still printed, but an interrupted exploration must not look like a success.
    if stop.load(Ordering::Relaxed) {
        return Err(CliError::text("stopped before all schedules were run"));
    }
    let failed = |report: &Report| report.violation.is_some() || !report.found.is_empty();
    let code = match all.iter().any(|(_, report, _)| failed(report)) {
        true => FAILURE,
        false => 0,
    };
    Ok(ExitCode::from(code))
}

fn options(args: &ExploreArgs) -> Options {
    Options {
        seeds: args.seeds.clone(),
        kinds: Kinds {
            crash: args.crash,
            faults: args.api_faults,
        },
        threads: match args.parallel {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            given => given,
        },
    }
}

/// Returns the conditions as arguments of `ctl assert`.
fn conditions(args: &ExploreArgs) -> Result<Vec<String>, CliError> {
    let mut words: Vec<String> = args.object.iter().cloned().collect();
    // Without a slash, the argument would be taken for a condition.
    if words.first().is_some_and(|object| !object.contains('/')) {
        return Err(CliError::text(
            "--object needs TYPE/NAME, such as deploy/web",
        ));
    }
    for (flag, all) in [
        ("--always", &args.always),
        ("--never", &args.never),
        ("--eventually", &args.eventually),
    ] {
        words.extend(all.iter().map(|condition| format!("{flag}={condition}")));
    }
    if args.object.is_some() && words.len() == 1 {
        let text = "--object needs --always, --never or --eventually";
        return Err(CliError::text(text));
    }
    Ok(words)
}

/// Returns a copy of the cluster in memory, and an export of the same state for the files of schedules.
fn beginning(
    context: &Context,
    timeout: Duration,
) -> Result<(std::sync::Arc<crate::cli::fork::Fork>, Option<Vec<u8>>), CliError> {
    let fork = context.forked(run_on_fork, Some(timeout))?;
    let Some(directory) = context.directory_if_there()? else {
        return Ok((fork, None));
    };
    let open = context.open()?;
    let cluster = crate::cluster::Cluster::open(&directory, open.clone())?;
    let mut bytes = Vec::new();
    cluster.files().export(&mut bytes, &open)?;
    // Another process may have written in between, but a schedule belongs to the exact state that it begins with.
    if cluster.stored().revision()? != fork.cluster.stored().revision()? {
        return beginning(context, timeout);
    }
    Ok((fork, Some(bytes)))
}

/// Writes one schedule per problem to a file, or only the first with `--save`. Returns the paths.
fn save(
    args: &ExploreArgs,
    scenario: &Prepared<'_>,
    report: &Report,
    start: Option<&[u8]>,
    context: &Context,
) -> Result<Vec<PathBuf>, CliError> {
    let most = args.save.as_ref().map_or(usize::MAX, |_| 1);
    let mut saved = Vec::new();
    for found in report.found.iter().take(most) {
        let seed = found.seeds.first().copied().unwrap_or_default();
        let own = || PathBuf::from(format!("explore-{seed}.json"));
        let path = args.save.clone().unwrap_or_else(own);
        recipe::write(&path, scenario, found, start, &context.namespace()?)?;
        saved.push(path);
    }
    Ok(saved)
}

/// Formats a number with a noun, as in `1 schedule` or `3 schedules`.
fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Lists the first seeds of a problem.
fn named(seeds: &[u64]) -> String {
    let first: Vec<String> = seeds.iter().take(SEEDS).map(u64::to_string).collect();
    let more = seeds.len().saturating_sub(SEEDS);
    let more = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let plural = if seeds.len() == 1 { "" } else { "s" };
    format!("seed{plural} {}{more}", first.join(", "))
}

fn text(name: &str, report: &Report, saved: &[PathBuf]) -> String {
    if let Some(violation) = &report.violation {
        return format!(
            "{name}: fails under every schedule\n{}\n",
            indented(violation)
        );
    }
    let failed: usize = report.found.iter().map(|found| found.seeds.len()).sum();
    let runs = count(report.runs, "schedule");
    let late = match report.late {
        0 => String::new(),
        late => format!("; {late} ran out of time and were not compared (--timeout)"),
    };
    if failed == 0 {
        let all = if report.late == 0 {
            "all"
        } else {
            "the others"
        };
        return format!("{name}: {runs}, {all} end alike{late}\n");
    }
    let mut out = format!("{name}: {failed} of {runs} failed{late}\n");
    for (at, found) in report.found.iter().enumerate() {
        let how = match found.problem {
            crate::runtime::explore::Problem::Differs(_) => "the end differs",
            crate::runtime::explore::Problem::Violates(_) => "a condition does not hold",
        };
        out += &format!("{}: {how}\n", named(&found.seeds));
        out += &(indented(&lines(&found.problem).join("\n")) + "\n");
        // A list of fifty decisions is unreadable, so only a shortened schedule is listed. The first problems are
        // shortened first.
        if found.shortened {
            let (left, drawn) = (found.shortest.len(), found.drawn);
            let drawn = count(drawn, "decision");
            out += &format!("  shortest schedule, {left} of {drawn}:\n");
            for decision in &found.shortest {
                out += &format!("    {decision}\n");
            }
        }
        if let Some(path) = saved.get(at) {
            let path = path.display();
            out += &format!("written to {path}; `ctl replay {path}` steps through it\n");
        }
    }
    out
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("    {line}")).collect();
    lines.join("\n")
}

fn data(name: &str, report: &Report, saved: &[PathBuf]) -> Value {
    let file = |at: usize| {
        saved
            .get(at)
            .map(|path: &PathBuf| path.display().to_string())
    };
    let found = |(at, found): (usize, &FoundProblem)| {
        let decisions: Vec<String> = found.shortest.iter().map(ToString::to_string).collect();
        let violates = matches!(found.problem, crate::runtime::explore::Problem::Violates(_));
        json!({"seeds": found.seeds.clone(), "problem": if violates { "violation" } else { "difference" },
            "lines": lines(&found.problem), "decisions": found.drawn, "shortest": decisions,
            "file": file(at)})
    };
    json!({"name": name, "schedules": report.runs, "outOfTime": report.late, "violation": report.violation.clone(),
        "found": report.found.iter().enumerate().map(found).collect::<Vec<_>>(), "file": file(0)})
}

#[cfg(test)]
mod tests;
