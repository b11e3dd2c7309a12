//! `ctl replay`.

mod recording;
mod steps;

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::cli::context::Context;
use crate::cli::durations::span;
use crate::cli::error::{CliError, system_words};
use crate::cli::options::StructuredOutputArgs;
use crate::sys::{archive, bounded};

/// Step through a schedule of `ctl explore`, or play back the commits of an exported cluster
///
/// In a schedule, each step is a turn in which a controller writes something. It shows the triggers of the keys,
/// the plan, the decisions of the schedule, and the commits. The last lines describe the problem. On a terminal,
/// each step waits for Enter; q and Enter quit.
///
/// In a file of `ctl export`, each step is a commit. On a terminal, the pause between two commits is the time between
/// them in the cluster, divided by --speed, and at most three seconds. Neither kind of replay changes the cluster.
///
/// Examples:
///   ctl replay explore-17.json
///   ctl replay explore-17.json --until 4 | tail
///   ctl replay --speed 60 run.tgz
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ReplayArgs {
    /// File of `ctl explore` or `ctl export`
    #[arg(value_name = "FILE")]
    file: String,
    /// Stop after this step of a schedule, or this revision of an export
    #[arg(long, value_name = "N")]
    until: Option<u64>,
    /// Speed on a terminal: with 60, a minute of the cluster takes a second
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = speed)]
    speed: f64,
    /// Maximum real time until the controllers have nothing left to do
    #[arg(long, value_name = "DURATION", value_parser = span, default_value = "5m")]
    timeout: jiff::SignedDuration,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

/// The largest file that is read, in bytes.
const LARGEST: u64 = 1 << 30;

/// Reads a factor above zero.
fn speed(text: &str) -> Result<f64, String> {
    let factor = text.parse::<f64>().ok();
    let factor = factor.filter(|factor| *factor > 0.0 && factor.is_finite());
    factor.ok_or_else(|| "must be a number greater than 0".to_owned())
}

pub(crate) fn run(args: &ReplayArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let bytes = bounded::read(&args.file, LARGEST);
    let bytes =
        bytes.map_err(|e| CliError::text(format!("open {}: {}", args.file, system_words(&e))))?;
    let played = match archive::is_archive(&bytes) {
        true => recording::play(args, &bytes, context),
        false => steps::play(args, &bytes, context),
    };
    played.map_err(|e| named(e, &args.file))?;
    Ok(ExitCode::SUCCESS)
}

/// Prefixes an error with the name of a file.
fn named(error: CliError, file: &str) -> CliError {
    match error {
        CliError::Text(text) => CliError::text(format!("{file}: {text}")),
        CliError::Store(e) => CliError::text(format!("{file}: {e}")),
        CliError::Io(e) => CliError::text(format!("{file}: {e}")),
        other => other,
    }
}

#[cfg(test)]
mod tests;
