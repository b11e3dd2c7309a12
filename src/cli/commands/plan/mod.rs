//! `ctl plan`.

mod outcome;
mod text;

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::cli::context::Context;
use crate::cli::durations::span;
use crate::cli::error::CliError;
use crate::cli::fork::ForkOutput;
use crate::cli::options::StructuredOutputArgs;
use crate::cli::run_on_fork;
use crate::cli::timeline::{self, TimedFault};
use crate::history::{Blocker, blockers};
use outcome::Plan;

/// The exit code of a plan that changes something.
const CHANGES: u8 = 1;

/// The exit code of a plan that would not settle.
const WOULD_NOT_SETTLE: u8 = 2;

/// The exit code if the change itself fails.
pub(super) const FAILED: u8 = 3;

/// Show the effects of a change on a copy of the cluster
///
/// The change and the controllers run on a copy of the cluster in memory with a virtual clock, until nothing is
/// left to do. Minutes take milliseconds, and the cluster does not change. The plan does not contain changes of the
/// controllers that were already due before.
///
/// A fault names an object, a flag of `ctl fault` without its dashes, and a time after the change:
/// 'node/node-1 down at 30s', 'pod/web-0 crash 137 at 1m', 'node/node-1 down at 10s for 5m'.
///
/// Exit codes: 0 if nothing would change; 1 if something would; 2 if the cluster would not settle; 3 if
/// the change fails.
///
/// Examples:
///   ctl plan -f app.yaml                                 what applying a file would do
///   ctl plan -- set image deploy/web web=nginx:2         what a command would do
///   ctl plan -f app.yaml --fault 'node/node-1 down at 30s'
///   ctl plan -o json -- drain node-1                     for programs
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct PlanArgs {
    /// After --: the command, such as scale deploy/web --replicas=5
    #[arg(value_name = "[-- COMMAND]")]
    words: Vec<String>,
    /// File or directory to apply; - reads standard input
    #[arg(short, long, value_name = "FILE", value_delimiter = ',')]
    filename: Vec<String>,
    /// Directory with a kustomization file to apply
    #[arg(short, long, value_name = "DIR")]
    kustomize: Option<String>,
    /// Read directories recursively
    #[arg(short = 'R', long)]
    recursive: bool,
    /// Fault to inject, such as 'node/node-1 down at 30s'; can be repeated
    #[arg(long, value_name = "FAULT", value_parser = timeline::parse)]
    fault: Vec<TimedFault>,
    /// Show every Pod that is created or removed
    #[arg(long)]
    all: bool,
    /// Maximum real time to spend
    #[arg(long, value_name = "DURATION", value_parser = span, default_value = "5m")]
    timeout: jiff::SignedDuration,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

pub(crate) fn run(args: &PlanArgs, context: &Context) -> Outcome {
    // 1 and 2 describe the plan, so an error needs its own code.
    planned(args, context).map_err(|e| CliError::Coded(Box::new(e), FAILED))
}

fn planned(args: &PlanArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let change = change(args, context)?;
    let fork = context.forked(run_on_fork, Some(args.timeout.unsigned_abs()))?;
    // Pending changes are settled first: they are not an effect of this change.
    let unfinished = fork.settle(None)?;
    let begin = fork.cluster.stored().moment()?;
    let (mut said, mut waits) = (String::new(), Vec::new());
    if let Some(change) = &change {
        let ran = fork.run(change);
        let mut lines = each_once(&ran.err);
        match ran.timed_out {
            // A disruption budget may block a drain, for example. The plan then shows the effects up to the time limit
            // and every blocked object with its causes, instead of an error that names only some of them.
            true => waits.extend(lines.pop().filter(|_| fork.refused().is_empty())),
            false => refuse_failure(&ran)?,
        }
        said = lines.join("\n");
    }
    for (at, words) in timeline::commands(&args.fault) {
        let passed = fork.cluster.now()?.duration_since(begin.1);
        let left = at.saturating_sub(passed);
        // A fault that became due during the previous step is injected at once.
        if left.is_positive() {
            let _ = fork.settle(Some(left))?;
        }
        refuse_failure(&fork.run(&words))?;
    }
    let end = fork.settle(None)?;
    let mut plan = Plan::read(&fork.cluster, begin.0, begin.1, &unfinished, end, said)?;
    plan.blockers.extend(blockers(&fork.refused()));
    plan.blockers.extend(waits.into_iter().map(|cause| Blocker {
        cause: cause.trim_start_matches("error: ").to_owned(),
        objects: Vec::new(),
        waiting: Vec::new(),
    }));
    let names = crate::cli::history::names(context, &fork.cluster)?;
    match args.answer.is_human() {
        true => context
            .ui
            .out(&text::shown(&plan, &names, args.all, context))?,
        false => args.answer.print(context, "", &plan.data())?,
    }
    Ok(ExitCode::from(match plan.settles() {
        false => WOULD_NOT_SETTLE,
        true if plan.has_changes() => CHANGES,
        true => 0,
    }))
}

/// Returns the distinct lines of a text, because a command that retries repeats its messages.
fn each_once(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        if !lines.iter().any(|other| other == line) {
            lines.push(line.to_owned());
        }
    }
    lines
}

/// Returns the command that makes the change, if there is one besides the faults.
fn change(args: &PlanArgs, context: &Context) -> Result<Option<Vec<String>>, CliError> {
    let has_files = !args.filename.is_empty() || args.kustomize.is_some();
    match (args.words.is_empty(), has_files) {
        (false, true) => Err(context.usage("-f and -k cannot be used with a command")),
        // Flags before `--` would be parsed as flags of `plan`.
        (false, false) if context.before_dash() != Some(0) => {
            Err(context.usage("put the command after --"))
        }
        (false, false) => Ok(Some(args.words.clone())),
        (true, false) if args.fault.is_empty() => {
            Err(context.usage("expected a change: -f FILE, -k DIR, --fault FAULT or -- COMMAND"))
        }
        (true, false) => Ok(None),
        (true, true) => {
            let mut words = vec!["apply".to_owned()];
            let files = args.filename.iter();
            words.extend(files.map(|file| format!("--filename={file}")));
            let kustomize = args.kustomize.iter();
            words.extend(kustomize.map(|dir| format!("--kustomize={dir}")));
            words.extend(args.recursive.then(|| "--recursive".to_owned()));
            Ok(Some(words))
        }
    }
}

/// Fails if the command on the fork failed.
fn refuse_failure(ran: &ForkOutput) -> Result<(), CliError> {
    match ran.code == 0 {
        true => Ok(()),
        false => Err(CliError::Bare(ran.err.trim_end().to_owned())),
    }
}

#[cfg(test)]
mod tests;
