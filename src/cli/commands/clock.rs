//! `ctl clock`.

use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use jiff::Timestamp;

use super::Outcome;
use super::controllers::duration;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cluster::{ClockMode, Cluster};

/// Show or move the cluster's time
///
/// A cluster on a virtual clock has a time of its own, which moves when `ctl settle` has nothing due
/// now, or when told here. Moving it runs nothing: `ctl settle` does what is due then.
///
/// Examples:
///   ctl clock                            show the time
///   ctl clock advance 3d                 three days later
///   ctl clock set 2027-01-01T00:00:00Z   at that time
///   ctl clock mode virtual               stop following the system's clock
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ClockArgs {
    #[command(subcommand)]
    action: Option<Action>,
    #[arg(hide = true)]
    words: Vec<String>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show the time
    #[command(alias = "now")]
    Show,
    /// Move the time forward
    Advance {
        /// By how much, such as 90s, 10m, 3d
        #[arg(value_parser = duration)]
        by: jiff::SignedDuration,
    },
    /// Move the time forward to a moment
    Set {
        /// The moment, such as 2027-01-01T00:00:00Z
        to: Timestamp,
    },
    /// Show or change whose time it is
    Mode {
        /// Whose
        mode: Option<Mode>,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Mode {
    System,
    Virtual,
}

pub(crate) fn run(args: &ClockArgs, context: &Context) -> Outcome {
    if let Some(word) = args.words.first() {
        let command = context.command();
        let text = format!("unknown command {word:?} for {command:?}");
        return Err(CliError::text(text));
    }
    let mut cluster = context.api()?;
    match args.action.as_ref().unwrap_or(&Action::Show) {
        Action::Show => context.ui.line(cluster.now()?)?,
        Action::Advance { by } => {
            if by.is_negative() {
                return Err(CliError::text("time only moves forward"));
            }
            let to = cluster.now()?.checked_add(*by);
            let to = to.map_err(|e| CliError::text(e.to_string()))?;
            advance(&cluster, to, context)?;
        }
        Action::Set { to } => {
            let now = cluster.now()?;
            if *to < now {
                let text = format!("it is {now} already: time only moves forward");
                return Err(CliError::text(text));
            }
            advance(&cluster, *to, context)?;
        }
        Action::Mode { mode: None } => context.ui.line(name(cluster.settings().clock))?,
        Action::Mode { mode: Some(mode) } => {
            let mode = match mode {
                Mode::System => ClockMode::System,
                Mode::Virtual => ClockMode::Virtual,
            };
            cluster.set_clock(mode)?;
            context.ui.line(name(mode))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn advance(cluster: &Cluster, to: Timestamp, context: &Context) -> Result<(), CliError> {
    if cluster.settings().clock == ClockMode::System {
        let text = "the cluster follows the system's clock; `ctl clock mode virtual` changes that";
        return Err(CliError::text(text));
    }
    let writer = context.command();
    let (_, now) = cluster.move_clock(&writer, "clock: moved by hand", None, to)?;
    context.ui.line(now)
}

fn name(mode: ClockMode) -> &'static str {
    match mode {
        ClockMode::System => "system",
        ClockMode::Virtual => "virtual",
    }
}
