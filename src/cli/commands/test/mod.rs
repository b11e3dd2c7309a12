//! `ctl test`.

mod case;
mod chainsaw;
mod check;
mod discover;
pub(in crate::cli::commands) mod explored;
mod files;
mod kuttl;
mod matrix;
mod own;
mod report;
mod scripts;
mod suite;
mod tree;
mod update;
pub(in crate::cli::commands) mod words;
mod world;

use std::ops::RangeInclusive;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;

use clap::Args;

use super::Outcome;
use crate::cli::context::Context;
use crate::cli::durations::span;
use crate::cli::error::{CliError, FAILURE, system_words};
use crate::cli::options::StructuredOutputArgs;
use crate::cli::output::write_file;
use crate::sys::signal;
use report::Report;
use suite::Suite;

/// The exit code if the cases cannot be run.
pub(super) const CANNOT_RUN: u8 = 2;

/// Run test cases for manifests and controllers
///
/// A case is a document of kind Test (apiVersion ctl.dev/v1) in a YAML file. In directories, the command searches
/// for these files. Each case runs on a new cluster in memory with a fixed seed and a virtual clock; several cases
/// run at the same time. Steps such as `for: 10m` and `within: 5m` advance the virtual clock and do not wait in
/// real time.
///
/// Steps: apply (files, objects), run (a command of ctl), settle, for (time), fault, assert (partial
/// objects, files, conditions in CEL), absent, script.
///
/// Exit codes: 0 if all cases passed; 1 if one failed; 2 if they cannot run, for example because a file is not a
/// test case.
///
/// Examples:
///   ctl test tests/
///   ctl test tests/ --filter rollout --seeds 1..100
///   ctl test tests/ --report junit=report.xml
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct TestArgs {
    /// Files and directories with test cases
    #[arg(value_name = "DIR|FILE", required = true)]
    paths: Vec<String>,
    /// Run only the cases whose names contain a text
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Seeds of the clusters; each case runs once with each
    #[arg(long, value_name = "FIRST..LAST", value_parser = seeds, default_value = "1")]
    seeds: RangeInclusive<u64>,
    /// Repeat each case with one fault at a time: a node is down, a Pod crashes, an image is missing, writes fail
    #[arg(long, value_name = "faults", value_parser = ["faults"])]
    matrix: Option<String>,
    /// Update the expected objects in the files to the values in the cluster
    #[arg(long, conflicts_with_all = ["matrix", "seeds"])]
    update: bool,
    /// Start each case on a copy of the current cluster instead of a new one
    #[arg(long)]
    current: bool,
    /// Number of cases that run at the same time; 0 for one on each processor
    #[arg(long, value_name = "N", default_value_t = 0)]
    parallel: usize,
    /// Write a report: junit, tap or github, and the file that gets it; can be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = report::parse)]
    report: Vec<Report>,
    /// Maximum real time of one step
    #[arg(long, value_name = "DURATION", value_parser = span, default_value = "5m")]
    timeout: jiff::SignedDuration,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

/// Parses a range of seeds such as `1..100`, or a single seed.
fn seeds(text: &str) -> Result<RangeInclusive<u64>, String> {
    let number = |text: &str| text.parse::<u64>().ok();
    let range = match text.split_once("..") {
        Some((first, last)) => number(first).zip(number(last)),
        None => number(text).map(|seed| (seed, seed)),
    };
    match range {
        Some((first, last)) if first <= last => Ok(first..=last),
        _ => Err("expected a seed or a range such as 1..100".to_owned()),
    }
}

pub(crate) fn run(args: &TestArgs, context: &Context) -> Outcome {
    // Exit code 1 means that a case failed, so an error needs another one.
    tested(args, context).map_err(|e| CliError::Coded(Box::new(e), CANNOT_RUN))
}

fn tested(args: &TestArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let mut cases = discover::cases(&args.paths).map_err(CliError::text)?;
    if let Some(filter) = &args.filter {
        cases.retain(|case| case.name.contains(filter.as_str()));
        if cases.is_empty() {
            return Err(CliError::text(format!(
                "no case has {filter:?} in its name"
            )));
        }
    }
    let suite = Suite {
        context,
        timeout: args.timeout.unsigned_abs(),
        current: args.current,
        matrix: args.matrix.is_some(),
        update: args.update,
        // An interrupted suite still reports the cases that have ended.
        stop: signal::stop_flag()?,
        bases: Mutex::default(),
    };
    let mut runs = suite::runs(&cases, args.seeds.clone());
    let threads = match args.parallel {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        given => given,
    };
    let mut results = suite.run(&runs, threads);
    if suite.matrix {
        let troubled = suite::troubled(&ended(&runs, &results));
        results.extend(suite.run(&troubled, threads));
        runs.extend(troubled);
    }
    let told = ended(&runs, &results);
    if args.update {
        let edits = told.iter().flat_map(|(_, done)| done.updates.clone());
        let (values, files) = update::write(edits.collect()).map_err(CliError::text)?;
        let many = |count: usize, word: &str| {
            let plural = if count == 1 { "" } else { "s" };
            format!("{count} {word}{plural}")
        };
        context.ui.note(&format!(
            "updated {} in {}",
            many(values, "value"),
            many(files, "file")
        ));
    }
    tell(args, &told, context)?;
    if told.len() < runs.len() {
        return Err(CliError::text(format!(
            "stopped after {} of {} cases",
            told.len(),
            runs.len()
        )));
    }
    let failed = report::counts(&told).failed;
    Ok(ExitCode::from(if failed == 0 { 0 } else { FAILURE }))
}

/// Returns the runs that have ended, with their results.
fn ended<'r, 'c>(
    runs: &'r [suite::Run<'c>],
    results: &'r [Option<suite::RunEnd>],
) -> Vec<(&'r suite::Run<'c>, &'r suite::RunEnd)> {
    let pairs = runs.iter().zip(results);
    pairs
        .filter_map(|(run, done)| Some((run, done.as_ref()?)))
        .collect()
}

fn tell(
    args: &TestArgs,
    told: &[report::RunResult<'_, '_>],
    context: &Context,
) -> Result<(), CliError> {
    let (mut said, mut errors) = (false, Vec::new());
    for Report { format, file } in &args.report {
        let text = report::formatted(*format, told);
        match file {
            // The results are printed even if a report cannot be written, because the cases may have taken minutes.
            Some(file) => errors.extend(
                write_file(Path::new(file), &text)
                    .err()
                    .map(|e| CliError::text(format!("open {file}: {}", system_words(&e)))),
            ),
            None => {
                context.ui.out(&text)?;
                said = true;
            }
        }
    }
    match args.answer.is_human() {
        // A report on standard output is for a program, which expects no other lines.
        true if said => {}
        true => context.ui.out(&report::text(told))?,
        false => args.answer.print(context, "", &report::data(told))?,
    }
    CliError::all(errors)
}

#[cfg(test)]
mod tests;
